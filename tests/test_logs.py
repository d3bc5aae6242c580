"""What is logged, at which level, and that no secret is ever among it."""

from __future__ import annotations

import asyncio
import gc
import io
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import discord
import pytest
from simcord.actors import MemberActor
from sqlalchemy.exc import IntegrityError

from bot import logs, playground
from bot.client import run
from bot.levels import Level
from bot.players import choose
from bot.rules.chance import Generator
from bot.rules.errors import Illegal
from bot.rules.game import View
from bot.settings import Settings
from bot.tables.model import Loaded, Person, Status
from tests.cogs.sim import Sim, answer
from tests.cogs.tabletop import Ears, opened, taps
from tests.tables.support import typed

PIECE = "R7"  # apart from the lines that raise it: a traceback shows these
MakeSim = Callable[..., Awaitable[Sim]]
SLASH = {
    "fivetotwelve": "5vor12",
    "top12": "top12",
    "zatre": "zatre",
    "topominos": "topominos",
    "topspot": "topspot",
}


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """The log at DEBUG, as `run` sets it up, of every logger there is."""
    stream = io.StringIO()
    root = logging.getLogger()
    handlers, root.handlers = root.handlers, []
    try:
        logs.set_up("DEBUG", stream)
        yield stream
    finally:
        root.handlers = handlers


def secrets(loaded: Loaded) -> set[str]:
    """What of this position and its record somebody may not see: the seed, hidden parts of events, and the
    lines of each seat's board in words that others do not read."""
    table, state = loaded.table, loaded.state
    found = {table.seed}
    if state is None:
        return found
    public = {event.text for event in state.redact(loaded.events, None)}
    found |= {event.text for event in loaded.events} - public
    names = [f"seat {seat.index}" for seat in table.seats]
    say: Any = lambda key, **data: " ".join([key, *map(str, data.values())])  # noqa: E731
    seen = set(state.game.board_text(state.view(None), names, say).split("\n"))
    for seat in table.seats:
        lines = set(state.game.board_text(state.view(seat.index), names, say).split("\n")) - seen
        found |= {part for line in lines for part in line.split(maxsplit=1)[1:]}
    return {text for text in found if len(text) > 4}


def private(ears: Ears) -> set[str]:
    """Alt texts of pictures that went to one person alone."""
    theirs = {file[1] for where, (_, files) in ears.heard if where < 0 for file in files}
    public = {file[1] for where, (_, files) in ears.heard if where == 0 for file in files}
    return {alt for alt in theirs - public if alt}


@pytest.mark.long
@pytest.mark.parametrize("game", SLASH)
async def test_a_whole_game_at_debug_leaves_no_secret_in_the_log(
    game: str, make_sim: MakeSim, written: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a computer player, faults of ours with hands in their words, Discord failing, and a restart."""
    ears = Ears(monkeypatch)
    sim = await make_sim()
    sim.faults_expected = True
    table = await opened(sim, SLASH[game], sim.ada, sim.ben, computers=1, players=3)
    hidden: set[str] = set()

    async def look() -> Loaded:
        loaded = await sim.bot.tables.load(table.id)
        hidden.update(secrets(loaded))
        return loaded

    async def broken(kind: str, view: View, chance: Generator, level: Level) -> str:
        raise KeyError(repr(view), choose(kind, view, chance, level))

    def undrawn(view: View, scene: Any) -> Any:
        raise ValueError(f"no sprite for {view}")

    await taps(sim, table, 4, game)
    await look()
    monkeypatch.setattr(sim.bot._computers, "_think", broken)  # until the restart
    with monkeypatch.context() as context:
        context.setattr(f"rendering.{game}.hand_pictures", undrawn)
        context.setattr(f"rendering.{game}.table_pictures", undrawn)
        await taps(sim, table, 3, f"{game} undrawn")
    for turn in range(600):
        loaded = await look()
        if loaded.table.status is not Status.PLAYING or loaded.state is None:
            break
        if turn == 6:
            sim.env.inject_error("PATCH", "/channels/*/messages/*", status=503, code=0)
            await sim.restart()
        if turn == 12:
            sim.bot.services.repaints._parked.add(table.id)  # enough was drawn
        people = [seat for seat in loaded.table.humans if seat.since]
        if not people:
            await sim.env.settle()
            continue
        person = sim.who(people[0].user)
        move = choose(game, loaded.state.view(people[0].index), Generator("log", str(turn)))
        if turn in {4, 8}:
            await fault(sim, person, loaded, move, monkeypatch)
        with sim.env._bot_scope():
            await typed(sim.bot.tables, table.id, Person(person.id, "x"), move)
    await sim.env.settle()
    table = await sim.bot.tables.table(table.id)
    assert table.status is Status.ENDED
    hidden |= private(ears)
    log = written.getvalue()
    for line in ("ready as", "could not be drawn", "fault ", "a computer player of"):
        assert line in log
    tokens = {record.token for record in sim.env.backend.interactions.values()}
    assert tokens
    assert [secret for secret in hidden | tokens | {sim.env.bot.http.token} if secret in log] == []  # type: ignore[operator]


async def fault(
    sim: Sim, person: MemberActor, loaded: Loaded, move: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of ours whose words hold a seed and a move, met by a typed move."""

    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError(f"{move} of {loaded.table.seed}: {loaded.state}")

    with monkeypatch.context() as context:
        context.setattr(sim.bot.tables, "tap", broken)
        slash = f"{SLASH[loaded.table.game]} move"
        result = await person.slash(sim.channel, slash, move=move, table=loaded.table.id)
    assert "wrong on my side" in answer(result)


LEVELS = [("DEBUG", 10, 20), ("INFO", 20, 20), ("WARNING", 30, 30), ("ERROR", 40, 40)]


@pytest.mark.parametrize(("level", "ours", "theirs"), LEVELS)
def test_the_level_is_that_of_our_own_loggers(
    level: str, ours: int, theirs: int, written: io.StringIO
) -> None:
    logs.set_up(level)
    for name in ("bot.client", "cogs.delivery.painter", "rendering.fonts"):
        assert logging.getLogger(name).getEffectiveLevel() == ours
    for name in ("discord.http", "discord.gateway", "aiosqlite", "asyncio", "somebody.else"):
        assert logging.getLogger(name).getEffectiveLevel() == theirs


def pg(error: Exception) -> Exception:
    error.sqlstate = "23514"  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (KeyError("R7"), "KeyError"),
        (ValueError("'R7' is not in list"), "ValueError"),
        (Illegal("row", move="R7"), "bot.rules.errors.Illegal: row"),
        (
            ConnectionResetError(104, "Connection reset by peer"),
            "ConnectionResetError: Connection reset by peer",
        ),
        (sqlite3.OperationalError("database is locked"), "sqlite3.OperationalError: database is locked"),
        (
            IntegrityError("INSERT R7", None, sqlite3.IntegrityError("UNIQUE constraint failed: events.id")),
            "sqlalchemy.exc.IntegrityError: sqlite3.IntegrityError: UNIQUE constraint failed: events.id",
        ),
        (
            IntegrityError("INSERT R7", None, pg(Exception("Failing row contains (R7)."))),
            "sqlalchemy.exc.IntegrityError: Exception: 23514",
        ),
        (TypeError("'int' object is not iterable"), "TypeError: 'int' object is not iterable"),
    ],
)
def test_of_an_exception_only_harmless_words_are_written(
    error: Exception, line: str, written: io.StringIO
) -> None:
    try:
        raise error
    except Exception:
        logging.getLogger("bot.test").exception("it failed")
    log = written.getvalue()
    assert "R7" not in log
    assert log.rstrip().endswith(f"\n{line}")
    assert "Traceback" in log


def test_causes_and_parts_of_an_exception_are_written_without_their_words(written: io.StringIO) -> None:
    try:
        try:
            raise KeyError(PIECE)
        except KeyError as error:
            raise ExceptionGroup(
                PIECE, [ValueError(PIECE), OSError(28, "No space left on device")]
            ) from error
    except ExceptionGroup:
        logging.getLogger("bot.test").exception("it failed")
    log = written.getvalue()
    assert "R7" not in log
    places = [
        log.index(word) for word in ("KeyError", "ExceptionGroup", "ValueError", "No space left on device")
    ]
    assert places == sorted(places)


async def test_an_error_nobody_asked_for_is_written_without_the_task_that_had_it(
    written: io.StringIO,
) -> None:
    async def lost() -> None:
        raise KeyError(PIECE)

    task = asyncio.create_task(lost())
    await asyncio.wait({task})
    del task
    gc.collect()
    log = written.getvalue()
    assert "Task exception was never retrieved" in log
    assert "R7" not in log


def test_a_control_of_discords_library_is_written_without_its_label(written: io.StringIO) -> None:
    button: discord.ui.Button[Any] = discord.ui.Button(label="Lay R7", custom_id="R7")
    logging.getLogger("discord.ui.view").error("Ignoring exception in dynamic item callback for %r", button)
    assert "Ignoring exception in dynamic item callback" in written.getvalue()
    assert "R7" not in written.getvalue()


def test_run_and_the_playground_set_it_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    levels: list[str] = []
    monkeypatch.setattr(logs, "set_up", levels.append)
    monkeypatch.setenv("PARLOUR_LOG_LEVEL", "DEBUG")
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "file"))
    (tmp_path / "file").write_text("no folder")
    settings = Settings(_env_file=None, discord_token=None)  # type: ignore[call-arg]
    assert run(settings) == 2
    assert playground.main() == 2
    assert levels == ["DEBUG", "DEBUG"]
