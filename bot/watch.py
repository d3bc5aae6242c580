"""How this process fares, asked of itself; and the pages on loopback that tell it (`PARLOUR_HEALTH_PORT`).

`/livez` answers as long as the loop turns, `/readyz` while Discord is connected, `/healthz` tells all of it
and answers 503 where anything ails, `/metrics` is for Prometheus.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from aiohttp import web

from bot import backups, health
from bot.background import Background
from bot.settings import Settings
from bot.tables.ports import Backlog, Clock, Store, StoreTrouble

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
LOOKED = timedelta(minutes=1)  # how long what the store and the folder tell is good for
CATCHING_UP = timedelta(hours=1)  # after the start, in which a backup that is due is made
AGAIN = 30.0  # seconds until a port that is taken is tried again


class Watch:
    """backlog, newest_backup: as they were looked at last, a minute ago at most where anybody asks."""

    def __init__(self, settings: Settings, clock: Clock, background: Background) -> None:
        self._settings = settings
        self._clock = clock
        self._background = background
        self._began = clock.now()
        self._cut_off: dict[int | None, datetime] = {None: self._began}  # by shard; None: all there is
        self.never_connected = True
        self._looked: datetime | None = None
        self._store: Store | None = None
        self.backlog = Backlog()
        self.newest_backup: datetime | None = None

    def begin(self, store: Store) -> None:
        """From now on the store is asked."""
        self._store = store
        self._began = self._clock.now()

    def connected(self, now_is: bool, shard: int | None = None) -> None:
        """Told whenever a connection to Discord comes or goes, once for itself and once with its shard: so
        one that comes hides none that has gone."""
        if now_is:
            self._cut_off.pop(shard, None)
            self.never_connected = False
        else:
            self._cut_off.setdefault(shard, self._clock.now())

    @property
    def offline(self) -> float:
        """Seconds without Discord, of any shard of this process; 0 while all are connected."""
        first = min(self._cut_off.values(), default=None)
        return 0.0 if first is None else max(0.001, (self._clock.now() - first).total_seconds())

    async def health(self) -> health.Health:
        await self.look()
        now = self._clock.now()
        waits = {"unpainted": self.backlog.unpainted, "owed": self.backlog.owed}
        late: dict[str, float | None] = {
            name: waited
            for name, since in waits.items()
            if (waited := self.waited(since, now)) > health.LIMITS[name]
        }
        if self.backup_late:
            made = self.newest_backup
            late["backup"] = None if made is None else (now - made).total_seconds()
        return health.Health(self.offline, tuple(self._background.dead()), late)

    @property
    def backup_late(self) -> bool:
        """Whether the newest backup is too old for the schedule that is set, or there is none. Never where
        this process makes none, and not yet shortly after its start."""
        wanted = self._settings.backup_schedule if self._settings.makes_backups else None
        now = self._clock.now()
        if wanted is None or now - self._began <= CATCHING_UP:
            return False
        return backups.too_old(self.newest_backup, wanted, now)

    def waited(self, since: datetime | None, now: datetime) -> float:
        """Seconds that something has been waiting, of which this process could have done something."""
        return 0.0 if since is None else max(0.0, (now - max(since, self._began)).total_seconds())

    async def look(self) -> None:
        """Ask the store and the folder, unless that was done just now. A store in trouble, which its own log
        tells, and the work that needs it, is asked again the next time."""
        now = self._clock.now()
        if self._looked is not None and now - self._looked < LOOKED:
            return
        self._looked = now
        if self._store is not None:
            with suppress(StoreTrouble):
                self.backlog = await self._store.backlog(now)
        try:
            newest = await asyncio.to_thread(backups.newest_backup, self._settings.backup_folder, now)
        except OSError:  # who cannot look there cannot put any there
            newest = None
        self.newest_backup = None if newest is None else newest.made


class Pages:
    """The pages, and the job that puts them up. metrics: the text for Prometheus, and its content type."""

    def __init__(self, watch: Watch, port: int, metrics: Callable[[], tuple[bytes, str]]) -> None:
        self._watch = watch
        self._port = port
        self._metrics = metrics
        self._runner: web.AppRunner | None = None
        self._told = False

    async def open(self) -> float | None:
        """A job. Where another process has the port, as in an update where the old one goes in a moment, it
        is tried again."""
        runner = web.AppRunner(self.application(), access_log=None)
        await runner.setup()
        try:
            await web.TCPSite(runner, HOST, self._port).start()
        except OSError as error:
            await runner.cleanup()
            if not self._told:
                log.warning("port %s for the health pages cannot be opened: %s", self._port, error.strerror)
            self._told = True
            return AGAIN
        self._runner = runner
        return None

    async def close(self) -> None:
        """Twice does no harm."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    def application(self) -> web.Application:
        made = web.Application()
        made.router.add_get("/livez", self._live)
        made.router.add_get("/readyz", self._ready)
        made.router.add_get("/healthz", self._health)
        made.router.add_get("/metrics", self._numbers)
        return made

    async def _live(self, request: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    async def _ready(self, request: web.Request) -> web.Response:
        ready = self._watch.offline == 0
        return web.json_response({"ready": ready}, status=200 if ready else 503)

    async def _health(self, request: web.Request) -> web.Response:
        now = await self._watch.health()
        told = {
            "alive": True,
            "ready": now.ready,
            "working": now.working,
            "offline_seconds": round(now.offline),
            "dead": list(now.dead),
            "late_seconds": {name: None if late is None else round(late) for name, late in now.late.items()},
        }
        return web.json_response(told, status=200 if now.ready and now.working else 503)

    async def _numbers(self, request: web.Request) -> web.Response:
        await self._watch.look()
        body, kind = self._metrics()
        return web.Response(body=body, headers={"Content-Type": kind})
