"""Holds what goes between a bot and Discord's REST against what is known of it (`facts`, `rules`).

    check_request("POST", "/channels/123/messages", {"content": "hi"})   # -> [], or the faults as sentences

A request is looked at in this order: the route, the shape of the body (its fields, their types and limits),
then what no single field can say.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

from tests.discord import rules
from tests.discord.facts import EVENTS, ROUTES
from tests.discord.rules import check_files
from tests.discord.shapes import check_of

__all__ = ["check_answer", "check_event", "check_files", "check_request"]

BASE = re.compile(r"^(https?://[^/]+)?(/api)?(/v\d+)?(?=/)")


class Route(NamedTuple):
    """One line of the table of routes. sent, answered: words of `facts`; a dash for nothing."""

    method: str
    parts: tuple[str, ...]
    sent: str
    answered: str


@cache
def routes() -> dict[tuple[str, int], list[Route]]:
    """By method and number of parts; those with fewer places to fill come first."""
    found: dict[tuple[str, int], list[Route]] = {}
    for line in ROUTES.strip().splitlines():
        method, path, sent, answered = re.split(r"\s{2,}", line)
        parts = tuple(path.split("/"))
        found.setdefault((method, len(parts)), []).append(Route(method, parts, sent, answered))
    for alike in found.values():
        alike.sort(key=lambda route: route.parts.count("{}"))
    return found


def route_of(method: str, path: str) -> Route | None:
    """The route of a path, with or without host, /api/v10 and query; None where none is known."""
    parts = BASE.sub("", path.partition("?")[0]).split("/")
    for route in routes().get((method.upper(), len(parts)), ()):
        if all(
            known in ("{}", part) and part for known, part in zip(route.parts[1:], parts[1:], strict=True)
        ):
            return route
    return None


def check_request(method: str, path: str, body: Any) -> list[str]:
    """Faults of a request. body: the JSON body, or what a multipart body's `payload_json` holds."""
    route = route_of(method, path)
    if route is None:
        return [f"{method} {path}: no such route"]
    if route.sent == "-":
        return [] if body is None else [f"{method} {path} takes no body"]
    if body is None:
        return [f"{method} {path} needs a body"]
    return _named(check_of(route.sent)(body)) or _check_sums(route.sent, body)


def check_answer(method: str, path: str, status: int, body: Any) -> list[str]:
    """Faults of Discord's answer to a request that went well."""
    route = route_of(method, path)
    if route is None:
        return [f"{method} {path}: no such route"]
    if route.answered == "-" or (status == 204 and route.answered.endswith("?")):
        return [] if body is None else [f"{method} {path} answers nothing"]
    return _named(check_of(route.answered)(body))


def check_event(name: str, data: Any) -> list[str]:
    """Faults of what the gateway sends, as far as the event is known."""
    return _named(check_of(EVENTS[name])(data)) if name in EVENTS else []


def _named(faults: list[str] | None) -> list[str]:
    return [fault.removeprefix("/") if fault[:1] == "/" else f"(body){fault}" for fault in faults or ()]


def _check_sums(sent: str, body: Any) -> list[str]:
    """What no single field can say, by what was sent."""
    if sent in ("message", "followup"):
        return rules.check_message(body, edit=False)
    if sent in ("message edit", "followup edit"):
        return rules.check_message(body, edit=True)
    if sent == "commands":
        return rules.check_commands(body or ())
    if sent == "callback":
        if body["type"] == 9:
            return rules.check_modal(body["data"])
        if body["type"] in (4, 7) and body.get("data"):
            return rules.check_message(body["data"], edit=body["type"] == 7)
    return []
