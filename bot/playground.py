"""The playground: the real bot in a Discord of its own, in the browser, on loopback.

simcord keeps a whole Discord in this process; its Preview shows one channel at a time on an address of its
own that changes with every choice. Our page at one fixed address lists the channels, the threads and
each person's direct messages; a choice closes the Preview, opens the next one on it and
forwards to it through this server, so that

* everything has one address, `http://127.0.0.1:PORT`, which is printed once it can be opened;
* what people do and the ticking of simcord's clock never overlap (simcord does one thing at a time);
* a bar with the way back, and the other people and places, stands above simcord's page.

simcord's clock stands still by itself. The ticker moves it on with the computer's clock, and the bot's
clock is simcord's.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import json
import logging
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

import aiohttp
from aiohttp import web

from bot import logs, private_files
from bot.background import Background
from bot.locale import match, sayer
from bot.rules.game import Say
from bot.settings import DATABASE, Settings
from bot.storage.files import BESIDE
from bot.storage.lock import FileLock
from bot.tables.ports import StoreUnusable

if TYPE_CHECKING:
    from simcord.actors import MemberActor
    from simcord.builders import ChannelHandle, GuildHandle, UserHandle
    from simcord.env import Env

log = logging.getLogger(__name__)

PEOPLE = ("Ada", "Ben", "Cleo", "Dev")
TICK = 1.0  # seconds of the computer's clock between two moves of simcord's
LONGEST_TICK = 3600.0  # after the computer slept: no more than this at once
MOST_TABS = 12  # at one Preview, which takes 16 and forgets those that were closed late
SOON = 1.2  # seconds: what is due by then is on the page after a click; a repaint waits for one at most
SETTLE = 30.0  # seconds simcord gives the bot to finish what it does, computer players included
OWN_PATH = "/playground"
OWN_PARTS = {
    "page.css": "text/css",
    "front.js": "text/javascript",
    "bar.js": "text/javascript",
    "newest.js": "text/javascript",
}
# of the bar
WORDS = ("back", "where", "unread", "gone", "ended", "silent", "anew", "reopen", "first")
# of the world before
OWN_FILES = (*(f"{DATABASE}{end}" for end in BESIDE), "commands.sha256")
NOT_FORWARDED = {"host", "origin", "connection", "content-length", "referer", "accept-encoding"}
NOT_RETURNED = {"connection", "content-length", "transfer-encoding", "date", "server"}


class WorldClock:
    """The bot's clock: simcord's instant, and waiting that simcord's timers end."""

    def __init__(self) -> None:
        self.env: Env | None = None

    def now(self) -> datetime:
        """simcord's present; before there is a world, its first instant."""
        return datetime(2026, 1, 1, tzinfo=UTC) if self.env is None else self.env.now()

    async def sleep_until(self, when: datetime) -> None:
        await asyncio.sleep(max(0.0, (when - self.now()).total_seconds()))


@dataclass
class World:
    """simcord's Discord with a server, two channels and four people, and the bot in it."""

    env: Env
    guild: GuildHandle
    people: list[UserHandle]
    members: list[MemberActor]
    make_bot: Callable[[], Any]
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    restarts: asyncio.Lock = field(default_factory=asyncio.Lock)
    id: str = field(default_factory=partial(secrets.token_hex, 8))  # another one at each start
    preview: Any = None
    ended: asyncio.Future[None] | None = None  # done once the Preview was closed, by whomever
    shown: int = 0  # the channel that the Preview shows
    tabs: int = 0  # that were led to it

    def person(self, user_id: int) -> UserHandle | None:
        return next((person for person in self.people if person.id == user_id), None)

    def member(self, user_id: int) -> MemberActor | None:
        return next((member for member in self.members if member.id == user_id), None)

    def channels(self) -> Iterator[ChannelHandle]:
        """The server's text channels, each followed by its threads."""
        for channel in self.guild.channels.values():
            if not channel.is_thread:
                yield channel
                yield from channel.threads

    def messages(self, channel: ChannelHandle, viewer: int) -> list[Any]:
        stored = self.env.backend.messages.get(channel.id, {}).values()
        return sorted((m for m in stored if m.visible_to(viewer)), key=lambda m: m.id)

    async def show(self, channel: ChannelHandle, user_id: int) -> str:
        """Make the Preview show `channel` to `user_id` first; its address's secret part. Another tab that is
        at the same channel, whoever looks there, goes on."""
        async with self.turn:
            if self.preview is not None and self.shown == channel.id and self.tabs < MOST_TABS:
                self.tabs += 1
                return str(self.preview.url).partition("#")[2]
            if self.preview is not None:
                await self.preview.close()
                self.preview = None
            viewers: list[Any]
            if channel.guild is None:
                viewers = [self.person(user_id)]
            else:
                viewers = sorted(self.members, key=lambda member: member.id != user_id)
            preview = self.env.preview(channel, viewers=viewers, layout="channel", locale="en-US")
            await preview.__aenter__()
            self.preview = preview
            self.ended = asyncio.ensure_future(preview.wait_closed())
            self.shown, self.tabs = channel.id, 1
            return str(preview.url).partition("#")[2]

    async def tick(self, seconds: float) -> None:
        async with self.turn:
            await self.env.advance_time(seconds)

    async def restart_bot(self) -> None:
        """What a crash or an update does: a new bot on the same data; messages stay. One after another: the
        next may not begin before the last one's bot has come up, or it takes the data from it."""
        async with self.restarts:
            await self.env.bot.close()  # or a click that is under way lasts until all computers have played
            async with self.turn:
                await self.end_bot()
                await self.env.restart_bot(self.make_bot())

    async def end_bot(self) -> None:
        """simcord takes a bot away, but does not close it. The bot goes first: the Preview's end waits for
        the click that is under way, which lasts until the computer players that follow it have played."""
        await self.env.bot.close()
        if self.preview is not None:
            await self.preview.close()
            self.preview = None


@contextlib.asynccontextmanager
async def open_world(settings: Settings) -> AsyncIterator[World]:
    """Start simcord's Discord and the bot in it; both end with the context. Raises SlowStart."""
    from bot import simulated
    from bot.client import create_bot

    clock = WorldClock()

    def make_bot() -> Any:
        return create_bot(settings, clock=clock)

    async with simulated.running(make_bot(), soon=SOON, check_errors=False, settle_timeout=SETTLE) as env:
        clock.env = env
        env.backend.edit_bot_profile("Parlour")
        owner = env.create_user("parlour-host", global_name="Host")
        guild = env.create_guild("Parlour", owner=owner)
        guild.create_text_channel("games")
        guild.create_text_channel("lounge")
        people = [env.create_user(name.lower(), global_name=name) for name in PEOPLE]
        members = [guild.add_member(person) for person in people]
        world = World(env, guild, people, members, make_bot)
        try:
            try:
                await env.settle()
            except TimeoutError as error:
                raise simulated.SlowStart from error
            yield world
        finally:
            await world.end_bot()


class Pages:
    """Our own pages, and the way through to simcord's."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.port = 0
        self.http = aiohttp.ClientSession(auto_decompress=False)

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._only_from_here], client_max_size=32 * 1024 * 1024)
        app.router.add_get("/", self._front)
        app.router.add_get("/open", self._open)
        app.router.add_get("/view", self._view)
        app.router.add_get("/favicon.ico", self._no_icon)
        app.router.add_get(f"{OWN_PATH}/state", self._state)
        app.router.add_post(f"{OWN_PATH}/restart", self._restart)
        app.router.add_post(f"{OWN_PATH}/skip", self._skip)
        app.router.add_get(f"{OWN_PATH}/{{file}}", self._file)
        app.router.add_route("*", "/{path:.*}", self._through)
        return app

    async def close(self) -> None:
        await self.http.close()

    @web.middleware
    async def _only_from_here(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Refuse other hosts' names (DNS rebinding) and other pages' posts."""
        hosts = {f"127.0.0.1:{self.port}", f"localhost:{self.port}"}
        origin = request.headers.get("Origin")
        if request.headers.get("Host") not in hosts:
            raise web.HTTPForbidden
        if origin is not None and origin.removeprefix("http://") not in hosts:
            raise web.HTTPForbidden
        return await handler(request)

    # ---------------------------------------------------------------- our pages

    def _say(self, request: web.Request) -> Say:
        preferred = request.headers.get("Accept-Language", "").split(",", 1)[0].split(";", 1)[0]
        return cast(Say, sayer(match(preferred)))

    def _whom(self, request: web.Request) -> int:
        given = request.query.get("person", "")
        if given.isascii() and given.isdecimal() and self.world.person(int(given)) is not None:
            return int(given)
        return self.world.people[0].id

    def _channel(self, channel_id: int, user_id: int) -> ChannelHandle | None:
        """The channel with this id, where that person can see it."""
        person = self.world.person(user_id)
        if person is None:
            return None
        places = [*self.world.channels(), person.dm_channel]
        return next((channel for channel in places if channel.id == channel_id), None)

    def _place(self, say: Say, channel: ChannelHandle, user_id: int, kind: str) -> dict[str, Any]:
        messages = self.world.messages(channel, user_id)
        last = messages[-1] if messages else None
        label = say("playground.direct") if kind == "direct" else str(channel.name)
        return {
            "id": str(channel.id),
            "kind": kind,
            "label": label,
            "count": say("playground.messages", n=len(messages)),
            "mark": f"{last.id}.{last.edited_timestamp or ''}" if last else "",
            "href": "/open?" + urlencode({"channel": channel.id, "person": user_id}),
        }

    def _standing(self, say: Say, user_id: int) -> dict[str, Any]:
        """What the front page and the bar show, as data."""
        person = self.world.person(user_id) or self.world.people[0]
        places = [
            self._place(say, channel, person.id, "thread" if channel.is_thread else "channel")
            for channel in self.world.channels()
        ]
        places.append(self._place(say, person.dm_channel, person.id, "direct"))
        ended = self.world.ended is None or self.world.ended.done()
        return {
            "world": self.world.id,
            "person": str(person.id),
            "people": [{"id": str(p.id), "name": p.global_name or p.name} for p in self.world.people],
            "places": places,
            "shown": "0" if ended else str(self.world.shown),
            "now": self.world.env.now().strftime("%Y-%m-%d %H:%M"),
            "changes": len(self.world.env.http_requests),
        }

    async def _state(self, request: web.Request) -> web.Response:
        return web.json_response(self._standing(self._say(request), self._whom(request)))

    async def _front(self, request: web.Request) -> web.Response:
        say = self._say(request)
        standing = self._standing(say, self._whom(request))

        def chip(person: dict[str, str]) -> str:
            current = ' aria-current="true"' if person["id"] == standing["person"] else ""
            return (
                f'<a class="chip" href="/?person={person["id"]}"{current}>{html.escape(person["name"])}</a>'
            )

        def row(place: dict[str, str]) -> str:
            safe = {name: html.escape(value) for name, value in place.items()}
            return (
                '<li class="{kind}"><a href="{href}" data-id="{id}" data-mark="{mark}">'
                '<span class="name">{label}</span><span class="count">{count}</span></a></li>'
            ).format_map(safe)

        def button(path: str, key: str) -> str:
            return (
                f'<form method="post" action="{OWN_PATH}/{path}"><input type="hidden" name="person" '
                f'value="{standing["person"]}"><button>{html.escape(say(key))}</button></form>'
            )

        page = resources.files("bot").joinpath("playground_page", "front.html").read_text("utf-8")
        filled = page
        for place, text in {
            "TITLE": say("playground.title"),
            "LEAD": say("playground.lead"),
            "WHO": say("playground.who"),
            "WHERE": say("playground.where"),
            "HINT": say("playground.hint"),
            "TIME": say("playground.time", now=standing["now"]),
            "SILENT": say("playground.silent"),
            "ANEW": say("playground.anew"),
            "WORLD": standing["world"],
        }.items():
            filled = filled.replace(f"[[{place}]]", html.escape(text))
        filled = filled.replace("[[PEOPLE]]", "".join(chip(person) for person in standing["people"]))
        filled = filled.replace("[[PLACES]]", "".join(row(place) for place in standing["places"]))
        filled = filled.replace(
            "[[BUTTONS]]",
            button("skip?hours=1", "playground.skip_hour")
            + button("skip?hours=24", "playground.skip_day")
            + button("restart", "playground.restart"),
        )
        return web.Response(text=filled, content_type="text/html")

    async def _file(self, request: web.Request) -> web.Response:
        name = request.match_info["file"]
        if name not in OWN_PARTS:
            raise web.HTTPNotFound
        text = resources.files("bot").joinpath("playground_page", name).read_text("utf-8")
        return web.Response(text=text, content_type=OWN_PARTS[name], headers={"Cache-Control": "no-store"})

    async def _no_icon(self, request: web.Request) -> web.Response:
        return web.Response(status=204)

    async def _back(self, request: web.Request) -> web.Response:
        form = await request.post()
        raise web.HTTPSeeOther("/?" + urlencode({"person": str(form.get("person", ""))}))

    async def _restart(self, request: web.Request) -> web.Response:
        await self.world.restart_bot()
        return await self._back(request)

    async def _skip(self, request: web.Request) -> web.Response:
        given = request.query.get("hours", "1")
        hours = int(given) if given in {"1", "24"} else 1
        await self.world.tick(timedelta(hours=hours).total_seconds())
        return await self._back(request)

    # ---------------------------------------------------------------- simcord's page

    async def _open(self, request: web.Request) -> web.Response:
        person = self._whom(request)
        given = request.query.get("channel", "")
        channel = self._channel(int(given), person) if given.isascii() and given.isdecimal() else None
        if channel is None:
            raise web.HTTPSeeOther(f"/?person={person}")
        secret = await self.world.show(channel, person)
        raise web.HTTPSeeOther("/view?" + urlencode({"channel": channel.id, "person": person}) + "#" + secret)

    async def _view(self, request: web.Request) -> web.Response:
        """simcord's page with our bar's script in its head (its policy allows scripts of this origin)."""
        if self.world.preview is None:
            raise web.HTTPSeeOther("/open?" + request.query_string)
        say = self._say(request)
        try:
            asked = await self.http.get(f"{self._preview()}/")
        except aiohttp.ClientConnectionError:  # simcord's page has a button that ends its Preview
            self.world.tabs = MOST_TABS
            raise web.HTTPSeeOther("/open?" + request.query_string) from None
        async with asked as answer:
            page = await answer.text()
            headers = {
                name: value
                for name, value in answer.headers.items()
                if name in {"Cache-Control", "Referrer-Policy", "X-Content-Type-Options", "X-Frame-Options"}
                or name == "Content-Security-Policy"
            }
        words = {name: say(f"playground.{name}") for name in WORDS}
        ours = (
            f'<link rel="stylesheet" href="{OWN_PATH}/page.css">'
            f'<meta name="parlour-words" content="{html.escape(json.dumps(words))}">'
            f'<script src="{OWN_PATH}/bar.js" defer></script>'
            f'<script src="{OWN_PATH}/newest.js" defer></script></head>'
        )
        return web.Response(text=page.replace("</head>", ours, 1), content_type="text/html", headers=headers)

    def _preview(self) -> str:
        return str(self.world.preview.url).partition("/#")[0]

    async def _through(self, request: web.Request) -> web.Response:
        """Pass a request on to simcord's page, with the host and origin it expects."""
        if self.world.preview is None:
            raise web.HTTPGone
        target = self._preview()
        headers = {
            name: value for name, value in request.headers.items() if name.lower() not in NOT_FORWARDED
        }
        if "Origin" in request.headers:
            headers["Origin"] = target
        body = await request.read()

        async def ask() -> web.Response:
            async with self.http.request(
                request.method, target + request.path_qs, headers=headers, data=body or None
            ) as answer:
                kept = {
                    name: value for name, value in answer.headers.items() if name.lower() not in NOT_RETURNED
                }
                return web.Response(status=answer.status, body=await answer.read(), headers=kept)

        try:
            if request.method == "GET":
                return await ask()
            async with self.world.turn:
                return await ask()
        except aiohttp.ClientConnectionError as error:  # the Preview was closed meanwhile
            raise web.HTTPGone from error


class Ticker:
    """Lets simcord's time run as the computer's does."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._last = asyncio.get_running_loop().time()

    async def tick(self) -> float:
        """Move simcord's clock on; seconds until the next time."""
        present = asyncio.get_running_loop().time()
        passed, self._last = present - self._last, present
        try:
            await self._world.tick(min(passed, LONGEST_TICK))
        except TimeoutError:  # the bot is still busy; what has passed counts, and the next tick goes on
            log.warning("simcord's clock could not be moved on in %s s: the bot is busy", SETTLE)
        return TICK


class PortTaken(Exception):
    """The page cannot be served at the port that was asked for; why, in the system's words."""


async def serve(settings: Settings, port: int, stop: asyncio.Event, ready: Callable[[int], None]) -> None:
    """Run the playground until `stop` is set. `ready` is told the port when the page can be opened.

    Raises PortTaken, SlowStart.
    """
    async with open_world(settings) as world:
        pages = Pages(world)
        runner = web.AppRunner(pages.app(), access_log=None)
        await runner.setup()
        try:
            site = web.TCPSite(runner, "127.0.0.1", port)
            try:
                await site.start()
            except OSError as error:
                raise PortTaken(error.strerror or str(error)) from error
            pages.port = int(runner.addresses[0][1])
            background = Background()
            background.spawn("ticker", Ticker(world).tick)
            ready(pages.port)
            try:
                await stop.wait()
            finally:
                await background.close(0.0)
        finally:
            await pages.close()
            await runner.cleanup()


def main(port: int = 0) -> int:
    """Serve the playground until Ctrl-C or SIGTERM. Exit code 0; 1 where the port is taken or the computer
    too busy; 2 where the data folder cannot be used or another playground uses it.

    Its world is new at every start, so the tables of the last one are deleted first.
    """
    from bot.simulated import SlowStart

    say = sayer("en")
    base = Settings()
    level = base.parlour_log_level
    logs.set_up("WARNING" if level == "INFO" else level)  # until the address stands there, to be seen
    folder = base.data_dir / "playground"
    lock = FileLock(folder)
    try:
        lock.take()
        private_files.make_folder(folder)
        for name in OWN_FILES:
            (folder / name).unlink(missing_ok=True)
    except StoreUnusable as error:
        sys.stderr.write(say(error.key, **error.data) + "\n")
        return 2
    except OSError as error:
        sys.stderr.write(
            say("playground.folder", folder=folder, why=error.strerror or type(error).__name__) + "\n"
        )
        return 2
    settings = base.model_copy(
        update={
            "data_dir": folder,
            "database_url": None,
            "discord_token": None,
            "parlour_sync_commands": True,
            "parlour_backups": "",  # of a world that is gone at the next start
        }
    )

    def ready(bound: int) -> None:
        sys.stdout.write(say("playground.ready", address=f"http://127.0.0.1:{bound}") + "\n")
        sys.stdout.flush()
        logs.set_up(level)

    async def run() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):  # Windows has no loop signal handlers
                loop.add_signal_handler(name, stop.set)
        await serve(settings, port, stop, ready)

    try:
        asyncio.run(run())
    except PortTaken as error:
        sys.stderr.write(say("playground.port_taken", port=port, why=error) + "\n")
        return 1
    except SlowStart:
        sys.stderr.write(say("playground.slow") + "\n")
        return 1
    except KeyboardInterrupt:
        return 0
    return 0
