"""Computer players think in processes of their own, and a killed one costs no table anything."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bot import drawing
from bot.cli import selfplay
from bot.levels import Level
from bot.players import advise, choose
from bot.players.moments import Past, look_back
from bot.rules.chance import Generator
from bot.rules.errors import Unreadable
from bot.rules.game import Event, View
from bot.rules.registry import game
from bot.thinking import BEHIND, Thinkers
from bot.workers import Interrupted

ROOT = Path(__file__).parents[1]
SEED = "thinking"
NICEST = 19  # no process is nicer
# In the position after it each level plays another move.
PLAYED = (("first 0", None), ("deal 4 5 7 9", 0), ("deal 5 14 17 19", 1), ("draw", 0), ("reveal 14", None))


@pytest.fixture
def thinkers() -> Iterator[Thinkers]:
    made = Thinkers(workers=1)
    yield made
    made.close()


def position() -> View:
    state = game("fivetotwelve").start(2, {"setup": "sorted"})
    for text, seat in PLAYED:
        state.apply(Event("chance" if state.chance_due() else "move", text, seat))
    return state.view(0)


def chance() -> Generator:
    return Generator(SEED, "choice")


def here(level: Level) -> str:
    """What a player of that level does, as this process finds it."""
    return choose("fivetotwelve", position(), chance(), level)


def test_the_levels_can_be_told_apart() -> None:
    """Or a move of another one would pass for theirs: where a player has changed, look for such a position
    again."""
    assert len({here(level) for level in Level}) == len(Level)


@pytest.mark.parametrize("level", Level)
async def test_a_process_decides_as_this_one_does(thinkers: Thinkers, level: Level) -> None:
    assert await thinkers.choose("fivetotwelve", position(), chance(), level) == here(level)


def nice() -> int:
    return os.getpriority(os.PRIO_PROCESS, 0)


async def test_it_lets_others_go_first(thinkers: Thinkers) -> None:
    """Pictures too, which people wait for."""
    assert BEHIND > drawing.BEHIND > 0
    await thinkers.choose("fivetotwelve", position(), chance(), Level.EASY)
    [process] = processes(thinkers)
    assert os.getpriority(os.PRIO_PROCESS, process) == min(nice() + BEHIND, NICEST)


async def test_one_that_is_killed_costs_a_move_of_the_middle_level_at_most(
    thinkers: Thinkers, caplog: pytest.LogCaptureFixture
) -> None:
    """Of whatever waited for it: what is easy stays so, and nothing else is done in another one's place."""
    process = await thinkers.run(os.getpid)
    halt(process)
    moves = [
        asyncio.create_task(thinkers.choose("fivetotwelve", position(), chance(), level)) for level in Level
    ]
    await asyncio.sleep(0)
    os.kill(process, signal.SIGKILL)
    assert await asyncio.gather(*moves) == [here(Level.EASY), here(Level.MEDIUM), here(Level.MEDIUM)]
    assert caplog.text.count("was killed") == 1
    assert thinkers._workers._pool is None, "nothing waits any more, so none is begun"
    assert await thinkers.choose("fivetotwelve", position(), chance(), Level.HARD) == here(Level.HARD)
    assert processes(thinkers) != [process]


async def test_a_hint_is_found_in_a_process_as_in_this_one(thinkers: Thinkers) -> None:
    view = position()
    assert await thinkers.advise("fivetotwelve", view, chance()) == advise("fivetotwelve", view, chance())


async def test_a_hint_whose_process_is_killed_is_told_as_lost_and_found_by_the_next(
    thinkers: Thinkers, caplog: pytest.LogCaptureFixture
) -> None:
    view = position()
    found = await thinkers.advise("fivetotwelve", view, chance())
    [process] = processes(thinkers)
    halt(process)
    lost = asyncio.create_task(thinkers.advise("fivetotwelve", view, chance()))
    await asyncio.sleep(0)
    os.kill(process, signal.SIGKILL)
    with pytest.raises(Interrupted):
        await lost
    assert "was killed" in caplog.text
    assert await thinkers.advise("fivetotwelve", view, chance()) == found


async def test_something_else_is_thought_about_there_too(
    thinkers: Thinkers, caplog: pytest.LogCaptureFixture
) -> None:
    assert await thinkers.run(nice) == min(nice() + BEHIND, NICEST)
    [process] = processes(thinkers)
    assert await thinkers.run(os.getpid) == process
    with pytest.raises(Interrupted):
        await thinkers.run(os._exit, 1)
    assert "was killed" in caplog.text
    assert await thinkers.run(os.getpid) != process


async def test_what_is_refused_there_is_told_here_and_ends_no_process(thinkers: Thinkers) -> None:
    process = await thinkers.run(os.getpid)
    for _ in range(2):
        with pytest.raises(Unreadable) as refused:
            await thinkers.run(game("fivetotwelve").parse, "nothing")
    with pytest.raises(Unreadable) as here:
        game("fivetotwelve").parse("nothing")
    assert (refused.value.key, refused.value.rule, refused.value.data) == (
        here.value.key,
        here.value.rule,
        here.value.data,
    )
    assert await thinkers.run(os.getpid) == process


async def test_a_game_is_looked_back_on_piece_by_piece_while_others_think(thinkers: Thinkers) -> None:
    record = selfplay(game("top12"), 2, SEED, {})
    own = tuple(place for place, event in enumerate(record.events) if event.player == 0)
    past = Past(record.game, 2, {}, record.events, own[:30])

    async def at_once(work: Callable[..., Any], /, *given: Any) -> Any:
        return work(*given)

    pieces = 0

    async def run(work: Callable[..., Any], /, *given: Any) -> Any:
        nonlocal pieces
        pieces += 1
        return await thinkers.run(work, *given)

    told: list[float] = []
    looked = asyncio.create_task(look_back(past, SEED, run, told.append))
    for _ in range(3):
        await thinkers.choose("fivetotwelve", position(), chance(), Level.EASY)
    assert not looked.done()  # nobody waited for all of it
    assert await looked == await look_back(past, SEED, at_once, lambda _: None)
    assert pieces > 10
    assert told == sorted(told)
    assert 0.0 < told[0] < told[-1] < 1.0


def held(begun: Path, until: Path) -> None:
    """Thinks from when the first pipe is read until the second is written to."""
    begun.write_text("")
    with until.open("rb", buffering=0) as end:
        end.read(1)


async def test_what_is_thought_about_is_given_up_at_the_end(tmp_path: Path) -> None:
    """What waits, and what is on, which would have come to something."""
    begun, until = tmp_path / "begun", tmp_path / "until"
    for pipe in (begun, until):
        os.mkfifo(pipe)
    made = Thinkers(workers=1)
    process = await made.run(os.getpid)
    waiting: list[asyncio.Task[Any]] = [asyncio.create_task(made.run(held, begun, until))]
    waiting += [asyncio.create_task(made.run(os.getpid)) for _ in range(4)]
    await asyncio.to_thread(begun.read_text)
    made.close()
    made.close()
    with until.open("r+b", buffering=0) as end:
        end.write(b".")
    assert [type(one) for one in await asyncio.gather(*waiting, return_exceptions=True)] == [Interrupted] * 5
    with pytest.raises(Interrupted):
        await made.run(os.getpid)
    assert made._workers._pool is None
    await asyncio.to_thread(gone, process)


def test_a_process_ends_with_its_bot_however_that_ends(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys\n"
        "from tests.test_thinking import *\n"
        "async def main():\n"
        "    made = Thinkers(workers=1)\n"
        "    await made.choose('fivetotwelve', position(), chance(), Level.EASY)\n"
        "    print(*processes(made), flush=True)\n"
        "    await asyncio.Event().wait()\n"
        "if __name__ == '__main__':\n"
        "    asyncio.run(main())\n"
    )
    program = tmp_path / "program.py"
    program.write_text(code)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, env=env, text=True) as bot:
        assert bot.stdout is not None
        process = int(bot.stdout.readline())
        bot.kill()
    gone(process)


def processes(thinkers: Thinkers) -> list[int]:
    pool = thinkers._workers._pool
    assert pool is not None
    return list(pool._processes)


def halt(process: int) -> None:
    """It thinks no more, whatever is handed in, until it is killed."""
    os.kill(process, signal.SIGSTOP)
    os.waitid(os.P_PID, process, os.WSTOPPED)


def gone(process: int) -> None:
    """Wait until there is no such process."""
    while True:
        try:
            os.kill(process, 0)
            stat = Path(f"/proc/{process}/stat")
            if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except (ProcessLookupError, FileNotFoundError):  # the second where it goes between two looks
            return
