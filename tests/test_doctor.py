"""The doctor: what each check finds, that none hides another, and that no secret is told."""

from __future__ import annotations

import asyncio
import base64
import errno
import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import discord
import pytest
from discord.http import Route
from pydantic import SecretStr

from bot import backups, cli, doctor, health, registered
from bot.client import SystemClock
from bot.discord_io import DiscordIO, Done, Failed, Why
from bot.doctor import CHECKS, Finding, Patient, Reply, Verdict, examine, worst
from bot.locale import LANGUAGES, keys, sayer
from bot.settings import Settings
from bot.storage import Look, migrate
from cogs.admin import status_page
from rendering import fonts
from tests.cogs.sim import Sim, answer
from tests.cogs.test_damaged import manager
from tests.discord.driver import World
from tests.storage.test_probe import ROOT, WITHOUT_OVERRIDE, as_root, give
from tests.wire.wire_server import running_server

NOW = 1_800_000_000.0
APPLICATION = 1000
RIGHT = f"{base64.b64encode(b'123456789012345678').decode().rstrip('=')}.Gabcde.{'x' * 38}"
OURS = registered.Commands([{"name": "games"}, {"name": "zatre"}])
HEALTHY: Mapping[str, Any] = {
    "/users/@me": {"username": "Parlour"},
    "/applications/@me": {
        "id": str(APPLICATION),
        "flags": 0,
        "bot_public": True,
        "bot_require_code_grant": False,
        "integration_types_config": {"0": {}, "1": {}},
    },
    f"/applications/{APPLICATION}/commands": [{"name": "games", "type": 1}, {"name": "zatre", "type": 1}],
    "/gateway": {"url": "wss://gateway"},
    "/gateway/bot": {"shards": 2, "session_start_limit": {"remaining": 900, "reset_after": 7_200_000}},
}


class FakeDiscord:
    """Answers by path; an int is the status of a refusal, None is no answer."""

    def __init__(self, skew: float = 0.0, /, **changed: Any) -> None:
        self.answers = {**HEALTHY, **changed}
        self.skew = skew
        self.asked: list[str] = []

    def application(self, **fields: Any) -> FakeDiscord:
        self.answers["/applications/@me"] = {**HEALTHY["/applications/@me"], **fields}
        return self

    async def get(self, path: str, **params: str) -> Reply:
        self.asked.append(path)
        answer = self.answers[path]
        if answer is None:
            return Reply(0, why="ClientConnectorError")
        if isinstance(answer, int):
            return Reply(answer, skew=self.skew)
        return Reply(200, answer, skew=self.skew)


def patient(folder: Path, discord: FakeDiscord | None = None, token: str = RIGHT, **set_: Any) -> Patient:
    settings = Settings(_env_file=None, data_dir=folder, discord_token=SecretStr(token), **set_)  # type: ignore[call-arg]
    if not token:
        settings = settings.model_copy(update={"discord_token": None})

    async def commands() -> registered.Commands:
        return OURS

    return Patient(settings, discord or FakeDiscord(), commands, lambda: NOW)


async def codes(name: str, who: Patient) -> list[tuple[str, Verdict]]:
    found = await examine(who, {name: CHECKS[name]})
    for finding in found:
        for language in LANGUAGES:
            assert finding.line(sayer(language))
    return [(finding.code, finding.verdict) for finding in found]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "data"
    made.mkdir(mode=0o700)
    return made


# ------------------------------------------------------------------------------------- Discord's side


@pytest.mark.parametrize(
    ("token", "answer", "code"),
    [
        (RIGHT, HEALTHY["/users/@me"], "accepted"),
        ("", HEALTHY["/users/@me"], "none"),
        (f'"{RIGHT}"', 401, "shape"),
        (f"{RIGHT} ", 401, "characters"),
        ("a" * 32, 401, "shape"),
        (RIGHT, 401, "refused"),
        (RIGHT, None, "unreachable"),
        (RIGHT, 503, "unreachable"),
        ("a" * 32, None, "shape"),
    ],
)
async def test_the_token_is_held_against_its_shape_and_against_discord(
    token: str, answer: Any, code: str, folder: Path
) -> None:
    who = patient(folder, FakeDiscord(**{"/users/@me": answer}), token)
    verdict = Verdict.OK if code == "accepted" else Verdict.FAULT
    assert await codes("token", who) == [(code, verdict)]


@pytest.mark.parametrize(
    ("flags", "wanted", "code", "verdict"),
    [
        (0, False, "none", Verdict.OK),
        (1 << 15, True, "members", Verdict.OK),
        (1 << 14, True, "members", Verdict.OK),
        (1 << 15, False, "unused", Verdict.OK),
        (0, True, "members_off", Verdict.FAULT),
        (1 << 13, False, "surplus_presence", Verdict.WARNING),
        (1 << 19, False, "surplus_message_content", Verdict.WARNING),
    ],
)
async def test_intents_are_those_that_the_settings_ask_for(
    flags: int, wanted: bool, code: str, verdict: Verdict, folder: Path
) -> None:
    who = patient(folder, FakeDiscord().application(flags=flags), parlour_members_intent=wanted)
    assert await codes("intents", who) == [(code, verdict)]


@pytest.mark.parametrize("synced", [True, False])
async def test_commands_are_in_sync_where_names_and_words_are(synced: bool, folder: Path) -> None:
    ending = "" if synced else "_unsynced"

    def who_has(*there: Any) -> Patient:
        discord = FakeDiscord(**{f"/applications/{APPLICATION}/commands": there})
        return patient(folder, discord, parlour_sync_commands=synced)

    same = {"name": "zatre", "type": 1, "id": "77", "version": "78"}
    assert await codes("commands", who_has({"name": "games"}, same)) == [("same", Verdict.OK)]
    who = who_has({"name": "games", "description": "Other words"}, same)
    assert await codes("commands", who) == [(f"behind{ending}", Verdict.WARNING)]
    registered.write_note(folder, OURS.mark(APPLICATION + 1))  # another application's
    assert await codes("commands", who) == [(f"behind{ending}", Verdict.WARNING)]
    registered.write_note(folder, OURS.mark(APPLICATION))  # all that Discord takes
    assert await codes("commands", who) == [("same", Verdict.OK)]
    who = who_has({"name": "ping", "type": 1})
    assert await codes("commands", who) == [(f"differ{ending}", Verdict.WARNING)]
    [finding] = await examine(who, {"commands": CHECKS["commands"]})
    assert finding.values["names"] == "/games, /ping, /zatre"


async def test_the_invitation_has_the_readmes_permissions(folder: Path) -> None:
    [finding] = await examine(patient(folder), {"invite": CHECKS["invite"]})
    readme = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    address = str(finding.values["address"])
    assert address.replace(str(APPLICATION), "APPLICATION_ID") in readme
    params = {"scopes": ["bot"], "permissions": "8"}
    odd = FakeDiscord().application(
        bot_public=False,
        bot_require_code_grant=True,
        integration_types_config={"0": {"oauth2_install_params": params}},
    )
    assert await codes("invite", patient(folder, odd)) == [
        ("address", Verdict.OK),
        ("not_public", Verdict.WARNING),
        ("code_grant", Verdict.FAULT),
        ("one_kind", Verdict.WARNING),
        ("other", Verdict.WARNING),
    ]


@pytest.mark.parametrize(
    ("left", "count", "code", "verdict"),
    [
        (900, None, "few_shards", Verdict.WARNING),
        (900, 2, "enough", Verdict.OK),
        (900, 1, "few_shards", Verdict.WARNING),
        (3, None, "few_starts", Verdict.WARNING),
    ],
)
async def test_discord_tells_how_many_shards_it_advises_and_how_often_one_may_connect(
    left: int, count: int | None, code: str, verdict: Verdict, folder: Path
) -> None:
    limit = {"remaining": left, "reset_after": 7_200_000}
    discord = FakeDiscord(**{"/gateway/bot": {"shards": 2, "session_start_limit": limit}})
    assert await codes("gateway", patient(folder, discord, shard_count=count)) == [(code, verdict)]


@pytest.mark.parametrize(
    ("skew", "code", "verdict"),
    [
        (1.0, "right", Verdict.OK),
        (-4.9, "right", Verdict.OK),
        (6.0, "fast", Verdict.WARNING),
        (-30.0, "slow", Verdict.WARNING),
        (-3600.0, "slow", Verdict.FAULT),
    ],
)
async def test_the_clock_is_held_against_discords(
    skew: float, code: str, verdict: Verdict, folder: Path
) -> None:
    """Without a token too: this question needs none."""
    assert await codes("clock", patient(folder, FakeDiscord(skew), "")) == [(code, verdict)]


async def test_without_a_token_discord_is_asked_nothing_that_needs_one(folder: Path) -> None:
    discord = FakeDiscord()
    found = await examine(patient(folder, discord, ""))
    assert discord.asked == ["/gateway"]
    assert [one.code for one in found if one.check in {"intents", "commands", "invite", "gateway"}] == [
        "doctor.not_asked"
    ] * 4


# ------------------------------------------------------------------------------------- this computer


async def test_a_folder_that_is_not_there_yet_closed_or_open_to_others(tmp_path: Path, folder: Path) -> None:
    assert await codes("folder", patient(folder)) == [("ours", Verdict.OK)]
    assert await codes("folder", patient(tmp_path / "a" / "b")) == [("missing", Verdict.WARNING)]
    folder.chmod(0o755)  # noqa: ASYNC240
    assert await codes("folder", patient(folder)) == [("open", Verdict.WARNING)]
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "unmounted")
    for name in ("file", "link"):
        assert await codes("folder", patient(tmp_path / name)) == [("no_folder", Verdict.FAULT)]


async def test_a_folder_of_somebody_else(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    assert await codes("folder", patient(folder)) == [("foreign", Verdict.WARNING)]
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert await codes("folder", patient(folder)) == [("closed", Verdict.FAULT)]
    assert await codes("folder", patient(folder / "new")) == [("unmakeable", Verdict.FAULT)]


async def test_a_folder_of_ones_own_that_one_may_not_write(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert await codes("folder", patient(folder)) == [("closed", Verdict.FAULT)]  # mounted so
    folder.chmod(0o500)  # noqa: ASYNC240
    assert await codes("folder", patient(folder)) == [("locked", Verdict.FAULT)]


async def test_a_folder_that_the_start_could_not_make_either(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Among the system's own, as in /proc, none can be made whatever one may do there."""

    def refused(path: str, *_: object) -> None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    new = folder / "new"
    assert await codes("folder", patient(new)) == [("missing", Verdict.WARNING)]
    assert list(folder.iterdir()) == [], "nothing is left behind"  # noqa: ASYNC240
    monkeypatch.setattr(os, "mkdir", refused)
    assert await codes("folder", patient(new)) == [("unmakeable", Verdict.FAULT)]


@pytest.mark.parametrize(
    ("mb", "code", "verdict"),
    [(2000, "enough", Verdict.OK), (500, "little", Verdict.WARNING), (50, "little", Verdict.FAULT)],
)
async def test_the_free_disk_is_told(
    mb: int, code: str, verdict: Verdict, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage:
        free = mb * 2**20

    monkeypatch.setattr("shutil.disk_usage", lambda path: Usage)
    assert await codes("disk", patient(folder / "not" / "yet")) == [(code, verdict)]


async def test_the_database_is_looked_at_without_its_lock(folder: Path) -> None:
    assert await codes("database", patient(folder)) == [("none", Verdict.WARNING)]
    who = patient(folder)
    await asyncio.to_thread(migrate, who.settings)
    assert await codes("database", who) == [("fine", Verdict.OK), ("short", Verdict.OK)]
    with closing(sqlite3.connect(folder / "parlour.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
        connection.commit()
    assert (await codes("database", who))[0] == ("behind", Verdict.WARNING)


async def test_a_file_beside_the_database_that_may_not_be_written_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    who, may = patient(folder), os.access
    await asyncio.to_thread(migrate, who.settings)
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith(".lock") and may(path, mode))
    [(code, verdict)] = await codes("database", who)
    assert code in {"tables.store_no_right", "tables.store_not_ours"}
    assert verdict is Verdict.FAULT


@pytest.mark.parametrize(("mb", "verdict"), [(1, Verdict.OK), (65, Verdict.WARNING), (1025, Verdict.FAULT)])
async def test_a_long_write_ahead_log_is_told(mb: int, verdict: Verdict) -> None:
    seen = Look("sqlite", True, 0, Path("parlour.db"), 2**20, mb * 2**20)
    assert [finding.verdict for finding in doctor._log(seen)] == [verdict]
    assert doctor._log(Look("postgresql", True, 0)) == []


async def test_a_database_that_cannot_be_reached_is_told_without_its_address(folder: Path) -> None:
    address = SecretStr("postgresql://me:hunter2@127.0.0.1:1/nothing")
    who = patient(folder, database_url=address)
    [finding] = await examine(who, {"database": CHECKS["database"]})
    assert finding.verdict is Verdict.FAULT
    assert "hunter2" not in finding.line(sayer("en")) + repr(finding)


@as_root
@pytest.mark.long
def test_a_folder_of_somebody_else_is_told_as_that_by_every_check(folder: Path) -> None:
    (folder / "parlour.db").write_bytes(b"SQLite format 3\0")
    (folder / "backups").mkdir(mode=0o700)
    for data in (folder, folder / "deeper"):
        give(folder / "parlour.db", folder / "backups", folder)
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DATA_DIR": str(data)}
        done = subprocess.run(
            [*WITHOUT_OVERRIDE, sys.executable, "-m", "bot", "doctor", "--json"],
            cwd="/", env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 1, done.stderr
        found = {one["check"]: one["text"] for one in json.loads(done.stdout)["findings"]}
        assert not [text for text in found.values() if "report it" in text]
        for check in ("database", "backup"):
            assert "which belongs to nobody: give it to root (chown -R root" in found[check]


async def test_what_may_not_be_read_is_no_fault_of_the_check(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(asked: Callable[[Path], bool]) -> Callable[[Path], bool]:
        def refused(path: Path) -> bool:
            if path.parent == folder:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return asked(path)

        return refused

    for name in ("exists", "is_dir"):
        monkeypatch.setattr(Path, name, refusing(getattr(Path, name)))
    for check in ("database", "backup"):
        [(code, verdict)] = await codes(check, patient(folder))
        assert (code, verdict) == ("tables.store_no_right", Verdict.FAULT)


@pytest.mark.parametrize(
    ("error", "key"),
    [
        (PermissionError(errno.EACCES, "no"), "tables.store_no_right"),
        (PermissionError(errno.EACCES, "no", 7), "tables.store_no_right"),  # a file by its number
        (PermissionError(), "tables.store_no_right"),
        (OSError(errno.EROFS, "no"), "tables.store_mounted_read_only"),
        (NotADirectoryError(errno.ENOTDIR, "no"), "tables.store_no_folder"),
        (OSError(errno.EIO, "no"), "doctor.broke"),
    ],
)
async def test_what_a_check_is_refused_without_a_name_is_about_the_data_folder(
    folder: Path, error: OSError, key: str
) -> None:
    async def refused(_: Patient) -> list[Finding]:
        raise error

    [finding] = await examine(patient(folder), {"backup": (refused, 5.0)})
    assert (finding.code, finding.verdict) == (key, Verdict.FAULT)
    if key != "doctor.broke":
        assert str(folder) in finding.line(sayer("en"))


async def test_the_newest_backup_is_told_by_its_age(folder: Path) -> None:
    def made(days: float) -> None:
        when = datetime.fromtimestamp(NOW, UTC) - timedelta(days=days)
        (folder / "backups" / backups.name(when)).touch()

    assert await codes("backup", patient(folder)) == [("none", Verdict.WARNING)]
    daily: dict[str, Any] = {"parlour_backups": "daily:7"}
    other: dict[str, Any] = {"shard_count": 2, "shard_ids": (1,)}  # the process of another shard makes none
    assert await codes("backup", patient(folder, **daily, **other)) == [("elsewhere", Verdict.OK)]
    assert await codes("backup", patient(folder, **daily)) == [("none_yet", Verdict.WARNING)]
    (folder / "backups").mkdir()
    made(20)
    assert await codes("backup", patient(folder)) == [("old", Verdict.WARNING)]
    made(3)
    assert await codes("backup", patient(folder)) == [("there", Verdict.OK)]
    assert await codes("backup", patient(folder, **daily)) == [("old", Verdict.WARNING)]
    made(1)
    assert await codes("backup", patient(folder, **daily)) == [("there", Verdict.OK)]


async def test_a_bot_that_runs_here_is_told_by_its_beat(folder: Path) -> None:
    assert await codes("bot", patient(folder)) == [("health.none", Verdict.WARNING)]
    health.leave_beat(folder, NOW - 10)
    assert await codes("bot", patient(folder)) == [("health.fresh", Verdict.OK)]
    health.leave_beat(folder, NOW - 10, health.Health(dead=("clock",)))
    assert await codes("bot", patient(folder)) == [("health.dead", Verdict.WARNING)]


async def test_fonts_are_tried_by_drawing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def boxes(*scripts: str) -> None:
        missing = {doctor.WORDS[script] for script in scripts}
        monkeypatch.setattr(fonts, "boxes", lambda word: word in missing)

    boxes()
    assert await codes("fonts", patient(folder)) == [("all", Verdict.OK)]
    boxes("cjk")
    assert await codes("fonts", patient(folder)) == [("no_cjk", Verdict.WARNING)]
    boxes("arabic", "cjk")
    assert await codes("fonts", patient(folder)) == [
        ("broken", Verdict.FAULT), ("no_cjk", Verdict.WARNING),
    ]  # fmt: skip
    boxes()
    monkeypatch.setattr("PIL.features.check", lambda name: False)
    assert await codes("fonts", patient(folder)) == [("no_shaping", Verdict.WARNING)]


def test_every_word_is_tried_with_letters_of_its_script() -> None:
    assert fonts.boxes(doctor.WORDS["latin"]) == fonts.boxes(doctor.WORDS["arabic"]) == 0
    assert fonts.boxes("\U000e0fff\ufdd0") > 0


# ------------------------------------------------------------------------------------- all of them


async def test_a_check_that_fails_or_hangs_hides_no_other(folder: Path) -> None:
    async def broken(who: Patient) -> list[Finding]:
        raise RuntimeError("hunter2")

    async def hangs(who: Patient) -> list[Finding]:
        await asyncio.get_running_loop().create_future()
        return []

    found = await examine(
        patient(folder), {"token": (broken, 1.0), "disk": (hangs, 0.01), "folder": CHECKS["folder"]}
    )
    assert [(one.check, one.code, one.verdict) for one in found] == [
        ("token", "doctor.broke", Verdict.FAULT),
        ("disk", "doctor.late", Verdict.WARNING),
        ("folder", "ours", Verdict.OK),
    ]
    assert "hunter2" not in " ".join(one.line(sayer("en")) for one in found)


async def test_a_disk_that_hangs_holds_no_end(folder: Path) -> None:
    held = threading.Event()

    async def hangs(who: Patient) -> list[Finding]:
        await doctor.aside(held.wait)
        return []

    found = await examine(patient(folder), {"disk": (hangs, 0.01)})
    assert [one.code for one in found] == ["doctor.late"]
    assert all(one.daemon for one in threading.enumerate() if one.name == "doctor")
    held.set()


def test_the_worst_decides() -> None:
    made = [Finding("disk", verdict, "little", {"mb": 1}) for verdict in Verdict]
    assert [worst(made[:n]) for n in range(4)] == [Verdict.OK, *Verdict]


def test_every_check_has_a_name_in_every_language() -> None:
    checks = {*CHECKS, "log"}
    for language in LANGUAGES:
        named = {key for key in keys(language) if key.startswith("doctor.check.")}
        assert named == {f"doctor.check.{name}" for name in checks}


@pytest.mark.parametrize(("fault", "code"), [(False, 0), (True, 1)])
def test_the_exit_code_is_for_scripts(
    fault: bool,
    code: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    found = [Finding("clock", Verdict.WARNING, "fast", {"seconds": 7})]
    found += [Finding("token", Verdict.FAULT, "none")] if fault else []

    async def visit(*_: object) -> list[Finding]:
        return found

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor, "visit", visit)
    assert cli.main(["doctor"]) == code
    assert capsys.readouterr().out.count("\n") == len(found)
    assert cli.main(["doctor", "--json"]) == code
    told = json.loads(capsys.readouterr().out)
    assert told["format"] == "parlour-doctor/1"
    assert told["verdict"] == ("fault" if fault else "warning")
    assert [one["check"] for one in told["findings"]] == [one.check for one in found]


async def test_discord_is_asked_over_http_and_tells_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    async with World() as world:
        monkeypatch.setattr(Route, "BASE", world.double.rest_url)
        async with aiohttp.ClientSession() as session:
            ahead = doctor.OverHttp(session, "double.dummy.token", lambda: time.time() + 100)
            me = await ahead.get("/users/@me")
            assert (me.status, me.body["bot"]) == (200, True)
            assert me.skew is not None
            assert abs(me.skew - 100) < 5
            world.faults.http(500, "GET", "/gateway$")
            assert (await ahead.get("/gateway")).status == 500
            nobody = doctor.OverHttp(session, None, time.time)
            assert (await nobody.get("/users/@me")).status == 401
            monkeypatch.setattr(Route, "BASE", "http://127.0.0.1:1")
            lost = await nobody.get("/gateway")
            assert (lost.status, lost.skew) == (0, None)
            assert lost.why == "ClientConnectorError"


@pytest.mark.long
async def test_beside_a_bot_that_runs_all_is_well(tmp_path: Path) -> None:
    async with running_server(tmp_path / "data", people=1) as place:
        await place.until((tmp_path / "data" / health.BEAT).exists, "the beat")
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.discord.run_bot", "--rest", place.world.double.rest_url,
            "--gateway", place.world.double.gateway_url, "-m", "bot", "doctor", "--json",
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **place.env, "DATA_DIR": str(tmp_path / "data")},
            cwd=Path(__file__).parents[1],
        )  # fmt: skip
        out, _ = await process.communicate()
        told = json.loads(out)
        verdicts = {one["check"]: one["verdict"] for one in told["findings"]}
        assert process.returncode == 0, told
        assert {name for name, verdict in verdicts.items() if verdict != "ok"} <= {"backup", "fonts", "disk"}
        assert verdicts.keys() == {*CHECKS, "log"}
        assert "double.dummy.token" not in out.decode()
        [ann] = place.people
        state = place.world.state
        state.owner = state.users[ann.id]
        state.server(state.channels[place.channel.id]).owner_id = ann.id  # so that the command is offered
        asked = await ann.slash(place.channel, "parlour status")
        assert asked.ephemeral
        said = await place.until(lambda: asked.text, "the report")
        assert "✅ **Token**" in said
        assert "✅ **Clock**" in said
        assert "double.dummy.token" not in said


# ------------------------------------------------------------------------------------- from within the bot


async def test_the_owner_is_told_in_private_what_the_doctor_finds(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def owners() -> Any:
        return Done(frozenset({boss.id}))

    boss = manager(sim, sim.guild)
    io = sim.bot.services.io
    real = io.ask

    async def ask(
        path: str, **params: str
    ) -> Any:  # simcord has it under its older name alone, and no gateway's address
        if path.startswith("/gateway"):
            return Failed(Why.LATER)
        return await real(path.replace("/applications/@me", "/oauth2/applications/@me"), **params)

    monkeypatch.setattr(io, "ask", ask)
    monkeypatch.setattr(io, "owners", owners)
    result = await boss.slash(sim.channel, "parlour status")
    said = answer(result)
    assert result.ephemeral
    for name in (*CHECKS, "log"):
        assert f"**{sayer('en')(f'doctor.check.{name}')}**" in said
    assert "✅ **Commands**" in said
    assert "✅ **Database**" in said
    assert len(said) < 4000


async def test_nobody_else_is_told_and_discord_has_to_say_who_owns_it(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    boss = manager(sim, sim.guild)
    assert answer(await boss.slash(sim.channel, "parlour status")) == sayer("en")("error.owners_only")

    async def owners() -> Any:
        return Failed(Why.LATER)

    monkeypatch.setattr(sim.bot.services.io, "owners", owners)
    assert answer(await boss.slash(sim.channel, "parlour status")) == sayer("en")("error.owners_unknown")


async def test_who_owns_the_application_or_is_in_its_team() -> None:
    accepted, invited = discord.TeamMembershipState.accepted, discord.TeamMembershipState.invited
    told = SimpleNamespace(owner=SimpleNamespace(id=1), team=None)

    class Client:
        async def application_info(self) -> Any:
            return told

    io = DiscordIO(cast(Any, Client()), SystemClock())
    assert await io.owners() == Done(frozenset({1}))
    members = [
        SimpleNamespace(id=2, membership_state=accepted),
        SimpleNamespace(id=3, membership_state=invited),
    ]
    told.team = SimpleNamespace(members=members)
    assert await io.owners() == Done(frozenset({2}))


def test_the_longest_report_fits_a_message() -> None:
    """In each language, with the longest text of every check."""
    names = (
        "above address advised at count days folder hours kind left mb mode n name names owner permissions"
    )
    places = dict.fromkeys((*names.split(), "scripts", "seconds", "we", "why"), "x" * 40)
    for language in LANGUAGES:
        found = []
        for name in (*CHECKS, "log"):
            codes = [key for key in keys(language) if key.startswith(f"doctor.{name}.")]
            some = [Finding(name, Verdict.FAULT, code, places) for code in codes]
            found.append(max(some, key=lambda one: len(one.text(sayer(language))), default=None))
        status_page([one for one in found if one is not None], sayer(language))
