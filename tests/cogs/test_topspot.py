"""Top Spot at the table: stacks built by taps, hands kept private, whole matches."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import discord
import pytest
from simcord.actors import MemberActor

from bot.locale import LANGUAGES, sayer
from bot.players import topspot as players
from bot.rules.chance import Generator
from bot.rules.game import Event, OptionValue, State, View
from bot.rules.topspot import (
    GAME,
    JOKER,
    TopSpotState,
    TopSpotView,
    draft,
    hand_order,
    stack_cards,
    stack_value,
)
from bot.tables.model import Person, Table
from cogs.surfaces import steps, wording
from cogs.topspot import TopSpot
from tests.rules.conformance import Case
from tests.rules.worlds import other_world
from tests.sweeps import swept_rows
from tests.tables.support import typed

from .sim import Sim, acting, alt_texts, answer, buttons, controls, entries, parts, text_of, ways
from .tabletop import (
    TO_THE_END,
    Ears,
    bare,
    finished,
    fits_discord,
    opened,
    path,
    played_on,
    positions,
    reached,
    replay,
    tap,
    taps,
)

COG = bare(TopSpot, GAME)
PAPER = cast("Table", SimpleNamespace(id="ZZZZZZ", revision=9_999_999_999))
NAMES = ("Ada", "Ben", "Cleo")
EXPERT: dict[str, OptionValue] = {"level": "expert"}
# the leader holds a joker, the next one has the colour, the last one has neither red nor a joker
HANDS = (
    "RA RB RC RD RE RF RG RH GA GB GC * *",
    "RI RJ RK GD GE GF GG GH GI GJ GK GL *",
    "RL YA YB YC YD YE YF YG YH YI YJ YK YL",
)
JUNIOR = (
    "RA RB RC RD RE RF RG RH GA GB GC GD",
    "RI RJ RK GE GF GG GH GI GJ GK GL YA",
    "RL YB YC YD YE YF YG YH YI YJ YK YL",
)


def at_table(*hands: str) -> TopSpotState:
    """An expert table for three with these hands, before its first lead by seat 0."""
    state = GAME.start(3, EXPERT)
    state.apply(Event("chance", "dealer 2"))
    for seat, hand in enumerate(hands):
        state.apply(Event("chance", "deal " + " ".join(hand_order(hand.split())), seat))
    return state


def random_move(view: View, chance: Generator) -> str:
    return chance.choice(GAME.legal(view))  # type: ignore[arg-type]


def dealt(monkeypatch: pytest.MonkeyPatch, *hands: str) -> None:
    """Every table begins with these hands; seat 0 leads."""

    def draw(state: TopSpotState, chance: Generator) -> Event:
        if state.stage == "dealer":
            return Event("chance", f"dealer {state.players - 1}")
        return Event("chance", f"deal {' '.join(hand_order(hands[state.dealt].split()))}", state.dealt)

    monkeypatch.setattr(TopSpotState, "draw", draw)


async def seen(sim: Sim, table: Table, person: MemberActor | None = None) -> TopSpotView:
    """What somebody sees; nobody in particular: a spectator."""
    view = (await sim.bot.tables.view(table.id, person.id if person else None)).view
    assert isinstance(view, TopSpotView)
    return view


def labels(message: discord.Message) -> list[str]:
    return [
        str(part.label)
        for part in parts(message)
        if isinstance(part, discord.components.Button) and part.custom_id in ways(message).values()
    ]


async def lay(person: MemberActor, page: discord.Message, sim: Sim, card: str) -> discord.Message:
    return await sim.choose(person, sim.fresh(page), card)


# ------------------------------------------------------------------------------- steps


@pytest.mark.parametrize(("players", "options"), swept_rows([(3, {}), (4, EXPERT), (5, {})]))
def test_every_legal_move_is_reached_by_taps_and_nothing_else(players: int, options: dict[str, Any]) -> None:
    for state, seat in positions(GAME, players, options, f"walk {players}", most=40):
        view = state.view(seat)
        check = fits_discord(COG, PAPER, view, sayer("de"))
        assert sorted(reached(COG, view, check)) == GAME.legal(view)


def test_the_largest_list_of_moves_is_reached_by_taps() -> None:
    most, where = 0, None
    for seed in range(12):
        for state, seat in positions(GAME, 5, EXPERT | {"joker_each": True}, str(seed), most=140):
            count = len(state.legal(seat))
            if count > most:
                most, where = count, state.view(seat)
    assert where is not None
    assert most > 700
    for language in LANGUAGES:
        check = fits_discord(COG, PAPER, where, sayer(language))
        if language == "en":
            assert sorted(reached(COG, where, check)) == GAME.legal(where)
        for text in ("", *where.hand, "*+" + where.hand[0], f"*+{where.hand[0]}:R"):
            check(*steps.settle(COG.step, where, text))


def test_one_card_takes_two_taps_also_with_a_colour_to_name_and_each_further_card_one() -> None:
    def leads(text: str, move: str) -> bool:
        (cards, _, named), (wanted, _, colour) = text.partition(":"), move.partition(":")
        return named == colour and f"{wanted}+".startswith(f"{cards}+")

    for number, (state, seat) in enumerate(positions(GAME, 3, EXPERT, "three", most=60)):
        view = state.view(seat)
        for move in GAME.legal(view)[:: 1 + number % 3]:
            assert path(COG, view, move, leads) <= 1 + len(stack_cards(move.partition(":")[0]))


def test_a_stack_can_be_built_in_any_order_that_is_allowed_and_each_start_of_it_played() -> None:
    view = at_table(*HANDS).view(0)
    ways = 0
    for move in GAME.legal(view):
        for order in permutations(stack_cards(move)) if JOKER not in move else ():
            text = order[0]
            for card in order[1:]:
                choice = COG.step(view, text).choice(card)
                assert COG.step(view, text).move
                if choice is None:
                    assert not draft(view, f"{text}+{card}").legal
                    break
                text = choice.draft
            else:
                played = COG.step(view, text).move
                assert sorted(stack_cards(played)) == sorted(order)
                assert stack_value(played) == stack_value(text)
                ways += 1
    assert ways > sum(JOKER not in move for move in GAME.legal(view))


def test_what_is_asked_says_what_is_in_play_and_what_a_card_would_do() -> None:
    def told(state: State, text: str = "", language: str = "en") -> str:
        return COG.step(state.view(state.actors()[0]), text).question.said(sayer(language))

    state = at_table(*HANDS)
    assert told(state) == (
        "You lead. Which card do you play, alone or on top of others? A joker (*) names the colour in play."
    )
    assert "each card matters" in told(state, "RG+RA")
    assert told(state, "*") == told(state)  # stored when the colour was named last
    assert "with green (G) in play" in told(state, "*+RA:G")
    state.apply(Event("move", "*+GB+RA:R", 0))
    worth = state.view(None).plays[0].value
    assert told(state) == (
        f"In play: red (R); to beat: {worth}. Which card do you play, alone or on top of others?"
    )
    asked = f"Farbe des Stichs: Rot (R); zu schlagen: {worth}. Welche Karte legst du, allein oder obenauf?"
    assert told(state, "", "de") == asked
    state.apply(Event("move", "RK", 1))
    assert "red (R)" in told(state)
    state.apply(Event("move", "RL", 2))

    state = at_table(*HANDS)
    state.apply(Event("move", "GA", 0))
    state.apply(Event("move", "GD", 1))
    assert told(state) == "Which card do you give? You have no green (G), so it cannot win."
    assert "Another colour cannot win" in told(state, "YA")
    assert "cannot win" not in told(at_table(*HANDS), "GA")


def test_points_won_are_no_spots_in_german_either() -> None:
    table = cast("Table", SimpleNamespace(game="topspot", options={}))
    assert wording.score_with_unit(table, 3, sayer("de")) == "3 Siegpunkte"
    assert wording.score_with_unit(table, 1, sayer("en")) == "1 point"


def test_buttons_tell_each_card_by_name_and_what_it_adds() -> None:
    say = sayer("en")
    view = at_table(*HANDS).view(0)
    first = COG.step(view, "")
    labels = [steps.said(choice.label, say) for choice in first.choices]
    cards = ["GA", "GB", "GC", "RA", "RB", "RC", "RD", "RE", "RF", "RG", "RH"]
    assert labels == [*cards, "* red (R)", "* yellow (Y)", "* green (G)"]
    assert first.targets == (*cards, "*")
    assert first.across == 5
    for choice in COG.step(view, "RA").choices:
        worth = draft(view, choice.draft).value
        assert choice.label == f"{choice.value} +{worth - 1}"


def test_cards_and_colours_are_suggested_one_by_one() -> None:
    state = at_table(*HANDS)
    view = state.view(0)
    assert COG.suggest(view, "") == list(draft(view).more)
    assert COG.suggest(view, "r")[0] == "RA"
    assert COG.suggest(view, "ra")[:2] == ["RA", "RA+RB"]
    assert COG.suggest(view, "*")[:3] == ["*:R", "*:Y", "*:G"]
    assert COG.suggest(view, "* ra g") == ["*+RA:G", "*+RA+GB"]
    assert COG.suggest(view, "*+RA:") == ["*+RA:R", "*+RA:Y", "*+RA:G"]
    assert COG.suggest(view, "*+RA:g") == ["*+RA:G"]
    assert COG.suggest(view, "what?") == []
    assert COG.suggest(view, "RA" * 40) == []
    for one, seat in positions(GAME, 4, EXPERT, "suggest", most=20):
        seen = one.view(seat)
        for move in GAME.legal(seen)[::7]:
            assert move in COG.suggest(seen, move)
            shorter = move.rpartition(":" if ":" in move else "+")[0]
            assert any(found.startswith(move) for found in COG.suggest(seen, shorter))
            assert len(COG.suggest(seen, shorter)) <= 25


# ------------------------------------------------------------------------------- at the table


async def test_a_stack_is_built_card_by_card_and_played(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> None:
    dealt(monkeypatch, *JUNIOR)
    people = (sim.ada, sim.ben, sim.cleo)
    table = await opened(sim, "topspot", *people, players=3)
    (person,) = await sim.to_act(table)
    page = await sim.hand(person, table)
    assert labels(page) == sorted(JUNIOR[0].split())
    assert "Play this card" not in " ".join(buttons(page))

    page = await lay(person, page, sim, "RA")
    assert "Alone, RA shows 1 spot." in text_of(page)
    assert buttons(page)[-2:] == ["Play this card: 1 spot", "Back"]
    page = await lay(person, page, sim, "RB")
    value = draft((await seen(sim, table, person)), "RA+RB").value
    assert f"RA, RB together show {value} spots, and each card matters." in text_of(page)
    assert f"On trial: RA+RB, worth {value} spots. This can be played." in alt_texts(page)[0]
    assert buttons(page)[-2:] == [f"Play this combination: {value} spots", "Back"]

    await person.click(page, label="Back")
    assert "Alone, RA" in text_of(sim.fresh(page))
    await person.click(sim.fresh(page), label="Back")
    assert labels(sim.fresh(page)) == sorted(JUNIOR[0].split())
    page = await lay(person, page, sim, "RA")
    page = await lay(person, page, sim, "RB")
    await person.click(page, label=f"Play this combination: {value} spots")
    board = await sim.board(table)
    assert f"plays RA+RB, worth {value}" in alt_texts(board)[0]
    assert "Colour in play: red (R)." in alt_texts(board)[0]
    assert "red" in text_of(await sim.hand((await sim.to_act(table))[0], table))


async def test_a_leading_joker_names_its_colour_and_confirms_it(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    dealt(monkeypatch, *HANDS)
    table = await opened(sim, "topspot", sim.ada, sim.ben, sim.cleo, players=3, level="expert")
    (person,) = await sim.to_act(table)
    page = await sim.hand(person, table)
    assert labels(page)[-3:] == ["* red (R)", "* yellow (Y)", "* green (G)"]
    page = await lay(person, page, sim, "*Y")
    assert "with yellow (Y) in play" in text_of(page)
    assert buttons(page)[-2:] == ["Play this card: 0 spots", "Back"]
    await person.click(page, label="Back")
    page = await lay(person, page, sim, "*G")
    page = await lay(person, page, sim, "RA")
    page = await lay(person, page, sim, "GB")
    assert "with green (G) in play" in text_of(page)
    await person.click(page, label=buttons(page)[-2])
    view = await seen(sim, table)
    assert (view.colour, view.plays[0].stack) == ("G", "*+GB+RA:G")
    # a joker's star is no markup, neither in a sentence nor at the start of a line
    assert ":** \\*+GB+RA, worth" in text_of(await sim.board(table))
    told = answer(await sim.ada.click(await sim.board(table), label="As text")).splitlines()
    assert any(line.startswith("\\*, 0 spots, at most 6. ") for line in told)

    follower = (await sim.to_act(table))[0]
    page = await sim.hand(follower, table)
    assert labels(page)[-1] == "*"
    assert {label[0] for label in labels(page)[:-1]} == {"G"}
    page = await lay(follower, page, sim, JOKER)
    assert "Play this card: 0 spots" in buttons(page)
    assert "in play" not in text_of(page)
    page = await lay(follower, page, sim, "RJ")
    await follower.click(page, label=buttons(page)[-2])
    without = (await sim.to_act(table))[0]
    page = await sim.hand(without, table)
    assert "You have no green (G)" in text_of(page)
    page = await lay(without, page, sim, "RL")
    assert "Another colour cannot win" in text_of(page)
    assert entries(page) == []


async def test_a_hand_comes_in_private_sorted_and_is_played_from_there(sim: Sim) -> None:
    people = (sim.ada, sim.ben, sim.cleo)
    table = await opened(sim, "topspot", *people, players=3)
    for person in people:
        letters = sim.messages(person.user.dm_channel.id)
        hand = (await seen(sim, table, person)).hand
        assert list(hand) == sorted(hand)
        assert len(letters) == 1
        at = [alt_texts(letters[0])[0].index(card) for card in hand]
        assert at == sorted(at)
    assert sim.messages(sim.dev.user.dm_channel.id) == []
    chance = Generator("letter", "taps")
    for _ in range(3):
        person = (await sim.to_act(table))[0]
        letter = sim.messages(person.user.dm_channel.id)[0]
        while controls(letter, "play", "way"):
            letter = await tap(sim, person, letter, chance)
        assert [m.id for m in sim.messages(person.user.dm_channel.id)] == [letter.id]
    view = await seen(sim, table)
    assert view.round_number == 2
    assert sum(view.points) == 1


async def test_a_move_can_be_typed_and_a_refusal_says_the_rule(sim: Sim) -> None:
    table = await opened(sim, "topspot", sim.ada, sim.ben, sim.cleo, players=3)
    person = (await sim.to_act(table))[0]
    hand = (await seen(sim, table, person)).hand
    lacking = next(card for card in ("RA", "RB", "RC", "RD") if card not in hand)
    result = await sim.types(person, sim.channel, "topspot", move=lacking)
    assert f"You do not hold {lacking}, or not that often. For example, `" in answer(result)
    example = answer(result).partition("For example, `")[2].partition("`")[0]
    assert example in GAME.legal(await seen(sim, table, person))
    result = await sim.types(person, sim.channel, "topspot", move=f" {hand[0].lower()} ")
    assert "Played" in answer(result)


async def test_the_board_tells_points_of_the_game_and_of_the_match(sim: Sim) -> None:
    table = await opened(sim, "topspot", sim.ada, sim.ben, sim.cleo, players=3)
    painter, repaints = sim.bot.services.painter, sim.bot.services.repaints
    repaints._parked.add(table.id)
    for turn in range(200):
        view = await seen(sim, table)
        if view.game_number == 2 and any(view.points):
            break
        (person,) = await sim.to_act(table)
        move = random_move(await seen(sim, table, person), Generator("points", str(turn)))
        with sim.env._bot_scope():
            await typed(sim.bot.tables, table.id, Person(person.id, "x"), move)
    repaints.unpark()
    with sim.env._bot_scope():
        await painter.paint(table.id)
    told = alt_texts(await sim.board(table))[0]
    assert "Game 2 of 3" in told
    assert sum(view.totals) > 0
    for seat in range(3):
        assert f"points in this game: {view.points[seat]}, in the match: {view.scores[seat]}." in told
    result = await sim.ada.click(await sim.board(table), label="As text")
    scored = zip(NAMES, view.previous, strict=True)
    previous = ", ".join(f"{name} ({n} point{'s' * (n != 1)})" for name, n in scored)
    assert f"Points of the game before: {previous}." in answer(result)


# ------------------------------------------------------------------------------- whole matches


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Computer players think shorter: how well they play is held elsewhere."""
    monkeypatch.setattr(players.PLAYER, "budget", 30)


async def test_three_people_to_the_end(sim: Sim) -> None:
    people = (sim.ada, sim.ben, sim.cleo)
    table = await opened(sim, "topspot", *people, players=3)
    await taps(sim, table, 20, "three")
    table = await finished(sim, table, random_move)
    place = (await sim.bot.tables.table(table.id)).place
    last = sim.look(place.thread or place.channel, place.final_message or 0)
    assert "all games of the match are played" in text_of(last)
    for person in people:
        letter = sim.messages(person.user.dm_channel.id)[-1]
        assert acting(letter) == []
        assert "all games of the match are played" in text_of(letter)


@TO_THE_END
@pytest.mark.usefixtures("hasty")
async def test_five_with_a_joker_each(sim: Sim, whole: bool) -> None:
    people = (sim.ada, sim.ben, sim.cleo, sim.dev)
    table = await opened(
        sim, "topspot", *people, players=5, computers=1, level="expert", **{"joker-each": True}
    )
    await taps(sim, table, 12, "five")
    await played_on(sim, table, random_move, whole)


@TO_THE_END
@pytest.mark.usefixtures("hasty")
async def test_with_computers(sim: Sim, whole: bool) -> None:
    table = await opened(sim, "topspot", sim.ada, players=3, computers=2, level="expert")
    await taps(sim, table, 12, "computers")
    await played_on(sim, table, random_move, whole)


@TO_THE_END
async def test_with_closed_direct_messages(sim: Sim, whole: bool) -> None:
    for person in (sim.ada, sim.ben, sim.cleo):
        where = f"/channels/{person.user.dm_channel.id}/messages"
        sim.env.inject_error("POST", where, status=403, code=50007)
    table = await opened(sim, "topspot", sim.ada, sim.ben, sim.cleo, players=3)
    person = (await sim.to_act(table))[0]
    page = await sim.hand(person, table)
    assert "cannot send you direct messages" in text_of(page)
    assert "Your cards: " in alt_texts(page)[0]
    await taps(sim, table, 15, "closed")
    await played_on(sim, table, random_move, whole)


@pytest.mark.long
@TO_THE_END
async def test_over_a_restart(sim: Sim, whole: bool) -> None:
    table = await opened(sim, "topspot", sim.ada, sim.ben, sim.cleo, players=3, level="expert")
    await taps(sim, table, 8, "before")
    (person,) = await sim.to_act(table)
    page = await sim.hand(person, table)
    page = await lay(person, page, sim, entries(page)[0])
    before = await sim.bot.tables.table(table.id)
    await sim.restart()
    after = await sim.bot.tables.table(table.id)
    # What was held back while its person was at the table is noted at the stop; what nobody had looked at by
    # then goes out.
    seats = tuple(
        replace(seat, held=was.held, notified=was.notified)
        for seat, was in zip(after.seats, before.seats, strict=True)
    )
    assert replace(after, place=before.place, seats=seats) == before
    page = await tap(sim, person, page, Generator("after", "taps"))
    await taps(sim, table, 12, "after")
    await played_on(sim, table, random_move, whole)


# ------------------------------------------------------------------------------- what stays hidden


async def test_nobody_else_sees_a_byte_of_a_hand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The same rounds in two worlds that Cleo cannot tell apart: Ada and Ben hold other cards. Channel,
    Cleo's messages, what she looks at and what is suggested to her are the same bytes."""
    case = Case("topspot", 3, EXPERT)
    state, events = _course(case)
    chance = Generator("worlds", "other")
    other = events
    for _ in range(150):
        found = other_world(case, state, other, 2, chance)
        if found is not None:
            state, other = found  # type: ignore[assignment]
    differ = [index for index, (one, two) in enumerate(zip(events, other, strict=True)) if one != two]
    assert len(differ) == 2
    changed = set(events[differ[0]].text.split()) ^ set(other[differ[0]].text.split())
    assert len(changed) > 3

    heard: list[Any] = []
    for world in (events, other):
        monkeypatch.setattr(TopSpotState, "draw", lambda state, chance, world=world: _chance(state, world))
        sim = await Sim.open(tmp_path / f"world{len(heard)}")
        ears = Ears(monkeypatch)
        people = (sim.ada, sim.ben, sim.cleo)
        suggested = await replay(sim, "topspot", world, people, sim.cleo, players=3, level="expert")
        theirs = [one for one in ears.heard if one not in ears.other_than(sim.ada, sim.ben)]
        heard.append((ears.other_than(sim.ada, sim.ben), suggested, theirs))
        await sim.close()
        assert sim.malformed() == []
        monkeypatch.undo()
    (shown, suggested, hidden), (shown_there, suggested_there, hidden_there) = heard
    assert len(shown) > 40
    assert hidden != hidden_there
    assert suggested == suggested_there
    assert len(shown) == len(shown_there)
    for one, two in zip(shown, shown_there, strict=True):
        assert one == two


def _course(case: Case) -> tuple[TopSpotState, list[Event]]:
    """Some rounds of a first game, with many cards still held."""
    state = GAME.start(case.players, case.options)
    chance = Generator("course", "moves")
    events: list[Event] = []
    while len(events) < 19:
        if state.chance_due():
            event = state.draw(Generator("course", f"event:{len(events)}"))
        else:
            seat = state.actors()[0]
            moves = [move for move in state.legal(seat) if move.count("+") < 2]
            event = Event("move", chance.choice(moves), seat)
        state.apply(event)
        events.append(event)
    assert state.game_number == 1
    return state, events


def _chance(state: TopSpotState, world: list[Event]) -> Event:
    """The next draw of that world."""
    return next(event for event in world if event.kind == "chance" and event.player == _due(state))


def _due(state: TopSpotState) -> int | None:
    return None if state.stage == "dealer" else state.dealt
