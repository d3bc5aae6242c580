"""What is measured of taps, and what follows from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from bot.bench.lag import Ring

# Kinds of taps, by the verb of what is tapped.
KINDS = {"move": "open", "pick": "choose", "way": "choose", "act": "confirm", "play": "confirm"}


class Unmeasured(Exception):
    """The bench could not go on. why: the last part of the text's key, data: its values."""

    def __init__(self, why: str, **data: object) -> None:
        super().__init__(why, data)
        self.why, self.data = why, data


@contextmanager
def trouble_told(log: Sequence[str]) -> Iterator[None]:
    """Whatever goes wrong within is told as Unmeasured, of several things by the first. log: what the bots
    have printed by then."""
    try:
        yield
    except Unmeasured:
        raise
    except Exception as error:
        first: BaseException = error
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise Unmeasured("trouble", kind=type(first).__name__, said=first, log="\n".join(log)) from error


@dataclass(frozen=True, slots=True)
class Use:
    """What a bot's process used between two moments. seconds: of the processor, all threads and children.
    drawing: those of them spent in the picture functions. statements: by first word. pictures: by kind."""

    seconds: float = 0.0
    drawing: float = 0.0
    statements: Counter[str] = field(default_factory=Counter)
    pictures: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Use) -> Use:
        return Use(
            self.seconds + other.seconds,
            self.drawing + other.drawing,
            self.statements + other.statements,
            self.pictures + other.pictures,
        )

    def __sub__(self, earlier: Use) -> Use:
        return Use(
            self.seconds - earlier.seconds,
            self.drawing - earlier.drawing,
            self.statements - earlier.statements,
            self.pictures - earlier.pictures,
        )


@dataclass(slots=True)
class Taps:
    """Taps of one kind. acknowledged: seconds that each took."""

    count: int = 0
    use: Use = field(default_factory=Use)
    acknowledged: list[float] = field(default_factory=list)

    def add(self, use: Use, acknowledged: Sequence[float]) -> None:
        self.count += len(acknowledged)
        self.use += use
        self.acknowledged += acknowledged

    def each(self, used: float) -> float:
        """used: in all; by tap."""
        return used / self.count if self.count else float("nan")


@dataclass(slots=True)
class Played:
    """One game's moves. by_kind: open, choose, confirm. boards: seconds from each move's last tap until
    Discord had the public board that shows it. reference: the bare bot's taps around them."""

    game: str
    reference: Taps = field(default_factory=Taps)
    by_kind: dict[str, Taps] = field(default_factory=lambda: {kind: Taps() for kind in KINDS.values()})
    boards: list[float] = field(default_factory=list)

    @property
    def all(self) -> Taps:
        whole = Taps()
        for taps in self.by_kind.values():
            whole.add(taps.use, taps.acknowledged)
        return whole


@dataclass(frozen=True, slots=True)
class Flood:
    """With many taps in flight for so many seconds: those answered within them, and the seconds of the
    processor that the bot had."""

    seconds: float
    answered: int
    processor: float

    @property
    def rate(self) -> float:
        """Taps by second."""
        return self.answered / self.seconds

    @property
    def share(self) -> float:
        """Of one core, that the bot had: little on a busy machine."""
        return self.processor / self.seconds

    @property
    def bound(self) -> float:
        """Taps by second of the bot's own processor time."""
        return self.answered / self.processor if self.processor else float("nan")


@dataclass(frozen=True, slots=True)
class Loaded:
    """late: taps that Discord would have refused an answer for. over: tables whose game ended meanwhile."""

    ours: Flood
    reference: Flood
    tables: int
    late: int
    over: int


@dataclass(slots=True)
class Slice:
    """One tap at a time. acknowledged: seconds that each took. lags: of the bot's event loop meanwhile."""

    acknowledged: list[float] = field(default_factory=list)
    lags: list[Ring] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Beside:
    """Taps while nobody thinks, and while computer players do at so many other tables, where they made so
    many moves."""

    quiet: Slice
    busy: Slice
    tables: int
    moves: int


@dataclass(slots=True)
class Measured:
    """profiles: what was played, and the table of functions."""

    games: list[Played] = field(default_factory=list)
    beside: Beside | None = None
    loaded: Loaded | None = None
    profiles: list[tuple[Played, str]] = field(default_factory=list)
