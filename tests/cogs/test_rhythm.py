"""When notices come, on simcord: rhythms and quiet hours over the clock, one letter for all tables, *Later*
and *Stop notices*, what slows them down."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import discord
import pytest
from simcord.actors import MemberActor

from bot.discord_io import Failed, Why
from bot.tables.model import Person, Post, Table, Telling, VoteKind
from cogs.delivery.retries import AFTER_TROUBLE
from cogs.surfaces.notices import MOST_LISTED
from tests.sweeps import swept

from .lost import Line
from .sim import Sim, buttons, custom_ids, menus, text_of
from .test_hands import direct_messages, game_of
from .test_notices import pings

MINUTE, HOUR = 60, 3600


def letters(sim: Sim, person: MemberActor) -> list[discord.Message]:
    """Their direct messages with *Later* or *Stop notices*: live notices."""
    messages = sim.messages(person.user.dm_channel.id)
    return [m for m in messages if any(":later:" in one or ":stop:" in one for one in custom_ids(m))]


async def settle(sim: Sim, person: MemberActor, **fields: object) -> None:
    """As chosen in /profile."""
    with sim.env._bot_scope():
        await sim.bot.tables.set_user(person.id, **fields)
        await sim.bot.services.notices.settings_changed(person.id)
    await sim.env.settle()


async def waiting_for(sim: Sim, person: MemberActor, other: MemberActor, count: int) -> list[Table]:
    """So many tables of two at which it is this person's turn; they have done nothing but sit down."""
    lobbies = [await sim.new(other, players=2, setup="sorted") for _ in range(count)]
    for lobby in lobbies:
        await person.click(sim.fresh(lobby), label="Join")
    tables = [await sim.table(lobby) for lobby in lobbies]
    for lobby, table in zip(lobbies, tables, strict=True):
        await other.click(sim.fresh(lobby), label="Start")
        await until_turn_of(sim, table, person)
    return [await sim.bot.tables.table(table.id) for table in tables]


async def until_turn_of(sim: Sim, table: Table, person: MemberActor) -> None:
    """The others play, typed, until this person alone is to act."""
    for _ in range(6):
        if await sim.to_act(table) == [person]:
            return
        await sim.hurry(table, most=1)
    raise AssertionError("never their turn")


def pinged(sim: Sim, person: MemberActor, since: int) -> int:
    return sum(str(person.id) in map(str, users) for users in pings(sim)[since:])


async def test_after_thirty_minutes_or_not_at_all_and_after_a_restart(sim: Sim) -> None:
    await settle(sim, sim.ben, rhythm="half_hour")
    moved, kept = await waiting_for(sim, sim.ben, sim.ada, 2)
    assert pinged(sim, sim.ben, 0) == 0
    await sim.env.advance_time(20 * MINUTE)
    await until_turn_of(sim, moved, sim.ada)
    await sim.restart()
    assert pinged(sim, sim.ben, 0) == 0
    await sim.env.advance_time(11 * MINUTE)
    assert pinged(sim, sim.ben, 0) == 1, "none for the table where they have moved"
    assert (await sim.bot.tables.table(kept.id)).place.notice_message is not None
    await sim.env.advance_time(2 * HOUR)
    assert pinged(sim, sim.ben, 0) == 1


async def test_six_tables_are_one_letter_and_the_next_takes_its_place(sim: Sim) -> None:
    """A digest in the morning; quiet hours keep it back, and a restart in between does not lose it."""
    zone = {"timezone": "Asia/Tokyo", "quiet_from": 20, "quiet_to": 9}
    await settle(sim, sim.ben, notices="dm", rhythm="digest", digest_hour=8, **zone)
    tables = await waiting_for(sim, sim.ben, sim.ada, 6)
    start = sim.env.now()  # the quiet hours end at midnight in UTC
    midnight = start.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    await sim.env.advance_time((midnight - sim.env.now()).total_seconds() - 60)
    assert letters(sim, sim.ben) == []
    await sim.restart()
    assert letters(sim, sim.ben) == []
    await sim.env.advance_time(120)
    [letter] = letters(sim, sim.ben)
    assert all(table.id in text_of(letter) for table in tables)
    assert buttons(letter).count("Your move") == 6
    sent = len(sim.requests("POST", f"/channels/{sim.ben.user.dm_channel.id}/messages"))

    await settle(sim, sim.ben, rhythm="at_once", quiet_from=0, quiet_to=0)
    await until_turn_of(sim, tables[0], sim.ada)
    await until_turn_of(sim, tables[0], sim.ben)
    [newer] = letters(sim, sim.ben)
    assert newer.id != letter.id
    assert {table.id for table in tables if table.id in text_of(newer)} == {table.id for table in tables}
    assert len(sim.requests("POST", f"/channels/{sim.ben.user.dm_channel.id}/messages")) == sent + 1

    with sim.env._bot_scope():
        await sim.bot.tables.resign(tables[1].id, Person(sim.ben.id, "Ben"))
    await sim.env.settle()
    [cut] = letters(sim, sim.ben)
    assert cut.id == newer.id
    assert tables[1].id not in text_of(cut)
    assert buttons(cut).count("Your move") == 5


async def of_two_tables(sim: Sim) -> tuple[discord.Message, Table, Table]:
    """Ben's letter: a table of three, and one with Ada."""
    await settle(sim, sim.ben, notices="dm")
    lobby = await sim.new(sim.ada, players=3, setup="sorted")
    for person in (sim.ben, sim.cleo):
        await person.click(sim.fresh(lobby), label="Join")
    three = await sim.table(lobby)
    await sim.ada.click(sim.fresh(lobby), label="Start")
    await until_turn_of(sim, three, sim.ben)
    [two] = await waiting_for(sim, sim.ben, sim.ada, 1)
    await sim.env.advance_time(2 * MINUTE)
    [letter] = letters(sim, sim.ben)
    assert three.id in text_of(letter)
    assert two.id in text_of(letter)
    return letter, three, two


async def test_a_table_is_taken_out_though_somebody_else_sits_there_before_it_is_painted(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    letter, three, two = await of_two_tables(sim)
    ada, ben, dev = (Person(one.id, "x") for one in (sim.ada, sim.ben, sim.dev))
    tables, seat = sim.bot.tables, three.seat_of(ben.id)
    assert seat is not None

    async def not_yet(_: Table) -> None:
        """What was stored is painted later."""

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(sim.bot.services.painter._letters, "about", not_yet)
        with sim.env._bot_scope():
            await tables.resign(three.id, ben)
            await tables.vote(three.id, ada, VoteKind.OPEN_SEAT, seat.index)
            await tables.take_seat(three.id, dev, seat.index)
        await sim.env.settle()
    assert three.id in text_of(letters(sim, sim.ben)[0])
    with sim.env._bot_scope():
        sim.bot.services.repaints.refresh(three.id)
    await sim.env.settle()
    [cut] = letters(sim, sim.ben)
    assert cut.id == letter.id
    assert three.id not in text_of(cut)
    assert two.id in text_of(cut)


async def test_a_letter_is_not_written_from_what_was_so_before_a_table_ended(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, three, two = await of_two_tables(sim)
    about = sim.bot.services.painter._letters

    async def not_yet(_: Table) -> None:
        """The letter is cut by whom it was planned before."""

    with sim.env._bot_scope():
        plan = await about._plan(sim.ben.id)
    monkeypatch.setattr(about, "about", not_yet)
    with sim.env._bot_scope():
        await sim.bot.tables.end(three.id, Person(sim.ada.id, "Ada"))
        await about._cut(sim.ben.id, plan)
    await sim.env.settle()
    [cut] = letters(sim, sim.ben)
    assert three.id not in text_of(cut)
    assert two.id in text_of(cut)


async def test_a_letter_in_foreign_messages_is_not_written_to(sim: Sim) -> None:
    letter, three, _ = await of_two_tables(sim)
    foreign = sim.ada.user.dm_channel.id
    with sim.behind_the_bot() as connection:
        connection.execute("update letters set channel = ? where user_id = ?", (foreign, sim.ben.id))
    with sim.env._bot_scope():
        await sim.bot.tables.resign(three.id, Person(sim.ben.id, "Ben"))
    await sim.env.settle()
    assert sim.requests("PATCH", f"/channels/{foreign}/messages/{letter.id}") == []
    assert (await sim.bot.services.shown.letter(sim.ben.id)).tables == ()


def owed_anew(sim: Sim) -> None:
    """Ben's letter was never sent, as far as anything stored knows."""
    with sim.behind_the_bot() as connection:
        connection.execute("update letters set channel = null, message = null, tables = ''")
        connection.execute("update seats set notified = 0 where user_id = ?", (sim.ben.id,))


async def test_a_letter_on_its_way_is_none_that_was_lost(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a restore letters are looked for that were sent since the backup. One that is being sent
    meanwhile is not known yet either, and stays; the lost one goes."""
    lost, three, two = await of_two_tables(sim)
    services, store, channel = sim.bot.services, sim.bot._store, lost.channel.id
    assert store is not None
    owed_anew(sim)

    async def looked_for(_: dict[str, Any]) -> None:
        now = sim.env.now()
        intent = Post(two.id, "one", "letter", sim.ben.id, channel, now - timedelta(hours=2), now)
        assert await services.shown.letter_meant(sim.ben.id) == three.id
        await store.intend(intent, None)
        await services.shown.post_lost(intent, now)
        beside = Post(two.id, "", "hand", sim.ben.id, channel, now, now + timedelta(seconds=1), 1)
        await store.leave(beside)
        assert await services.posts.tidy(two.id) > 0
        assert [post.message for post in await services.shown.posts(two.id)] == [None], "waits alone"

    line = Line(sim)
    line.install(monkeypatch)
    sent = line.during("POST", f"/channels/{channel}/messages", looked_for)
    await settle(sim, sim.ben)
    assert sent.hits == 1
    known = (await services.shown.letter(sim.ben.id)).message
    assert known in {message.id for message in letters(sim, sim.ben)}
    with sim.env._bot_scope():
        services.repaints.refresh(two.id)
    await sim.env.settle()
    assert [message.id for message in letters(sim, sim.ben)] == [known] != [lost.id]
    assert await services.shown.posts(two.id) == []


async def test_a_letter_that_another_process_sends_is_no_leftover(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who tidies the table at which its intent lies may be another process than who writes to the person."""
    earlier, three, two = await of_two_tables(sim)
    services, channel = sim.bot.services, earlier.channel.id
    owed_anew(sim)

    async def tidied_elsewhere(_: dict[str, Any]) -> None:
        posts = services.posts
        with monkeypatch.context() as elsewhere:  # where nothing is known of what is sent here
            elsewhere.setattr(posts, "_sending", set())
            elsewhere.setattr(posts, "_tried", {})
            for table in (three, two):
                await posts.tidy(table.id)

    line = Line(sim)
    line.install(monkeypatch)
    sent = line.during("POST", f"/channels/{channel}/messages", tidied_elsewhere)
    posted = len(sim.requests("POST", f"/channels/{channel}/messages"))
    await settle(sim, sim.ben)
    assert sent.hits == 1
    await sim.env.advance_time(HOUR)
    assert len(sim.requests("POST", f"/channels/{channel}/messages")) == posted + 1
    known = (await services.shown.letter(sim.ben.id)).message
    assert known in {message.id for message in letters(sim, sim.ben)} - {earlier.id}
    for table in (three, two):
        assert await services.shown.posts(table.id) == []


async def lost_letter(sim: Sim, monkeypatch: pytest.MonkeyPatch, times: int) -> tuple[int, Table, Table]:
    """Ben's letter of two tables has come, and the bot does not know, having sent it so many times: each
    table asks for it. Its channel, and the tables."""
    earlier, three, two = await of_two_tables(sim)
    channel = earlier.channel.id
    sim.env.backend.delete_message(channel, earlier.id)
    owed_anew(sim)
    line = Line(sim)
    line.install(monkeypatch)
    lost = line.lose("POST", f"/channels/{channel}/messages", times=times)
    await settle(sim, sim.ben)
    assert lost.hits == times
    return channel, three, two


async def test_a_letter_whose_answer_is_lost_pings_once_whatever_is_painted_meanwhile(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = sim.bot.services
    channel, three, two = await lost_letter(sim, monkeypatch, times=1)
    posted = len(sim.requests("POST", f"/channels/{channel}/messages"))
    for _ in range(3):
        for table in (three, two):
            with sim.env._bot_scope():
                services.repaints.refresh(table.id)
            await sim.env.settle()
    await sim.env.advance_time(2 * MINUTE)
    [letter] = letters(sim, sim.ben)
    assert letter.id == (await services.shown.letter(sim.ben.id)).message
    assert len(sim.requests("POST", f"/channels/{channel}/messages")) == posted


async def test_a_letter_whose_answer_is_lost_goes_once_nobody_wants_it(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = sim.bot.services.shown
    _, three, two = await lost_letter(sim, monkeypatch, times=2)
    assert len(letters(sim, sim.ben)) == 1
    await settle(sim, sim.ben, notices="none")
    with sim.env._bot_scope():
        for table in (three, two):
            sim.bot.services.repaints.refresh(table.id)
    await sim.env.advance_time(HOUR)
    assert letters(sim, sim.ben) == []
    for table in (three, two):
        assert await shown.posts(table.id) == []


async def test_no_sweep_looks_for_a_letter_again_and_again_while_discord_is_in_trouble(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    letter, _, two = await of_two_tables(sim)
    shown, channel = sim.bot.services.shown, letter.channel.id
    await shown.intend(two.id, "letter", channel, user=sim.ben.id, made=sim.env.now())
    line = Line(sim)
    line.install(monkeypatch)
    failed = line.fail("GET", f"/channels/{channel}/messages")
    with sim.env._bot_scope():
        await sim.bot.tables.set_user(sim.ben.id, notices="none")
        sim.bot.services.repaints.refresh(two.id)
    await sim.env.settle()
    assert failed.hits == 1
    [post] = await shown.posts(two.id)
    assert post.again - sim.env.now() > AFTER_TROUBLE / 2
    await sim.env.advance_time(HOUR)
    assert await shown.posts(two.id) == []


async def test_a_letter_that_may_be_there_is_found_before_a_hand_is_sent_as_its_notice(sim: Sim) -> None:
    """Of one table with hidden hands the hand sent afresh is the notice; a letter that was meant may have
    told of it already."""
    await settle(sim, sim.ben, notices="dm", rhythm="half_hour")
    table = await game_of(sim, sim.ada, sim.ben)
    await until_turn_of(sim, table, sim.ben)
    shown, [hand] = sim.bot.services.shown, direct_messages(sim, sim.ben)
    await sim.env.advance_time(30 * MINUTE - 30)
    await shown.intend(table.id, "letter", hand.channel.id, user=sim.ben.id, made=sim.env.now())
    await sim.env.advance_time(MINUTE)
    [letter] = letters(sim, sim.ben)
    assert (await shown.letter(sim.ben.id)).message == letter.id
    assert {one.id for one in direct_messages(sim, sim.ben)} == {hand.id, letter.id}


async def test_who_was_not_told_by_a_letter_that_nobody_wants_is_told_again(sim: Sim) -> None:
    letter, _, two = await of_two_tables(sim)
    services, now = sim.bot.services, sim.env.now()
    gone = Post(two.id, "gone", "letter", sim.ben.id, letter.channel.id, now, now)
    telling = Telling(((two.id, sim.ben.id, 99),), (two.id,))
    other = sim.env.backend.create_message(letter.channel.id, sim.env.backend.bot_user.id, content="other").id
    with sim.env._bot_scope():
        result = await services.posts._known(gone, other, None, telling)
    assert result == Failed(Why.LATER)
    assert (await services.shown.letter(sim.ben.id)).message == letter.id
    assert other not in {one.id for one in direct_messages(sim, sim.ben)}
    seat = (await sim.bot.tables.table(two.id)).seat_of(sim.ben.id)
    assert seat is not None
    assert seat.notified < 99


@pytest.mark.parametrize("label", swept(["Later", "Stop notices"]))
async def test_a_press_on_a_letter_that_goes_meanwhile_is_answered_beside_it(
    sim: Sim, monkeypatch: pytest.MonkeyPatch, label: str
) -> None:
    await settle(sim, sim.ben, notices="dm", rhythm="half_hour")
    await waiting_for(sim, sim.ben, sim.ada, 2)
    await sim.env.advance_time(31 * 60)
    [letter] = letters(sim, sim.ben)

    async def deleted() -> None:
        sim.env.backend.messages[letter.channel.id].pop(letter.id)

    line = Line(sim)
    line.install(monkeypatch)
    line.before("POST", r"/interactions/\d+/[^/]+/callback", deleted)
    await sim.ben.user.click(letter, label=label)
    assert [request.json["type"] for request in sim.requests("POST", "/callback")][-1] == 4


@pytest.mark.long  # eight tables
async def test_later_puts_off_what_the_letter_has_no_line_for(sim: Sim) -> None:
    await settle(sim, sim.ben, notices="dm", rhythm="half_hour")
    tables = await waiting_for(sim, sim.ben, sim.ada, MOST_LISTED + 1)
    await sim.env.advance_time(31 * 60)
    [letter] = letters(sim, sim.ben)
    await sim.ben.user.click(letter, label="Later")
    for table in tables:
        seat = (await sim.bot.tables.table(table.id)).seat_of(sim.ben.id)
        assert seat is not None
        assert seat.is_owed


async def test_half_of_the_clock_is_never_passed_over(sim: Sim) -> None:
    await settle(sim, sim.ada, rhythm="digest", digest_hour=3, quiet_from=1, quiet_to=0)
    table = await sim.started(sim.ada, sim.ben, setup="sorted", clock=12 * HOUR)
    await until_turn_of(sim, table, sim.ada)
    begun = len(pings(sim))
    assert pinged(sim, sim.ada, 0) == 0
    await sim.env.advance_time(6 * HOUR - 60)
    assert pinged(sim, sim.ada, begun) == 0
    await sim.env.advance_time(2 * MINUTE)
    assert pinged(sim, sim.ada, begun) == 1
    await sim.env.advance_time(5 * HOUR)
    assert pinged(sim, sim.ada, begun) == 2, "and shortly before the end once more"


async def test_later_is_in_an_hour_and_stop_is_for_good(sim: Sim) -> None:
    await settle(sim, sim.ben, notices="dm")
    await waiting_for(sim, sim.ben, sim.ada, 2)
    [letter] = letters(sim, sim.ben)
    assert buttons(letter).count("Your move") == 2
    await sim.ben.user.click(letter, label="Later")
    assert "told again at <t:" in text_of(sim.fresh(letter))
    await sim.restart()
    await sim.env.advance_time(HOUR - 60)
    assert [m.id for m in letters(sim, sim.ben)] == [letter.id]
    await sim.env.advance_time(120)
    [again] = letters(sim, sim.ben)
    assert again.id != letter.id
    assert buttons(again).count("Your move") == 2
    await sim.ben.user.click(again, label="Stop notices")
    assert "/profile" in text_of(sim.fresh(again))
    assert (await sim.bot.tables.user(sim.ben.id)).notices == "none"
    await waiting_for(sim, sim.ben, sim.ada, 1)
    assert letters(sim, sim.ben) == []


@pytest.mark.parametrize("clock", swept([0, HOUR]), ids=["without a clock", "half time comes first"])
async def test_later_says_when_it_comes_also_in_quiet_hours(sim: Sim, clock: int) -> None:
    await settle(sim, sim.ben, notices="dm")
    table = await sim.started(sim.ada, sim.ben, setup="sorted", clock=clock)
    await until_turn_of(sim, table, sim.ben)
    await sim.env.advance_time(3 * MINUTE)
    [letter] = letters(sim, sim.ben)
    now = sim.env.now()
    await settle(sim, sim.ben, quiet_from=(now.hour + 1) % 24, quiet_to=(now.hour + 2) % 24)
    await sim.ben.user.click(letter, label="Later")
    [said] = re.findall(r"told again at <t:(\d+):t>", text_of(sim.fresh(letter)))
    wait = int(said) - now.timestamp()
    assert wait < HOUR if clock else wait > HOUR
    await sim.env.advance_time(wait - 2 * MINUTE)
    assert [m.id for m in letters(sim, sim.ben)] == [letter.id]
    await sim.env.advance_time(3 * MINUTE)
    [again] = letters(sim, sim.ben)
    assert again.id != letter.id


async def test_the_hand_is_the_notice_of_one_table_and_the_letter_that_of_two(sim: Sim) -> None:
    await settle(sim, sim.ada, notices="dm")
    tables = []
    for _ in range(2):
        result = await sim.ben.slash(sim.channel, "topominos new", players=2)
        assert result.response is not None
        await sim.ada.click(sim.fresh(result.response.message), label="Join")
        table = await sim.table(result.response.message)
        await sim.ben.click(sim.fresh(result.response.message), label="Start")
        await until_turn_of(sim, table, sim.ada)
        tables.append(table)
        live = letters(sim, sim.ada)
        assert len(live) == 1, [text_of(one) for one in live]
        seat = (await sim.bot.tables.table(table.id)).seat_of(sim.ada.id)
        assert seat is not None
        assert (seat.hand_message == live[0].id) is (len(tables) == 1)
    [letter] = letters(sim, sim.ada)
    assert buttons(letter).count("Your move") == 2
    result = await sim.ada.user.click(letter, label="Later")
    assert letters(sim, sim.ada)[0].id == letter.id


async def test_three_without_an_answer_slow_the_rhythm_and_a_move_brings_it_back(sim: Sim) -> None:
    tables = await waiting_for(sim, sim.ben, sim.ada, 4)
    said = [text_of(m) for thread in sim.channel.threads for m in sim.messages(thread.id)]
    assert sum("notices come after 30 minutes" in text for text in said) == 1, "the third says so"
    assert pinged(sim, sim.ben, 0) == 3
    await sim.env.advance_time(31 * MINUTE)
    assert pinged(sim, sim.ben, 0) == 4
    await until_turn_of(sim, tables[0], sim.ada)
    await until_turn_of(sim, tables[0], sim.ben)
    assert pinged(sim, sim.ben, 0) == 5, "at once again"


async def test_a_move_elsewhere_frees_what_the_slowed_rhythm_held_back(sim: Sim) -> None:
    tables = await waiting_for(sim, sim.ben, sim.ada, 4)
    assert pinged(sim, sim.ben, 0) == 3, "the fourth is to come after 30 minutes"
    seats = [(await sim.bot.tables.table(table.id)).seat_of(sim.ben.id) for table in tables]
    held = [table for table, seat in zip(tables, seats, strict=True) if seat is not None and seat.held]
    assert len(held) == 1
    [moved, *_] = (table for table in tables if table not in held)
    await until_turn_of(sim, moved, sim.ada)
    assert pinged(sim, sim.ben, 0) == 4
    now = await sim.bot.tables.table(held[0].id)
    assert now.place.notice_message is not None


async def test_the_settings_are_chosen_by_menus_and_a_place_by_its_time(sim: Sim) -> None:
    result = await sim.ada.slash(sim.channel, "profile")
    assert result.response is not None
    message = result.response.message

    async def choose(field: str, value: str) -> None:
        await sim.ada.select(sim.fresh(message), [value], custom_id=f"ps:-:0:set_user:{field}")

    def asked() -> list[str]:
        return [custom.rpartition(":")[2] for custom, _ in menus(sim.fresh(message))]

    await sim.ada.click(sim.fresh(message), label="When they come")
    assert asked() == ["rhythm", "quiet_from"], "what counts for nothing is not asked"
    await choose("rhythm", "digest")
    assert asked() == ["rhythm", "digest_hour", "quiet_from"]
    await choose("digest_hour", "7")
    await choose("quiet_from", "8")
    assert asked()[-1] == "quiet_to"
    await choose("quiet_to", "6")
    await sim.ada.click(sim.fresh(message), label="Europe, Africa")
    [(_, places)] = menus(sim.fresh(message))
    assert len(places) == 25
    await choose("timezone", "Europe/Berlin")
    found = await sim.bot.tables.user(sim.ada.id)
    assert (found.rhythm, found.digest_hour, found.quiet_from, found.quiet_to, found.timezone) == (
        "digest", 7, 8, 6, "Europe/Berlin",
    )  # fmt: skip
    local = sim.env.now().astimezone(ZoneInfo("Europe/Berlin"))
    assert f"Berlin, it is {local:%H:%M}" in text_of(sim.fresh(message))
    await choose("quiet_from", "none")
    assert (await sim.bot.tables.user(sim.ada.id)).quiet_to == 0
    await sim.press(sim.ada, sim.fresh(message), "pb:-:0:zone:Mars/Base")
    assert (await sim.bot.tables.user(sim.ada.id)).timezone == "Europe/Berlin"
    await sim.ada.click(sim.fresh(message), label="Back")
    assert "Your settings" in text_of(sim.fresh(message))
    assert custom_ids(sim.fresh(message))


async def test_none_comes_to_who_is_at_the_table_until_they_are_not(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    await until_turn_of(sim, table, sim.ada)
    await sim.turn(sim.ada, table)
    begun = len(pings(sim))
    await until_turn_of(sim, table, sim.ada)
    assert pinged(sim, sim.ada, begun) == 0, "a click a moment ago"
    await sim.env.advance_time(100)
    await sim.hand(sim.ada, table)
    await sim.env.advance_time(100)
    assert pinged(sim, sim.ada, begun) == 0, "another one since"
    await sim.env.advance_time(30)
    assert pinged(sim, sim.ada, begun) == 1
    await sim.env.advance_time(HOUR)
    assert pinged(sim, sim.ada, begun) == 1


async def test_none_comes_at_once_to_who_has_just_started_or_taken_a_seat(sim: Sim, they_come: None) -> None:
    """Who has sat down in the lobby is called: they may have gone to do something else."""
    lobby = await sim.new(sim.ada, players=3)
    for person in (sim.ben, sim.cleo):
        await person.click(sim.fresh(lobby), label="Join")
    await sim.ada.click(sim.fresh(lobby), label="Start")
    assert [set(map(str, users)) for users in pings(sim)] == [{str(sim.ben.id), str(sim.cleo.id)}]
    await sim.env.advance_time(110)
    assert pinged(sim, sim.ada, 0) == 0
    await sim.env.advance_time(30)
    assert [pinged(sim, person, 0) for person in (sim.ada, sim.ben, sim.cleo)] == [1, 1, 1]


async def test_against_computers_none_comes_while_the_panel_lives(sim: Sim) -> None:
    result = await sim.ada.slash(sim.channel, "zatre new", players=2, computers=1)
    assert result.response is not None
    table = await sim.table(result.response.message)
    await sim.ada.click(sim.fresh(result.response.message), label="Start")
    await until_turn_of(sim, table, sim.ada)
    await sim.hand(sim.ada, table)
    begun = len(pings(sim))
    await sim.hurry(table, most=2)
    assert await sim.to_act(table) == [sim.ada]
    await sim.env.advance_time(13 * MINUTE)
    assert pinged(sim, sim.ada, begun) == 0
    await sim.env.advance_time(2 * MINUTE)
    assert pinged(sim, sim.ada, begun) == 1, "it has been closed"
