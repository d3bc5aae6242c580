"""The rules contract: what every game answers.

A `Game` is the static side (name, seats, options); a `State` is one position and
the only mutable thing here. At any moment a state is in exactly one of three
conditions:

* chance is due (`chance_due()`): the next event is one particular kind of chance event;
* decisions are due (`actors()` is not empty): one or several seats may move;
* the game is over (`outcome()` is not None).

Every chance result and every decision is an `Event`; `State.apply` is the one way
forward, used alike for live play, for loading and for checking foreign records.
It checks everything, and changes nothing when it raises.

Standard library only. No clock, no global randomness: chance is drawn from the
`Generator` that is handed in. Texts are not made here: errors carry a code and
data, and `Game.board_text` gets its words through `Say`.
"""

from __future__ import annotations

import hashlib
import struct
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, TypeVar

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
OptionValue: TypeAlias = "bool | int | str | None"
T = TypeVar("T")


class Say(Protocol):
    """Looks a text up in one language's catalogue and fills its `{name}` places."""

    def __call__(self, key: str, /, **values: object) -> str: ...


# --------------------------------------------------------------------------- errors


class RulesError(Exception):
    """Something the rules refuse.

    code: what is wrong, as a catalogue key's tail (`<game>.<kind>.<code>` or, for
        codes every game shares, `rules.<kind>.<code>`; see `key`).
    rule: the rule's number on the game's page, e.g. "4", or "" where none applies.
    data: values for the text's places; plain ints and strings.
    """

    kind: ClassVar[str] = "error"

    def __init__(self, code: str, *, game: str = "rules", rule: str = "", **data: object) -> None:
        super().__init__(code, rule, data)
        self.code = code
        self.game = game
        self.rule = rule
        self.data = data

    @property
    def key(self) -> str:
        """Catalogue key of the text, e.g. `fivetotwelve.illegal.row`."""
        return f"{self.game}.{self.kind}.{self.code}"


class SetupError(RulesError):
    """Unknown option, option value of the wrong kind, seat count out of range."""

    kind = "setup"


class Unreadable(RulesError):
    """Not a move (or chance result) of this game at all."""

    kind = "unreadable"


class Illegal(RulesError):
    """A move of this game, but not now; `rule` says which rule forbids it."""

    kind = "illegal"


class NotYours(RulesError):
    """Not this seat's turn, or the game is over."""

    kind = "not_yours"


class Impossible(RulesError):
    """A chance result that cannot be (a tile that is not in the bag)."""

    kind = "impossible"


class Missing(RulesError):
    """Another event must come first (a move where a die roll is due, say)."""

    kind = "missing"


class Extra(RulesError):
    """An event that nothing asks for (a chance result where a decision is due,
    anything after the end)."""

    kind = "extra"


def _shown(value: object) -> str:
    """A foreign value for an error's text: short, and also where Python would not write it out (numbers
    of more than 4300 digits, lists nested too deeply)."""
    try:
        return str(value)[:100]
    except (ValueError, RecursionError):
        return type(value).__name__


# --------------------------------------------------------------------------- chance


_WORDS = struct.Struct(">4Q").unpack
_ALL = 1 << 64  # how many values a word has


def child_seed(seed: str, purpose: str) -> str:
    """A seed of its own for one purpose (64 hexadecimal digits): the same for the same seed, and nothing
    leads from it back to that seed or to what else comes of it. For whoever may have chance of their own but
    must not know the table's, a computer player above all."""
    return hashlib.sha256(f"parlour/1 child\0{seed}\0{purpose}".encode()).hexdigest()


class Generator:
    """Deterministic chance on SHA-256(seed, stream, counter), the same on every Python.

    `stream` keeps independent uses of one seed apart. A table draws the chance
    event number n (its index among the record's events) from stream `event:n`, so
    nothing but the seed need be stored to go on after a restart.
    """

    __slots__ = ("_counter", "_prefix", "_words")

    def __init__(self, seed: str, stream: str) -> None:
        self._prefix = f"parlour/1\0{seed}\0{stream}\0".encode()
        self._counter = 0
        self._words: list[int] = []  # 64-bit words of the last block, not yet used; the next one last

    def _word(self) -> int:
        """The next 64 bits: a block's four words in order, most significant byte first."""
        if not self._words:
            digest = hashlib.sha256(b"%b%d" % (self._prefix, self._counter)).digest()
            self._counter += 1
            self._words = list(_WORDS(digest))[::-1]
        return self._words.pop()

    def below(self, bound: int) -> int:
        """A whole number 0 <= x < bound <= 2**64, without bias: a word beyond the last whole multiple of
        `bound` is drawn again."""
        if not 1 <= bound <= _ALL:
            raise ValueError("bound must be from 1 to 2**64")
        while True:
            value = self._word()
            rest = value % bound
            if value - rest <= _ALL - bound:
                return rest

    def choice(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """`count` different positions' items, in the order drawn."""
        pool = list(items)
        if count > len(pool):
            raise ValueError("more asked for than there is")
        drawn: list[T] = []
        for _ in range(count):
            drawn.append(pool.pop(self.below(len(pool))))
        return drawn

    def shuffled(self, items: Sequence[T]) -> list[T]:
        return self.sample(items, len(items))


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


# --------------------------------------------------------------------------- state


class State(ABC):
    """One position. Asking changes nothing; only `apply` does."""

    game: Game  # at the version whose rules this position goes by
    players: int
    options: dict[str, OptionValue]  # complete, defaults filled in

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
        """The chance event that is due, drawn fairly. Does not apply it."""

    @abstractmethod
    def outcome(self) -> Outcome | None: ...

    # moves

    @abstractmethod
    def legal(self, seat: int) -> list[str]:
        """Every legal move of `seat` in canonical text, sorted by character code, without
        duplicates; [] for a seat that may not act. Where `lists(seat)` is false the
        list would explode: raises ValueError (use `check`)."""

    def lists(self, seat: int) -> bool:
        """Whether `legal(seat)` can be listed (two exceptions: Top 12's set-up, Zatre
        turns with more than four tiles held)."""
        return True

    @abstractmethod
    def check(self, seat: int, move: str) -> None:
        """Nothing, if the canonical text `move` is legal for `seat` now. Raises, in this order
        of precedence, Unreadable, NotYours, Illegal."""

    @abstractmethod
    def read(self, seat: int, text: str) -> str:
        """Canonical text of what a person typed: spaces, lower case, the order of
        placements and another legal order of the same stack are forgiven. Raises Unreadable.
        Does not ask whether the move is legal (but may use the position to resolve)."""

    def random_move(self, seat: int, chance: Generator) -> str:
        """A legal move, uniform over `legal(seat)` where that can be listed."""
        return chance.choice(self.legal(seat))

    @abstractmethod
    def stand_in(self, seat: int) -> str:
        """What is played for a seat that ran out of time: legal, cheap, deterministic, and a
        function of `view(seat)` alone."""

    # forward

    @abstractmethod
    def apply(self, event: Event) -> None:
        """Check `event` fully and play it. Raises Unreadable, NotYours, Illegal, Impossible,
        Missing or Extra, and then has changed nothing."""

    # seeing

    @abstractmethod
    def view(self, seat: int | None) -> View: ...

    def redact(self, events: Sequence[Event], seat: int | None) -> list[Event]:
        """The record so far (all of it, this being its state) as `seat` may know it:
        hidden pieces or numbers are replaced by `?`, one for each, order-free."""
        return list(events)

    # text and checks

    @abstractmethod
    def to_json(self) -> dict[str, JSON]:
        """Everything, with the schema number under "schema"."""

    @abstractmethod
    def clone(self) -> State:
        """An independent copy; cheap (no deepcopy)."""

    @abstractmethod
    def faults(self) -> list[str]:
        """What is wrong with this position (tiles that exist too often, rows that do not
        rise, …), judged independently of how it came about. [] for every reachable position. English,
        for developers and logs only."""


# --------------------------------------------------------------------------- game


class Game(ABC):
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

    def versions(self) -> tuple[Game, ...]:
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

    def check_options(  # noqa: B027 - a hook that most games need not fill
        self, players: int, given: Mapping[str, object], full: Mapping[str, OptionValue]
    ) -> None:
        """Hook for combinations that exclude each other; raises SetupError."""

    def written_options(self, players: int, full: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        """The options a record lists: those that differ from the default."""
        default = self.defaults(players)
        return {name: value for name, value in full.items() if value != default[name]}

    @abstractmethod
    def start(self, players: int, options: Mapping[str, object]) -> State:
        """First state (usually chance is due). Raises SetupError."""

    @abstractmethod
    def load(self, data: Mapping[str, Any]) -> State:
        """Inverse of State.to_json. Raises ValueError on data it cannot take."""

    @abstractmethod
    def legal(self, view: View) -> list[str]:
        """The list `State.legal(view.seat)` gives, made from the view alone: menus, autocomplete and
        computer players use this one. Raises ValueError where the list would explode."""

    @abstractmethod
    def check(self, view: View, move: str) -> None:
        """`State.check(view.seat, move)`, made from the view alone."""

    @abstractmethod
    def board_text(self, view: View, names: Sequence[str], say: Say) -> str:
        """The plain-text board for screen readers: shows exactly what `view` holds. Cells by
        their names; rows as lines; no box drawing."""

    def epilogue(self, view: View, names: Sequence[str], say: Say) -> str:
        """What the end of a game earned beyond winners and scores (a title, say), as a sentence; "" for
        nothing."""
        return ""

    @abstractmethod
    def describe(self, event: Event, names: Sequence[str], say: Say) -> str:
        """One event as a sentence for the history in words, e.g. "Ada calls 10.". Takes redacted
        events (`?` for hidden pieces) too; `names` by seat."""


def advance(state: State, seed: str, count: int) -> list[Event]:
    """Draw and apply chance until decisions are due or the game is over.

    count: events that came before; the events drawn are returned in order.
    """
    drawn: list[Event] = []
    while state.chance_due():
        event = state.draw(Generator(seed, f"event:{count + len(drawn)}"))
        state.apply(event)
        drawn.append(event)
    return drawn


def play(state: State, seed: str, count: int, seat: int, move: str) -> list[Event]:
    """Apply a decision and the chance that follows; all events in order, the decision first."""
    decision = Event("move", move, seat)
    state.apply(decision)
    return [decision, *advance(state, seed, count + 1)]
