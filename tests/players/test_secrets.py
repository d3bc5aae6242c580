"""What a computer player is handed leads neither to the table's seed nor to a position: whoever follows every
reference from it finds nothing that its seat may not know."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType

import pytest

import bot.players
from bot.cli import selfplay
from bot.levels import Level
from bot.rules.chance import Generator, child_seed
from bot.rules.game import State, View
from bot.rules.registry import GAME_IDS, game
from bot.tables.computers import ComputerPlayers, in_threads
from tests.sweeps import swept
from tests.tables.support import ADA, PLACE, Rig

SEED = "5eed" * 16


def reachable(*roots: object) -> Iterator[object]:
    """Every object that can be got at from these, by attributes, slots, containers, closures, defaults and
    bound methods. Classes, modules and what a function's module holds belong to the program and are left
    out."""
    seen: dict[int, object] = {}
    front = list(roots)
    while front:
        one = front.pop()
        if id(one) in seen or isinstance(one, (type, ModuleType)):
            continue
        seen[id(one)] = one  # kept alive, so that no number comes twice
        yield one
        if isinstance(one, FunctionType):
            front += [one.__closure__, one.__defaults__, one.__kwdefaults__, one.__dict__]
        else:
            front += gc.get_referents(one)


def leaks(seed: str, *roots: object) -> list[str]:
    """What must not be there and is: a position, or the seed in any text or bytes."""
    found: list[str] = []
    for one in reachable(*roots):
        if isinstance(one, State):
            found.append(type(one).__name__)
        elif (isinstance(one, str) and seed in one) or (
            isinstance(one, (bytes, bytearray)) and seed.encode() in one
        ):
            found.append(f"the seed in {type(one).__name__}")
    return found


def test_the_search_finds_what_is_hidden_deep() -> None:
    state = game("topspot").start(3, {})

    class Holder:
        __slots__ = ("inner",)

        def __init__(self, inner: object) -> None:
            self.inner = inner

        def method(self) -> None: ...

    def closing_over(secret: object) -> Callable[[], object]:
        return lambda: secret

    for secret, told in (
        (state, "TopSpotState"),
        (SEED + "tail", "the seed in str"),
        (b"x" + SEED.encode(), "the seed in bytes"),
    ):
        holder = Holder({"a": [(frozenset(), closing_over({"b": secret}))]})
        assert leaks(SEED, holder.method) == [told]
    assert leaks(SEED, Generator(SEED, "x")) == ["the seed in bytes"]
    assert leaks(SEED, Generator("other", "x"), Holder, bot.players) == []


class Enough(Exception):
    """So many choices were looked at."""


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_selfplay_hands_its_players_neither_seed_nor_position(
    game_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[list[str]] = []
    real = bot.players.choose

    def choose(asked: str, view: View, chance: Generator) -> str:
        found.append(leaks(SEED, asked, view, chance))
        if len(found) == 12:
            raise Enough
        return real(asked, view, chance)

    monkeypatch.setattr(bot.players, "choose", choose)
    rules = game(game_id)
    with pytest.raises(Enough):
        selfplay(rules, rules.max_seats, SEED, {}, computer=True)
    assert found == [[]] * 12


@pytest.mark.parametrize("game_id", swept(GAME_IDS, daily=("topspot", "topominos")))
async def test_a_table_hands_its_players_neither_seed_nor_position(game_id: str, rig: Rig) -> None:
    opened = await rig.tables.open(ADA, PLACE, game_id, computers=2)
    table = (await rig.tables.start(opened.table.id, ADA)).table
    found: list[list[str]] = []

    def choose(asked: str, view: View, chance: Generator, level: Level) -> str:
        found.append(leaks(table.seed, asked, view, chance, level))
        return bot.players.choose(asked, view, chance, level)

    computers = ComputerPlayers(rig.tables, rig.clock, rig.background, think=in_threads(choose))
    chance = Generator("Ada", game_id)
    for _ in range(30):
        await computers.run_due()
        if len(found) >= 8:
            break
        loaded = await rig.tables.load(table.id)
        [seat] = loaded.table.to_act
        assert loaded.state is not None
        await rig.tables.move(table.id, ADA, loaded.state.random_move(seat.index, chance), seat.since)
    assert len(found) >= 8
    assert not any(found), found


def test_a_child_seed_is_its_purpose_s_own_and_never_changes() -> None:
    """Pinned: a table would play on otherwise after an update, were it ever to be proven fair."""
    assert child_seed("s", "a") == "f25083e52ed66fea2ae879a55cf66149f365869c52fd199534c5680245ccf0f5"
    made = {child_seed(seed, purpose) for seed in ("s", "t") for purpose in ("a", "b")}
    assert len(made) == 4
    # no child is a block of what the seed's own streams are made of
    assert child_seed("s", "a") != hashlib.sha256(b"parlour/1\0s\0a\x000").hexdigest()
