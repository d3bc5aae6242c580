"""Game records, format `parlour/1`: written, read, replayed and checked from their events alone.

Nothing in a record is trusted: reading replays every event through the rules. What is wrong is a `Fault`
(value, for tools that print it) or a `RecordError` carrying one; texts are made elsewhere from its key.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from .errors import RulesError, SetupError
from .game import JSON, AnyGame, AnyState, Event, OptionValue, Outcome
from .registry import game

FORMAT = "parlour/1"
MOST_BYTES = 64 * 2**20  # a whole Zatre match with every legal list is far below this
MOST_DIGITS = 18  # of a JSON number; nothing here counts further

FaultKind = Literal[
    "header", "unreadable", "illegal", "not yours", "impossible", "missing", "extra", "outcome"
]


@dataclass(frozen=True, slots=True)
class Record:
    """One game as it is written down.

    options: as written, only those that differ from the default. seed: None where absent. outcome: None
    while the game runs. legal: by event index, a decision's full legal list before the move, where given.
    version: of the rules it keeps, None for the game's current one.
    """

    game: str
    players: int
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    seed: str | None = None
    events: tuple[Event, ...] = ()
    outcome: Outcome | None = None
    legal: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    version: int | None = None

    @property
    def rules(self) -> AnyGame:
        """The game, at the version whose rules this record keeps. Raises SetupError."""
        return game(self.game, self.version)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a record.

    kind: "header" before the first event, else the kind of error. index: of the event, from 0; the
    number of events for what is wrong after the last one; None for a header. key: catalogue key of the text;
    data: values for its places; rule: number on the game's page, or "".
    """

    kind: FaultKind
    index: int | None
    key: str
    data: Mapping[str, object] = field(default_factory=dict)
    rule: str = ""


class RecordError(Exception):
    """A record that is not right; `fault` says where and why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind, fault.index, fault.key, fault.data)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Verdict:
    """fault: None for a right record, which is then in `record`."""

    fault: Fault | None
    record: Record | None = None

    @property
    def ok(self) -> bool:
        return self.fault is None


# --------------------------------------------------------------------------- writing


def dumps(record: Record) -> str:
    """The record as text: ASCII, one event per line, a newline at the end; equal records, equal bytes."""
    events = ",\n".join("  " + _dump(_event_json(record, index)) for index in range(len(record.events)))
    parts = [
        f'"format": {_dump(FORMAT)}, "game": {_dump(record.game)}, '
        f'"options": {_dump(dict(sorted(record.options.items())))}, "players": {_dump(record.players)}'
    ]
    if record.version is not None:
        parts[0] += f', "version": {_dump(record.version)}'
    if record.seed is not None:
        parts[0] += f', "seed": {_dump(record.seed)}'
    parts.append(f'"events": [\n{events}\n ]' if events else '"events": []')
    parts.append(f'"outcome": {_dump(record.outcome.to_json() if record.outcome else None)}')
    return "{" + ",\n ".join(parts) + "}\n"


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


def _event_json(record: Record, index: int) -> dict[str, JSON]:
    event = record.events[index]
    if event.kind == "chance":
        line: dict[str, JSON] = {"chance": event.text}
        return line if event.player is None else {**line, "player": event.player}
    line = {"player": event.player, "move": event.text}
    return {**line, "legal": list(record.legal[index])} if index in record.legal else line


# --------------------------------------------------------------------------- replaying


def replay(record: Record, count: int | None = None) -> AnyState:
    """The position after the first `count` events (default: all). Raises RulesError."""
    state = record.rules.start(record.players, record.options)
    for event in record.events[:count]:
        state.apply(event)
    return state


# --------------------------------------------------------------------------- reading


def read(text: str | bytes) -> Record:
    """The record in `text`, every event and the outcome checked. Raises RecordError.

    A record that names a version of its rules is held against that one. One that names none keeps the newest
    version that explains all of it: a game that ended under older rules may have been written down before
    records named them. Where none does, the error is what the current rules say.
    """
    raw = _parse(text)
    head = _header(raw)
    if "version" in raw:
        return _checked(raw, head)
    faults: list[RecordError] = []
    for rules in reversed(game(head.game).versions()):
        try:
            return _checked(raw, replace(head, version=written_version(rules)))
        except RecordError as error:
            faults.append(error)
    raise faults[0]


def written_version(rules: AnyGame) -> int | None:
    """What a record of these rules says of their version: nothing (None) where they are the current ones."""
    return None if rules.version == game(rules.id).version else rules.version


def _checked(raw: dict[str, Any], head: Record) -> Record:
    """The record of a header, its events and outcome checked by its rules. Raises RecordError."""
    state = head.rules.start(head.players, head.options)
    events: list[Event] = []
    lists: dict[int, tuple[str, ...]] = {}
    for index, item in enumerate(raw["events"]):
        event, legal = _event(index, item)
        _step(state, index, event, legal)
        events.append(event)
        if legal is not None:
            lists[index] = legal
    outcome = _check_outcome(state, raw["outcome"], len(events))
    return replace(head, events=tuple(events), outcome=outcome, legal=lists)


def verify(text: str | bytes) -> Verdict:
    """Like `read`, for whoever wants to know rather than to go on. Never raises for any text."""
    try:
        return Verdict(None, read(text))
    except RecordError as error:
        return Verdict(error.fault)


class _Odd:
    """Stands in parsed JSON for what no record contains, so that it is refused where it is found; `shown`
    stands for it in messages."""

    def __init__(self, shown: str) -> None:
        self.shown = shown

    def __str__(self) -> str:
        return self.shown


_TWICE = _Odd("{…}")  # an object with a key twice
_HUGE = _Odd("…")  # a number that no count can reach


def _pairs(pairs: list[tuple[str, Any]]) -> Any:
    made = dict(pairs)
    return made if len(made) == len(pairs) else _TWICE


def _whole(digits: str) -> Any:
    return int(digits) if len(digits) <= MOST_DIGITS and digits != "-0" else _HUGE


def _constant(name: str) -> Any:
    raise ValueError(name)


def _bad_header(code: str, **data: object) -> RecordError:
    return RecordError(Fault("header", None, f"record.{code}", data))


def _parse(text: str | bytes) -> dict[str, Any]:
    if len(text) > MOST_BYTES:
        raise _bad_header("too_long", most=MOST_BYTES // 2**20)
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _bad_header("not_utf8", at=error.start) from error
    try:
        raw = json.loads(text, object_pairs_hook=_pairs, parse_int=_whole, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise _bad_header("not_json", line=error.lineno, column=error.colno) from error
    except ValueError as error:  # NaN or Infinity, which Python's reader would take
        raise _bad_header("not_json_number") from error
    except RecursionError as error:
        raise _bad_header("too_deep") from error
    if raw is _TWICE:
        raise _bad_header("key_twice")
    if not isinstance(raw, dict):
        raise _bad_header("not_an_object")
    return raw


_REQUIRED = ("format", "game", "options", "players", "events", "outcome")


def _header(raw: dict[str, Any]) -> Record:
    """Everything before the events. Raises RecordError."""
    if "format" in raw and raw["format"] != FORMAT:
        raise _bad_header("other_format", expected=FORMAT)
    for key in _REQUIRED:
        if key not in raw:
            raise _bad_header("key_missing", field=key)
    for key in raw:
        if key not in _REQUIRED and key not in ("seed", "version"):
            raise _bad_header("key_unknown", field=key)
    seed = raw.get("seed")
    wrong = [
        key
        for key, kind in (("game", str), ("options", dict), ("players", int), ("events", list))
        if type(raw[key]) is not kind
    ]
    if "seed" in raw and not (isinstance(seed, str) and _encodable(seed)):
        wrong.append("seed")
    if "version" in raw and type(raw["version"]) is not int:
        wrong.append("version")
    if wrong:
        raise _bad_header("wrong_type", field=wrong[0])
    try:
        rules = game(raw["game"], raw.get("version"))
        rules.options_for(raw["players"], raw["options"])
    except SetupError as error:
        raise RecordError(Fault("header", None, error.key, error.data, error.rule)) from error
    return Record(raw["game"], raw["players"], raw["options"], seed, version=written_version(rules))


def _encodable(text: str) -> bool:
    """Whether a text is real Unicode: no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _event(index: int, item: Any) -> tuple[Event, tuple[str, ...] | None]:
    """One line of `events`: its event, and its legal list where given. Raises RecordError."""

    def bad(code: str, **data: object) -> RecordError:
        return RecordError(Fault("unreadable", index, f"record.{code}", data))

    if item is _TWICE:
        raise bad("key_twice")
    if not isinstance(item, dict):
        raise bad("not_an_object")
    kinds = [kind for kind in ("chance", "move") if kind in item]
    if len(kinds) != 1:
        raise bad("chance_or_move")
    (kind,) = kinds
    allowed = {"chance", "player"} if kind == "chance" else {"player", "move", "legal"}
    for key in item:
        if key not in allowed:
            raise bad("key_unknown", field=key)
    if kind == "move" and "player" not in item:
        raise bad("key_missing", field="player")
    if not isinstance(item[kind], str):
        raise bad("wrong_type", field=kind)
    if "player" in item and type(item["player"]) is not int:
        raise bad("wrong_type", field="player")
    legal = item.get("legal")
    if "legal" in item and not (isinstance(legal, list) and all(isinstance(move, str) for move in legal)):
        raise bad("wrong_type", field="legal")
    event = Event("chance" if kind == "chance" else "move", item[kind], item.get("player"))
    return event, tuple(legal) if legal is not None else None


def _step(state: AnyState, index: int, event: Event, legal: Sequence[str] | None) -> None:
    """Apply one event, and hold its legal list against the position before it. Raises RecordError."""
    expected: list[str] | None = None
    if legal is not None and event.player in state.actors():
        expected = state.legal(event.player) if state.lists(event.player) else None
    try:
        state.apply(event)
    except RulesError as error:
        kind: Any = error.kind.replace("_", " ")
        raise RecordError(Fault(kind, index, error.key, error.data, error.rule)) from error
    if legal is None:
        return
    if expected is None:
        raise RecordError(Fault("illegal", index, "record.legal_unlisted"))
    if list(legal) != expected:
        raise RecordError(Fault("illegal", index, "record.legal_list", _difference(legal, expected)))


def _difference(given: Iterable[str], expected: Iterable[str]) -> dict[str, object]:
    """How a given legal list differs: moves it lacks, moves it has too many (0 and 0 when only the
    order is wrong or a move is there twice)."""
    have, want = set(given), set(expected)
    return {"lacking": len(want - have), "surplus": len(have - want)}


def _check_outcome(state: AnyState, given: Any, count: int) -> Outcome | None:
    """The outcome, held against the final position. Raises RecordError."""
    outcome = state.outcome()
    if outcome is None:
        if given is not None:
            raise RecordError(Fault("missing", count, "record.not_over"))
        return None
    if given is None:
        raise RecordError(Fault("outcome", count, "record.outcome_missing"))
    expected = outcome.to_json()
    wrong = [
        key for key in expected if not isinstance(given, dict) or not _same(given.get(key), expected[key])
    ]
    if not wrong and set(given) != set(expected):
        wrong = ["outcome"]
    if wrong:
        raise RecordError(
            Fault("outcome", count, "record.outcome_wrong", {"field": wrong[0], "expected": _dump(expected)})
        )
    return outcome


def _same(given: Any, expected: Any) -> bool:
    """Equal and of the same types throughout: `true` is not 1, and 1.0 is not either."""
    if isinstance(expected, list):
        return isinstance(given, list) and len(given) == len(expected) and all(map(_same, given, expected))
    return type(given) is type(expected) and bool(given == expected)
