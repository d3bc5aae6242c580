"""Faults for the calls that concern one table, on simcord: which call a request is, and what it meets.

A call is named by its method and by where it goes: `lobby` (the channel of the lobby message, where without
threads the board is too), `table` (its thread), `hand` (direct messages of its people), `dm` (opening these),
`thread`, `answer` (to a click), `panel` (by the token of a click). Requests of other tables have no name here
and are never touched.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import discord
import pytest
from simcord.backend.errors import BackendError
from simcord.http import router

from tests.cogs.sim import Sim

# name -> what the bot meets. Numbers: (status, Discord's code).
KINDS: dict[str, Any] = {
    "403 50013": (403, 50013),
    "403 50001": (403, 50001),
    "404 10008": (404, 10008),
    "404 10003": (404, 10003),
    "403 50007": (403, 50007),
    "429 30046": (429, 30046),
    "400 50083": (400, 50083),
    "500": (500, 0),
    "503": (503, 0),
    "time-out": TimeoutError,
    "429": discord.RateLimited,
}
RETRY_AFTER = 60.0  # seconds of a 429: discord.py waits for none of over 30, and raises
FOR_GOOD = ("403", "404")  # kinds after which nothing is to be tried again for long

ID = r"\d{15,}"
PATHS = (
    (r"/users/@me/channels", "dm"),
    (rf"/channels/({ID})/messages", "message"),
    (rf"/channels/({ID})/messages/{ID}", "message"),
    (rf"/channels/({ID})/messages/{ID}/threads", "thread"),
    (rf"/channels/({ID})", "thread"),
    (r"/interactions/(\d+)/[^/]+/callback", "answer"),
    (r"/webhooks/\d+/([^/]+)(/messages/.+)?", "followup"),
)


@dataclass
class Trouble:
    """Watches the table of `people` in the server's channel; with `plan`, makes one of its calls fail.

    seen: how often each call came. struck: how often the planned one was made to fail. elsewhere: failed
    requests of everything else.
    """

    sim: Sim
    people: tuple[Any, ...]
    call: str = ""
    kind: str = ""
    skip: int = 0  # so many of the calls pass first
    always: bool = False
    seen: Counter[str] = field(default_factory=Counter)
    struck: int = 0

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        real, dispatch = router._check_faults, router.dispatch

        def wake(backend: Any, method: str, path: str, **more: Any) -> Any:
            """simcord does not know how a thread is woken: here it always works."""
            if method == "PATCH" and more.get("json") == {"archived": False}:
                check(backend, method, path)
                return {}
            return dispatch(backend, method, path, **more)

        def check(backend: Any, method: str, path: str) -> None:
            name = self.name(method, path)
            if name:
                self.seen[name] += 1
                self.strike(name, path)
            real(backend, method, path)

        monkeypatch.setattr(router, "_check_faults", check)
        monkeypatch.setattr(router, "dispatch", wake)

    def name(self, method: str, path: str) -> str:
        """ "" for what is none of the table's."""
        for pattern, kind in PATHS:
            if (found := re.fullmatch(pattern, path)) is not None:
                return self._named(method, kind, found)
        return ""

    def _named(self, method: str, kind: str, found: re.Match[str]) -> str:
        if kind == "answer":
            record = self.sim.env.backend.interactions.get(int(found[1]))
            return f"{method} answer" if record is None or self._ours(record.user_id) else ""
        if kind == "followup":
            backend = self.sim.env.backend
            record = backend.interactions.get(backend.interaction_tokens.get(found[1], 0))
            return f"{method} panel" if record is None or self._ours(record.user_id) else ""
        if kind == "dm":
            recipient = self.sim.env.http_requests[-1].json["recipient_id"]  # type: ignore[index]
            return f"{method} dm" if self._ours(int(recipient)) else ""
        where = self._where(int(found[1]))
        return f"{method} {kind if kind == 'thread' else where}" if where else ""

    def _ours(self, user: int) -> bool:
        return user in {person.id for person in self.people}

    def _where(self, channel: int) -> str:
        if channel == self.sim.channel.id:
            return "lobby"
        found = self.sim.env.backend.channels.get(channel)
        if getattr(found, "parent_id", None) == self.sim.channel.id:
            return "table"
        if channel in {person.user.dm_channel.id for person in self.people}:
            return "hand"
        return ""

    def strike(self, name: str, path: str) -> None:
        """Raise what the planned fault raises, if `name` is its call and its time has come. A message that is
        said to be unknown, or to be in an unknown channel, is gone."""
        if name != self.call:
            return
        if self.skip > 0:
            self.skip -= 1
            return
        if not self.always and self.struck:
            return
        self.struck += 1
        fault = KINDS[self.kind]
        if fault is TimeoutError:
            raise TimeoutError
        if fault is discord.RateLimited:
            raise discord.RateLimited(RETRY_AFTER)
        status, code = fault
        if status == 404 and (gone := re.fullmatch(rf"/channels/({ID})/messages/({ID})", path)) is not None:
            self.sim.env.backend.messages.get(int(gone[1]), {}).pop(int(gone[2]), None)
        raise BackendError(status, code, "as planned")

    def lift(self) -> None:
        """Discord works again."""
        self.call = ""
