"""Topominos (Goliath): see-through pieces are stacked so that no dot lies on a dot.

Words used here: `dots` is a sorted string of the positions `a b c / d e f / g h i` that a piece shows,
a `name` is the alphabetically first of a piece's up to eight dots, a mask has bit 0 for `a` up to bit 8
for `i`. Compartments are numbered 0..8 in the order A1 A2 A3 B1 … C3. Rule numbers are those of the
game's page.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Final, Literal

from .chance import Generator
from .errors import Extra, Illegal, Impossible, Missing, NotYours, SetupError, Unreadable
from .game import JSON, Event, Game, Option, OptionValue, Outcome, Say, State, View

ID: Final = "topominos"
LETTERS: Final = "abcdefghi"
FULL: Final = 0b111111111  # nine dots
CELLS: Final = tuple(column + row for column in "ABC" for row in "123")
CELL_INDEX: Final = {cell: index for index, cell in enumerate(CELLS)}
MOST_GAMES: Final = 20  # rule 11, ruling: a `target` match ends after so many games
PASSED_ROUNDS: Final = 3  # ruling: so many full rounds of passes end the game
LONGEST: Final = 300  # characters; room for every piece of the game in one text

# --------------------------------------------------------------------------- pieces


def _dots(mask: int) -> str:
    return "".join(letter for bit, letter in enumerate(LETTERS) if mask >> bit & 1)


def _images(mask: int) -> frozenset[int]:
    """The up to eight masks a piece shows when it is turned and turned over."""
    places = [divmod(bit, 3) for bit in range(9) if mask >> bit & 1]
    found = set()
    for _ in range(4):
        places = [(column, 2 - row) for row, column in places]
        for side in (places, [(row, 2 - column) for row, column in places]):
            found.add(sum(1 << (3 * row + column) for row, column in side))
    return frozenset(found)


MASKS: Final[Mapping[str, int]] = {_dots(mask): mask for mask in range(1, FULL) if 1 <= mask.bit_count() <= 4}
"""Mask by dots, for everything that a piece of one to four dots can show."""
NAMES: Final[Mapping[str, str]] = {
    dots: min(_dots(image) for image in _images(mask)) for dots, mask in MASKS.items()
}
"""Name of the piece by the dots it shows."""
PIECES: Final = tuple(sorted(set(NAMES.values())))
"""The 50 different pieces by name."""
FACES: Final[Mapping[str, tuple[str, ...]]] = {
    name: tuple(sorted(dots for dots, named in NAMES.items() if named == name)) for name in PIECES
}
"""All different dots that a piece can show, sorted, by name."""
COPIES: Final[Mapping[str, int]] = {name: 3 if len(name) == 1 else 1 for name in PIECES}
"""The reconstructed set: each one-dot pattern three times, every other pattern once."""
SET: Final = tuple(name for name in PIECES for _ in range(COPIES[name]))
"""All 56 pieces, sorted by name."""

_LAYS: Final[Mapping[str, tuple[str, int]]] = {
    f"{dots}@{cell}": (dots, index) for dots in MASKS for index, cell in enumerate(CELLS)
}
_LAY_TEXTS: Final[Mapping[str, tuple[str, ...]]] = {
    dots: tuple(f"{dots}@{cell}" for cell in CELLS) for dots in MASKS
}
_STARTS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {  # the lays in each empty compartment, by name
    name: tuple(tuple(_LAY_TEXTS[dots][cell] for dots in FACES[name]) for cell in range(len(CELLS)))
    for name in PIECES
}


def rack_size(players: int) -> int:
    """Rule 1; solo five by ruling."""
    return 4 if players == 4 else 5


def _dots_on(rack: Iterable[str]) -> int:
    return sum(map(len, rack))


def fill(stack: Iterable[str]) -> int:
    """The mask of all dots of a stack."""
    mask = 0
    for dots in stack:
        mask |= MASKS[dots]
    return mask


# --------------------------------------------------------------------------- values

Phase = Literal["lots", "deal", "turn", "rack", "swap", "refill", "over"]
"""lots: start draws are due. deal: hands are due. turn: a decision is due. rack: one piece for the rack
emptied in mid-turn is due. swap, refill: the pieces exchanged for, or drawn after the turn, are due."""
PHASES: Final[tuple[Phase, ...]] = ("lots", "deal", "turn", "rack", "swap", "refill", "over")

Mode = Literal["open", "start", "add"]
"""What rule 4 leaves to the turn: nothing chosen (or chosen afresh after a nine), A, or B."""
MODES: Final[tuple[Mode, ...]] = ("open", "start", "add")


@dataclass(frozen=True, slots=True)
class LastTurn:
    """The last finished turn of this game, as everybody saw it. moves: lays, or "pass", or "swap" with one
    `?` for each piece. points: what the turn scored, nines included."""

    seat: int
    moves: tuple[str, ...]
    nines: int
    points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TopominosView(View):
    """What a seat knows of Topominos.

    game_number: from 1. starter: who began this game, None before that is drawn. turn: whose turn it is,
        also while pieces are drawn for it; None before the hands are dealt and after the end.
    board: per compartment (A1, A2 … C3) the dots of each piece, lowest first. rack: own pieces, sorted.
    racks: pieces on each seat's rack. bag: pieces in it. gone: pieces out of the game, sorted.
    mode, start: what rule 4 leaves to this turn; start is the one compartment of a turn of kind A.
    laid: this turn's lays. touched: compartments whose stacks score at the end of the turn. nines: stacks
        completed in this turn. turn_points: scored in this turn so far, by nines.
    passes: turns passed in a row. lots: the start draws of this match, names by seat, "-" for who took no
        part. points: this game's, by seat. games: results of the match's finished games. left: the racks laid
        open at the end of the last of them, by seat; () before the first end.
    stuck: nothing can be laid any more, and the round is finished only because the bag holds pieces.
    """

    phase: Phase
    game_number: int
    starter: int | None
    turn: int | None
    board: tuple[tuple[str, ...], ...]
    rack: tuple[str, ...]
    racks: tuple[int, ...]
    bag: int
    gone: tuple[str, ...]
    mode: Mode
    start: str | None
    laid: tuple[str, ...]
    touched: tuple[str, ...]
    nines: int
    turn_points: int
    last: LastTurn | None
    passes: int
    lots: tuple[tuple[str, ...], ...]
    points: tuple[int, ...]
    games: tuple[tuple[int, ...], ...]
    left: tuple[tuple[str, ...], ...]
    stuck: bool

    @property
    def lost(self) -> tuple[int, ...]:
        """Dots taken off at the end of the last finished game, by seat (rule 9)."""
        return tuple(_dots_on(rack) for rack in self.left)

    @property
    def fills(self) -> tuple[int, ...]:
        """The mask of dots in each compartment."""
        return tuple(fill(stack) for stack in self.board)

    @property
    def pending(self) -> int:
        """Points the turn would bring if it ended now, beyond `turn_points` (rule 6)."""
        return sum(fill(self.board[CELL_INDEX[cell]]).bit_count() for cell in self.touched)

    @property
    def last_round(self) -> bool:
        """Whether the game ends when this round is complete (rule 9)."""
        emptied = self.phase not in ("lots", "deal", "over") and not self.bag and 0 in self.racks
        return emptied or self.stuck


# --------------------------------------------------------------------------- what may be laid


def _open_cells(mode: Mode, start: int, fills: Sequence[int]) -> tuple[int, ...]:
    """The compartments that rule 4 leaves to the next piece."""
    if mode == "start":
        return (start,)
    if mode == "add":
        return tuple(cell for cell in range(9) if fills[cell])
    return tuple(range(9))


@cache
def fitting(name: str, full: int) -> tuple[str, ...]:
    """The faces of a piece that lay no dot on a dot of `full` (rule 3); at most 50 × 512 answers are kept."""
    return tuple(dots for dots in FACES[name] if not MASKS[dots] & full)


def _lays(rack: Iterable[str], fills: Sequence[int], cells: Sequence[int]) -> list[str]:
    """Every lay of one of these pieces there, sorted."""
    names = set(rack)
    found: list[str] = []
    for cell in cells:
        if full := fills[cell]:
            found += [_LAY_TEXTS[dots][cell] for name in names for dots in fitting(name, full)]
        else:
            for name in names:
                found += _STARTS[name][cell]
    found.sort()
    return found


def _swaps(rack: Sequence[str], bag: int) -> list[str]:
    """Every exchange, sorted: each distinct multiset of own pieces, at most what the bag holds."""
    tails: list[str] = []  # every choice among the pieces so far, sorted
    later: list[str] = []  # those with no piece of the present name
    heads: list[str] = []  # and those with one or more
    last = ""
    for name in sorted(rack, reverse=True):
        word = " " + name
        if name != last:
            last, later, heads = name, tails, []
        heads = [word, *[word + tail for tail in heads], *[word + tail for tail in later]]
        tails = heads + later
    if bag < len(rack):
        tails = [tail for tail in tails if tail.count(" ") <= bag]
    return ["swap" + tail for tail in tails]


def _legal(
    rack: Sequence[str], bag: int, fills: Sequence[int], mode: Mode, start: int, under_way: bool
) -> list[str]:
    found = _lays(rack, fills, _open_cells(mode, start, fills))
    if under_way:
        insort(found, "end")
    else:  # lays begin with a to i, so these come after all of them
        found.append("pass")
        found += _swaps(rack, bag)
    return found


def _parse_move(text: object) -> tuple[str, ...]:
    """("lay", dots, cell) or ("end",) or ("pass",) or ("swap", name, …). Raises Unreadable."""
    if isinstance(text, str) and len(text) <= LONGEST:
        if text in _LAYS:
            dots, cell = _LAYS[text]
            return ("lay", dots, CELLS[cell])
        if text in ("end", "pass"):
            return (text,)
        word, *names = text.split(" ")
        if word == "swap" and _are_pieces(names):
            return ("swap", *names)
    raise Unreadable("move")


def _are_pieces(names: Sequence[str]) -> bool:
    return bool(names) and all(name in COPIES for name in names) and list(names) == sorted(names)


def _check(
    move: tuple[str, ...],
    rack: Sequence[str],
    bag: int,
    fills: Sequence[int],
    mode: Mode,
    start: int,
    under_way: bool,
) -> None:
    """Raises Illegal where the seat whose turn it is may not do this now."""
    match move:
        case ("lay", dots, cell):
            if NAMES[dots] not in rack:
                raise Illegal("not_on_rack", game=ID, rule="4", piece=NAMES[dots])
            index = CELL_INDEX[cell]
            if mode == "start" and index != start:
                raise Illegal("one_compartment", game=ID, rule="4", cell=CELLS[start])
            if mode == "add" and not fills[index]:
                raise Illegal("stacks_only", game=ID, rule="4", cell=cell)
            if MASKS[dots] & fills[index]:
                raise Illegal("dot_on_dot", game=ID, rule="3", cell=cell)
        case ("end",):
            if not under_way:
                raise Illegal("nothing_laid", game=ID, rule="4")
        case _:
            if under_way:
                raise Illegal("already_laid", game=ID, rule="4")
            names = move[1:]
            for name, count in Counter(names).items():
                if rack.count(name) < count:
                    raise Illegal("not_on_rack", game=ID, rule="4", piece=name)
            if len(names) > bag:
                raise Illegal("bag_short", game=ID, rule="4", count=bag)


# --------------------------------------------------------------------------- state


class TopominosState(State[Any]):
    """One position. Racks, bag, `gone` and `aside` are sorted lists of names."""

    __slots__ = (
        "aside",
        "bag",
        "count",
        "fills",
        "first",
        "game",
        "games",
        "gone",
        "laid",
        "last",
        "left",
        "lots",
        "mode",
        "nines",
        "options",
        "passes",
        "players",
        "points",
        "racks",
        "result",
        "seat",
        "stacks",
        "stage",
        "start",
        "tied",
        "touched",
    )

    def __init__(self, game: Topominos, players: int, options: dict[str, OptionValue]) -> None:
        self.game: Topominos = game
        self.players = players
        self.options = options
        self.stage: Phase = "lots"
        self.first = -1  # who began this game; -1 until the start draw is decided
        self.seat = -1  # whose turn it is, or who receives the next hand
        self.tied: tuple[int, ...] = tuple(range(players))  # seats still in the start draw
        self.lots: list[tuple[str, ...]] = []
        self.games: list[tuple[int, ...]] = []
        self.left: tuple[tuple[str, ...], ...] = ()  # racks laid open at the end of the last game
        self.count = 0  # events applied
        self.result: Outcome | None = None
        self._lay_out()

    def _lay_out(self) -> None:
        """All pieces back in the bag, the board empty."""
        self.bag = list(SET)
        self.racks: list[list[str]] = [[] for _ in range(self.players)]
        self.stacks: list[tuple[str, ...]] = [()] * 9
        self.fills = [0] * 9
        self.gone: list[str] = []
        self.aside: list[str] = []
        self.points = [0] * self.players
        self.passes = 0
        self.last: LastTurn | None = None
        self._fresh_turn()

    def _fresh_turn(self) -> None:
        self.mode: Mode = "open"
        self.start = -1  # compartment of a turn of kind A
        self.touched = 0  # bit per compartment
        self.laid: tuple[str, ...] = ()
        self.nines = 0

    # who and what is due

    def actors(self) -> tuple[int, ...]:
        return (self.seat,) if self.stage == "turn" else ()

    def turn(self) -> int:
        """The events before it. A rack that was drawn to in a turn was full at its start, since the bag held
        pieces then."""
        drawn = max(0, len(self.racks[self.seat]) + len(self.laid) - rack_size(self.players))
        return self.count - len(self.laid) - drawn

    def chance_due(self) -> bool:
        return self.stage not in ("turn", "over")

    def outcome(self) -> Outcome | None:
        return self.result

    def _due(self) -> int:
        """How many pieces the draw that is due brings."""
        match self.stage:
            case "rack":
                return 1
            case "swap":
                return len(self.aside)
            case _:
                return min(rack_size(self.players) - len(self.racks[self.seat]), len(self.bag))

    def draw(self, chance: Generator) -> Event:
        if not self.chance_due():
            raise ValueError("no chance is due")
        if self.stage == "lots":
            drawn = iter(chance.sample(self.bag, len(self.tied)))
            names = [next(drawn) if seat in self.tied else "-" for seat in range(self.players)]
            return Event("chance", "lots " + " ".join(names))
        pieces = sorted(chance.sample(self.bag, self._due()))
        return Event("chance", "draw " + " ".join(pieces), self.seat)

    # moves

    def legal(self, seat: int) -> list[str]:
        if self.stage != "turn" or seat != self.seat:
            return []
        return _legal(self.racks[seat], len(self.bag), self.fills, self.mode, self.start, bool(self.laid))

    def check(self, seat: int, move: str) -> None:
        parsed = _parse_move(move)
        if self.stage == "over":
            raise NotYours("over")
        if self.stage != "turn" or seat != self.seat:
            raise NotYours("turn")
        self._check(parsed)

    def _check(self, parsed: tuple[str, ...]) -> None:
        _check(
            parsed,
            self.racks[self.seat],
            len(self.bag),
            self.fills,
            self.mode,
            self.start,
            bool(self.laid),
        )

    def read(self, seat: int, text: str) -> str:
        return read(text)

    def stand_in(self, seat: int) -> str:
        return self.game.stand_in(self.view(seat))

    # forward

    def apply(self, event: Event) -> None:
        if self.stage == "over":
            raise Extra("over")
        if event.kind == "chance":
            self._chance(event)
        elif event.kind == "move":
            self._move(event)
        else:
            raise Unreadable("move")
        self.count += 1

    def _seat_named(self, player: object) -> bool:
        return isinstance(player, int) and not isinstance(player, bool) and 0 <= player < self.players

    def _chance(self, event: Event) -> None:
        text = event.text
        if not isinstance(text, str) or len(text) > LONGEST:
            raise Unreadable("chance")
        word, *names = text.split(" ")
        if word == "lots":
            if event.player is not None or not names or not all(n == "-" or n in COPIES for n in names):
                raise Unreadable("chance")
        elif word != "draw" or not self._seat_named(event.player) or not _are_pieces(names):
            raise Unreadable("chance")
        if self.stage == "turn":
            raise Extra("chance")
        if (word == "lots") != (self.stage == "lots"):
            raise Missing("other_chance")
        if word == "lots":
            self._lots(tuple(names))
            return
        if event.player != self.seat:
            raise Missing("other_chance")
        self._draw(names)

    def _take(self, names: Sequence[str]) -> list[str]:
        """The bag without these pieces. Raises Impossible where they are not in it."""
        rest = self.bag.copy()
        for name in names:
            if name not in rest:
                raise Impossible("not_in_bag", game=ID, rule="1", piece=name)
            rest.remove(name)
        return rest

    def _lots(self, names: tuple[str, ...]) -> None:
        """Rule 2: everyone (or everyone tied) draws one piece."""
        if (
            tuple(seat for seat, name in enumerate(names) if name != "-") != self.tied
            or len(names) != self.players
        ):
            raise Impossible("lots_seats", game=ID, rule="2")
        self.bag = self._take([names[seat] for seat in self.tied])
        self.lots.append(names)
        most = max(len(names[seat]) for seat in self.tied)
        self.tied = tuple(seat for seat in self.tied if len(names[seat]) == most)
        if len(self.tied) == 1:
            self.first = self.tied[0]
            self._deal()
        elif len(self.bag) < len(self.tied):
            self.bag = list(SET)  # the ties have emptied the bag: it is filled again for the next draw

    def _deal(self) -> None:
        self._lay_out()
        self.stage, self.seat = "deal", 0

    def _draw(self, names: list[str]) -> None:
        if len(names) != self._due():
            raise Impossible("draw_count", game=ID, rule="8", count=self._due())
        self.bag = self._take(names)
        self.racks[self.seat] = sorted(self.racks[self.seat] + names)
        match self.stage:
            case "deal":
                if self.seat + 1 < self.players:
                    self.seat += 1
                else:
                    self.stage, self.seat = "turn", self.first
            case "rack":
                self.stage = "turn"
            case "swap":
                self.bag = sorted(self.bag + self.aside)
                self.aside = []
                self._refill()
            case _:
                self._next_seat()

    def _move(self, event: Event) -> None:
        if not self._seat_named(event.player):
            raise Unreadable("move")
        parsed = _parse_move(event.text)
        if self.stage != "turn":
            raise Missing("chance")
        if event.player != self.seat:
            raise NotYours("turn")
        self._check(parsed)
        match parsed:
            case ("lay", dots, cell):
                self._lay(dots, CELL_INDEX[cell])
            case ("end",):
                self._end_turn()
            case _:
                self._pass(list(parsed[1:]))

    def _lay(self, dots: str, cell: int) -> None:
        rack = self.racks[self.seat]
        rack.remove(NAMES[dots])
        if self.mode == "open":
            self.mode = "add" if self.fills[cell] else "start"
            self.start = -1 if self.fills[cell] else cell
        self.laid += (_LAY_TEXTS[dots][cell],)
        self.stacks[cell] += (dots,)
        self.fills[cell] |= MASKS[dots]
        self.touched |= 1 << cell
        if self.fills[cell] == FULL:  # rule 5
            self.points[self.seat] += 9
            self.nines += 1
            self.gone = sorted(self.gone + [NAMES[laid] for laid in self.stacks[cell]])
            self.stacks[cell], self.fills[cell] = (), 0
            self.touched &= ~(1 << cell)
            self.mode, self.start = "open", -1
        if not rack and self.bag:  # rule 7
            self.stage = "rack"

    def _end_turn(self) -> None:
        scored = sum(self.fills[cell].bit_count() for cell in range(9) if self.touched >> cell & 1)
        self.points[self.seat] += scored  # rule 6
        self.last = LastTurn(self.seat, self.laid, self.nines, 9 * self.nines + scored)
        self.passes = 0
        self._fresh_turn()
        self._refill()

    def _pass(self, names: list[str]) -> None:
        self.passes += 1
        text = " ".join(["swap", *("?" for _ in names)]) if names else "pass"
        self.last = LastTurn(self.seat, (text,), 0, 0)
        if not names:
            self._refill()
            return
        for name in names:
            self.racks[self.seat].remove(name)
        self.aside = names
        self.stage = "swap"

    def _refill(self) -> None:
        """Rule 8."""
        self.stage = "refill"
        if not self._due():
            self._next_seat()

    def _next_seat(self) -> None:
        """The end checks after a turn (rule 9 and rulings), then the next turn."""
        following = (self.seat + 1) % self.players
        complete = following == self.first
        if complete and not self.bag and not all(self.racks):
            self._end_game("rack empty")
        elif complete and self.passes >= PASSED_ROUNDS * self.players:
            self._end_game("all passed")
        elif (complete or not self._finishes_rounds()) and not self._can_lay():
            self._end_game("nobody can lay")
        else:
            self.stage, self.seat = "turn", following

    def _finishes_rounds(self) -> bool:
        """Whether a round is finished although nobody can lay: with pieces in the bag, since the seats left
        may exchange (rulings; version 1 ended the game after any turn)."""
        return bool(self.bag) and self.game.version >= 2

    def _can_lay(self) -> bool:
        """Whether any piece on a rack or in the bag could be laid in some turn."""
        if 0 in self.fills:
            return bool(self.bag) or any(self.racks)
        left = set(self.bag).union(self.aside, *self.racks)
        return any(fitting(name, full) for full in set(self.fills) for name in left)

    def _end_game(self, reason: str) -> None:
        self.left = tuple(map(tuple, self.racks))
        result = tuple(won - _dots_on(rack) for won, rack in zip(self.points, self.racks, strict=True))
        self.points = list(result)
        self.games.append(result)
        totals = tuple(map(sum, zip(*self.games, strict=True)))
        target, rounds = self.options["target"], self.options["rounds"]
        assert isinstance(rounds, int)
        if isinstance(target, int):
            over = max(totals) >= target or len(self.games) >= MOST_GAMES
        else:
            over = len(self.games) >= rounds
        if over:
            self.stage = "over"
            self.result = Outcome(totals, _best(totals), reason)
            self._fresh_turn()
            return
        winners = _best(result)  # rule 10
        self.first = next(
            seat for step in range(self.players) if (seat := (self.first + step) % self.players) in winners
        )
        self._deal()

    # seeing

    def _totals(self) -> tuple[int, ...]:
        """Points of the match so far, this game's included."""
        running = [] if self.stage == "over" else [tuple(self.points)]
        return tuple(map(sum, zip(*self.games, *running, strict=True)))

    def view(self, seat: int | None) -> TopominosView:
        dealt = self.stage not in ("lots", "deal")
        return TopominosView(
            seat=seat,
            players=self.players,
            options=tuple(sorted(self.options.items())),
            actors=self.actors(),
            outcome=self.result,
            scores=self._totals(),
            phase=self.stage,
            game_number=len(self.games) + (self.stage != "over"),
            starter=None if self.first < 0 else self.first,
            turn=self.seat if dealt and self.stage != "over" else None,
            board=tuple(self.stacks),
            rack=() if seat is None else tuple(self.racks[seat]),
            racks=tuple(map(len, self.racks)),
            bag=len(self.bag),
            gone=tuple(self.gone),
            mode=self.mode,
            start=None if self.start < 0 else CELLS[self.start],
            laid=self.laid,
            touched=tuple(CELLS[cell] for cell in range(9) if self.touched >> cell & 1),
            nines=self.nines,
            turn_points=9 * self.nines,
            last=self.last,
            passes=self.passes,
            lots=tuple(self.lots),
            points=tuple(self.points),
            games=tuple(self.games),
            left=self.left,
            stuck=dealt and self.stage != "over" and self._finishes_rounds() and not self._can_lay(),
        )

    def redact(self, events: Sequence[Event], seat: int | None) -> list[Event]:
        # what the last racks of a game were is in the view: they are laid open and counted. How they came
        # about stays hidden until the match is over
        return list(events) if self.result is not None else [redacted(event, seat) for event in events]

    # text and checks

    def to_json(self) -> dict[str, JSON]:
        last = self.last
        return {
            "schema": self.game.schema,
            "players": self.players,
            "options": {**self.game.written_options(self.players, self.options)},
            "phase": self.stage,
            "first": self.first,
            "seat": self.seat,
            "tied": list(self.tied),
            "lots": [list(names) for names in self.lots],
            "bag": list(self.bag),
            "racks": [list(rack) for rack in self.racks],
            "board": [list(stack) for stack in self.stacks],
            "gone": list(self.gone),
            "aside": list(self.aside),
            "points": list(self.points),
            "passes": self.passes,
            "last": None
            if last is None
            else {
                "seat": last.seat,
                "moves": list(last.moves),
                "nines": last.nines,
                "points": last.points,
            },
            "turn": {
                "mode": self.mode,
                "start": None if self.start < 0 else CELLS[self.start],
                "touched": [CELLS[cell] for cell in range(9) if self.touched >> cell & 1],
                "laid": list(self.laid),
                "nines": self.nines,
            },
            "games": [list(result) for result in self.games],
            "left": [list(rack) for rack in self.left],
            "count": self.count,
            "outcome": None if self.result is None else self.result.to_json(),
        }

    def clone(self) -> TopominosState:
        twin = object.__new__(TopominosState)
        for name in TopominosState.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.options = dict(self.options)
        for name in ("bag", "stacks", "fills", "gone", "aside", "points", "lots", "games"):
            setattr(twin, name, list(getattr(self, name)))
        twin.racks = [list(rack) for rack in self.racks]
        return twin

    def faults(self) -> list[str]:
        return [*self._piece_faults(), *self._board_faults(), *self._turn_faults(), *self._match_faults()]

    def _piece_faults(self) -> list[str]:
        found = []
        everywhere = Counter(self.bag) + Counter(self.gone) + Counter(self.aside)
        for rack in self.racks:
            everywhere += Counter(rack)
        for stack in self.stacks:
            everywhere += Counter(NAMES.get(dots, dots) for dots in stack)
        if self.stage == "lots":
            if everywhere != _bag_after_lots(self.lots):
                found.append("the bag does not hold what the start draw left")
        elif everywhere != Counter(SET):
            wrong = [name for name in {*everywhere, *SET} if everywhere[name] != COPIES.get(name, 0)]
            found.append(f"pieces that are there too often or too seldom: {sorted(wrong)}")
        held = {"bag": self.bag, "gone": self.gone, "aside": self.aside}
        held |= {f"rack {seat}": rack for seat, rack in enumerate(self.racks)}
        found += [f"{place} is not sorted" for place, names in held.items() if names != sorted(names)]
        if sum(map(len, self.gone)) % 9:
            found.append("the pieces out of the game do not make whole nines")
        if bool(self.aside) != (self.stage == "swap"):
            found.append("pieces are set aside without an exchange, or none in one")
        if len(self.racks) != self.players:
            return [*found, "not one rack per seat"]
        return found + self._rack_faults()

    def _rack_faults(self) -> list[str]:
        found = []
        size = rack_size(self.players)
        for seat, rack in enumerate(self.racks):
            if len(rack) > size:
                found.append(f"rack {seat} holds more than {size}")
            busy = seat == self.seat and (self.laid or self.stage in ("rack", "swap", "refill"))
            if self.stage == "deal":
                if len(rack) != (size if seat < self.seat else 0):
                    found.append(f"rack {seat} is not as the deal left it")
            elif self.stage == "lots":
                if rack:
                    found.append(f"rack {seat} holds pieces before the deal")
            elif len(rack) < size and self.bag and not busy and self.stage != "over":
                found.append(f"rack {seat} was not refilled")
        if self.stage == "rack" and not (self.bag and 0 <= self.seat < self.players):
            found.append("a piece is due that the bag does not have")
        elif self.stage == "rack" and self.racks[self.seat]:
            found.append("a piece is due for a rack that is not empty")
        return found

    def _board_faults(self) -> list[str]:
        found = []
        for cell, stack, full in zip(CELLS, self.stacks, self.fills, strict=True):
            masks = [MASKS.get(dots, 0) for dots in stack]
            if not all(masks):
                found.append(f"{cell} holds what is no piece")
            if sum(mask.bit_count() for mask in masks) != fill(d for d in stack if d in MASKS).bit_count():
                found.append(f"{cell} has dots on dots")
            if fill(dots for dots in stack if dots in MASKS) != full:
                found.append(f"the dots of {cell} are not those of its pieces")
            if full == FULL:
                found.append(f"{cell} is complete and still there")
        if self.stage in ("lots", "deal") and (any(self.fills) or self.gone):
            found.append("pieces were laid before the hands were dealt")
        return found

    def _turn_faults(self) -> list[str]:
        found = []
        touched = {cell for cell in range(9) if self.touched >> cell & 1}
        if any(not self.fills[cell] for cell in touched) or self.touched >> 9:
            found.append("a stack is to score that is not there")
        if not touched <= {CELL_INDEX[text.partition("@")[2]] for text in self.laid}:
            found.append("a stack is to score that nothing was laid on")
        if self.stage not in ("turn", "rack") and (self.laid or touched or self.nines):
            found.append("a turn is under way and nobody's")
        if (self.mode == "start") != (self.start >= 0):
            found.append("kind A and its one compartment do not agree")
        if self.mode == "start" and self.start not in touched:
            found.append("the compartment of kind A was not begun")
        if self.mode == "add" and not touched:
            found.append("kind B without a stack added to")
        if self.mode == "open" and self.laid and not self.nines:
            found.append("pieces were laid and no kind of turn was chosen")
        if self.nines < 0 or self.nines > len(self.laid):
            found.append("more nines than pieces laid")
        passed = self.last is not None and "@" not in self.last.moves[0]
        if self.passes < 0 or (self.passes > 0) != passed:
            found.append("the passes do not follow from the last turn")
        if self.last is not None and not 0 <= self.last.seat < self.players:
            found.append("the last turn was nobody's")
        return found

    def _match_faults(self) -> list[str]:
        found = []
        if self.stage not in PHASES:
            found.append("no such phase")
        if self.stage == "lots":
            if self.first != -1 or self.seat != -1 or self.games:
                found.append("the start draw is due in a game under way")
            if not self.tied or tuple(sorted(set(self.tied))) != self.tied or self.tied[-1] >= self.players:
                found.append("the seats of the start draw cannot be")
        elif not 0 <= self.first < self.players or not 0 <= self.seat < self.players:
            found.append("no such seat")
        if len(self.points) != self.players or any(len(result) != self.players for result in self.games):
            return [*found, "not one score per seat"]
        if (self.result is None) == (self.stage == "over"):
            found.append("an outcome before the end, or none after it")
        if self.result is not None:
            totals = tuple(map(sum, zip(*self.games, strict=True)))
            if self.result.scores != totals or self.result.winners != _best(totals):
                found.append("the outcome does not follow from the games")
            if self.result.reason not in self.game.reasons:
                found.append("no such reason")
        over = MOST_GAMES if isinstance(self.options["target"], int) else self.options["rounds"]
        assert isinstance(over, int)
        if len(self.games) > over or (self.stage != "over" and len(self.games) >= over):
            found.append("more games than the match has")
        if len(self.left) != (self.players if self.games else 0):
            found.append("not one rack per seat was laid open")
        return found


def _bag_after_lots(lots: Iterable[Sequence[str]]) -> Counter[str]:
    """What the bag holds after these start draws, counted afresh."""
    bag = Counter(SET)
    for names in lots:
        drawn = [name for name in names if name != "-"]
        bag.subtract(drawn)
        if bag.total() < sum(len(name) == max(map(len, drawn)) for name in drawn):
            bag = Counter(SET)
    return +bag


def _best(scores: Sequence[int]) -> tuple[int, ...]:
    """The seats with most points (rule 10), sorted."""
    most = max(scores, default=0)
    return tuple(seat for seat, score in enumerate(scores) if score == most)


# --------------------------------------------------------------------------- text


def read(text: str) -> str:
    """Canonical text of what a person typed. Raises Unreadable.

    Forgiven: case, any white space, the order of dots and of pieces, and a piece to exchange named by
    another of its directions.
    """
    if not isinstance(text, str) or len(text) > LONGEST or not text.isascii():
        raise Unreadable("move")
    words = text.lower().split()
    if words[:1] == ["swap"]:
        names = [NAMES.get("".join(sorted(word))) for word in words[1:]]
        move = " ".join(["swap", *sorted(name for name in names if name is not None)])
        if None in names:
            raise Unreadable("move")
    else:
        dots, at, cell = "".join(words).partition("@")
        move = "".join(sorted(dots)) + at + cell.upper() if at else dots
    _parse_move(move)
    return move


def redacted(event: Event, seat: int | None) -> Event:
    """`event` as `seat` may know it: what others draw and exchange is hidden."""
    if event.player is not None and event.player != seat:
        word, *names = event.text.split(" ")
        if word in ("draw", "swap"):
            return Event(event.kind, " ".join([word, *("?" for _ in names)]), event.player)
    return event


# --------------------------------------------------------------------------- menus


def layable(view: TopominosView) -> dict[str, dict[str, tuple[str, ...]]]:
    """For a menu in steps: own piece → compartment it fits now → the moves, one for each distinct fitting
    direction (at most eight). Pieces and compartments that offer nothing are left out; all sorted."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for move in _lays_of(view):
        dots, cell = _LAYS[move]
        cells = found.setdefault(NAMES[dots], {})
        cells[CELLS[cell]] = (*cells.get(CELLS[cell], ()), move)
    return {name: dict(sorted(found[name].items())) for name in sorted(found)}


def pieces(view: TopominosView) -> tuple[str, ...]:
    """Own pieces that can be laid now, each name once."""
    return tuple(layable(view))


def compartments(view: TopominosView, piece: str) -> tuple[str, ...]:
    """The compartments that `piece` of the own rack fits now."""
    return tuple(layable(view).get(piece, {}))


def directions(view: TopominosView, piece: str, cell: str) -> tuple[str, ...]:
    """The moves that lay `piece` in `cell`, one for each distinct fitting direction."""
    return layable(view).get(piece, {}).get(cell, ())


def most_swapped(view: TopominosView) -> int:
    """How many pieces may be exchanged now; 0 where no exchange is open."""
    if not _to_move(view) or view.laid:
        return 0
    return min(len(view.rack), view.bag)


def unseen(view: TopominosView) -> dict[str, int]:
    """How often each piece may still be in the bag or on others' racks, names with none left out."""
    left = Counter(SET)
    left.subtract(view.gone)
    left.subtract(view.rack)
    left.subtract(NAMES[dots] for stack in view.board for dots in stack)
    return {name: count for name, count in left.items() if count > 0}


def _to_move(view: TopominosView) -> bool:
    return view.seat is not None and view.seat in view.actors


def _start(view: TopominosView) -> int:
    return -1 if view.start is None else CELL_INDEX[view.start]


def _lays_of(view: TopominosView) -> list[str]:
    if not _to_move(view):
        return []
    fills = view.fills
    return _lays(view.rack, fills, _open_cells(view.mode, _start(view), fills))


# --------------------------------------------------------------------------- game


class Topominos(Game[Any]):
    """Version 2 finishes the round where nobody can lay while the bag holds pieces; version 1 did not."""

    id: ClassVar[str] = ID
    min_seats: ClassVar[int] = 1
    max_seats: ClassVar[int] = 4
    option_list: ClassVar[tuple[Option, ...]] = (
        Option("rounds", "number", 1),
        Option("target", "number", None),
    )
    hidden_hands: ClassVar[bool] = True
    reasons: ClassVar[tuple[str, ...]] = ("rack empty", "nobody can lay", "all passed")

    def __init__(self, version: int) -> None:
        self.version = version

    def versions(self) -> tuple[Game[Any], ...]:
        return VERSIONS

    def check_options(
        self, players: int, given: Mapping[str, object], full: Mapping[str, OptionValue]
    ) -> None:
        if "rounds" in given and "target" in given:
            raise SetupError("rounds_or_target", game=ID, rule="11")

    def start(self, players: int, options: Mapping[str, object]) -> TopominosState:
        return TopominosState(self, players, self.options_for(players, options))

    def load(self, data: Mapping[str, Any]) -> TopominosState:
        try:
            return _load(self, data)
        except (KeyError, TypeError, AttributeError, IndexError, SetupError) as error:
            raise ValueError(f"not a position of {ID}: {error!r}") from error

    def legal(self, view: View) -> list[str]:
        view = _mine(view)
        if not _to_move(view):
            return []
        return _legal(view.rack, view.bag, view.fills, view.mode, _start(view), bool(view.laid))

    def check(self, view: View, move: str) -> None:
        view = _mine(view)
        parsed = _parse_move(move)
        if view.outcome is not None:
            raise NotYours("over")
        if not _to_move(view):
            raise NotYours("turn")
        _check(parsed, view.rack, view.bag, view.fills, view.mode, _start(view), bool(view.laid))

    def stand_in(self, view: View) -> str:
        """Ends the turn that ran out of time with what was laid; a turn not begun is passed."""
        return "end" if _mine(view).laid else "pass"

    def board_text(self, view: View, names: Sequence[str], say: Say) -> str:
        return "\n".join(_board_lines(_mine(view), names, say))

    def describe(self, event: Event, names: Sequence[str], say: Say) -> str:
        word, *rest = event.text.split(" ")
        if event.player is None:
            draws = ", ".join(
                say("topominos.event.lot", name=name, piece=piece)
                for name, piece in zip(names, rest, strict=False)
                if piece != "-"
            )
            return say("topominos.event.lots", draws=draws)
        name = names[event.player]
        if word in ("end", "pass"):
            return say(f"topominos.event.{word}", name=name)
        if word in ("draw", "swap"):
            if "?" in rest:
                return say(f"topominos.event.{word}_hidden", name=name, n=len(rest))
            return say(f"topominos.event.{word}", name=name, n=len(rest), pieces=", ".join(rest))
        dots, _, cell = event.text.partition("@")
        return say("topominos.event.lay", name=name, dots=dots, cell=cell)


def _mine(view: View) -> TopominosView:
    if not isinstance(view, TopominosView):
        raise TypeError("not a view of Topominos")
    return view


def _board_lines(view: TopominosView, names: Sequence[str], say: Say) -> Iterable[str]:
    def text(key: str, **values: object) -> str:
        return say(f"topominos.text.{key}", **values)

    options = dict(view.options)
    if options["target"] is not None:
        yield text("game_of_target", game=view.game_number, target=options["target"])
    elif options["rounds"] != 1:
        yield text("game_of_rounds", game=view.game_number, rounds=options["rounds"])
    for number, drawn in enumerate(view.lots, 1):
        lots = ", ".join(f"{names[seat]} {piece}" for seat, piece in enumerate(drawn) if piece != "-")
        yield text("lots", number=number, lots=lots)
    for number, result in enumerate(view.games, 1):
        scores = ", ".join(f"{names[seat]} {points}" for seat, points in enumerate(result))
        yield text("result", game=number, scores=scores)
    if view.left:
        left = ", ".join(
            f"{name} {dots} ({' '.join(rack)})" if rack else f"{name} 0"
            for name, dots, rack in zip(names, view.lost, view.left, strict=False)
        )
        yield text("left", left=left)
    for row in "123":
        yield text("row", row=row, cells="; ".join(_cell_text(view, column + row, say) for column in "ABC"))
    yield text("bag", n=view.bag)
    yield text("gone", pieces=" ".join(view.gone) or text("none"))
    for seat in range(view.players):
        yield text(
            "seat",
            name=names[seat],
            score=view.scores[seat],
            points=view.points[seat],
            n=view.racks[seat],
        )
    if view.starter is not None:
        yield text("starter", name=names[view.starter])
    if view.last is not None:
        yield _last_text(view.last, names, say)
    if view.passes:
        yield text("passes", n=view.passes)
    if view.turn is not None:
        yield text("turn", name=names[view.turn])
        if view.laid:
            yield text("laid", laid=" ".join(view.laid), nines=view.nines, points=view.turn_points)
            yield text(f"mode_{view.mode}", cell=view.start or "")
        if view.touched:
            yield text("touched", cells=" ".join(view.touched), points=view.pending)
    if view.last_round:
        yield text("last_round_stuck" if view.stuck else "last_round")
    yield text(f"phase_{view.phase}")
    if view.seat is not None:
        yield text("rack", pieces=" ".join(view.rack) or text("none"))
    if view.outcome is not None:
        winners = ", ".join(names[seat] for seat in view.outcome.winners)
        reason = say(f"topominos.reason.{view.outcome.reason.replace(' ', '_')}")
        yield text("outcome", winners=winners, reason=reason)


def _cell_text(view: TopominosView, cell: str, say: Say) -> str:
    stack = view.board[CELL_INDEX[cell]]
    if not stack:
        return say("topominos.text.empty", cell=cell)
    full = fill(stack)
    return say(
        "topominos.text.stack",
        cell=cell,
        n=full.bit_count(),
        pieces="+".join(stack),
        free=_dots(FULL & ~full),
    )


def _last_text(last: LastTurn, names: Sequence[str], say: Say) -> str:
    first = last.moves[0]
    if first == "pass":
        return say("topominos.text.last_pass", name=names[last.seat])
    if first.startswith("swap"):
        return say("topominos.text.last_swap", name=names[last.seat], n=first.count("?"))
    return say(
        "topominos.text.last",
        name=names[last.seat],
        moves=" ".join(last.moves),
        nines=last.nines,
        points=last.points,
    )


# --------------------------------------------------------------------------- loading


def _whole(value: object, least: int, most: int | None = None) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"not a whole number: {value!r}")
    if value < least or (most is not None and value > most):
        raise ValueError(f"out of range: {value}")
    return value


def _listed(value: object, known: Iterable[str], length: int | None = None) -> list[str]:
    """A list of strings out of `known`."""
    allowed = known if isinstance(known, Mapping) else set(known)
    if not isinstance(value, list) or not all(isinstance(v, str) and v in allowed for v in value):
        raise ValueError(f"not a list of what is known here: {value!r}")
    if length is not None and len(value) != length:
        raise ValueError(f"not {length} of them: {value!r}")
    return list(value)


def _numbers(value: object, length: int | None, least: int = -(10**9)) -> tuple[int, ...]:
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise ValueError(f"not a list of {length} numbers: {value!r}")
    return tuple(_whole(number, least) for number in value)


def _rows(value: object, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise ValueError(f"not a list of {length}: {value!r}")
    return value


def _load(game: Topominos, data: Mapping[str, Any]) -> TopominosState:
    if data["schema"] != game.schema:
        raise ValueError(f"unknown schema {data['schema']!r}")
    state = game.start(data["players"], data["options"])
    players = state.players
    if data["phase"] not in PHASES or data["turn"]["mode"] not in MODES:
        raise ValueError("no such phase or kind of turn")
    state.stage = data["phase"]
    before = state.stage == "lots"
    state.first = _whole(data["first"], -1 if before else 0, players - 1)
    state.seat = _whole(data["seat"], -1 if before else 0, players - 1)
    state.tied = _numbers(data["tied"], None, 0)
    if not state.tied or max(state.tied) >= players:
        raise ValueError("no such seats in the start draw")
    state.lots = [tuple(_listed(names, {*PIECES, "-"}, players)) for names in _rows(data["lots"])]
    state.bag = _listed(data["bag"], COPIES)
    state.racks = [_listed(rack, COPIES) for rack in _rows(data["racks"], players)]
    state.stacks = [tuple(_listed(stack, MASKS)) for stack in _rows(data["board"], 9)]
    state.fills = [fill(stack) for stack in state.stacks]
    state.gone = _listed(data["gone"], COPIES)
    state.aside = _listed(data["aside"], COPIES)
    state.points = list(_numbers(data["points"], players))
    state.passes = _whole(data["passes"], 0)
    state.games = [_numbers(result, players) for result in _rows(data["games"])]
    left = _rows(data["left"], players if state.games else 0)
    state.left = tuple(tuple(_listed(rack, COPIES)) for rack in left)
    state.count = _whole(data["count"], 0)
    turn, last, result = data["turn"], data["last"], data["outcome"]
    state.mode = turn["mode"]
    state.start = -1 if turn["start"] is None else CELL_INDEX[turn["start"]]
    state.touched = sum({1 << CELL_INDEX[cell] for cell in _listed(turn["touched"], CELLS)})
    state.laid = tuple(_listed(turn["laid"], _LAYS))
    state.nines = _whole(turn["nines"], 0)
    if last is not None:
        state.last = LastTurn(
            _whole(last["seat"], 0, players - 1),
            tuple(_listed(last["moves"], {*_LAYS, "pass", *("swap" + " ?" * n for n in range(1, 6))})),
            _whole(last["nines"], 0),
            _whole(last["points"], 0),
        )
        if not state.last.moves:
            raise ValueError("a last turn without moves")
    if (result is None) == (state.stage == "over"):
        raise ValueError("an outcome before the end, or none after it")
    if result is not None:
        if result["reason"] not in game.reasons:
            raise ValueError("no such reason")
        winners = _numbers(result["winners"], None, 0)
        if not winners or max(winners) >= players:
            raise ValueError("no such winners")
        state.result = Outcome(_numbers(result["scores"], players), winners, result["reason"])
    return state


VERSIONS: Final = (Topominos(1), Topominos(2))
GAME: Final = VERSIONS[-1]
