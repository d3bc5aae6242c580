"""Everybody tries everything, from everywhere, at a table of every status: who may, does; whoever may not is
told why, or that there is no such table, and nothing stored changes.

What would be stored is caught on its way to the store, so each try finds the table as it was.
"""

from __future__ import annotations

import functools
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import discord
import pytest
from simcord import interactions
from simcord.actors import MemberActor

from bot.discord_io import Done
from bot.rules.game import State
from bot.rules.topominos import TopominosView
from bot.settings import Settings
from bot.storage import open_store
from bot.tables.model import Person, Place, SeatKind, Table, VoteKind
from bot.tables.ports import NotFound
from cogs.input.errors import explain
from cogs.surfaces import steps
from cogs.tables import Tables
from cogs.topominos import Topominos
from tests.cogs.sim import Sim
from tests.sweeps import swept
from tests.tables.support import typed

from . import expected
from .expected import (
    ACTS,
    CHANNEL,
    DM,
    ELSEWHERE,
    EVERYBODY,
    FOREIGN,
    FORMER,
    HERE,
    HOST,
    INVITED,
    LOBBY,
    MANAGER,
    OTHER,
    PAUSED,
    PEOPLE,
    PLAYING,
    SEAT,
    SEATED,
    SHUT_OUT,
    SPECTATOR,
    STATUSES,
    STRANGER,
    WHERE,
)

UNKNOWN = "ZZZZZZ"
NOT_OFFERED = {"way", "write"}  # in the position tried; who may not press others may not press these
NONE, REFUSED, READS, DOES = "no such table", "refused", "reads", "does"


class Stopped(BaseException):
    """Something was about to be stored."""


class Guard:
    """A store that stores nothing while it is on: what would be is caught, and what is read stays as it is.
    draft_text: what the seat to act is said to be building."""

    READS = frozenset(
        {"load", "entries", "taken_back", "exists", "tables_of", "tables_at", "ended_at", "tables_showing"}
        | {"count_at", "homeless", "has_finished", "user", "guild", "declined", "lesson"}
    )

    def __init__(self, store: Any) -> None:
        self.store = store
        self.on = False
        self.draft_text = ""
        self._first_read: dict[tuple[object, ...], Any] = {}

    def __getattr__(self, name: str) -> Any:
        real = getattr(self.store, name)
        if not self.on:
            return real

        async def guarded(*given: Any) -> Any:
            if name == "draft":
                return self.draft_text
            if name in {"set_user", "set_guild"} and given[1].keys() <= {"locale", "dm_channel"}:
                # Asked for and not changed, or what is learnt by the way: their language, their messages.
                return await getattr(self.store, name.removeprefix("set_"))(given[0])
            if name not in self.READS:
                raise Stopped(name)
            key = (name, *map(str, given))
            if key not in self._first_read:
                self._first_read[key] = await real(*given)
            return self._first_read[key]

        return guarded


class Told:
    """An answer that goes nowhere: the texts and controls shown."""

    def __init__(self, interaction: Any, *, public: bool = False) -> None:
        self.interaction = interaction
        self.reach = None
        self.message = None
        self.given = False
        self.can_update = interaction.guild_id is None and interaction.message is not None
        self.shown: list[Any] = []
        ANSWERS.append(self)

    async def show(self, parts: Any, *, public: bool = False) -> Done[None]:
        self.given = True
        self.shown.append(("show", public, parts.view.to_components(), [f.filename for f in parts.files]))
        return Done(None)

    async def update(self, parts: Any) -> Done[None]:
        self.given = True
        self.shown.append(("update", False, parts.view.to_components(), [f.filename for f in parts.files]))
        return Done(None)

    async def ask(self, form: Any) -> Done[None]:
        self.given = True
        self.shown.append(("ask", False, [], []))
        return Done(None)

    async def acknowledge(self) -> Done[None]:
        self.given = True
        return Done(None)

    async def end(self) -> None:
        pass

    def close(self) -> None:
        pass


ANSWERS: list[Told] = []


class Stage:
    """A server with everybody in it, and a table of each status."""

    sim: Sim
    guard: Guard
    people: dict[str, tuple[MemberActor | None, MemberActor]]  # here (None: never was), elsewhere
    tables: dict[str, Table]
    given_up: dict[str, Table]  # where a stand-in has the seat that was given up
    places: dict[str, Any]
    drafts: dict[str, tuple[str, str]]  # by verb: the draft, and the control's argument
    refusals: list[BaseException]

    @classmethod
    async def open(cls, sim: Sim, guard: Guard) -> Stage:
        self = cls()
        self.sim = sim
        self.refusals, self.given_up = [], {}
        env, bot = sim.env, sim.bot
        shown, hidden = (discord.PermissionOverwrite(view_channel=on) for on in (True, False))
        role = sim.guild.create_role("seers")
        boss = sim.guild.create_role("boss", permissions=discord.Permissions(manage_guild=True))
        other = env.create_guild("Lair")
        lord = other.create_role("lord", permissions=discord.Permissions(manage_guild=True))
        assert bot.user is not None
        room = sim.guild.create_text_channel(
            "room", overwrites={sim.guild.default_role: hidden, role: shown, bot.user: shown}
        )
        self.people = {}
        for who in PEOPLE:
            user = env.create_user(who.replace(" ", ""))
            roles = [role] * (who not in {SHUT_OUT, STRANGER}) + [boss] * (who == MANAGER)
            here = None if who == STRANGER else sim.guild.add_member(user, roles=roles)
            self.people[who] = (here, other.add_member(user, roles=[lord] * (who == FOREIGN)))
        self.places = {CHANNEL: room, OTHER: sim.channel, ELSEWHERE: other.create_text_channel("hall")}
        await env.settle()
        for guild in (sim.guild, other):
            for command in await bot.tree.fetch_commands():
                guild.set_command_permissions(command, {guild.default_role: True})
        self.guard = guard
        self.tables = {}
        sim.channel = room
        for status in STATUSES:
            self.tables[status] = await self._table(status)
        former = self.people[FORMER][0]
        assert former is not None
        env.backend.remove_member_role(sim.guild.id, former.id, role.id)
        await env.settle()
        await self._learn()
        return self

    async def give_up(self) -> None:
        self.given_up = {status: await self._table(status, opened=False) for status in (PLAYING, PAUSED)}

    async def _table(self, status: str, *, opened: bool = True) -> Table:
        """Host, the seat to act with something laid that may be taken back, one out of turn, and the seat
        that was given up and is free, or not opened yet; questions of every kind. In the lobby computer
        players and free chairs instead, at a game of pairs."""
        tables = self.sim.bot.tables
        seated = [HOST, SEAT, FORMER] if status == expected.LOBBY else [HOST, ACTS, SEAT, FORMER]
        persons = {who: self.person(who) for who in seated}
        place = Place(self.sim.guild.id, self.places[CHANNEL].id)
        lobby = status == expected.LOBBY
        game, options = ("zatre", {"partners": True}) if lobby else ("topominos", {})
        table = (await tables.open(persons[HOST], place, game, options)).table.id
        for who in seated[1:]:
            await tables.join(table, persons[who])
        for who in seated if status != expected.LOBBY else ():
            await tables.agree(table, persons[who], True)
        if status == expected.LOBBY:
            await tables.leave(table, persons[FORMER])
            for _ in range(2):
                await tables.add_computer(table, persons[HOST])
            await tables.invite(table, persons[HOST], {self.person(INVITED).id: INVITED})
            return await tables.table(table)
        await tables.start(table, persons[HOST])
        by_id = {person.id: person for person in persons.values()}
        for _ in range(40):
            loaded = await tables.load(table)
            assert loaded.state is not None
            (seat,) = loaded.table.to_act
            moves = loaded.state.legal(seat.index)
            lay = next((move for move in moves if "@" in move), None)
            if seat.user == persons[ACTS].id and lay is not None:
                break
            await typed(tables, table, by_id[seat.user or 0], lay or moves[0])
            now = await tables.load(table)
            if now.state is not None and "end" in now.state.legal(seat.index):
                await typed(tables, table, by_id[seat.user or 0], "end")
        change = await typed(tables, table, persons[ACTS], lay or "")
        await tables.resign(table, persons[FORMER])
        free = next(s.index for s in change.table.seats if s.user == persons[FORMER].id)
        await tables.vote(table, persons[HOST if opened else SEAT], VoteKind.OPEN_SEAT, free)
        await tables.vote(table, persons[SEAT], VoteKind.COMPUTER_SEAT, free)
        await tables.vote(table, persons[HOST], VoteKind.KICK, self.seat(change.table, SEAT))
        await tables.vote(table, persons[HOST], VoteKind.END)
        await tables.vote(table, persons[ACTS], VoteKind.UNDO)
        if status == expected.PAUSED:
            for who in (HOST, ACTS, SEAT):
                await tables.vote(table, persons[who], VoteKind.PAUSE)
        elif status == expected.ENDED:
            await tables.end(table, persons[HOST])
        return await tables.table(table)

    def person(self, who: str) -> Person:
        actor = self.people[who][1]
        return Person(actor.id, actor.name, guild=self.sim.guild.id)

    async def _learn(self) -> None:
        """A draft and an argument that do, for each control of a choice."""
        tables = self.sim.bot.tables
        loaded = await tables.load(self.tables[expected.PLAYING].id)
        (seat,) = loaded.table.to_act
        state = cast("State", loaded.state)
        view = cast("TopominosView", state.view(seat.index))
        step_of = self.sim.bot.services.private.step_of(loaded.table)
        first = steps.settle(step_of, view, "")[1]
        lays = [move for move in state.legal(seat.index) if "@" in move]
        piece = first.entries[0].value
        draft, _ = steps.settle(step_of, view, piece)
        empty = steps.mark("")
        self.drafts = {
            "act": ("", f"{empty}.end"),
            "pick": ("", empty),
            "back": (draft, steps.mark(draft)),
            "play": (lays[0], steps.mark(lays[0])),
        }
        self.piece, self.lay = piece, lays[0]

    # one try

    def interaction(self, who: str, place: str, kind: int, data: dict[str, Any]) -> Any:
        actor, channel = self.at(who, place)
        backend = self.sim.env.backend
        _, payload = interactions.base_payload(
            backend,
            type=kind,
            channel_id=channel.id,
            guild_id=None if place == DM else actor.guild.id,
            user_id=actor.id,
            data=data,
        )
        made = discord.Interaction(data=cast("Any", payload), state=self.sim.bot._connection)
        if kind != 2:
            message = {"id": 1, "channel": channel, "author": self.sim.bot.user, "components": []}
            made.message = cast("Any", SimpleNamespace(**message, flags=discord.MessageFlags()))
        return made

    def at(self, who: str, place: str) -> tuple[Any, Any]:
        here, elsewhere = self.people[who]
        if place == DM:
            return elsewhere.user, elsewhere.user.dm_channel
        return (elsewhere if place == ELSEWHERE else here), self.places[place]

    async def tried(self, act: Any) -> tuple[str, str, list[Any]]:
        """What came of it: outcome, refusal, what was shown."""
        ANSWERS.clear()
        self.refusals.clear()
        self.guard.on = True
        try:
            with self.sim.env._bot_scope():
                await act
        except Stopped as stopped:
            return DOES, str(stopped), []
        finally:
            self.guard.on = False
        (answer,) = ANSWERS
        assert answer.given, "an answer, whatever it is"
        if self.refusals:
            (error,) = self.refusals
            assert explain(error, lambda key, /, **_: key) is not None, repr(error)
            if isinstance(error, NotFound):
                return NONE, "", answer.shown
            return REFUSED, str(getattr(error, "code", "")) or type(error).__name__, answer.shown
        return READS, "", answer.shown

    async def control(self, who: str, place: str, table: Table | None, name: str) -> Any:
        """A control pressed, or a form sent, with an id made by hand. name: its verb, and what about."""
        verb, _, about = name.partition(" ")
        ident = table.id if table else UNKNOWN
        revision = table.revision if table else 1
        argument, values = self.argument(table, verb, about)
        draft = self.drafts.get(verb, ("", ""))[0]
        self.guard.draft_text = draft
        kind = "m" if verb == "write" else "s" if values else "b"  # a form as it is sent
        custom = f"p{kind}:{ident}:{revision}:{verb}:{argument}"
        data: dict[str, Any] = {"custom_id": custom}
        if kind == "m":
            data["components"] = [{"type": 18, "component": {"type": 4, "custom_id": "text", "value": "end"}}]
        else:
            data |= {"component_type": 3 if values else 2} | ({"values": values} if values else {})
            if verb == "invite":
                data["resolved"] = {"users": {values[0]: {"id": values[0], "username": FOREIGN}}}
        made = self.interaction(who, place, 5 if kind == "m" else 3, data)
        return await self.tried(self.sim.bot.router.component(made, custom))

    def argument(self, table: Table | None, verb: str, about: str) -> tuple[str, list[str]]:
        match verb:
            case "ask" if about == "kick":  # as menus did once
                return f"kick.{self.seat(table, SEAT)}", []
            case "ask":
                return about, []
            case "yes" | "no":
                votes = [vote for vote in table.votes if vote.kind == about] if table else []
                seat, opened = (votes[0].seat, votes[0].opened) if votes else (1, 1)
                return f"{about}.{'' if seat is None else seat}.{opened}", []
            case "resign" | "end":
                return "sure", []
            case "rules" | "section":
                return "topominos.1", []
            case "dismiss":
                return "legend.topominos", []
            case "sit":
                return str(self.free(table)), []
            case "people" if about in {"host", "kick"}:
                return "", [f"{about}.{self.seat(table, SEAT)}.{self.person(SEAT).id}"]
            case "people":
                return "", [f"{about}.{self.free(table)}.0"]
            case "invite":  # whom, is told beside it: see `control`
                return "", [str(self.person(FOREIGN).id)]
            case "withdraw":
                return "", [str(self.person(INVITED).id)]
            case "restrict" | "hints":
                return "on", []
            case "partner":  # a computer player
                return "", ["2.0"]
            case "pick":
                return self.drafts[verb][1], [self.piece]
            case verb if verb in self.drafts:
                return self.drafts[verb][1], []
        return "", []

    def free(self, table: Table | None) -> int:
        seats = table.seats if table else ()
        kinds = (SeatKind.OPEN, SeatKind.STAND_IN)
        return next((seat.index for seat in seats if seat.kind in kinds), 2)

    def seat(self, table: Table | None, who: str) -> int:
        seat = table.seat_of(self.person(who).id) if table else None
        return seat.index if seat else 0

    async def command(self, who: str, place: str, table: Table | None, name: str) -> Any:
        ident = table.id if table else UNKNOWN
        actor, channel = self.at(who, place)
        given: dict[str, Any] = {}
        match name.split():
            case ["table", "vote"]:
                given["question"] = "end"
            case ["table", "seat"]:
                given["number"] = self.free(table) + 1
            case ["table", "host"]:
                given["player"] = self.people[SEAT][1].user
            case [_, "move"]:
                given["move"] = "end"
            case ["parlour", "language"]:
                given["language"] = "de"
            case ["parlour", "threads"]:
                given["on"] = True
            case ["parlour", "theme"]:
                given["theme"] = "light"
            case ["parlour", "limit"]:
                given["tables"] = 3
            case ["parlour", "clock"]:
                given["time"] = 300
            case ["parlour", "channel"]:
                given["channel"] = channel
            case ["parlour", "opener" | "ender"]:
                given["role"] = actor.guild.default_role
        root = self.sim.env.backend.find_command(name.split(maxsplit=1)[0], None, type=1)
        assert root is not None
        leaf, nesting = interactions.walk_to_subcommand(root, name.split()[1:])
        if any(option["name"] == "table" for option in leaf.get("options") or []):
            given["table"] = ident
        options, resolved = interactions.build_options(actor, name, leaf, given, channel_id=channel.id)
        data: dict[str, Any] = {
            "id": root["id"],
            "name": root["name"],
            "type": 1,
            "options": interactions.nest_options(root, nesting, options),
        }
        if resolved:
            data["resolved"] = resolved
        self.guard.draft_text = ""
        made = self.interaction(who, place, 2, data)
        return await self.tried(self.sim.bot.tree._call(made))


@pytest.fixture
async def stage(make_sim: Any, monkeypatch: pytest.MonkeyPatch) -> Stage:
    stores: list[Guard] = []

    async def guarded(settings: Settings) -> Any:
        stores.append(Guard(await open_store(settings)))
        return stores[-1]

    monkeypatch.setattr("bot.client.open_store", guarded)
    sim = await make_sim()
    [guard] = stores
    bot = sim.bot
    monkeypatch.setattr("cogs.input.router.Answer", Told)

    async def nothing(*_: object, **__: object) -> tuple[()]:
        return ()

    for name in ("of_table", "of_hand"):
        monkeypatch.setattr(bot.services.pictures, name, nothing)
    for name in ("touch", "refresh", "release", "mark", "look_at_hands"):
        monkeypatch.setattr(bot.services.repaints, name, lambda *_, **__: None)
    bot.tables._line._listeners.clear()  # nobody paints or plays meanwhile
    made = await Stage.open(sim, guard)
    real = bot.router.fail

    async def fail(error: BaseException, *rest: Any) -> None:
        made.refusals.append(error)
        await real(error, *rest)

    monkeypatch.setattr(bot.router, "fail", fail)

    def explained(error: BaseException, say: Any) -> str | None:  # beside the page, of a written move
        made.refusals.append(error)
        return explain(error, say)

    monkeypatch.setattr("cogs.game_cog.explain", explained)
    return made


def everyone(status: str, act: str, every: bool) -> list[tuple[str, str]]:
    """Who tries an act, and from where: from one place each, or from all of them."""
    found = []
    for who in PEOPLE:
        if status == LOBBY and who == ACTS:
            continue  # nobody has the turn before the start
        places = WHERE[who]
        chosen = zlib.crc32(f"{status} {act} {who}".encode()) % len(places)
        found += [(who, place) for place in (places if every else places[chosen : chosen + 1])]
    return found


def wanted(act: expected.Act, status: str, who: str, place: str) -> str:
    may = act.may(status)
    if who not in EVERYBODY:
        return NONE
    by_right = who == MANAGER and SPECTATOR not in may.does  # else as anybody who looks on
    if who in may.does and (place in HERE or not by_right):
        return DOES
    return READS if who in may.reads else REFUSED


def lines(shown: list[Any]) -> set[str]:
    """Every line of text in an answer."""
    found: set[str] = set()

    def walk(part: Any) -> None:
        if isinstance(part, dict):
            for value in part.values():
                walk(value)
        elif isinstance(part, list | tuple):
            for value in part:
                walk(value)
        elif isinstance(part, str):
            found.update(part.splitlines())

    walk(shown)
    return found


class Judge:
    """Holds what came of each try against what is expected."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.wrong: list[str] = []
        self.secrets: dict[str, set[str]] = {}

    async def learn(self) -> None:
        """The lines that a player reads in the board as text, and nobody who looks on."""
        for status in (PLAYING, PAUSED):
            read = {
                who: lines((await self.stage.control(who, CHANNEL, self.stage.tables[status], "text"))[2])
                for who in (*SEATED, SPECTATOR)
            }
            self.secrets[status] = set().union(*(read[who] for who in SEATED)) - read[SPECTATOR]
            assert self.secrets[status]

    async def hold(self, status: str, who: str, place: str, name: str, want: str, act: Any) -> None:
        """act: called with the table, or with None for an id that does not exist."""
        tables = self.stage.given_up if "open_seat" in name else {}
        table = tables.get(status, self.stage.tables[status])
        got, why, shown = await act(table)
        at = f"{status}: {name} by {who}, {place}"
        if got != want:
            self.wrong.append(f"{at}: {got} {why}, not {want}")
        if any(public for _, public, _, _ in shown):
            self.wrong.append(f"{at}: answered before everybody")
        if who not in SEATED and lines(shown) & self.secrets.get(status, set()):
            self.wrong.append(f"{at}: shows a hand")
        if want == NONE:
            _, _, unknown = await act(None)
            if repr(shown).replace(table.id, UNKNOWN) != repr(unknown):
                self.wrong.append(f"{at}: is told more than of an unknown id")


EVERY = swept([False, True])


@pytest.mark.parametrize("every", EVERY)
async def test_every_control_does_for_whom_it_may_and_for_nobody_else(stage: Stage, every: bool) -> None:
    judge = Judge(stage)
    await stage.give_up()
    await judge.learn()
    for status in STATUSES:
        for name, act in expected.VERBS.items():
            for who, place in everyone(status, name, every):
                want = wanted(act, status, who, place)
                if name in NOT_OFFERED and want == DOES:
                    want = REFUSED
                attempt = functools.partial(stage.control, who, place, name=name)
                await judge.hold(status, who, place, name, want, attempt)
    assert judge.wrong == []


@pytest.mark.parametrize("every", EVERY)
async def test_every_command_does_for_whom_it_may_and_for_nobody_else(stage: Stage, every: bool) -> None:
    judge = Judge(stage)
    await judge.learn()
    for status in STATUSES:
        for name, act in expected.COMMANDS.items():
            for who, place in everyone(status, name, every):
                if place == DM and name.endswith(" move"):
                    continue  # Discord offers a game's commands on servers alone
                attempt = functools.partial(stage.command, who, place, name=name)
                await judge.hold(status, who, place, name, wanted(act, status, who, place), attempt)
    assert judge.wrong == []


async def test_the_staffs_commands_are_for_those_who_manage_the_server_they_are_used_on(stage: Stage) -> None:
    judge = Judge(stage)
    await judge.learn()
    for status in STATUSES:
        for name, act in expected.STAFF.items():
            for who, place in everyone(status, name, True):
                if place == DM:
                    continue
                may = act.may(status)
                if who == FOREIGN and place == ELSEWHERE:  # there they manage, and find no table of here
                    want = NONE if name == "parlour end" else DOES if may.does else READS
                elif who != MANAGER or place == ELSEWHERE:
                    want = REFUSED
                else:
                    want = DOES if may.does else READS if may.reads else REFUSED
                attempt = functools.partial(stage.command, who, place, name=name)
                await judge.hold(status, who, place, name, want, attempt)
    assert judge.wrong == []


async def test_what_is_the_owners_is_nobody_elses(stage: Stage) -> None:
    judge = Judge(stage)
    await judge.learn()
    for name in expected.OWNERS:
        for who, place in everyone(PLAYING, name, True):
            if place != DM:
                attempt = functools.partial(stage.command, who, place, name=name)
                await judge.hold(PLAYING, who, place, name, REFUSED, attempt)
    assert judge.wrong == []


async def test_nothing_that_can_be_tried_is_left_out(stage: Stage) -> None:
    """A new command or verb must be written down in `expected`."""
    bot = stage.sim.bot
    verbs = {name.partition(" ")[0] for name in expected.VERBS}
    assert set(bot.router._handlers) == verbs | expected.OWN_VERBS
    commands = {
        command.qualified_name: {parameter.name for parameter in command.parameters}
        for command in bot.tree.walk_commands()
        if isinstance(command, discord.app_commands.Command)
    }
    assert commands.keys() == (
        expected.COMMANDS.keys() | expected.STAFF.keys() | expected.OWNERS.keys() | expected.FREE
    )
    with_table = {name for name, parameters in commands.items() if "table" in parameters}
    assert with_table == expected.COMMANDS.keys() | {"parlour end"}


async def test_lists_of_tables_offer_only_what_is_seen(stage: Stage) -> None:
    """Autocomplete: one's own, and those of the channel one is in."""
    cog = cast("Tables", stage.sim.bot.get_cog("Tables"))
    game = cast("Topominos", stage.sim.bot.get_cog("Topominos"))
    ids = {table.id for table in stage.tables.values()}
    for who, place in everyone(PLAYING, "", True):
        made = stage.interaction(who, place, 2, {"id": "1", "name": "table", "type": 1})
        offered = {choice.value for choice in await cog.complete(made, "")}
        if who in SEATED:
            open_ids = {stage.tables[status].id for status in (PLAYING, PAUSED)}
            assert offered >= open_ids - ({stage.tables[LOBBY].id} if who == ACTS else set())
        elif place == CHANNEL:
            assert offered == ids
        else:
            assert offered == set()
        moves = await game.complete_move(made, stage.tables[PLAYING].id, "")
        assert bool(moves) == (who == ACTS)


def test_the_page_for_readers_is_up_to_date() -> None:
    shown = (Path(__file__).parents[2] / "docs" / "access.md").read_text(encoding="utf-8")
    assert shown == expected.page()
