"""The bench of the computer players: its estimates, its plain opponents, its deals, and what it judges."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Generator as Stream
from contextlib import closing
from dataclasses import replace
from itertools import count, islice
from math import inf
from random import Random
from typing import Any

import pytest

from bot.bench import CONTESTANTS, NAMES, Options, players
from bot.bench.players import Table, estimates, ladder, matches
from bot.bench.players.greedy import GREEDY
from bot.bench.players.matches import Crew, Deal, Played, finished, play
from bot.bench.report import Report
from bot.cli import main as cli
from bot.levels import Level
from bot.locale import sayer
from bot.players.contract import Candidate, Player, Trial
from bot.rules import fivetotwelve, top12, topominos, topspot
from bot.rules.chance import Generator
from bot.rules.game import AnyState, Event, Outcome, View, advance
from bot.rules.registry import GAME_IDS, game
from tests.sweeps import swept_rows

CHANCE = Generator("tests of the bench of players", "choice")


# --------------------------------------------------------------------------- estimates


def test_a_mean_has_the_interval_of_students_t() -> None:
    found = estimates.mean([float(number) for number in range(1, 10)])
    assert (found.value, found.count) == (5.0, 9)
    assert found.low == pytest.approx(5.0 - 2.306 * 2.7386 / 3, abs=0.01)
    assert found.half == pytest.approx(2.105, abs=0.01)
    assert estimates.mean([3.0]).half == inf


@pytest.mark.parametrize(("freedom", "point"), [(8, 2.306), (20, 2.086), (99, 1.984)])
def test_students_t_is_that_of_the_tables(freedom: int, point: float) -> None:
    assert estimates.student(freedom) == pytest.approx(point, abs=0.01)


def test_what_one_side_always_wins_is_not_certain() -> None:
    found = estimates.share([1.0] * 100)
    assert (found.value, found.high) == (1.0, 1.0)
    assert 0.95 < found.low < 0.98  # of 100 wins of 100: .964 by Clopper and Pearson


@pytest.mark.parametrize("chance_to_win", [0.35, 0.65, 0.9])
def test_intervals_hold_what_is_true_in_19_of_20_matches(chance_to_win: float) -> None:
    """Deals whose two games share their luck, so the interval of 200 games apart would be too small."""
    random = Random(7)

    def deal() -> float:
        first = random.random() < chance_to_win
        second = first if random.random() < 0.5 else random.random() < chance_to_win
        return (first + second) / 2

    holding = 0
    for _ in range(500):
        found = estimates.share([deal() for _ in range(100)])
        holding += found.low <= chance_to_win <= found.high
    assert 0.925 <= holding / 500 <= 0.985


# --------------------------------------------------------------------------- the ladder


def test_each_plays_the_next_weaker_and_the_strongest_the_plain_opponent() -> None:
    assert ladder.matches("zatre", CONTESTANTS) == [
        ("greedy", "random"),
        ("easy", "greedy"),
        ("medium", "easy"),
        ("hard", "medium"),
        ("hard", "greedy"),
    ]
    assert ladder.matches("zatre", ("hard", "greedy")) == [("hard", "greedy")]


def test_a_game_without_a_plain_opponent_is_played_without() -> None:
    assert ladder.matches("chess", CONTESTANTS) == [
        ("easy", "random"),
        ("medium", "easy"),
        ("hard", "medium"),
    ]


def test_every_game_of_ours_has_a_plain_opponent() -> None:
    assert list(GREEDY) == list(GAME_IDS)


@pytest.mark.parametrize(
    ("name", "counts"),
    [("top12", (1, 2, 4)), ("fivetotwelve", (2, 4)), ("topominos", (1, 2, 4)), ("topspot", (3, 4))],
)
def test_tables_are_small_and_of_four_and_of_one(name: str, counts: tuple[int, ...]) -> None:
    assert ladder.seat_counts(game(name)) == counts


# --------------------------------------------------------------------------- plain opponents


TABLES = [(name, seats) for name in GAME_IDS for seats in (1, 2, 4, 5) if seats in game(name).seat_counts({})]


@pytest.mark.parametrize(("name", "seats"), swept_rows(TABLES, daily=6))
def test_plain_opponents_finish_games_by_the_rules(name: str, seats: int) -> None:
    outcome, state = finished(name, "a whole game", ["greedy"] * seats, {})
    assert not state.faults()
    assert len(outcome.scores) == seats


def positions(name: str, seats: int, every: int) -> Iterable[tuple[AnyState, int]]:
    """Of a random game."""
    state = game(name).start(seats, {})
    chance = Generator("positions", name)
    advance(state, "positions", 0)
    for number in range(10_000):
        if state.outcome():
            return
        seat = chance.choice(state.actors())
        if number % every == 0:
            yield state, seat
        state.apply(Event("move", state.random_move(seat, chance), seat))
        advance(state, "positions", 1000 * number)


@pytest.mark.parametrize("name", GAME_IDS)
def test_plain_opponents_move_by_the_view_and_the_seed_alone(name: str) -> None:
    for state, seat in positions(name, 3, 7):
        again = game(name).load(state.to_json())
        moves = [GREEDY[name](each.view(seat), Generator("some seed", "choice")) for each in (state, again)]
        state.check(seat, moves[0])
        assert moves[0] == moves[1]


def opened(state: AnyState, *moves: tuple[int, str]) -> AnyState:
    for seat, move in moves:
        state.apply(Event("move", move, seat))
    return state


def test_top12_goes_for_the_fullest_column() -> None:
    state = game("top12").start(1, {})
    opened(state, (0, "10@A1 20@B3 30@C4 40@D5 50@E6"))
    state.apply(Event("chance", "first 0"))
    for entry in ("45@D6", "47@D8"):
        opened(state, (0, f"call {entry[:2]}"))
        state.apply(Event("chance", "roll joker"))
        opened(state, (0, entry))
    number = int(GREEDY["top12"](state.view(0), CHANCE).removeprefix("call "))
    assert number < 40 or number == 46 or number > 47  # D takes them
    opened(state, (0, "call 46"))
    state.apply(Event("chance", "roll joker"))
    assert GREEDY["top12"](state.view(0), CHANCE) == "46@D7"


def test_top12_never_kills_a_column_by_itself() -> None:
    dead = 0
    for number in range(20):
        _, state = finished("top12", f"alone {number}", ["greedy"], {})
        (sheet,) = state.view(0).sheets
        dead += sum(top12.is_dead(top12.column_of(sheet, column)) for column in range(top12.COLUMNS))
    assert not dead


def five(board: dict[str, int], middle: tuple[int, ...], hand: int | None) -> fivetotwelve.FiveView:
    state = game("fivetotwelve").start(2, {})
    tiles = tuple(board.get(cell, 0) for cell in fivetotwelve.CELLS)
    view = state.view(0)
    assert isinstance(view, fivetotwelve.FiveView)
    return replace(
        view,
        phase="turn" if hand is None else "hand",
        actors=(0,),
        turn=0,
        boards=(tiles, tiles),
        middle=middle,
        hand=hand,
    )


DIAGONAL = {"A1": 2, "B2": 8, "C3": 13, "D4": 19}


def test_5_vor_12_fills_a_cell_from_the_middle_before_it_draws() -> None:
    greedy = GREEDY["fivetotwelve"]
    assert greedy(five(DIAGONAL, (5,), None), CHANCE) in {"take 5@A2", "take 5@B1"}
    assert greedy(five(DIAGONAL, (), None), CHANCE) == "draw"
    assert greedy(five(DIAGONAL, (1, 20), None), CHANCE) == "draw"  # both would only be exchanged


def test_5_vor_12_exchanges_what_lies_further_from_its_place_and_leaves_the_rest() -> None:
    greedy = GREEDY["fivetotwelve"]
    line = {"A1": 6, "A2": 7, "A3": 8, "A4": 9}
    assert greedy(five(line, (), 2), CHANCE) == "2@A1"
    steps = {cell: "ABCD".index(cell[0]) + int(cell[1]) - 1 for cell in fivetotwelve.CELLS}
    even = {cell: round(2 + 17 / 6 * steps[cell]) for cell in steps if cell != "D4"}
    assert greedy(five(even, (), 1), CHANCE) == "leave"  # on A1 alone, where a 2 lies


def test_zatre_takes_the_turn_that_adds_most_to_the_sheet() -> None:
    for state, seat in positions("zatre", 2, 9):
        if not state.lists(seat) or len(state.legal(seat)) > 500:
            continue
        sheet = state.view(seat).sheets[seat].total
        totals: dict[str, int] = {}
        for move in state.legal(seat):
            after = state.clone()
            after.apply(Event("move", move, seat))
            totals[move] = after.view(seat).sheets[seat].total - sheet
        assert totals[GREEDY["zatre"](state.view(seat), CHANCE)] == max(totals.values())


def best_turn(state: AnyState, seat: int) -> int:
    """Points of the best turn from here, by trying every lay, without drawing or a second compartment."""
    view = state.view(seat)
    best = view.turn_points + view.pending
    seen: set[tuple[object, ...]] = set()
    waiting = [state]
    while waiting:
        one = waiting.pop()
        view = one.view(seat)
        best = max(best, view.turn_points + view.pending)
        for move in one.legal(seat):
            if "@" in move:
                after = one.clone()
                after.apply(Event("move", move, seat))
                view = after.view(seat)
                key = (view.fills, view.rack, view.touched)
                if key in seen:
                    continue
                seen.add(key)
                if after.chance_due() or view.nines:
                    best = max(best, view.turn_points + view.pending)
                else:
                    waiting.append(after)
    return best


def test_topominos_plays_the_turn_that_scores_most() -> None:
    tried = 0
    for state, seat in positions("topominos", 3, 2):
        one = state.clone()
        one.racks[seat] = one.racks[seat][:3]  # type: ignore[attr-defined]  # few enough to try all turns
        if not any(one.view(seat).fills):
            continue
        most = best_turn(one, seat)
        tried += most > 6
        while not one.chance_due():
            move = GREEDY["topominos"](one.view(seat), CHANCE)
            if "@" not in move:
                break
            one.apply(Event("move", move, seat))
        view = one.view(seat)
        assert view.turn_points + view.pending >= most
    assert tried > 10


def test_topominos_scores_a_stack_once() -> None:
    view = game("topominos").start(2, {}).view(0)
    assert isinstance(view, topominos.TopominosView)
    stacks = {"A1": ("abcd", "fgh"), "B1": ("abc",)}
    under_way = replace(
        view,
        phase="turn",
        turn=0,
        actors=(0,),
        board=tuple(stacks.get(cell, ()) for cell in topominos.CELLS),
        rack=("e",),
        mode="add",
        laid=("fgh@A1",),
        touched=("A1",),
    )
    assert GREEDY["topominos"](under_way, CHANCE) == "e@B1"
    untouched = replace(under_way, mode="open", laid=(), touched=())
    assert GREEDY["topominos"](untouched, CHANCE) == "e@A1"


def spot(hand: str, *plays: tuple[int, str]) -> topspot.TopSpotView:
    """Seat 2 of three, after these plays of the first colour led."""
    view = game("topspot").start(3, {}).view(2)
    assert isinstance(view, topspot.TopSpotView)
    told = tuple(topspot.Play(seat, move, topspot.stack_value(move), True) for seat, move in plays)
    return replace(
        view,
        phase="play",
        seat=2,
        order=(0, 1, 2),
        actors=(2,),
        plays=told,
        colour=plays[0][1][0] if plays else "",
        hand=topspot.hand_order(hand.split()),
    )


def test_top_spot_wins_with_the_cheapest_stack_or_gives_its_least_card() -> None:
    greedy = GREEDY["topspot"]
    values = {face: topspot.stack_value("R" + face) for face in topspot.FACES}
    by_value = sorted(values, key=lambda face: (values[face], face))
    least, most = by_value[0], by_value[-1]
    between = [face for face in by_value if values[least] < values[face] < values[most]]
    hand = f"R{between[-1]} R{most} GA"
    assert greedy(spot(hand, (0, f"R{least}"), (1, f"R{least}")), CHANCE) == f"R{between[-1]}"
    nothing = spot(f"R{least} GA", (0, f"R{most}"), (1, f"R{most}"))
    assert greedy(nothing, CHANCE) == f"R{least}"
    assert greedy(spot("GA GC", (0, "RA"), (1, "RC")), CHANCE) in {"GA", "GC"}  # follows no colour


# --------------------------------------------------------------------------- deals


def test_a_deal_seats_one_everywhere_and_shares_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, list[str]]] = []
    ends = {
        0: Outcome((9, 3, 6), (0,), "x"),
        1: Outcome((7, 7, 7), (0, 1, 2), "x"),
        2: Outcome((8, 1, 2), (0,), "x"),
    }

    def end(name: str, seed: str, sitting: list[str], seconds: object) -> tuple[Outcome, None]:
        seen.append((seed, sitting))
        return ends[len(seen) - 1], None

    monkeypatch.setattr(matches, "finished", end)
    played = play(Deal("zatre", 3, "hard", "easy", 5))
    assert [sitting.index("hard") for _, sitting in seen] == [0, 1, 2]
    assert all(sitting.count("easy") == 2 for _, sitting in seen)
    assert len({seed for seed, _ in seen}) == 1
    assert played.share == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert played.margin == pytest.approx((4.5 + 0 - 2.5) / 3)


def test_dice_of_a_deal_do_not_depend_on_who_sits_where(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others make more moves or fewer, and have more or less chance of their own."""
    rules = game("top12")

    def dice(sitting: list[str]) -> dict[int, str]:
        seen: dict[int, str] = {}

        def noting(view: top12.Top12View, chance: Generator) -> str:
            if view.face:
                seen[view.rolls] = view.face
            return rules.stand_in(rules.choice(view))

        monkeypatch.setattr(matches, "GREEDY", {"top12": noting})
        finished("top12", "a deal", sitting, {})
        return seen

    found = [dice(sitting) for sitting in (["greedy", "random"], ["random", "greedy"], ["greedy"] * 2)]
    common = sorted(set(found[0]) & set(found[1]) & set(found[2]))
    assert len(common) > 5
    assert len({tuple(one[roll] for roll in common) for one in found}) == 1


def test_top12_alone_is_counted_in_rolls_and_worse_than_any_title_where_nothing_is_full() -> None:
    state = game("top12").start(1, {})
    full, dead = Outcome((12,), (0,), "column full"), Outcome((9,), (0,), "nobody enters")
    state.rolls = 23  # type: ignore[attr-defined]
    assert matches.alone(state, full) == 23
    assert matches.alone(state, dead) == 41
    assert matches.alone(game("topominos").start(1, {}), Outcome((250,), (0,), "x")) == 250


def test_a_fault_names_its_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(view: View, chance: Generator) -> str:
        raise ValueError("broken")

    monkeypatch.setattr(matches, "GREEDY", {"zatre": broken})
    with pytest.raises(ValueError, match="broken") as caught:
        play(Deal("zatre", 2, "random", "greedy", 3))
    (note,) = caught.value.__notes__
    assert "number=3" in note
    assert note.endswith("random at seat 0")


@pytest.mark.long  # processes take a second or two to begin
def test_strength_is_the_same_by_one_process_and_by_two() -> None:
    deals = [Deal("topspot", 3, "greedy", "random", number) for number in range(12)]
    found = []
    for processes in (1, 2):
        with Crew(processes) as crew:
            found.append([(one.share, one.margin) for one in crew.play(deals)])
    assert found[0] == found[1]
    assert len({share for share, _ in found[0]}) > 1


@pytest.mark.long  # processes take a second or two to begin
def test_who_has_enough_waits_for_no_more() -> None:
    endless = (Deal("topspot", 3, "greedy", "random", number) for number in count())
    with Crew(2) as crew, closing(crew.play(endless)) as stream:
        assert len(list(islice(stream, 3))) == 3


# --------------------------------------------------------------------------- what is told


class Told(Crew):
    """Deals come to what is told."""

    def __init__(self, result: Callable[[Deal], Played]) -> None:
        super().__init__(1)
        self._result = result
        self.deals: list[Deal] = []

    def play(self, deals: Iterable[Deal]) -> Stream[Played, None, None]:
        for deal in deals:
            self.deals.append(deal)
            yield self._result(deal)


def table(crew: Crew, options: Options, name: str = "zatre", seats: int = 2) -> tuple[Table, Report]:
    report = Report("players", as_json=options.as_json)
    return Table(name, seats, options, crew, report, sayer("en")), report


def told(report: Report, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    report.end(0)
    figures: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["figures"]
    return {figure["name"]: figure for figure in figures}


def test_a_match_ends_when_its_figure_is_certain_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    options = Options(levels=("medium", "hard"))
    sure = Told(lambda deal: Played(share=0.5))
    table(sure, options)[0].matches()
    assert len(sure.deals) == players.LEAST
    random = Random(1)
    coin = Told(lambda deal: Played(share=float(random.random() < 0.5)))
    table(coin, options)[0].matches()
    assert 380 <= len(coin.deals) <= 400  # one game a deal: 385
    once = Told(lambda deal: Played(share=(random.random() < 0.5) / 2 + (random.random() < 0.5) / 2))
    table(once, options)[0].matches()
    assert 150 < len(once.deals) < 250  # two games a deal that share no luck: 192
    assert [deal.number for deal in once.deals] == list(range(len(once.deals)))
    monkeypatch.setattr(players, "MOST", 120)
    capped = Told(lambda deal: Played(share=float(random.random() < 0.5)))
    table(capped, options)[0].matches()
    assert len(capped.deals) == 120


def test_a_match_has_as_many_deals_as_are_asked_for() -> None:
    crew = Told(lambda deal: Played(share=0.5))
    table(crew, Options(levels=("medium", "hard"), pairs=37))[0].matches()
    assert len(crew.deals) == 37


def test_goals_are_judged_on_both_sides(capsys: pytest.CaptureFixture[str]) -> None:
    crew = Told(lambda deal: Played(share=0.9 if deal.one == "medium" else 0.7, margin=3.0))
    one, report = table(crew, Options(levels=("easy", "medium", "hard"), as_json=True))
    one.matches()
    figures = told(report, capsys)
    judged = {name: (figure["goal"], figure["met"]) for name, figure in figures.items()}
    assert judged == {
        "zatre.2.medium.easy.share": (0.75, True),
        "zatre.2.medium.easy.share.most": (0.85, False),
        "zatre.2.medium.easy.margin": (None, None),
        "zatre.2.hard.medium.share": (0.65, True),
        "zatre.2.hard.medium.margin": (None, None),
    }
    share = figures["zatre.2.hard.medium.share"]
    assert (share["value"], share["count"]) == (0.7, 100)
    assert share["interval"] == [pytest.approx(0.68, abs=0.01), pytest.approx(0.715, abs=0.01)]
    assert not report.met


def test_nothing_is_judged_by_few_deals(capsys: pytest.CaptureFixture[str]) -> None:
    crew = Told(lambda deal: Played(share=0.1))
    one, report = table(crew, Options(levels=("medium", "hard"), pairs=99, as_json=True))
    one.matches()
    assert told(report, capsys)["zatre.2.hard.medium.share"]["goal"] is None
    assert report.met


def test_alone_all_play_the_same_deals(capsys: pytest.CaptureFixture[str]) -> None:
    values = {"random": 100.0, "greedy": 28.0, "easy": 29.0, "medium": 27.0, "hard": 26.0}
    crew = Told(lambda deal: Played(alone=values[deal.one]))
    one, report = table(crew, Options(as_json=True), "top12", 1)
    one.alone()
    numbers = {who: [deal.number for deal in crew.deals if deal.one == who] for who in CONTESTANTS}
    assert {tuple(each) for each in numbers.values()} == {tuple(range(100))}
    assert len({deal.seed for deal in crew.deals}) == 100
    figures = told(report, capsys)
    assert {name: figure["value"] for name, figure in figures.items()} == {
        f"top12.1.{who}.rolls": value for who, value in values.items()
    }
    hard = figures["top12.1.hard.rolls"]
    assert (hard["goal"], hard["least"], hard["met"]) == (25.5, False, False)


def test_thinking_time_has_its_mean_its_late_ones_and_its_longest(capsys: pytest.CaptureFixture[str]) -> None:
    thought = {"medium": [0.01, 0.02], "hard": [0.1] * 98 + [0.5, 2.5]}
    crew = Told(lambda deal: Played(share=0.5, seconds=thought))
    one, report = table(crew, Options(levels=("medium", "hard"), pairs=3, as_json=True))
    one.matches()
    one.thinking()
    figures = told(report, capsys)
    found = {
        name.removeprefix("zatre.2."): (figure["value"], figure["met"])
        for name, figure in figures.items()
        if "thinking" in name
    }
    assert found == {
        "medium.thinking.mean": (15.0, None),
        "medium.thinking.p99": (20.0, None),
        "medium.thinking.max": (20.0, True),
        "hard.thinking.mean": (128.0, True),
        "hard.thinking.p99": (500.0, None),
        "hard.thinking.max": (2500.0, False),
    }


# --------------------------------------------------------------------------- by the command line


class First(Player[fivetotwelve.FiveView]):
    """Plays the first legal move."""

    def candidates(self, view: fivetotwelve.FiveView) -> list[Candidate]:
        return [Candidate(move, 0.0) for move in fivetotwelve.GAME.legal(view)]

    def trial(self, view: fivetotwelve.FiveView, tried: Sequence[Candidate]) -> Trial | None:
        return None


def test_a_ladder_by_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in ("bot.players", "bot.bench.players.matches"):
        monkeypatch.setattr(f"{module}.player_of", lambda game_id: First())
    given = ["bench", "players", "--game", "fivetotwelve", "--pairs", "2", "--processes", "1"]
    assert cli([*given, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    names = [figure["name"] for figure in found["figures"]]
    assert [name for name in names if name.endswith(".share")] == [
        f"fivetotwelve.{seats}.{one}.{others}.share"
        for seats in (2, 4)
        for one, others in ladder.matches("fivetotwelve", CONTESTANTS)
    ]
    assert {name.split(".")[2] for name in names if name.endswith(".p99")} == {*CONTESTANTS}
    assert cli([*given, "--seats", "2", "--levels", "easy,greedy"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" ")[:7] for line in lines[:2]] == [
        ["==", "players"],
        ["5", "vor", "12", "with", "2:", "easy", "against"],
    ]
    assert len(lines) == 5  # the title, a match, two thinking times and the goal of one


def test_what_cannot_be_measured_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["bench", "players", "--game", "fivetotwelve", "--processes", "1"]
    assert cli([*given, "--seats", "1"]) == 0
    assert "5 vor 12 is not played with 1." in capsys.readouterr().out
    assert cli([*given, "--seats", "2", "--levels", "hard"]) == 0
    assert "no match" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--levels", "hard,best"), "no contestant best"),
        (("--pairs", "0"), "from 1 is wanted, not 0"),
        (("--pairs", "-3"), "from 1 is wanted, not -3"),
        (("--processes", "x"), "from 1 is wanted, not x"),
    ],
)
def test_options_are_checked(given: tuple[str, str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli(["bench", "players", *given])
    assert said in capsys.readouterr().err


def test_players_are_measured_only_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []

    def noting(given: Sequence[str], options: Options) -> int:
        names.extend(given)
        return 0

    monkeypatch.setattr("bot.bench.main", noting)
    assert cli(["bench"]) == 0
    assert "players" in NAMES
    assert [*names, "players"] == [*NAMES]


def test_contestants_are_the_strengths_and_two_yardsticks() -> None:
    assert ("random", "greedy", *Level) == CONTESTANTS
