"""How many taps a move takes: whole games of all five, played through the controls of the panel.

Whoever has the turn taps at random among what the page offers, until a move is played; nobody goes back. A
button is one tap, an entry of a menu two (open, choose). The table stands in the summary of every run
(`python -m pytest tests/cogs/test_taps.py`): the most taps of each kind of move, from the table message (one
more, *Your move*) and on a panel that is open.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from bot.locale import sayer
from bot.rules.chance import Generator
from bot.rules.game import Event, View
from bot.rules.registry import GAMES
from bot.rules.registry import game as rules_of
from cogs import custom_ids
from cogs.fivetotwelve import FiveToTwelve
from cogs.game_cog import GameCog
from cogs.surfaces import steps
from cogs.surfaces.components import Button, Buttons, Select
from cogs.surfaces.hand import at_table, step_controls
from cogs.top12 import Top12
from cogs.topominos import Topominos
from cogs.topspot import TopSpot
from cogs.zatre import Zatre
from tests.figures import Figures
from tests.sweeps import swept_rows

from .tabletop import bare

COGS = {kind.game_id: bare(kind, rules_of(kind.game_id)) for kind in (
    FiveToTwelve, Top12, Zatre, Topominos, TopSpot
)}  # fmt: skip
# The most taps from the table message and from an open panel.
LIMITS = {
    "fivetotwelve": {"set-up tile": (3, 2), "reveal and lay": (4, 3), "take from the middle": (4, 3)},
    "top12": {"opening": (12, 11), "call": (3, 2), "enter": (3, 2)},
    "zatre": {"1 tile": (4, 3), "2 tiles": (6, 5)},
    "topominos": {"one piece and end": (4, 3), "each further piece": (2, 2)},
    "topspot": {"1 card": (3, 2), "2 cards": (4, 3)},
}
SEATS = {"fivetotwelve": (2, 3, 4), "top12": (1, 2, 4), "zatre": (2, 3, 6), "topominos": (1, 2, 4)}
SEATS["topspot"] = (3, 4, 5)
OPTIONS: dict[str, dict[str, Any]] = {"topspot": {"level": "expert"}}
SAY = sayer("en")

Tap = tuple[int, custom_ids.Control, tuple[str, ...]]  # taps, the control, the entries chosen


def offered(step: steps.Step, draft: str) -> list[Tap]:
    """What the page offers, but for going back and writing."""
    found: list[Tap] = []
    for block in step_controls(at_table("ZZZZZZ", 1), step, draft, False, SAY):
        for one in block.buttons if isinstance(block, Buttons) else ():
            assert isinstance(one, Button)
            control = custom_ids.parse(one.id)
            if control is not None and control.verb != "write":
                found.append((1, control, ()))
        if isinstance(block, Select):
            control = custom_ids.parse(block.id)
            assert control is not None
            found += [(2, control, (entry.value,)) for entry in block.entries]
    return found


def played(cog: GameCog[Any], view: View, chance: Generator) -> tuple[int, tuple[str, ...]]:
    """The taps to a move, and it with those that follow in the same turn."""
    draft, taps = "", 0
    while True:
        draft, step = steps.settle(cog.step, view, draft)
        tappable = offered(step, draft)
        confirms = [tap for tap in tappable if tap[1].verb == "play"]
        if confirms and len(tappable) > 1 and chance.below(2):
            tappable = [tap for tap in tappable if tap not in confirms]
        elif confirms:
            tappable = confirms
        cost, control, values = chance.choice(tappable)
        taps += cost
        mark, _, value = control.argument.partition(".")
        assert steps.digest(draft) == steps.read_mark(mark)[0]
        if control.verb == "play":
            return taps, (step.move, *step.then)
        choice = step.choice(value)
        if choice is not None and choice.act:
            return taps, (choice.draft,)
        grown = steps.choose(cog.step, view, draft, values or (value,))
        assert grown is not None
        draft = grown


def kinds(game: str, view: Any, taps: int, moves: tuple[str, ...], before: int) -> list[tuple[str, int]]:
    """What was done, with its taps. before: those of the reveal that the move goes on from."""
    [move, *_] = moves
    match game:
        case "fivetotwelve" if view.phase == "place":
            return [("set-up tile", taps)]
        case "fivetotwelve" if before:
            return [("reveal and lay" if "@" in move else "reveal and leave", before + taps)]
        case "fivetotwelve":
            return [("take from the middle", taps)] if move.startswith("take") else []
        case "top12":
            return [({"setup": "opening", "call": "call"}.get(view.phase, "enter"), taps)]
        case "zatre":
            tiles = move.count("@")
            return [(f"{tiles} tile{'s' * (tiles != 1)}" if tiles else "keep", taps)]
        case "topominos" if "@" in move:
            lays = sum("@" in one for one in moves)
            more = [("each further piece", -(-(taps - 3) // (lays - 1)))] if lays > 1 else []
            return more or [("one piece and end" if moves[-1] == "end" else "the last piece", taps)]
        case "topominos":
            return [(move.partition(" ")[0], taps)]
        case _:
            cards = move.count("+") + 1
            return [(f"{cards} card{'s' * (cards != 1)}", taps)]


def counted(game: str, seats: int) -> dict[str, int]:
    """The most taps on the panel by kind of move, in one whole game."""
    rules, cog = rules_of(game), COGS[game]
    most: dict[str, int] = defaultdict(int)
    state = rules.start(seats, OPTIONS.get(game, {}))
    chance = Generator("taps", f"{game} {seats}")
    drawn: dict[int, int] = {}
    for number in range(3000):
        if state.outcome() is not None:
            return most
        if state.chance_due():
            state.apply(state.draw(Generator("taps", str(number))))
            continue
        seat = chance.choice(state.actors())
        view = state.view(seat)
        taps, moves = played(cog, view, chance)
        for move in moves:
            rules.check(state.view(seat), move)
            state.apply(Event("move", move, seat))
        if moves == ("draw",):
            drawn[seat] = taps
            continue
        for kind, count in kinds(game, view, taps, moves, drawn.pop(seat, 0)):
            most[kind] = max(most[kind], count)
    raise AssertionError("the game does not end")


@pytest.mark.parametrize(
    ("game", "seats"),
    swept_rows(
        [(game, seats) for game in GAMES for seats in SEATS[game]],
        daily=[(game, SEATS[game][1]) for game in GAMES],
    ),
)
def test_a_whole_game_stays_within_the_taps(game: str, seats: int, figures: Figures) -> None:
    most = counted(game, seats)
    figures(f"{game}, {seats} seats: taps from the table / on an open panel (most of each, at most)")
    for kind, taps in sorted(most.items()):
        table, panel = LIMITS[game].get(kind, (0, 0))
        opens = 0 if kind == "each further piece" else 1  # of the same turn, the panel is open
        limit = f"  ({table} / {panel})" if table else ""
        figures(f"  {kind:22} {taps + opens:2} / {taps:2}{limit}")
        assert not table or (taps + opens <= table and taps <= panel), (kind, taps)
    assert set(LIMITS[game]) <= set(most), "each kind was played"
