"""The contract's own parts: chance that is the same for ever, options, and the way forward."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from bot.rules.chance import Generator
from bot.rules.errors import Illegal, SetupError
from bot.rules.game import Event, Option, Outcome, advance, play
from bot.rules.registry import game


def test_chance_has_the_same_numbers_on_every_python_for_ever() -> None:
    """Running tables go on by these: if this fails, chance has changed under them."""
    chance = Generator("seed", "event:0")
    assert [chance.below(bound) for bound in (2, 6, 20, 100, 10**9, 1)] == [1, 1, 1, 96, 826499535, 0]
    assert Generator("ü", "").below(2**63) == 639287698238811787
    assert Generator("seed", "s").sample("abcdef", 3) == ["b", "d", "c"]
    assert Generator("seed", "s").shuffled(range(6)) == [1, 3, 2, 4, 5, 0]
    assert Generator("seed", "s").choice("xyz") == "y"


def test_numbers_are_the_words_of_sha_256_of_seed_stream_and_counter() -> None:
    words = b"".join(hashlib.sha256(b"parlour/1\0seed\0stream\0" + n).digest() for n in (b"0", b"1"))
    chance = Generator("seed", "stream")
    assert b"".join(chance.below(2**64).to_bytes(8, "big") for _ in range(8)) == words


def test_streams_of_one_seed_are_apart() -> None:
    firsts = {Generator("seed", f"event:{n}").below(2**64) for n in range(100)}
    assert len(firsts) == 100
    assert Generator("a", "b\0c").below(2**64) != Generator("a", "b").below(2**64)


def test_every_number_comes_about_as_often() -> None:
    chance = Generator("even", "die")
    counts = Counter(chance.below(6) for _ in range(12_000))
    assert set(counts) == set(range(6))
    assert all(1_800 < count < 2_200 for count in counts.values())


def test_what_would_be_out_of_range_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without that, small numbers would come a little more often."""
    chance = Generator("x", "y")
    words = iter([2**64 - 1, 2**64 - 6, 2**64 - 7])
    monkeypatch.setattr(Generator, "_word", lambda self: next(words))
    assert chance.below(10) == 9


def test_wrong_questions_to_chance_are_errors() -> None:
    chance = Generator("x", "y")
    for bound in (0, -1, 2**64 + 1):
        with pytest.raises(ValueError, match="from 1 to"):
            chance.below(bound)
    with pytest.raises(ValueError, match="more asked"):
        chance.sample([1, 2], 3)
    assert chance.sample([1, 2], 0) == []


@pytest.mark.parametrize(
    ("option", "good", "bad"),
    [
        (Option("c", "choice", "a", choices=("a", "b")), ["a", "b"], ["c", "", None, True, ["a"]]),
        (Option("f", "flag", False), [True, False], [0, 1, "true", None]),
        (Option("n", "number", 1, minimum=1, maximum=9), [1, 9], [0, 10, True, 1.0, "1", None]),
        (Option("n", "number", 1), [1, 2**53 - 1], [0, -1, 2**53]),
    ],
)
def test_an_option_takes_values_of_its_kind_alone(
    option: Option, good: list[object], bad: list[object]
) -> None:
    assert [option.accepts(value) for value in good] == [True] * len(good)
    assert [option.accepts(value) for value in bad] == [False] * len(bad)


def test_options_are_completed_and_only_what_differs_is_written() -> None:
    rules = game("fivetotwelve")
    full = rules.options_for(2, {"series": True, "first": "random"})
    assert full == {"series": True, "first": "random", "setup": "one-by-one", "bruno": False}
    assert rules.written_options(2, full) == {"series": True}


def test_a_value_that_python_would_not_write_out_is_still_an_option_error() -> None:
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    for value in (10**5000, nested):
        with pytest.raises(SetupError) as caught:
            game("fivetotwelve").start(2, {"first": value})
        assert len(str(caught.value.data["given"])) <= 100
    with pytest.raises(SetupError):
        game("fivetotwelve").start(10**5000, {})
    while nested:  # undone by hand: freeing it at once would recurse too deeply
        nested = nested[0]  # type: ignore[assignment]


def test_a_refusal_knows_its_text() -> None:
    assert Illegal("row", game="fivetotwelve", rule="4", tile=3).key == "fivetotwelve.illegal.row"
    assert Illegal("row").key == "rules.illegal.row"


def test_an_outcome_is_written_as_in_a_record() -> None:
    assert Outcome((16, 4), (0,), "board full").to_json() == {
        "scores": [16, 4],
        "winners": [0],
        "reason": "board full",
    }


def test_chance_is_drawn_by_the_index_of_its_event_so_that_a_restart_goes_on_alike() -> None:
    rules = game("fivetotwelve")
    state = rules.start(2, {})
    events = advance(state, "seed", 0)
    assert [event.text.split()[0] for event in events] == ["first", "deal", "deal"]
    seat = state.actors()[0]
    after = play(state, "seed", len(events), seat, state.legal(seat)[0])
    assert after[0] == Event("move", after[0].text, seat)
    again = rules.start(2, {})
    for event in events:
        again.apply(event)
    assert play(again, "seed", len(events), seat, again.legal(seat)[0]) == after
    assert again.to_json() == state.to_json()
