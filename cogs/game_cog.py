"""What the games' cogs share: `/<slash> new|move|rules|learn`, and the private page of a seat.

A game's cog names its game and slash command and gives `step`, the pure function that says which choice of
a move comes next. Options become typed slash parameters from the game's own option list.
"""

from __future__ import annotations

import asyncio
import inspect
from abc import abstractmethod
from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.discord_io import FOR_THREADS
from bot.lessons import lesson_of
from bot.levels import Level
from bot.locale import sayer, text
from bot.rules.errors import Illegal, RulesError, Unreadable
from bot.rules.game import Game, Option, ViewT
from bot.rules.registry import GAMES
from bot.rules.registry import game as rules_of
from bot.tables.model import ClockRule, Status, Table
from bot.tables.needs import need_open, need_seat
from bot.tables.ports import NotFound, Refusal
from bot.tables.seating import fewest_opponents
from bot.tables.taps import Tried
from bot.text import cut

from .client import Client
from .input.access import reach, table_of_thread
from .input.errors import Denied, explain
from .input.press import Press
from .input.router import Router
from .services import Services
from .surfaces import wording
from .surfaces.components import OPTION_TEXT, note
from .surfaces.hand import may_act
from .surfaces.lobby import lobby_page
from .surfaces.steps import Step
from .verbs.lessons import begin
from .verbs.opening import opening, place_of, place_to_play
from .verbs.private import show_current, show_tapped
from .verbs.reading import section_page

NO_CLOCK = 0  # the choice that means none
CLOCKS = (30, 60, 300, 3600, 43_200, 86_400, 259_200, 604_800, 1_209_600)  # seconds per turn offered by name
SUGGESTIONS = 25


AnyCommand = TypeVar("AnyCommand", app_commands.Group, app_commands.Command[Any, Any, Any])


def anywhere(command: AnyCommand) -> AnyCommand:
    """A command for everybody, on servers and in direct messages, whether or not the bot is there."""
    command.allowed_contexts = app_commands.AppCommandContext(
        guild=True, dm_channel=True, private_channel=True
    )
    command.allowed_installs = app_commands.AppInstallationType(guild=True, user=True)
    return command


def local(key: str, **values: object) -> locale_str:
    """A command text that the translator looks up by its catalogue key."""
    return locale_str(text("en", key, **values), key=key, values=values)


class GameCog(commands.Cog, Generic[ViewT]):
    """Base of every game's cog."""

    game_id: ClassVar[str]
    slash: ClassVar[str]  # name of the slash command

    def __init__(self, bot: Client) -> None:
        self.bot = bot
        self.services: Services = bot.services
        self.router: Router = bot.router
        self.game: Game[ViewT] = rules_of(self.game_id)
        self.group = self._group()

    @abstractmethod
    def step(self, view: ViewT, draft: str) -> Step:
        """The next choice of `view.seat`'s move, after the part `draft` of it; pure. The view's seat may
        act."""

    def suggest(self, view: ViewT, typed: str) -> list[str]:
        """What autocomplete offers for a typed move. A game whose list would explode gives its own."""
        return next_parts(self.game.legal(view), typed)

    async def cog_load(self) -> None:
        # Loaded now and beside the event loop: fonts and sprites take longer than a click may wait.
        parts = GAMES[self.game_id]
        for module in (parts.pictures, parts.players):
            await asyncio.to_thread(import_module, module)
        self.services.private.offer(self.game_id, self.step)
        self.bot.tree.add_command(self.group)

    async def cog_unload(self) -> None:
        self.services.private.withdraw(self.game_id)
        self.bot.tree.remove_command(self.group.name)

    # the slash commands

    def _group(self) -> app_commands.Group:
        group = app_commands.Group(
            name=self.slash,
            description=local("command.game", game=text("en", f"{self.game_id}.name")),
        )
        anywhere(group)
        group.add_command(self._new())
        group.add_command(self._move())
        group.add_command(self._rules())
        if lesson_of(self.game_id) is not None:
            group.add_command(self._learn())
        return group

    def _new(self) -> app_commands.Command[Any, ..., None]:
        """`new`, with one parameter per option of the game."""
        rules = self.game
        parameters: list[inspect.Parameter] = []
        descriptions: dict[str, locale_str] = {}
        renames: dict[str, locale_str | str] = {}
        choices: dict[str, list[app_commands.Choice[Any]]] = {}

        def parameter(name: str, annotation: Any, description: locale_str) -> None:
            parameters.append(
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
            )
            descriptions[name] = description

        if rules.max_seats > rules.min_seats:
            parameter(
                "players",
                app_commands.Range[int, rules.min_seats, rules.max_seats],
                local("command.new.players"),
            )
        if rules.max_seats > 1:
            parameter(
                "computers", app_commands.Range[int, 0, rules.max_seats - 1], local("command.new.computers")
            )
            parameter("strength", str, local("command.new.strength"))
            choices["strength"] = [
                app_commands.Choice(name=local(f"tables.level.{level.value}"), value=level.value)
                for level in Level
            ]
        parameter("clock", int, local("command.new.clock"))
        choices["clock"] = [
            app_commands.Choice(name=local("admin.no_clock"), value=NO_CLOCK),
            *(
                app_commands.Choice(name=local(f"common.{unit}", n=count), value=seconds)
                for seconds in CLOCKS
                for unit, count in (wording.largest_unit(seconds),)
            ),
        ]
        parameter("timeout", str, local("command.new.timeout"))
        choices["timeout"] = [
            app_commands.Choice(name=local(f"command.new.timeout.{way}"), value=way)
            for way in ("stand_in", "vote")
        ]
        parameter("by_invitation", bool, local("command.new.by_invitation"))
        renames["by_invitation"] = "by-invitation"
        for option in rules.option_list:
            name = f"option_{option.name.replace('-', '_')}"
            parameter(name, _annotation(option), local(f"{rules.id}.option.{option.name}.help"))
            renames[name] = option.name.replace("_", "-")
            if option.kind == "choice":
                choices[name] = [
                    app_commands.Choice(name=local(f"{rules.id}.option.{option.name}.{choice}"), value=choice)
                    for choice in option.choices
                ]
        router = self.router

        async def new(interaction: discord.Interaction[Any], **given: Any) -> None:
            async def handle(press: Press) -> None:
                await self.open(press, given)

            public = place_of(self.services, interaction) is not None
            await router.run(interaction, handle, where=f"/{self.slash} new", public=public)

        first = inspect.Parameter(
            "interaction", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=discord.Interaction
        )
        new.__signature__ = inspect.Signature([first, *parameters])  # type: ignore[attr-defined]
        app_commands.describe(**descriptions)(new)
        if renames:
            app_commands.rename(**renames)(new)
        if choices:
            app_commands.choices(**choices)(new)
        return app_commands.Command(name="new", description=local("command.new"), callback=new)

    def _move(self) -> app_commands.Command[Any, ..., None]:
        async def move(interaction: discord.Interaction[Any], move: str, table: str | None = None) -> None:
            async def handle(press: Press) -> None:
                await self.typed_move(press, move, table)

            await self.router.run(interaction, handle, where=f"/{self.slash} move")

        async def moves(
            interaction: discord.Interaction[Any], current: str
        ) -> list[app_commands.Choice[str]]:
            table = getattr(interaction.namespace, "table", None)
            return [
                app_commands.Choice(name=found, value=found)
                for found in await self.complete_move(interaction, table, current)
            ]

        async def tables(
            interaction: discord.Interaction[Any], current: str
        ) -> list[app_commands.Choice[str]]:
            return await self.complete_table(interaction.user.id, str(interaction.locale), current)

        app_commands.describe(move=local("command.move.move"), table=local("command.move.table"))(move)
        app_commands.autocomplete(move=moves, table=tables)(move)
        return app_commands.Command(name="move", description=local("command.move"), callback=move)

    def _rules(self) -> app_commands.Command[Any, ..., None]:
        async def rules(interaction: discord.Interaction[Any]) -> None:
            async def handle(press: Press) -> None:
                await press.show(await section_page(press, self.game_id, 0))

            await self.router.run(interaction, handle, where=f"/{self.slash} rules")

        return app_commands.Command(name="rules", description=local("command.rules"), callback=rules)

    def _learn(self) -> app_commands.Command[Any, ..., None]:
        async def learn(interaction: discord.Interaction[Any]) -> None:
            async def handle(press: Press) -> None:
                await begin(press, self.game_id)

            await self.router.run(interaction, handle, where=f"/{self.slash} learn")

        return app_commands.Command(name="learn", description=local("command.learn"), callback=learn)

    # what they do

    async def open(self, press: Press, given: Mapping[str, Any]) -> None:
        """`new`: check that the bot can play here, open the table, and answer with its lobby."""
        interaction, services = press.interaction, self.services
        place, parent = place_to_play(press)
        guild = place.guild
        options = {
            option.name: given[f"option_{option.name.replace('-', '_')}"]
            for option in self.game.option_list
            if given.get(f"option_{option.name.replace('-', '_')}") is not None
        }
        settings = await services.tables.guild(guild)
        usual = settings.clock
        seconds = given["clock"] if given.get("clock") is not None else usual.seconds
        clock = ClockRule(None if seconds == NO_CLOCK else seconds, given.get("timeout") or usual.on_timeout)
        people, computers, strength = (given.get(name) for name in ("players", "computers", "strength"))
        if strength and computers is None and people != 1:  # who chooses an opponent's strength wants one
            computers = fewest_opponents(self.game_id, options)
        if strength and not computers:
            raise Denied("error.no_computers")
        change = await services.tables.open(
            press.person,
            place,
            self.game_id,
            options,
            people=people,
            clock=clock,
            computers=computers or 0,
            level=Level(strength or Level.MEDIUM),
            parent=parent,
            by_invitation=bool(given.get("by_invitation")),
        )
        async with opening(press, change.table) as made:
            say = await services.languages.say_at(guild) if guild else press.say
            theme = settings.theme if guild else press.settings.theme
            cover = await services.pictures.cover(change.table, say, theme=theme)
            reader = None if guild else press.person.id
            page = lobby_page(change.table, say, cover, reader=reader)
            if await services.posts.post_as_answer(change.table, press.answer, page) is not None:
                made.shown = change.table.revision
        have = interaction.app_permissions
        unthreaded = [name for name in FOR_THREADS if parent is None and not getattr(have, name)]
        if guild and made.shown and unthreaded and settings.threads:
            names = ", ".join(press.say(f"permission.{name}") for name in unthreaded)
            await press.show(note(press.say("table.no_thread", permissions=names)))

    async def typed_move(self, press: Press, move: str, table: str | None) -> None:
        chosen = await self.find_table(press.interaction, table)
        if chosen is None:
            there = None if table else await table_of_thread(self.services, press.interaction)
            if there is not None and there.game == self.game_id:
                need_open(there)
                need_seat(there, press.person.id)
            raise Denied("error.not_playing" if table else "error.which_table")
        with self.services.panels.expected(press.interaction, chosen.id):
            try:
                tapped = await self.services.tables.tap(
                    chosen.id, press.person, None, lambda seen: Tried(move, written=True)
                )
            except (Refusal, RulesError) as error:
                told = [explain(error, press.say) or "", await self.example_for(press, chosen.id, error)]
                await show_current(press, chosen.id, " ".join(filter(None, told)))
                return
            await show_tapped(press, tapped)

    async def example_for(self, press: Press, table: str, error: Refusal | RulesError) -> str:
        """For whom a typed move was refused: one that is right now. "" where there is none."""
        if not isinstance(error, Illegal | Unreadable):
            return ""
        seen = await self.services.tables.view(table, press.person.id)
        if seen.view is None or not may_act(seen.table, seen.seat, seen.view):
            return ""
        rules = rules_of(self.game_id, seen.table.rules_version)
        return press.say("error.example", move=rules.written_example(rules.choice(seen.view)))

    async def find_table(self, interaction: discord.Interaction[Any], given: str | None) -> Table | None:
        """The table meant: the one named, whatever its status (why nothing can be moved there is told then);
        else the only one that fits, first of those played in this channel. Raises NotFound."""
        user, channel = interaction.user.id, interaction.channel_id
        if given:
            named = await reach(self.services, interaction, given.strip().upper())
            return named if named.game == self.game_id and named.seat_of(user) is not None else None
        every = [table for table in await self.services.tables.tables_of(user) if table.game == self.game_id]
        mine = [table for table in every if table.status is Status.PLAYING] or every
        here = [table for table in mine if table.place.takes_in(channel)]
        for some in (here, mine):
            turn = [table for table in some if (seat := table.seat_of(user)) is not None and seat.since]
            if len(turn) == 1:
                return turn[0]
            if len(some) == 1:
                return some[0]
        return None

    async def complete_move(
        self, interaction: discord.Interaction[Any], table: str | None, typed: str
    ) -> list[str]:
        try:
            chosen = await self.find_table(interaction, table)
        except NotFound:
            return []
        if chosen is None:
            return []
        seen = await self.services.tables.view(chosen.id, interaction.user.id)
        if seen.view is None or not may_act(seen.table, seen.seat, seen.view):
            return []
        return await self.services.pictures.off_loop(self.suggest, seen.view, typed)

    async def complete_table(self, user: int, locale: str, typed: str) -> list[app_commands.Choice[str]]:
        say = sayer(await self.services.languages.of(user, locale))
        found = []
        for table in await self.services.tables.tables_of(user):
            if table.game != self.game_id or typed.strip().upper() not in table.id:
                continue
            players = ", ".join(wording.bare_names(table, say))
            name = say("command.table.choice", table=table.id, names=players)
            found.append(app_commands.Choice(name=cut(name, OPTION_TEXT), value=table.id))
        return found[:SUGGESTIONS]


def _annotation(option: Option) -> Any:
    match option.kind:
        case "choice":
            return str
        case "flag":
            return bool
        case "number":
            return app_commands.Range[int, option.minimum, option.maximum]


def next_parts(moves: list[str], typed: str) -> list[str]:
    """Up to 25 moves that go on from what was typed; where there are more, only their next parts."""
    wanted = " ".join(typed.split()).casefold()
    fitting = [move for move in moves if move.casefold().startswith(wanted)]
    if not fitting and wanted:
        fitting = [move for move in moves if wanted in move.casefold()]
    if len(fitting) <= SUGGESTIONS:
        return fitting
    parts: dict[str, None] = {}
    for move in fitting:
        ends = [at for at in range(len(wanted) + 1, len(move)) if move[at] in " @"]
        parts[move[: ends[0]] if ends else move] = None
    return list(parts)[:SUGGESTIONS]
