"""The backup that was made while people played is put back, into a database of the other kind, and they play
on: from buttons under messages that stood there before it was made, as the bot left them when it was stopped.

Where those messages show what came after the backup, the bot knows less than they do; it has to take their
buttons all the same.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from bot.bench import DATABASES
from bot.bench.clicks.session import Turn
from bot.bench.databases import fresh_database, server
from bot.storage import schema
from bot.storage.snapshot import Moment, at_one_moment

from .crowd import Crowd
from .tally import Tally, to_act, with_gaps

SECONDS = 20.0  # that people begin turns for
FOREVER = sys.maxsize

Chains = Mapping[str, tuple[int, bytes]]
"""Of each table's changes how many there are, and a chain of hashes over them."""
Button = tuple[Any, Any]
"""A table, and a message of it as somebody has it on the screen."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A command of the bot's: seconds it took, with which code it ended, and what it said where that is
    not 0."""

    seconds: float
    code: int
    said: str


@dataclass(slots=True)
class Restored(Tally):
    """kind: of the database. ran: the command. buttons: old ones that could be pressed, pressed: those that
    were, by somebody whose turn it was, led_on: those of them that led to a choice. tables: how many the
    backup has, whole: those that have in the end what they had in it, unchanged and without a gap."""

    kind: str = ""
    ran: Ran = Ran(0.0, 0, "")
    buttons: int = 0
    pressed: int = 0
    led_on: int = 0
    tables: int = 0
    whole: int = 0


async def command(wires: Any, data: Path, *words: str) -> Ran:
    """A command beside the bot, as a host gives it. data: the bot's folder."""
    env = {**os.environ, **wires.env, "DATA_DIR": str(data)}
    begun = time.monotonic()
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", *words, env=env, cwd=data,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said, _ = await child.communicate()
    code = child.returncode or 0
    return Ran(time.monotonic() - begun, code, said.decode("utf-8", "replace") if code else "")


def other_kind(kind: str) -> str:
    return next(one for one in DATABASES if one != kind)


async def play_on(
    crowd: Crowd, file: Path, folder: Path, kind: str, before: frozenset[int], hands: int, think: float
) -> Restored:
    """Nobody's bot may run. before: messages that stood there before the backup was made. hands: people who
    play at a time, think: seconds between two taps of one of them, on average."""
    restored = Restored(kind=kind)
    wire_server = import_module("tests.wire.wire_server")
    stopped = crowd.server
    place, data = folder / "restored", folder / "restored-bot"  # the bot's own is closed to the server
    for one in (place, data):
        one.mkdir()
    with server(kind, place) as where:
        address = await fresh_database(kind, where, "restored")
        env = {"PYTHONPATH": stopped.env["PYTHONPATH"]}
        wires = wire_server.WireServer(crowd.world, data, 1, env, database=address)
        wires.patience = stopped.patience
        try:
            restored.ran = await command(wires, data, "restore", str(file))
            if restored.ran.code == 0:
                old = _old_buttons(crowd, before)
                crowd.server = wires
                await wires.start_bot()
                await _press(wires, crowd, old, restored, hands, think)
                await restored.stop(wires.bots, wires.patience)
                restored.read(wires)
                await _compare(wires, file, data, restored)
        finally:
            crowd.server = stopped
            wires.close()
    return restored


def _old_buttons(crowd: Crowd, before: frozenset[int]) -> list[Button]:
    """As they are now, with nobody there who would change them."""
    tables = map(crowd.at, crowd.come_to)
    boards = [(table.id, table.board(table.people[0])) for table in tables]
    return [(table, board) for table, board in boards if board is not None and board.id in before]


async def _press(
    wires: Any, crowd: Crowd, old: Sequence[Button], restored: Restored, hands: int, think: float
) -> None:
    left = list(old)
    Random("bench restored").shuffle(left)
    restored.buttons = len(left)
    restored.begin()
    until = time.monotonic() + SECONDS

    async def hand(random: Random) -> None:
        while left and time.monotonic() < until:
            name, board = left.pop()
            table = crowd.at(name)
            person = to_act(wires, table)
            if person is None or board.id not in crowd.state.messages:  # sent afresh meanwhile
                continue
            turn = Turn(table, person, board)
            restored.pressed += 1

            async def tapped(result: Any, turn: Turn = turn) -> None:
                restored.led_on += turn.taps == 1 and turn.left
                await asyncio.sleep(random.expovariate(1 / think))

            with restored.noting(table):
                await restored.play(turn, until + wires.patience, tapped)

    async with asyncio.TaskGroup() as group:
        for number in range(hands):
            group.create_task(hand(Random(f"restored {number}")))


async def _compare(wires: Any, file: Path, scratch: Path, restored: Restored) -> None:
    """What the tables have in the end, and what they had in the backup."""
    with zipfile.ZipFile(file) as archive, archive.open(f"{schema.events.name}.jsonl") as lines:
        wanted = _chains(lines, {})
    most = {table: count for table, (count, _) in wanted.items()}
    found = await at_one_moment(wires.database, scratch, partial(_chains_of, most))
    gaps = with_gaps(wires)
    restored.tables = len(wanted)
    restored.whole = sum(found.get(table) == chain and table not in gaps for table, chain in wanted.items())


def _chains_of(most: Mapping[str, int], moment: Moment) -> Chains:
    events = next(one for one in moment.tables if one.name == schema.events.name)
    return _chains(moment.lines(events), most)


def _chains(lines: Iterable[bytes], most: Mapping[str, int]) -> Chains:
    """Of events, in the order of their tables' changes. most: of a table's changes that are looked at."""
    found: dict[str, tuple[int, bytes]] = {}
    for line in lines:
        table = json.loads(line)["table_id"]
        count, link = found.get(table, (0, b""))
        if count < most.get(table, FOREVER):
            found[table] = count + 1, sha256(link + line).digest()
    return found
