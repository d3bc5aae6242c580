"""Two processes of the bot, a shard each, on one PostgreSQL.

People play at tables of both, in the channels and by their direct messages, which all arrive at shard 0,
while one process is killed and started again, or hands its shard over to a new one. What was acknowledged is
stored once, what is due is done once, and nobody sees what is not theirs.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.locale import sayer
from bot.rules.registry import GAMES
from bot.tables.model import Loaded
from bot.tables.positions import replay
from cogs.custom_ids import parse
from rendering.scene import Scene
from tests.discord import components as parts
from tests.discord.driver import CannotDo
from tests.postgresql import fresh_database
from tests.sketches import sketched
from tests.wire.wire_server import (
    Killer,
    WireServer,
    WireTable,
    in_place,
    kept_twice,
    pings,
    rig_beside,
    running_server,
    together,
)

PROCESSES, TABLES, KILLS = 2, 100, 20
UPDATED = 50  # moves before each process is replaced, and after it
HANDS = 6  # people who play at the same time
OPENING = 3  # tables opened at the same time
CLOCK = 30  # seconds, the shortest there is
LATE = timedelta(seconds=90)  # that a deadline may wait for some process to see to it
MOST_CALLS = 120  # to Discord between two kills
ANSWER = 6.0  # seconds that people wait for one: of a process that is gone there is none
MESSAGES, SILENT = "/channels/{channel}/messages", 1 << 12
MOVES = 5  # acknowledged once a process is back
PATIENCE = 120.0  # seconds for anything, on a busy machine
DOUBLE, RACE = 0.15, 0.1  # of moves: the last tap twice at once; pages of the same hand in two places


@dataclass(frozen=True)
class Kind:
    """Of table: what it is opened with, and whether people play there or leave it to the clock."""

    game: str
    people: int
    computers: int = 0
    direct: bool = False
    left_alone: bool = False
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def command(self) -> str:
        return {"fivetotwelve": "5vor12"}.get(self.game, self.game)


TIMED = {"clock": CLOCK, "timeout": "stand_in"}
VOTED = {"clock": CLOCK, "timeout": "vote"}
KINDS = (
    Kind("topominos", 2),
    Kind("fivetotwelve", 2),
    Kind("topspot", 3),
    Kind("fivetotwelve", 1, computers=1),
    Kind("topominos", 2, left_alone=True, options=TIMED),
    Kind("zatre", 2),
    Kind("topspot", 3, direct=True),
    Kind("topominos", 1, computers=2),
    Kind("fivetotwelve", 2, left_alone=True, options=VOTED),
    Kind("top12", 2),
)


# --------------------------------------------------------------------------- people


@dataclass(frozen=True)
class Acknowledged:
    """A move that somebody was told is played. tap: the control, as it is stored with the move."""

    table: str
    user: int
    tap: str


class Crowd:
    """People, each in servers of both shards, and the tables they are at."""

    def __init__(self, place: WireServer, seed: int) -> None:
        self.place = place
        self.chance = Random(seed)
        self.guilds = [place.guild]
        self.tables: list[tuple[Kind, WireTable]] = []
        self.acknowledged: set[Acknowledged] = set()
        self._at_it: set[tuple[str, int]] = set()

    async def sit_down(self, tables: int) -> None:
        """So many tables, in turn of each kind and in servers of both shards."""
        world = self.place.world
        self.guilds.append(await world.create_guild("Hall"))
        for person in range(max(6, tables // 2)):
            self.place.people.append(await world.create_user(f"person{person}", *self.guilds))
        gate = asyncio.Semaphore(OPENING)

        async def open_one(number: int) -> None:
            kind = KINDS[number % len(KINDS)]
            guild = self.guilds[(number + number // len(KINDS)) % PROCESSES]
            people = self.chance.sample(self.place.people, kind.people)
            async with gate:
                self.tables.append((kind, await self._open(kind, number, guild, people)))

        await together(*(open_one(number) for number in range(tables)))

    async def _open(self, kind: Kind, number: int, guild: Any, people: list[Any]) -> WireTable:
        if kind.direct:
            return await self.place.open_direct(kind.command, *people)
        channel = await self.place.world.create_channel(guild, f"games-{number}")
        return await self.place.open(
            kind.command, *people, computers=kind.computers, channel=channel, **kind.options
        )

    async def play(self, over: asyncio.Event) -> None:
        """Many play at the same time until it is over."""

        async def hand() -> None:
            while not over.is_set():
                seen = len(self.place.world.calls)
                waiting = self._waiting()
                if not waiting or not await self._move(*self.chance.choice(waiting)):
                    await self.place.until(
                        lambda seen=seen: over.is_set() or len(self.place.world.calls) > seen,
                        "anything new",
                    )

        await together(*(hand() for _ in range(HANDS)))

    def _waiting(self) -> list[tuple[WireTable, int]]:
        """Who is to act where people play, and has not begun to."""
        played = {table.id: table for kind, table in self.tables if not kind.left_alone}
        rows = self.place.stored(
            "select tables.id, seats.user_id from seats join tables on tables.id = seats.table_id"
            " where status = 'playing' and since > 0 and kind = 'human' order by tables.id, seat"
        )
        return [
            (played[table], user)
            for table, user in rows
            if table in played and (table, user) not in self._at_it
        ]

    async def until_moves(self, moves: int) -> None:
        """So many more have been acknowledged."""
        wanted = len(self.acknowledged) + moves
        await self.place.until(lambda: len(self.acknowledged) >= wanted, f"{moves} more moves")

    async def _move(self, table: WireTable, user: int) -> bool:
        """Somebody who is to act there does; whether they came to a move."""
        self._at_it.add((table.id, user))
        try:
            return await self._act(table, user)
        except CannotDo:  # the message has gone, and another come in its place
            return False
        finally:
            self._at_it.discard((table.id, user))

    async def _act(self, table: WireTable, user: int) -> bool:
        person = next(person for person in self.place.people if person.id == user)
        by_hand, by_board = table.hand(person), table.board(person)
        pages = [page for page in (by_hand, by_board) if page is not None]
        if not pages:
            return False
        if len(pages) > 1 and self.chance.random() < RACE:
            last = await together(*(table.to_the_last_tap(person, page) for page in pages))
            answers = await together(*(table.tap(person, *one) for one in last if one is not None))
            return any(answer.acked for answer in answers)
        ready = await table.to_the_last_tap(person, self.chance.choice(pages))
        if ready is None:
            return False
        page, chosen = ready
        times = 2 if self.chance.random() < DOUBLE else 1
        answers = await together(*(table.tap(person, page, chosen) for _ in range(times)))
        if any(answer.answer_ms is not None for answer in answers):
            control = parse(chosen[1])
            assert control is not None
            tap = f"{control.revision}:{control.verb}:{control.argument}"
            [played] = self._taps(table.id, user, control.revision)
            if played == tap:  # else one before it, that was not answered in time
                self.acknowledged.add(Acknowledged(table.id, user, tap))
        return True

    def stored(self, told: Acknowledged) -> int:
        """How often that move is stored."""
        return self._taps(told.table, told.user, int(told.tap.partition(":")[0])).count(told.tap)

    def _taps(self, table: str, user: int, since: int) -> list[str]:
        """Those by which this person's choice was closed that had opened at that revision."""
        rows = self.place.stored(
            "select payload from events where table_id = ? and user_id = ? and kind = 'move'", table, user
        )
        taps = [str(json.loads(payload)["data"].get("tap")) for (payload,) in rows]
        return [tap for tap in taps if tap.startswith(f"{since}:")]


# --------------------------------------------------------------------------- what must hold


async def all_done(crowd: Crowd) -> None:
    """Everything is painted, told and played that is to be; no message is left over."""
    place = crowd.place

    def computers_done() -> bool:
        return place.stored("select 1 from tables where machine and status = 'playing'") == []

    await place.until(computers_done, "no computer player with a turn")
    for kind, table in crowd.tables:
        await table.shown()
        if not kind.direct:
            with suppress(TimeoutError):
                await place.until(lambda table=table: in_place(table) == [], "all in place")
            assert in_place(table) == []


def each_once(crowd: Crowd) -> None:
    """Moves that were acknowledged, deadlines and computer players' turns: all stored, each once."""
    place = crowd.place
    assert [told for told in crowd.acknowledged if crowd.stored(told) != 1] == []
    for kind, table in crowd.tables:
        if kind.left_alone:
            deadlines_once(place, table)
    kinds = Counter(kind for (kind,) in place.stored("select kind from events"))
    assert kinds["timeout"] > 0
    assert kinds["overdue"] > 0
    [(by_computers,)] = place.stored("select count(*) from events where kind = 'move' and user_id is null")
    assert by_computers > 0


def deadlines_once(place: WireServer, table: WireTable) -> None:
    """At a table that nobody plays at, the clock does one thing after another: each when its time had come,
    none early or twice, and none late beyond what a process's death costs. (Where it may only be voted on,
    that is told once.)"""
    rows = place.stored("select kind, at, seat from events where table_id = ? order by revision", table.id)
    [begun] = [number for number, (what, _, _) in enumerate(rows) if what == "start"]
    opened, seats = rows[begun][1], []
    for what, at, seat in rows[begun + 1 :]:
        if what in {"timeout", "overdue"}:
            after = timedelta(microseconds=at - opened)
            assert timedelta(0) <= after - timedelta(seconds=CLOCK) <= LATE, f"{what} at {table.id}: {rows}"
        if what == "overdue":
            seats.append(seat)
        else:
            opened = at
    assert len(seats) == len(set(seats)), rows


async def nothing_doubled(crowd: Crowd) -> None:
    """Nobody is told the same of the same moment twice, with a sound; of each person and table one hand is
    left, and of each person one letter at most. (A hand sent afresh is the notice, and the one before goes
    after it: for that moment there are two.)"""
    place = crowd.place
    told: dict[tuple[str, str], set[str]] = defaultdict(set)
    for call in place.world.calls:
        if call.method != "POST" or call.template != MESSAGES or call.status != 200:
            continue
        text = _without_addresses(call.body["components"])
        if "custom_id" in text and not call.body["flags"] & SILENT:
            told[call.path, text].add(str(call.body["nonce"]))  # of one nonce there is one message
    twice = [(path, text) for (path, text), nonces in told.items() if len(nonces) > 1]
    assert not twice, "\n\n".join(f"{path} {text[:2000]}" for path, text in twice)
    with suppress(TimeoutError):
        await place.until(lambda: kept_twice(place) == [], "one hand of each table, and one letter")
    assert kept_twice(place) == []


def _without_addresses(components: Any) -> str:
    """Two pictures of the same have different addresses."""
    return re.sub(r'"(url|proxy_url|id|attachment_id)": "[^"]*"', "", json.dumps(components))


async def hands_stay_with_their_people(crowd: Crowd) -> None:
    """Every picture of a hand that was ever sent went to one person, and shows what that person held at that
    table at some time."""
    held = await _held(crowd)
    seen = 0
    for entry in crowd.place.world.recorder.entries:
        if entry.kind not in {"message", "edit"} or "-hand.png" not in entry.text:
            continue
        content = json.loads(entry.text)
        tables = set(re.findall(r"p[bsm]:([0-9A-Z]{6}):", entry.text))
        assert len(tables) == 1, entry.text
        [table] = tables
        for holder, key in parts.media_holders(content["components"]):
            game, hand, _ = holder[key]["url"].rpartition("/")[2].partition("-hand.png")
            if not hand or game not in SENTENCES:
                continue
            assert entry.audience is not None
            assert len(entry.audience) == 1, entry
            [user] = entry.audience
            words = str(holder.get("description") or "")
            assert any(words.startswith(hand) for hand in held[table, user]), (table, user, words)
            seen += 1
    assert seen > 0


SENTENCES = {"topominos": 1, "topspot": 2, "zatre": 1}  # of a hand's description, that tell what is held


async def _held(crowd: Crowd) -> dict[tuple[str, int], set[str]]:
    """By table and user: how the descriptions of what they have held begin."""
    found: dict[tuple[str, int], set[str]] = defaultdict(set)
    async with rig_beside(crowd.place) as rig:
        with sketched():
            for kind, table in crowd.tables:
                if kind.game in SENTENCES:
                    loaded = await rig.tables.load(table.id)
                    for user, told in _told_of_hands(loaded):
                        found[table.id, user].add(". ".join(told.split(". ")[: SENTENCES[kind.game]]))
    return found


def _told_of_hands(loaded: Loaded) -> Iterator[tuple[int, str]]:
    """Every user's hand in every position that the table has been in, as pictures describe it."""
    draw = import_module(GAMES[loaded.table.game].pictures).hand_pictures
    scene = Scene(tuple(seat.name for seat in loaded.table.seats), sayer("en"))
    state = replay(loaded.table, ())
    for event in loaded.events:
        state.apply(event)
        for seat in loaded.table.humans:
            assert seat.user is not None
            [picture] = draw(state.view(seat.index), scene)
            yield seat.user, picture.alt


# --------------------------------------------------------------------------- tests


@asynccontextmanager
async def shared(folder: Path, server: str, people: int = 0, seed: int = 1) -> AsyncIterator[WireServer]:
    """A server of both processes."""
    name = "t" + blake2b(str(folder).encode(), digest_size=8).hexdigest()
    database = await fresh_database(server, name)
    async with running_server(
        folder,
        people=people,
        seed=seed,
        database=database,
        processes=PROCESSES,
        ack_seconds=PATIENCE,
        answer_timeout=PATIENCE,
    ) as place:
        place.patience = PATIENCE
        yield place


@asynccontextmanager
async def seated(folder: Path, server: str, tables: int, seed: int) -> AsyncIterator[Crowd]:
    """A crowd at so many tables. What must hold of what they did is held at the end."""
    async with shared(folder, server, seed=seed) as place:
        crowd = Crowd(place, seed)
        await crowd.sit_down(tables)
        place.world.answer_timeout = place.world.double.ack_seconds = ANSWER
        yield crowd
        await all_done(crowd)
        each_once(crowd)
        await nothing_doubled(crowd)
        await hands_stay_with_their_people(crowd)


async def kill_again_and_again(crowd: Crowd, kills: int) -> None:
    place = crowd.place
    for _ in range(kills):
        process = crowd.chance.randrange(PROCESSES)
        killer = Killer(place, crowd.chance, process=process, most=MOST_CALLS)
        back = asyncio.Event()

        async def replaced(killer: Killer = killer, back: asyncio.Event = back) -> None:
            """The others go on while it is away."""
            await asyncio.wait_for(killer.dead.wait(), PATIENCE)
            killer.stop()
            await place.restart(killer.process)
            await crowd.until_moves(MOVES)
            back.set()

        await together(crowd.play(back), replaced())


async def hand_over(place: WireServer, process: int) -> None:
    """A new process takes its shard over, and it is gone."""
    old = place.bots[process]
    await place.start_bot(process=process, env={"PARLOUR_TAKE_OVER": "true"})
    assert await asyncio.wait_for(old.process.wait(), 30) == 0


async def update(crowd: Crowd, moves: int) -> None:
    """Each process hands its shard over to a new one while people play: so many moves before and after."""
    place = crowd.place
    for process in range(PROCESSES):
        over = asyncio.Event()

        async def replaced(process: int = process, over: asyncio.Event = over) -> None:
            await crowd.until_moves(moves)
            await hand_over(place, process)
            await crowd.until_moves(moves)
            over.set()

        await together(crowd.play(over), replaced())


@pytest.mark.long
async def test_nothing_is_lost_or_done_twice_whichever_process_dies(tmp_path: Path, postgresql: str) -> None:
    async with seated(tmp_path / "data", postgresql, TABLES, seed=1) as crowd:
        await kill_again_and_again(crowd, KILLS)


@pytest.mark.long
async def test_nothing_is_lost_or_done_twice_in_a_rolling_update(tmp_path: Path, postgresql: str) -> None:
    async with seated(tmp_path / "data", postgresql, TABLES, seed=2) as crowd:
        await update(crowd, UPDATED)


@pytest.mark.long
async def test_who_is_at_the_table_is_so_for_the_process_that_takes_over(
    tmp_path: Path, postgresql: str
) -> None:
    """Alone with computer players, whose move was the last: the notice is held back by the process that
    stops, and by the next one, for as long as it would have been. Nobody is to wait for it in vain."""
    async with shared(tmp_path / "data", postgresql, people=1) as place:
        [person] = place.people
        table = await place.open("topominos", person, computers=2)
        due = "select held from seats where table_id = ? and user_id = ? and since > 0 and due > notified"
        last = "select user_id from events where table_id = ? order by revision desc limit 1"

        def is_due() -> bool:
            return table.painted() and place.stored(due, table.id, person.id) != []

        answered = False
        while not answered:
            await place.until(is_due, "their turn")
            ready = await table.to_the_last_tap(person, table.board(person))
            assert ready is not None
            assert (await table.tap(person, *ready)).acked
            await place.until(is_due, "their next turn")
            answered = place.stored(last, table.id) == [(None,)]
        pinged = pings(place)
        assert table.at_the_table() == {person.id}
        for process in range(PROCESSES):
            await hand_over(place, process)
        [(held,)] = place.stored(due, table.id, person.id)
        assert held is not None
        assert table.at_the_table() == {person.id}
        await table.shown()
        assert pings(place) == pinged


@pytest.mark.long
@pytest.mark.parametrize("when", ["at once", "when it had given up for now"])
async def test_a_copy_of_a_process_that_died_is_not_sent_again_by_the_other(
    tmp_path: Path, postgresql: str, when: str
) -> None:
    """It had sent the copy in direct messages that is the notice, and not stored where it is. The other takes
    the table over and finds the one that is there, also where the first meant to leave it alone for long."""
    async with shared(tmp_path / "data", postgresql, people=2) as place:
        table = await place.open_direct("topominos", *place.people)
        owed = await table.owed_when_back()
        await place.kill_bot()
        calls, before, sent = len(place.world.calls), table.hand(owed), f"/channels/{owed.dm.id}/messages"
        place.world.faults.drop("POST", f"{sent}$", commit=True, times=None)
        await place.start_bot()
        await place.until(lambda: kept_twice(place), "both")
        if when != "at once":
            await place.until(
                lambda: place.stored("select * from posts where again > made + 60000000"), "put off"
            )
        await place.kill_bot()
        place.world.faults.clear()
        assert table.hand(owed).id == before.id
        there = [message.id for message in owed.dms() if not message.ephemeral]
        await place.until(lambda: place.stored("select * from posts") == [], "the other process")
        assert kept_twice(place) == []
        assert table.hand(owed).id in there
        await place.start_bot()
        await table.shown()
        assert kept_twice(place) == []
        new = [call for call in list(place.world.calls)[calls:] if (call.method, call.path) == ("POST", sent)]
        assert len({call.body["nonce"] for call in new}) == 1
