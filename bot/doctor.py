"""What ails a host's bot: `parlour doctor`, and `/parlour status` from within the running bot.

Each check answers with findings: all is well, a warning, or a fault, and what to do. A check has a time of
its own and fails alone, so that none hides another. What a finding tells holds no secret: no token, no
address of a database, nothing of a table.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import os
import re
import shutil
import stat
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import IntEnum
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, TypeAlias, TypeVar

import aiohttp
import discord
from discord.http import Route

from bot import __version__, backups, health
from bot.discord_io import INVITED, DiscordIO, Failed
from bot.private_files import OTHERS, SCRATCH
from bot.registered import Commands, is_same, read_note
from bot.rules.game import Say
from bot.settings import Settings
from bot.storage import Look, look, probe
from bot.storage.wal import TOO_LONG
from bot.tables.ports import StoreUnusable

T = TypeVar("T")

DISCORD_SECONDS = 10.0  # for one question to Discord
MIB = 2**20
LITTLE, TOO_LITTLE = 1024 * MIB, 100 * MIB  # free disk
LONG_LOG, ENDLESS_LOG = TOO_LONG, 1024 * MIB  # of SQLite
SKEW, FAR = 5.0, 60.0  # seconds between our clock and Discord's
FEW_STARTS = 50  # connections left of Discord's daily thousand
OLD_BACKUP = timedelta(days=8)  # where no schedule says otherwise

MEMBERS = 1 << 14 | 1 << 15  # flags of an application: the privileged intents, of a small or a large bot
UNWANTED = {"presence": 1 << 12 | 1 << 13, "message_content": 1 << 18 | 1 << 19}
WORDS = {"latin": "Parlour", "arabic": "صالون", "cjk": "客廳"}
TOKEN = re.compile(r"([\w-]{18,})\.[\w-]{5,}\.[\w-]{25,}")


class Verdict(IntEnum):
    """The greater the worse."""

    OK = 0
    WARNING = 1
    FAULT = 2


@dataclass(frozen=True, slots=True)
class Finding:
    """check: which one. code: of the text `doctor.<check>.<code>`, or another text's key where it has a dot.
    values: the text's."""

    check: str
    verdict: Verdict
    code: str
    values: Mapping[str, object] = field(default_factory=dict)

    def text(self, say: Say) -> str:
        key = self.code if "." in self.code else f"doctor.{self.check}.{self.code}"
        return say(key, **self.values)

    def line(self, say: Say) -> str:
        verdict = say(f"doctor.{self.verdict.name.lower()}")
        return say(
            "doctor.line", verdict=verdict, check=say(f"doctor.check.{self.check}"), text=self.text(say)
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """What Discord said. status: of HTTP, 0 where nothing came back. why: then, in a word. skew: seconds that
    our clock is ahead of Discord's, to a second or so, where it told."""

    status: int
    body: Any = None
    why: str = ""
    skew: float | None = None


class Discord(Protocol):
    async def get(self, path: str, **params: str) -> Reply:
        """Ask Discord's API. Raises nothing."""


@dataclass(slots=True)
class Patient:
    """What is looked at. commands: makes those of this version, which may take a second. now: Unix seconds.
    inside: whether it is the bot that runs and has logged in, however it did."""

    settings: Settings
    discord: Discord
    commands: Callable[[], Awaitable[Commands]]
    now: Callable[[], float]
    inside: bool = False
    _application: asyncio.Task[Reply] | None = None

    async def application(self) -> Reply:
        """Of the token; asked once."""
        if self.settings.discord_token is None and not self.inside:
            return Reply(0)
        if self._application is None:
            self._application = asyncio.create_task(self.discord.get("/applications/@me"))
        return await asyncio.shield(self._application)


Found: TypeAlias = "Sequence[Finding]"
Check: TypeAlias = "Callable[[Patient], Awaitable[Found]]"


async def aside(work: Callable[[], T]) -> T:
    """A call that may hang (a disk, a network drive), in a thread that no end waits for."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def tell(set_it: Callable[[Any], None], what: Any) -> None:
        if not done.done():
            set_it(what)

    def run() -> None:
        try:
            result = work()
        except BaseException as error:
            told = partial(tell, done.set_exception, error)
        else:
            told = partial(tell, done.set_result, result)
        if not loop.is_closed():
            loop.call_soon_threadsafe(told)

    threading.Thread(target=run, name="doctor", daemon=True).start()
    return await done


# ------------------------------------------------------------------------------------- Discord's side


async def _token(patient: Patient) -> Found:
    def found(verdict: Verdict, code: str, **values: object) -> Found:
        return [Finding("token", verdict, code, values)]

    given = patient.settings.discord_token
    if given is None and not patient.inside:
        return found(Verdict.FAULT, "none")
    token = "" if given is None else given.get_secret_value()
    if not re.fullmatch(r"[!-~]*", token):
        return found(Verdict.FAULT, "characters")
    reply = await patient.discord.get("/users/@me")
    if reply.status == 200:
        return found(Verdict.OK, "accepted", name=str(reply.body.get("username", "")))
    if reply.status == 401:
        return found(Verdict.FAULT, "refused" if _looks_right(token) else "shape")
    if not patient.inside and not _looks_right(token):
        return found(Verdict.FAULT, "shape")
    return found(Verdict.FAULT, "unreachable", why=reply.why or reply.status)


def _looks_right(token: str) -> bool:
    """Whether it has a token's three parts, the first of them an id."""
    shape = TOKEN.fullmatch(token)
    if shape is None:
        return False
    try:
        first = base64.urlsafe_b64decode(shape[1] + "=" * (-len(shape[1]) % 4))
    except binascii.Error:
        return False
    return first.isdigit()


async def _intents(patient: Patient) -> Found:
    reply = await patient.application()
    if reply.status != 200:
        return [Finding("intents", Verdict.WARNING, "doctor.not_asked")]
    flags = int(reply.body.get("flags") or 0)
    wanted, have = patient.settings.parlour_members_intent, bool(flags & MEMBERS)
    if wanted and not have:
        return [Finding("intents", Verdict.FAULT, "members_off")]
    surplus = [name for name, bits in UNWANTED.items() if flags & bits]
    if surplus:
        return [Finding("intents", Verdict.WARNING, f"surplus_{name}") for name in surplus]
    return [Finding("intents", Verdict.OK, "members" if wanted else "unused" if have else "none")]


async def _commands(patient: Patient) -> Found:
    def found(verdict: Verdict, code: str, **values: object) -> Found:
        return [Finding("commands", verdict, code, values)]

    reply = await patient.application()
    if reply.status != 200:
        return found(Verdict.WARNING, "doctor.not_asked")
    application = int(reply.body["id"])
    there = await patient.discord.get(f"/applications/{application}/commands", with_localizations="true")
    if there.status != 200:
        return found(Verdict.WARNING, "doctor.not_asked")
    ours = await patient.commands()
    unsynced = "" if patient.settings.parlour_sync_commands else "_unsynced"
    names = {str(one["name"]) for one in there.body if one.get("type", 1) == 1}
    if names != ours.names:
        told = ", ".join(f"/{name}" for name in sorted(names ^ ours.names))
        return found(Verdict.WARNING, f"differ{unsynced}", names=told)
    # Where Discord has refused a translation what it has differs, and the note tells that it is all it takes.
    note = await aside(partial(read_note, patient.settings.data_dir))
    if note != ours.mark(application) and not is_same(there.body, ours.payload):
        return found(Verdict.WARNING, f"behind{unsynced}")
    return found(Verdict.OK, "same", n=len(names))


async def _invite(patient: Patient) -> Found:
    reply = await patient.application()
    if reply.status != 200:
        return [Finding("invite", Verdict.WARNING, "doctor.not_asked")]
    address = discord.utils.oauth_url(
        int(reply.body["id"]), permissions=INVITED, scopes=("bot", "applications.commands")
    )
    found = [Finding("invite", Verdict.OK, "address", {"address": address})]
    if not reply.body.get("bot_public", True):
        found.append(Finding("invite", Verdict.WARNING, "not_public"))
    if reply.body.get("bot_require_code_grant", False):
        found.append(Finding("invite", Verdict.FAULT, "code_grant"))
    kinds = reply.body.get("integration_types_config") or {}
    if kinds and not {"0", "1"} <= kinds.keys():
        found.append(Finding("invite", Verdict.WARNING, "one_kind"))
    usual = (kinds.get("0") or {}).get("oauth2_install_params") or {}
    if usual and int(usual.get("permissions", 0)) != INVITED.value:
        found.append(Finding("invite", Verdict.WARNING, "other", {"permissions": INVITED.value}))
    return found


async def _gateway(patient: Patient) -> Found:
    if patient.settings.discord_token is None and not patient.inside:
        return [Finding("gateway", Verdict.WARNING, "doctor.not_asked")]
    reply = await patient.discord.get("/gateway/bot")
    if reply.status != 200:
        return [Finding("gateway", Verdict.WARNING, "doctor.not_asked")]
    limit = reply.body.get("session_start_limit") or {}
    left, advised = int(limit.get("remaining", FEW_STARTS)), int(reply.body.get("shards", 1))
    values = {"left": left, "advised": advised, "count": patient.settings.shard_count or 1}
    if left < FEW_STARTS:
        hours = round(int(limit.get("reset_after", 0)) / 3_600_000)
        return [Finding("gateway", Verdict.WARNING, "few_starts", values | {"hours": hours})]
    if values["count"] < advised:
        return [Finding("gateway", Verdict.WARNING, "few_shards", values)]
    return [Finding("gateway", Verdict.OK, "enough", values)]


async def _clock(patient: Patient) -> Found:
    reply = await patient.discord.get("/gateway")
    if reply.skew is None:
        return [Finding("clock", Verdict.WARNING, "doctor.not_asked")]
    off = abs(reply.skew)
    verdict = Verdict.FAULT if off > FAR else Verdict.WARNING if off > SKEW else Verdict.OK
    code = "right" if verdict is Verdict.OK else "fast" if reply.skew > 0 else "slow"
    return [Finding("clock", verdict, code, {"seconds": round(off)})]


# ------------------------------------------------------------------------------------- this computer


async def _folder(patient: Patient) -> Found:
    return await aside(partial(_look_at_folder, patient.settings.data_dir))


def _look_at_folder(folder: Path) -> Found:
    def found(verdict: Verdict, code: str, **values: object) -> Finding:
        return Finding("folder", verdict, code, {"folder": str(folder), **values})

    if not os.path.lexists(folder):
        above = next(one for one in folder.absolute().parents if one.exists())
        if not os.access(above, os.W_OK | os.X_OK) or not _takes_folders(above):
            return [found(Verdict.FAULT, "unmakeable", above=str(above))]
        return [found(Verdict.WARNING, "missing")]
    if not folder.is_dir():
        return [found(Verdict.FAULT, "no_folder")]
    status = folder.stat()
    foreign = hasattr(os, "geteuid") and status.st_uid != os.geteuid()
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        unreadable = status.st_mode & stat.S_IRWXU != stat.S_IRWXU
        return [found(Verdict.FAULT, "locked" if unreadable and not foreign else "closed")]
    if foreign:
        return [found(Verdict.WARNING, "foreign", owner=status.st_uid, we=os.geteuid())]
    if os.name == "posix" and status.st_mode & OTHERS:
        return [found(Verdict.WARNING, "open", mode=f"{status.st_mode & 0o777:04o}")]
    return [found(Verdict.OK, "ours")]


def _takes_folders(above: Path) -> bool:
    """Tried, since what one may do there does not tell: in /proc nobody can make one."""
    try:
        with TemporaryDirectory(prefix=SCRATCH, dir=above):
            return True
    except OSError:
        return False


async def _disk(patient: Patient) -> Found:
    def free(folder: Path) -> int:
        there = next(one for one in (folder.absolute(), *folder.absolute().parents) if one.exists())
        return shutil.disk_usage(there).free

    left = await aside(partial(free, patient.settings.data_dir))
    verdict = Verdict.FAULT if left < TOO_LITTLE else Verdict.WARNING if left < LITTLE else Verdict.OK
    return [Finding("disk", verdict, "enough" if verdict is Verdict.OK else "little", {"mb": left // MIB})]


async def _database(patient: Patient) -> Found:
    try:
        seen = await look(patient.settings.database)
    except StoreUnusable as error:
        return [Finding("database", Verdict.FAULT, error.key, error.data)]
    return [_schema(seen), *_log(seen)]


def _schema(seen: Look) -> Finding:
    if not seen.there:
        return Finding("database", Verdict.WARNING, "none")
    if seen.missing:
        return Finding("database", Verdict.WARNING, "behind", {"n": seen.missing})
    if seen.file is None:
        return Finding("database", Verdict.OK, "reached", {"kind": seen.kind})
    return Finding("database", Verdict.OK, "fine", {"mb": round(seen.size / MIB, 1)})


def _log(seen: Look) -> Found:
    """SQLite's alone."""
    if seen.file is None or not seen.there:
        return []
    verdict = Verdict.OK
    if seen.log > LONG_LOG:
        verdict = Verdict.FAULT if seen.log > ENDLESS_LOG else Verdict.WARNING
    code = "short" if verdict is Verdict.OK else "long"
    return [Finding("log", verdict, code, {"mb": round(seen.log / MIB, 1)})]


async def _beat(patient: Patient) -> Found:
    """Whether a bot runs here, and how it fares."""
    folder = patient.settings.data_dir
    well, key, values = await aside(partial(health.told, folder, patient.now()))
    return [Finding("bot", Verdict.OK if well else Verdict.WARNING, key, values)]


async def _backup(patient: Patient) -> Found:
    settings, now = patient.settings, datetime.fromtimestamp(patient.now(), UTC)
    newest = await aside(partial(backups.newest_backup, settings.backup_folder, now))
    if settings.backup_schedule is not None and not settings.makes_backups:
        return [Finding("backup", Verdict.OK, "elsewhere")]
    wanted = settings.backup_schedule
    if newest is None:
        return [Finding("backup", Verdict.WARNING, "none" if wanted is None else "none_yet")]
    age = max(timedelta(), now - newest.made)
    values = {"at": newest.made.strftime("%Y-%m-%d %H:%M UTC"), "days": age.days}
    if backups.too_old(newest.made, wanted, now) if wanted is not None else age > OLD_BACKUP:
        return [Finding("backup", Verdict.WARNING, "old", values)]
    return [Finding("backup", Verdict.OK, "there", values)]


async def _fonts(patient: Patient) -> Found:
    return await aside(_draw)


def _draw() -> Found:
    from PIL import features

    from rendering import fonts

    found: list[Finding] = []
    boxes = {name for name, word in WORDS.items() if fonts.boxes(word)}
    empty = {name for name, word in WORDS.items() if fonts.line(word, 40).mask.getbbox() is None}
    if broken := sorted((boxes | empty) - {"cjk"}):
        found.append(Finding("fonts", Verdict.FAULT, "broken", {"scripts": ", ".join(broken)}))
    if "cjk" in boxes | empty:
        found.append(Finding("fonts", Verdict.WARNING, "no_cjk"))
    if not features.check("raqm"):
        found.append(Finding("fonts", Verdict.WARNING, "no_shaping"))
    return found or [Finding("fonts", Verdict.OK, "all")]


# ------------------------------------------------------------------------------------- all of them

CHECKS: dict[str, tuple[Check, float]] = {  # in the order they are told; the seconds each may take
    "token": (_token, DISCORD_SECONDS),
    "intents": (_intents, DISCORD_SECONDS),
    "commands": (_commands, 3 * DISCORD_SECONDS),
    "invite": (_invite, DISCORD_SECONDS),
    "gateway": (_gateway, DISCORD_SECONDS),
    "clock": (_clock, DISCORD_SECONDS),
    "folder": (_folder, 5.0),
    "disk": (_disk, 5.0),
    "database": (_database, 15.0),
    "backup": (_backup, 5.0),
    "bot": (_beat, 5.0),
    "fonts": (_fonts, 20.0),
}


async def examine(patient: Patient, checks: Mapping[str, tuple[Check, float]] = CHECKS) -> list[Finding]:
    """All findings, in the order of the checks. Raises nothing of theirs."""

    async def one(name: str, check: Check, seconds: float) -> Found:
        try:
            async with asyncio.timeout(seconds):
                with probe.told(patient.settings.data_dir):
                    return await check(patient)
        except TimeoutError:
            return [Finding(name, Verdict.WARNING, "doctor.late", {"seconds": round(seconds)})]
        except StoreUnusable as refused:
            return [Finding(name, Verdict.FAULT, refused.key, refused.data)]
        except Exception as error:  # its words may hold anything
            return [Finding(name, Verdict.FAULT, "doctor.broke", {"why": type(error).__name__})]

    found = await asyncio.gather(*(one(name, *check) for name, check in checks.items()))
    return [finding for some in found for finding in some]


def worst(findings: Sequence[Finding]) -> Verdict:
    return max((finding.verdict for finding in findings), default=Verdict.OK)


def as_json(findings: Sequence[Finding], say: Say) -> dict[str, object]:
    """For scripts: what each check found, by code, with its text."""
    return {
        "format": "parlour-doctor/1",
        "verdict": worst(findings).name.lower(),
        "findings": [
            {
                "check": finding.check,
                "verdict": finding.verdict.name.lower(),
                "code": finding.code,
                "text": finding.text(say),
            }
            for finding in findings
        ],
    }


# ------------------------------------------------------------------------------------- from outside the bot


class OverHttp:
    """Discord, asked with the token alone: a question each, none of them repeated."""

    def __init__(self, session: aiohttp.ClientSession, token: str | None, now: Callable[[], float]) -> None:
        self._session, self._now = session, now
        self._headers = {"User-Agent": f"DiscordBot (parlour, {__version__})"}
        if token is not None:
            self._headers["Authorization"] = f"Bot {token}"

    async def get(self, path: str, **params: str) -> Reply:
        try:
            async with self._session.get(Route.BASE + path, params=params, headers=self._headers) as response:
                date = response.headers.get("Date", "")
                skew = self._skew(date)
                body = await response.json() if response.status == 200 else None
                return Reply(response.status, body, skew=skew)
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            return Reply(0, why=type(error).__name__)

    def _skew(self, date: str) -> float | None:
        try:
            told = parsedate_to_datetime(date)
        except ValueError:
            return None
        # It tells whole seconds, and took a while to come.
        return self._now() - told.timestamp() - 0.5


class ThroughBot:
    """Discord, asked by the bot that runs, through its own door."""

    def __init__(self, io: DiscordIO, now: Callable[[], float]) -> None:
        self._io, self._now = io, now

    async def get(self, path: str, **params: str) -> Reply:
        result = await self._io.ask(path, **params)
        told = self._io.told_time()
        skew = None if told is None else self._now() - told.timestamp()
        if isinstance(result, Failed):
            return Reply(0, why=result.why.value, skew=skew)
        return Reply(200, result.value, skew=skew)


async def visit(settings: Settings, commands: Callable[[], Awaitable[Commands]]) -> list[Finding]:
    """Look at a bot from outside, whether or not it runs."""
    token = settings.discord_token
    timeout = aiohttp.ClientTimeout(total=DISCORD_SECONDS * 0.9)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        asked = OverHttp(session, token.get_secret_value() if token else None, time.time)
        return await examine(Patient(settings, asked, commands, time.time))
