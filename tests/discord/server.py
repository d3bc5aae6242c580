"""A pretended Discord on loopback: state + REST + gateway + CDN in one aiohttp server.

    double = DiscordDouble()
    await double.start()
    … run a bot against double.rest_url and double.gateway_url (see run_bot.py) …
    await double.stop()

Tests use `driver.World`, which adds the people who click.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
import traceback
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from aiohttp import BodyPartReader, web

from tests.discord.faults import ApiError, Buckets, Fault, Faults, too_many
from tests.discord.gateway import GUILD_MEMBERS, Gateway
from tests.discord.model import ACK_SECONDS, Channel, Guild, State
from tests.discord.record import Conformance, Recorder
from tests.discord.rest import ROUTES, Call, Handler, Rest, invalid
from tests.discord.rules import REQUEST_LIMIT

T = TypeVar("T")
API = "/api/v10"
OPEN_PATHS = ("/interactions/", "/webhooks/")  # no Authorization header needed


class DiscordDouble:
    """The server. Options:

    validate: what happens to a body that is not well formed: "reject" answers 400/50035 and records
        it, "record" only records it, "later" records it when `violations` is read (use it for load), "off".
    check_own: hold own answers and events against what Discord sends (`conformance.own_faults`).
    rate_limits: a dict like faults.REALISTIC, or None for no limits. global_per_second goes with it.
    token: the only bot token accepted; None accepts any.
    privileged: whether privileged intents are granted (else close code 4014).
    old_edit_limit: edits that each message older than an hour accepts before 30046; None: no limit.
    recommended_shards: what GET /gateway/bot says.
    record: whether the Recorder keeps everything that is sent (False saves memory under load).
    latency: seconds that every REST answer is held back (a stand-in for the distance to Discord).
    ack_seconds: how long an interaction may be answered. More than Discord gives is for whoever measures
        how late answers come.
    nonce_seconds: how long an enforced nonce gives the message that was sent with it instead of another one.
    """

    def __init__(
        self,
        *,
        validate: str = "reject",
        check_own: bool = False,
        rate_limits: dict[tuple[str, str], tuple[int, float]] | None = None,
        global_per_second: int = 50,
        token: str | None = None,
        privileged: bool = True,
        heartbeat_ms: int = 41_250,
        old_edit_limit: int | None = None,
        old_edit_retry_after: float = 1.0,
        recommended_shards: int = 1,
        latency: float = 0.0,
        ack_seconds: float = ACK_SECONDS,
        nonce_seconds: float = 300.0,
        record: bool = True,
    ) -> None:
        self.state = State()
        self.recorder = Recorder(self.state, record)
        self.conformance = Conformance(validate, check_own)
        self.faults = Faults()
        self.buckets = Buckets(rate_limits, global_per_second)
        self.token, self.recommended_shards, self.latency = token, recommended_shards, latency
        self.ack_seconds, self.nonce_seconds = ack_seconds, nonce_seconds
        self.old_edit_limit, self.old_edit_retry_after = old_edit_limit, old_edit_retry_after
        self.gateway = Gateway(self, heartbeat_ms=heartbeat_ms, privileged=privileged)
        self.rest = Rest(self)
        self.calls: deque[Call] = deque(maxlen=200_000)
        self.unknown_routes: Counter[str] = Counter()
        self.internal_errors: list[str] = []
        self._watchers: set[asyncio.Future[None]] = set()
        self._runner: web.AppRunner | None = None
        self.port = 0

    # -- life -------------------------------------------------------------------------------------
    async def start(self) -> DiscordDouble:
        app = web.Application(client_max_size=4 * REQUEST_LIMIT)
        for method, template, function in sorted(
            ROUTES, key=lambda r: r[1].count("{")
        ):  # literal paths first
            app.router.add_route(method, API + template, self._handler(template, function))
        app.router.add_get("/gateway", self._socket)
        app.router.add_get("/gateway/", self._socket)
        app.router.add_get("/attachments/{channel}/{attachment}/{filename}", self._download)
        app.router.add_route("*", "/{rest:.*}", self._unknown)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]
        self.state.cdn = f"http://127.0.0.1:{self.port}"
        return self

    async def stop(self) -> None:
        await self.gateway.close()
        if self._runner:
            await self._runner.cleanup()

    @property
    def rest_url(self) -> str:
        return f"http://127.0.0.1:{self.port}{API}"

    @property
    def gateway_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/gateway"

    def token_fits(self, token: str | None) -> bool:
        return bool(token) and self.token in (None, token)

    # -- waiting for things -----------------------------------------------------------------------
    def changed(self) -> None:
        """Wake whoever waits in `until`."""
        for watcher in self._watchers:
            if not watcher.done():
                watcher.set_result(None)

    async def until(
        self, predicate: Callable[[], T], timeout: float = 5.0, what: str = "the awaited state"
    ) -> T:
        """Wait for predicate() to be true after some change of state; returns its value."""
        deadline = time.monotonic() + timeout
        while not (value := predicate()):
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"{what} did not come about in {timeout} s")
            watcher = asyncio.get_running_loop().create_future()
            self._watchers.add(watcher)
            try:
                await asyncio.wait([watcher], timeout=min(left, 0.5))
            finally:
                self._watchers.discard(watcher)
        return value

    # -- the REST pipeline ------------------------------------------------------------------------
    def _handler(
        self, template: str, function: Handler
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            call = Call(
                request.method,
                request.path.removeprefix(API),
                template,
                dict(request.match_info),
                dict(request.query),
                time.perf_counter(),
            )
            self.calls.append(call)
            try:
                return await self._serve(request, call, function)
            finally:
                call.finished = time.perf_counter()
                call.sizes = tuple(len(data) for _, data in call.files.values())
                call.files = {}

        return handle

    async def _serve(self, request: web.Request, call: Call, function: Handler) -> web.Response:
        faults = self.faults.matching(call)
        for fault in faults:
            if fault.kind == "slow":
                await asyncio.sleep(fault.seconds)
        struck = next((f for f in faults if f.kind != "slow"), None)
        if struck and not struck.commit:
            await request.read()
            return self._strike(request, call, struck)
        verdict = self.buckets.ask(call)
        if not verdict.allowed:
            await request.read()
            return self._limited(call, verdict.retry_after, verdict.scope, verdict.headers)
        status, payload = await self._outcome(request, call, function)
        if struck:
            return self._strike(request, call, struck)
        if self.latency:
            await asyncio.sleep(self.latency)
        return self._answer(call, status, payload, verdict.headers)

    async def _outcome(self, request: web.Request, call: Call, function: Handler) -> tuple[int, Any]:
        """(status, payload) of the request proper."""
        try:
            if not call.path.startswith(OPEN_PATHS) and not self._authorized(request):
                raise ApiError(0)
            await self._read(request, call)
            lines = self.conformance.request(call.method, call.path, call.body)
            if lines:
                raise ApiError(50006) if all("50006" in line for line in lines) else invalid(lines)
            result = await function(self.rest, call)
        except ApiError as error:
            call.code = error.code
            return error.status, error.body
        except ConnectionError:
            raise
        except Exception:
            self.internal_errors.append(f"{call.method} {call.path}\n{traceback.format_exc()}")
            return 500, {"message": "500: Internal Server Error", "code": 0}
        if isinstance(result, tuple):
            return result
        return (204, None) if result is None else (200, result)

    def _authorized(self, request: web.Request) -> bool:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        return scheme == "Bot" and self.token_fits(token)

    async def _read(self, request: web.Request, call: Call) -> None:
        if request.content_type.startswith("multipart/"):
            await self._read_multipart(request, call)
        else:
            raw = await request.read()
            try:
                call.body = json.loads(raw) if raw else None
            except ValueError as error:
                raise ApiError(50109) from error
        call.received = time.perf_counter()

    async def _read_multipart(self, request: web.Request, call: Call) -> None:
        reader, total = await request.multipart(), 0
        async for part in reader:
            if not isinstance(part, BodyPartReader):
                raise invalid(["unexpected parts within a part"])
            data = bytes(await part.read(decode=False))
            total += len(data)
            if part.name == "payload_json":
                call.body = json.loads(data)
            elif match := re.fullmatch(r"files\[(\d+)\]", part.name or ""):
                call.files[int(match[1])] = (part.filename or "file", data)
            else:
                raise invalid([f"unexpected form field {part.name!r}"])
        if total > REQUEST_LIMIT + (1 << 16):
            raise ApiError(40005)
        call.body = call.body if call.body is not None else {}

    def _answer(
        self, call: Call, status: int, payload: Any, headers: dict[str, str] | None = None
    ) -> web.Response:
        call.status = status
        headers = {"Via": "1.1 double", **(headers or {})}
        if status == 429 and "Retry-After" not in headers:
            headers |= too_many(payload.get("retry_after", 1.0), "user")[0]
        self.conformance.answer(call.method, call.path, status, payload)
        if payload is None:
            return web.Response(status=status, headers=headers)
        text = json.dumps(payload)
        return web.Response(
            status=status, body=text.encode(), content_type="application/json", headers=headers
        )

    def _strike(self, request: web.Request, call: Call, fault: Fault) -> web.Response:
        if fault.kind == "drop":
            call.status = -1
            assert request.transport is not None
            request.transport.abort()
            return web.Response(status=500)
        if fault.kind == "status":
            call.status = fault.status
            return web.Response(status=fault.status, text="upstream error", headers={"Via": "1.1 double"})
        if fault.kind == "limit":
            return self._limited(call, fault.seconds, fault.scope)
        error = ApiError(fault.code, retry_after=fault.seconds)
        call.code = error.code
        return self._answer(call, error.status, error.body)

    def _limited(
        self, call: Call, retry_after: float, scope: str, headers: dict[str, str] | None = None
    ) -> web.Response:
        headers, body = too_many(retry_after, scope, headers)
        return self._answer(call, 429, body, headers)

    async def _unknown(self, request: web.Request) -> web.Response:
        self.unknown_routes[f"{request.method} {request.path}"] += 1
        body = b'{"message": "404: Not Found", "code": 0}'
        return web.Response(status=404, body=body, content_type="application/json")

    async def _download(self, request: web.Request) -> web.Response:
        attachment = self.state.files.get(int(request.match_info["attachment"]))
        if attachment is None or attachment.filename != request.match_info["filename"]:
            return web.Response(status=404, text="not found")
        return web.Response(body=attachment.data, content_type=attachment.content_type)

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        return await self.gateway.connect(request)

    # -- changes made by Discord or by people, with their events ----------------------------------
    async def member_event(self, event: str, guild: Guild, user_id: int) -> None:
        if event == "GUILD_MEMBER_REMOVE":
            data = {"guild_id": str(guild.id), "user": self.state.user_payload(user_id)}
        else:
            data = self.state.member_payload(guild, user_id) | {"guild_id": str(guild.id)}
        own = user_id == self.state.app.id  # of itself a bot hears without the intent
        await self.gateway.emit(event, data, guild.id, None if own else GUILD_MEMBERS)
        self.changed()

    async def remove_channel(self, channel: Channel) -> None:
        """Delete a channel or thread, with its threads and messages."""
        doomed = [c for c in self.state.channels.values() if c.parent_id == channel.id and c.is_thread] + [
            channel
        ]
        for one in doomed:
            payload = self.state.channel_payload(one)
            for message_id in one.message_ids:
                self.state.messages.pop(message_id, None)
            del self.state.channels[one.id]
            await self.gateway.emit(
                "THREAD_DELETE" if one.is_thread else "CHANNEL_DELETE", payload, one.guild_id
            )
        self.changed()

    async def remove_bot(self, guild: Guild) -> None:
        """Kick the bot: GUILD_DELETE."""
        await self.gateway.emit("GUILD_DELETE", {"id": str(guild.id)}, guild.id)
        guild.bot_in = False
        guild.members.pop(self.state.app.id, None)
        self.changed()

    async def archive_idle_threads(self) -> None:
        """Archive what has been quiet for its auto-archive time, by the double's clock."""
        for thread in [c for c in self.state.channels.values() if c.is_thread and not c.archived]:
            if self.state.clock.now() - thread.active_at > thread.archive_minutes * 60:
                await self.rest._set_archived(thread, True)
