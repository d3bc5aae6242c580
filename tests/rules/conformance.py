"""What the conformance suite plays with: every game with every option and seat count, positions along
random games, and moves and records that are almost right."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bot.rules.chance import Generator
from bot.rules.errors import SetupError
from bot.rules.game import Event, Game, Option, OptionValue, State
from bot.rules.registry import game, games

LONGEST_GAME = 20_000  # events; no random game has come near


@dataclass(frozen=True)
class Case:
    """One game with one set of options and one number of seats."""

    game: str
    players: int
    options: Mapping[str, OptionValue] = field(default_factory=dict)

    @property
    def rules(self) -> Game:
        return game(self.game)

    def start(self) -> State:
        return self.rules.start(self.players, self.options)

    def __str__(self) -> str:
        return "-".join([self.game, str(self.players), *(f"{k}={v}" for k, v in self.options.items())])


def _values(option: Option) -> list[OptionValue]:
    """The values of one option worth a case of their own: all but the default; of numbers a small one."""
    if option.kind == "choice":
        return [value for value in option.choices if value != option.default]
    if option.kind == "flag":
        return [not option.default]
    return [value for value in (1, 2, 3, 4, 5, 30) if value != option.default and option.accepts(value)]


def _option_sets(rules: Game, players: int) -> Iterator[dict[str, OptionValue]]:
    """For one number of seats: the defaults, each value of each option by itself, and every pair of two
    options' first values, as far as the game allows them."""
    single = [{option.name: value} for option in rules.option_list for value in _values(option)]
    pairs = [
        {first.name: _values(first)[0], second.name: _values(second)[0]}
        for index, first in enumerate(rules.option_list)
        for second in rules.option_list[index + 1 :]
    ]
    for options in ({}, *single, *pairs):
        try:
            rules.options_for(players, options)
        except SetupError:
            continue
        yield options


def cases() -> list[Case]:
    return [case for rules in games() for case in cases_of(rules)]


def cases_of(rules: Game) -> list[Case]:
    """Defaults at every number of seats; each other set of options at the fewest seats that allow it, and
    each number of a match's length only once."""
    found: list[Case] = []
    seen: list[object] = []
    for players in range(rules.min_seats, rules.max_seats + 1):
        numbers: set[str] = set()
        for options in _option_sets(rules, players):
            if options and options in seen:
                continue
            count = [o.name for o in rules.option_list if o.kind == "number" and o.name in options]
            if len(options) == 1 and count and (count[0] in numbers or _had_number(seen, count[0])):
                continue
            numbers.update(count)
            seen.append(options)
            found.append(Case(rules.id, players, options))
    return found


def _had_number(seen: list[object], name: str) -> bool:
    return any(isinstance(options, dict) and list(options) == [name] for options in seen)


# --------------------------------------------------------------------------- positions


@dataclass
class Position:
    """A position on the way of a random game. `state` is the game's own: clone it before changing it."""

    state: State
    events: list[Event]
    next: Event | None  # what is played next; None at the end


def walk(case: Case, seed: str) -> Iterator[Position]:
    """Every position of one random game, the first and the last included."""
    state = case.start()
    moves = Generator(seed, "moves")
    events: list[Event] = []
    while True:
        event: Event | None = None
        if state.chance_due():
            event = state.draw(Generator(seed, f"event:{len(events)}"))
        elif state.outcome() is None:
            seat = moves.choice(state.actors())
            event = Event("move", state.random_move(seat, moves), seat)
        yield Position(state, events, event)
        if event is None:
            return
        state.apply(event)
        events.append(event)
        assert len(events) < LONGEST_GAME, "does not end"


def sampled(case: Case, count: int, seed: str = "shared") -> Iterator[Position]:
    """About `count` positions of one random game: spread over it, with the first three and the last. The same
    game for all who ask with the same seed: it is played once."""
    course = _course(case, seed)
    step = max(1, len(course) // count)
    state = case.start()
    events: list[Event] = []
    for index, event in enumerate((*course, None)):
        if index < 3 or index % step == index // step % step or event is None:
            yield Position(state, events, event)
        if event is not None:
            state.apply(event)
            events.append(event)


_courses: dict[tuple[str, str], tuple[Event, ...]] = {}


def _course(case: Case, seed: str) -> tuple[Event, ...]:
    key = str(case), seed
    if key not in _courses:
        _courses[key] = tuple(position.next for position in walk(case, seed) if position.next is not None)
    return _courses[key]


def dump(state: State) -> str:
    return json.dumps(state.to_json(), sort_keys=True)


# --------------------------------------------------------------------------- almost right texts


PIECES = " ?@+*-:.,\t\n\x00ABDOabz0129é٣９/"


def mutated(text: str, chance: Generator) -> str:
    """A text near `text`: a letter left out, doubled, put in, swapped or turned up or down."""
    letters = list(text)
    at = chance.below(len(letters) + 1)
    match chance.below(7):
        case 0:
            del letters[at : at + 1]
        case 1:
            letters.insert(at, chance.choice(PIECES))
        case 2:
            letters[at : at + 1] = chance.choice(PIECES)
        case 3:
            letters[at:at] = letters[at : at + 1]
        case 4:
            other = chance.below(len(letters) + 1)
            letters[at : at + 1], letters[other : other + 1] = (
                letters[other : other + 1],
                letters[at : at + 1],
            )
        case 5:
            letters[at : at + 1] = [letter.swapcase() for letter in letters[at : at + 1]]
        case _:
            words = text.split(" ")
            words.insert(chance.below(len(words) + 1), words.pop(chance.below(len(words))))
            return " ".join(words)
    return "".join(letters)


HOSTILE: tuple[object, ...] = (
    "",
    " ",
    "\n",
    "?",
    "take 1@A1\n",
    "1" * 5000,
    "deal " + "9" * 5000,
    "draw " + "1 " * 5000,
    "lots " + "- " * 5000 + "1",
    "reveal 07",
    "first -1",
    "first +1",
    "FIRST 0",
    "first  0",
    "first ٣",
    "call 1_0",
    "roll joker ",
    "\ud800",
    "a" * 100_000,
    "@" * 10_000,
    "1@A1 " * 10_000,
    "*" * 10_000,
    "RA+" * 10_000,
    None,
    7,
    True,
    1.5,
    ["draw"],
    {"move": "draw"},
    b"draw",
)


def mutated_record(text: str, chance: Generator) -> bytes:
    """The bytes of a record with some damage: as text, as JSON, or in one of its events."""
    match chance.below(4):
        case 0:
            return _damaged_bytes(text.encode(), chance)
        case 1:
            return mutated(text, chance).encode("utf-8", "surrogatepass")
        case 2:
            return _damaged_values(text, chance).encode("utf-8", "surrogatepass")
        case _:
            return _damaged_event(text, chance).encode("utf-8", "surrogatepass")


def _damaged_bytes(raw: bytes, chance: Generator) -> bytes:
    at = chance.below(len(raw))
    match chance.below(3):
        case 0:
            return raw[:at]
        case 1:
            return raw[:at] + bytes([chance.below(256)]) + raw[at + 1 :]
        case _:
            end = at + chance.below(200)
            return raw[:at] + raw[end:]


ODD_VALUES = (
    "null", "true", "false", "0", "1", "-1", "-0", "1.0", "1e400", "NaN", "-Infinity", "9" * 30, "9" * 5000,
    '""', '"?"', '"\\ud800"', '"\\u0000"', "[]", "{}", "[[]]", '{"a": 1, "a": 2}', "[" * 3000 + "]" * 3000,
    "[" * 200_000, '"' + "x" * 10_000 + '"',
)  # fmt: skip


def _damaged_values(text: str, chance: Generator) -> str:
    """Some key's value is another, or a key has another name, or is there twice."""
    raw = json.loads(text)
    target = raw
    if raw["events"] and chance.below(2):
        target = chance.choice(raw["events"])
    elif chance.below(3) == 0 and raw["outcome"]:
        target = raw["outcome"]
    key = chance.choice(sorted(target))
    marker = "\x01here\x01"
    match chance.below(4):
        case 0:
            target[mutated(key, chance)] = target.pop(key)
            return json.dumps(raw)
        case 1:
            del target[key]
            return json.dumps(raw)
        case 2:
            target[chance.choice(("legal", "player", "chance", "move", "seed", "extra", "game"))] = marker
        case _:
            target[key] = marker
    return json.dumps(raw).replace(json.dumps(marker), chance.choice(ODD_VALUES))


def _damaged_event(text: str, chance: Generator) -> str:
    """One event lost, doubled, moved, given to another seat, or with its text a little changed."""
    raw = json.loads(text)
    events = raw["events"]
    at = chance.below(len(events))
    match chance.below(5):
        case 0:
            del events[at]
        case 1:
            events.insert(at, events[chance.below(len(events))])
        case 2:
            events.insert(chance.below(len(events)), events.pop(at))
        case 3:
            events[at]["player"] = chance.below(raw["players"] + 2) - 1
        case _:
            kind = "chance" if "chance" in events[at] else "move"
            events[at][kind] = mutated(events[at][kind], chance)
    return json.dumps(raw)
