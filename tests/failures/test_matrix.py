"""The failure matrix: every call that a whole game makes, every fault, once and for ever.

A table of the case's game is played in the server's channel, half by taps and half by typed moves, while one
of its calls fails; beside it runs a table of other people in another channel. Whatever fails, the game comes
to its proven end, the bot asks a bounded number of times, nothing is logged as an error, the other
table goes on, and once Discord works again the end is shown and nothing of the table can be pressed.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest

from bot.rules import record as records
from bot.rules.chance import Generator
from bot.tables.model import Person, Status, Table
from tests.cogs.sim import Sim, custom_ids, walk
from tests.cogs.tabletop import open_choice, tap
from tests.sweeps import swept
from tests.tables.support import typed

from .trouble import FOR_GOOD, KINDS, Trouble

MakeSim = Callable[..., Awaitable[Sim]]

# What a whole game calls, found by playing one (the first test holds these lists complete), and the
# set-up that brings the calls about.
GAMES: dict[str, dict[str, Any]] = {
    "5vor12": {
        "options": {"setup": "sorted"},
        "threads": True,
        "calls": (
            "POST answer",
            "PATCH lobby",
            "POST thread",
            "POST table",
            "PATCH table",
            "DELETE table",
            "POST dm",
            "POST hand",
            "DELETE hand",
            "PATCH panel",
            "DELETE panel",
        ),
    },
    "topominos": {
        "options": {},
        "threads": False,
        "calls": (
            "POST answer",
            "PATCH lobby",
            "POST lobby",
            "DELETE lobby",
            "POST dm",
            "POST hand",
            "PATCH hand",
            "DELETE hand",
            "PATCH panel",
            "DELETE panel",
        ),
    },
}
TAPS = 8
HOUR = 3600.0
LOBBY = {"join", "leave", "start", "cancel", "add_computer", "remove_computer"}
CONTROLS = LOBBY | {"move", "hand", "menu", "act", "way", "pick", "play", "back", "write", "undo"}


@dataclass(frozen=True, slots=True)
class Case:
    game: str
    call: str
    kind: str
    always: bool

    def __str__(self) -> str:
        return f"{self.game}: {self.call}, {self.kind}, {'for ever' if self.always else 'once'}"


SINGLE = frozenset({"POST thread", "POST dm", "POST lobby"})  # a game may make just one of these

CASES = [
    Case(game, call, kind, always)
    for game, setting in GAMES.items()
    for call, kind, always in product(setting["calls"], KINDS, (False, True))
]


def some_of_everything() -> list[Case]:
    """Every fifth kind of fault, once or for ever, each at another call; all others are long."""
    calls = [(game, call) for game, setting in GAMES.items() for call in setting["calls"]]
    random.Random("matrix").shuffle(calls)
    return [Case(*calls[at % len(calls)], kind, at % 2 == 1) for at, kind in enumerate(KINDS)][4::5]


QUICK = some_of_everything()


class Game:
    """One table, played whatever Discord says: by clicks where there is something to click, else by what the
    tables themselves take."""

    def __init__(self, sim: Sim, slash: str, channel: Any, *people: Any) -> None:
        self.sim, self.slash, self.channel, self.people = sim, slash, channel, people
        self.id = ""
        self.chance = Generator("matrix", slash)

    async def table(self) -> Table:
        return await self.sim.bot.tables.table(self.id)

    async def quietly(self, work: Awaitable[Any]) -> Any:
        """Something done behind Discord's back."""
        with self.sim.env._bot_scope():
            return await work

    async def open(self, options: dict[str, Any]) -> None:
        sim, tables = self.sim, self.sim.bot.tables
        host, guest = self.people
        await host.slash(self.channel, f"{self.slash} new", players=2, **options)
        await sim.env.settle()
        self.id = (await tables.tables_of(host.id))[0].id
        for person, verb, step in ((guest, "join", tables.join), (host, "start", tables.start)):
            before = (await self.table()).revision
            lobby = await self.shown("lobby_message")
            if lobby is not None:
                controls = [custom for custom in custom_ids(lobby) if custom.split(":")[3] == verb]
                if controls:
                    await sim.press(person, lobby, controls[0])
            if (await self.table()).revision == before:
                await self.quietly(step(self.id, Person(person.id, person.user.name)))
        await sim.env.settle()
        assert (await self.table()).status is Status.PLAYING

    async def shown(self, which: str) -> Any:
        place = (await self.table()).place
        message = getattr(place, which)
        for channel in (place.thread, place.channel):
            if message is not None and channel is not None:
                found = self.sim.look(channel, message)
                if found is not None:
                    return found
        return None

    async def taps(self, count: int) -> None:
        for _ in range(count):
            table = await self.table()
            if table.status is not Status.PLAYING:
                return
            person = self.sim.who(table.to_act[0].user)
            board = await self.shown("table_message")
            before = table.revision
            if board is not None:
                move = [custom for custom in custom_ids(board) if custom.split(":")[3] == "move"]
                result = await self.sim.press(person, board, move[0])
                page = result.response.message if result.response is not None else None
                while page is not None and (await self.table()).revision == before and open_choice(page):
                    looked = self.sim.look(page.channel.id, page.id)
                    if looked is None:
                        break
                    shown = await tap(self.sim, person, looked, self.chance)
                    if custom_ids(shown) == custom_ids(page):
                        break  # the answer did not come
                    page = shown
            if (await self.table()).revision == before:
                await self.type()

    async def type(self) -> bool:
        """One move as a typed one. False when there is none to make."""
        loaded = await self.sim.bot.tables.load(self.id)
        if loaded.table.status is not Status.PLAYING or loaded.state is None:
            return False
        seat = loaded.table.to_act[0]
        move = loaded.state.stand_in(seat.index)  # of all players the quickest
        await self.quietly(typed(self.sim.bot.tables, self.id, Person(seat.user or 0, "x"), move))
        return True

    async def finish(self) -> None:
        for turn in range(1000):
            if not await self.type():
                break
            if turn % 4 == 0:
                await self.sim.env.settle()
        await self.sim.env.settle()
        table = await self.table()
        assert table.status is Status.ENDED
        assert table.outcome is not None
        written = await self.sim.bot.tables.record(self.id)
        assert records.verify(written.encode()).fault is None

    def controls(self) -> list[str]:
        """What of this table can still be pressed, private answers aside."""
        found = []
        for messages in self.sim.env.backend.messages.values():
            for stored in messages.values():
                if stored.flags & 64:
                    continue
                message = self.sim.look(stored.channel_id, stored.id)
                for part in walk(message.components if message is not None else ()):
                    control = str(getattr(part, "custom_id", "") or "").split(":")
                    if len(control) > 3 and control[1] == self.id and control[3] in CONTROLS:
                        found.append(f"{stored.channel_id}/{stored.id} {control[3]}")
        return found


async def hours_pass(sim: Sim, count: int) -> None:
    for _ in range(count):
        await sim.env.advance_time(HOUR + 1)


async def whole_game(sim: Sim, slash: str) -> Game:
    """A game with everything in it that calls Discord: an hour passes in its middle."""
    game = Game(sim, slash, sim.channel, sim.ada, sim.ben)
    await game.open(GAMES[slash]["options"])
    await game.taps(TAPS)
    await hours_pass(sim, 1)
    await game.finish()
    return game


async def prepared(make_sim: MakeSim, slash: str, *, judged: bool = False) -> Sim:
    """judged: hold every request body against Discord's own file (slow; once for each game will do)."""
    sim = await make_sim()
    if not judged:
        sim.malformed = list  # type: ignore[method-assign]
    if not GAMES[slash]["threads"]:
        await sim.bot.tables.set_guild(sim.guild.id, threads=False)
    await sim.bot.tables.set_user(sim.ben.id, notices="dm")
    return sim


@pytest.mark.usefixtures("late_tries")
@pytest.mark.parametrize("slash", swept(GAMES))
async def test_the_calls_of_a_whole_game(
    make_sim: MakeSim, slash: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lists above hold every call that a game makes when nothing fails."""
    sim = await prepared(make_sim, slash, judged=True)
    trouble = Trouble(sim, (sim.ada, sim.ben))
    trouble.install(monkeypatch)
    game = await whole_game(sim, slash)
    assert set(trouble.seen) == set(GAMES[slash]["calls"])
    assert game.controls() == []


async def survive(sim: Sim, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    aside = sim.guild.create_text_channel("aside")
    other = Game(sim, "5vor12", aside, sim.cleo, sim.dev)
    await other.open({"setup": "sorted"})
    await other.taps(2)

    trouble = Trouble(sim, (sim.ada, sim.ben), case.call, case.kind, always=case.always)
    second = len(str(case)) % 2 and case.call not in SINGLE
    trouble.skip = 1 if second and not case.always else 0  # the first or the second call
    trouble.install(monkeypatch)
    game = await whole_game(sim, case.game)
    changes = (await game.table()).revision
    assert trouble.struck > 0
    asked = sum(trouble.seen.values())
    # Where every send stays unclear, each is looked for beside: what it tells of, and what it replaced.
    assert asked < 15 * changes, trouble.seen

    # Nobody touches it: what is tried again is bounded, and stops where it is of no use.
    struck = trouble.struck
    await hours_pass(sim, 2)
    tried = trouble.struck - struck
    assert tried <= (8 if case.kind.startswith(FOR_GOOD) else 2 * 4 * 2 + 8), f"{tried} calls in two hours"

    await other.taps(2)
    assert (await other.table()).painted == (await other.table()).revision
    assert await other.shown("table_message") is not None

    trouble.lift()
    with sim.env._bot_scope():
        await sim.bot.on_resumed()
    sim.env.backend.advance_clock(24 * HOUR)  # a day in which nothing happens
    await hours_pass(sim, 1)
    table = await game.table()
    assert table.painted == table.revision
    assert await game.shown("table_message") is not None
    assert game.controls() == []
    assert await sim.bot.services.shown.owed_at(game.id) == []


@pytest.mark.usefixtures("late_tries")
@pytest.mark.parametrize("case", QUICK, ids=str)
async def test_a_game_survives(make_sim: MakeSim, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    await survive(await prepared(make_sim, case.game), case, monkeypatch)


@pytest.mark.long
@pytest.mark.usefixtures("late_tries")
@pytest.mark.parametrize("case", [case for case in CASES if case not in QUICK], ids=str)
async def test_a_game_survives_the_rest(
    make_sim: MakeSim, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    await survive(await prepared(make_sim, case.game), case, monkeypatch)
