"""Records: written the same every time, read with every event checked, and never trusted."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.cli import selfplay
from bot.locale import LANGUAGES, sayer
from bot.rules import record as records
from bot.rules.errors import RulesError
from bot.rules.game import Event, Outcome
from bot.rules.record import Fault, Record, RecordError, dumps, read, replay, verify
from bot.rules.registry import GAME_IDS, game

GOLDEN = Path(__file__).parent.parent / "records"
SETUP: list[dict[str, object]] = [
    {"chance": "first 1"},
    {"chance": "deal 13", "player": 0},
    {"chance": "deal 7", "player": 1},
    {"player": 1, "move": "7@A1"},
    {"player": 0, "move": "13@C3"},
    {"chance": "deal 2", "player": 0},
]


def raw(**changes: Any) -> dict[str, Any]:
    """An unfinished record of 5 vor 12 for two; `...` takes a key out."""
    made: dict[str, Any] = {
        "format": "parlour/1",
        "game": "fivetotwelve",
        "options": {},
        "players": 2,
        "seed": "x",
        "events": [dict(event) for event in SETUP],
        "outcome": None,
    } | changes
    return {key: value for key, value in made.items() if value is not ...}


def fault_of(record: object) -> Fault:
    verdict = verify(record if isinstance(record, (str, bytes)) else json.dumps(record))
    assert verdict.fault is not None
    assert not verdict.ok
    assert verdict.record is None
    for language in LANGUAGES:
        assert sayer(language)(verdict.fault.key, **verdict.fault.data)
    return verdict.fault


def with_event(index: int, event: object) -> dict[str, Any]:
    record = raw()
    record["events"][index] = event
    return record


def finished() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(dumps(selfplay(game("fivetotwelve"), 2, "done", {})))
    return made


# --------------------------------------------------------------------------- writing


def test_a_record_is_written_as_the_page_shows_it() -> None:
    record = Record(
        "zatre",
        3,
        {},
        "s",
        (Event("chance", "lots 5 2 5"), Event("chance", "draw 1 4", 2), Event("move", "4@G8 6@H8 1@I8", 2)),
        Outcome((90, 71, 88), (0,), "bag empty"),
        {2: ("4@G8 6@H8 1@I8",)},
    )
    assert dumps(record) == (
        '{"format": "parlour/1", "game": "zatre", "options": {}, "players": 3, "seed": "s",\n'
        ' "events": [\n'
        '  {"chance": "lots 5 2 5"},\n'
        '  {"chance": "draw 1 4", "player": 2},\n'
        '  {"player": 2, "move": "4@G8 6@H8 1@I8", "legal": ["4@G8 6@H8 1@I8"]}\n'
        " ],\n"
        ' "outcome": {"scores": [90, 71, 88], "winners": [0], "reason": "bag empty"}}\n'
    )


def test_a_record_without_seed_events_and_end_is_short() -> None:
    assert dumps(Record("topspot", 4, {"level": "expert", "games": 4})) == (
        '{"format": "parlour/1", "game": "topspot", "options": {"games": 4, "level": "expert"}, '
        '"players": 4,\n "events": [],\n "outcome": null}\n'
    )


def test_written_and_read_again_it_is_the_same() -> None:
    record = selfplay(game("fivetotwelve"), 3, "Grüße \x07 ٣", {"bruno": True}, legal=True)
    text = dumps(record)
    assert text.isascii()
    assert read(text) == read(text.encode()) == record
    assert dumps(read(text)) == text


def test_replaying_stops_where_one_asks() -> None:
    record = read(json.dumps(raw()))
    assert replay(record, 0).chance_due()
    assert replay(record, 3).actors() == (0, 1)
    assert replay(record, 4).actors() == (0,)
    assert replay(record).to_json() == replay(record, 6).to_json()


def test_a_record_with_a_wrong_event_does_not_replay() -> None:
    with pytest.raises(RulesError):
        replay(Record("fivetotwelve", 2, events=(Event("chance", "first 2"),)))


# --------------------------------------------------------------------------- right ones


def test_unfinished_and_seedless_records_are_right() -> None:
    assert verify(json.dumps(raw())).ok
    assert verify(json.dumps(raw(seed=...))).ok
    assert verify(json.dumps(raw(events=[]))).ok


def test_a_given_default_is_right_to_read() -> None:
    assert verify(json.dumps(raw(options={"first": "random", "series": False}))).ok


def test_order_of_keys_and_white_space_do_not_matter() -> None:
    record = raw()
    assert verify(json.dumps(dict(reversed(record.items())), indent=3) + "\n\n").ok


def test_an_event_may_carry_the_whole_legal_list() -> None:
    record = raw()
    record["events"][3]["legal"] = ["7@A1", "7@B2", "7@C3", "7@D4"]
    assert verify(json.dumps(record)).ok


# --------------------------------------------------------------------------- before the first event


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "not_json"),
        ("{", "not_json"),
        ("nonsense", "not_json"),
        ("\ufeff{}", "not_json"),
        ("[]", "not_an_object"),
        ("3", "not_an_object"),
        ('"parlour/1"', "not_an_object"),
        ("null", "not_an_object"),
        ("NaN", "not_json_number"),
        ('{"players": Infinity}', "not_json_number"),
        ("[" * 200_000, "too_deep"),
        ('{"a":' * 100_000, "too_deep"),
        ('{"format": "parlour/1", "format": "parlour/1"}', "key_twice"),
        ("9" * 10_000, "not_an_object"),
        (b"\xff\xfe{}", "not_utf8"),
        (b"\x00\x01\x02", "not_json"),
        (b'{"seed": "\xed\xa0\x80"}', "not_utf8"),
    ],
)
def test_what_is_no_record_at_all_is_a_fault_of_the_header(text: str | bytes, key: str) -> None:
    fault = fault_of(text)
    assert (fault.kind, fault.index, fault.key) == ("header", None, f"record.{key}")


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"format": "parlour/2"}, "record.other_format"),
        ({"format": None}, "record.other_format"),
        ({"format": ...}, "record.key_missing"),
        ({"game": ...}, "record.key_missing"),
        ({"options": ...}, "record.key_missing"),
        ({"players": ...}, "record.key_missing"),
        ({"events": ...}, "record.key_missing"),
        ({"outcome": ...}, "record.key_missing"),
        ({"comment": "hello"}, "record.key_unknown"),
        ({"game": "chess"}, "rules.setup.unknown_game"),
        ({"game": 7}, "record.wrong_type"),
        ({"game": "../record"}, "rules.setup.unknown_game"),
        ({"options": []}, "record.wrong_type"),
        ({"options": {"colour": "red"}}, "rules.setup.unknown_option"),
        ({"options": {"series": 1}}, "rules.setup.option_value"),
        ({"options": {"series": "true"}}, "rules.setup.option_value"),
        ({"options": {"first": True}}, "rules.setup.option_value"),
        ({"options": {"first": 10**17}}, "rules.setup.option_value"),
        ({"players": 5}, "rules.setup.seats"),
        ({"players": 1}, "rules.setup.seats"),
        ({"players": True}, "record.wrong_type"),
        ({"players": 2.0}, "record.wrong_type"),
        ({"players": "2"}, "record.wrong_type"),
        ({"players": 10**30}, "record.wrong_type"),
        ({"seed": 7}, "record.wrong_type"),
        ({"seed": None}, "record.wrong_type"),
        ({"seed": "\ud800"}, "record.wrong_type"),
        ({"events": {}}, "record.wrong_type"),
        ({"events": None}, "record.wrong_type"),
    ],
)
def test_a_wrong_header_is_found_before_the_first_event(changes: dict[str, Any], key: str) -> None:
    record = raw(**changes)
    if isinstance(record.get("events"), list):
        record["events"].append({"chance": "nonsense"})
    fault = fault_of(record)
    assert (fault.kind, fault.index, fault.key) == ("header", None, key)


def test_numbers_that_python_would_not_read_are_refused_where_they_stand() -> None:
    text = json.dumps(raw()).replace('"players": 2', '"players": ' + "9" * 5000)
    assert fault_of(text).key == "record.wrong_type"
    text = json.dumps(raw()).replace('"player": 1', '"player": ' + "9" * 5000)
    assert (fault_of(text).kind, fault_of(text).index) == ("unreadable", 2)
    assert fault_of(json.dumps(raw()).replace('"player": 0', '"player": -0', 1)).index == 1


def test_an_endless_file_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_BYTES", 1000)
    assert fault_of(" " * 1001).key == "record.too_long"


# --------------------------------------------------------------------------- events


@pytest.mark.parametrize(
    ("event", "key"),
    [
        (None, "record.not_an_object"),
        ([], "record.not_an_object"),
        ("deal 7", "record.not_an_object"),
        ({}, "record.chance_or_move"),
        ({"player": 1}, "record.chance_or_move"),
        ({"chance": "deal 7", "move": "7@A1", "player": 1}, "record.chance_or_move"),
        ({"chance": "deal 7", "player": 1, "note": ""}, "record.key_unknown"),
        ({"chance": "deal 7", "player": 1, "legal": []}, "record.key_unknown"),
        ({"move": "7@A1"}, "record.key_missing"),
        ({"chance": 7, "player": 1}, "record.wrong_type"),
        ({"chance": None, "player": 1}, "record.wrong_type"),
        ({"chance": "deal 7", "player": True}, "record.wrong_type"),
        ({"chance": "deal 7", "player": 1.0}, "record.wrong_type"),
        ({"chance": "deal 7", "player": None}, "record.wrong_type"),
        ({"move": "7@A1", "player": "1"}, "record.wrong_type"),
        ({"chance": "deal 7", "player": 2}, "rules.unreadable.chance"),
        ({"chance": "deal 7", "player": -1}, "rules.unreadable.chance"),
        ({"chance": "deal 7"}, "rules.unreadable.chance"),
        ({"chance": "first 1", "player": 1}, "rules.unreadable.chance"),
        ({"chance": "deal 07", "player": 1}, "rules.unreadable.chance"),
        ({"chance": "", "player": 1}, "rules.unreadable.chance"),
        ({"chance": "\ud800", "player": 1}, "rules.unreadable.chance"),
        ({"chance": "deal 21", "player": 1}, "fivetotwelve.impossible.tile"),
        ({"chance": "deal 7", "player": 0}, "rules.missing.other_chance"),
        ({"chance": "reveal 7"}, "rules.missing.other_chance"),
        ({"move": "7@A1", "player": 1}, "rules.missing.chance"),
        ({"move": "7@a1", "player": 1}, "rules.unreadable.move"),
    ],
)
def test_a_wrong_event_where_chance_is_due(event: object, key: str) -> None:
    fault = fault_of(with_event(2, event))
    owner, kind, *_ = key.split(".")
    kind = "unreadable" if owner == "record" else kind
    assert (fault.kind, fault.index, fault.key) == (kind, 2, key)


@pytest.mark.parametrize(
    ("event", "kind", "key", "rule"),
    [
        ({"player": 1, "move": "7@A2"}, "illegal", "fivetotwelve.illegal.diagonal", "1"),
        ({"player": 1, "move": "13@A1"}, "illegal", "fivetotwelve.illegal.other_tile", "1"),
        ({"player": 2, "move": "7@A1"}, "unreadable", "rules.unreadable.move", ""),
        ({"chance": "deal 3", "player": 0}, "extra", "rules.extra.chance", ""),
        ({"player": 1, "move": "7@A1", "legal": ["7@A1"]}, "illegal", "record.legal_list", ""),
        ({"player": 1, "move": "7@A1", "legal": []}, "illegal", "record.legal_list", ""),
        ({"player": 1, "move": "7@A1", "legal": "7@A1"}, "unreadable", "record.wrong_type", ""),
        ({"player": 1, "move": "7@A1", "legal": None}, "unreadable", "record.wrong_type", ""),
        ({"player": 1, "move": "7@A1", "legal": [1]}, "unreadable", "record.wrong_type", ""),
        (
            {"player": 1, "move": "7@A2", "legal": ["7@A1", "7@B2", "7@C3", "7@D4"]},
            "illegal",
            "fivetotwelve.illegal.diagonal",
            "1",
        ),
    ],
)
def test_a_wrong_event_where_a_decision_is_due(event: object, kind: str, key: str, rule: str) -> None:
    fault = fault_of(with_event(3, event))
    assert (fault.kind, fault.index, fault.key, fault.rule) == (kind, 3, key, rule)


def test_the_same_seat_cannot_lay_twice() -> None:
    fault = fault_of(with_event(4, {"player": 1, "move": "7@B2"}))
    assert (fault.kind, fault.index) == ("not yours", 4)


def test_a_legal_list_in_another_order_or_with_a_move_twice_is_wrong() -> None:
    for wrong in (["7@D4", "7@C3", "7@B2", "7@A1"], ["7@A1", "7@A1", "7@B2", "7@C3", "7@D4"]):
        fault = fault_of(with_event(3, {"player": 1, "move": "7@A1", "legal": wrong}))
        assert (fault.kind, fault.data) == ("illegal", {"lacking": 0, "surplus": 0})


def test_where_legal_moves_cannot_be_listed_no_list_is_right() -> None:
    record = json.loads(dumps(selfplay(game("top12"), 2, "lists", {}, legal=True)))
    assert "legal" not in record["events"][0]
    record["events"][0]["legal"] = [record["events"][0]["move"]]
    fault = fault_of(record)
    assert (fault.kind, fault.index, fault.key) == ("illegal", 0, "record.legal_unlisted")


def test_the_first_fault_is_named() -> None:
    record = with_event(4, {"chance": "deal 1"})
    record["events"][2] = {"chance": "deal 99", "player": 1}
    assert fault_of(record).index == 2
    record["events"][1] = None
    assert fault_of(record).index == 1


# --------------------------------------------------------------------------- the end


def _outcome(**changes: Any) -> Callable[[dict[str, Any]], object]:
    return lambda outcome: {k: v for k, v in {**outcome, **changes}.items() if v is not ...}


@pytest.mark.parametrize(
    "change",
    [
        _outcome(reason="series over"),
        _outcome(reason=None),
        _outcome(reason=...),
        _outcome(winners=[0, 1]),
        _outcome(winners=[]),
        _outcome(winners=[False]),
        _outcome(winners=[1.0]),
        _outcome(winners=1),
        _outcome(scores=[16, 16]),
        _outcome(scores=["16", "16"]),
        _outcome(note="well played"),
        lambda outcome: {**outcome, "scores": [float(score) for score in outcome["scores"]]},
        lambda outcome: {**outcome, "scores": outcome["scores"][::-1]},
        lambda outcome: [],
        lambda outcome: {},
        lambda outcome: None,
        lambda outcome: "board full",
    ],
)
def test_a_wrong_outcome_is_found_after_the_last_event(change: Callable[[dict[str, Any]], object]) -> None:
    record = finished()
    assert verify(json.dumps(record)).ok
    record["outcome"] = change(record["outcome"])
    fault = fault_of(record)
    assert (fault.kind, fault.index) == ("outcome", len(record["events"]))


def test_a_winner_that_is_true_is_not_seat_one() -> None:
    record = finished()
    assert record["outcome"]["winners"] in ([0], [1])
    record["outcome"]["winners"] = [bool(record["outcome"]["winners"][0])]
    assert fault_of(record).kind == "outcome"


def test_an_outcome_before_the_end_means_that_events_are_missing() -> None:
    record = finished()
    last = record["events"].pop()
    fault = fault_of(record)
    assert (fault.kind, fault.index, fault.key) == ("missing", len(record["events"]), "record.not_over")
    record["outcome"] = None
    assert verify(json.dumps(record)).ok
    record["events"] += [last, last]
    assert (fault_of(record).kind, fault_of(record).index) == ("extra", len(record["events"]) - 1)


def test_each_missing_event_is_found_where_it_is_missing_or_right_after() -> None:
    record = finished()
    for index in range(0, len(record["events"]) - 1, 7):
        short = {**record, "events": record["events"][:index] + record["events"][index + 1 :]}
        fault = fault_of(short)
        assert fault.index is not None
        assert fault.index >= index


def test_reading_raises_what_verifying_tells() -> None:
    with pytest.raises(RecordError) as caught:
        read(json.dumps(with_event(3, {"player": 1, "move": "7@A2"})))
    assert caught.value.fault == fault_of(with_event(3, {"player": 1, "move": "7@A2"}))


# --------------------------------------------------------------------------- golden records


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_golden_records_stay_right_and_are_played_again_to_the_byte(path: Path) -> None:
    """A change here is a change of the rules or of chance: running tables would not survive it."""
    text = path.read_text(encoding="utf-8")
    record = read(text)
    assert record.seed is not None
    again = selfplay(record.rules, record.players, record.seed, record.options, legal=bool(record.legal))
    if '"version"' not in text:  # written down before records named the version of their rules
        again = replace(again, version=None)
    assert dumps(again) == text


def test_every_game_has_a_golden_record() -> None:
    assert {path.stem.split("-")[0] for path in GOLDEN.glob("*.json")} == set(GAME_IDS)


# --------------------------------------------------------------------------- versions of the rules

ENDED_AT_ONCE = GOLDEN / "topominos-3-v1-unnamed.json"


def test_a_record_of_older_rules_keeps_them_whether_or_not_it_says_so() -> None:
    text = ENDED_AT_ONCE.read_text(encoding="utf-8")
    found = read(text)
    assert found.version == 1
    assert replay(found).outcome() == found.outcome
    named = dumps(found)
    assert '"players": 3, "version": 1, "seed"' in named
    assert read(named) == found
    assert dumps(read(named)) == named


def test_a_record_that_names_a_version_is_held_against_that_one() -> None:
    old = json.loads(ENDED_AT_ONCE.read_text(encoding="utf-8"))
    fault = fault_of({**old, "version": 2})
    assert (fault.kind, fault.index, fault.key) == ("missing", len(old["events"]), "record.not_over")
    new = json.loads((GOLDEN / "topominos-3-v2-round-finished.json").read_text(encoding="utf-8"))
    assert verify(json.dumps(new)).ok
    assert read(json.dumps({**new, "version": 2})) == read(json.dumps(new))
    assert fault_of({**new, "version": 1}).kind == "extra"


@pytest.mark.parametrize("name", ["topominos-2-legal", "topominos-4-target"])
def test_what_more_than_one_version_explains_is_of_the_newest(name: str) -> None:
    """Written under version 1; its end is another's too."""
    text = (GOLDEN / f"{name}.json").read_text(encoding="utf-8")
    assert read(text).version is None
    assert read(json.dumps({**json.loads(text), "version": 1})).version == 1


def test_what_no_version_explains_is_judged_by_the_current_rules() -> None:
    old = json.loads(ENDED_AT_ONCE.read_text(encoding="utf-8"))
    old["outcome"]["reason"] = "all passed"
    assert fault_of(old).key == "record.not_over"


@pytest.mark.parametrize(
    ("version", "key"),
    [
        (0, "rules.setup.unknown_version"),
        (3, "rules.setup.unknown_version"),
        (True, "record.wrong_type"),
        (1.0, "record.wrong_type"),
        ("1", "record.wrong_type"),
        (None, "record.wrong_type"),
        (10**30, "record.wrong_type"),
    ],
)
def test_a_version_there_never_was_is_a_fault_of_the_header(version: object, key: str) -> None:
    old = json.loads(ENDED_AT_ONCE.read_text(encoding="utf-8"))
    fault = fault_of({**old, "version": version})
    assert (fault.kind, fault.key) == ("header", key)


def test_a_number_too_long_to_read_is_named_by_a_mark_and_not_by_its_insides() -> None:
    """It was shown as `<bot.rules.record._Odd object at 0x…>`."""
    verdict = verify(
        '{"format": "parlour/1", "game": "topominos", "options": {"rounds": 1' + "0" * 4000 + "},"
        ' "players": 2, "events": [], "outcome": null}'
    )
    assert verdict.fault is not None
    assert verdict.fault.data["given"] == "…"


def test_a_match_of_top_spot_may_be_as_long_as_people_like() -> None:
    """A bound of 1000 games stood here that the page does not name."""
    verdict = verify(
        '{"format": "parlour/1", "game": "topspot", "options": {"games": 1002},'
        ' "players": 3, "events": [], "outcome": null}'
    )
    assert verdict.ok
