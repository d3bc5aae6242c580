"""Looking back on one's own moves: a private page, that says at once that it is thought about."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import discord
import pytest
from simcord.actors import MemberActor

from bot.locale import LANGUAGES, sayer
from bot.players import player_of
from bot.players.contract import Scale, Term
from bot.players.moments import Damaged, Decision, Moment, Past, decisions
from bot.rules.game import advance
from bot.rules.registry import game as rules_of
from bot.tables.model import Person, SeatKind, Status, Table, VoteKind
from bot.tables.moments import Stage
from bot.workers import Interrupted
from cogs.surfaces.components import Text
from cogs.surfaces.moments import looking, moment_page
from cogs.surfaces.wording import told_to_do
from tests.sweeps import swept

from .sim import Shown, Sim, alt_texts, buttons, custom_ids, parts, text_of
from .tabletop import opened
from .test_fullest import PICTURE, full_table

LABEL = "Three moments"


class Thought:
    """In place of `look_back`: what is found, when it may be told."""

    def __init__(self, sim: Sim) -> None:
        self.env = sim.env
        self.most = 3
        self.may = asyncio.Event()
        self.may.set()
        self.fails: Exception | None = None
        self.asked: list[Past] = []
        self.tell: Callable[[float], None]

    async def __call__(self, past: Past, seed: str, run: Any, tell: Any) -> tuple[Moment, ...]:
        self.asked.append(past)
        self.tell = tell
        await self.env.external_wait(self.may.wait(), reason="it is thought about")
        if self.fails is not None:
            raise self.fails
        found = decisions(past)
        assert found is not None
        return tuple(map(moment, [one for one in found if one.move != "draw"][: self.most]))


def moment(decision: Decision) -> Moment:
    """That it would have been better to reveal a tile, say."""
    better = "leave" if decision.move != "leave" else "draw"
    if decision.view.phase == "place":  # type: ignore[attr-defined]
        tile, _, cell = decision.move.partition("@")
        better = f"{tile}@{'A1' if cell != 'A1' else 'D4'}"
    why = tuple(
        Term("fivetotwelve.why.fills", 3.0 - place, (("tile", 7), ("cell", cell)))
        for place, cell in enumerate(("A1", "B2", "C3"))
    )
    return Moment(
        decision.place, decision.view, decision.move, (better,), 2.6, Scale("series", least=0.4), 600, why
    )


@pytest.fixture
def thought(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> Thought:
    made = Thought(sim)
    monkeypatch.setattr("bot.tables.moments.look_back", made)
    return made


async def over(sim: Sim, *people: MemberActor, **options: Any) -> Table:
    return await sim.hurry(await sim.started(*(people or (sim.ada, sim.ben)), **options))


async def pressed(sim: Sim, person: MemberActor, table: Table, label: str = LABEL) -> discord.Message:
    """The private page that the last message's button opens."""
    result = await person.click(await sim.final(table), label=label)
    assert result.response is not None
    assert result.response.ephemeral
    return sim.fresh(result.response)


async def by_hand(sim: Sim, person: MemberActor, table: Table, argument: str = "") -> Shown:
    """The answer to a control that was never shown."""
    control = f"pb:{table.id}:{table.revision}:moments:{argument}"
    result = await sim.press(person, await sim.final(table), control)
    assert result.response is not None
    return result.response


def pictures(message: Shown) -> int:
    return sum(isinstance(part, discord.components.MediaGalleryComponent) for part in parts(message))


async def test_the_tap_is_taken_at_once_and_what_is_found_follows_on_the_same_page(
    sim: Sim, thought: Thought
) -> None:
    table = await over(sim)
    assert buttons(await sim.final(table)) == ["Rematch", "Record", LABEL]
    thought.may.clear()
    page = await pressed(sim, sim.ada, table)
    assert "I am looking back at your moves" in text_of(page)
    assert buttons(page) == ["Try again", "Back to the game"]
    assert not pictures(page)
    thought.may.set()
    await sim.env.settle()
    page = sim.fresh(page)
    told = text_of(page).splitlines()
    assert told[0] == "## 5 vor 12: moment 1 of 3"
    assert told[1] == f"-# Table {table.id} · only you see this"
    assert told[2].startswith("**You laid ")
    assert told[3].startswith("Better: **Lay ")
    assert told[4].startswith("-# Worth about 2.6 points as a series counts them (+2 for the win, −1 for")
    assert "over 600 games that could have gone on" in told[4]
    assert told[5:] == ["What speaks for it:", "- The 7 fills A1.", "- The 7 fills B2.", "- The 7 fills C3."]
    assert pictures(page) == 1
    assert all(alt_texts(page))
    assert buttons(page) == ["Next ▶", "Show the better move", "Back to the game"]
    [past] = thought.asked
    assert {past.events[place].player for place in past.own} == {0}


async def test_one_goes_from_one_to_the_next_and_back_to_the_game(sim: Sim, thought: Thought) -> None:
    table = await over(sim)
    page = await pressed(sim, sim.ada, table)
    await sim.env.settle()
    first = text_of(sim.fresh(page))
    await sim.ada.click(sim.fresh(page), label="Next ▶")
    second = text_of(sim.fresh(page))
    assert "moment 2 of 3" in second
    assert buttons(sim.fresh(page)) == ["◀ Previous", "Next ▶", "Show the better move", "Back to the game"]
    await sim.ada.click(sim.fresh(page), label="Next ▶")
    assert "moment 3 of 3" in text_of(sim.fresh(page))
    assert "Next ▶" not in buttons(sim.fresh(page))
    await sim.ada.click(sim.fresh(page), label="◀ Previous")
    await sim.ada.click(sim.fresh(page), label="◀ Previous")
    assert text_of(sim.fresh(page)) == first
    assert len(thought.asked) == 1
    await sim.ada.click(sim.fresh(page), label="Back to the game")
    assert "moment 1" not in text_of(sim.fresh(page))
    assert buttons(sim.fresh(page)) == ["Rematch", "Record", LABEL, "History"]
    await sim.ada.click(sim.fresh(page), label=LABEL)  # kept: there at once
    assert text_of(sim.fresh(page)) == first
    assert len(thought.asked) == 1


async def test_the_better_move_is_shown_in_the_picture(sim: Sim, thought: Thought) -> None:
    table = await over(sim)
    page = await pressed(sim, sim.ada, table)
    await sim.env.settle()
    plain, told = alt_texts(sim.fresh(page)), text_of(sim.fresh(page))
    await sim.ada.click(sim.fresh(page), label="Show the better move")
    assert alt_texts(sim.fresh(page)) != plain
    assert text_of(sim.fresh(page)) == told
    await sim.ada.click(sim.fresh(page), label="Show the position")
    assert alt_texts(sim.fresh(page)) == plain


async def test_a_move_that_no_picture_shows_has_no_button_for_it(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def look(past: Past, seed: str, run: Any, tell: Any) -> tuple[Moment, ...]:
        found = decisions(past)
        assert found is not None
        last = next(one for one in found if one.view.phase != "place" and one.move != "draw")  # type: ignore[attr-defined]
        return (Moment(last.place, last.view, last.move, ("draw",), 2.6, Scale(), 0, ()),)

    monkeypatch.setattr("bot.tables.moments.look_back", look)
    table = await over(sim)
    page = await pressed(sim, sim.ada, table)
    await sim.env.settle()
    page = sim.fresh(page)
    assert "Better: **Reveal a face-down tile.**" in text_of(page)
    assert "-# Worth about 3 points, as can be worked out from what you saw." in text_of(page)
    assert "What speaks for it" not in text_of(page)
    assert buttons(page) == ["Back to the game"]


@pytest.mark.parametrize("language", swept(LANGUAGES, daily=("de",)))
async def test_of_a_turn_of_several_lays_all_is_told_and_shown_as_a_hint_does(
    sim: Sim, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    """And what was played is said to count with the best that could follow it."""
    sim.speaks(sim.ada, language)
    say = sayer(language)
    table = await opened(sim, "topominos", sim.ada, players=2, computers=1, rounds=1)
    table = await sim.hurry(table)
    looked: list[Moment] = []

    async def look(past: Past, seed: str, run: Any, tell: Any) -> tuple[Moment, ...]:
        found = decisions(past)
        assert found is not None
        player = player_of(past.game)
        for one in found:
            turns = [each.moves for each in player.candidates(one.view) if len(each.moves) > 1]
            if turns and "@" in one.move and not looked:
                scale, on = player.scale(one.view), player.goes_on(one.view, one.move)
                looked.append(Moment(one.place, one.view, one.move, turns[-1], 3.0, scale, 350, (), on))
        return tuple(looked)

    monkeypatch.setattr("bot.tables.moments.look_back", look)
    page = await pressed(sim, sim.ada, table)
    await sim.env.settle()
    page = sim.fresh(page)
    [moment] = looked
    turn = " ".join(told_to_do("topominos", moment.view, move, say) for move in moment.better)
    assert say("moments.better", told=turn) in text_of(page)
    assert moment.goes_on
    assert say("moments.goes_on") in text_of(page)
    await sim.ada.click(page, label=say("moments.button.better"))
    alt = alt_texts(sim.fresh(page))[0]
    for move in moment.better:
        dots, _, cell = move.partition("@")
        assert say("topominos.told.lay", dots=dots, cell=cell) in alt


async def test_without_such_moves_it_says_so_warmly(sim: Sim, thought: Thought) -> None:
    thought.most = 0
    table = await over(sim)
    page = await pressed(sim, sim.ada, table)
    await sim.env.settle()
    own = len(thought.asked[0].own)
    assert f"I have looked at your {own} decisions and found none" in text_of(sim.fresh(page))
    assert "Nothing to regret!" in text_of(sim.fresh(page))
    assert buttons(sim.fresh(page)) == ["Back to the game"]


async def test_everybody_gets_their_own_and_who_never_sat_there_none(sim: Sim, thought: Thought) -> None:
    table = await over(sim)
    pages = [await pressed(sim, person, table) for person in (sim.ada, sim.ben)]
    await sim.env.settle()
    own = [text_of(sim.fresh(page)).splitlines()[2] for page in pages]
    assert all(line.startswith("**You laid ") for line in own)
    assert own[0] != own[1]
    assert [{past.events[place].player for place in past.own} for past in thought.asked] == [{0}, {1}]
    refused = await sim.cleo.click(await sim.final(table), label=LABEL)
    assert refused.response is not None
    assert refused.response.ephemeral
    assert "Only those who sat here" in text_of(refused.response)
    assert len(thought.asked) == 2


async def test_who_left_gets_what_they_decided_under_their_own_name(sim: Sim, thought: Thought) -> None:
    """Whoever has the seat by now."""
    table = await sim.started(sim.ada, sim.ben, sim.cleo)
    await sim.turn(sim.ben, table)
    with sim.env._bot_scope():
        await sim.bot.tables.resign(table.id, Person(sim.ben.id, "Ben"))
        await sim.bot.tables.vote(table.id, Person(sim.ada.id, "Ada"), VoteKind.OPEN_SEAT, 1)
        await sim.bot.tables.take_seat(table.id, Person(sim.dev.id, "Dev"), 1)
    table = await sim.hurry(table)
    page = await pressed(sim, sim.ben, table)
    await sim.env.settle()
    assert "moment 1 of 1" in text_of(sim.fresh(page))
    assert "**You laid " in text_of(sim.fresh(page))
    assert "Ben" in alt_texts(sim.fresh(page))[0]
    assert buttons(sim.fresh(page))[-1] == "Back to the menu"
    page = await pressed(sim, sim.dev, table)
    await sim.env.settle()
    assert "**You " in text_of(sim.fresh(page))
    assert not set(thought.asked[0].own) & set(thought.asked[1].own)


async def test_a_game_that_was_stopped_offers_none_and_says_why(sim: Sim, thought: Thought) -> None:
    table = await sim.started(sim.ada, sim.ben)
    with sim.env._bot_scope():
        await sim.bot.tables.end(table.id, Person(sim.ada.id, "Ada"))
    await sim.env.settle()
    table = await sim.bot.tables.table(table.id)
    assert LABEL not in buttons(await sim.final(table))
    assert "not played to its end" in text_of(await by_hand(sim, sim.ada, table))
    assert thought.asked == []


async def test_a_game_of_older_rules_offers_none_and_says_why(sim: Sim, thought: Thought) -> None:
    table = await sim.hurry(await opened(sim, "topominos", sim.ada, players=1))
    assert LABEL in buttons(await sim.final(table))
    with sim.behind_the_bot() as file:
        file.execute("UPDATE tables SET rules_version = 1 WHERE id = ?", (table.id,))
    assert "older rules" in text_of(await by_hand(sim, sim.ada, table))
    page = (await sim.ada.slash(sim.channel, "table show", table=table.id)).response
    assert page is not None
    assert LABEL not in buttons(page)
    assert thought.asked == []


async def test_a_damaged_record_says_so(sim: Sim, thought: Thought) -> None:
    sim.faults_expected = True
    thought.fails = Damaged()
    table = await over(sim)
    page = await pressed(sim, sim.ada, table)
    await sim.env.settle()
    assert "record of this game is damaged" in text_of(sim.fresh(page))
    assert buttons(sim.fresh(page)) == ["Back to the game"]


@pytest.mark.parametrize("fault", [Interrupted(), RuntimeError("a fault of a player")])
async def test_what_was_given_up_can_be_tried_again(sim: Sim, thought: Thought, fault: Exception) -> None:
    sim.faults_expected = True
    thought.fails = fault
    table = await over(sim)
    page = await pressed(sim, sim.ada, table)
    await sim.env.settle()
    assert "could not look back at your moves just now" in text_of(sim.fresh(page))
    thought.fails = None
    await sim.ada.click(sim.fresh(page), label="Try again")
    await sim.env.settle()
    assert "moment 1 of 3" in text_of(sim.fresh(page))


async def test_who_has_turned_to_something_else_is_not_called_back(sim: Sim, thought: Thought) -> None:
    table = await over(sim)
    thought.may.clear()
    page = await pressed(sim, sim.ada, table)
    await sim.ada.click(page, label="Back to the game")
    game = text_of(sim.fresh(page))
    thought.may.set()
    await sim.env.settle()
    assert text_of(sim.fresh(page)) == game
    await sim.ada.click(sim.fresh(page), label=LABEL)
    assert "moment 1 of 3" in text_of(sim.fresh(page))
    assert len(thought.asked) == 1


async def test_who_presses_twice_is_thought_about_once(sim: Sim, thought: Thought) -> None:
    table = await over(sim)
    thought.may.clear()
    first = await pressed(sim, sim.ada, table)
    second = await pressed(sim, sim.ada, table)
    thought.may.set()
    await sim.env.settle()
    assert "moment 1 of 3" in text_of(sim.fresh(second))
    assert sim.look(first.channel.id, first.id) is None
    assert len(thought.asked) == 1


async def test_who_is_looked_back_for_elsewhere_is_told_where(sim: Sim, thought: Thought) -> None:
    first, second = await over(sim), await over(sim)
    thought.may.clear()
    page = await pressed(sim, sim.ada, first)
    later = await pressed(sim, sim.ada, second)
    await sim.env.settle()
    told = f"I look back at one game of yours at a time, first the one at table {first.id}. Try again once"
    assert told in text_of(sim.fresh(later))
    assert "I am looking back" in text_of(sim.fresh(page))
    thought.may.set()
    await sim.env.settle()
    await sim.ada.click(sim.fresh(later), label="Try again")
    await sim.env.settle()
    assert "moment 1 of 3" in text_of(sim.fresh(later))
    assert f"Table {second.id}" in text_of(sim.fresh(later))


async def test_the_page_tells_how_far_it_is(sim: Sim, thought: Thought) -> None:
    table = await over(sim)
    thought.may.clear()
    page = await pressed(sim, sim.ada, table)
    assert "%" not in text_of(page)
    for done, told in ((0.1, ""), (0.3, "25 % are done"), (0.5, "50 % are done"), (0.6, "50 % are done")):
        thought.tell(done)
        await sim.env.settle()
        assert told in text_of(sim.fresh(page))
    again = await pressed(sim, sim.ada, table)
    assert "50 % are done" in text_of(again)
    thought.tell(0.8)
    await sim.env.settle()
    assert "75 % are done" in text_of(sim.fresh(again))
    thought.may.set()
    await sim.env.settle()
    assert "moment 1 of 3" in text_of(sim.fresh(again))
    assert len(thought.asked) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_waits_for_others_is_told_how_many_are_before(language: str) -> None:
    table, say = full_table("fivetotwelve", Status.ENDED, (SeatKind.HUMAN,) * 2), sayer(language)
    shown = [looking(table, Stage(ahead), say) for ahead in (3, 0)]
    waiting, begun = ([one.content for one in each.blocks if isinstance(one, Text)] for each in shown)
    assert waiting[1] == say("moments.waiting", n=3)
    assert "3" in waiting[1]
    assert begun[1] == say("moments.looking")


async def test_after_a_restart_it_can_be_asked_for_once_more(sim: Sim, thought: Thought) -> None:
    table = await over(sim)
    thought.may.clear()
    page = await pressed(sim, sim.ada, table)
    await sim.restart()
    thought.may.set()
    assert "I am looking back" in text_of(sim.fresh(page))
    await sim.ada.click(sim.fresh(page), label="Try again")
    await sim.env.settle()
    assert "moment 1 of 3" in text_of(sim.fresh(page))


async def test_a_table_that_changes_meanwhile_takes_nothing_away(sim: Sim, thought: Thought) -> None:
    table = await over(sim)
    thought.may.clear()
    page = await pressed(sim, sim.ada, table)
    await sim.ben.click(await sim.final(table), label="Rematch")
    await sim.env.settle()
    assert "I am looking back" in text_of(sim.fresh(page))
    thought.may.set()
    await sim.env.settle()
    assert "moment 1 of 3" in text_of(sim.fresh(page))


async def test_it_is_there_again_after_a_restart(sim: Sim, thought: Thought) -> None:
    table = await over(sim)
    page = await pressed(sim, sim.ada, table)
    await sim.env.settle()
    told = text_of(sim.fresh(page))
    await sim.restart()
    await sim.ada.click(sim.fresh(page), label="Show the better move")
    await sim.env.settle()
    assert text_of(sim.fresh(page)) == told
    assert "Show the position" in buttons(sim.fresh(page))
    assert len(thought.asked) == 2


async def test_what_nobody_was_shown_is_out_of_date(sim: Sim, thought: Thought) -> None:
    table = await over(sim)
    await pressed(sim, sim.ada, table)
    await sim.env.settle()
    for argument in ("4", "0", "x", "-1", "1" * 50):
        told = text_of(await by_hand(sim, sim.ada, table, argument))
        assert "how things stand now" in told, argument


async def test_who_reads_the_board_in_words_has_the_position_in_words(sim: Sim, thought: Thought) -> None:
    table = await over(sim)
    with sim.env._bot_scope():
        await sim.bot.tables.set_user(sim.ada.id, text_board=True)
    page = await pressed(sim, sim.ada, table)
    await sim.env.settle()
    assert "A1" in text_of(sim.fresh(page))
    assert len(text_of(sim.fresh(page)).splitlines()) > 8


async def test_in_german(sim: Sim, thought: Thought) -> None:
    table = await over(sim)
    sim.speaks(sim.ada, "de")
    page = await pressed(sim, sim.ada, table)
    await sim.env.settle()
    told = text_of(sim.fresh(page))
    assert "## 5 vor 12: Moment 1 von 3" in told
    assert "**Du hast " in told
    assert buttons(sim.fresh(page)) == ["Weiter ▶", "Besseren Zug zeigen", "Zurück zum Spiel"]


async def test_in_direct_messages_it_stands_beside_the_copy(sim: Sim, thought: Thought) -> None:
    result = await sim.ada.user.slash("5vor12 new", computers=1)
    assert result.response is not None
    [copy] = sim.messages(sim.ada.user.dm_channel.id)
    table = await sim.table(copy)
    await sim.ada.user.click(sim.fresh(copy), label="Start")
    await sim.env.settle()
    table = await sim.hurry(table)
    await sim.env.settle()
    copy = sim.messages(sim.ada.user.dm_channel.id)[-1]
    assert LABEL in buttons(copy)
    before = text_of(copy)
    result = await sim.ada.user.click(copy, label=LABEL)
    await sim.env.settle()
    assert result.response is not None
    assert "moment 1 of 3" in text_of(sim.fresh(result.response))
    assert text_of(sim.fresh(copy)) == before


@pytest.mark.parametrize(
    ("scale", "points", "told"),
    [
        (Scale(), 3.2, "about 3 points,"),
        (Scale(), 0.6, "about 1 point,"),
        (Scale("chance"), 7.4, "about 7 more wins in 100 games,"),
        (Scale("chance", each=10.0), 2.0, "about 20 more wins in 100 games,"),
        (Scale("rolls"), 1.8, "about 2 rolls,"),
        (Scale("rolls"), 0.8, "about 1 roll,"),
        (Scale("rolls"), 0.6, "about half a roll,"),
        (
            Scale("series"),
            0.44,
            "about 0.4 points as a series counts them (+2 for the win, −1 for each free cell),",
        ),
        (Scale("series"), 1.97, "about 2.0 points as"),
        (Scale("decimal"), 1.46, "about 1.5 points,"),
        (Scale("decimal"), 0.02, "about 0.1 points,"),
        (Scale(win=30.0), 3.0, "about 3 points,"),
        (Scale(win=30.0), 34.0, "Winning instead of losing counts 30 of these points."),
    ],
)
def test_what_it_was_worth_is_told_in_the_games_unit(scale: Scale, points: float, told: str) -> None:
    table = full_table("fivetotwelve", Status.ENDED, (SeatKind.HUMAN,) * 2)
    state = rules_of("fivetotwelve").start(2, {})
    advance(state, "worth", 0)
    one = Moment(0, state.view(0), "draw", ("leave",), points, scale, 600, ())
    said = "\n".join(
        block.content
        for block in moment_page(table, [one], 0, (), sayer("en")).blocks
        if hasattr(block, "content")
    )
    assert told in said
    assert ("Winning instead" in said) == (points > 30)


async def test_a_whole_game_is_looked_back_on_for_real(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> None:
    """In threads in place of processes, with few games."""
    monkeypatch.setattr(player_of("fivetotwelve"), "budget", 100)
    table = await over(sim)
    page = await pressed(sim, sim.ada, table)
    await sim.env.settle()
    assert "I am looking back" not in text_of(sim.fresh(page))
    assert "moment" in text_of(sim.fresh(page)) or "Nothing to regret!" in text_of(sim.fresh(page))
    assert custom_ids(sim.fresh(page))


def test_a_reason_without_a_text_is_a_fault_and_not_left_out() -> None:
    """That there is none is held by `tests/players/test_advice.py`."""
    table = full_table("fivetotwelve", Status.ENDED, (SeatKind.HUMAN,) * 2)
    why = (Term("fivetotwelve.why.no_such_text", 2.0),)
    state = rules_of("fivetotwelve").start(2, {})
    advance(state, "reason", 0)
    one = Moment(3, state.view(0), "draw", ("draw",), 2.0, Scale(), 0, why)
    with pytest.raises(KeyError, match="no_such_text"):
        moment_page(table, [one], 0, [PICTURE], sayer("en"))
