"""What the slow engines share: reading a record event by event, and the first engine as a black box.

Nothing here imports the first engines' rules: they are reached through the command line only.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import random
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bot.cli import main

type_of_record = dict[str, Any]


class Wrong(Exception):
    """Something a record says cannot be; the text says why, for the developer who reads a failed test."""


@dataclass(frozen=True)
class Disagreement:
    """The first point where a record and the slow engine part.

    index: the event's index; the number of events where the outcome is wrong or an event is missing; None for
    what comes before the first event.
    """

    index: int | None
    why: str


class Slow(Protocol):
    """One game being played by a slow engine. Made from (players, options); raises Wrong for a bad set-up."""

    def due(self) -> str:
        """`chance`, `move` or `over`: what comes next."""

    def actors(self) -> set[int]:
        """The seats that may act now; empty unless `move` is due."""

    def chance(self, text: str, player: int | None) -> None:
        """Take a chance result. Raises Wrong for what is impossible now; then nothing has changed."""

    def legal(self, seat: int) -> list[str] | None:
        """All legal moves of a seat that may act, sorted; None where the README says they are not listed."""

    def move(self, seat: int, text: str) -> None:
        """Take a decision of a seat that may act. Raises Wrong for what is not legal; nothing has changed."""

    def outcome(self) -> dict[str, Any] | None:
        """Scores, winners and reason as in a record; None while the game runs."""

    def roll(self, chooser: random.Random) -> dict[str, Any]:
        """A possible chance event, when chance is due. Changes nothing."""

    def pick(self, seat: int, chooser: random.Random) -> str:
        """A legal move of a seat that may act, of any kind and not evenly. Changes nothing."""


Maker = Callable[[int, Mapping[str, Any]], Slow]


@dataclass(frozen=True)
class Case:
    """One whole game to compare. options: only those given. play: how the first engine moves."""

    game: str
    players: int
    seed: str
    options: tuple[tuple[str, Any], ...] = ()
    play: str = "random"

    def __str__(self) -> str:
        options = "".join(f"-{name}={value}" for name, value in self.options)
        return f"{self.game}-{self.players}{options}-{self.play}-{self.seed}"


# --------------------------------------------------------------------------- a record, from its events alone


def _is_number(value: object) -> bool:
    return type(value) is int


def _keys(event: object) -> dict[str, Any]:
    """The event, when its keys and the kinds of their values are a record's. Raises Wrong."""
    if not isinstance(event, dict):
        raise Wrong("an event is an object")
    if ("chance" in event) == ("move" in event):
        raise Wrong("an event has either chance or move")
    allowed = {"chance", "player"} if "chance" in event else {"move", "player", "legal"}
    if set(event) - allowed:
        raise Wrong("a key that is not known")
    if not isinstance(event.get("chance", ""), str) or not isinstance(event.get("move", ""), str):
        raise Wrong("chance and move are texts")
    if "player" in event and not _is_number(event["player"]):
        raise Wrong("player is a number")
    legal = event.get("legal", [])
    if not isinstance(legal, list) or not all(isinstance(move, str) for move in legal):
        raise Wrong("legal is a list of texts")
    if "move" in event and "player" not in event:
        raise Wrong("a decision has a player")
    return event


def _take(game: Slow, event: object) -> None:
    """Judge one event and carry it out. Raises Wrong."""
    said = _keys(event)
    if game.due() == "over":
        raise Wrong("extra: the game is over")
    if "chance" in said:
        if game.due() != "chance":
            raise Wrong("no chance result is due")
        game.chance(said["chance"], said.get("player"))
        return
    if game.due() != "move":
        raise Wrong("a chance result is missing")
    seat = said["player"]
    if seat not in game.actors():
        raise Wrong("not this seat's turn")
    if "legal" in said and said["legal"] != game.legal(seat):
        mine = game.legal(seat)
        given = said["legal"]
        if mine is None:
            raise Wrong("a list of legal moves where none can be")
        missing = [move for move in mine if move not in given]
        many = [move for move in given if move not in mine]
        raise Wrong(f"legal: missing {missing[:5]}, too many {many[:5]}")
    game.move(seat, said["move"])


def _start(record: Mapping[str, Any], makers: Mapping[str, Maker]) -> Slow:
    """The game before its first event. Raises Wrong for a header that cannot be."""
    needed = {"format", "game", "options", "players", "events", "outcome"}
    if needed - set(record) or set(record) - needed - {"seed"}:
        raise Wrong("the record's keys")
    if record["format"] != "parlour/1" or record["game"] not in makers:
        raise Wrong("format or game")
    if not isinstance(record["options"], dict) or not isinstance(record["events"], list):
        raise Wrong("options is an object, events a list")
    if not _is_number(record["players"]) or not isinstance(record.get("seed", ""), str):
        raise Wrong("players is a number, seed a text")
    return makers[record["game"]](record["players"], record["options"])


def first_disagreement(record: Mapping[str, Any], makers: Mapping[str, Maker]) -> Disagreement | None:
    """Replay a record from scratch; where it first says what cannot be, or None. makers: by game id."""
    try:
        game = _start(record, makers)
    except Wrong as error:
        return Disagreement(None, str(error))
    for index, event in enumerate(record["events"]):
        try:
            _take(game, event)
        except Wrong as error:
            return Disagreement(index, str(error))
    if record["outcome"] != game.outcome():
        return Disagreement(len(record["events"]), f"outcome {record['outcome']}, not {game.outcome()}")
    return None


def after(record: Mapping[str, Any], count: int, makers: Mapping[str, Maker]) -> Slow:
    """The game after a record's first `count` events. Raises Wrong where one of them cannot be."""
    game = _start(record, makers)
    for event in record["events"][:count]:
        _take(game, event)
    return game


def legal_after(
    record: Mapping[str, Any], count: int, makers: Mapping[str, Maker]
) -> dict[int, list[str] | None]:
    """By seat that may act after a record's first `count` events: its legal list, None where not listed."""
    game = after(record, count, makers)
    return {seat: game.legal(seat) for seat in sorted(game.actors())}


# --------------------------------------------------------------------------- the first engine, as a black box


def selfplay(case: Case, *, legal: bool = True) -> type_of_record:
    """A whole game by the first engine, through the command line."""
    words = ["selfplay", case.game, "--players", str(case.players), "--seed", case.seed, "--play", case.play]
    for name, value in case.options:
        words += ["--option", f"{name}={json.dumps(value) if not isinstance(value, str) else value}"]
    if legal:
        words.append("--legal")
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        code = main(words)
    if code:
        raise AssertionError(f"selfplay of {case} ended with {code}")
    record: type_of_record = json.loads(shown.getvalue())
    return record


def verify(records: Iterable[Mapping[str, Any]], folder: Path) -> list[int | str | None]:
    """What the first engine says of records: `ok`, the index of the first fault, or None for the header."""
    names = []
    for number, record in enumerate(records):
        path = folder / f"{number}.json"
        path.write_text(json.dumps(record), encoding="utf-8")
        names.append(str(path))
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        main(["verify", *names])
    verdicts: list[int | str | None] = []
    lines = shown.getvalue().splitlines()
    if len(lines) != len(names):
        raise AssertionError("verify says one line of each file")
    for name, line in zip(names, lines, strict=True):
        said = line.removeprefix(name + ": ")
        event = re.match(r"event (\d+): ", said)
        if said == "ok":
            verdicts.append("ok")
        elif event:
            verdicts.append(int(event[1]))
        elif said.startswith("header: "):
            verdicts.append(None)
        else:
            raise AssertionError(f"verify said: {line}")
    return verdicts


def verdict(record: Mapping[str, Any], makers: Mapping[str, Maker]) -> int | str | None:
    """The slow engine's word on a record, in the form `verify` gives it."""
    found = first_disagreement(record, makers)
    return "ok" if found is None else found.index


# --------------------------------------------------------------------------- records by an outside program


def play(case: Case, makers: Mapping[str, Maker], *, legal: bool = False) -> type_of_record:
    """A whole game by the slow engine alone: its own chance, its own moves, no seed in the record."""
    chooser = random.Random(str(case))
    game = makers[case.game](case.players, dict(case.options))
    events: list[dict[str, Any]] = []
    while game.due() != "over":
        if game.due() == "chance":
            event = game.roll(chooser)
            game.chance(event["chance"], event.get("player"))
        else:
            seat = chooser.choice(sorted(game.actors()))
            event = {"player": seat, "move": game.pick(seat, chooser)}
            # An engine may have a say in which lists are short enough to be worth working out.
            handy: Callable[[int], bool] = getattr(game, "handy", lambda seat: True)
            moves = game.legal(seat) if legal and handy(seat) else None
            if moves is not None:
                event["legal"] = moves
            game.move(seat, event["move"])
        events.append(event)
    return {
        "format": "parlour/1",
        "game": case.game,
        "options": dict(case.options),
        "players": case.players,
        "events": events,
        "outcome": game.outcome(),
    }


def drawn(bag: Iterable[Any], weight: Callable[[Any], int], luck: int, chooser: random.Random) -> list[Any]:
    """The bag's pieces as drawn, in order. luck 0: evenly; 1: the light ones sooner; -1: the heavy ones."""
    return sorted(bag, key=lambda piece: luck * weight(piece) + chooser.random() * 2)


# --------------------------------------------------------------------------- damaged records


def without_lists(record: Mapping[str, Any]) -> type_of_record:
    """The record without its legal lists."""
    bare = copy.deepcopy(dict(record))
    for event in bare["events"]:
        event.pop("legal", None)
    return bare


def _another_text(text: str, others: list[str], chooser: random.Random) -> str:
    """Some text near or far: of another event, or a letter or word changed, doubled, dropped or moved."""
    words = text.split(" ")
    place = chooser.randrange(len(words))
    letter = chooser.randrange(len(text))
    way = chooser.randrange(8)
    if way <= 2:
        return chooser.choice(others)
    if way == 3:
        return " ".join(words[:place] + words[place + 1 :])
    if way == 4:
        return " ".join([*words[: place + 1], *words[place:]])
    if way == 5:
        chooser.shuffle(words)
        return " ".join(words)
    if way == 6:
        return text[:letter] + chooser.choice("".join(others)) + text[letter + 1 :]
    return text[:letter] + chooser.choice(" 0-1aA@") + text[letter:]


def damaged(record: Mapping[str, Any], count: int, chooser: random.Random) -> list[type_of_record]:
    """`count` records that differ from a sound one (without legal lists) in one place each."""
    made = []
    for _ in range(count):
        bad = copy.deepcopy(dict(record))
        events: list[dict[str, Any]] = bad["events"]
        at = chooser.randrange(len(events))
        event = events[at]
        way = chooser.randrange(9)
        if way == 0:
            del events[at]
        elif way == 1:
            events.insert(at, copy.deepcopy(event))
        elif way == 2:
            to = min(at + chooser.choice((1, 1, 2, 3)), len(events) - 1)
            events[at], events[to] = events[to], events[at]
        elif way <= 5:
            key = "move" if "move" in event else "chance"
            event[key] = _another_text(event[key], [each[key] for each in events if key in each], chooser)
        elif way == 6:
            seat = chooser.randrange(-1, bad["players"] + 1)
            if "player" in event and chooser.random() < 0.3:
                del event["player"]
            else:
                event["player"] = seat
        elif way == 7:
            del events[at:]
            if chooser.random() < 0.7:
                bad["outcome"] = None
        else:
            outcome = bad["outcome"]
            part = chooser.choice(("scores", "winners", "reason", "null", "key"))
            if part == "scores":
                outcome["scores"][chooser.randrange(bad["players"])] += chooser.choice((-1, 1))
            elif part == "winners":
                outcome["winners"] = sorted(set(outcome["winners"]) ^ {chooser.randrange(bad["players"])})
            elif part == "reason":
                outcome["reason"] += chooser.choice(("", "s", " "))
            elif part == "null":
                bad["outcome"] = None
            else:
                del outcome[chooser.choice(sorted(outcome))]
        made.append(bad)
    return made


def guessed(
    record: Mapping[str, Any], count: int, makers: Mapping[str, Maker], chooser: random.Random
) -> list[type_of_record]:
    """`count` beginnings of a sound record that end with a slow engine's `guess`, legal or not."""
    decisions = [index for index, event in enumerate(record["events"]) if "move" in event]
    made = []
    for at in chooser.choices(decisions, k=count):
        game: Any = after(record, at, makers)
        seat = record["events"][at]["player"]
        event = {"player": seat, "move": game.guess(seat, chooser)}
        made.append({**record, "events": [*record["events"][:at], event], "outcome": None})
    return made
