"""What the five game cogs share: `/<slash> new|move|rules`, and the private page of a seat.

A game's cog names its game and slash command and gives `step`, the pure function that says which choice of
a move comes next. Options become typed slash parameters from the game's own option list.
"""

from __future__ import annotations

import asyncio
import inspect
from abc import abstractmethod
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.locale import keys, sayer, text
from bot.rules.errors import RulesError
from bot.rules.game import AnyGame, Option, Say, View
from bot.rules.registry import game as rules_of
from bot.tables.model import ClockRule, Place, Seen, Status, Table
from bot.tables.ports import NotFound, Refusal
from bot.text import cut

from . import ids, steps, words
from .access import reach
from .errors import Denied, explain
from .hand import Hands, hand_page, may_act
from .house import House
from .lobby import lobby_page
from .page import OPTION_TEXT, Button, Buttons, Page, Text, note, page
from .painter import FOR_THREADS, NEEDED, NEEDED_IN_THREAD
from .router import Press, Router
from .steps import Step

if TYPE_CHECKING:
    from bot.client import Parlour

NO_CLOCK = 0  # the choice that means none
CLOCKS = (30, 60, 300, 3600, 43_200, 86_400, 259_200, 604_800, 1_209_600)  # seconds per turn offered by name
SUGGESTIONS = 25


def local(key: str, **values: object) -> locale_str:
    """A command text that the translator looks up by its catalogue key."""
    return locale_str(text("en", key, **values), key=key, values=values)


class GameCog(commands.Cog):
    """Base of every game's cog."""

    game_id: ClassVar[str]
    slash: ClassVar[str]  # name of the slash command

    def __init__(self, bot: Parlour) -> None:
        self.bot = bot
        self.house: House = bot.house
        self.router: Router = bot.router
        self.game: AnyGame = rules_of(self.game_id)
        self.hands = Hands(self.house, self.private_page)
        self.group = self._group()

    @abstractmethod
    def step(self, view: View, draft: str) -> Step:
        """The next choice of `view.seat`'s move, after the part `draft` of it; pure. The view's seat may
        act."""

    def suggest(self, view: View, typed: str) -> list[str]:
        """What autocomplete offers for a typed move. A game whose list would explode gives its own."""
        return next_parts(self.game.legal(view), typed)

    async def cog_load(self) -> None:
        # Loaded now and beside the event loop: fonts and sprites take longer than a click may wait.
        for module in (f"rendering.{self.game_id}", f"bot.players.{self.game_id}"):
            await asyncio.to_thread(import_module, module)
        self.house.games[self.game_id] = self
        self.bot.tree.add_command(self.group)

    async def cog_unload(self) -> None:
        self.house.games.pop(self.game_id, None)
        self.bot.tree.remove_command(self.group.name)

    # the private page

    async def private_page(
        self,
        seen: Seen,
        language: str,
        say: Say,
        *,
        remark: str = "",
        as_text: bool = False,
        heading: str = "",
        returns: int = 0,
    ) -> Page:
        """What `seen.seat` sees, with the open choice. For somebody without a seat: the public board."""
        table, view = seen.table, seen.view
        if view is None:
            key = {Status.ASIDE: "table.aside", Status.ENDED: f"tables.ending.{table.ending}"}
            said = say(key.get(table.status, "table.nothing_yet"))
            return page(Text("\n".join(filter(None, (heading, remark, said)))))
        step: Step | None = None
        draft, before = "", None
        if may_act(table, seen.seat, view):
            draft, step, before = await self.house.off_loop(self._open_step, view, seen.draft)
        pictures = (
            await self.house.hand_pictures(
                table, view, say, targets=step.targets if step else (), draft=draft
            )
            if seen.seat is not None
            else await self.house.table_pictures(table, view, say)
        )
        return hand_page(
            seen,
            step,
            draft,
            before is not None,
            pictures,
            language,
            say,
            remark=remark,
            as_text=as_text,
            heading=heading,
            returns=returns,
        )

    def _open_step(self, view: View, draft: str) -> tuple[str, Step, str | None]:
        """The settled draft, its step, and the draft that a way back leads to. Of a large list this takes
        longer than the event loop may be held."""
        draft, step = steps.settle(self.step, view, draft)
        return draft, step, steps.back(self.step, view, step)

    # the slash commands

    def _group(self) -> app_commands.Group:
        group = app_commands.Group(
            name=self.slash,
            description=local("command.game", game=text("en", f"{self.game_id}.name")),
            guild_only=True,
        )
        group.add_command(self._new())
        group.add_command(self._move())
        group.add_command(self._rules())
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
        parameter("clock", int, local("command.new.clock"))
        choices["clock"] = [
            app_commands.Choice(name=local("admin.no_clock"), value=NO_CLOCK),
            *(
                app_commands.Choice(name=local(f"common.{unit}", n=count), value=seconds)
                for seconds in CLOCKS
                for unit, count in (words.largest_unit(seconds),)
            ),
        ]
        parameter("timeout", str, local("command.new.timeout"))
        choices["timeout"] = [
            app_commands.Choice(name=local(f"command.new.timeout.{way}"), value=way)
            for way in ("stand_in", "vote")
        ]
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

            await router.run(interaction, handle, where=f"/{self.slash} new", public=True)

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
                await press.show(rules_page(self.game_id, 1, press.language, press.say))

            await self.router.run(interaction, handle, where=f"/{self.slash} rules")

        return app_commands.Command(name="rules", description=local("command.rules"), callback=rules)

    # what they do

    async def open(self, press: Press, given: Mapping[str, Any]) -> None:
        """`new`: check that the bot can play here, open the table, and answer with its lobby."""
        interaction, house = press.interaction, self.house
        guild, channel = interaction.guild_id, interaction.channel_id
        if guild is None or channel is None:
            raise Denied("error.server_only")
        until = house.io.timed_out(guild)
        if until is not None:
            raise Denied("error.timed_out", when=words.when(until))
        in_thread = isinstance(interaction.channel, discord.Thread)
        needed = NEEDED_IN_THREAD if in_thread else NEEDED
        have = interaction.app_permissions
        missing = [name for name in needed if not getattr(have, name)]
        if missing:
            names = ", ".join(press.say(f"permission.{name}") for name in missing)
            raise Denied("error.bot_lacks", permissions=names)
        options = {
            option.name: given[f"option_{option.name.replace('-', '_')}"]
            for option in self.game.option_list
            if given.get(f"option_{option.name.replace('-', '_')}") is not None
        }
        usual = (await house.tables.guild(guild)).clock
        seconds = given["clock"] if given.get("clock") is not None else usual.seconds
        clock = ClockRule(None if seconds == NO_CLOCK else seconds, given.get("timeout") or usual.on_timeout)
        change = await house.tables.open(
            press.person,
            Place(guild, channel),
            self.game_id,
            options,
            people=given.get("players"),
            clock=clock,
            computers=given.get("computers") or 0,
            parent=interaction.channel.parent_id if isinstance(interaction.channel, discord.Thread) else None,
        )
        say = await house.say_at(guild)
        message = await house.mail.post_as_answer(change.table, press.answer, lobby_page(change.table, say))
        house.painter.release(change.table.id, change.table.revision if message is not None else 0)
        lacking = [] if in_thread else [name for name in FOR_THREADS if not getattr(have, name)]
        if message is not None and lacking and (await house.tables.guild(guild)).threads:
            names = ", ".join(press.say(f"permission.{name}") for name in lacking)
            await press.show(note(press.say("table.no_thread", permissions=names)))

    async def typed_move(self, press: Press, move: str, table: str | None) -> None:
        chosen = await self.find_table(press.interaction, table)
        if chosen is None:
            raise Denied("error.not_playing" if table else "error.which_table")
        try:
            await self.house.tables.typed(chosen.id, press.person, move)
        except (Refusal, RulesError) as error:
            await self.show_current(press, chosen.id, explain(error, press.say) or "")
            return
        await self.show_current(press, chosen.id, press.say("table.played"))

    async def show_current(
        self, press: Press, table: str, remark: str = "", *, seen: Seen | None = None, returns: int = 0
    ) -> None:
        """The private page as it is now, in place of the private message pressed or as a new one. seen: where
        it was just looked up. returns: how often the player went back on it."""
        seen = seen or await self.house.tables.view(table, press.person.id)
        remark = "\n".join(filter(None, (remark, await press.told(seen.table.place.guild))))
        heading = ""
        if press.interaction.guild_id is None:  # beside the hands of other tables
            heading = press.say("hand.heading", game=press.say(f"{self.game_id}.name"), table=table)
        sheet = await self.private_page(
            seen,
            press.language,
            press.say,
            remark=remark,
            as_text=press.settings.text_board,
            heading=heading,
            returns=returns,
        )
        await press.turn_to(sheet)

    async def find_table(self, interaction: discord.Interaction[Any], given: str | None) -> Table | None:
        """The table meant: the one named, whatever its status (why nothing can be moved there is told then);
        else the only one that fits, first of those played in this channel. Raises NotFound."""
        user, channel = interaction.user.id, interaction.channel_id
        if given:
            named = await reach(self.house, interaction, given.strip().upper())
            return named if named.game == self.game_id and named.seat_of(user) is not None else None
        every = [table for table in await self.house.tables.tables_of(user) if table.game == self.game_id]
        mine = [table for table in every if table.status is Status.PLAYING] or every
        here = [table for table in mine if channel in {table.place.channel, table.place.thread}]
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
        seen = await self.house.tables.view(chosen.id, interaction.user.id)
        if seen.view is None or not may_act(seen.table, seen.seat, seen.view):
            return []
        return await self.house.off_loop(self.suggest, seen.view, typed)

    async def complete_table(self, user: int, locale: str, typed: str) -> list[app_commands.Choice[str]]:
        say = sayer(await self.house.language_of(user, locale))
        found = []
        for table in await self.house.tables.tables_of(user):
            if table.game != self.game_id or typed.strip().upper() not in table.id:
                continue
            players = ", ".join(words.bare_names(table, say))
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


def rules_page(game: str, number: int, language: str, say: Say) -> Page:
    """One section of the rules, with the way to the others."""
    count = House.rule_sections(game, language)
    number = min(max(number, 1), max(count, 1))
    key = f"{game}.rules.{number}"
    title = say("rules.title", game=say(f"{game}.name"), number=number, count=count)
    body = say(key) if key in keys("en") else say("rules.none")
    buttons = []
    if number > 1:
        buttons.append(Button(say("rules.previous"), ids.button(None, 0, "section", f"{game}.{number - 1}")))
    if number < count:
        buttons.append(
            Button(say("rules.next"), ids.button(None, 0, "section", f"{game}.{number + 1}"), "primary")
        )
    return page(Text(title), Text(body), Buttons(tuple(buttons)) if buttons else None)
