"""The double itself, with an ordinary discord.py bot in a process of its own.

By default one tour of what other tests lean on; the gateway's disturbances, limits and time are `long`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.discord.driver import Actor, BotProcess, CannotDo, File, MessageView, P, Result, World, dump, load
from tests.discord.model import Channel, Guild

BOT = Path(__file__).parent / "demo_bot.py"
HEAD = {"Authorization": "Bot x"}


class DemoServer:
    """A world with one server, one channel and two people, and the bot that serves them."""

    bot: BotProcess

    def __init__(self, world: World, guild: Guild, table: Channel, ann: Actor, bob: Actor) -> None:
        self.world, self.guild, self.table, self.ann, self.bob = world, guild, table, ann, bob

    async def logged(self, start: str, bot: BotProcess | None = None) -> list[str]:
        """Wait for a line of the bot's output; gives all lines that start so."""

        def lines() -> list[str]:
            return [line for line in (bot or self.bot).lines if line.startswith(start)]

        return await self.world.until(lines, 15.0, f"{start!r} in the bot's output")


@asynccontextmanager
async def demo_server(*, bot: bool = True, **options: Any) -> AsyncIterator[DemoServer]:
    """A running server. At the end nothing may have been malformed, neither the bot's requests nor the
    double's own answers and events."""
    async with World(check_own=True, **options) as world:
        guild = await world.create_guild("Den", locale="fr")
        table = await world.create_channel(guild, "table")
        people = [await world.create_user("ann", guild, locale="de"), await world.create_user("bob", guild)]
        place = DemoServer(world, guild, table, *people)
        if bot:
            place.bot = await world.start_bot(BOT)
        yield place
        world.assert_clean()
        assert world.double.conformance.own_faults == []


async def send(
    session: aiohttp.ClientSession, method: str, address: str, body: str, *names: str
) -> dict[str, Any]:
    """A multipart request with files that hold their own names."""
    form = aiohttp.FormData(quote_fields=False, default_to_multipart=True)
    form.add_field("payload_json", body)
    for number, name in enumerate(names):
        form.add_field(f"files[{number}]", name.encode(), filename=name)
    async with session.request(method, address, data=form, headers=HEAD) as answer:
        found: dict[str, Any] = await answer.json()
        return found


def shown_by(result: Result) -> MessageView:
    assert result.message is not None
    return result.message


# --------------------------------------------------------------------------- what tests lean on


async def test_a_tour_of_what_people_do_and_see() -> None:
    async with demo_server() as place:
        world, table, ann, bob = place.world, place.table, place.ann, place.bob
        shown = await ann.slash(table, "board")
        assert shown.kind == "message"
        assert not shown.ephemeral
        board = shown_by(shown)
        assert board.is_v2
        assert board.text == "hits: 0"
        assert board.alt_texts == ["board 0"]
        assert [button.label for button in board.buttons] == ["Hit", "Ask", "Hand", "Ping"]
        before = shown.files["b.png"]
        both = await asyncio.gather(*(person.click(board, label="Hit") for person in (ann, bob)))
        assert {result.kind for result in both} == {"update"}
        assert ann.look(board).text == "hits: 2"
        assert ann.look(board).files["b.png"] != before

        form = (await ann.click(board, label="Ask")).modal
        assert form is not None
        with pytest.raises(CannotDo):
            await ann.submit(form, {"Word": "x" * 21, "Tint": "blue"})
        answer = await ann.submit(form, {"Word": "hallo", "Tint": "blue"})
        assert answer.ephemeral
        assert shown_by(answer).text == "word=hallo tint=blue"

        hand = await bob.click(board, label="Hand")
        assert hand.files == {"hand.txt": b"HAND:bob"}
        assert bob.sees(shown_by(hand))
        assert not ann.sees(shown_by(hand))
        with pytest.raises(CannotDo):
            await ann.select(shown_by(hand), ["two"], "tile")
        assert shown_by(await bob.select(shown_by(hand), ["two"], "tile")).content == "took 2"
        assert not world.recorder.leaks(b"HAND:bob", [bob]), dump(world.recorder.find(b"HAND:bob"))
        assert world.recorder.leaks("hits: 0", [bob])

        typed = await ann.autocomplete(table, "play start", "game", "to")
        assert [choice["value"] for choice in typed.choices or ()] == ["topspot", "top12"]
        given = await ann.slash(table, "play start", game="zatre", picture=File("a.txt", b"abc"))
        assert given.text == "zatre 3 abc"
        with pytest.raises(CannotDo):
            await ann.slash(table, "play start", game="zatre", rounds=10)

        assert (await ann.slash(table, "whisper", user=bob, text="psst")).text == "sent"
        assert [message.text for message in bob.dms()] == ["psst"]
        shy = await world.create_user("shy", place.guild, dms_open=False)
        assert (await ann.slash(table, "whisper", user=shy, text="x")).text == "403 50007"

        twice = await ann.slash(table, "twice")
        await world.until(lambda: twice.followups, what="the second answer")
        assert twice.refused[0][0] == 40060


async def test_a_public_deferral_becomes_a_private_answer() -> None:
    """The loading message can be fetched and deleted; the followup after it is of its own kind."""
    async with demo_server() as place:
        result = await place.ann.slash(place.table, "secret")
        await place.world.until(lambda: result.followups, what="the private answer")
        assert result.message is None
        assert [(one.text, one.ephemeral) for one in result.followups] == [("was True", True)]
        assert place.bob.messages(place.table) == []


async def test_a_timed_out_bot_may_answer_and_no_more() -> None:
    async with demo_server() as place:
        await place.world.time_out_bot(place.guild, 600)
        await place.logged("MEMBER True True")
        assert (await place.ann.slash(place.table, "spam", count=1)).text == "403 50013"
        assert (await place.ann.slash(place.table, "where")).kind == "message"
        await place.world.advance(601)  # nobody tells the bot that it is over
        assert (await place.ann.slash(place.table, "spam", count=1)).text == "done"
        await place.world.time_out_bot(place.guild, 600)
        await place.world.time_out_bot(place.guild, 0)
        await place.logged("MEMBER True False")
        assert (await place.ann.slash(place.table, "spam", count=1)).text == "done"


async def test_a_nonce_is_remembered_for_a_while() -> None:
    async with (
        demo_server(bot=False, nonce_seconds=60) as place,
        aiohttp.ClientSession(headers=HEAD) as session,
    ):
        url = f"{place.world.double.rest_url}/channels/{place.table.id}/messages"
        sent = []
        for seconds in (0, 59, 1):
            await place.world.advance(seconds)
            body = {"content": "x", "nonce": "purpose", "enforce_nonce": True}
            async with session.post(url, json=body) as answer:
                sent.append((await answer.json())["id"])
        assert sent[0] == sent[1] != sent[2]
        assert len(place.ann.messages(place.table)) == 2


async def test_history_is_read_from_a_message_on() -> None:
    async with demo_server(bot=False) as place, aiohttp.ClientSession(headers=HEAD) as session:
        sent = [str((await place.bob.send(place.table, f"n {number}")).id) for number in range(5)]
        url = f"{place.world.double.rest_url}/channels/{place.table.id}/messages"
        for query, expected in (
            ({"after": sent[1]}, [sent[4], sent[3], sent[2]]),  # newest first
            ({"after": sent[1], "limit": "2"}, [sent[3], sent[2]]),
            ({"before": sent[2], "limit": "1"}, [sent[1]]),
            ({"limit": "2"}, [sent[4], sent[3]]),
        ):
            async with session.get(url, params=query) as answer:
                assert [message["id"] for message in await answer.json()] == expected


async def test_bad_bodies_are_refused_and_noted() -> None:
    picture = {"type": 12, "items": [{"media": {"url": "attachment://no.png"}}]}
    async with demo_server(bot=False) as place, aiohttp.ClientSession() as session:
        url = f"{place.world.double.rest_url}/channels/{place.table.id}/messages"
        for body, code in (
            ({"content": "x" * 2001}, 50035),
            ({}, 50006),
            ({"contents": "x"}, 50035),
            ({"content": "  "}, 50006),
            ({"flags": 1 << 15, "components": [picture]}, 50035),
        ):
            async with session.post(url, json=body, headers=HEAD) as answer:
                assert (answer.status, (await answer.json())["code"]) == (400, code), body
        async with session.post(url, json={"content": "x"}) as answer:
            assert answer.status == 401
        many = await send(session, "POST", url, '{"content": "x"}', *(f"{n}.txt" for n in range(11)))
        assert many["code"] == 30015
        async with session.get(f"{place.world.double.rest_url}/no/such", headers=HEAD) as answer:
            assert answer.status == 404
        assert len(place.world.violations) == 4
        assert "unknown route" in place.world.violations[-1]
        place.world.double.conformance.violations.clear()
        place.world.double.unknown_routes.clear()


async def test_files_come_and_go_with_edits_and_old_edits_run_out() -> None:
    async with demo_server(bot=False, old_edit_limit=2) as place, aiohttp.ClientSession() as session:
        url = f"{place.world.double.rest_url}/channels/{place.table.id}/messages"
        made = await send(session, "POST", url, '{"content": "x"}', "a.txt", "b.txt")
        first, one = made["attachments"][0], f"{url}/{made['id']}"
        async with session.get(first["url"]) as answer:
            assert await answer.read() == b"a.txt"
        kept = f'{{"attachments": [{{"id": "{first["id"]}"}}, {{"id": 0}}]}}'
        edited = await send(session, "PATCH", one, kept, "c.txt")
        assert [file["filename"] for file in edited["attachments"]] == ["a.txt", "c.txt"]
        more = await send(session, "PATCH", one, '{"content": "y"}', "d.txt")
        assert [file["filename"] for file in more["attachments"]] == ["a.txt", "c.txt", "d.txt"]
        gallery = '"components": [{"type": 12, "items": [{"media": {"url": "attachment://e.png"}}]}]'
        shown = await send(session, "POST", url, f'{{"flags": 32768, {gallery}}}', "e.png")
        media = shown["components"][0]["items"][0]["media"]
        assert shown["attachments"] == [], "what a component shows is told there"
        kept = f'{{"attachments": [{{"id": "{media["attachment_id"]}"}}], {gallery}}}'
        again = await send(session, "PATCH", f"{url}/{shown['id']}", kept)
        assert again["components"][0]["items"][0]["media"]["url"] == media["url"]
        gone = await send(session, "PATCH", f"{url}/{shown['id']}", f'{{"attachments": [], {gallery}}}')
        assert gone["code"] == 50035
        none = await send(session, "PATCH", one, '{"attachments": []}')
        assert (none["attachments"], none["content"]) == ([], "y")
        await place.world.advance(3700)
        edits = [await send(session, "PATCH", one, f'{{"content": "{n}"}}') for n in range(3)]
        assert [edit.get("code") for edit in edits] == [None, None, 30046]


# --------------------------------------------------------------------------- the rest is long


@pytest.mark.long
async def test_threads_are_archived_and_woken() -> None:
    async with demo_server() as place:
        result = await place.ann.slash(place.table, "room", name="Table 1")
        number, code = result.text.split()
        thread = place.world.state.channels[int(number)]
        assert (code, thread.archived, thread.parent_id) == ("50083", True, place.table.id)
        assert [message.text for message in place.ann.messages(thread)] == ["welcome"]
        await place.world.archive(thread, False)
        assert shown_by(await place.bob.slash(thread, "where")).channel_id == thread.id
        await place.world.advance(8 * 86400)
        assert thread.archived


@pytest.mark.long
async def test_locales_permissions_and_closed_channels() -> None:
    async with demo_server() as place:
        await place.world.restrict_bot(place.table, deny=P.ATTACH_FILES)
        locale, guild_locale, limit, held = (await place.ann.slash(place.table, "where")).text.split()
        assert (locale, guild_locale, int(limit)) == ("de", "fr", 10 << 20)
        assert not int(held) & P.ATTACH_FILES
        closed = await place.world.create_channel(
            place.guild, "closed", private_to=[place.ann], bot_allowed=False
        )
        assert (await place.ann.slash(closed, "spam", count=1)).text == "403 50001"
        with pytest.raises(CannotDo):
            await place.bob.slash(closed, "where")


@pytest.mark.long
async def test_three_seconds_and_fifteen_minutes() -> None:
    async with demo_server() as place:
        late, quick = await asyncio.gather(
            place.ann.slash(place.table, "slow", seconds=3.2), place.bob.slash(place.table, "slow", seconds=0)
        )
        assert (late.kind, late.ack_ms, late.message) == ("failed", None, None)
        assert quick.kind == "message"
        await place.logged("SLOW 10062")
        aged = await place.ann.slash(place.table, "later")
        await place.world.advance(15 * 60 + 1)
        await place.bob.send(place.table, "go on")
        await place.logged("LATER 401 50027")
        assert shown_by(aged).text == "now"


@pytest.mark.long
async def test_rate_limits_are_told_and_waited_out() -> None:
    limits = {("POST", "/channels/{channel}/messages"): (3, 0.5)}
    async with demo_server(rate_limits=limits) as place:
        place.world.faults.too_many(0.3, "POST", r"^/channels/\d+/messages$", scope="global")
        began = time.perf_counter()
        assert (await place.ann.slash(place.table, "spam", count=4)).text == "done"
        assert time.perf_counter() - began >= 0.3
        assert sum(call.status == 429 for call in place.world.calls) >= 1


@pytest.mark.long
async def test_planned_faults_strike_once() -> None:
    async with demo_server() as place:
        faults = place.world.faults
        faults.error(50013, "POST", r"/messages$")
        assert (await place.ann.slash(place.table, "spam", count=1)).text == "403 50013"
        faults.http(503, "POST", r"/messages$")
        assert (await place.ann.slash(place.table, "spam", count=1)).text == "503 0"
        faults.slow(0.4, "POST", r"/callback$")
        slow = await place.ann.slash(place.table, "where")
        assert slow.ack_ms is not None
        assert slow.ack_ms > 400
        faults.drop("POST", r"/callback$", commit=True)
        lost = await place.ann.slash(place.table, "where")
        assert lost.message is not None  # carried out, only the answer was lost
        faults.drop("POST", r"/callback$")
        assert (await place.ann.slash(place.table, "where")).kind == "failed"
        assert all(fault.hits == 1 for fault in faults.planned)


@pytest.mark.long
async def test_a_resumed_session_loses_nothing() -> None:
    async with demo_server() as place:
        world = place.world
        [session] = world.gateway.ready()
        sent = []
        for number in range(20):
            sent.append(await place.ann.send(place.table, f"n {number}"))
            if number in (5, 15):
                world.gateway.drop()
            if number == 10:
                await world.until(lambda: session.resumes == 1, 15.0, "a RESUME")
        await place.logged(f"MESSAGE {sent[-1].id}")
        seen = [line.split()[1] for line in place.bot.lines if line.startswith("MESSAGE")]
        assert seen == [str(message.id) for message in sent]
        assert world.gateway.identifies == 1
        await world.gateway.ask_reconnect()
        await world.until(lambda: session.resumes == 3, 15.0, "a RESUME when asked")
        await world.gateway.invalidate()
        await world.until(
            lambda: world.gateway.identifies == 2 and world.gateway.connected(), 30.0, "a new session"
        )
        assert (await place.ann.slash(place.table, "where")).kind == "message"


@pytest.mark.long
async def test_two_shards_share_the_servers() -> None:
    async with demo_server(bot=False) as place:
        world = place.world
        far = await world.create_guild("Far")
        field = await world.create_channel(far)
        await place.ann.join(far)
        bots = [await world.start_bot(BOT, "--shard", shard, "--shards", 2) for shard in (0, 1)]
        here, there = await asyncio.gather(
            place.ann.slash(place.table, "where"), place.ann.slash(field, "where")
        )
        assert here.kind == there.kind == "message"
        private = await place.bob.send(place.bob.dm, "z")
        await place.logged(f"MESSAGE {private.id}", bots[0])
        owner = (place.guild.id >> 22) % 2
        await bots[1 - owner].kill()
        assert (await place.ann.slash(place.table, "where")).kind == "message"


@pytest.mark.long
async def test_servers_come_and_go() -> None:
    async with demo_server() as place:
        world = place.world
        second = await world.create_guild("Second")
        room = await world.create_channel(second)
        await place.ann.join(second)
        assert (await place.ann.slash(room, "where")).text.startswith("de en-US")
        await world.kick_bot(second)
        assert "GUILD_DELETE" in world.gateway.ready()[0].log[-1][1]
        await world.invite_bot(second)
        assert (await place.ann.slash(room, "spam", count=1)).text == "done"
        await world.delete_channel(room)


@pytest.mark.long
async def test_load_is_counted() -> None:
    async with demo_server(validate="later") as place:
        board = shown_by(await place.ann.slash(place.table, "board"))
        people = [await place.world.create_user(f"u{number}", place.guild) for number in range(10)]
        report = await load(
            place.world, people, lambda person, _: person.click(board, label="Hit"), seconds=1, rate=30
        )
        assert (report.clicks, report.failed, report.errors.total()) == (30, 0, 0)
        assert report.calls_per_click == 1
        assert place.ann.look(board).text == "hits: 30"
