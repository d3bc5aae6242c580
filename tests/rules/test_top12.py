"""Top 12: the page's rules, rulings, endings and notation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.locale import keys, sayer
from bot.rules.chance import Generator
from bot.rules.errors import Extra, Illegal, Impossible, Missing, NotYours, RulesError, SetupError, Unreadable
from bot.rules.game import Event
from bot.rules.top12 import (
    CELLS,
    FACES,
    GAME,
    LETTERS,
    ROWS,
    START_NUMBERS,
    SYMBOLS,
    Top12State,
    Top12View,
    column_of,
    entry_cells,
    is_dead,
    setup_add,
    setup_draft,
    setup_numbers,
    solo_title,
)
from bot.rules.top12.notation import Call, entries_text, parse
from bot.rules.top12.scoring import fullness, title
from bot.rules.top12.sheet import open_cells, prospects

TOP = "10@A1 20@B1 30@C1 40@D1 50@E1"
BOTTOM = "10@A12 20@B12 30@C12 40@D12 50@E12"
NAMES = ("Edgar", "Sara", "Tom", "Ada")


def opened(*setups: str, first: str = "host") -> Top12State:
    """A table at its first call, seat 0 calling."""
    state = GAME.start(len(setups), {"first": first})
    for seat, move in enumerate(setups):
        state.apply(Event("move", move, seat))
    state.apply(Event("chance", "first 0"))
    return state


def call_and_roll(state: Top12State, number: int, face: str) -> None:
    state.apply(Event("move", f"call {number}", state.caller))
    state.apply(Event("chance", f"roll {face}"))


def play_round(state: Top12State, number: int, face: str, *cells: str) -> None:
    """One whole round; `cells` by seat, "" for a seat that cannot enter."""
    call_and_roll(state, number, face)
    for seat, cell in enumerate(cells):
        if cell:
            state.apply(Event("move", f"{number}@{cell}", seat))


def random_game(seed: int, players: int, most: int = 10_000) -> Iterator[tuple[Top12State, list[Event]]]:
    """Every position of a random game with the events so far; the state is one and the same object."""
    state = GAME.start(players, {})
    events: list[Event] = []
    while len(events) < most:
        yield state, events
        if state.outcome() is not None:
            return
        chance = Generator(str(seed), f"event:{len(events)}")
        if state.chance_due():
            event = state.draw(chance)
        else:
            seat = chance.choice(state.actors())
            event = Event("move", state.random_move(seat, chance), seat)
        state.apply(event)
        events.append(event)


def position(seed: int, players: int, length: int) -> tuple[Top12State, list[Event]]:
    """The position after so many events of a random game, or its end."""
    *_, found = random_game(seed, players, length + 1)
    return found


def refuses(state: Top12State, event: Event, kind: type[RulesError]) -> RulesError:
    """The error `apply` raises, which must change nothing and have a text in every language."""
    before = state.to_json()
    with pytest.raises(RulesError) as caught:
        state.apply(event)
    assert type(caught.value) is kind
    assert state.to_json() == before
    for language in ("en", "de"):
        assert sayer(language)(caught.value.key, **caught.value.data)
    return caught.value


seeds = st.integers(0, 10**9)
seats = st.integers(1, 4)


# --------------------------------------------------------------------------- worked example

EDGAR = "8 - 3 1 3 / - 10 - 6 - / 27 11 17 15 - / - 21 - 20 35"
SARA = "8 - 3 1 3 / 10 11 17 6 15 / - 21 20 - 35 / 27 30 - - 38"
TOM = "8 11 3 1 3 / 15 - 17 6 10 / - 21 - 20 - / 27 - 30 - -"


def leaflet_sheet(rows: str) -> tuple[int, ...]:
    """The leaflet's four rows; those below are blocked with 93 to 100."""
    sheet = [0] * len(CELLS)
    for row, line in enumerate(rows.split(" / ")):
        for column, word in enumerate(line.split(" ")):
            sheet[column * ROWS + row] = 0 if word == "-" else int(word)
    for column in range(5):
        for row in range(4, ROWS):
            sheet[column * ROWS + row] = 89 + row
    return tuple(sheet)


@pytest.mark.parametrize(
    ("name", "rows", "columns"), [("Edgar", EDGAR, "ABCE"), ("Sara", SARA, "BD"), ("Tom", TOM, "")]
)
def test_joker_with_nine_in_the_leaflets_example(name: str, rows: str, columns: str) -> None:
    sheet = leaflet_sheet(rows)
    open_columns = {CELLS[cell][0] for cell in open_cells(sheet, 9, "joker")}
    assert "".join(sorted(open_columns)) == columns
    for letter, symbol in zip(LETTERS, SYMBOLS, strict=True):  # with a symbol: that column or nothing
        cells = open_cells(sheet, 9, symbol)
        assert {CELLS[cell][0] for cell in cells} == ({letter} if letter in columns else set())


def test_the_examples_cells_are_asked_from_those_who_have_some() -> None:
    state = opened(TOP, TOP, TOP)
    state.sheets = [leaflet_sheet(rows) for rows in (EDGAR, SARA, TOM)]
    for seat in range(3):
        for column in range(5):
            state.note_column(seat, column)
    call_and_roll(state, 9, "joker")
    assert state.actors() == (0, 1)
    assert state.legal(0) == ["9@A2", "9@B1", "9@C2", "9@E2", "9@E3"]
    assert state.legal(1) == ["9@B1", "9@D3", "9@D4"]
    assert state.legal(2) == []
    assert entry_cells(state.view(0)) == ("A2", "B1", "C2", "E2", "E3")
    assert entry_cells(state.view(2)) == ()
    state.apply(Event("move", "9@E3", 0))
    state.apply(Event("move", "9@D4", 1))
    assert state.last is not None
    assert state.last.cells == (CELLS.index("E3"), CELLS.index("D4"), -1)


# --------------------------------------------------------------------------------- set-up


def test_the_set_up_is_simultaneous_secret_and_checked_not_listed() -> None:
    state = GAME.start(3, {})
    assert state.actors() == (0, 1, 2)
    assert not state.lists(0)
    with pytest.raises(ValueError, match="not listed"):
        state.legal(0)
    with pytest.raises(ValueError, match="not listed"):
        GAME.legal(state.view(0))
    state.check(1, "50@A7 10@B2 30@C6 20@D5 40@E6")
    state.apply(Event("move", "50@A7 10@B2 30@C6 20@D5 40@E6", 1))
    assert state.actors() == (0, 2)
    assert state.lists(1)
    assert state.legal(1) == []
    assert not any(map(any, state.view(1).sheets))
    assert state.view(1).pending == "50@A7 10@B2 30@C6 20@D5 40@E6"
    assert state.view(0).pending == state.view(None).pending == ""
    assert state.view(0).chosen == (1,)
    state.apply(Event("move", TOP, 2))
    assert not state.chance_due()
    state.apply(Event("move", BOTTOM, 0))
    assert state.chance_due()
    assert [state.sheets[seat][0] for seat in range(3)] == [0, 0, 10]
    assert state.sheets[1][CELLS.index("A7")] == 50


def test_there_are_29859840_set_ups() -> None:
    count = 1
    for placed in range(5):  # the numbers in turn, each in any cell of any column left
        draft = " ".join(f"{10 * (c + 1)}@{LETTERS[c]}1" for c in range(placed))
        assert setup_numbers(draft)[0] == 10 * (placed + 1)
        count *= ROWS * (len(LETTERS) - len(setup_draft(draft)))
    assert count == 29_859_840


def test_a_set_up_is_built_step_by_step() -> None:
    draft = ""
    for entry in ("10@B2", "50@A7", "40@E6", "20@D5", "30@C6"):
        draft = setup_add(draft, entry)
    assert draft == "50@A7 10@B2 30@C6 20@D5 40@E6"
    assert setup_numbers(draft) == ()
    GAME.start(1, {}).check(0, draft)
    assert setup_add("50@A7 10@B2", "10@A3") == "10@A3"  # takes A from the 50 and the 10 from B
    for wrong in ("10@A1 20@A2", "20@B1 10@A1", "15@A1", "10@A1 10@B1", "10@A01", "10@A1 "):
        with pytest.raises(Unreadable):
            setup_draft(wrong)
        with pytest.raises(Unreadable):
            setup_add("", wrong)


@pytest.mark.parametrize(
    ("move", "code"),
    [
        ("10@A1 20@A2 30@C1 40@D1 50@E1", "one_per_column"),
        ("10@A1 10@B1 30@C1 40@D1 50@E1", "start_numbers"),
        ("10@A1 20@B1 30@C1 40@D1 60@E1", "start_numbers"),
        ("call 9", "setup_first"),
        ("10@A1", "setup_first"),
    ],
)
def test_what_is_no_set_up_breaks_rule_1(move: str, code: str) -> None:
    error = refuses(GAME.start(2, {}), Event("move", move, 0), Illegal)
    assert (error.rule, error.code) == ("1", code)


# ------------------------------------------------------------------------------- a round


def test_entries_stay_hidden_until_the_round_closes() -> None:
    state = opened(TOP, TOP)
    call_and_roll(state, 15, "hand")
    before = state.view(0)
    state.apply(Event("move", "15@A4", 1))
    after = state.view(0)
    assert after == replace(before, actors=(0,), chosen=(1,))
    assert state.view(1).pending == "15@A4"
    assert state.view(1).sheets[1][3] == 0
    state.apply(Event("move", "15@A2", 0))
    assert (state.sheets[0][1], state.sheets[1][3]) == (15, 15)
    assert state.actors() == (1,)  # rule 7


def test_who_cannot_enter_has_no_event_and_a_round_of_nobody_closes_at_the_roll() -> None:
    state = opened(TOP, BOTTOM)
    call_and_roll(state, 15, "hand")
    assert state.actors() == (0,)  # below 10@A12 there is no cell
    state.apply(Event("move", "15@A2", 0))
    play_round(state, 15, "hand")  # 15 never stands twice
    assert state.stage == "call"
    assert (state.caller, state.idle, state.rolls) == (0, 1, 2)
    assert state.last is not None
    assert state.last.cells == (-1, -1)


@pytest.mark.parametrize(
    ("move", "rule", "code"),
    [
        ("call 9", "5", "enter_first"),
        (TOP, "1", "setup_over"),
        ("16@A3", "3", "other_number"),
        ("15@B3", "3", "other_column"),
        ("15@A1", "3", "occupied"),
        ("15@A5", "3", "occupied"),
        ("15@A8", "4", "rising"),
        ("15@A12", "4", "rising"),
    ],
)
def test_forbidden_entries_name_their_rule(move: str, rule: str, code: str) -> None:
    state = opened(TOP)
    play_round(state, 14, "hand", "A4")
    play_round(state, 20, "hand", "A5")
    play_round(state, 12, "hand", "A2")
    call_and_roll(state, 13, "hand")
    assert state.legal(0) == ["13@A3"]
    move = move.replace("15@", "13@").replace("16@", "14@")
    error = refuses(state, Event("move", move, 0), Illegal)
    assert (error.rule, error.code) == (rule, code)


def test_a_number_never_stands_twice_in_a_column() -> None:
    state = opened(TOP)
    call_and_roll(state, 20, "joker")
    assert refuses(state, Event("move", "20@B2", 0), Illegal).code == "twice"
    state.apply(Event("move", "20@A2", 0))


def test_entries_before_the_call_break_rule_2() -> None:
    error = refuses(opened(TOP), Event("move", "9@A2", 0), Illegal)
    assert (error.rule, error.code) == ("2", "call_first")


# ----------------------------------------------------------------------------- kinds of error


@pytest.mark.parametrize(
    "text",
    [
        "",
        "call",
        "call 0",
        "call 101",
        "call 09",
        "call  9",
        "Call 9",
        "call 9 ",
        "call ٩",  # not one of 0 to 9
        "call " + "9" * 5000,
        "9@b1",
        "9@B0",
        "9@B13",
        "9@F1",
        "0@B1",
        "09@B1",
        "9@B01",
        "101@B1",
        "9 @B1",
        "9@B1 9@B2",
        "9@B1\n",
        "10@B1 20@A1 30@C1 40@D1 50@E1",  # not in column order
        "10@A1  20@B1 30@C1 40@D1 50@E1",
        "10@A1 20@B1 30@C1 40@D1 50@E1 10@A1",
        "x" * 100_000,
        "roll joker",
        "first 0",
        "?",
    ],
)
def test_unreadable_moves(text: str) -> None:
    waiting_for_chance = opened(TOP)
    waiting_for_chance.apply(Event("move", "call 9", 0))
    for state in (GAME.start(1, {}), opened(TOP), waiting_for_chance):
        assert refuses(state, Event("move", text, 0), Unreadable).code == "move"
        with pytest.raises(Unreadable):
            state.check(0, text)
        with pytest.raises(Unreadable):
            GAME.check(state.view(None), text)


@pytest.mark.parametrize("seat", [None, -1, 2, 10**30, True])
def test_a_move_without_its_seat_is_unreadable(seat: Any) -> None:
    refuses(opened(TOP, TOP), Event("move", "call 9", seat), Unreadable)


@pytest.mark.parametrize(
    "text",
    ["", "roll", "roll Joker", "roll  joker", "roll sun", "first", "first 00", "first -1", "call 9", "?"],
)
def test_unreadable_chance(text: str) -> None:
    for state in (GAME.start(2, {}), opened(TOP)):
        assert refuses(state, Event("chance", text), Unreadable).code == "chance"


def test_public_chance_has_no_receiver() -> None:
    state = opened(TOP)
    state.apply(Event("move", "call 9", 0))
    refuses(state, Event("chance", "roll joker", 0), Unreadable)


def test_chance_out_of_turn() -> None:
    state = GAME.start(2, {})
    refuses(state, Event("chance", "first 0"), Extra)
    state.apply(Event("move", TOP, 0))
    state.apply(Event("move", TOP, 1))
    assert refuses(state, Event("chance", "roll joker"), Missing).code == "other_chance"
    assert refuses(state, Event("move", "call 9", 0), Missing).code == "chance"
    refuses(state, Event("chance", "first 2"), Impossible)
    refuses(state, Event("chance", "first " + "9" * 10_000), Impossible)
    state.apply(Event("chance", "first 1"))
    assert state.actors() == (1,)
    assert refuses(state, Event("move", "call 9", 0), NotYours).code == "turn"
    assert refuses(state, Event("chance", "roll joker"), Extra).code == "chance"
    state.apply(Event("move", "call 9", 1))
    assert refuses(state, Event("chance", "first 1"), Missing).code == "other_chance"
    assert refuses(state, Event("move", "call 9", 1), Missing).code == "chance"


def test_the_seat_that_has_chosen_waits() -> None:
    state = opened(TOP, TOP)
    call_and_roll(state, 15, "hand")
    state.apply(Event("move", "15@A4", 0))
    assert refuses(state, Event("move", "15@A5", 0), NotYours).code == "turn"


def test_the_host_calls_first_when_so_agreed() -> None:
    state = GAME.start(2, {"first": "host"})
    state.apply(Event("move", TOP, 0))
    state.apply(Event("move", TOP, 1))
    assert state.draw(Generator("s", "x")) == Event("chance", "first 0")
    refuses(state, Event("chance", "first 1"), Impossible)


def test_by_default_every_seat_may_be_drawn_to_call_first() -> None:
    state = GAME.start(3, {})
    for seat in range(3):
        state.apply(Event("move", TOP, seat))
    drawn = {state.draw(Generator(str(n), "x")).text for n in range(40)}
    assert drawn == {"first 0", "first 1", "first 2"}


def test_options_and_seats_are_checked() -> None:
    for players, options in (
        (0, {}),
        (5, {}),
        (2, {"first": "youngest"}),
        (2, {"first": 0}),
        (2, {"last": "host"}),
    ):
        with pytest.raises(SetupError):
            GAME.start(players, options)
    assert GAME.written_options(2, GAME.options_for(2, {"first": "host"})) == {"first": "host"}
    assert GAME.written_options(2, GAME.options_for(2, {"first": "random"})) == {}


# ---------------------------------------------------------------------------------- endings


def fill_hand(state: Top12State, *, least: int = 11) -> None:
    """Every seat fills column A from below its 10 in A1, with rising numbers."""
    for row in range(2, 13):
        cells = [f"A{row}" if state.sheets[seat][0] else "" for seat in range(state.players)]
        play_round(state, least + row, "hand", *cells)


def test_a_full_column_ends_the_game_after_its_round() -> None:
    state = opened(TOP, BOTTOM)
    fill_hand(state)
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.scores, outcome.winners, outcome.reason) == ((12, 1), (0,), "column full")
    assert state.actors() == ()
    assert refuses(state, Event("move", "call 9", 0), Extra).code == "over"
    assert refuses(state, Event("chance", "roll joker"), Extra).code == "over"
    with pytest.raises(NotYours) as caught:
        state.check(0, "call 9")
    assert caught.value.code == "over"
    with pytest.raises(NotYours):
        GAME.check(state.view(1), "call 9")


def test_equal_sheets_share_the_win() -> None:
    state = opened(TOP, TOP)
    fill_hand(state)
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.winners == (0, 1)
    assert GAME.epilogue(state.view(None), ["Ada", "Ben"], sayer("en")) == ""


@pytest.mark.parametrize("columns", ["B", "BC", "BCD", "BCDE"])
def test_of_several_full_columns_the_next_fullest_decide(columns: str) -> None:
    """Seat 1 misses one number in the last of these columns, the one before being equally full."""
    seat1 = " ".join(f"{10 * (i + 1)}@{c}{12 if c == columns[-1] else 1}" for i, c in enumerate(LETTERS))
    state = opened(TOP, seat1)
    for letter in columns:
        face = SYMBOLS[LETTERS.index(letter)]
        both = letter != columns[-1]
        play_round(state, 60, face, f"{letter}2", f"{letter}2" if both else "")
    fill_hand(state)
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.scores == (12, 12)
    assert outcome.winners == (0,)
    told = GAME.epilogue(state.view(None), ["Ada", "Ben"], sayer("en"))
    counts = ["–".join(map(str, fullness(sheet))) for sheet in state.view(None).sheets]
    assert told == (
        f"Equal at the top, so the next fullest columns decided: Ada ({counts[0]}), Ben ({counts[1]})."
    )
    assert counts[0] > counts[1]


def test_the_game_ends_when_no_column_can_be_filled() -> None:
    state = opened(TOP)
    for index, letter in enumerate(LETTERS):
        assert state.outcome() is None
        play_round(state, 10 * (index + 1) + 1, SYMBOLS[index], f"{letter}12")  # nothing fits between
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.scores, outcome.winners, outcome.reason) == ((2,), (0,), "no column can be filled")
    assert solo_title(state.view(0)) is None


def test_one_living_column_of_anybody_keeps_the_game_going() -> None:
    state = opened(TOP, TOP)
    for index, letter in enumerate(LETTERS):
        other = "2" if letter == "C" else "12"
        play_round(state, 10 * (index + 1) + 1, SYMBOLS[index], f"{letter}12", f"{letter}{other}")
    assert state.outcome() is None
    assert state.dead == [0b11111, 0b11011]


def test_the_game_ends_after_thirty_rounds_without_an_entry() -> None:
    state = opened(TOP, BOTTOM)
    for _ in range(29):
        play_round(state, 10, "hand")
    assert state.outcome() is None
    interrupted = state.clone()
    play_round(state, 10, "hand")
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.scores, outcome.winners, outcome.reason) == ((1, 1), (0, 1), "nobody enters")
    play_round(interrupted, 12, "hand", "A2", "")
    assert interrupted.idle == 0


@pytest.mark.parametrize(
    ("rolls", "token"),
    [
        (11, "professional"),
        (20, "professional"),
        (21, "specialist"),
        (25, "specialist"),
        (26, "veteran"),
        (30, "veteran"),
        (31, "advanced"),
        (35, "advanced"),
        (36, "beginner"),
        (40, "beginner"),
        (41, None),
    ],
)
def test_solo_titles(rolls: int, token: str | None) -> None:
    assert title(rolls) == token
    state = opened(TOP)
    while state.rolls < rolls - 11:
        if state.idle < 29:
            play_round(state, 10, "hand")
        else:
            play_round(state, 60, "moon", "E2")
    fill_hand(state)
    assert state.rolls == rolls
    assert solo_title(state.view(0)) == token
    text = GAME.board_text(state.view(0), NAMES, sayer("en"))
    expected = sayer("en")(f"top12.title.{token}") if token else "Title: none"
    assert expected in text


def test_two_players_win_no_title() -> None:
    state = opened(TOP, TOP)
    fill_hand(state)
    assert solo_title(state.view(0)) is None


# -------------------------------------------------------------------------------- dead columns


@pytest.mark.parametrize(
    ("cells", "dead"),
    [
        ({11: 10}, True),  # 11 cells above, nine numbers
        ({10: 10}, True),
        ({9: 10}, False),  # nine cells, nine numbers
        ({0: 10, 11: 20}, True),
        ({0: 10, 11: 21}, False),
        ({0: 90, 11: 100}, True),
        ({0: 89}, False),  # eleven cells, eleven numbers up to 100
        ({0: 90}, True),
        ({4: 50, 5: 51}, False),
    ],
)
def test_dead_columns(cells: dict[int, int], dead: bool) -> None:
    assert is_dead([cells.get(row, 0) for row in range(ROWS)]) is dead


# ------------------------------------------------------------------------------------ properties


@given(seed=seeds, players=seats, length=st.integers(0, 150))
@settings(max_examples=60, deadline=None)
def test_legal_is_what_brute_force_finds(seed: int, players: int, length: int) -> None:
    state, _ = position(seed, players, length)
    every = [f"call {n}" for n in range(1, 101)]
    every += [f"{n}@{cell}" for n in {max(state.number, 1), 55} for cell in CELLS]
    for seat in range(players):
        if not state.lists(seat):
            continue
        allowed = []
        for move in every:
            try:
                state.check(seat, move)
            except (Illegal, NotYours):
                continue
            allowed.append(move)
        assert state.legal(seat) == sorted(allowed) == GAME.legal(state.view(seat))
    assert GAME.legal(state.view(None)) == []


@given(seed=seeds, players=seats)
@settings(max_examples=15, deadline=None)
def test_what_a_seat_may_do_follows_from_its_view(seed: int, players: int) -> None:
    for state, _ in random_game(seed, players):
        for seat in state.actors():
            assert state.choice(seat) == GAME.choice(state.view(seat))


@given(seed=seeds, players=seats)
@settings(max_examples=15, deadline=None)
def test_every_position_is_sound_and_comes_back_from_json_and_replay(seed: int, players: int) -> None:
    for state, events in random_game(seed, players):
        if len(events) % 7 and state.outcome() is None:
            continue
        assert state.faults() == []
        assert GAME.load(state.to_json()).to_json() == state.to_json()
        again = GAME.start(players, {})
        for event in events:
            again.apply(event)
        assert [again.view(s) for s in range(players)] == [state.view(s) for s in range(players)]


@given(seed=seeds, players=st.integers(2, 4), length=st.integers(1, 60), other=seeds)
@settings(max_examples=60, deadline=None)
def test_what_is_hidden_changes_nothing_for_others(seed: int, players: int, length: int, other: int) -> None:
    """Put other choices in the place of those that came in: everybody else sees the same."""
    state, events = position(seed, players, length)
    twin, twins = state.clone(), list(events)
    chance = Generator(str(other), "twin")
    for back, (seat, move) in enumerate(reversed(list(state.chosen.items())), start=1):
        if state.stage == "setup":
            choice = GAME.start(1, {}).random_move(0, chance)
        else:
            cells = open_cells(state.sheets[seat], state.number, state.face)
            choice = f"{state.number}@{CELLS[chance.choice(cells)]}"
        other_move = parse(choice)
        assert not isinstance(other_move, Call)
        twin.chosen[seat] = other_move
        assert twins[-back].text == entries_text(move.entries)
        twins[-back] = Event("move", choice, seat)
    say = sayer("en")
    assert str(state) == str(twin)
    for seat in (*range(players), None):
        if seat in state.chosen:
            continue
        one, two = state.view(seat), twin.view(seat)
        assert one == two
        assert GAME.board_text(one, NAMES, say) == GAME.board_text(two, NAMES, say)
        assert state.redact(events, seat) == twin.redact(twins, seat)
        if seat is not None and seat in state.actors():
            assert state.stand_in(seat) == twin.stand_in(seat)


def test_redacted_events_hide_the_open_phase_only() -> None:
    state = GAME.start(2, {})
    events = [Event("move", TOP, 1)]
    state.apply(events[0])
    assert state.redact(events, 0) == state.redact(events, None) == [Event("move", "? ? ? ? ?", 1)]
    assert state.redact(events, 1) == events
    for event in (
        Event("move", TOP, 0),
        Event("chance", "first 1"),
        Event("move", "call 60", 1),
        Event("chance", "roll joker"),
        Event("move", "60@C7", 0),
    ):
        state.apply(event)
        events.append(event)
    assert state.redact(events, 1) == [*events[:-1], Event("move", "?", 0)]
    assert state.redact(events, 0) == events


def rising(cells: list[int]) -> bool:
    written = [value for value in cells if value]
    return written == sorted(set(written))


def slow_entries(sheet: Sequence[int], number: int, face: str) -> list[int]:
    """Try every cell and look whether the column still rises."""
    found = []
    for cell in range(60):
        if face in ("joker", SYMBOLS[cell // 12]) and not sheet[cell]:
            tried = list(sheet)
            tried[cell] = number
            if rising(tried[cell // 12 * 12 : cell // 12 * 12 + 12]):
                found.append(cell)
    return found


def slow_count(sheets: list[list[int]], calls: list[int]) -> int:
    """Sequences of roll and entries through rounds with these calls, entries in any order."""
    if not calls:
        return 1
    total = 0
    for face in FACES:
        choices = [slow_entries(sheet, calls[0], face) for sheet in sheets]
        able = [cells for cells in choices if cells]
        orders = 2 if len(able) == 2 else 1
        for picked in product(*[cells or [-1] for cells in choices]):
            after = [list(sheet) for sheet in sheets]
            for sheet, cell in zip(after, picked, strict=True):
                if cell >= 0:
                    sheet[cell] = calls[0]
            total += orders * slow_count(after, calls[1:])
    return total


def tree_count(state: Top12State, calls: list[int]) -> int:
    if state.stage == "call":
        if not calls:
            return 1
        state = state.clone()
        state.apply(Event("move", f"call {calls[0]}", state.caller))
        return tree_count(state, calls[1:])
    total = 0
    following = (
        [Event("chance", f"roll {face}") for face in FACES]
        if state.chance_due()
        else [Event("move", move, seat) for seat in state.actors() for move in state.legal(seat)]
    )
    for event in following:
        after = state.clone()
        after.apply(event)
        total += tree_count(after, calls)
    return total


@pytest.mark.parametrize(
    ("setups", "calls"),
    [
        ((TOP,), [45, 15]),
        ((TOP, "30@A3 40@B8 10@C11 50@D2 20@E10"), [35]),
        (("10@A12 20@B1 30@C1 40@D1 50@E1", "10@A11 20@B12 30@C1 40@D1 50@E1"), [9, 15]),
    ],
)
def test_counted_trees(setups: tuple[str, ...], calls: list[int]) -> None:
    state = opened(*setups)
    sheets = [list(sheet) for sheet in state.sheets]
    assert tree_count(state, calls) == slow_count(sheets, calls) > 500


@given(seed=seeds, length=st.integers(4, 200))
@settings(max_examples=40, deadline=None)
def test_noted_columns_follow_from_the_sheets(seed: int, length: int) -> None:
    state, _ = position(seed, 2, length)
    for sheet, masks in zip(state.sheets, state.accepts, strict=True):
        for face, mask in zip(FACES, masks, strict=True):
            numbers = {n for n in range(1, 101) if slow_entries(sheet, n, face)}
            assert state.stage == "setup" or numbers == {n for n in range(102) if mask >> n & 1}
    assert prospects([0] * ROWS) == ((1 << 101) - 2, False)


@given(seed=seeds, players=seats, length=st.integers(0, 120))
@settings(max_examples=40, deadline=None)
def test_the_stand_in_is_legal_and_typed_text_is_forgiven(seed: int, players: int, length: int) -> None:
    state, _ = position(seed, players, length)
    for seat in state.actors():
        move = state.stand_in(seat)
        state.check(seat, move)
        typed = " ".join(reversed(move.split(" "))) if "@" in move else move
        assert state.read(seat, f"  {typed.lower().replace('@', ' @ ').replace(' ', '   ')} ") == move


def test_what_a_person_types() -> None:
    state = opened(TOP)
    assert state.read(0, "9") == state.read(0, "CALL9") == state.read(0, " call   9") == "call 9"
    call_and_roll(state, 60, "joker")
    assert state.read(0, "b 7") == state.read(0, "60 @ b7") == "60@B7"
    for text in ("", "b13", "call 09", "101", "nine", "call ٩", "9" * 10_000, "@" * 150, "60@B7, what"):
        with pytest.raises(Unreadable):
            state.read(0, text)


def test_stand_ins_alone_finish_a_game_with_a_full_column() -> None:
    state = GAME.start(2, {})
    events = 0
    while state.outcome() is None:
        if state.chance_due():
            state.apply(state.draw(Generator("stand-in", f"event:{events}")))
        else:
            seat = state.actors()[0]
            state.apply(Event("move", state.stand_in(seat), seat))
        events += 1
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.reason == "column full"


# ------------------------------------------------------------------------------------- damage


def middle() -> Top12State:
    state = opened(TOP, "10@A3 20@B3 30@C4 40@D5 50@E6")
    play_round(state, 60, "joker", "A7", "E8")
    play_round(state, 5, "hand", "", "A1")
    call_and_roll(state, 70, "joker")
    state.apply(Event("move", "70@A9", 1))
    return state


def _set(path: str, value: object) -> Any:
    def change(data: dict[str, Any]) -> None:
        *way, last = path.split(".")
        target: Any = data
        for step in way:
            target = target[int(step)] if isinstance(target, list) else target[step]
        if isinstance(target, list):
            target[int(last)] = value
        else:
            target[last] = value

    return change


DAMAGE = {
    "no such schema": _set("schema", 99),
    "seats": _set("players", 3),
    "option": _set("options", {"first": "oldest"}),
    "phase": _set("phase", "dance"),
    "not its phase": _set("phase", "call"),
    "does not rise": _set("sheets.0.11", 3),
    "number too big": _set("sheets.0.11", 101),
    "start number gone": _set("sheets.0.12", 0),
    "numbers from nowhere": _set("sheets.0", [*([10, *range(60, 66)] + [0] * 5), *([0] * 48)]),
    "more than the rounds gave": _set("sheets.1.8", 70),
    "short sheet": _set("sheets.0", [0] * 59),
    "caller": _set("caller", 1),
    "no such caller": _set("caller", 7),
    "no number": _set("number", 0),
    "no face": _set("face", ""),
    "other face": _set("face", "sun"),
    "rolls": _set("rolls", 1),
    "idle": _set("idle", 2),
    "idle too long": _set("idle", 31),
    "last round gone": _set("last", None),
    "last round's caller": _set("last.caller", 0),
    "last round's cell": _set("last.cells.0", 2),
    "last round's face": _set("last.face", "tree"),
    "over without end": _set("reason", "column full"),
    "choice of nobody": _set("chosen.0.0", 5),
    "choice not legal": _set("chosen.0.1", "70@A2"),
    "choice no move": _set("chosen.0.1", "?"),
    "everybody chose": _set("chosen", [[0, "70@A9"], [1, "70@A9"]]),
    "text for a number": _set("rolls", "3"),
    "true for a number": _set("rolls", True),
    "list for a text": _set("face", []),
    "nothing": lambda data: data.clear(),
}


def test_the_undamaged_position_is_sound() -> None:
    assert middle().faults() == []
    assert GAME.load(middle().to_json()).view(1) == middle().view(1)


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_states_are_refused(name: str) -> None:
    data: Any = middle().to_json()
    DAMAGE[name](data)
    with pytest.raises(ValueError, match=r"."):
        GAME.load(data)


def test_faults_name_what_loading_cannot_bring_about() -> None:
    state = middle()
    state.dead[0] = 1
    state.waiting = (0, 1)
    masks = state.accepts[1]
    state.accepts[1] = (*masks[:2], masks[2] ^ 1 << 30, *masks[3:])
    assert len(state.faults()) == 3


def test_a_clone_goes_its_own_way() -> None:
    state = middle()
    before = state.to_json()
    twin = state.clone()
    twin.apply(Event("move", twin.legal(0)[0], 0))
    play_round(twin, 99, "hand", "A12", "A12")
    assert state.to_json() == before
    assert state.faults() == []


# ----------------------------------------------------------------------------------- the drawing


def test_a_position_is_drawn_as_everybody_sees_it() -> None:
    state = opened(TOP, "10@A3 20@B3 30@C4 40@D5 50@E6", BOTTOM)
    play_round(state, 100, "tree", "D12", "D12", "")
    play_round(state, 5, "hand", "", "A1", "A11")
    call_and_roll(state, 70, "joker")
    state.apply(Event("move", "70@B9", 1))
    assert str(state).splitlines() == [
        "top12, enter, rolls 3",
        "call 70, roll joker",
        "    seat 0 <               seat 1 chosen          seat 2 caller",
        "    points 2               points 2               points 2",
        "     A   B   C   D   E      A   B   C   D   E      A   B   C   D   E",
        " 1  10  20  30  40  50      5   .   .   .   .      .   .   .   .   .",
        " 2   .   .   .   .   .      .   .   .   .   .      .   .   .   .   .",
        " 3   .   .   .   .   .     10  20   .   .   .      .   .   .   .   .",
        " 4   .   .   .   .   .      .   .  30   .   .      .   .   .   .   .",
        " 5   .   .   .   .   .      .   .   .  40   .      .   .   .   .   .",
        " 6   .   .   .   .   .      .   .   .   .  50      .   .   .   .   .",
        " 7   .   .   .   .   .      .   .   .   .   .      .   .   .   .   .",
        " 8   .   .   .   .   .      .   .   .   .   .      .   .   .   .   .",
        " 9   .   .   .   .   .      .   .   .   .   .      .   .   .   .   .",
        "10   .   .   .   .   .      .   .   .   .   .      .   .   .   .   .",
        "11   .   .   .   .   .      .   .   .   .   .      5   .   .   .   .",
        "12   .   .   . 100   .      .   .   . 100   .     10  20  30  40  50",
    ]


def test_what_opens_and_ends_a_game_is_drawn() -> None:
    state = GAME.start(2, {})
    state.apply(Event("move", TOP, 1))
    assert str(state).splitlines()[:2] == [
        "top12, setup, rolls 0",
        "    seat 0 <               seat 1 chosen",
    ]
    state = opened(TOP, TOP)
    play_round(state, 10, "hand")
    assert str(state).splitlines()[:2] == [
        "top12, call, rolls 1, idle 1",
        "    seat 0                 seat 1 caller <",
    ]
    fill_hand(state)
    assert str(state).splitlines()[:2] == ["top12, over, rolls 12", "column full, winners: seat 0, seat 1"]


# -------------------------------------------------------------------------------------- texts


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_event_and_view_has_words(language: str) -> None:
    say = sayer(language)
    for state, events in random_game(5, 3):
        for seat in (0, None):
            view = state.view(seat)
            assert GAME.board_text(view, NAMES, say)
            for event in state.redact(events[-4:], seat):
                assert GAME.describe(event, NAMES, say)


def test_both_languages_have_the_same_keys() -> None:
    def mine(language: str) -> set[str]:
        return {key for key in keys(language) if key.startswith("top12.")}

    assert mine("en") == mine("de")
    for reason in GAME.reasons:
        assert f"top12.reason.{reason.replace(' ', '_')}" in mine("en")


def test_the_board_in_words() -> None:
    text = GAME.board_text(middle().view(0), NAMES, sayer("en"))
    assert text.splitlines() == [
        "Edgar has called 70, the die shows: joker.",
        "Still to choose: Edgar.",
        "Have chosen: Sara.",
        "Round before: Sara called 5, the die showed: hand.",
        "Edgar could not enter it; Sara entered it in A1.",
        "Rolls: 3.",
        "The columns: A hand, B star, C house, D tree, E moon. Rows and cells without a number are left out.",
        "Your sheet (Edgar), 2 of 12 in the fullest column:",
        "Row 1: A 10, B 20, C 30, D 40, E 50.",
        "Row 7: A 60.",
        "Sheet of Sara, 2 of 12 in the fullest column:",
        "Row 1: A 5.",
        "Row 3: A 10, B 20.",
        "Row 4: C 30.",
        "Row 5: D 40.",
        "Row 6: E 50.",
        "Row 8: E 60.",
    ]


def test_view_values_are_comparable_and_hashable() -> None:
    view = middle().view(1)
    assert isinstance(view, Top12View)
    assert hash(view) == hash(middle().view(1))
    assert column_of(view.sheets[1], 0) == (5, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    assert START_NUMBERS == (10, 20, 30, 40, 50)
