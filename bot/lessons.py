"""Lessons: a game's scripted game, in which somebody learns it by playing.

A lesson is data beside the rules of its game, `lesson.json`: a game from its first event on, its chance
fixed, cut into steps. A step says what is asked of the learner, who sits on the first seat, and what happens
then until the next one: the others' moves and all chance, in notation as `bot.rules.game.played` takes it.
What a step says to the learner is in the catalogues: `<game>.lesson.<step>`, `….hint` for another legal move
than the one asked for, `….unwise` for one that the step warns of, `….try` for the button that tries the move
the rules refuse.

How one is written: docs/lessons.md.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any, Final

from bot.rules.game import AnyState, Event, OptionValue, View, event_of
from bot.rules.registry import GAMES
from bot.rules.registry import game as rules_of

FILE: Final = "lesson.json"
LEARNER: Final = 0  # the seat


@dataclass(frozen=True, slots=True)
class LessonStep:
    """ask: the moves that are asked for, played together; none where there is only something to read. then:
    what happens until the next step. refused: a move of the learner's that the rules refuse, to be tried; ""
    for none. unwise: moves that the rules allow and the step warns of. table: whether what everybody sees of
    a table is shown, too."""

    name: str
    ask: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    refused: str = ""
    unwise: tuple[str, ...] = ()
    table: bool = False


@dataclass(frozen=True, slots=True)
class Position:
    """The game as it is at a step. view: the learner's. events: the record so far as the learner may know it.
    since: the place of the first event that the step before has not shown and that came after the learner's
    last turn, but for the one that is on."""

    state: AnyState
    view: View
    events: tuple[Event, ...]
    since: int


@dataclass(frozen=True)
class Lesson:
    """before: what happens before the first step."""

    game: str
    players: int
    options: Mapping[str, OptionValue]
    before: tuple[str, ...]
    steps: tuple[LessonStep, ...]

    @cached_property
    def positions(self) -> tuple[Position, ...]:
        """At each step. They are not to be changed. Made when first asked for, which takes longer than the
        event loop may be held. Raises RulesError for a script that the rules do not allow."""
        state = rules_of(self.game).start(self.players, self.options)
        told = _Told()
        told.play(state, self.before)
        found: list[Position] = []
        since = 0
        for step in self.steps:
            now = state.clone()
            known = tuple(now.redact(told.events, LEARNER))
            present = now.turn() if LEARNER in now.actors() else None
            before = [place for place, turn in told.own if turn != present]
            found.append(Position(now, now.view(LEARNER), known, max([since, *before])))
            since = len(told.events)
            told.play(state, (*step.ask, *step.then))
        return tuple(found)

    def read(self, place: int, moves: Sequence[str], *, written: bool = False) -> tuple[str, ...]:
        """These moves of one turn, as they can be played there one after another. written: as somebody wrote
        the first, to be read forgivingly. Raises Unreadable or Illegal where the rules refuse them."""
        state = self.positions[place].state
        first, *others = moves
        whole = (state.read(LEARNER, first) if written else first, *others)
        trial = state.clone()
        for move in whole:
            trial.check(LEARNER, move)
            trial.apply(Event("move", move, LEARNER))
        return whole

    def is_asked(self, place: int, moves: Sequence[str]) -> bool:
        """Whether these are what the step asks for, in whatever order."""
        return sorted(moves) == sorted(self.steps[place].ask)

    def is_unwise(self, place: int, moves: Sequence[str]) -> bool:
        """Whether the step warns of one of these."""
        return not set(moves).isdisjoint(self.steps[place].unwise)

    def kept(self, place: int, draft: str) -> str:
        """A draft of that step as it is stored: marked by the script so far. That of a later version may be
        another, in which the draft means nothing."""
        return f"{self._mark(place)} {draft}" if draft else ""

    def draft(self, place: int, kept: str) -> str:
        """The draft that was stored; "" where the script was another."""
        mark, _, draft = kept.partition(" ")
        return draft if mark == self._mark(place) else ""

    def _mark(self, place: int) -> str:
        rules, steps = rules_of(self.game), self.steps[: place + 1]
        so_far = (rules.version, self.players, self.options, self.before, steps)
        return hashlib.sha256(repr(so_far).encode()).hexdigest()[:6]


class _Told:
    """The events of a script so far. own: of the learner's decisions, the place behind each and its turn."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.own: list[tuple[int, int]] = []

    def play(self, state: AnyState, texts: Sequence[str]) -> None:
        """As `bot.rules.game.played`."""
        for text in texts:
            event = event_of(state, text)
            self.events.append(event)
            if event.kind == "move" and event.player == LEARNER:
                self.own.append((len(self.events), state.turn()))
            state.apply(event)


def lesson_of(game: str) -> Lesson | None:
    """The lesson of a game that is known here; None where it has none."""
    return _read(game, GAMES[game].rules) if game in GAMES else None


@cache
def _read(game: str, package: str) -> Lesson | None:
    file = resources.files(package).joinpath(FILE)
    if not file.is_file():
        return None
    data: dict[str, Any] = json.loads(file.read_text("utf-8"))
    steps = tuple(
        LessonStep(
            one["name"],
            tuple(one.get("ask", ())),
            tuple(one.get("then", ())),
            one.get("refused", ""),
            tuple(one.get("unwise", ())),
            one.get("table", False),
        )
        for one in data["steps"]
    )
    return Lesson(game, data["players"], data.get("options", {}), tuple(data.get("before", ())), steps)
