"""Topominos (Goliath): see-through pieces are stacked in nine compartments so that no dot lies on a dot.

A piece has one to four dots on a 3×3 grid, is laid on either face and in any direction, and is named by the
alphabetically first of the up to eight dot sets that it can show. A stack of nine dots is complete and leaves
the board. Rule numbers are those of the game's page.

Where things are, each built on those above it:

* `pieces`: the pieces, what they can show, the compartments, adding up dots (rules 1 and 3);
* `notation`: the texts of moves and chance results;
* `view`: what a seat knows; `drawing`: what everybody does, in plain characters (`str(state)`);
* `legality`: what a seat may do next (rules 3 and 4); `menus`: the same in steps;
  `drafts`: turns half laid;
* `position`: what a position consists of; `stored`: it as JSON; `faults`: whether it can be;
* `state`: how it goes on: draws, turns, points, ends (rules 1, 2, and 4 to 11);
* `text`: words; `rules`: the game, its options and versions.

Two begin: they draw for the start, and are dealt five pieces each.

>>> from bot.rules.game import Event
>>> from bot.rules.topominos import GAME
>>> state = GAME.start(2, {})
>>> state.apply(Event("chance", "lots abcd e"))
>>> state.apply(Event("chance", "draw a abcd ac bdfh e", 0))
>>> state.apply(Event("chance", "draw ab abce abcg abch abd", 1))
>>> state.actors(), state.legal(0)[:3], state.legal(0)[-1]
((0,), ['a@A1', 'a@A2', 'a@A3'], 'swap e')

The first starts a stack with `abcd`, and then all goes to that compartment.

>>> state.apply(Event("move", "abcd@B2", 0))
>>> state.legal(0)
['e@B2', 'end', 'g@B2', 'gi@B2', 'i@B2']
>>> state.apply(Event("move", "gi@B2", 0))
>>> print(state)
topominos, game 1, phase turn, turn of seat 0
   A    B    C
1  ...  ...  ...
   ...  ...  ...
   ...  ...  ...
2  ...  111  ...
   ...  1..  ...
   ...  2.2  ...
3  ...  ...  ...
   ...  ...  ...
   ...  ...  ...
bag 46, gone 0
seat 0: points 0, match 0, rack 3
seat 1: points 0, match 0, rack 5
laid abcd@B2 gi@B2, nines 0, mode start

The turn scores the six dots, and the rack is to be refilled.

>>> state.apply(Event("move", "end", 0))
>>> state.points, state.next_chance()
([6, 0], ('draw', 0))
"""

from .drafts import Draft, draft
from .legality import Choice
from .menus import layable, most_swapped, passing_ends
from .pieces import (
    CELL_INDEX,
    CELLS,
    COPIES,
    FACES,
    FITTING,
    FULL,
    LETTERS,
    MASKS,
    NAMES,
    PIECES,
    SET,
    fill,
    rack_size,
)
from .rules import GAME, VERSIONS, Topominos
from .state import TopominosState
from .view import LastTurn, TopominosView, unseen

__all__ = [
    "CELLS",
    "CELL_INDEX",
    "COPIES",
    "FACES",
    "FITTING",
    "FULL",
    "GAME",
    "LETTERS",
    "MASKS",
    "NAMES",
    "PIECES",
    "SET",
    "VERSIONS",
    "Choice",
    "Draft",
    "LastTurn",
    "Topominos",
    "TopominosState",
    "TopominosView",
    "draft",
    "fill",
    "layable",
    "most_swapped",
    "passing_ends",
    "rack_size",
    "unseen",
]
