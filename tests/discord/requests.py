"""Holds a request that the bot sends to Discord's REST against what Discord is known to take.

    check_request("POST", "/channels/123/messages", {"content": "hi"})   # -> [], or the faults as sentences

The order of work: the route, the shape of the body (its fields, their types and limits), then what no single
field can say (`rules`).
"""

from __future__ import annotations

import re
from typing import Any

from tests.discord import rules
from tests.discord.rules import check_files

__all__ = ["check_files", "check_request"]

_MESSAGES = re.compile(r"/messages(/(\d+|@original))?$|^/webhooks/\d+/[^/]+$")


def check_request(method: str, path: str, body: Any) -> list[str]:
    """Faults of a request. body: the JSON body, or what a multipart body's `payload_json` holds."""
    path = re.sub(r"^(https?://[^/]+)?(/api)?(/v\d+)?(?=/)", "", path.partition("?")[0])
    if path.endswith("/callback"):
        data = body.get("data")
        if body["type"] == 9:
            return rules.check_modal(data or {})
        return rules.check_message(data, edit=body["type"] == 7) if body["type"] in (4, 7) and data else []
    if method == "PUT" and path.endswith("/commands"):
        return rules.check_commands(body)
    if body is not None and _MESSAGES.search(path):
        return rules.check_message(body, edit=method == "PATCH")
    return []
