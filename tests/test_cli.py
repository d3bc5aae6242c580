"""The command line as somebody at a terminal meets it: every command in a process or through `main`."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot import cli
from bot.bench import NAMES as BENCHES
from bot.bench import main as bench
from bot.locale import text
from bot.rules.record import read, replay
from bot.rules.registry import GAME_IDS, game
from rendering.theme import LIGHT
from tests.sweeps import swept, swept_rows

ROOT = Path(__file__).parent.parent
RECORDS = Path(__file__).parent / "records"
STORED = Path(__file__).parent / "storage" / "fixtures"
GOLDEN = RECORDS / "fivetotwelve-2.json"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A working directory without a `.env`, and no token in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("DISCORD_TOKEN", "DATABASE_URL", "DATA_DIR", "PARLOUR_WORKERS"):
        monkeypatch.delenv(name, raising=False)
    yield


def run(*arguments: str, given: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """`python -m bot …` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "bot", *arguments],
        input=given,
        capture_output=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, output and complaints of one command line."""
    try:
        code = cli.main(arguments)
    except SystemExit as leaving:
        code = int(leaving.code or 0)
    seen = capsys.readouterr()
    assert "Traceback" not in seen.err
    return code, seen.out, seen.err


# --------------------------------------------------------------------------- versions of the rules


def test_a_record_of_older_rules_is_checked_and_drawn_by_them(capsys: pytest.CaptureFixture[str]) -> None:
    old = str(RECORDS / "topominos-3-v1-unnamed.json")
    assert told(capsys, "verify", old) == (0, f"{old}: ok, by version 1 of the rules\n", "")
    code, text, _ = told(capsys, "picture", old, "--text")
    assert code == 0
    assert "nobody can lay a piece any more" in text


# --------------------------------------------------------------------------- selfplay


def test_the_same_arguments_print_the_same_bytes_in_another_process(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ("selfplay", "fivetotwelve", "--players", "3", "--seed", "7", "--option", "series=true")
    here = told(capsys, *arguments)
    there = run(*arguments)
    assert here == (0, there.stdout.decode(), "")
    record = json.loads(there.stdout)
    assert (record["players"], record["seed"], record["options"]) == (3, "7", {"series": True})
    assert run("verify", "-", given=there.stdout).stdout == b"-: ok\n"


@pytest.mark.parametrize("game", GAME_IDS)
def test_every_game_plays_itself_with_random_moves_and_with_computers(
    game: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for play in ("random", "computer"):
        code, record, _ = told(capsys, "selfplay", game, "--seed", "1", "--play", play)
        assert code == 0
        (tmp_path / f"{play}.json").write_text(record)
    assert (tmp_path / "random.json").read_text() != (tmp_path / "computer.json").read_text()
    assert told(capsys, "verify", "random.json", "computer.json") == (
        0, "random.json: ok\ncomputer.json: ok\n", "",
    )  # fmt: skip


def test_legal_lists_are_written_where_asked(capsys: pytest.CaptureFixture[str]) -> None:
    _, plain, _ = told(capsys, "selfplay", "top12", "--seed", "1")
    _, listed, _ = told(capsys, "selfplay", "top12", "--seed", "1", "--legal")
    assert "legal" not in plain
    events = json.loads(listed)["events"]
    assert [event for event in events if "move" in event and "legal" not in event] == events[:1]
    for event in events:
        event.pop("legal", None)
    assert events == json.loads(plain)["events"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("selfplay", "chess", "--seed", "1"), "invalid choice"),
        (("selfplay", "--seed", "1"), "GAME"),
        (("selfplay", "top12"), "--seed"),
        (("selfplay", "top12", "--seed", "1", "--players", "9"), "1 to 4 players, not 9"),
        (("selfplay", "top12", "--seed", "1", "--players", "two"), "not a whole number"),
        (("selfplay", "top12", "--seed", "1", "--players", "9" * 5000), "not a whole number"),
        (("selfplay", "top12", "--seed", "1", "--players", "-1"), "not a whole number"),
        (("selfplay", "top12", "--seed", "1", "--option", "colour=red"), "no option called colour"),
        (("selfplay", "top12", "--seed", "1", "--option", "first"), "NAME=VALUE"),
        (("selfplay", "top12", "--seed", "1", "--option", "first=me"), "first cannot be me"),
        (("selfplay", "top12", "--seed", "1", "--option", "=x"), "no option called"),
        (("selfplay", "fivetotwelve", "--seed", "1", "--option", "series=yes"), "series cannot be yes"),
        (
            ("selfplay", "fivetotwelve", "--seed", "1", "--option", "bruno=true", "--option", "bruno=true"),
            "twice",
        ),
        (("selfplay", "topominos", "--seed", "1", "--option", "rounds=0"), "rounds cannot be 0"),
        (("selfplay", "topominos", "--seed", "1", "--option", "rounds=٣"), "rounds cannot be"),
        (("selfplay", "topspot", "--seed", "1", "--option", "joker_each=true"), ""),
        (("selfplay", "top12", "--seed", "\udcff"), "Unicode"),
        (("selfplay", "top12", "--seed", "1", "--play", "well"), "invalid choice"),
        (("verify",), "FILE"),
        (("dance",), "invalid choice"),
        (("playground", "--port", "70000"), "65535"),
        (("bench", "dance"), "no measurement called 'dance'"),
    ],
)
def test_bad_arguments_are_told_in_a_line_and_leave_with_two(
    arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, complaint = told(capsys, *arguments)
    assert (code, out) == (2, "")
    assert says in complaint
    assert complaint.strip()


# --------------------------------------------------------------------------- verify


def test_each_file_gets_its_line_and_one_bad_one_makes_the_exit_code_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    record = json.loads(GOLDEN.read_text())
    record["events"][3]["move"] = "7@A2"
    Path("illegal.json").write_text(json.dumps(record))
    Path("binary.json").write_bytes(bytes(range(256)))
    Path("cut.json").write_text(GOLDEN.read_text()[:300])
    Path("folder").mkdir()
    code, out, complaint = told(
        capsys, "verify", str(GOLDEN), "illegal.json", "binary.json", "cut.json", "folder", "absent.json"
    )
    assert (code, complaint) == (1, "")
    lines = out.splitlines()
    assert lines[0] == f"{GOLDEN}: ok"
    assert lines[1].startswith("illegal.json: event 3: illegal: ")
    assert lines[1].endswith("(rule 1)")
    assert lines[2] == "binary.json: header: not UTF-8 text (byte 128)"
    assert lines[3].startswith("cut.json: header: not JSON (line ")
    assert lines[4].startswith("folder: header: the file cannot be read")
    assert lines[5] == "absent.json: header: the file cannot be read (No such file or directory)"
    assert len(lines) == 6


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"outcome": None}, "event 265: outcome: the game is over, but the outcome is null"),
        ({"events": []}, "event 0: missing: the game is not over, yet an outcome is given"),
        ({"players": 7}, "header: This game is for 2 to 4 players, not 7."),
        ({"comment\n\x1b[31m": 1}, "header: there is no key called comment\\n\\x1b[31m here"),
        ({"\ud800": 1}, "header: there is no key called \\ud800 here"),
        ({"options": {"x" * 1000: 1}}, f"header: This game has no option called {'x' * 100}."),
    ],
)
def test_a_fault_is_one_line_whatever_the_record_holds(
    change: dict[str, object], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    record = {**json.loads(GOLDEN.read_text()), **change}
    if line.startswith("event 265"):
        line = line.replace("265", str(len(record["events"])))
    Path("record.json").write_text(json.dumps(record))
    code, out, _ = told(capsys, "verify", "record.json")
    assert (code, out) == (1, f"record.json: {line}\n")


def test_a_file_name_that_does_not_print_is_shown_as_escapes() -> None:
    done = run("verify", "no\nsuch\x07file", "b\udcffd")
    assert done.returncode == 1
    assert done.stderr == b""
    assert done.stdout.decode().splitlines() == [
        "no\\nsuch\\x07file: header: the file cannot be read (No such file or directory)",
        "b\\udcffd: header: the file cannot be read (No such file or directory)",
    ]


def test_light_commands_load_neither_discord_nor_the_database() -> None:
    code = (
        "import sys; from bot import cli; "
        f"assert cli.main(['verify', {str(GOLDEN)!r}]) == 0; "
        f"assert cli.main(['selfplay', 'zatre', '--seed', '1']) == 0; "
        f"assert cli.main(['picture', {str(GOLDEN)!r}, '--text']) == 0; "
        f"assert cli.main(['picture', {str(GOLDEN)!r}, '--out', 'x.png']) == 0; "
        "heavy = {'discord', 'sqlalchemy', 'simcord', 'aiohttp', 'pydantic', 'alembic'} & set(sys.modules); "
        "sys.exit(f'loaded: {heavy}' if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_whoever_stops_reading_is_not_shown_a_traceback() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "selfplay", "fivetotwelve", "--players", "4", "--seed", "1", "--legal",
         "--option", "series=true"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 0
    process.stderr.close()


# --------------------------------------------------------------------------- picture


def test_a_picture_of_a_position_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert told(capsys, "picture", str(GOLDEN), "--at", "40", "--out", "board.png") == (0, "", "")
    assert told(capsys, "picture", str(GOLDEN), "--out", "end.png") == (0, "", "")
    assert told(capsys, "picture", str(GOLDEN), "--seat", "1", "--at", "40", "--out", "own.png")[0] == 0
    pictures = [Path(name).read_bytes() for name in ("board.png", "end.png", "own.png")]
    assert all(one.startswith(b"\x89PNG") for one in pictures)
    assert pictures[0] != pictures[1]
    assert told(capsys, "picture", str(GOLDEN), "--theme", "light", "--out", "light.png")[0] == 0
    assert LIGHT.palette in Path("light.png").read_bytes()


def test_the_command_line_draws_all_that_discord_shows(capsys: pytest.CaptureFixture[str]) -> None:
    for players in ("4", "6"):
        Path("game.json").write_text(
            told(capsys, "selfplay", "zatre", "--players", players, "--seed", "7")[1]
        )
        given = ("picture", "game.json", "--at", "20", "--out", f"{players}.png")
        assert told(capsys, *given) == (0, f"Also written: {players}-2.png\n", "")
        assert Path(f"{players}.png").read_bytes() != Path(f"{players}-2.png").read_bytes()


def test_a_position_can_be_had_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    code, words, _ = told(capsys, "picture", str(GOLDEN), "--text", "--at", "0")
    assert code == 0
    assert "Player 1" in words
    assert "The first player is not drawn yet." in words
    assert told(capsys, "picture", str(GOLDEN), "--text")[1] != words


def test_a_seat_sees_its_own_rack_and_the_public_picture_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    record = str(RECORDS / "topspot-4.json")
    texts = {told(capsys, "picture", record, "--text", "--at", "8", "--seat", str(n))[1] for n in range(4)}
    texts.add(told(capsys, "picture", record, "--text", "--at", "8")[1])
    assert len(texts) == 5


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--at", "999", "--out", "x.png"), "--at 999 is too far"),
        (("--at", "-1", "--out", "x.png"), "not a whole number"),
        (("--seat", "2", "--out", "x.png"), "there is no seat 2"),
        (("--seat", "first", "--out", "x.png"), "not a whole number"),
        ((), "--out board.png"),
        (("--out", "no/such/folder/x.png"), "cannot be written"),
        (("--out", "."), "cannot be written"),
    ],
)
def test_a_picture_that_cannot_be_had_is_told(
    arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, complaint = told(capsys, "picture", str(GOLDEN), *arguments)
    assert (code, out) == (2, "")
    assert says in complaint


def test_no_picture_is_made_of_a_record_that_is_not_right(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.json").write_text("{}")
    code, out, complaint = told(capsys, "picture", "bad.json", "--out", "x.png")
    assert (code, out, complaint) == (1, "", "bad.json: header: format is missing\n")
    assert told(capsys, "picture", "absent.json", "--out", "x.png")[0] == 2
    assert not Path("x.png").exists()


# --------------------------------------------------------------------------- run, playground, migrate, bench


def test_run_without_a_token_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, complaint = told(capsys, "run")
    assert code == 2
    assert "DISCORD_TOKEN" in complaint
    assert "playground" in complaint


def test_wrong_settings_are_named_without_their_values(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARLOUR_WORKERS", "secret-many")
    code, _, complaint = told(capsys, "run")
    assert code == 2
    assert "PARLOUR_WORKERS" in complaint
    assert "secret" not in complaint


def test_without_a_command_it_runs_with_a_token_and_plays_without(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    monkeypatch.setattr(cli, "_run", lambda arguments: calls.append("run") or 0)  # type: ignore[func-returns-value]
    monkeypatch.setattr(cli, "_playground", lambda arguments: calls.append(f"play {arguments.port}") or 0)  # type: ignore[func-returns-value]
    assert told(capsys) == (0, "", "")
    monkeypatch.setenv("DISCORD_TOKEN", "x")
    assert told(capsys) == (0, "", "")
    monkeypatch.delenv("DISCORD_TOKEN")
    Path(".env").write_text("DISCORD_TOKEN=y\n")
    assert told(capsys) == (0, "", "")
    assert calls == ["play 0", "run", "run"]


def test_the_playground_names_the_package_it_lacks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> object:
        raise ModuleNotFoundError(f"No module named {name!r}", name="simcord")

    monkeypatch.setattr(cli, "import_module", absent)
    code, _, complaint = told(capsys, "playground")
    assert code == 2
    assert "package simcord" in complaint
    assert "pip install" in complaint


def test_migrating_makes_the_database_and_then_has_nothing_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    code, first, _ = told(capsys, "migrate")
    assert code == 0
    assert Path("data/parlour.db").exists()
    assert "0 migrations" not in first
    assert "0 migrations were applied" in told(capsys, "migrate")[1]


def test_a_database_that_cannot_be_opened_is_told_without_its_address(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("file").write_text("")
    monkeypatch.setenv("DATA_DIR", "file/data")
    code, _, complaint = told(capsys, "migrate")
    assert code == 2
    assert "cannot be opened" in complaint
    monkeypatch.setenv("DATA_DIR", "data")
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:hunter2@127.0.0.1:1/nothing")
    code, _, complaint = told(capsys, "migrate")
    assert code == 2
    assert "hunter2" not in complaint


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("mysql://a:hunter2@b/c", "SQLite and PostgreSQL alone, not with mysql"),
        ("sqlite:///data", "cannot be opened"),
        ("nonsense", "is written sqlite:///data/parlour.db or postgresql://"),
        ("postgresql://me:hunter2@127.0.0.1:1/c", "Nothing answers"),
        ("sqlite://data/parlour.db", "three slashes"),
        ("sqlite://parlour.db", "three slashes"),
    ],
)
def test_a_database_s_wrong_address_is_told_as_what_it_is(
    address: str, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("data").mkdir()
    monkeypatch.setenv("DATABASE_URL", address)
    code, _, complaint = told(capsys, "migrate")
    assert code == 2
    assert said in complaint
    assert "hunter2" not in complaint


@pytest.mark.parametrize(
    "address", ["sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite:///file:x?mode=memory&uri=true"]
)
@pytest.mark.parametrize(
    "arguments", ["run", "migrate", "backup", "migrate --from sqlite:///data/parlour.db"]
)
def test_what_would_be_lost_at_the_stop_is_refused_before_it_is_begun(
    arguments: str, address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database in memory: the bot logged in and played, and at its stop all of that was gone."""
    _fill(Path("data/parlour.db"))

    async def login(*_: object) -> None:
        raise AssertionError("logged in")

    monkeypatch.setattr("discord.Client.login", login)
    monkeypatch.setenv("DISCORD_TOKEN", "no token")
    monkeypatch.setenv("DATABASE_URL", address)
    code, out, complaint = told(capsys, *arguments.split())
    assert (code, out) == (2, "")
    assert "names no file" in complaint
    assert "write sqlite:///data/parlour.db" in complaint
    assert complaint.count("\n") == 1


def test_a_damaged_database_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    Path("data").mkdir()
    Path("data/parlour.db").write_text("This is no database, although it is long enough to be one. " * 20)
    code, _, complaint = told(capsys, "migrate")
    assert code == 2
    assert "cannot be opened" in complaint


def test_an_empty_database_is_told_in_one_line_and_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("data").mkdir()
    Path("data/parlour.db").touch()
    monkeypatch.setenv("DISCORD_TOKEN", "t")
    for command in ("migrate", "run"):
        monkeypatch.setattr("bot.client._serve", _only_the_store)
        code, out, complaint = told(capsys, command)
        assert (code, out) == (2, "")
        assert "is empty" in complaint
        assert complaint.count("\n") == 1
    assert Path("data/parlour.db").read_bytes() == b""


async def _only_the_store(bot: Any, *_: object) -> None:
    await bot.setup_hook()


def test_a_folder_with_any_name_holds_the_database(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of `a?b#c %41` everything behind the question mark was lost."""
    monkeypatch.setenv("DATA_DIR", "a?b#c %41")
    assert told(capsys, "migrate")[0] == 0
    assert Path("a?b#c %41/parlour.db").exists()


# --------------------------------------------------------------------------- backup, restore, moving


def _fill(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((STORED / "0004.sql").read_text("utf-8"))


def test_a_backup_is_made_looked_at_and_put_back(capsys: pytest.CaptureFixture[str]) -> None:
    _fill(Path("data/parlour.db"))
    code, written, _ = told(capsys, "backup")
    assert code == 0
    [file] = Path("data/backups").iterdir()
    assert str(file) in written
    assert "tables: 24, events: 1084" in written
    assert re.fullmatch(r"parlour-\d{8}T\d{6}Z\.zip", file.name)
    before = Path("data/parlour.db").read_bytes()
    code, good, _ = told(capsys, "restore", "--check", str(file))
    assert code == 0
    assert "whole" in good
    assert Path("data/parlour.db").read_bytes() == before
    code, restored, _ = told(capsys, "restore", str(file))
    assert code == 0
    assert "tables: 24, events: 1084" in restored
    [kept] = Path("data").glob("parlour.db.before-restore-*")
    assert str(kept) in restored
    assert kept.read_bytes() == before


def test_a_backup_goes_where_it_is_told_and_nothing_is_written_over(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(Path("data/parlour.db"))
    assert told(capsys, "backup", "mine.zip")[0] == 0
    before = Path("mine.zip").read_bytes()
    code, out, complaint = told(capsys, "backup", "mine.zip")
    assert (code, out) == (2, "")
    assert complaint == "mine.zip is there already and stays as it is.\n"
    assert Path("mine.zip").read_bytes() == before
    Path("file").touch()
    for folder in ("file", "no/such"):
        code, _, complaint = told(capsys, "backup", f"{folder}/mine.zip")
        assert code == 2
        assert f"There is no folder {folder}" in complaint
        assert not Path("no").exists()


def test_where_there_is_no_database_nothing_is_made(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA_DIR", "elsewhere")
    before = set(Path().iterdir())
    for arguments in (
        ("backup",),
        ("backup", "mine.zip"),
        ("migrate", "--from", "sqlite:///nix/parlour.db"),
        ("migrate", "--from", "sqlite:///nix/parlour.db", "--to", "sqlite:///there/parlour.db"),
    ):
        code, _, complaint = told(capsys, *arguments)
        assert code == 2
        assert "There is no database" in complaint
        assert ("--from: " in complaint) == ("--from" in arguments)
        assert set(Path().iterdir()) == before


@pytest.mark.parametrize("end", ["from", "to"])
@pytest.mark.parametrize("what", ["a file", "an empty file", "a folder"])
def test_beside_what_is_no_database_nothing_is_left(
    what: str, end: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _fill(Path("from/parlour.db"))
    other = Path("other/thing")
    other.parent.mkdir()
    if what == "a folder":
        other.mkdir()
    else:
        other.write_text("not ours" * 99 if what == "a file" else "")
    ends = {"from": "sqlite:///from/parlour.db", "to": "sqlite:///two.db", end: f"sqlite:///{other}"}
    code, out, complaint = told(capsys, "migrate", "--from", ends["from"], "--to", ends["to"])
    assert (code, out) == (2, "")
    assert re.match(rf"--{end}: The database cannot be opened: other/thing is ", complaint), complaint
    assert list(other.parent.iterdir()) == [other]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_what_root_makes_belongs_to_whom_the_folder_belongs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot, which runs as that account, could not open it."""
    Path("data").mkdir()
    os.chown("data", 12345, 12346)
    for arguments in ("migrate", "backup", "backup mine.zip", "restore mine.zip"):
        assert told(capsys, *arguments.split())[0] == 0
    made = list(Path("data").rglob("*"))
    assert {path.name for path in made} >= {"parlour.db", "parlour.db.lock", "backups"}
    assert {(path.stat().st_uid, path.stat().st_gid) for path in made} == {(12345, 12346)}
    assert Path("mine.zip").stat().st_uid == Path().stat().st_uid


@pytest.mark.parametrize(
    ("number", "key"),
    [
        (errno.EROFS, "tables.store_mounted_read_only"),
        (errno.ENOSPC, "tables.store_no_room"),
        (errno.EACCES, "tables.store_no_right"),
    ],
)
def test_a_folder_that_cannot_be_written_is_told_as_at_a_start(
    number: int, key: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(Path("data/parlour.db"))
    assert told(capsys, "backup", "mine.zip")[0] == 0

    def refused(**named: object) -> None:
        file = None if number == errno.ENOSPC else str(Path(str(named["dir"])) / "x")
        raise OSError(number, os.strerror(number), file)

    monkeypatch.setattr("tempfile.TemporaryDirectory", refused)
    before = text("en", key, path="data", folder="data", owner="", user="").split("data")[0]
    for arguments in (
        ("backup",),
        ("backup", "data/mine.zip"),
        ("restore", "mine.zip"),
        ("restore", "--check", "mine.zip"),
    ):
        code, out, complaint = told(capsys, *arguments)
        assert (code, out) == (2, ""), complaint
        assert re.match(rf"{re.escape(before)}\S*data", complaint), complaint
        assert "start" not in complaint, "nothing was started"
        assert not Path("data/backups").exists()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="the system keeps no folder of its own there")
def test_a_data_folder_in_a_place_that_takes_none_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA_DIR", "/proc/parlour")
    for command in ("migrate", "backup"):
        code, out, complaint = told(capsys, command)
        assert (code, out) == (2, ""), complaint
        assert complaint.startswith("No folder can be made at /proc/parlour")
        assert len(complaint.splitlines()) == 1


def test_a_file_where_the_data_folder_should_be_is_told_as_that(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not as a file that is there already and stays."""
    _fill(Path("data/parlour.db"))
    assert told(capsys, "backup", "mine.zip")[0] == 0
    Path("file").write_text("not ours")
    monkeypatch.setenv("DATA_DIR", "file")
    for arguments in (
        ("backup",),
        ("restore", "mine.zip"),
        ("restore", "--check", "mine.zip"),
        ("migrate",),
        ("migrate", "--from", "sqlite:///data/parlour.db"),
    ):
        code, out, complaint = told(capsys, *arguments)
        assert (code, out) == (2, ""), complaint
        assert re.fullmatch(r"The database cannot be opened: \S*file is in the way, [^\n]*\n", complaint)
    assert Path("file").read_text() == "not ours"


@pytest.mark.parametrize("end", ["from", "to"])
@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES])
def test_of_a_move_it_is_told_which_end_cannot_be_written(
    number: int, end: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also beside a database that is only read a lock is laid, so that nobody writes there meanwhile."""
    _fill(Path("from/parlour.db"))
    Path("to").mkdir()
    opened = os.open

    def refused(path: Any, *how: int, **named: Any) -> int:
        if str(path).startswith(end):
            raise OSError(number, os.strerror(number), str(path))
        return opened(path, *how, **named)

    monkeypatch.setattr("bot.storage.lock.os.open", refused)
    move = ("migrate", "--from", "sqlite:///from/parlour.db", "--to", "sqlite:///to/parlour.db")
    code, out, complaint = told(capsys, *move)
    assert (code, out) == (2, ""), complaint
    assert re.fullmatch(rf"--{end}: [^\n]*\b{end}\b[^\n]*\n", complaint), complaint
    assert "backups" not in complaint


def test_a_bad_backup_is_told_in_a_line_and_leaves_with_one(capsys: pytest.CaptureFixture[str]) -> None:
    _fill(Path("data/parlour.db"))
    before = Path("data/parlour.db").read_bytes()
    assert told(capsys, "backup", "mine.zip")[0] == 0
    content = bytearray(Path("mine.zip").read_bytes())
    content[len(content) // 2] ^= 1
    Path("damaged.zip").write_bytes(content)
    for file, said in (
        ("damaged.zip", "damaged"),
        ("data/parlour.db", "no backup"),
        ("none", "cannot be read"),
    ):
        for how in (("--check",), ()):
            code, out, complaint = told(capsys, "restore", *how, file)
            assert (code, out) == (1, "")
            assert said in complaint
            assert complaint.count("\n") == 1
    assert Path("data/parlour.db").read_bytes() == before


def test_a_database_is_moved_by_its_addresses(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(Path("data/parlour.db"))
    code, moved, _ = told(
        capsys, "migrate", "--from", "sqlite:///data/parlour.db", "--to", "sqlite:///two.db"
    )
    assert code == 0
    assert "tables: 24, events: 1084" in moved
    assert "set DATABASE_URL to the new one (leave it empty if that is parlour.db in DATA_DIR)" in moved
    code, _, complaint = told(capsys, "migrate", "--to", "sqlite:///two.db")
    assert code == 2
    assert "not empty" in complaint
    code, _, complaint = told(capsys, "migrate", "--from", "sqlite:///data/parlour.db")
    assert code == 2
    assert "onto itself" in complaint
    monkeypatch.setenv("DATABASE_URL", "sqlite:///three.db")
    assert told(capsys, "migrate", "--from", "sqlite:///two.db")[0] == 0
    assert told(capsys, "migrate", "--from", "sqlite:///two.db", "--to", "sqlite:///three.db")[0] == 2


@pytest.mark.parametrize(
    "address",
    swept(
        [
            "postgresql://me:hunter2@127.0.0.1:1/x",
            "postgresql://me:a@b:hunter2@127.0.0.1/x",
            "mysql://me:hunter2@b/c",
            "hunter2",
            "postgresql://",
        ],
        daily=2,
    ),
)
def test_where_a_database_cannot_be_reached_its_password_is_not_told(
    address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(Path("data/parlour.db"))
    before = Path("data/parlour.db").read_bytes()
    assert told(capsys, "backup", "mine.zip")[0] == 0
    for arguments in (
        ("migrate", "--from", "sqlite:///data/parlour.db", "--to", address),
        ("migrate", "--from", address, "--to", "sqlite:///new.db"),
    ):
        code, out, complaint = told(capsys, *arguments)
        assert (code, out) == (2, "")
        assert "hunter2" not in complaint
        assert complaint.count("\n") == 1
        assert complaint.startswith("--to: " if arguments[4] == address else "--from: ")
    monkeypatch.setenv("DATABASE_URL", address)
    for command in ("backup", "restore mine.zip"):
        code, out, complaint = told(capsys, *command.split())
        assert (code, out) == (2, "")
        assert "hunter2" not in complaint
    assert not Path("new.db").exists()
    assert Path("data/parlour.db").read_bytes() == before


@pytest.mark.parametrize(
    ("command", "code", "said"),
    swept_rows(
        [
            ("selfplay fivetotwelve --players 2 --seed 1 > /dev/full", 2, "cannot be written"),
            ("verify absent > /dev/full", 2, "cannot be written"),
            ("selfplay fivetotwelve --players 2 --seed 1 >&-", 0, ""),
            ("verify - <&-", 1, ""),
            ("selfplay fivetotwelve --players 2 --seed 1 2>&-", 0, ""),
        ],
        daily=2,
    ),
)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_streams_that_are_closed_or_full_give_no_traceback(command: str, code: int, said: str) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        f"{shlex.quote(sys.executable)} -m bot {command}",
        shell=True,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_benches_are_run_by_name_and_the_worst_exit_code_counts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Bench:
        def __init__(self, code: int) -> None:
            self.main = lambda options: code

    codes = {f".{name}": Bench(index) for index, name in enumerate(BENCHES)}
    monkeypatch.setattr("bot.bench.import_module", lambda name, package: codes[name])
    assert bench(BENCHES) == len(BENCHES) - 1
    assert capsys.readouterr().out.splitlines() == [f"== {name}" for name in BENCHES]
    assert bench(["rules"]) == 0


def test_the_nasty_positions_of_the_rules_bench_are_what_they_say() -> None:
    """The longest list met in play, stored with the rules' tests as a record, stands among them."""
    from bot.bench.rules import NASTY

    path = Path(__file__).parent / "rules" / "zatre-6-longest.json"
    met = replay(read(path.read_text(encoding="utf-8"))).to_json()
    (different,) = NASTY["zatre"]
    stored = {**game("zatre").start(different["players"], {}).to_json(), **different}
    state = game("zatre").load(stored)
    assert stored["board"] == met["board"]
    assert len(state.legal(0)) == 10584


def test_the_rules_bench_prints_a_line_per_game(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot.bench import rules

    monkeypatch.setattr(rules, "SLICE", 0.001)
    monkeypatch.setattr(rules, "ROUNDS", 1)
    monkeypatch.setattr(rules, "LISTS", 20)
    monkeypatch.setattr(rules, "_reference", lambda: lambda: 0.001)
    monkeypatch.setattr(rules, "LONGEST_LIST", 10.0)  # how fast this computer is, is not asked here
    assert rules.main() == 0
    out = capsys.readouterr().out
    assert out.count("moves/s, longest legal list") == len(GAME_IDS)
    assert "took more than" not in out
    assert "longest list known, 10584 moves" in out
    monkeypatch.setattr(rules, "LONGEST_LIST", -1.0)
    assert rules.main() == 1
    assert capsys.readouterr().out.count("took more than") == len(GAME_IDS)
    monkeypatch.setattr(rules, "LONGEST_LIST", 10.0)
    monkeypatch.setattr(rules, "_reference", lambda: lambda: 1e12)
    assert rules.main() == 1
    assert "below the target" in capsys.readouterr().out


# --------------------------------------------------------------------------- help


@pytest.mark.parametrize(
    "command", ["run", "playground", "selfplay", "verify", "picture", "migrate", "backup", "restore", "bench"]
)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, text, _ = told(capsys, command, "--help")
    assert code == 0
    assert f" {command} " in text
    assert len(text.splitlines()) > 4
    assert command in told(capsys, "--help")[1]


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "--version")[1].startswith("parlour ")
