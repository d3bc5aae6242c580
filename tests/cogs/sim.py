"""People at tables on simcord: what they do, and what they see."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import discord
import pytest
import simcord
import simcord.interactions
from simcord.actors import MemberActor
from simcord.results import InteractionResult, ResponseMessage
from sqlalchemy import select

from bot import simulated
from bot.client import Parlour, create_bot
from bot.discord_io import Answer
from bot.levels import Level
from bot.players import choose
from bot.rules.chance import Generator
from bot.settings import Settings
from bot.storage import schema
from bot.tables.model import Person, Status, Table
from tests.discord.requests import check_request
from tests.storage.known import differences
from tests.tables.support import behind_its_back, typed

LOOK_AGAIN = 0.001  # seconds
SOON = 0.5  # seconds
LONGEST = 400  # moves of a game

Shown = discord.Message | ResponseMessage


class SimClock:
    """The bot's clock is simcord's."""

    env: simcord.Env | None = None

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) if self.env is None else self.env.now()

    async def sleep_until(self, when: datetime) -> None:
        await asyncio.sleep(max(0.0, (when - self.now()).total_seconds()))


class Seeds:
    """Seeds in order: the same test plays the same game."""

    def __init__(self, of: str = "") -> None:
        self.of = of
        self.count = 0

    def __call__(self) -> str:
        self.count += 1
        return hashlib.sha256(f"{self.of}{self.count}".encode()).hexdigest()


class Env(simulated.Env):
    """It looks oftener whether the bot has come to rest, every 50 ms otherwise."""

    async def _settle_internal(self, *, idle: float = 0.0, **more: Any) -> None:
        await super()._settle_internal(idle=LOOK_AGAIN, **more)


class Sim:
    """A simulated server with one channel, four people, and the bot."""

    def __init__(self, folder: Path, *, given: Mapping[str, Any] | None = None, **options: Any) -> None:
        """given: settings, beside the folder. options: of `create_bot`."""
        self.settings = Settings(_env_file=None, data_dir=folder, **(given or {}))  # type: ignore[call-arg]
        self.clock = SimClock()
        self.seeds = Seeds()
        self.purposes = Seeds("purposes")
        self.options = {"pace": 0.0} | options
        self.faults_expected = False
        self.compares = True  # at the end: what the store knows with what is stored
        self.locales: dict[int, str] = {}
        self._unpatch: Callable[[], None] = lambda: None

    @classmethod
    async def open(cls, folder: Path, *, locale: str | None = None, **options: Any) -> Sim:
        sim = cls(folder, **options)
        sim.env = Env(sim._make_bot(), soon=SOON, settle_timeout=20.0)
        await sim.env.start()
        sim.clock.env = sim.env
        sim._patch_locales()
        sim.guild = sim.env.create_guild("Den", preferred_locale=locale)
        sim.channel = sim.guild.create_text_channel("games")
        sim.ada, sim.ben, sim.cleo, sim.dev = (sim.person(name) for name in ("Ada", "Ben", "Cleo", "Dev"))
        await sim.env.settle()
        return sim

    env: simcord.Env
    guild: Any
    channel: Any
    ada: MemberActor
    ben: MemberActor
    cleo: MemberActor
    dev: MemberActor

    def _make_bot(self) -> Parlour:
        return create_bot(
            self.settings, clock=self.clock, entropy=self.seeds, purposes=self.purposes, **self.options
        )

    @property
    def bot(self) -> Parlour:
        assert isinstance(self.env.bot, Parlour)
        return self.env.bot

    def person(self, name: str, **permissions: Any) -> MemberActor:
        user = self.env.create_user(name.lower().replace(" ", "")[:20] or "x", global_name=name)
        return self.guild.add_member(user)

    async def restart(self, after: timedelta | None = None) -> None:
        """The process ends and a new one takes over, so long after; Discord's side stays."""
        await self.bot.close()
        if after is not None:
            await self.env.advance_time(after.total_seconds())
        await self.env.restart_bot(self._make_bot())
        await self.env.settle()

    async def sweep(self) -> None:
        """A whole one."""
        while not await self.bot.services.repaints.sweep():
            pass

    async def close(self) -> None:
        self._unpatch()
        store = self.bot._store
        await self.bot.close()
        await self.env.shutdown()
        self.env.raise_errors()
        if store is not None and self.compares:
            assert await differences(store) == []
            await store.close()  # the connections that this took

    def behind_the_bot(self) -> AbstractContextManager[sqlite3.Connection]:
        """The database file, to be changed while the bot has it, which then asks anew."""
        assert self.bot._store is not None
        return behind_its_back(self.bot._store, self.settings.data_dir / "parlour.db")

    async def parked(self, table: Table) -> bool:
        """Whether it is stored that the table is left alone for now."""
        assert self.bot._store is not None
        columns = schema.tables.c
        [row] = await self.bot._store._rows(select(columns.parked).where(columns.id == table.id))
        return row["parked"] is not None and row["parked"] > self.clock.now()

    # Discord's side

    def speaks(self, person: MemberActor, locale: str) -> None:
        """From now on this person's Discord is in that language (simcord's is always en-US)."""
        self.locales[person.id] = locale

    def _patch_locales(self) -> None:
        real = simcord.interactions.base_payload

        def payload(backend: Any, *args: Any, **kwargs: Any) -> Any:
            record, made = real(backend, *args, **kwargs)
            user = int((made.get("member") or made)["user"]["id"])
            made["locale"] = self.locales.get(user, made["locale"])
            return record, made

        self._unpatch = lambda: setattr(simcord.interactions, "base_payload", real)
        simcord.interactions.base_payload = payload

    async def press(
        self, person: MemberActor, message: Shown, custom_id: str, values: list[str] | None = None
    ) -> InteractionResult:
        """A click on what is still on the person's screen, whatever the message shows by now."""
        from simcord import actors

        real = message.message if isinstance(message, ResponseMessage) else message
        stored = self.env.backend.get_message(real.channel.id, real.id)
        data: dict[str, Any] = {"custom_id": custom_id, "component_type": 2 if values is None else 3}
        if values is not None:
            data["values"] = values
        return await actors._component_interaction(person, stored, data)

    def thread(self, table: Table) -> Any:
        """The table's thread, for people to write in."""
        return next(thread for thread in self.channel.threads if thread.id == table.place.thread)

    def requests(self, method: str, ending: str = "") -> list[Any]:
        return [r for r in self.env.http_requests if r.method == method and r.path.endswith(ending)]

    def messages(self, channel: int) -> list[discord.Message]:
        """The bot's public messages in a channel or thread, oldest first."""
        found = self.env.backend.messages.get(channel, {})
        mine = [m for m in found.values() if m.author_id == self.env.backend.bot_user.id and not m.flags & 64]
        return [message for m in sorted(mine, key=lambda m: m.id) if (message := self.look(channel, m.id))]

    # what went to Discord

    def malformed(self) -> list[str]:
        """What is wrong with the requests that the bot has sent so far."""
        return [
            f"{request.method} {request.path}: {fault}"
            for request in self.env.http_requests
            for fault in check_request(request.method, request.path, request.json)
        ]

    # the table

    async def new(self, host: MemberActor, **options: Any) -> discord.Message:
        """A table of 5 vor 12, its lobby message."""
        result = await host.slash(self.channel, "5vor12 new", **options)
        assert result.response is not None
        assert not result.response.ephemeral, text_of(result.response)
        return result.response.message

    def fresh(self, message: Shown) -> discord.Message:
        """The message as it is now."""
        found = self.look(
            message.channel_id if isinstance(message, ResponseMessage) else message.channel.id, message.id
        )
        assert found is not None
        return found

    def look(self, channel: int, message: int) -> discord.Message | None:
        from simcord.backend.errors import BackendError
        from simcord.results import to_discord_message

        try:
            return to_discord_message(self.env, self.env.backend.get_message(channel, message))
        except BackendError:
            return None

    async def table(self, message: Shown) -> Table:
        """The stored table that a message's controls belong to."""
        ids = [
            custom for custom in custom_ids(self.fresh(message)) if not custom.startswith(("pb:-", "ps:-"))
        ]
        return await self.bot.tables.table(ids[0].split(":")[1])

    async def board(self, table: Table) -> discord.Message:
        """The public table message as it is now."""
        place = (await self.bot.tables.table(table.id)).place
        return self._there(place.thread or place.channel, place.table_message)

    async def final(self, table: Table) -> discord.Message:
        """The last message, which tells how it ended."""
        place = (await self.bot.tables.table(table.id)).place
        return self._there(place.thread or place.channel, place.final_message)

    async def lobby(self, table: Table) -> discord.Message:
        place = (await self.bot.tables.table(table.id)).place
        return self._there(place.channel, place.lobby_message)

    def _there(self, channel: int, message: int | None) -> discord.Message:
        assert message is not None
        found = self.look(channel, message)
        assert found is not None
        return found

    async def started(
        self, *people: MemberActor, agreed: Sequence[MemberActor] = (), **options: Any
    ) -> Table:
        """A table at which these people play, started by the first. agreed: who agrees to hints before."""
        lobby = await self.new(people[0], players=options.pop("players", max(2, len(people))), **options)
        for person in people[1:]:
            await person.click(self.fresh(lobby), label="Join")
        for person in agreed:
            await person.click(self.fresh(lobby), label="Hints: yes")
        table = await self.table(lobby)
        await people[0].click(self.fresh(lobby), label="Start")
        return await self.bot.tables.table(table.id)

    def who(self, user: int | None) -> MemberActor:
        return next(p for p in (self.ada, self.ben, self.cleo, self.dev) if p.id == user)

    async def to_act(self, table: Table) -> list[MemberActor]:
        now = await self.bot.tables.table(table.id)
        return [self.who(seat.user) for seat in now.humans if seat.since]

    async def hand(self, person: MemberActor, table: Table) -> discord.Message:
        """What "Your move" shows this person."""
        result = await person.click(await self.board(table), label="Your move")
        assert result.response is not None
        assert result.response.ephemeral
        return result.response.message

    async def step(
        self, person: MemberActor, page: discord.Message, *, reveal: bool = True
    ) -> discord.Message:
        """One tap on a private page: confirm, else reveal, else the first entry, else leave."""
        page = self.fresh(page)
        labels = buttons(page)
        reveals = [label for label in labels if label.startswith("Reveal")]
        if "Play it" in labels:
            await person.click(page, label="Play it")
        elif reveals and (reveal or not entries(page)):
            await person.click(page, label=reveals[0])
        elif entries(page):
            await self.choose(person, page, entries(page)[0])
        elif "Leave it in the middle" in labels:
            await person.click(page, label="Leave it in the middle")
        else:
            raise AssertionError(f"nothing to choose: {text_of(page)} {labels}")
        return self.fresh(page)

    async def choose(self, person: Any, page: discord.Message, value: str) -> discord.Message:
        """This entry of the step shown, by its button or in its menu."""
        for custom, values in menus(page):
            if value in values:
                await person.select(page, [value], custom_id=custom)
                return self.fresh(page)
        await person.click(page, custom_id=ways(page)[value])
        return self.fresh(page)

    async def types(
        self, person: MemberActor, where: Any, command: str, move: str, **more: Any
    ) -> InteractionResult:
        """A move typed in a command, and confirmed where that is asked."""
        result = await person.slash(where, f"{command} move", move=move, **more)
        page = result.response
        asked = [custom for custom in custom_ids(page) if ":play:" in custom] if page is not None else []
        return await person.click(page.message, custom_id=asked[0]) if page and asked else result

    async def turn(self, person: MemberActor, table: Table, *, reveal: bool = True) -> discord.Message:
        """Tap on until nothing is left to choose."""
        page = await self.hand(person, table)
        for _ in range(8):
            if not choosable(page):
                return page
            page = await self.step(person, page, reveal=reveal)
        raise AssertionError("a turn of more than eight taps")

    async def play(self, table: Table, *, most: int = 400) -> Table:
        """Everybody taps until the table has ended."""
        for _ in range(most):
            actors = await self.to_act(table)
            if not actors:
                break
            await self.turn(actors[0], table)
        return await self.bot.tables.table(table.id)

    async def hurry(self, table: Table, *, most: int | None = None) -> Table:
        """The rest of the game without taps, or so many moves: each straight to the tables, as a typed one.
        The rest is painted now and then, as with a pace, and at the end."""
        repaints = self.bot.services.repaints
        with pytest.MonkeyPatch.context() as patch:
            if most is None:
                patch.setattr(repaints, "_pace", SOON / 2)
            await self._hurry(table, most or LONGEST)
        await self.env.settle()
        return await self.bot.tables.table(table.id)

    async def _hurry(self, table: Table, most: int) -> None:
        for turn in range(most):
            loaded = await self.bot.tables.load(table.id)
            if loaded.table.status is not Status.PLAYING or loaded.state is None:
                break
            actors = await self.to_act(table)
            if not actors:
                await self.env.settle()  # computer players
                continue
            seat = loaded.table.seat_of(actors[0].id)
            assert seat is not None
            move = choose(
                table.game, loaded.state.view(seat.index), Generator("hurry", str(turn)), Level.EASY
            )
            with self.env._bot_scope():
                await typed(self.bot.tables, table.id, Person(actors[0].id, "x"), move)


def walk(components: Any) -> Iterator[Any]:
    for part in components:
        yield part
        yield from walk(getattr(part, "children", ()))
        accessory = getattr(part, "accessory", None)
        if accessory is not None:
            yield accessory


def parts(message: Shown) -> list[Any]:
    real = message.message if isinstance(message, ResponseMessage) else message
    return list(walk(real.components))


def text_of(message: Shown | None) -> str:
    assert message is not None
    return "\n".join(
        part.content for part in parts(message) if isinstance(part, discord.components.TextDisplay)
    )


def buttons(message: Shown) -> list[str]:
    """Labels of the buttons that can be pressed, but for those of hints, which stand at the end (see
    `hint_buttons`)."""
    found = _pressable(message)
    return [str(part.label) for part in found[: len(found) - len(hint_buttons(message))]]


def hint_buttons(message: Shown) -> list[str]:
    """Labels of the buttons that follow or dismiss what a private page explains."""
    found = _pressable(message)
    hints = [part for part in found if ":dismiss:" in str(part.custom_id)]
    ways = (":rules:", ":learn:")
    leading = [part for part in found if any(way in str(part.custom_id) for way in ways)] if hints else []
    return [str(part.label) for part in found if part in [*leading, *hints]]


def _pressable(message: Shown) -> list[discord.components.Button]:
    return [
        part
        for part in parts(message)
        if isinstance(part, discord.components.Button) and part.url is None and not part.disabled
    ]


def links(message: Shown) -> list[str]:
    return [part.url for part in parts(message) if isinstance(part, discord.components.Button) and part.url]


def menus(message: Shown) -> list[tuple[str, list[str]]]:
    return [
        (str(part.custom_id), [option.value for option in part.options])
        for part in parts(message)
        if isinstance(part, discord.components.SelectMenu)
    ]


def ways(message: Shown) -> dict[str, str]:
    """Custom ids of the buttons that lead on, by what they choose."""
    found = [custom for custom in custom_ids(message) if custom.split(":")[3] == "way"]
    return {custom.split(":", 4)[4].partition(".")[2]: custom for custom in found}


def entries(message: Shown) -> list[str]:
    """What may be chosen next on a private page, by buttons and in menus."""
    return [*ways(message), *(value for _, values in menus(message) for value in values)]


def custom_ids(message: Shown) -> list[str]:
    return [str(part.custom_id) for part in parts(message) if getattr(part, "custom_id", None)]


def controls(message: Shown, *verbs: str) -> list[str]:
    """Custom ids of a page's controls with these verbs."""
    return [custom for custom in custom_ids(message) if custom.split(":")[3] in verbs]


def custom_id(message: Shown, verb: str) -> str:
    """Of the first control that does this."""
    found = controls(message, verb)
    assert found, f"nothing there does {verb!r}: {custom_ids(message)}"
    return found[0]


def acting(message: Shown) -> list[str]:
    """Custom ids of what can change something: what an ended table still offers changes nothing of it."""
    offered = {"rematch", "record", "history", "moments"}
    return [custom for custom in custom_ids(message) if custom.split(":")[3] not in offered]


def alt_texts(message: Shown) -> list[str]:
    return [
        str(item.description)
        for part in parts(message)
        if isinstance(part, discord.components.MediaGalleryComponent)
        for item in part.items
    ]


def choosable(message: Shown) -> bool:
    labels = buttons(message)
    return (
        bool(entries(message))
        or "Play it" in labels
        or any(label.startswith(("Reveal", "Leave it")) for label in labels)
    )


def answer(result: InteractionResult) -> str:
    """What the person reads in answer to a click."""
    if result.response is not None:
        return text_of(result.response)
    if result.followups:
        return text_of(result.followups[-1])
    return ""


def answers_owed(patch: pytest.MonkeyPatch) -> list[Answer]:
    """The answers to all clicks and commands from now on, in order. None is deferred by itself: `_defer` says
    that its time is over."""
    owed: list[Answer] = []

    class Kept(Answer):
        def __init__(self, interaction: Any, *, public: bool = False) -> None:
            super().__init__(interaction, public=public, patience=0)
            owed.append(self)

    patch.setattr("cogs.input.router.Answer", Kept)
    return owed
