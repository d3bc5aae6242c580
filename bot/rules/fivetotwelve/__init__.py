"""5 vor 12 (Michael Schacht), also sold as Lucky Numbers: who first fills sixteen cells with rising numbers?

Words: a *tile* is a number from 1 to 20, one set of them per player. Face down they are the *stock*, face up
the *middle*; the tile just revealed is the *hand*. A player *draws* from the stock or *takes* from the
middle, and *lays* the tile on a free cell, *exchanges* it for one of the own board, or *leaves* a drawn one
in the middle. In set-up tiles come in *waves*. Nothing is hidden but the order of the stock.

Where things are, each built on those above it:

* `board`: the cells, their names, and what lies on them;
* `notation`: the texts of moves and chance results;
* `lay_or_exchange`: laying a tile on a free cell or in exchange, and where it fits (rules 3 and 4, `bruno`);
* `view`: what is seen; `drawing`: the same in plain characters (`str(state)`);
* `scoring`: who wins a game or a series, and its points (rules 5 and 6);
* `legality`: which moves a seat has (rules 1 and 2);
* `position`: what a position consists of; `stored`: it as JSON; `faults`: what can be wrong with it;
* `state`: how it goes on: the lot, set-up, turns, ends (rules 1 to 6);
* `text`: words; `rules`: the game, its options.

The same by the rules (numbers of the game's page):

    1, set-up                  legality.SetUp, state.FiveState.play_chance
    2, draw or take            legality.Turn, state.FiveState.play
    2 and 3, lay or exchange   lay_or_exchange.fitting, lay_or_exchange.lay
    4, rows and columns rise   lay_or_exchange.fits, lay_or_exchange.clash
    5, the end of a game       state.FiveState.play, scoring.best
    6, a series                scoring.result
    option first               state.FiveState.draw
    option setup               legality.SetUp, position.Position.dealt
    option bruno               lay_or_exchange.lucky
    when 2b is closed          position.IDLE_PER_PLAYER, view.FiveView.closed

A game of two in which set-up lays itself:

>>> from bot.rules.game import Event
>>> state = GAME.start(2, {"setup": "sorted", "first": "host"})
>>> for text, seat in (("first 0", None), ("deal 2 8 13 19", 0), ("deal 1 7 12 20", 1)):
...     state.apply(Event("chance", text, seat))
>>> state.actors(), state.legal(0)
((0,), ['draw'])
>>> state.apply(Event("move", "draw", 0))
>>> state.apply(Event("chance", "reveal 13"))
>>> state.legal(0)
['13@A1', '13@A4', '13@B2', '13@B4', '13@C3', '13@D1', '13@D2', '13@D4', 'leave']
>>> state.apply(Event("move", "13@B2", 0))  # exchanged for the 8
>>> print(state)
fivetotwelve, game 1 of 1, phase turn, seat 1 to move
seat 0: 4/16     seat 1: 4/16
   A  B  C  D       A  B  C  D
1  2  .  .  .    1  1  .  .  .
2  . 13  .  .    2  .  7  .  .
3  .  . 13  .    3  .  . 12  .
4  .  .  . 19    4  .  .  . 20
middle: 8; face down: 31
>>> state.check(1, "take 8@A2")
Traceback (most recent call last):
    ...
bot.rules.errors.Illegal: ('row', '4', {'tile': 8, 'number': 7, 'cell': 'A2', 'other': 'B2'})
"""

from __future__ import annotations

from .board import CELLS, DIAGONAL, INDEX, SIDE, SIZE, TOP, Board
from .lay_or_exchange import fitting
from .notation import Move, parse
from .rules import GAME, FiveToTwelve
from .state import FiveState
from .view import FiveView, GameResult, Placement

__all__ = [
    "CELLS",
    "DIAGONAL",
    "GAME",
    "INDEX",
    "SIDE",
    "SIZE",
    "TOP",
    "Board",
    "FiveState",
    "FiveToTwelve",
    "FiveView",
    "GameResult",
    "Move",
    "Placement",
    "fitting",
    "parse",
]
