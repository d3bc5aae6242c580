"""How many taps a move takes, counted over whole games: the table of the design (docs/at-the-table.md).

Everybody plays by the steps of their private page, careful, as the engine shows them: a button is one tap, a
menu two (open, choose), *Play* one; from the table message *Your move* is one more. Nobody goes back.
"""

from __future__ import annotations

from collections import Counter

import pytest

from bot.rules.chance import Generator
from bot.rules.game import Event, State, View
from bot.rules.registry import game
from cogs.fivetotwelve import FiveToTwelve
from cogs.game_cog import GameCog
from cogs.surfaces import steps
from cogs.top12 import Top12
from cogs.topominos import Topominos
from cogs.topspot import TopSpot
from cogs.zatre import Zatre

from .tabletop import bare

COGS: dict[str, type[GameCog]] = {
    "fivetotwelve": FiveToTwelve,
    "top12": Top12,
    "zatre": Zatre,
    "topominos": Topominos,
    "topspot": TopSpot,
}
SEATS = {
    "fivetotwelve": (2, 3, 4),
    "top12": (1, 2, 4),
    "zatre": (2, 3, 6),
    "topominos": (1, 2, 4),
    "topspot": (3, 4, 5),
}
MOST = {  # taps on an open panel
    "set-up tile": 2,
    "reveal and lay": 3,
    "take from the middle": 3,
    "opening": 11,
    "call": 2,
    "enter": 2,
    "one tile": 3,
    "two tiles": 5,
    "one piece and end": 3,
    "each further piece": 2,
    "one card": 2,
    "a combination of two": 3,
}


def tapped(cog: GameCog, view: View, chance: Generator) -> tuple[tuple[str, ...], int]:
    """The moves that some taps of `view.seat` lead to, and how many those were. What can be played is
    played half of the time, else gone on from."""
    draft, taps = "", 0
    while True:
        draft, step = steps.settle(cog.step, view, draft)
        if step.move and (not step.choices or chance.below(2)):
            return (step.move, *step.then), taps + 1
        choice = chance.choice(step.choices)
        taps += 2 if step.menu and choice in step.entries else 1
        if choice.act:
            return (choice.draft,), taps
        draft = choice.draft


def kind_of(name: str, view: View, moves: tuple[str, ...]) -> tuple[str, int]:
    """The line of the table that these moves belong to, "" for one that is not there; and of how many tiles,
    pieces or cards they are."""
    first = moves[0]
    match name:
        case "fivetotwelve":
            if view.phase == "place":  # type: ignore[attr-defined]
                return "set-up tile", 1
            return ("take from the middle" if first.startswith("take") else "reveal and lay"), 1
        case "top12":
            if first.startswith("call"):
                return "call", 1
            return ("enter" if " " not in first else "opening"), 1
        case "zatre":
            return {1: "one tile", 2: "two tiles"}.get(first.count("@"), ""), first.count("@")
        case "topominos":
            lays = sum("@" in move for move in moves)
            return ("one piece and end" if "end" in moves and lays else ""), lays
        case _:
            cards = first.count("+") + 1
            return {1: "one card", 2: "a combination of two"}.get(cards, ""), cards


def whole_game(name: str, players: int) -> Counter[str]:
    """The most taps that each kind of move took in a game played by taps to its end."""
    cog, rules, chance = bare(COGS[name], game(name)), game(name), Generator(f"{name} {players}", "taps")
    state: State = rules.start(players, {})
    most: Counter[str] = Counter()
    open_taps = 0  # of a turn that is played in two moves: what was tapped for the first
    for number in range(3000):
        if state.outcome() is not None:
            return most
        if state.chance_due():
            state.apply(state.draw(Generator(name, f"event:{number}")))
            continue
        seat = chance.choice(state.actors())
        view = state.view(seat)
        moves, taps = tapped(cog, view, chance)
        taps, open_taps = taps + open_taps, 0
        for move in moves:
            state.apply(Event("move", move, seat))
        if moves == ("draw",):
            open_taps = taps
            continue
        kind, count = kind_of(name, view, moves)
        if kind == "one piece and end" and count > 1:
            kind, taps = "each further piece", -(-(taps - MOST[kind]) // (count - 1))
        if kind:
            most[kind] = max(most[kind], taps)
    raise AssertionError("a game without an end")


@pytest.mark.parametrize("name", COGS)
def test_no_move_of_a_whole_game_takes_more_taps_than_the_table_says(name: str) -> None:
    for players in SEATS[name]:
        most = whole_game(name, players)
        for kind, taps in sorted(most.items()):
            print(f"{name}, {players} seats, {kind}: {taps + 1} from the table, {taps} on an open panel")
            assert taps <= MOST[kind], (players, kind)
