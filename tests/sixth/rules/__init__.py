"""Blocked Corners, for two.

1. At first both secretly name a corner that is *blocked*, the same one perhaps. When both have, the corners
   are shown, and the lot tells who begins.
2. In turn each marks a free cell; blocked cells are not free. Seat 0 has crosses, seat 1 noughts.
3. Three marks of one's own in a row, a column or a diagonal win. When no cell is free, both share the win.

Moves are `block A1`, then `B2`; the chance event is `first 0`. Where things are, each built on those above:

* `board`: cells, lines, and the texts of moves;
* `view`: what a seat may know, and it drawn with plain characters;
* `legality`: what a seat may do;
* `state`: how the game goes on;
* `text`: words; `game`: the game itself.

>>> from bot.rules.game import Event, advance
>>> state = GAME.start(2, {})
>>> state.apply(Event("move", "block A1", 0))
>>> state.view(1).blocks, state.actors()  # that there is a choice, not which
(('?', ''), (1,))
>>> state.apply(Event("move", "block C3", 1))
>>> advance(state, "an example", 2)
[Event(kind='chance', text='first 0', player=None)]
>>> for seat, cell in ((0, "B2"), (1, "B1"), (0, "A3"), (1, "B3"), (0, "C1")):
...     state.apply(Event("move", cell, seat))
>>> print(state)
  A B C
1 # O X
2 . X .
3 X O #
>>> state.outcome()
Outcome(scores=(1, 0), winners=(0,), reason='three in a row')
"""

from __future__ import annotations

from .board import CELLS, COLUMNS, LINES, ROWS, SIGNS
from .game import GAME, Corners
from .state import CornersState
from .view import HIDDEN, CornersView

__all__ = [
    "CELLS",
    "COLUMNS",
    "GAME",
    "HIDDEN",
    "LINES",
    "ROWS",
    "SIGNS",
    "Corners",
    "CornersState",
    "CornersView",
]
