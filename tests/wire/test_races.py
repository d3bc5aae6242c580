"""Slow calls and lost ones on the real process: a hand stays with its person while seats change hands, and no
message is left behind that the bot does not know.

`tests/races` walks through the orders by the thousand in process; here a few are seen on the wire, with real
pictures.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.rules.game import Event
from bot.rules.registry import game as rules_of
from tests.wire.wire_server import WireServer, WireTable, control, in_place, running_server

LATENCIES = [0.05, 0.25, 1.0]  # seconds that every call takes
WAITED = 60  # moves in which a position must come that leads to bob
BLOWS = 30  # in one world: 20 kills, and 10 lost answers
STRUCK = ("before", "after", "lost")


# ------------------------------------------------------------------------------------ races


def held(place: WireServer, person: Any, latency: float) -> Any:
    """The next direct message to this person takes longer than all that others do meanwhile; its fault."""
    return place.world.faults.slow(1.0 + 3 * latency, "POST", rf"/channels/{person.dm.id}/messages")


async def nobody_sees_a_hand_of_others(place: WireServer, wire_table: WireTable, people: list[Any]) -> None:
    """Everybody looks at their hand; its picture and its description never reached anybody else."""
    for person in people:
        board = wire_table.board(person)
        hand = (await person.click(board, custom_id=control(board, "hand"), stale=True)).message
        assert hand is not None
        assert hand.files
        for secret in [*hand.files.values(), *hand.alt_texts]:
            assert place.world.recorder.leaks(secret, [person]) == []
    seats = place.stored(
        "select user_id, hand_channel from seats where table_id = ? and hand_channel is not null",
        wire_table.id,
    )
    assert seats
    channels = {person.id: person.dm.id for person in place.people}
    assert [channel for user, channel in seats if channels[user] != channel] == []


async def painted(wire_table: WireTable) -> None:
    await wire_table.server.until(wire_table.painted, f"table {wire_table.id} painted")


async def lobby_race(folder: Path, latency: float) -> None:
    async with running_server(folder, people=4) as place:
        ann, bob, cem, dot = place.people
        place.world.faults.slow(latency, times=None)
        opened = await ann.slash(place.channel, "topspot new", players=4)
        lobby = opened.message
        table = lobby.buttons[0].custom_id.split(":")[1]
        wire_table = WireTable(place, table, place.channel, (bob, cem, dot))
        await painted(wire_table)
        first = held(place, bob, latency)
        for person in (bob, cem):  # bob first: host after ann
            await person.click(lobby, custom_id=control(lobby, "join"), stale=True, wait=False)
        await place.until(lambda: first.hits, "bob's first hand under way")
        await ann.click(lobby, custom_id=control(lobby, "leave"), stale=True)
        await dot.click(lobby, custom_id=control(lobby, "join"), stale=True)
        await painted(wire_table)
        now = bob.look(lobby)
        assert list(now.files) == ["topspot-cover.png"]
        edits = [
            one
            for one in place.world.double.recorder.entries
            if one.kind == "edit" and one.message_id == lobby.id
        ]
        assert not any(edit.files for edit in edits), "the cover came with the first message"
        await bob.click(now, custom_id=control(now, "start"), stale=True)
        await place.until(lambda: wire_table.board(bob) is not None, "the table message")
        await wire_table.shown()
        await nobody_sees_a_hand_of_others(place, wire_table, [bob, cem, dot])


async def seat_race(folder: Path, latency: float) -> None:
    async with running_server(folder, people=5) as place:
        ann, bob, cem, dot, eve = place.people
        page = (await bob.slash(place.channel, "profile")).message
        [choice] = [
            (menu, entry.value) for menu in page.selects for entry in menu.options if entry.value == "dm"
        ]
        await bob.select(page, [choice[1]], choice[0].custom_id)
        order = [ann, bob, cem, dot]
        wire_table = await place.open("topspot", *order)
        await wire_table.shown()

        def state() -> Any:
            [(stored,)] = place.stored("select state from tables where id = ?", wire_table.id)
            return rules_of("topspot").load(json.loads(stored))

        async def typed() -> None:
            [seat] = state().actors()
            move = state().stand_in(seat)
            place_of = wire_table.places()[-1]
            page = (await order[seat].slash(place_of, "topspot move", move=move, table=wire_table.id)).message
            await order[seat].click(page, custom_id=control(page, "play"), stale=True)

        def leads_to_bob() -> bool:
            after = state()
            [seat] = after.actors()
            after.apply(Event("move", after.stand_in(seat), seat))
            return seat != 1 and after.actors() == (1,)

        for _ in range(WAITED):
            if wire_table.status() != "playing":
                wire_table = await place.open("topspot", *order)
            elif leads_to_bob():
                break
            else:
                await typed()
            await wire_table.shown()
        else:
            raise AssertionError(f"no position led to bob in {WAITED} moves")
        await place.restart()  # nobody has a living panel: bob's notice is not held back
        place.world.faults.slow(latency, times=None)
        notice = held(place, bob, latency)
        await typed()
        await place.until(lambda: notice.hits, "bob's notice under way")
        where = wire_table.places()[-1]
        sure = (await bob.slash(where, "table resign", table=wire_table.id)).message
        await bob.click(sure, custom_id=control(sure, "resign"), stale=True)
        await ann.slash(where, "table vote", question="open_seat", seat=2, table=wire_table.id)
        await eve.slash(where, "table seat", number=2, table=wire_table.id)
        await wire_table.shown()
        await nobody_sees_a_hand_of_others(place, wire_table, [ann, cem, dot, eve])
        assert [message for message in bob.dms() if message.files or message.buttons or message.selects] == []


@pytest.mark.long
@pytest.mark.parametrize("race", [lobby_race, seat_race])
@pytest.mark.parametrize("latency", LATENCIES)
async def test_a_hand_stays_with_its_person(tmp_path: Path, race: Any, latency: float) -> None:
    await race(tmp_path / "data", latency)


# ------------------------------------------------------------------------------------ blows


class Blow:
    """One of the bot's next calls that post, edit or delete goes wrong: the process dies before it is carried
    out, or after, or its answer is lost."""

    def __init__(self, place: WireServer, chance: Random, kind: str) -> None:
        self.place, self.kind = place, kind
        self.left = chance.randint(1, 15)
        self.dead = asyncio.Event()  # it has struck
        faults = place.world.faults
        if kind == "lost":
            self.fault = faults.drop(commit=True, when=self.strikes)
        else:
            self.fault = faults.slow(0.0, times=None, when=self.watch)

    def strikes(self, call: Any) -> bool:
        if call.method == "GET" or not any(part in call.path for part in ("/messages", "/callback")):
            return False
        self.left -= 1
        if self.left == 0:
            self.dead.set()
        return self.left == 0

    def watch(self, call: Any) -> bool:
        if self.strikes(call):
            if self.kind == "before":
                self.place.bot.process.kill()
            else:
                asyncio.get_running_loop().create_task(self.kill_after(call))
        return False

    async def kill_after(self, call: Any) -> None:
        await self.place.until(lambda: call.finished, "the end of the call")
        self.place.bot.process.kill()

    async def over(self) -> None:
        """The bot runs again, if it died."""
        self.place.world.faults.planned.remove(self.fault)
        if self.kind != "lost":
            await self.place.bot.process.wait()
            await self.place.kill_bot()
            await self.place.start_bot()


async def all_in_place(wire_table: WireTable, struck: int) -> None:
    await wire_table.server.until(
        lambda: in_place(wire_table) == [], f"everything in place after blow {struck}"
    )


async def blow_upon_blow(folder: Path, seed: int, blows: int) -> None:
    async with running_server(folder, people=4, seed=seed, answer_timeout=3.2) as place:
        *players, chatter = place.people
        chance = Random(seed)
        games = ["topominos", "5vor12", "topspot"]
        chance.shuffle(games)
        wire_table = await place.open(games[0], *players)
        struck = 0
        while struck < blows:
            await wire_table.shown()
            blow = Blow(place, chance, STRUCK[struck % len(STRUCK)])
            known = await wire_table.play_until(blow.dead, chatter)
            if not blow.dead.is_set():  # the game ended first
                wire_table = await place.open(chance.choice(games), *players)
                await asyncio.wait_for(blow.dead.wait(), 30)
            await blow.over()
            struck += 1
            assert wire_table.moves()[: len(known)] == known or wire_table.status() != "playing"
            await wire_table.shown()
            if wire_table.status() == "playing":  # the table's next change
                before = wire_table.revision()
                for person in players:
                    if wire_table.revision() == before:
                        await wire_table.play(person)
                await wire_table.shown()
            await all_in_place(wire_table, struck)
            if wire_table.status() != "playing":
                wire_table = await place.open(chance.choice(games), *players)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_nothing_is_left_behind_whatever_call_is_struck(tmp_path: Path, seed: int) -> None:
    await blow_upon_blow(tmp_path / "data", seed, BLOWS)
