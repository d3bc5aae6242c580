"""How a move is chosen: one small choice after another, free of Discord.

Each game gives a pure function `step(view, draft) -> Step`: given what the seat may know and the
part of the move chosen so far (a text, "" at the start), which choice comes next. The engine here does
the rest, alike for every game: a choice with one entry is made for the player, who is told; a way back leads
from every step to the last real choice; a finished move is shown as a preview that is at the same time the
question whether to play it.

The draft is stored with the seat, secret like a hand. Every control carries a digest of the
draft it was made for, so a click from an older step is told apart and answered with the current one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from bot.rules.game import Say, View
from bot.tables.taps import TRIED

ENTRIES = 25  # of one step: five rows of five buttons, or one select
ROW = 5  # buttons side by side
PARTS = (
    36  # components of a step's controls: a message has 40, and a page's frame, texts and picture are four
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A text still to be said in somebody's language. A value may be one too (the name of a colour, say), or
    several, which are said one after another."""

    key: str
    values: tuple[tuple[str, object], ...] = ()

    def said(self, say: Say) -> str:
        return say(self.key, **{name: _value(value, say) for name, value in self.values})


def _value(value: object, say: Say) -> object:
    if isinstance(value, tuple):
        return ", ".join(str(_value(one, say)) for one in value)
    return value.said(say) if isinstance(value, Phrase) else value


def phrase(key: str, **values: object) -> Phrase:
    return Phrase(key, tuple(values.items()))


def said(words: Phrase | str, say: Say) -> str:
    return words.said(say) if isinstance(words, Phrase) else words


@dataclass(frozen=True, slots=True)
class Choice:
    """value: names the piece or cell chosen (40 characters at most, unique in its step). draft: the draft
    after it. label: as in the picture, and short where it is a button (five share the width of a phone).
    description: shown in a menu. act: a button that names its act and asks nothing more: its draft is the
    whole move. button: leads on like an entry, and stands below them."""

    value: str
    draft: str
    label: Phrase | str
    description: Phrase | str = ""
    emoji: str = ""
    act: bool = False
    button: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """A button that opens a form of one line, in which the rest of the move is written. What is sent is
    played: read as a typed move after `before`.

    value: names it in its step. title: of the form. hint: shown in the empty line. least and most:
    characters."""

    value: str
    label: Phrase
    title: Phrase
    line: Phrase
    hint: Phrase | str = ""
    before: str = ""
    least: int = 1
    most: int = 100


@dataclass(frozen=True, slots=True)
class Step:
    """question: asked above the controls. choices: the entries (25 at most beside the acts and buttons).
    targets: cells to mark in the picture. move: the canonical move, where the draft is one that may be played
    now. then: moves of the same turn that are played with it, after it. back: the draft before the last
    choice, None at the start. asks: what can be written instead. menu:
    whether the entries are a menu; else they are buttons, `across` in a row. at_once: how many entries of a
    menu may be chosen together; they are taken one after another in the menu's order, so each must
    still be there after those before it. confirm: what the button says that plays the move, where the common
    label would say too little. made: the choices made for the player on the way here, by `settle`."""

    question: Phrase
    choices: tuple[Choice, ...] = ()
    targets: tuple[str, ...] = ()
    move: str = ""
    then: tuple[str, ...] = ()
    back: str | None = None
    asks: tuple[Ask, ...] = ()
    menu: bool = False
    across: int = ROW
    at_once: int = 1
    confirm: Phrase | None = None
    made: tuple[Choice, ...] = ()

    def __post_init__(self) -> None:
        if len(self.entries) > ENTRIES or self._parts() > PARTS:
            raise ValueError(f"a step of {len(self.entries)} entries: split it by meaning")
        if not 1 <= self.across <= ROW or (self.at_once > 1 and not self.menu):
            raise ValueError("buttons are taken one at a time, and five stand in a row")
        values = [choice.value for choice in self.choices] + [ask.value for ask in self.asks]
        if len(set(values)) != len(values):
            raise ValueError("two choices of a step have the same value")

    def _parts(self) -> int:
        """Components of its controls at most: with the buttons to play, to go back and to take back."""
        entries = len(self.entries)
        shown = min(entries, 1) * 2 if self.menu else entries + ceil(entries / self.across)
        others = len(self.choices) - entries + len(self.asks) + 3
        return shown + others + ceil(others / ROW)

    @property
    def entries(self) -> tuple[Choice, ...]:
        return tuple(choice for choice in self.choices if not choice.act and not choice.button)

    @property
    def actions(self) -> tuple[Choice, ...]:
        return tuple(choice for choice in self.choices if choice.act)

    @property
    def onward(self) -> tuple[Choice, ...]:
        """Buttons that lead on, below the entries."""
        return tuple(choice for choice in self.choices if choice.button and not choice.act)

    @property
    def forced(self) -> Choice | None:
        """The only way on, where there is just one and nothing could be played instead."""
        one = self.choices[0] if len(self.choices) == 1 and not self.asks else None
        return one if one is not None and not one.act and not self.move else None

    @property
    def decides(self) -> bool:
        """Whether there is more than one way on."""
        return bool(self.move) + len(self.choices) + len(self.asks) > 1

    def choice(self, value: str) -> Choice | None:
        return next((choice for choice in self.choices if choice.value == value), None)

    def ask(self, value: str) -> Ask | None:
        return next((ask for ask in self.asks if ask.value == value), None)


StepOf = Callable[[Any, str], Step]
"""A game's own: the next choice of the move of its view's seat, which may act, after the part of it that is
chosen already; pure."""


def digest(draft: str) -> str:
    """Six characters that tell drafts apart; says nothing about what is in them."""
    return hashlib.sha256(draft.encode()).hexdigest()[:6]


def mark(draft: str, returns: int = 0) -> str:
    """What the controls of a page carry: the draft they were made for, and how often its player went back
    before. A client takes a control with the same id for the same one, and would not send an entry again that
    it holds for chosen already."""
    return f"{digest(draft)}-{returns}" if returns else digest(draft)


def read_mark(text: str) -> tuple[str, int]:
    """Digest and number of returns of a mark."""
    made_for, _, returns = text.partition("-")
    return made_for, int(returns[:4]) if returns.isascii() and returns.isdecimal() else 0


def settle(step_of: StepOf, view: View, draft: str) -> tuple[str, Step]:
    """The draft with all forced choices made, and the first step that is a real one. A move that was written
    and waits for its yes (`TRIED`) is shown by its text."""
    if draft.startswith(TRIED):
        move = draft.removeprefix(TRIED)
        return draft, Step(phrase("hand.typed", move=move), move=move, back="")
    made: tuple[Choice, ...] = ()
    step = step_of(view, draft)
    while (forced := step.forced) is not None:
        made, draft = (*made, forced), forced.draft
        step = step_of(view, draft)
    return draft, replace(step, made=made) if made else step


def choose(step_of: StepOf, view: View, draft: str, values: Sequence[str]) -> str | None:
    """The draft after these entries (or this one button) of the step at `draft`, taken in the step's order;
    None where one is not there, or more are given than may be chosen at once."""
    step = settle(step_of, view, draft)[1]
    chosen = [choice.value for choice in step.choices if choice.value in values]
    if not 1 <= len(values) <= step.at_once or len(chosen) != len(values):
        return None
    for value in chosen:
        choice = step_of(view, draft).choice(value)
        if choice is None or choice.act:
            return None
        draft = choice.draft
    return draft


def back(step_of: StepOf, view: View, step: Step) -> str | None:
    """The draft at the last real choice before `step`; None where there was none."""
    before = step.back
    while before is not None:
        earlier = step_of(view, before)
        if earlier.forced is None:
            return before
        before = earlier.back
    return None


END = "end"
LOOKED_AT = 300  # steps, to find whether a move may still come of a draft


def leads_to(step_of: StepOf, view: View, draft: str, moves: Sequence[str]) -> bool:
    """Whether these moves of one turn can still come of a draft. What is not found among `LOOKED_AT` steps
    counts as no: among a great many one looks first where the draft has no other parts than the moves."""
    wanted = set().union(*map(_parts, moves))
    ahead, known = [draft], set[str]()
    while ahead and len(known) < LOOKED_AT:
        draft, step = settle(step_of, view, ahead.pop())
        if draft in known:
            continue
        known.add(draft)
        whole = [step.move, *step.then] if step.move else []
        if whole and _lays(whole) == _lays(moves):
            return True
        if not set().union(*map(_parts, whole)) <= wanted | {END}:
            continue
        if any(choice.act and [choice.draft] == [*moves] for choice in step.choices):
            return True
        onward = [choice.draft for choice in step.choices if not choice.act]
        ahead += sorted(onward, key=lambda one: _fits(one, wanted))
    return False


def _lays(moves: Iterable[str]) -> list[str]:
    """In some order, without what only ends their turn: a hint does not tell that."""
    return sorted(move for move in moves if move != END)


def _parts(text: str) -> set[str]:
    """What a move or draft is made of: its pieces, each with its place."""
    return set(re.split("[ +:]", text)) - {""}


def _fits(draft: str, wanted: Collection[str]) -> int:
    """How many of its parts may become wanted ones: of one that is not whole, its beginning
    or row tells."""
    return sum(any(_may_become(part, one) for one in wanted) for part in _parts(draft))


def _may_become(part: str, whole: str) -> bool:
    piece, _, place = part.partition("@")
    wanted, _, cell = whole.partition("@")
    return piece == wanted and (cell.startswith(place) or cell[1:] == place)
