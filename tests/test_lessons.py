"""Lessons as data: what their files hold is what the rules allow and what every language tells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.lessons import LEARNER, Lesson, LessonStep, lesson_of
from bot.locale import LANGUAGES, keys, sayer
from bot.rules.chance import Generator
from bot.rules.errors import Illegal, RulesError
from bot.rules.registry import GAME_IDS
from bot.rules.top12 import LETTERS, column_of, is_dead
from cogs.surfaces.lesson import companions, step_key

LESSONS = {game: lesson for game in GAME_IDS if (lesson := lesson_of(game)) is not None}
STEPS = [
    pytest.param(lesson, place, id=f"{game}-{step.name}")
    for game, lesson in LESSONS.items()
    for place, step in enumerate(lesson.steps)
]
ASKED = [
    pytest.param(lesson, place, id=f"{game}-{step.name}")
    for game, lesson in LESSONS.items()
    for place, step in enumerate(lesson.steps)
    if step.ask
]
LONGEST = 330  # characters that a step says: half a phone's screen


def asked(lesson: Lesson) -> list[int]:
    return [place for place, step in enumerate(lesson.steps) if step.ask]


def test_every_game_has_a_lesson() -> None:
    assert LESSONS.keys() == GAME_IDS


@pytest.mark.parametrize("game", LESSONS)
def test_a_lesson_is_a_game_in_eight_to_twelve_steps_from_its_start_to_its_end(game: str) -> None:
    lesson = LESSONS[game]
    assert 8 <= len(lesson.steps) <= 12
    assert len({step.name for step in lesson.steps}) == len(lesson.steps)
    assert len(asked(lesson)) > len(lesson.steps) / 2, "one learns by playing"
    assert lesson.positions[-1].view.outcome is not None, "it shows how a game ends"
    assert not lesson.steps[-1].ask
    assert not lesson.steps[-1].then
    assert [step for step in lesson.steps if step.refused], "the rules refuse something, and say why"


@pytest.mark.parametrize("game", LESSONS)
def test_every_position_of_a_lesson_is_a_right_one(game: str) -> None:
    for position in LESSONS[game].positions:
        assert position.state.faults() == []


@pytest.mark.parametrize("game", LESSONS)
def test_a_step_tells_what_came_since_the_learners_last_turn(game: str) -> None:
    shown = 0
    for position in LESSONS[game].positions:
        events, since = position.events, position.since
        assert shown <= since <= len(events), "the step before has shown the rest"
        if since > shown:
            assert events[since - 1].kind == "move", "nothing else is left out"
            assert events[since - 1].player == LEARNER
        movers = [event.player for event in events[since:] if event.kind == "move"]
        own = [mover == LEARNER for mover in movers]
        assert own == sorted(own), "own moves are of the turn that is on"
        shown = len(events)


def wrong_turns(lesson: Lesson, place: int) -> Sequence[tuple[str, ...]]:
    """Whole turns that the rules allow and the step does not ask for. A turn of several moves is ended as the
    one that is asked for, so that nothing but the pieces laid tells them apart."""
    step, state = lesson.steps[place], lesson.positions[place].state
    if state.lists(LEARNER):
        moves = state.legal(LEARNER)
    else:
        moves = [state.random_move(LEARNER, Generator("lessons", str(number))) for number in range(3)]
    if len(step.ask) == 1:
        return [(move,) for move in moves if move not in step.ask][:5]
    *laid, end = step.ask
    others = [(move, end) for move in moves if "@" in move and move not in laid][:5]
    return [*others, *[(move, end) for move in laid if len(laid) > 1 and move in moves]]


@pytest.mark.parametrize(("lesson", "place"), ASKED)
def test_what_a_step_asks_for_is_taken_and_another_whole_turn_is_not(lesson: Lesson, place: int) -> None:
    step, state = lesson.steps[place], lesson.positions[place].state
    assert LEARNER in lesson.positions[place].view.actors, "the page does not ask whether they may act"
    assert lesson.is_asked(place, lesson.read(place, step.ask))
    assert lesson.is_asked(place, lesson.read(place, step.ask[:1], written=True)) is (len(step.ask) == 1)
    wrong = wrong_turns(lesson, place)
    assert wrong or state.legal(LEARNER) == list(step.ask), "where there is a choice, it can be wrong"
    for turn in wrong:
        assert not lesson.is_asked(place, lesson.read(place, turn)), turn


@pytest.mark.parametrize("game", LESSONS)
def test_a_step_that_only_tells_lets_nothing_be_tried(game: str) -> None:
    assert not [step.name for step in LESSONS[game].steps if step.refused and not step.ask]


@pytest.mark.parametrize(("lesson", "place"), STEPS)
def test_what_a_step_lets_one_try_is_refused_by_the_rules(lesson: Lesson, place: int) -> None:
    refused = lesson.steps[place].refused
    if refused:
        with pytest.raises(Illegal) as error:
            lesson.read(place, [refused])
        assert error.value.key in keys("en")


@pytest.mark.parametrize(("lesson", "place"), STEPS)
def test_what_a_step_warns_of_is_allowed_and_not_asked_for(lesson: Lesson, place: int) -> None:
    for move in lesson.steps[place].unwise:
        assert not lesson.is_asked(place, lesson.read(place, [move]))
        assert lesson.is_unwise(place, [move])


def test_top_12_warns_of_every_entry_that_would_kill_a_column() -> None:
    lesson = LESSONS["top12"]
    for place, step in enumerate(lesson.steps):
        state, killing = lesson.positions[place].state, set()
        if step.ask and state.view(LEARNER).phase == "enter":
            for move in state.legal(LEARNER):
                cells = list(column_of(state.view(LEARNER).sheets[LEARNER], LETTERS.index(move[3])))
                assert not is_dead(cells)
                number, _, cell = move.partition("@")
                cells[int(cell[1:]) - 1] = int(number)
                killing |= {move} if is_dead(cells) else set()
        assert set(step.unwise) == killing, step.name


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("lesson", "place"), STEPS)
def test_a_step_says_what_it_is_about(lesson: Lesson, place: int, language: str) -> None:
    step, key, say = lesson.steps[place], step_key(lesson, place), sayer(language)
    names = companions(lesson, say)
    assert 20 <= len(say(key, **names)) <= LONGEST
    beside = {"hint": bool(step.ask), "unwise": bool(step.unwise), "try": bool(step.refused)}
    for kind, there in beside.items():
        assert (f"{key}.{kind}" in keys(language)) is there
    if step.ask:
        assert say(f"{key}.hint")
    if step.refused:
        assert len(say(f"{key}.try")) <= 30, "it stands on a button"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("n", [1, 2])
def test_the_button_at_the_end_takes_one_line_on_a_phone(n: int, language: str) -> None:
    """At 400 px."""
    assert len(sayer(language)("lesson.button.open", n=n)) <= 34


def test_the_catalogues_tell_of_no_step_that_there_is_not() -> None:
    there = {step_key(lesson, place) for lesson in LESSONS.values() for place in range(len(lesson.steps))}
    told = {key for key in keys("en") if key.split(".")[1:2] == ["lesson"] and key.split(".")[0] in GAME_IDS}
    assert {re.sub(r"\.(hint|unwise|try)$", "", key) for key in told} == there


def test_the_others_hidden_things_are_in_no_record_that_the_learner_gets() -> None:
    for lesson in LESSONS.values():
        for position in lesson.positions:
            assert list(position.events) == position.state.redact(position.events, LEARNER)


def test_moves_in_another_order_are_the_same_turn() -> None:
    """As pieces are laid one after another, and confirmed together."""
    lesson = Lesson(
        "topominos",
        1,
        {},
        ("lots abc", "draw a ab abc b e"),
        (LessonStep("two", ("a@A1", "b@A1", "end")),),
    )
    assert lesson.is_asked(0, lesson.read(0, ["b@A1", "a@A1", "end"]))
    assert not lesson.is_asked(0, lesson.read(0, ["a@A1", "end"]))


def test_a_script_that_the_rules_do_not_allow_is_a_fault() -> None:
    lesson = Lesson("topominos", 1, {}, ("lots abc", "draw a ab abc b z"), (LessonStep("one"),))
    with pytest.raises(RulesError):
        _ = lesson.positions


def test_a_game_that_is_not_known_has_no_lesson() -> None:
    assert lesson_of("chess") is None


def test_a_draft_is_read_in_the_script_alone_in_which_it_was_made() -> None:
    lesson = LESSONS["top12"]
    kept = lesson.kept(1, "10@A1 20@B")
    assert lesson.draft(1, kept) == "10@A1 20@B"
    assert lesson.draft(2, kept) == ""
    assert replace(lesson, before=("first 0",)).draft(1, kept) == ""
    assert (lesson.kept(1, ""), lesson.draft(1, "")) == ("", "")
