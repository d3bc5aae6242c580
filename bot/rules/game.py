"""The rules contract: what every game answers, and what all games share of it.

A `Game` is the static side (name, seats, options, legality as a view shows it); a `State` is one position
and the only mutable thing here. At any moment a state is in exactly one of three conditions:

* chance is due (`chance_due()`): the next event is one particular kind of chance event;
* decisions are due (`actors()` is not empty): one or several seats may move;
* the game is over (`outcome()` is not None).

Every chance result and every decision is an `Event`; `State.apply` is the one way forward, used alike for
live play, for loading and for checking foreign records. It checks everything, and changes nothing when it
raises. Who may act, in which order errors come, and whether an event has its turn is told here, once for all
games; a game fills in the hooks (`parse`, `choice`, `listed`, `judge`, `play`, and their like for chance).

Legality is asked of a `choice`: the facts that decide what a seat may do now. It is made from the seat's
view; a state may make the same one by a quicker way (`State.choice`), and tests hold the two equal.

Standard library only. No clock, no global randomness: chance is drawn from the `Generator` that is handed
in. Texts are not made here: errors carry a code and data, and `Game.board_text` gets its words through `Say`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol, Self, TypeAlias, TypeVar

from .chance import Generator
from .errors import Extra, Missing, NotYours, RulesError, SetupError, Unreadable

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
OptionValue: TypeAlias = "bool | int | str | None"
Voice: TypeAlias = Literal["do", "did"]


class Say(Protocol):
    """Looks a text up in one language's catalogue and fills its `{name}` places."""

    def __call__(self, key: str, /, **values: object) -> str: ...


# --------------------------------------------------------------------------- values


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a record.

    A decision has kind "move", the deciding seat and the canonical move text. A
    chance result has kind "chance" and `player` only where one seat receives it.
    """

    kind: Literal["chance", "move"]
    text: str
    player: int | None = None


class Told(NamedTuple):
    """What a seat did in one turn, or what a round or game that ended brought it: a phrase to stand beside
    its name. own: what of it is news to the seat itself too, "" for nothing."""

    seat: int
    text: str
    own: str = ""


class Fuller(NamedTuple):
    """What tells more of a decision than its text: the history has `<game>.event.<kind>`, with who decided as
    `name`, in place of what `Game.describe` says. values: what else is named there."""

    kind: str
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Outcome:
    """scores by seat; winners sorted, several when shared; reason from the game's page
    (a stable English token, e.g. "board full"; shown through key `<game>.reason.<slug>`,
    spaces as underscores)."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    reason: str

    def to_json(self) -> dict[str, JSON]:
        return {"scores": list(self.scores), "winners": list(self.winners), "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game. kind: "choice" (one of `choices`), "flag" (true or false),
    "number" (a whole number from `minimum` to `maximum`)."""

    name: str
    kind: Literal["choice", "flag", "number"]
    default: OptionValue
    choices: tuple[str, ...] = ()
    minimum: int = 1
    maximum: int = 2**53 - 1  # beyond it not every JSON reader keeps a number whole

    def accepts(self, value: object) -> bool:
        match self.kind:
            case "choice":
                return isinstance(value, str) and value in self.choices
            case "flag":
                return isinstance(value, bool)
            case "number":
                return (
                    isinstance(value, int)
                    and not isinstance(value, bool)
                    and self.minimum <= value <= self.maximum
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What one seat (or a spectator, seat None) may know, and nothing else.

    Each game subclasses this with its public facts and that seat's own secrets. It
    is all that pictures, texts, autocomplete, notices and computer players may be
    made from. Values are hashable or tuples, compared by value.
    """

    seat: int | None
    players: int
    options: tuple[tuple[str, OptionValue], ...]
    actors: tuple[int, ...]
    outcome: Outcome | None
    scores: tuple[int, ...] = field(default=())  # shown standing, by seat


ViewT = TypeVar("ViewT", bound=View)


def is_seat(player: object, players: int) -> bool:
    """Whether this is a seat's number at a table of so many seats (true and 1.0 are none)."""
    return type(player) is int and 0 <= player < players


# --------------------------------------------------------------------------- state


class State(ABC, Generic[ViewT]):
    """One position. Asking changes nothing; only `apply` does."""

    __slots__ = ()

    game: Game[ViewT]  # at the version whose rules this position goes by
    players: int
    options: dict[str, OptionValue]  # complete, defaults filled in

    @abstractmethod
    def __str__(self) -> str:
        """What everybody may see of it, drawn in text."""

    # who and what is due

    @abstractmethod
    def actors(self) -> tuple[int, ...]:
        """Seats that may act now, sorted; empty when chance is due or the game is over."""

    def phase(self) -> str:
        """A name for a simultaneous phase of several waves that is one to its players (a set-up): choices
        that open while it lasts are told once, at its start. "" where every choice is told by itself."""
        return ""

    @abstractmethod
    def turn(self) -> int:
        """Where decisions are due: the number of the turn that is on, or of the simultaneous choice (one wave
        of a set-up, the entries of one round). All parts of a turn have the same number, a later turn, an
        extra one too, has a higher one; no number comes twice in a match or series. It follows from the
        position alone: what is taken back and played again has the number it had."""

    def in_secret(self) -> bool:
        """Whether a simultaneous choice is open of which a seat does not see what others have chosen."""
        return False

    @abstractmethod
    def chance_due(self) -> bool:
        """Whether the next event must be a chance result."""

    @abstractmethod
    def draw(self, chance: Generator) -> Event:
        """The chance event that is due, drawn fairly. Does not apply it. Raises ValueError where none is."""

    @abstractmethod
    def outcome(self) -> Outcome | None: ...

    # moves

    def choice(self, seat: int) -> Any:
        """What decides which moves `seat`, one of `actors()`, has: equal to `game.choice(view(seat))`. A game
        whose speed has been measured to need it makes it from the position itself."""
        return self.game.choice(self.view(seat))

    def legal(self, seat: int) -> list[str]:
        """Every legal move of `seat` in canonical text, sorted by character code, without
        duplicates; [] for a seat that may not act. Where `lists(seat)` is false the
        list would explode: raises ValueError (use `check`)."""
        return self.game.listed(self.choice(seat)) if seat in self.actors() else []

    def lists(self, seat: int) -> bool:
        """Whether `legal(seat)` can be listed (two exceptions: Top 12's set-up, Zatre
        turns with more than four tiles held)."""
        return True

    def check(self, seat: int, move: str) -> None:
        """Nothing, if the canonical text `move` is legal for `seat` now. Raises, in this order
        of precedence, Unreadable, NotYours, Illegal."""
        parsed = self.game.parse(move)
        self.must_act(seat)
        self.game.judge(self.choice(seat), parsed)

    def must_act(self, seat: int) -> None:
        """Nothing, if it is for `seat` to decide now. Raises NotYours."""
        if seat not in self.actors():
            raise NotYours("over" if self.outcome() else "turn")

    @abstractmethod
    def read(self, seat: int, text: str) -> str:
        """Canonical text of what a person typed: spaces, lower case, the order of
        placements and another legal order of the same stack are forgiven. Raises Unreadable.
        Does not ask whether the move is legal (but may use the position to resolve)."""

    def random_move(self, seat: int, chance: Generator) -> str:
        """A legal move, uniform over `legal(seat)` where that can be listed."""
        return chance.choice(self.legal(seat))

    def stand_in(self, seat: int) -> str:
        """What is played for a seat that ran out of time: legal, cheap, deterministic, and a
        function of `view(seat)` alone. Raises NotYours for a seat that may not act."""
        self.must_act(seat)
        return self.game.stand_in(self.choice(seat))

    # forward

    def apply(self, event: Event) -> None:
        """Check `event` fully and play it. Raises Unreadable, NotYours, Illegal, Impossible,
        Missing or Extra, and then has changed nothing."""
        if self.outcome():
            raise Extra("over")
        if event.kind == "chance":
            self._apply_chance(event)
        elif event.kind == "move":
            self._apply_move(event)
        else:
            raise Unreadable("move")

    def _apply_chance(self, event: Event) -> None:
        kind, result = self.game.parse_chance(event.text)
        seat = event.player
        if not (is_seat(seat, self.players) if self.game.chance_kinds[kind] else seat is None):
            raise Unreadable("chance")
        if not self.chance_due():
            raise Extra("chance")
        if (kind, seat) != self.next_chance():
            raise Missing("other_chance")
        self.play_chance(kind, result)

    def _apply_move(self, event: Event) -> None:
        seat = event.player
        if type(seat) is not int or not 0 <= seat < self.players:  # is_seat, told so that types follow
            raise Unreadable("move")
        move = self.game.parse(event.text)
        if self.chance_due():
            raise Missing("chance")
        if seat not in self.actors():
            raise NotYours("turn")
        self.game.judge(self.choice(seat), move)
        self.play(seat, move)

    @abstractmethod
    def next_chance(self) -> tuple[str, int | None]:
        """Where chance is due: its kind and, where one seat receives it, that seat."""

    @abstractmethod
    def play(self, seat: int, move: Any) -> None:
        """Carry out a legal move (as `Game.parse` gives it)."""

    @abstractmethod
    def play_chance(self, kind: str, result: Any) -> None:
        """Carry out the chance result that is due (as `Game.parse_chance` gives it). Raises Impossible, and
        then has changed nothing."""

    # seeing

    @abstractmethod
    def view(self, seat: int | None) -> ViewT: ...

    def redact(self, events: Sequence[Event], seat: int | None) -> list[Event]:
        """The record so far (all of it, this being its state) as `seat` may know it:
        hidden pieces or numbers are replaced by `?`, one for each, order-free."""
        return list(events)

    # text and checks

    @abstractmethod
    def to_json(self) -> dict[str, JSON]:
        """Everything, with the schema number under "schema"."""

    @abstractmethod
    def clone(self) -> State[ViewT]:
        """An independent copy; cheap (no deepcopy)."""

    def copied(self, names: Iterable[str]) -> Self:
        """For `clone`: a copy with these attributes, lists and dictionaries copied one level deep."""
        copy = object.__new__(type(self))
        for name in names:
            value = getattr(self, name)
            setattr(copy, name, value.copy() if type(value) in (list, dict) else value)
        return copy

    @abstractmethod
    def faults(self) -> list[str]:
        """What is wrong with this position (tiles that exist too often, rows that do not
        rise, …), judged independently of how it came about. [] for every reachable position. English,
        for developers and logs only."""


# --------------------------------------------------------------------------- examples


@dataclass(frozen=True, slots=True)
class Example:
    """A move in a position, legal or not, to be shown beside the rules.

    name: of its sentence, `<game>.example.<name>`. view: of the seat that would move. move: canonical.
    refused: the code of the `Illegal` that refuses it, "" for a legal one.
    """

    name: str
    view: View
    move: str
    refused: str = ""

    @property
    def legal(self) -> bool:
        return not self.refused


def played(state: State[ViewT], *events: str) -> State[ViewT]:
    """A position for an example: these events played from `state` on, which is changed. Each is a text as
    `event_of` takes it. Raises what `State.apply` raises."""
    for text in events:
        state.apply(event_of(state, text))
    return state


def event_of(state: State[ViewT], text: str) -> Event:
    """What a text of notation is in that position, of a move or of the chance that is due; the seat that it
    is about follows from the position. Of several seats that may act the first does."""
    if state.chance_due():
        return Event("chance", text, state.next_chance()[1])
    return Event("move", text, state.actors()[0])


# --------------------------------------------------------------------------- game


class Game(ABC, Generic[ViewT]):
    """The static facts of one game, at one version of its rules. A module's `GAME` is the current one;
    `registry.py` finds it and the older ones.

    Versions of a game differ in how a position goes on, that is in its `State`; seats, options, views, moves,
    texts and the schema are common to all.
    """

    id: ClassVar[str]  # module name, record name
    version: int = 1  # bumped by any change of the rules
    schema: ClassVar[int] = 1  # of State.to_json
    min_seats: ClassVar[int]
    max_seats: ClassVar[int]
    option_list: ClassVar[tuple[Option, ...]] = ()
    hidden_hands: ClassVar[bool] = False  # whether a private hand message makes sense
    reasons: ClassVar[tuple[str, ...]]  # every Outcome.reason
    chance_kinds: ClassVar[Mapping[str, bool]]  # every kind of chance, and whether one seat receives it

    def versions(self) -> tuple[Game[ViewT], ...]:
        """This game at every version that tables and records may have, the oldest first and the current one
        last."""
        return (self,)

    def options_for(self, players: int, given: Mapping[str, object]) -> dict[str, OptionValue]:
        """Complete options from the given ones. Raises SetupError for a seat count out of
        range, an unknown option, a value of the wrong kind, or a forbidden combination."""
        if (
            not isinstance(players, int)
            or isinstance(players, bool)
            or not self.min_seats <= players <= self.max_seats
        ):
            raise SetupError("seats", least=self.min_seats, most=self.max_seats, given=_shown(players))
        known = {option.name: option for option in self.option_list}
        full = self.defaults(players)
        for name, value in given.items():
            option = known.get(name)
            if option is None:
                raise SetupError("unknown_option", option=_shown(name))
            if not option.accepts(value):
                raise SetupError("option_value", option=name, given=_shown(value))
            full[name] = value  # type: ignore[assignment]  # accepts() has narrowed it
        self.check_options(players, given, full)
        return full

    def defaults(self, players: int) -> dict[str, OptionValue]:
        return {option.name: option.default for option in self.option_list}

    def seat_counts(self, given: Mapping[str, object]) -> tuple[int, ...]:
        """How many may play with these options, ascending: the numbers that `options_for` takes."""
        return tuple(
            players for players in range(self.min_seats, self.max_seats + 1) if self._fits(players, given)
        )

    def _fits(self, players: int, given: Mapping[str, object]) -> bool:
        try:
            self.options_for(players, given)
        except SetupError:
            return False
        return True

    def sides(self, players: int, options: Mapping[str, object]) -> tuple[tuple[int, ...], ...]:
        """The seats that play together, side by side, where some do: they share a score, and win together.
        () where everybody plays alone. options: as given, or complete."""
        return ()

    def check_options(
        self, players: int, given: Mapping[str, object], full: Mapping[str, OptionValue]
    ) -> None:
        """Hook for combinations that exclude each other; raises SetupError."""

    def written_options(self, players: int, full: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        """The options a record lists: those that differ from the default."""
        default = self.defaults(players)
        return {name: value for name, value in full.items() if value != default[name]}

    @abstractmethod
    def start(self, players: int, options: Mapping[str, object]) -> State[ViewT]:
        """First state (usually chance is due). Raises SetupError."""

    def load(self, data: Mapping[str, Any]) -> State[ViewT]:
        """Inverse of State.to_json. Raises ValueError on data it cannot take."""
        try:
            if data["schema"] != self.schema:
                raise ValueError(f"schema {data['schema']!r} is not {self.schema}")
            state = self.start(data["players"], data["options"])
            self.restore(state, data)
        except (KeyError, TypeError, IndexError, AttributeError, OverflowError, RulesError) as error:
            raise ValueError(f"not a position of {self.id}: {error!r}") from error
        return state

    @abstractmethod
    def restore(self, state: Any, data: Mapping[str, Any]) -> None:
        """Bring a first state to the stored position. Whatever is raised for data it cannot take becomes
        `load`'s ValueError; `loading.py` has what all games need for it."""

    # legality, made from the view alone: menus, autocomplete and computer players use this

    @abstractmethod
    def parse(self, text: object) -> Any:
        """The move that a canonical text is. Raises Unreadable("move")."""

    @abstractmethod
    def parse_chance(self, text: object) -> tuple[str, Any]:
        """Kind (of `chance_kinds`) and result of a chance event's text. Raises Unreadable("chance")."""

    @abstractmethod
    def choice(self, view: ViewT) -> Any:
        """The facts that decide what the view's seat, which may act, can do; compared by value."""

    @abstractmethod
    def listed(self, choice: Any) -> list[str]:
        """Every legal move of a choice, sorted. Raises ValueError where the list would explode."""

    @abstractmethod
    def judge(self, choice: Any, move: Any) -> None:
        """Nothing, if the move is legal. Raises Illegal."""

    @abstractmethod
    def stand_in(self, choice: Any) -> str:
        """See `State.stand_in`."""

    def written_example(self, choice: Any) -> str:
        """A legal move that shows how one is written, for who has written none."""
        return self.stand_in(choice)

    def legal(self, view: ViewT) -> list[str]:
        """The list `State.legal(view.seat)` gives, made from the view alone. Raises ValueError where the
        list would explode."""
        return self.listed(self.choice(view)) if view.seat in view.actors else []

    def check(self, view: ViewT, move: str) -> None:
        """`State.check(view.seat, move)`, made from the view alone."""
        parsed = self.parse(move)
        if view.seat not in view.actors:
            raise NotYours("over" if view.outcome else "turn")
        self.judge(self.choice(view), parsed)

    # texts

    @abstractmethod
    def board_text(self, view: ViewT, names: Sequence[str], say: Say) -> str:
        """The plain-text board for screen readers: shows exactly what `view` holds. Cells by
        their names; rows as lines; no box drawing."""

    def examples(self) -> tuple[Example, ...]:
        """Moves that show a beginner what is legal and what is not, in the order in which they are shown."""
        return ()

    def unit(self, options: Mapping[str, object]) -> str:
        """What scores count with these options: the text `<game>.unit.<this>` says so of a number. A game
        that has no such text counts points."""
        return "points"

    def epilogue(self, view: ViewT, names: Sequence[str], say: Say) -> str:
        """What the end of a game earned beyond winners and scores (a title, say), as a sentence; "" for
        nothing."""
        return ""

    @abstractmethod
    def describe(self, event: Event, names: Sequence[str], say: Say) -> str:
        """One event as a sentence for the history in words, e.g. "Ada calls 10.". Takes redacted
        events (`?` for hidden pieces) too; `names` by seat."""

    def address(self, view: ViewT, move: str, voice: Voice, say: Say) -> str:
        """A decision of the view's seat as a sentence to its player: what to do there, or what they did.

        Where `describe` says `<game>.event.<kind>` of somebody by name, `<game>.<voice>.<kind>` says the same
        to them; what is named inside of such a sentence (a tile and its cell) is of nobody and stays as it
        is. A game whose position tells more of a move than its text does says that here."""

        def to_them(key: str, /, **values: object) -> str:
            kind = key.rpartition(".")[2]
            return say(f"{self.id}.{voice}.{kind}" if "name" in values else key, **values)

        return self.describe(Event("move", move, view.seat), ("",) * view.players, to_them)

    def aside(self, view: ViewT, say: Say) -> str:
        """Why the view's seat has nothing to decide where others have, as a sentence to its player; "" where
        it has had its part, or will have."""
        return ""

    def forced(self, view: ViewT, events: Sequence[Event]) -> Mapping[int, tuple[int, ...]]:
        """Seats for which the rules have decided without an event of its own, by the place of the event after
        which that is told in the history, by the text `<game>.event.forced`. events: as for `retell`."""
        return {}

    def fuller(self, view: ViewT, events: Sequence[Event]) -> Mapping[int, Fuller]:
        """Of which decisions the record tells more than their texts do, by the places of their events.
        events: as for `retell`."""
        return {}

    def retell(
        self, view: ViewT, events: Sequence[Event], since: int, names: Sequence[str], say: Say
    ) -> Sequence[Told]:
        """What was done in `events[since:]`, a phrase for each turn, in order, with what it scored in the
        game's unit, e.g. "4 on H12 and 2 on H13, 11 → 2 points"; and what the rounds and games that ended
        there brought. What the own last decision just before `since` has ended is told too: its player has
        not read of it (`telling.news_from`). events: the record so far as the view's seat may know it; what
        is hidden there is left out. A game without words of its own tells its events."""
        told: list[Told] = []
        for event in events[since:]:
            if event.kind == "move" and event.player is not None:
                nameless = ["" if seat == event.player else name for seat, name in enumerate(names)]
                told.append(Told(event.player, self.describe(event, nameless, say).strip(" .")))
        return told


AnyState: TypeAlias = State[Any]
AnyGame: TypeAlias = Game[Any]
"""Of any game: for whoever carries them about without looking into their views."""


def advance(state: AnyState, seed: str, count: int) -> list[Event]:
    """Draw and apply chance until decisions are due or the game is over.

    count: events that came before; the events drawn are returned in order.
    """
    drawn: list[Event] = []
    while state.chance_due():
        event = state.draw(Generator(seed, f"event:{count + len(drawn)}"))
        state.apply(event)
        drawn.append(event)
    return drawn


def play(state: AnyState, seed: str, count: int, seat: int, move: str) -> list[Event]:
    """Apply a decision and the chance that follows; all events in order, the decision first."""
    decision = Event("move", move, seat)
    state.apply(decision)
    return [decision, *advance(state, seed, count + 1)]


def _shown(value: object) -> str:
    """A foreign value for an error's text: short, and also where Python would not write it out (numbers
    of more than 4300 digits, lists nested too deeply)."""
    try:
        return str(value)[:100]
    except (ValueError, RecursionError):
        return type(value).__name__
