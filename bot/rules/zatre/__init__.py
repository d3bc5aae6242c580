"""Zatre: runs of 10, 11 and 12 on a board of 193 cells, each player (or pair) with a score sheet.

Rules and rulings are those of the game's page, docs/rules/zatre.md; comments cite its numbers.

Words used here: a *run* is a whole line of adjacent tiles, across or down; a *light* cell is one that may
earn a *cross*, which doubles a row of the *sheet*; the *red* cell is the one in the middle, where the game
begins; tiles are *held* until they are laid, and those that lie make up the *layout*; a *placement* is one
tile laid, (cell, value); a *turn* is all placements of one move; a *draft* is a turn half laid.

Where things are, each built on those before it:

* `tiles`, `board`: the tiles, and which cells there are; `cellsets`: sets of cells, as numbers;
* `layout`: the tiles lying, with what decides where another one fits;
* `notation`: texts of turns and of chance; `scoring`: runs, gains, sheets (rules 6 to 9);
* `listing`: the search engine, which lists all turns; `completion`: whether a draft can still become one;
* `legality`: `Turn`, which decides what is legal (rules 1 to 5);
* `position`: the facts of a position; `view`: what a seat may know of it;
* `drafts`: turns being laid in steps; `drawing`: what everybody may see, in plain characters (`str(state)`);
* `stored`: a position as JSON; `faults`: what can be wrong with it;
* `state`: how a game goes on (rules 1, 5 and 10); `text`: all words; `rules`: the game, its options.

>>> from bot.rules.game import Event
>>> state = GAME.start(2, {})
>>> state.apply(Event("chance", "lots 5 2"))  # seat 0 opens, and has the 5
>>> state.apply(Event("chance", "draw 1 6", 0))
>>> state.actors(), len(state.legal(0)), state.legal(0)[:2]
((0,), 76, ['1@F8 5@G8 6@H8', '1@F8 6@G8 5@H8'])
>>> state.apply(Event("move", "5@H8 6@H9 1@H10", 0))
>>> state.apply(Event("chance", "draw 2 3", 1))
>>> print(state)  # what everybody may see
   A B C D E F G H I J K L M N O
 1         . . #   # . .
 2   # . . . . . . . . . . . #
 3   . # . . . . . . . . . # .
 4   . . # . . . . . . . # . .
 5 . . . . # . . . . . # . . . .
 6 . . . . . # . . . # . . . . .
 7 # . . . . . # . # . . . . . #
 8   . . . . . . 5 . . . . . .
 9 # . . . . . # 6 # . . . . . #
10 . . . . . # . 1 . # . . . . .
11 . . . . # . . . . . # . . . .
12   . . # . . . . . . . # . .
13   . # . . . . . . . . . # .
14   # . . . . . . . . . . . #
15         . . #   # . .
zatre laying=free partners=False, 116 in the bag
turn of 1, who drew 2
0: 5@H8 6@H9 1@H10
seat 0: 8 points, holds nothing
seat 1: 0 points, holds ? ?
sheet 0: x - - 4 = 8
sheet 1:
"""

from .board import (
    CELLS,
    COLUMNS,
    EMPTY,
    INDEX,
    LIGHT,
    NAMES,
    RED,
    SIDE,
    WIDTH,
    Placement,
    with_tiles,
)
from .drafts import Preview, next_placements, preview
from .layout import Layout
from .legality import Turn, greedy_turn, list_turns
from .notation import KEEP, parse_placements, placements_text
from .rules import GAME, Zatre
from .scoring import Gain, Row, Run, Sheet, gain, sheet_total
from .state import ZatreState
from .text import lots_words, worth_words
from .tiles import TILES, TOTAL, VALUES
from .view import ZatreView

__all__ = [
    "CELLS",
    "COLUMNS",
    "EMPTY",
    "GAME",
    "INDEX",
    "KEEP",
    "LIGHT",
    "NAMES",
    "RED",
    "SIDE",
    "TILES",
    "TOTAL",
    "VALUES",
    "WIDTH",
    "Gain",
    "Layout",
    "Placement",
    "Preview",
    "Row",
    "Run",
    "Sheet",
    "Turn",
    "Zatre",
    "ZatreState",
    "ZatreView",
    "gain",
    "greedy_turn",
    "list_turns",
    "lots_words",
    "next_placements",
    "parse_placements",
    "placements_text",
    "preview",
    "sheet_total",
    "with_tiles",
    "worth_words",
]
