"""The gateway half: HELLO, IDENTIFY, READY, RESUME with replay, heartbeats, shards; and disturbing them."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
import zlib
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from aiohttp import WSMsgType, web

from tests.discord.components import Json
from tests.discord.model import Channel, Message

if TYPE_CHECKING:
    from tests.discord.server import DiscordDouble

DISPATCH, HEARTBEAT, IDENTIFY, PRESENCE, RESUME, RECONNECT, REQUEST_MEMBERS, INVALID, HELLO, ACK = (
    0,
    1,
    2,
    3,
    6,
    7,
    8,
    9,
    10,
    11,
)
GUILDS, GUILD_MEMBERS, GUILD_MESSAGES, DIRECT_MESSAGES, MESSAGE_CONTENT = 1, 1 << 1, 1 << 9, 1 << 12, 1 << 15
PRIVILEGED = GUILD_MEMBERS | 1 << 8 | MESSAGE_CONTENT
REPLAY_EVENTS = 5000
RESUME_SECONDS = 120  # how long a session without a socket can be taken up again
SENDS_PER_MINUTE = 120


class Session:
    """One identified shard of one bot process. It outlives its sockets, so that RESUME can replay."""

    def __init__(self, shard: tuple[int, int], intents: int) -> None:
        self.id = secrets.token_hex(16)
        self.shard, self.intents = shard, intents
        self.seq = 0
        self.log: deque[tuple[int, str]] = deque(maxlen=REPLAY_EVENTS)
        self.link: Link | None = None
        self.resumes = 0
        self.dead = False
        self.lost_at: float | None = None

    @property
    def over(self) -> bool:
        return self.dead or (
            self.link is None
            and self.lost_at is not None
            and time.monotonic() - self.lost_at > RESUME_SECONDS
        )

    def covers(self, guild_id: int | None) -> bool:
        number, count = self.shard
        return ((guild_id >> 22) % count if guild_id else 0) == number

    async def dispatch(self, event: str, data: Any) -> float:
        """Number the event, remember it, and send it if a socket is there. Returns the time just before."""
        self.seq += 1
        text = json.dumps({"op": DISPATCH, "s": self.seq, "t": event, "d": data}, separators=(",", ":"))
        self.log.append((self.seq, text))
        return await self.link.send(text) if self.link else time.perf_counter()


class Link:
    """One websocket: ordered sending, zlib-stream when asked for."""

    def __init__(self, ws: web.WebSocketResponse, request: web.Request) -> None:
        self.ws, self.request = ws, request
        self.zlib = zlib.compressobj() if request.query.get("compress") == "zlib-stream" else None
        self.lock = asyncio.Lock()
        self.received: deque[float] = deque(maxlen=SENDS_PER_MINUTE + 1)
        self.closed = False

    async def send(self, text: str) -> float:
        async with self.lock:  # first come, first served: keeps the order of sequence numbers
            at = time.perf_counter()
            if self.closed or self.ws.closed:
                return at
            try:
                if self.zlib:
                    await self.ws.send_bytes(
                        self.zlib.compress(text.encode()) + self.zlib.flush(zlib.Z_SYNC_FLUSH)
                    )
                else:
                    await self.ws.send_str(text)
            except (ConnectionError, RuntimeError):
                self.closed = True
            return at

    async def send_op(self, op: int, data: Any = None) -> None:
        await self.send(json.dumps({"op": op, "d": data, "s": None, "t": None}))

    def cut(self) -> None:
        """Lose the connection without a close frame, as a broken network does."""
        self.closed = True
        if self.request.transport is not None:
            self.request.transport.abort()

    def too_chatty(self) -> bool:
        self.received.append(time.monotonic())
        return len(self.received) > SENDS_PER_MINUTE and self.received[-1] - self.received[0] < 60


class Gateway:
    def __init__(self, double: DiscordDouble, *, heartbeat_ms: int = 41_250, privileged: bool = True) -> None:
        self.double, self.state = double, double.state
        self.heartbeat_ms, self.privileged = heartbeat_ms, privileged
        self.sessions: dict[str, Session] = {}
        self.links: set[Link] = set()
        self.ack_heartbeats = True
        self.refuse_resume = False
        self.identifies = 0
        self.heartbeats = 0
        self.presences: list[Json] = []

    # -- events out ---------------------------------------------------------------------------
    def ready(self) -> list[Session]:
        """Sessions that are connected, or could still be resumed."""
        return [s for s in self.sessions.values() if not s.over]

    def connected(self) -> list[Session]:
        return [s for s in self.ready() if s.link]

    async def emit(
        self,
        event: str,
        data: Any,
        guild_id: int | None = None,
        intent: int | None = GUILDS,
        mask: Callable[[Session, Json], Json] | None = None,
    ) -> float | None:
        """Send to each session whose shard covers the guild (DMs: shard 0); the first send time, or None."""
        self.double.conformance.event(event, data)
        times = [
            await s.dispatch(event, mask(s, data) if mask else data)
            for s in self.ready()
            if s.covers(guild_id) and (intent is None or s.intents & intent)
        ]
        return min(times, default=None)

    async def emit_message(self, event: str, message: Message, extra: Json | None = None) -> float | None:
        channel = self.state.channels[message.channel_id]
        data = self.state.message_payload(message) | (extra or {})
        if channel.guild_id:
            guild = self.state.guilds[channel.guild_id]
            if not guild.bot_in or not self.state.can_see(self.state.app.id, channel):
                return None
            data |= {
                "guild_id": str(guild.id),
                "member": self.state.member_payload(guild, message.author_id, with_user=False),
            }
        return await self.emit(
            event,
            data,
            channel.guild_id,
            GUILD_MESSAGES if channel.guild_id else DIRECT_MESSAGES,
            lambda session, d: self._without_content(session, message, channel, d),
        )

    def _without_content(self, session: Session, message: Message, channel: Channel, data: Json) -> Json:
        """Discord blanks other people's guild messages for bots without the message content intent."""
        own = self.state.app.id in (message.author_id, *message.mentions)
        if session.intents & MESSAGE_CONTENT or channel.is_dm or own:
            return data
        return data | {"content": "", "embeds": [], "attachments": [], "components": []}

    # -- disturbances, for tests ------------------------------------------------------------------
    def drop(self, session: Session | None = None) -> None:
        """Cut the socket of one session (default: all) without a close frame."""
        for s in [session] if session else self.ready():
            if s.link:
                s.link.cut()
                s.link, s.lost_at = None, time.monotonic()

    async def ask_reconnect(self, session: Session | None = None) -> None:
        """Opcode 7: the bot should reconnect and resume."""
        for s in [session] if session else self.ready():
            if s.link:
                await s.link.send_op(RECONNECT)

    async def invalidate(self, session: Session | None = None, resumable: bool = False) -> None:
        """Opcode 9: the session is over (or, resumable, may be taken up again)."""
        for s in [session] if session else self.ready():
            s.dead = not resumable
            if s.link:
                await s.link.send_op(INVALID, resumable)

    # -- the socket ---------------------------------------------------------------------------------
    async def connect(self, request: web.Request) -> web.WebSocketResponse:
        ws = web.WebSocketResponse(max_msg_size=0, compress=False)
        await ws.prepare(request)
        link = Link(ws, request)
        self.links.add(link)
        session = None
        try:
            await link.send_op(HELLO, {"heartbeat_interval": self.heartbeat_ms, "_trace": []})
            async for frame in ws:
                if frame.type is not WSMsgType.TEXT:
                    break
                if link.too_chatty():
                    await ws.close(code=4008)
                    break
                session = await self._take(link, session, json.loads(frame.data)) or session
        finally:
            link.closed = True
            self.links.discard(link)
            if session and session.link is link:
                session.link, session.lost_at = None, time.monotonic()
                session.dead |= ws.close_code in (1000, 1001)  # the bot said goodbye
            self.double.changed()
        return ws

    async def _take(self, link: Link, session: Session | None, frame: Json) -> Session | None:
        op = frame.get("op")
        data: Any = frame.get("d")
        if op == HEARTBEAT:
            self.heartbeats += 1
            if self.ack_heartbeats:
                await link.send_op(ACK)
        elif op == IDENTIFY:
            return await self._identify(link, data)
        elif op == RESUME:
            return await self._resume(link, data)
        elif op == REQUEST_MEMBERS and session:
            await self._members(session, data)
        elif op == PRESENCE:
            self.presences.append(data)
            self.double.recorder.public("presence", data)
        return None

    async def _identify(self, link: Link, data: Any) -> Session | None:
        self.identifies += 1
        if not self.double.token_fits(data.get("token")):
            await link.ws.close(code=4004, message=b"Authentication failed.")
            return None
        if not self.privileged and data["intents"] & PRIVILEGED:
            await link.ws.close(code=4014, message=b"Disallowed intent(s).")
            return None
        shard = tuple(data.get("shard") or (0, 1))
        if not 0 <= shard[0] < shard[1]:
            await link.ws.close(code=4010, message=b"Invalid shard.")
            return None
        session = Session(shard, data["intents"])
        session.link = link
        self.sessions[session.id] = session
        await self._greet(session)
        self.double.changed()
        return session

    async def _greet(self, session: Session) -> None:
        guilds = [g for g in self.state.guilds.values() if g.bot_in and session.covers(g.id)]
        ready = {
            "v": 10,
            "user": self.state.user_payload(self.state.app.id)
            | {"mfa_enabled": False, "verified": True, "email": None},
            "session_type": "normal",
            "private_channels": [],
            "relationships": [],
            "presences": [],
            "user_settings": {},
            "guilds": [{"id": str(g.id), "unavailable": True} for g in guilds],
            "session_id": session.id,
            "resume_gateway_url": self.double.gateway_url,
            "shard": list(session.shard),
            "application": {"id": str(self.state.app.id), "flags": 0, "flags_new": "0"},
            "guild_join_requests": [],
            "_trace": [],
        }
        self.double.conformance.event("READY", ready)
        await session.dispatch("READY", ready)
        for guild in guilds:
            payload = self.state.guild_create_payload(
                guild, all_members=bool(session.intents & GUILD_MEMBERS)
            )
            self.double.conformance.event("GUILD_CREATE", payload)
            await session.dispatch("GUILD_CREATE", payload)

    async def _resume(self, link: Link, data: Any) -> Session | None:
        session = self.sessions.get(data.get("session_id"))
        oldest = session.log[0][0] if session and session.log else 1
        if (
            session is None
            or session.over
            or self.refuse_resume
            or data["seq"] is None
            or data["seq"] < oldest - 1
        ):
            if session:
                session.dead = True
            await link.send_op(INVALID, False)
            return None
        session.link = None  # events that occur during the replay join the log and are sent below
        sent = data["seq"]
        while pending := [
            entry for entry in session.log if entry[0] > sent
        ]:  # ends: each round starts further on
            for _, text in pending:
                await link.send(text)
            sent = pending[-1][0]
        session.link, session.resumes = link, session.resumes + 1
        await session.dispatch("RESUMED", {"_trace": []})
        self.double.changed()
        return session

    async def _members(self, session: Session, data: Any) -> None:
        ids = data["guild_id"] if isinstance(data["guild_id"], list) else [data["guild_id"]]
        for guild in (self.state.guilds[int(i)] for i in ids if int(i) in self.state.guilds):
            wanted = {int(u) for u in data.get("user_ids") or ()}
            query = (data.get("query") or "").lower()
            found = [
                u
                for u in guild.members
                if (u in wanted if wanted else self.state.users[u].name.lower().startswith(query))
            ]
            found = found[: data.get("limit") or None]
            chunks = [found[i : i + 1000] for i in range(0, len(found), 1000)] or [[]]
            for index, chunk in enumerate(chunks):
                payload = {
                    "guild_id": str(guild.id),
                    "members": [self.state.member_payload(guild, u) for u in chunk],
                    "chunk_index": index,
                    "chunk_count": len(chunks),
                    "not_found": [],
                }
                if data.get("nonce"):
                    payload["nonce"] = data["nonce"]
                await session.dispatch("GUILD_MEMBERS_CHUNK", payload)

    async def close(self) -> None:
        for link in list(self.links):
            await link.ws.close(code=1001)
