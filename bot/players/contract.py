"""What every computer player answers, and what they share of it.

A player weighs the moves of one view (`candidates`), and can try some of them out in games that could be
(`trial`). What is made of that is the same for all games (`bot/players/strengths.py`): three strengths,
hints, and what was worth thinking about after a game.

Chance in there is `Random.random()` alone, which is the same on every Python, fractions are added up by
`fsum` (`sum` rounds otherwise from Python 3.12 on), no decision hangs on the last digit of a power or a
logarithm, and a budget is a number of games, never a time: so a decision is the same on every machine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, Protocol, TypeVar

from bot.rules.game import View

ViewT = TypeVar("ViewT", bound=View)


@dataclass(frozen=True, slots=True)
class Term:
    """One reason for a move, from the evaluation itself.

    key: what is told of it, `<game>.why.<name>` in the catalogues. worth: in points, by which reasons are
    ranked. values: what fills the text's places.
    """

    key: str
    worth: float
    values: tuple[tuple[str, str | int], ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move worth weighing.

    move: canonical text. worth: what the evaluation gives it, in points. hidden: how hard it is for a person
    to find, from 0 (at a glance) to 1 (hardly ever). why: reasons, the weightiest first. evident: it brings
    so much more at once than the others that everybody expects it; who does not overlook it plays it. turn:
    the moves of the whole turn that it stands for, in an order in which they can be played, as far as it is
    known now; () where that is the move alone.
    """

    move: str
    worth: float
    hidden: float = 0.0
    why: tuple[Term, ...] = ()
    evident: bool = False
    turn: tuple[str, ...] = ()

    @property
    def moves(self) -> tuple[str, ...]:
        """What it stands for, at least its move."""
        return self.turn or (self.move,)


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do, and why. moves: canonical texts, played one after another in one turn. why: reasons, the
    weightiest first; none where it only came out best. only: nothing else can be played."""

    moves: tuple[str, ...]
    why: tuple[Term, ...]
    only: bool = False


class Trial(Protocol):
    """Moves tried out from one view in games that could be. They are known by their numbers, 0 being the
    first that was handed in."""

    def world(self, kept: Sequence[int], chance: Random) -> Sequence[float]:
        """Deal what is hidden as it could be, play each of these moves there with the same chance, and tell
        what each came to, in points: the seat's less the best of the others' (alone: its own), or whatever
        else the game wants to be large."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What the points of a player's trials are to a person.

    unit: what they are told in, `moments.worth.<unit>` in the catalogues. each: so many of these a point is.
    least: points by which a move has to be better for a person to be told of it. win: points that winning
    instead of losing counts in there beside those that are won, 0 where it counts none.
    """

    unit: str = "points"
    each: float = 1.0
    least: float = 1.0
    win: float = 0.0


class Player(ABC, Generic[ViewT]):
    """A game's computer player.

    blur: how often `easy` overlooks: it sees a move with the probability (1 - hidden) ** blur; in tenths.
    tried: how many moves, the best by evaluation, `hard` may try out (`to_try`). budget: games that it plays
    for that at most, all moves together. trust: as how many games the evaluation counts beside them. (Both
    can depend on the position: `effort`.) closing: the move that only ends a turn, where a hint can tell
    several moves of a turn at once.
    """

    blur: float = 1.0
    tried: int = 8
    budget: int = 400
    trust: float = 4.0
    closing: str = ""

    @abstractmethod
    def candidates(self, view: ViewT) -> list[Candidate]:
        """Moves worth weighing, the best first, at least one. Those that a
        rule of thumb forbids which everybody knows are not among them, while there are others. From the view
        alone, the same for equal views. Raises ValueError for a seat that may not act."""

    def to_try(self, view: ViewT, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """What `hard` tries out of the candidates, both the best first. A player may look at the first
        `tried` more closely for that, and give them another worth, in points too; and where moves stand for
        turns, it may try out several that begin with the same one."""
        return candidates[: self.tried]

    def effort(self, view: ViewT) -> tuple[int, float]:
        """What `hard` spends on this position: games, all moves together, `budget` at most; as how many games
        of a move its worth (of `to_try`) counts beside them."""
        return self.budget, self.trust

    @abstractmethod
    def trial(self, view: ViewT, tried: Sequence[Candidate]) -> Trial | None:
        """These, of `to_try`, to be tried out; None where that tells no more than the evaluation does."""

    def looking_back(self, view: ViewT, tried: Sequence[Candidate]) -> Trial | None:
        """The same for a game that is over: also of any legal move that was none (and then has no turn), and
        where the evaluation alone decides what is played. None where nothing can be said of them."""
        return self.trial(view, tried)

    def reasons(self, view: ViewT, move: str) -> tuple[Term, ...]:
        """What speaks for a legal move, or for the best turn that it is a part of, as far as it is weighed at
        all."""
        return next((one.why for one in self.candidates(view) if move in one.moves), ())

    def goes_on(self, view: ViewT, move: str) -> bool:
        """Whether this move is but one of the lays of a turn and more could follow it there. `looking_back`
        then takes it with the best of these, whatever did follow."""
        return False

    def scale(self, view: ViewT) -> Scale:
        """Of what `looking_back` tells."""
        return Scale()
