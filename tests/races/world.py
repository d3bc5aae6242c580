"""People, tables and the real bot on the tiny Discord; what all have seen; in which order things happen.

Pictures are names here: a hand's bytes say whose they are. Whatever reaches somebody is looked at as it does.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import logging
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import discord
import discord.ext.tasks
import discord.utils
from discord.webhook.async_ import AsyncWebhookAdapter

import bot.client
from bot.client import Parlour, create_bot
from bot.locale import sayer, text
from bot.rules.game import State
from bot.rules.registry import game as rules_of
from bot.settings import DATABASE, Settings
from bot.storage import SqlStore, open_store
from bot.tables.model import SeatKind, Status, Table
from cogs import custom_ids
from cogs.delivery import private_pages
from cogs.delivery.pictures import Pictures
from cogs.surfaces import wording
from cogs.surfaces.components import Page, Text
from rendering.scene import Picture

from .chat import APP, COMMAND, COMPONENT, GUILD, Call, Chat, Message
from .virtual import LoopClock, Stuck, VirtualLoop, run

SLASH = {
    "topspot": "topspot",
    "topominos": "topominos",
    "zatre": "zatre",
    "top12": "top12",
    "fivetotwelve": "5vor12",
}
NAMES = ("ann", "bob", "cem", "dot", "eve", "fay")
PUBLIC = 0  # who sees what is on the server: everybody
OFFERED = {"rematch", "record", "history", "moments"}  # what an ended table still offers
PLAYED = text("en", "table.played")
REST = 45.0  # seconds in which all that is still owed must have come
Played = tuple[int | None, str]  # by which seat, and the move
HAND = re.compile(r"⟦hand (\w{6}) (\d+)⟧")


# ------------------------------------------------------------------------------------ pictures are names


@contextmanager
def named_pictures() -> Iterator[None]:
    """A hand says whose it is, in its bytes, its alt text and the words of its page."""
    real = Pictures.of_table, Pictures.of_hand, private_pages.hand_page  # type: ignore[attr-defined]

    async def table_pictures(
        pictures: Pictures, table: Table, view: Any, say: Any, *, theme: str
    ) -> tuple[Picture, ...]:
        assert view.seat is None or table.status is Status.ENDED
        return (Picture("board.png", f"board {table.id} {_digest(view)}".encode(), "board"),)

    async def hand_pictures(
        pictures: Pictures, table: Table, view: Any, say: Any, **more: Any
    ) -> tuple[Picture, ...]:
        name = f"⟦hand {table.id} {table.seats[view.seat].user}⟧"
        return (Picture("hand.png", f"{name} {_digest(view)} {sorted(more.items())}".encode(), name),)

    def hand_page(seen: Any, *args: Any, **more: Any) -> Page:
        sheet: Page = real[2](seen, *args, **more)
        if seen.seat is None:
            return sheet
        return replace(sheet, blocks=(*sheet.blocks, Text(f"⟦hand {seen.table.id} {seen.seat.user}⟧")))

    Pictures.of_table, Pictures.of_hand = table_pictures, hand_pictures  # type: ignore[method-assign, assignment]
    private_pages.hand_page = hand_page  # type: ignore[attr-defined]
    try:
        yield
    finally:
        Pictures.of_table, Pictures.of_hand = real[:2]  # type: ignore[method-assign]
        private_pages.hand_page = real[2]  # type: ignore[attr-defined]


@contextmanager
def known_pictures(world_of: Callable[[], World | None]) -> Iterator[None]:
    """Pictures as they are; of each hand the world remembers whose view it was drawn from."""
    real = Pictures.of_hand

    async def hand_pictures(
        pictures: Pictures, table: Table, view: Any, say: Any, **more: Any
    ) -> tuple[Picture, ...]:
        drawn = await real(pictures, table, view, say, **more)
        world = world_of()
        assert world is not None
        for picture in drawn:
            world.whose.setdefault(picture.png, set()).add(table.seats[view.seat].user or 0)
        return drawn

    Pictures.of_hand = hand_pictures  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        Pictures.of_hand = real  # type: ignore[method-assign]


def _digest(view: Any) -> str:
    return hashlib.sha256(repr(view).encode()).hexdigest()[:12]


# ------------------------------------------------------------------------------------ orders


class Order:
    """Which of the things that may happen next does. lingers: how readily calls stay under way. hurries: how
    readily people act while calls are under way. waits: how readily time passes meanwhile. slow: where calls
    take much longer than elsewhere."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.chance = Random(seed)
        self.lingers = self.chance.choice((0.0, 0.2, 0.5, 1.0))
        self.hurries = self.chance.choice((0.3, 1.0, 4.0))
        self.waits = self.chance.choice((0.0, 0.02, 0.2))
        self.slow = self.chance.choice(("", "answer", "games", "thread", *(f"dm:{name}" for name in NAMES)))
        self.log: list[str] = []

    def speed(self, call: Call) -> float:
        return 0.03 if self.slow and self.slow in call.where else 1.0

    def pick(self, options: list[tuple[float, str, Callable[[], None]]]) -> None:
        _, name, happen = self.chance.choices(options, [weight for weight, _, _ in options])[0]
        self.log.append(name)
        happen()

    def yields(self) -> int:
        """Turns of the loop that the store takes its time."""
        return self.chance.choice((0, 0, 1, 3))


class Latency(Order):
    """Every call takes its time, up to `most` seconds, and takes effect somewhere on the way. People act now
    and then."""

    def __init__(self, seed: int, most: float = 1.0) -> None:
        super().__init__(seed)
        self.most = most
        self.hurries, self.waits = 0.04, 1.0

    def way(self) -> tuple[float, float]:
        """Seconds until a call's effect and until its answer."""
        whole = self.chance.uniform(0.0, self.most)
        return self.chance.uniform(0.0, whole), whole


class Prompt(Order):
    """One thing after another: each call is answered before anything else happens."""

    def __init__(self) -> None:
        super().__init__(0)
        self.waits = 0.0

    def pick(self, options: list[tuple[float, str, Callable[[], None]]]) -> None:
        _, name, happen = options[0]
        self.log.append(name)
        happen()

    def yields(self) -> int:
        return 0


# ------------------------------------------------------------------------------------ lives


class Wrong(Exception):
    """The world's faults say what is wrong."""


class Dead(asyncio.CancelledError):
    """What a killed process still tries."""


class Life:
    """One process of the bot. A dead one reaches neither the store nor Discord."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.alive = True
        self.bot: Parlour
        self.store: SqlStore


class Fence:
    """A process' way to the store: open while it lives, each call in its own time."""

    def __init__(self, world: World, life: Life) -> None:
        self._world, self._life = world, life

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._life.store, name)
        if not inspect.iscoroutinefunction(found):
            return found

        async def fenced(*args: Any, **more: Any) -> Any:
            for _ in range(self._world.order.yields()):
                await asyncio.sleep(0)
            if not self._life.alive:
                raise Dead
            result = await found(*args, **more)
            if name == "write":
                for one in args:
                    self._world.stored(one.table, one.cache)
            return result

        return fenced

    async def close(self) -> None:
        """By who ends the life."""


class Entropy:
    def __init__(self, seed: str) -> None:
        self.seed, self.count = seed, 0

    def __call__(self) -> str:
        self.count += 1
        return hashlib.sha256(f"{self.seed} {self.count}".encode()).hexdigest()


class Errors(logging.Handler):
    """What the bot logs as an error is one, unless it is being killed."""

    def __init__(self, world: World) -> None:
        super().__init__(logging.ERROR)
        self.world = world

    def emit(self, record: logging.LogRecord) -> None:
        if self.world.killing:
            return
        trace = ""
        if record.exc_info and record.exc_info[1] is not None:
            trace = logging.Formatter().formatException(record.exc_info)
        self.world.faults.append(f"logged: {record.getMessage()} {trace}")


# ------------------------------------------------------------------------------------ the world


@dataclass(frozen=True)
class Act:
    """Something that somebody will do. find: how, as things are; None while it cannot be done."""

    name: str
    find: Callable[[World], Callable[[], None] | None]


@dataclass
class Plan:
    """What goes wrong, at the n-th call that writes. kind: `unsent` (the connection breaks before), `lost`
    (it is carried out, the answer is lost), `kill before`, `kill after`."""

    number: int
    kind: str
    struck: Call | None = None


class World:
    """One order of one scenario. faults: what must not be."""

    def __init__(
        self, loop: VirtualLoop, order: Order, folder: Path, game: str = "topspot", *, people: int = 6
    ) -> None:
        self.loop, self.order, self.game, self.folder = loop, order, game, folder
        self.people = {name: 2001 + number for number, name in enumerate(NAMES[:people])}
        self.chat = Chat(loop, {user: name for name, user in self.people.items()})
        self.chat.on_call, self.chat.on_seen = self._called, self._seen
        self.chat.on_event = self._happened
        self.channel = self.chat.add_channel("games")
        self.entropy = Entropy(f"{game} {order.seed}")
        self.purposes = Entropy(f"{game} {order.seed} purposes")
        self.lives: list[Life] = []
        self.tables: dict[str, Table] = {}
        self.states: dict[str, State] = {}
        self.faults: list[str] = []
        self.scripts: list[list[Act]] = []
        self.plan: Plan | None = None
        self.writing = 0  # calls so far that write
        self.killing = False
        self.loses = 0.0  # how readily an answer is lost
        self.struck = False
        self.compares = False  # real pictures and texts, each seat's looked for in what reaches anybody else
        self.whose: dict[bytes | str, set[int]] = {}  # by a hand's picture or text: whose it may be
        self.compared = 0
        self.machines = 0  # seats that no human played, as often as one was stored
        self.untyped = 0  # moves that may have been played by buttons
        self.attempts: dict[int, tuple[str, int, str]] = {}  # by interaction: the move that somebody tries
        self.acknowledged: list[int] = []  # those of them that were answered with "played"
        self.confirmed: dict[int, str] = {}  # those of them whose preview got its yes: by which button
        self._done: asyncio.Future[None] | None = None
        self._rest_until = 0.0

    # the bot's life

    @property
    def life(self) -> Life:
        return self.lives[-1]

    @property
    def bot(self) -> Parlour:
        return self.life.bot

    async def boot(self) -> None:
        life = Life(len(self.lives))
        self.lives.append(life)

        async def store(settings: Settings) -> Fence:
            life.store = await open_store(settings)
            return Fence(self, life)

        bot.client.open_store = store  # type: ignore[assignment, attr-defined]
        settings = Settings(_env_file=None, data_dir=self.folder, parlour_sync_commands=False)  # type: ignore[call-arg]
        wanted = (f"cogs.{self.game}", "cogs.tables")
        client = life.bot = create_bot(
            settings,
            clock=LoopClock(),
            entropy=self.entropy,
            purposes=self.purposes,
            pace=1.0,
            extensions=wanted,
        )
        client.http.request = partial(self._request, life)  # type: ignore[method-assign]
        client.http.token = "token"
        await client._async_setup_hook()
        state: Any = client._connection
        state.user = discord.ClientUser(state=state, data=self.chat.user_payload(APP))  # type: ignore[arg-type]
        state.application_id = APP
        await client.setup_hook()
        state.parse_guild_create(self.chat.guild_payload())
        client._ready.set()
        await client.on_ready()

    async def _request(
        self,
        life: Life,
        route: Any,
        *,
        files: Any = None,
        form: Any = None,
        json: Any = None,
        params: Any = None,
        **_: Any,
    ) -> Any:
        return await self._call(life, route.method, _path(route.url), files, form, json, params)

    async def hooked(self, route: Any, payload: Any, multipart: Any, files: Any, params: Any) -> Any:
        path = _path(route.url)
        token = path.split("/")[3]
        life = self.lives[self.chat.interactions[token].life]
        return await self._call(life, route.method, path, files, multipart, payload, params)

    async def _call(
        self, life: Life, method: str, path: str, files: Any, form: Any, body: Any, query: Any
    ) -> Any:
        if not life.alive:
            raise Dead
        sent = [(file.filename, _bytes(file)) for file in files or ()]
        if form:
            [whole] = [part["value"] for part in form if part["name"] == "payload_json"]
            body = json.loads(whole)
        copied = json.loads(json.dumps(body or {}))
        return await self.chat.request(life.number, method, path, copied, sent, dict(query or {}))

    def _happened(self, name: str, data: dict[str, Any]) -> None:
        if self.lives and self.life.alive:
            getattr(self.bot._connection, f"parse_{name}")(data)

    def kill(self) -> None:
        """kill -9 now. What is under way vanishes, or arrives all the same."""
        life = self.life
        life.alive = False
        self.killing = True
        for call in list(self.chat.held):
            call.left = True
            if call.done:
                self.chat.held.remove(call)
            elif self.order.chance.random() < 0.5:
                self.chat.vanish(call)
            else:
                self.chat.carry_out(call)
        dying = asyncio.all_tasks(self.loop) - {self._main}
        for task in dying:
            task.cancel()
        self.loop.create_task(self._reborn(dying))

    async def end(self) -> None:
        """The process is told to stop, as by a host."""
        self.killing = True
        self.life.alive = False
        await self.life.store.close()

    async def _reborn(self, dying: set[asyncio.Task[Any]]) -> None:
        await asyncio.gather(*dying, return_exceptions=True)
        for _ in range(5):  # what their ends set going ends too
            await asyncio.sleep(0)
        for timer in self.loop._scheduled:  # type: ignore[attr-defined]
            timer.cancel()
        await self.life.store.close()
        self.killing = False
        await self.boot()

    # what is stored and seen

    def stored(self, table: Table, cache: str | None) -> None:
        self.tables[table.id] = table
        self.machines += sum(seat.kind is not SeatKind.HUMAN for seat in table.seats)
        if cache is not None:
            self.states[table.id] = rules_of(table.game).load(json.loads(cache))
            if self.compares:
                self._remember_texts(table)

    def _remember_texts(self, table: Table) -> None:
        """What each seat's board says in words, where the public one does not say the same."""
        state, say = self.states[table.id], sayer("en")
        names = wording.names(table, say)
        told = partial(rules_of(table.game).board_text, names=names, say=say)
        public = wording.literal(told(state.view(None)))
        for seat in table.humans:
            private = wording.literal(told(state.view(seat.index)))
            if private != public and seat.user is not None:
                self.whose.setdefault(private, set()).add(seat.user)

    def _called(self, call: Call) -> None:
        if isinstance(self.order, Latency):
            there, back = self.order.way()
            self.loop.call_later(there, self.chat.carry_out, call)
            self.loop.call_later(back, self._back, call)
        if not call.writes:
            return
        self.writing += 1
        if self.plan is not None and self.writing == self.plan.number:
            self.plan.struck = call

    def _back(self, call: Call) -> None:
        if call in self.chat.held:
            self.chat.answer(call)

    def audience(self, message: Message) -> int:
        if message.only_for is not None:
            return message.only_for
        return self.chat.reader(message.channel) or PUBLIC

    def _seen(self, message: Message) -> None:
        """Nobody sees a hand but the one whose it is."""
        reader = self.audience(message)
        shown = [*message.texts, *(data.decode(errors="replace") for data in message.files.values())]
        for table, user in HAND.findall("\n".join(shown)):
            if int(user) != reader:
                where = self.chat.people.get(reader, "everybody")
                self.faults.append(
                    f"the hand of {self.chat.people[int(user)]} at {table} is shown to {where}"
                )
        if self.compares:
            self._compare(message, reader)
        asked = message.interaction
        if asked in self.attempts and asked not in self.acknowledged and PLAYED in "\n".join(message.texts):
            self.acknowledged.append(asked)
        play = next((custom for custom in message.controls if ":play:" in custom), None)
        if asked in self.attempts and asked not in self.confirmed and play is not None:
            self.confirmed[asked] = play
            person = next(name for name, user in self.people.items() if user == reader)
            confirm = partial(self.press, person, message, play)
            self.scripts.append([Act(f"{person} confirms", lambda world: confirm)])

    def _compare(self, message: Message, reader: int) -> None:
        said = "\n".join(message.texts)
        for secret, users in self.whose.items():
            there = secret in message.files.values() if isinstance(secret, bytes) else secret in said
            self.compared += there
            if there and reader not in users:
                owners = ", ".join(self.chat.people.get(user, "?") for user in users)
                self.faults.append(f"a hand of {owners} reaches {self.chat.people.get(reader, 'everybody')}")

    # what happens next

    async def settle(self, *scripts: list[Act], rest: float = REST) -> None:
        """Let all of this happen, each script in its order, and then everything come to rest."""
        self.scripts = [list(script) for script in scripts]
        self._main = asyncio.current_task()
        self._done = self.loop.create_future()
        self._rest_until = self.loop.time() + rest
        self._rest = rest
        self.loop.on_quiet = self._next
        try:
            await self._done
        finally:
            self.loop.on_quiet = lambda: False

    async def calm(self, *scripts: list[Act], **which: bool) -> None:
        """Let all of this happen; then everything must be in its place. Raises Wrong."""
        await self.settle(*scripts)
        self.faults = await self.problems(**which)
        if self.faults:
            raise Wrong

    def _next(self) -> bool:
        assert self._done is not None
        if self.faults:
            if not self._done.done():
                self._done.set_result(None)
                return True
            raise Stuck("a fault was found and nothing goes on")
        if self.plan is not None and self.plan.struck in self.chat.held and self._strike(self.plan):
            return True
        options = self._options()
        timer = min((h._when for h in self.loop._scheduled if not h._cancelled), default=None)  # type: ignore[attr-defined]
        if options or self.chat.held:
            self._rest_until = self.loop.time() + self._rest
            passing = False
            if timer is not None and self.order.waits and timer - self.loop.time() <= 2.0:

                def pass_time() -> None:
                    nonlocal passing
                    passing = True

                options.append((self.order.waits, f"+{timer - self.loop.time():.1f} s", pass_time))
            if not options:
                return False
            self.order.pick(options)
            return not passing
        if timer is not None and timer <= self._rest_until:
            return False
        if self._done.done():
            raise Stuck("all is done, and yet nothing goes on")
        self._done.set_result(None)
        return True

    def _strike(self, plan: Plan) -> bool:
        call = plan.struck
        assert call is not None
        plan.struck, self.struck = None, True
        self.order.log.append(f"{plan.kind} {call}")
        if plan.kind in {"lost", "kill after"}:
            self.chat.carry_out(call)
        if plan.kind.startswith("kill"):
            if plan.kind == "kill before":
                self.chat.vanish(call)
            self.kill()
        else:
            self.chat.lose(call)
        return True

    def _options(self) -> list[tuple[float, str, Callable[[], None]]]:
        chat, order = self.chat, self.order
        options: list[tuple[float, str, Callable[[], None]]] = []
        for call in chat.held if not isinstance(order, Latency) else ():
            if call.done:
                answering = order.speed(call) * (1.0 - 0.8 * order.lingers)
                options.append((answering, f"answer {call}", partial(chat.answer, call)))
                if self.loses and call.writes:
                    options.append((self.loses, f"lose {call}", partial(chat.lose, call)))
            elif call.left:
                options.append((0.5, f"late {call}", partial(chat.carry_out, call)))
                options.append((0.5, f"never {call}", partial(chat.vanish, call)))
            else:
                speed = order.speed(call)
                options.append((speed * (1.0 - 0.8 * order.lingers), f"{call}", partial(self._both, call)))
                options.append((speed * (0.2 + order.lingers), f"do {call}", partial(chat.carry_out, call)))
        for script in self.scripts:
            while script and (found := script[0].find(self)) is not None:
                options.append((order.hurries, script[0].name, partial(self._act, script, found)))
                break
        return options

    def _both(self, call: Call) -> None:
        self.chat.carry_out(call)
        self.chat.answer(call)

    def _act(self, script: list[Act], found: Callable[[], None]) -> None:
        script.pop(0)
        found()

    # what people do

    def press(self, person: str, message: Message, custom_id: str, values: list[str] | None = None) -> None:
        data: dict[str, Any] = {"custom_id": custom_id, "component_type": 2 if values is None else 3, "id": 1}
        if values is not None:
            data["values"] = values
        _, told = self.chat.interaction(
            self.life.number, self.people[person], message.channel, COMPONENT, data, message
        )
        self._happened("interaction_create", told)

    def slash(
        self, person: str, command: str, sub: str, options: dict[str, Any], channel: int | None = None
    ) -> None:
        kinds = {str: 3, int: 4}
        given = [
            {"name": name, "type": kinds[type(value)], "value": value} for name, value in options.items()
        ]
        data = {
            "id": "77",
            "name": command,
            "type": 1,
            "options": [{"name": sub, "type": 1, "options": given}],
        }
        _, told = self.chat.interaction(
            self.life.number, self.people[person], channel or self.channel, COMMAND, data
        )
        self._happened("interaction_create", told)

    def plays(self, person: str, table: str, seat: int, move: str) -> None:
        """A typed move; the yes to its preview follows."""
        self.attempts[self.chat.next_id] = (table, seat, move)
        self.slash(person, SLASH[self.game], "move", {"move": move, "table": table})

    # what is there

    def sees(self, person: str, message: Message) -> bool:
        return self.audience(message) in {PUBLIC, self.people[person]}

    def offers(self, person: str, table: str | None, *verbs: str) -> tuple[Message, str] | None:
        """The newest message that this person sees with a control of one of these verbs, and its id."""
        for message in sorted(self.chat.messages.values(), key=lambda m: -m.id):
            if self.sees(person, message):
                for custom in message.controls:
                    control = custom_ids.parse(custom)
                    if control and control.verb in verbs and table in {None, control.table}:
                        return message, custom
        return None

    def about(self, table: str) -> Message | None:
        """Some public message of the table that is there."""
        place = self.tables[table].place
        for channel in (place.thread, place.channel):
            for message in self.chat.messages.values():
                if message.channel == channel and message.author == APP and message.only_for is None:
                    return message
        return None

    def of(self, table: str, message: Message) -> bool:
        """Whether a message belongs to this table: by its controls, else by what it says. The end of another
        table names its rematch."""
        parsed = [custom_ids.parse(custom) for custom in message.controls]
        owners = {control.table for control in parsed if control is not None and control.table is not None}
        return table in owners if owners else any(table in text for text in message.texts)

    # at rest

    async def problems(self, *, hands: bool = True, orphans: bool = True) -> list[str]:
        """What is wrong at rest. orphans: messages that nobody knows of are wrong too."""
        found = list(self.faults)
        for call in self.chat.held:
            found.append(f"still under way: {call}")
        for table in self.tables:
            found += await self._wrong_at(table, hands, orphans)
        return found + await self._wrong_moves()

    async def _wrong_moves(self) -> list[str]:
        """Every acknowledged move is stored once, and nothing else but what somebody tried; each player's in
        the order they were typed in. Where several act at once, whose yes comes first goes first."""
        found = []
        for table in self.tables:
            entries = await self.life.store.entries(table)
            stored = [(e.player, e.text) for entry in entries for e in entry.events if e.kind == "move"]
            tried = {number: attempt[1:] for number, attempt in self.attempts.items() if attempt[0] == table}
            yes = {
                self.confirmed.get(number, number): number for number in tried if number in self.acknowledged
            }
            known = [tried[number] for number in yes.values()]  # two taps on one yes play once
            if not _within(known, stored):
                found.append(f"{table}: acknowledged {known}, stored {stored}")
            if self.machines + self.untyped == 0 and not _within(stored, list(tried.values())):
                found.append(f"{table}: tried {list(tried.values())}, stored {stored}")
        return found

    async def _wrong_at(self, table_id: str, hands: bool, orphans: bool) -> list[str]:
        stored = await self.life.store.load(table_id)
        assert stored is not None
        table = stored.table
        found: list[str] = []
        public = [m for m in self.chat.messages.values() if self.audience(m) == PUBLIC and m.author == APP]
        mine = [m for m in public if self.of(table_id, m)]
        lobbies = [m for m in mine if self._verbs(m) & {"join", "leave", "start"}]
        boards = [m for m in mine if self._verbs(m) & {"menu"}]
        ends = [m for m in mine if self._verbs(m) & OFFERED]
        pings = [m for m in mine if any("<@" in t for t in m.texts) and m not in boards + lobbies + ends]
        place = table.place
        playing = table.status in {Status.PLAYING, Status.PAUSED}
        if len(lobbies) > (table.status is Status.LOBBY):
            found.append(f"{table_id} is {table.status}, live lobbies: {[m.id for m in lobbies]}")
        if len(boards) > playing:
            found.append(f"{table_id} is {table.status}, live boards: {[m.id for m in boards]}")
        pings = [m for m in pings if m.id not in {place.lobby_message, place.table_message}]
        if len(pings) > playing:
            found.append(f"{table_id} is {table.status}, pings: {[m.id for m in pings]}")
        if len(ends) > (table.status is Status.ENDED):
            found.append(f"{table_id} is {table.status}, told to be over: {[m.id for m in ends]}")
        if orphans and any(m.id != place.final_message for m in ends):
            found.append(f"{table_id}: the end {[m.id for m in ends]}, stored {place.final_message}")
        if table.status is Status.LOBBY and [m.id for m in lobbies] != [place.lobby_message]:
            found.append(f"{table_id}: lobby {[m.id for m in lobbies]}, stored {place.lobby_message}")
        if playing and [m.id for m in boards] != [place.table_message]:
            found.append(f"{table_id}: board {[m.id for m in boards]}, stored {place.table_message}")
        if orphans and any(m.id != place.notice_message for m in pings):
            found.append(f"{table_id}: pings {[m.id for m in pings]}, stored {place.notice_message}")
        if hands:
            found += await self._wrong_letters(table)
            found += self._wrong_hands(table) + self._wrong_panels(table)
        return found

    @staticmethod
    def _verbs(message: Message) -> set[str]:
        return {
            control.verb for custom in message.controls if (control := custom_ids.parse(custom)) is not None
        }

    def _private(self, table: str, user: int, *, letters: bool) -> list[Message]:
        """What of the table can still be used in somebody's direct messages."""
        return [
            m
            for m in self.chat.messages.values()
            if m.channel == self.chat.dm(user)
            and self.of(table, m)
            and m.only_for is None
            # an answer beside it, to a click on a message not known yet, is the client's to forget
            and (m.files or m.controls or m.links)
            and self._is_letter(m) is letters
        ]

    @staticmethod
    def _is_letter(message: Message) -> bool:
        """A notice by direct message, of all its reader's tables; none of them keeps it as their hand."""
        controls = [control for custom in message.controls if (control := custom_ids.parse(custom))]
        return any(control.verb in {"later", "stop"} and not control.argument for control in controls)

    async def _wrong_letters(self, table: Table) -> list[str]:
        """Everybody has one at most, the stored one, and it tells of no table that is over or left."""
        found = []
        for name, user in self.people.items():
            stored = await self.life.store.letter(user)
            known = stored.channel, stored.message
            for message in self._private(table.id, user, letters=True):
                if (message.channel, message.id) != known or table.id not in stored.tables:
                    told = f"stored is {known} of {stored.tables}"
                    found.append(f"{table.id}: {name} has the letter {_look(message)}, {told}")
                if not table.is_open or table.seat_of(user) is None:
                    found.append(f"{table.id}: {name} is out of it and keeps the letter {_look(message)}")
        return found

    def _wrong_hands(self, table: Table) -> list[str]:
        found = []
        seated = {seat.user: seat for seat in table.humans}
        for name, user in self.people.items():
            alive = self._private(table.id, user, letters=False)
            if user not in seated:
                if alive:
                    found.append(
                        f"{table.id}: {name} does not sit there and keeps {[_look(m) for m in alive]}"
                    )
                continue
            if len(alive) > 1:
                found.append(f"{table.id}: {name} has {[_look(m) for m in alive]}")
            if table.status is Status.ENDED:
                acting = [m for m in alive if self._verbs(m) - OFFERED]
                found += [f"{table.id} is over, {name} can press {m.controls}" for m in acting]
            known = seated[user].hand_channel, seated[user].hand_message
            if table.is_open and any((m.channel, m.id) != known for m in alive):
                found.append(f"{table.id}: {name} has {[_look(m) for m in alive]}, stored is {known}")
        return found

    def _wrong_panels(self, table: Table) -> list[str]:
        """Of those that this life made and can still reach: what an earlier one knew is forgotten."""
        found = []
        made_by = {asked.id: asked for asked in self.chat.interactions.values()}
        for name, user in self.people.items():
            alive = []
            for message in self.chat.messages.values():
                asked = made_by.get(message.interaction or 0)
                if message.only_for != user or asked is None or asked.life != self.life.number:
                    continue
                shows = message.controls or any(name.endswith(".png") for name in message.files)
                if self.of(table.id, message) and shows and asked.kind != COMMAND:
                    alive.append(message)
            seat = table.seat_of(user)
            if len(alive) > 1:
                found.append(f"{table.id}: {name} has the panels {[_look(m) for m in alive]}")
            for message in alive:
                moves = [
                    control
                    for custom in message.controls
                    if (control := custom_ids.parse(custom))
                    and control.verb in {"act", "way", "pick", "play"}
                ]
                since = seat.since if seat is not None and table.status is Status.PLAYING else 0
                if any(control.revision != since for control in moves):
                    found.append(f"{table.id}: {name}'s panel {_look(message)} is older than {since}")
                if seat is None and any("⟦hand" in words for words in message.texts):
                    found.append(f"{table.id}: {name} sits there no more and keeps {_look(message)}")
        return found


def _within(some: Sequence[Played], every: Sequence[Played]) -> bool:
    """Whether each player's moves of `some` come in `every` in that order."""

    def of(player: int | None) -> bool:
        rest = iter(move for by, move in every if by == player)
        return all(move in rest for by, move in some if by == player)

    return all(of(player) for player in {by for by, _ in some})


def _look(message: Message) -> str:
    marks = [name for name in ("files", "controls", "links") if getattr(message, name)]
    return f"{message.id} {marks} {message.texts[:2]}"


def _path(url: str) -> str:
    return re.sub(r"^https://discord.com/api/v\d+", "", url).split("?")[0]


def _bytes(file: discord.File) -> bytes:
    start = file.fp.tell()
    data: bytes = file.fp.read()
    file.fp.seek(start)
    return data


@cache
def empty_database() -> bytes:
    """The file as a first start leaves it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / DATABASE

        async def main(loop: VirtualLoop) -> None:
            store = await SqlStore.open(f"sqlite+aiosqlite:///{path}")
            await store.close()

        run(main)
        return path.read_bytes()


@contextmanager
def stage(world_of: Callable[[], World | None], drawn: bool) -> Iterator[None]:
    """discord.py's clock is the loop's, and its webhooks end here."""
    real = (
        AsyncWebhookAdapter.request,
        bot.client.open_store,  # type: ignore[attr-defined]
        discord.utils.compute_timedelta,
        discord.ext.tasks.datetime,  # type: ignore[attr-defined]
    )
    real_utcnow = discord.utils.utcnow

    async def hooked(
        adapter: Any,
        route: Any,
        session: Any = None,
        *,
        payload: Any = None,
        multipart: Any = None,
        files: Any = None,
        params: Any = None,
        **_: Any,
    ) -> Any:
        world = world_of()
        assert world is not None
        return await world.hooked(route, payload, multipart, files, params)

    import datetime as dates

    class Virtual(dates.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> dates.datetime:  # type: ignore[override]
            return LoopClock().now()

    AsyncWebhookAdapter.request = hooked  # type: ignore[method-assign, assignment]
    discord.utils.compute_timedelta = lambda when: max(0.0, (when - LoopClock().now()).total_seconds())  # type: ignore[assignment]
    discord.utils.utcnow = lambda: LoopClock().now()
    shim: Any = SimpleNamespace(
        datetime=Virtual, timedelta=dates.timedelta, timezone=dates.timezone, time=dates.time
    )
    discord.ext.tasks.datetime = shim  # type: ignore[attr-defined]
    try:
        with known_pictures(world_of) if drawn else named_pictures():
            yield
    finally:
        AsyncWebhookAdapter.request, bot.client.open_store = real[0], real[1]  # type: ignore[attr-defined, method-assign]
        discord.utils.compute_timedelta, discord.ext.tasks.datetime = real[2], real[3]  # type: ignore[attr-defined]
        discord.utils.utcnow = real_utcnow


Story = Callable[[World], Any]


def tell(story: Story, order: Order, game: str = "topspot", *, real: bool = False, **more: Any) -> World:
    """One story in one order; the world afterwards, with all faults in it. real: pictures and texts are drawn
    as they are, and compared."""
    worlds: list[World] = []
    empty = empty_database()

    async def main(loop: VirtualLoop) -> World:
        world = World(loop, order, Path(folder), game, **more)
        world.compares = real
        worlds.append(world)
        errors = Errors(world)
        logging.getLogger().addHandler(errors)
        (world.folder / DATABASE).write_bytes(empty)
        try:
            await world.boot()
            await story(world)
        except Wrong:
            assert world.faults
        except Stuck as stuck:
            world.faults.append(str(stuck))
        finally:
            logging.getLogger().removeHandler(errors)
            await world.end()
        return world

    where = os.environ.get("PYTEST_DEBUG_TEMPROOT")  # in memory, where there is room
    with (
        tempfile.TemporaryDirectory(dir=where) as folder,
        stage(lambda: worlds[-1] if worlds else None, real),
    ):
        return run(main)


def counted(world: World) -> Counter[str]:
    return Counter(
        world.chat.name(message.channel) if message.channel else ""
        for message in world.chat.messages.values()
    )


__all__ = ["GUILD", "Act", "Latency", "Order", "Plan", "Prompt", "World", "counted", "tell"]
