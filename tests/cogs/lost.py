"""What can happen between a call to Discord and its answer, on simcord: the answer is lost, the call fails
half-way, or people go on playing meanwhile. Sends with a nonce are known again, as on Discord."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from simcord.backend.errors import BackendError
from simcord.http import router
from simcord.http.client import FakeHTTPClient, FakeWebhookAdapter

from bot.discord_io import Trace
from cogs.delivery import retries

from .sim import Sim

NONCE = timedelta(minutes=3)  # how long simcord, here, knows a send by its nonce

Act = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass
class Plan:
    """What happens to calls of a method and path. before: instead of the call, else after it was carried
    out. act: done meanwhile, with what Discord answers. last: Discord's servers fail at it half-way,
    discord.py asks again by itself, and this comes of that. first: done before the call is carried out.
    hits: how often it happened."""

    method: str
    path: re.Pattern[str]
    times: int
    before: bool = False
    lost: bool = False
    act: Act | None = None
    last: Exception | None = None
    first: Callable[[], Awaitable[None]] | None = None
    hits: int = 0

    def takes(self, method: str, path: str) -> bool:
        return self.hits < self.times and method == self.method and self.path.fullmatch(path) is not None


async def requested(trace: Trace, status: int, **headers: str) -> None:
    """What aiohttp tells of a request, and its answer."""
    trace.config.freeze()
    response = SimpleNamespace(status=status, headers=headers)
    ended: Any = SimpleNamespace(method="GET", url=SimpleNamespace(path="/"), response=response)
    session: Any = None
    await trace.config.on_request_start.send(session, SimpleNamespace(), session)
    await trace.config.on_request_end.send(session, SimpleNamespace(), ended)


@dataclass
class Line:
    """Between the server's bot and Discord."""

    sim: Sim
    plans: list[Plan] = field(default_factory=list)
    nonces: dict[tuple[str, str], tuple[int, Any]] = field(default_factory=dict)

    def lose(self, method: str, path: str, *, times: int = 1) -> Plan:
        """Carried out, but the answer never comes."""
        return self._add(Plan(method, re.compile(path), times, lost=True))

    def fail(self, method: str, path: str, *, times: int = 1) -> Plan:
        """Not carried out, which nobody can know: no answer comes either."""
        return self._add(Plan(method, re.compile(path), times, before=True, lost=True))

    def repeated(self, method: str, path: str, last: Exception) -> Plan:
        """Carried out, but told to have failed half-way; asked again it is refused."""
        return self._add(Plan(method, re.compile(path), 1, last=last))

    def during(self, method: str, path: str, act: Act, *, times: int = 1) -> Plan:
        """Carried out, and before the answer comes, `act`."""
        return self._add(Plan(method, re.compile(path), times, act=act))

    def before(
        self, method: str, path: str, act: Callable[[], Awaitable[None]], *, lost: bool = False
    ) -> Plan:
        """On its way for so long that `act` is done before it is carried out. lost: its answer never
        comes."""
        return self._add(Plan(method, re.compile(path), 1, lost=lost, first=act))

    def _add(self, plan: Plan) -> Plan:
        self.plans.append(plan)
        return plan

    def install(self, patch: pytest.MonkeyPatch) -> None:
        patch.setattr(
            retries, "RETRIES", tuple(100 * seconds for seconds in retries.RETRIES)
        )  # simcord waits
        dispatch = router.dispatch

        def known(backend: Any, method: str, path: str, **more: Any) -> Any:
            nonce = (more.get("json") or {}).get("nonce") if method == "POST" else None
            if nonce is None:
                return dispatch(backend, method, path, **more)
            message, sent = self.nonces.get((path, nonce), (0, None))
            if message and self.sim.env.now() - sent < NONCE:
                try:
                    return dispatch(backend, "GET", f"{path}/{message}")
                except BackendError:
                    pass  # deleted meanwhile: it is sent anew
            made = dispatch(backend, method, path, **more)
            self.nonces[path, nonce] = (int(made["id"]), self.sim.env.now())
            return made

        patch.setattr(router, "dispatch", known)
        for client in (FakeHTTPClient, FakeWebhookAdapter):
            self._wrap(patch, client)

    def _wrap(self, patch: pytest.MonkeyPatch, client: Any) -> None:
        real = client.request

        async def request(this: Any, route: Any, *args: Any, **more: Any) -> Any:
            path = re.sub(r"^.*?/api/v\d+", "", route.url)
            plan = next((plan for plan in self.plans if plan.takes(route.method, path)), None)
            if plan is None:
                return await real(this, route, *args, **more)
            plan.hits += 1
            if plan.first is not None:
                await plan.first()
            if not plan.before:
                answer = await real(this, route, *args, **more)
                if plan.act is not None:
                    await plan.act(answer)
            if plan.last is not None:
                for status in (502, 429):
                    await requested(self.sim.bot.trace, status)
                raise plan.last
            if plan.lost:
                raise TimeoutError
            return answer

        patch.setattr(client, "request", request)
