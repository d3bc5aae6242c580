"""One living panel per person and table: edited in place, replaced by a newer one, closed before its token
dies."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import discord
import pytest
from simcord.actors import MemberActor

from bot.rules.chance import Generator
from bot.tables.model import Person, Status, Table
from cogs.delivery import panels as panels_module
from cogs.delivery.panels import LIVES
from tests.sweeps import swept
from tests.tables.support import typed as typed_move

from .lost import Line
from .sim import Sim, acting, alt_texts, answer, buttons, choosable, controls, custom_ids, text_of
from .tabletop import open_choice, opened, tap

ORIGINAL = r"/webhooks/\d+/[^/]+/messages/@original"
CALLBACK = r"/interactions/\d+/[^/]+/callback"
BEFORE_LAST = LIVES.total_seconds() - 1


@pytest.fixture
def line(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    """What is lost cannot arrive late here."""
    monkeypatch.setattr("cogs.delivery.private_answers.UNSURE", 0.0)
    monkeypatch.setattr(panels_module, "PAUSES", (0.0,))
    made = Line(sim)
    made.install(monkeypatch)
    yield made


def private(sim: Sim, person: MemberActor) -> list[discord.Message]:
    """What this person alone sees in channels, oldest first."""
    found = []
    for channel, messages in sim.env.backend.messages.items():
        for stored in sorted(messages.values(), key=lambda message: message.id):
            asked = (stored.interaction_metadata or {}).get("user", {})
            if stored.is_ephemeral and int(asked.get("id", 0)) == person.id:
                message = sim.look(channel, stored.id)
                assert message is not None
                found.append(message)
    return found


def alive(sim: Sim, person: MemberActor) -> list[discord.Message]:
    """Those of them with a picture or controls."""
    return [message for message in private(sim, person) if custom_ids(message) or alt_texts(message)]


async def typed(sim: Sim, person: MemberActor, table: Table, move: str) -> None:
    """A move from elsewhere: no panel is touched by the player's hand."""
    with sim.env._bot_scope():
        await typed_move(sim.bot.tables, table.id, Person(person.id, "x"), move)
    await sim.env.settle()


async def beside(sim: Sim, line: Line, person: MemberActor, shown: discord.Message, custom_id: str) -> Any:
    """A click while a call is under way: its answer is there before that goes on."""
    answered = asyncio.Event()

    async def there(_: dict[str, Any]) -> None:
        answered.set()

    async def at_once(**_: Any) -> None:
        """simcord would wait for the call too."""

    line.during("POST", CALLBACK, there)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sim.env, "_settle_internal", at_once)
        result = await sim.press(person, shown, custom_id)
    await answered.wait()
    return result


async def game(sim: Sim) -> tuple[Table, MemberActor, MemberActor]:
    """A table at which somebody has the turn, and who has not."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    (actor,) = await sim.to_act(table)
    return table, actor, sim.ben if actor is sim.ada else sim.ada


def is_current(table: Table, person: MemberActor, shown: discord.Message) -> bool:
    """Whether a panel shows what is now: who has the turn can choose, all others see whose it is."""
    seat = table.seat_of(person.id)
    assert seat is not None
    if table.status is Status.PLAYING and seat.since:
        return all(
            int(one.split(":")[2]) == seat.since for one in controls(shown, "act", "way", "play", "pick")
        )
    return not open_choice(shown)


async def test_twelve_turns_leave_one_panel_each_that_shows_what_is_now(sim: Sim) -> None:
    table, actor, other = await game(sim)
    await sim.hand(actor, table)
    await sim.hand(other, table)
    chance = Generator("panels", "taps")
    for _ in range(12):
        (actor,) = await sim.to_act(table)
        (shown,) = alive(sim, actor)
        for _ in range(8):
            if not open_choice(shown):
                break
            shown = await tap(sim, actor, shown, chance)
        table = await sim.bot.tables.table(table.id)
        for person in (sim.ada, sim.ben):
            (panel,) = private(sim, person)
            assert is_current(table, person, panel)
        if table.status is not Status.PLAYING:
            break
        assert open_choice(alive(sim, (await sim.to_act(table))[0])[0])


async def test_your_move_opens_a_new_panel_and_the_old_one_goes(sim: Sim) -> None:
    table, actor, _ = await game(sim)
    first = await sim.hand(actor, table)
    second = await sim.hand(actor, table)
    assert [message.id for message in private(sim, actor)] == [second.id]
    assert first.id != second.id
    assert sim.bot.services.panels.is_live(actor.id, table.id)
    assert sim.bot.services.panels.last_click(actor.id, table.id) == sim.clock.now()
    assert not sim.bot.services.panels.is_live(actor.id, "ZZZZZZ")


async def test_what_one_reads_is_on_the_panel_with_a_way_back_until_it_is_ones_turn(sim: Sim) -> None:
    table, actor, other = await game(sim)
    await sim.hand(other, table)
    await other.click(await sim.board(table), label="Menu")
    (page,) = private(sim, other)
    for label in ("Rules", "History", "As text"):
        await other.click(sim.fresh(page), label=label)
        assert [message.id for message in private(sim, other)] == [page.id]
        await other.click(sim.fresh(page), label="Back to the game")
        assert alt_texts(sim.fresh(page))
        await other.click(await sim.board(table), label="Menu")
        (page,) = private(sim, other)
    await other.click(page, label="Rules")
    await other.click(sim.fresh(page), custom_id=controls(sim.fresh(page), "section")[0])
    read = text_of(sim.fresh(page))
    assert "Back to the game" in buttons(sim.fresh(page))
    await typed(sim, actor, table, "draw")
    assert text_of(sim.fresh(page)) == read
    await typed(sim, actor, table, "leave")
    assert choosable(sim.fresh(page)), "it is their turn"
    assert len(private(sim, other)) == 1


async def test_a_panel_is_closed_before_its_token_dies_and_opens_again(sim: Sim) -> None:
    table, actor, _ = await game(sim)
    page = await sim.hand(actor, table)
    await sim.env.advance_time(BEFORE_LAST)
    assert choosable(sim.fresh(page))
    await tap(sim, actor, page, Generator("close", "taps"))  # a fresh token
    await sim.env.advance_time(BEFORE_LAST)
    assert custom_ids(sim.fresh(page)) != []
    assert buttons(sim.fresh(page)) != ["Open again"]
    await sim.env.advance_time(2)
    closed = sim.fresh(page)
    assert (buttons(closed), alt_texts(closed)) == (["Open again"], [])
    assert not sim.bot.services.panels.is_live(actor.id, table.id)
    requests = len(sim.env.http_requests)
    await typed(sim, actor, table, "leave")
    assert not any("/webhooks/" in request.path for request in sim.env.http_requests[requests:])
    await actor.click(closed, label="Open again")
    assert alt_texts(sim.fresh(page))
    assert [message.id for message in alive(sim, actor)] == [page.id]
    assert sim.bot.services.panels.is_live(actor.id, table.id)


async def test_whoever_comes_back_by_open_again_has_one_private_message_however_often(sim: Sim) -> None:
    """Of two that are closed (*Your move* cannot take the first away) the pressed one is the panel."""
    table, actor, _ = await game(sim)
    page = await sim.hand(actor, table)
    for _ in range(3):
        await sim.env.advance_time(BEFORE_LAST + 2)
        await actor.click(sim.fresh(page), label="Open again")
        assert [message.id for message in private(sim, actor)] == [page.id]
    await sim.env.advance_time(BEFORE_LAST + 2)
    second = await sim.hand(actor, table)
    assert [message.id for message in private(sim, actor)] == [page.id, second.id]
    for pressed in (second, page, page):
        await sim.env.advance_time(BEFORE_LAST + 2)
        await actor.click(sim.fresh(pressed), label="Open again")
        assert {message.id for message in private(sim, actor)} == {page.id, second.id}
        assert [one.id for one in private(sim, actor) if alt_texts(one)] == [pressed.id]
    await sim.env.advance_time(10)
    await actor.click(sim.fresh(second), label="Open again")
    assert [message.id for message in private(sim, actor)] == [second.id], "the living one is taken away"


@pytest.mark.parametrize("which", ["a spectator's", "of an ended table"])
async def test_whatever_a_panel_shows_it_is_closed_in_time_and_two_never_live(sim: Sim, which: str) -> None:
    table, actor, _ = await game(sim)
    if which == "of an ended table":
        await sim.hand(actor, table)
        with sim.env._bot_scope():
            await sim.bot.tables.end(table.id, Person(sim.ada.id, "Ada"))
        await sim.env.settle()
    else:
        actor = sim.cleo
        await actor.click(await sim.board(table), label="Menu")
    (page,) = private(sim, actor)
    await sim.env.advance_time(BEFORE_LAST + 2)
    assert buttons(sim.fresh(page)) == ["Open again"]
    await actor.click(sim.fresh(page), label="Open again")
    (page,) = alive(sim, actor)
    assert buttons(page) != ["Open again"]
    assert "not sitting" not in text_of(page)


async def test_the_panel_used_longest_ago_is_closed_where_there_are_too_many(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panels_module, "KEPT", 1)
    table, actor, other = await game(sim)
    first = await sim.hand(actor, table)
    second = await sim.hand(other, table)
    assert buttons(sim.fresh(first)) == ["Open again"]
    assert alt_texts(sim.fresh(second))


async def test_after_a_restart_the_old_panel_that_is_tapped_is_the_panel(sim: Sim) -> None:
    table, actor, _ = await game(sim)
    old = await sim.hand(actor, table)
    await sim.restart()
    assert not sim.bot.services.panels.is_live(actor.id, table.id)
    new = await sim.hand(actor, table)
    assert len(alive(sim, actor)) == 2, "its token is forgotten"
    await tap(sim, actor, old, Generator("restart", "taps"))
    assert [message.id for message in private(sim, actor)] == [old.id]
    assert new.id != old.id
    await typed(sim, actor, table, "leave")
    assert not open_choice(sim.fresh(old))


@pytest.mark.parametrize("way", ["by the menu", "by a vote", "gone from the server"])
async def test_who_leaves_keeps_nothing(sim: Sim, way: str) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo, setup="sorted")
    await sim.hand(sim.ben, table)
    match way:
        case "by the menu":
            await sim.ben.click(await sim.board(table), label="Menu")
            (page,) = private(sim, sim.ben)
            await sim.ben.click(page, label="Resign")
            await sim.ben.click(sim.fresh(page), label="Yes, resign")
            (farewell,) = private(sim, sim.ben)
            assert custom_ids(farewell) == alt_texts(farewell) == []
        case "by a vote":
            seat = table.seat_of(sim.ben.id)
            assert seat is not None
            for person in (sim.ada, sim.cleo):
                await person.slash(sim.thread(table), "table vote", question="kick", seat=seat.index + 1)
            assert private(sim, sim.ben) == []
        case _:
            with sim.env._bot_scope():
                await sim.bot.tables.left_guild(sim.guild.id, sim.ben.id)
            await sim.env.settle()
            assert private(sim, sim.ben) == []
    assert (await sim.bot.tables.table(table.id)).seat_of(sim.ben.id) is None
    sent = len(sim.env.http_requests)
    await sim.hurry(table, most=2)
    assert not any("/webhooks/" in request.path for request in sim.env.http_requests[sent:])
    assert not sim.bot.services.panels.is_live(sim.ben.id, table.id)


async def test_at_the_end_every_panel_shows_it_and_offers_no_move(sim: Sim) -> None:
    table, actor, other = await game(sim)
    await sim.hand(actor, table)
    await sim.hand(other, table)
    with sim.env._bot_scope():
        await sim.bot.tables.end(table.id, Person(sim.ada.id, "Ada"))
    await sim.env.settle()
    for person in (sim.ada, sim.ben):
        (panel,) = private(sim, person)
        assert "host ended" in text_of(panel)
        assert acting(panel) == []
        assert alt_texts(panel)


async def test_a_pause_is_seen_at_once(sim: Sim) -> None:
    table, actor, other = await game(sim)
    await sim.hand(actor, table)
    (shown,) = alive(sim, actor)
    act = controls(shown, "act")
    for person in (actor, other):
        await person.slash(sim.thread(table), "table vote", question="pause")
    assert "paused" in text_of(sim.fresh(shown))
    assert not choosable(sim.fresh(shown))
    for person in (actor, other):
        await person.slash(sim.thread(table), "table vote", question="resume")
    assert [one.split(":")[3:] for one in controls(sim.fresh(shown), "act")] == [
        one.split(":")[3:] for one in act
    ]


async def test_a_move_costs_each_panel_one_edit_and_no_picture_in_vain(sim: Sim) -> None:
    table, actor, other = await game(sim)
    await sim.hand(other, table)
    page = await sim.hand(actor, table)
    drawn = []
    pictures: Any = sim.bot.services.pictures
    real = type(pictures).of_hand

    async def of_hand(*args: Any, **more: Any) -> Any:
        drawn.append(args)
        return await real(*args, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(pictures), "of_hand", of_hand)
        sent = len(sim.env.http_requests)
        await actor.click(page, custom_id=controls(page, "act")[0])
        await sim.env.settle()
    edits = [r.method for r in sim.env.http_requests[sent:] if "/webhooks/" in r.path]
    assert edits == ["PATCH"], "the other's; the mover's is the answer"
    assert len(drawn) == 2


# ------------------------------------------------------------------------------------ races


async def test_two_taps_at_once_leave_one_panel(sim: Sim, line: Line) -> None:
    """The first answer takes so long that the second is there before it."""
    table, actor, _ = await game(sim)
    board = await sim.board(table)
    move = controls(board, "move")[0]

    async def again() -> None:
        await beside(sim, line, actor, board, move)

    held = line.before("POST", CALLBACK, again)
    await sim.press(actor, board, move)
    assert held.hits == 1
    await sim.env.settle()
    (panel,) = private(sim, actor)
    assert choosable(panel)


@pytest.mark.parametrize("lost", [False, True])
async def test_a_panel_that_is_just_being_replaced_still_answers(sim: Sim, line: Line, lost: bool) -> None:
    table, actor, _ = await game(sim)
    old = await sim.hand(actor, table)
    answers = []

    async def pressed() -> None:
        answers.append(await beside(sim, line, actor, old, controls(old, "act")[0]))

    held = line.before("DELETE", ORIGINAL, pressed, lost=lost)
    await actor.click(await sim.board(table), label="Your move")
    assert held.hits == 1
    assert "Played" in answer(answers[0])
    (panel,) = alive(sim, actor)
    assert panel.id != old.id
    assert is_current(await sim.bot.tables.table(table.id), actor, panel)


async def test_a_panel_deleted_by_hand_is_answered_by_a_new_one(sim: Sim, line: Line) -> None:
    table, actor, _ = await game(sim)
    old = await sim.hand(actor, table)

    async def dismissed() -> None:
        sim.env.backend.messages[old.channel.id].pop(old.id)

    line.before("POST", CALLBACK, dismissed)
    await sim.press(actor, old, controls(old, "act")[0])
    await sim.env.settle()
    (panel,) = private(sim, actor)
    assert panel.id != old.id
    assert is_current(await sim.bot.tables.table(table.id), actor, panel)


@pytest.mark.parametrize("way", swept(["lost", "never sent", "late"], daily=("lost",)))
async def test_an_edit_that_goes_wrong_leaves_the_current_page(sim: Sim, line: Line, way: str) -> None:
    """late: it arrives after the answer to a click."""
    table, actor, other = await game(sim)
    page = await sim.hand(other, table)

    async def looked_at() -> None:
        await beside(sim, line, other, page, f"pb:{table.id}:{table.revision}:move:")

    plan = {
        "lost": lambda: line.lose("PATCH", ORIGINAL),
        "never sent": lambda: line.fail("PATCH", ORIGINAL),
        "late": lambda: line.before("PATCH", ORIGINAL, looked_at),
    }[way]()
    await typed(sim, actor, table, "draw")
    await typed(sim, actor, table, "leave")
    assert plan.hits == 1
    await sim.env.settle()
    (panel,) = private(sim, other)
    assert choosable(panel)
    assert is_current(await sim.bot.tables.table(table.id), other, panel)


@pytest.mark.parametrize("arrives", [False, True])
async def test_an_opening_whose_answer_is_lost_is_known_or_forgotten(
    sim: Sim, line: Line, arrives: bool
) -> None:
    table, actor, _ = await game(sim)
    await sim.hand(actor, table)
    plan = line.lose("POST", CALLBACK) if arrives else line.fail("POST", CALLBACK)
    board = await sim.board(table)
    await sim.press(actor, board, controls(board, "move")[0])
    await sim.env.settle()
    assert plan.hits == 1
    assert len(alive(sim, actor)) == arrives
    assert sim.bot.services.panels.is_live(actor.id, table.id) is arrives
    await typed(sim, actor, table, "draw")
    for panel in alive(sim, actor):
        assert is_current(await sim.bot.tables.table(table.id), actor, panel)


async def test_one_that_cannot_be_deleted_loses_picture_and_controls(sim: Sim) -> None:
    table, actor, _ = await game(sim)
    old = await sim.hand(actor, table)
    sim.env.inject_error("DELETE", "/webhooks/*/*/messages/@original", status=403, code=50013)
    new = await sim.hand(actor, table)
    assert [message.id for message in alive(sim, actor)] == [new.id]
    assert "newer page" in text_of(sim.fresh(old))


async def test_a_closing_edit_that_comes_late_closes_nothing_that_was_opened_again(
    sim: Sim, line: Line
) -> None:
    table, actor, _ = await game(sim)
    page = await sim.hand(actor, table)

    async def pressed() -> None:
        await beside(sim, line, actor, page, controls(page, "act")[0])

    held = line.before("PATCH", ORIGINAL, pressed)
    await sim.env.advance_time(BEFORE_LAST + 2)
    assert held.hits == 1
    await sim.env.settle()
    (panel,) = private(sim, actor)
    assert buttons(panel) != ["Open again"]
    assert is_current(await sim.bot.tables.table(table.id), actor, panel)


async def test_a_hand_by_direct_message_and_a_panel_are_both_kept(sim: Sim) -> None:
    table = await opened(sim, "topominos", sim.ada, sim.ben, players=2)
    (actor,) = await sim.to_act(table)
    await sim.hand(actor, table)
    assert await sim.hand(actor, table)
    await sim.hurry(table, most=1)
    (panel,) = private(sim, actor)
    assert is_current(await sim.bot.tables.table(table.id), actor, panel)
    for message in sim.env.backend.messages[actor.user.dm_channel.id].values():
        assert not message.is_ephemeral
