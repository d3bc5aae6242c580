"""What steps offer of a choice: a piece, then where it goes and which way; or an exchange. All made from the
view; a seat that may not act is offered nothing."""

from __future__ import annotations

from .legality import choice_of, lays
from .notation import LAYS
from .pieces import CELLS, NAMES
from .state import PASSED_ROUNDS
from .view import TopominosView


def layable(view: TopominosView) -> dict[str, dict[str, tuple[str, ...]]]:
    """Own piece → compartment it fits now → the moves, one for each distinct fitting direction (at most
    eight). Pieces and compartments that offer nothing are left out; all sorted.

    >>> from bot.rules.game import Event
    >>> from bot.rules.topominos import GAME
    >>> state = GAME.start(1, {})
    >>> state.apply(Event("chance", "lots abe"))
    >>> state.apply(Event("chance", "draw a abcd ac bdfh e", 0))
    >>> state.apply(Event("move", "abcd@B2", 0))
    >>> layable(state.view(0))
    {'a': {'B2': ('g@B2', 'i@B2')}, 'ac': {'B2': ('gi@B2',)}, 'e': {'B2': ('e@B2',)}}
    """
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for move in lays(choice_of(view)) if view.seat in view.actors else ():
        lay = LAYS[move]
        cells = found.setdefault(NAMES[lay.dots], {})
        cells[CELLS[lay.cell]] = (*cells.get(CELLS[lay.cell], ()), move)
    return {name: dict(sorted(found[name].items())) for name in sorted(found)}


def most_swapped(view: TopominosView) -> int:
    """How many pieces may be exchanged now; 0 where no exchange is open."""
    if view.seat not in view.actors or view.laid:
        return 0
    return min(len(view.rack), view.bag)


def passing_ends(view: TopominosView) -> bool:
    """Whether the game ends when this turn is passed: all have passed three times running then (ruling)."""
    if view.turn is None or view.starter is None or view.laid:
        return False
    last = (view.turn + 1) % view.players == view.starter
    return last and view.passes + 1 >= PASSED_ROUNDS * view.players
