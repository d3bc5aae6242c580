"""Top 12 (Heinz Meister): fill a column of twelve rising numbers before anybody else (page `top12.md`).

Words: a *sheet* has five *columns* (hand, star, house, tree, moon; letters A to E) of twelve *rows*; a
*cell* is `B3`. In the *set-up* everybody writes the *start numbers*. Then, round by round, the *caller*
*calls* a number, the die shows a *face* (a column's symbol or the *joker*), and everybody *enters* the number
where it fits. A column is *dead* when it can never be filled; a round in which nobody enters is *idle*.

Where things are, each built on those above it:

* `sheet`: cells, and what a column takes (rules 1, 3, 4); `scoring`: who has won, titles (rules 8, 9);
* `notation`: texts of moves and chance;
* `view`: what a seat may know; `drawing`: what everybody may, in plain characters (`str(state)`);
* `legality`: what a seat may do (rules 1 to 5); `drafts`: set-ups that are being written;
* `position`: the facts of a position; `faults`: what can be wrong with it; `stored`: it as JSON;
* `state`: set-up, calls, rolls, entries, the end (rules 1 to 8);
* `text`: words; `rules`: the game, its options.

>>> from bot.rules.game import Event
>>> state = GAME.start(2, {})
>>> state.apply(Event("move", "50@A7 10@B2 30@C6 20@D5 40@E6", 1))
>>> state.actors()
(0,)
>>> state.apply(Event("move", state.stand_in(0), 0))
>>> state.apply(Event("chance", "first 1"))
>>> state.apply(Event("move", "call 9", 1))
>>> state.apply(Event("chance", "roll joker"))
>>> state.legal(0)[:6]
['9@B1', '9@B2', '9@C1', '9@C2', '9@C3', '9@D1']
>>> state.apply(Event("move", "9@E2", 0))
>>> print(state)
top12, enter, rolls 1
call 9, roll joker
    seat 0 chosen          seat 1 caller <
    points 1               points 1
     A   B   C   D   E      A   B   C   D   E
 1  10   .   .   .   .      .   .   .   .   .
 2   .   .   .   .   .      .  10   .   .   .
 3   .  20   .   .   .      .   .   .   .   .
 4   .   .  30   .   .      .   .   .   .   .
 5   .   .   .  40   .      .   .   .  20   .
 6   .   .   .   .  50      .   .  30   .  40
 7   .   .   .   .   .     50   .   .   .   .
 8   .   .   .   .   .      .   .   .   .   .
 9   .   .   .   .   .      .   .   .   .   .
10   .   .   .   .   .      .   .   .   .   .
11   .   .   .   .   .      .   .   .   .   .
12   .   .   .   .   .      .   .   .   .   .
"""

from __future__ import annotations

from .drafts import setup_add, setup_draft, setup_numbers
from .legality import entry_cells, sitting_out
from .rules import GAME, Top12
from .sheet import (
    CELLS,
    COLUMNS,
    FACES,
    JOKER,
    LEAST,
    LETTERS,
    MOST,
    ROWS,
    START_NUMBERS,
    SYMBOLS,
    Sheet,
    column_of,
    is_dead,
    open_rows,
    runs,
)
from .state import Top12State
from .text import entries_told
from .view import Round, Top12View, solo_title

__all__ = [
    "CELLS",
    "COLUMNS",
    "FACES",
    "GAME",
    "JOKER",
    "LEAST",
    "LETTERS",
    "MOST",
    "ROWS",
    "START_NUMBERS",
    "SYMBOLS",
    "Round",
    "Sheet",
    "Top12",
    "Top12State",
    "Top12View",
    "column_of",
    "entries_told",
    "entry_cells",
    "is_dead",
    "open_rows",
    "runs",
    "setup_add",
    "setup_draft",
    "setup_numbers",
    "sitting_out",
    "solo_title",
]
