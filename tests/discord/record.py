"""What was sent, who could see it, and whether it was well formed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.discord.model import Attachment, Channel, Message, State
from tests.discord.requests import check_answer, check_event, check_request


@dataclass
class Entry:
    """Something that the bot put before somebody's eyes."""

    at: float
    kind: str  # message edit modal choices callback presence channel commands
    text: str  # the JSON of it, non-ASCII characters kept
    audience: frozenset[int] | None  # user ids who could see it at that time; None: anybody
    channel_id: int | None = None
    message_id: int | None = None
    ephemeral_to: int | None = None
    dm_of: int | None = None
    files: dict[str, bytes] = field(default_factory=dict)

    def visible_to(self, user_id: int) -> bool:
        return self.audience is None or user_id in self.audience

    def contains(self, needle: str | bytes) -> bool:
        if isinstance(needle, bytes):
            return any(needle in data for data in self.files.values()) or needle in self.text.encode()
        escaped = json.dumps(needle, ensure_ascii=False)[1:-1]
        return escaped in self.text or any(needle.encode() in data for data in self.files.values())


class Recorder:
    """Every word and byte that the bot sent, with its audience. For information-leak checks.

    The audience is fixed when the thing is sent. Who joins a channel later can read its history too: test
    that with the messages themselves. A word drawn in a picture is not found:
    compare the bytes, or decode them.
    """

    def __init__(self, state: State, enabled: bool = True) -> None:
        self.state, self.enabled = state, enabled
        self.entries: list[Entry] = []

    def _keep(self, kind: str, data: Any, audience: frozenset[int] | None, *rest: Any) -> None:
        if self.enabled:
            self.entries.append(
                Entry(time.time(), kind, json.dumps(data, ensure_ascii=False), audience, *rest)
            )

    def message(self, kind: str, message: Message, files: Iterable[Attachment] = ()) -> None:
        if not self.enabled:
            return
        channel = self.state.channels[message.channel_id]
        content = {
            "content": message.content,
            "embeds": message.embeds,
            "components": message.components,
            "poll": message.poll,
            "files": [[a.filename, a.description] for a in message.attachments],
        }
        self._keep(
            kind,
            content,
            self.state.audience(channel, message.ephemeral_to),
            channel.id,
            message.id,
            message.ephemeral_to,
            channel.recipient_id,
            {a.filename: a.data for a in files},
        )

    def private(self, kind: str, user_id: int, data: Any, channel_id: int | None = None) -> None:
        """Modals and autocomplete choices: seen by one user only."""
        self._keep(kind, data, frozenset({user_id}), channel_id, None, user_id)

    def in_channel(self, kind: str, channel: Channel, data: Any) -> None:
        """Names and topics of channels and threads."""
        self._keep(kind, data, self.state.audience(channel), channel.id)

    def public(self, kind: str, data: Any) -> None:
        self._keep(kind, data, None)

    def seen_by(self, user: Any) -> list[Entry]:
        return [e for e in self.entries if e.visible_to(_id(user))]

    def find(self, needle: str | bytes) -> list[Entry]:
        """Entries whose JSON text or file bytes hold the needle (str or bytes)."""
        return [e for e in self.entries if e.contains(needle)]

    def leaks(self, needle: str | bytes, allowed: Iterable[Any]) -> list[Entry]:
        """Entries holding the needle that somebody outside `allowed` could see."""
        ids = {_id(u) for u in allowed}
        return [e for e in self.find(needle) if e.audience is None or e.audience - ids]


def _id(user: Any) -> int:
    return getattr(user, "id", user)


class Conformance:
    """Holds the bot's request bodies against what Discord takes (`requests`).

    With `own`, the double's own answers and events too, so that it is not judged by its author alone: what
    does not fit is listed in `own_faults`.
    """

    KEEP_LATER = 500  # bodies for "later"; beyond this number every 20th

    def __init__(self, requests: str = "reject", own: bool = False) -> None:
        if requests not in ("reject", "record", "later", "off"):
            raise ValueError(requests)
        self.requests, self.own = requests, own
        self.violations: list[str] = []
        self.own_faults: list[str] = []
        self._later: list[tuple[str, str, str]] = []
        self._seen = 0

    def request(self, method: str, path: str, body: Any) -> list[str]:
        """Violations of a request body, as strings. With "later" they are only found by `all_violations`."""
        if self.requests == "off":
            return []
        if self.requests == "later":
            self._seen += 1
            if len(self._later) < self.KEEP_LATER or self._seen % 20 == 0:
                self._later.append((method, path, json.dumps(body)))
            return []
        found = self._check_request(method, path, body)
        return found if self.requests == "reject" else []

    def _check_request(self, method: str, path: str, body: Any) -> list[str]:
        found = check_request(method, path, body)
        self.violations += [f"{method} {path}: {line}" for line in found]
        return found

    def all_violations(self) -> list[str]:
        while self._later:
            method, path, body = self._later.pop()
            self._check_request(method, path, json.loads(body))
        return self.violations

    def answer(self, method: str, path: str, status: int, payload: Any) -> None:
        """Notes what is wrong with an answer of the double to a request that went well."""
        if self.own and status < 300:
            faults = check_answer(method, path, status, payload)
            self.own_faults += [f"answer to {method} {path}: {fault}" for fault in faults]

    def event(self, name: str, data: Any) -> None:
        """Notes what is wrong with an event of the double."""
        if self.own:
            self.own_faults += [f"event {name}: {fault}" for fault in check_event(name, data)]
