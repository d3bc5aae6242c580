"""`/games`: all my tables. `/table …`: what can be done at one beside moving."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.locale import sayer
from bot.tables.model import Status, Table, VoteKind
from bot.tables.needs import need_open
from bot.text import cut
from bot.verifying import MOST_RECORD, verification_line, verify_in_process
from cogs import custom_ids
from cogs.client import Client
from cogs.delivery.panels import Kind, Sheet
from cogs.game_cog import anywhere, local
from cogs.input.access import may_see, reach, table_of_thread
from cogs.input.errors import Denied
from cogs.input.press import Press
from cogs.input.router import Handler
from cogs.surfaces import wording
from cogs.surfaces.components import OPTION_TEXT, Button, Buttons, Page, Text, note, page
from cogs.surfaces.lobby import lobby_page
from cogs.verbs import menu, moves, reading, rematch, votes
from cogs.verbs.private import lead_to_copy, show_current

SHOWN = 25
QUEUE = 4  # records that wait to be verified


class Tables(commands.Cog):
    def __init__(self, bot: Client) -> None:
        self.bot = bot
        self.services = bot.services
        self._one_record = asyncio.Semaphore(1)  # is verified at a time
        self._records_waiting = 0
        self.group = self._group()

    async def cog_load(self) -> None:
        self.bot.tree.add_command(self.group)

    async def cog_unload(self) -> None:
        self.bot.tree.remove_command(self.group.name)

    @anywhere
    @app_commands.command(name=local("command.games.name"), description=local("command.games"))
    async def games(self, interaction: discord.Interaction[Any]) -> None:
        async def handle(press: Press) -> None:
            tables = await self.services.tables.tables_of(press.person.id)
            await press.show(games_page(tables, press))

        await self.bot.router.run(interaction, handle, where="/games")

    def _group(self) -> app_commands.Group:
        group = anywhere(app_commands.Group(name="table", description=local("command.tables")))
        router, services = self.bot.router, self.services

        def command(name: str, handle: Handler, *, over: bool = False) -> None:
            async def callback(interaction: discord.Interaction[Any], table: str | None = None) -> None:
                async def run(press: Press) -> None:
                    found = press.reached = await self.find(press, table, over=over)
                    press.control = custom_ids.Control("b", found.id, found.revision, name)
                    await handle(press)

                await router.run(interaction, run, where=f"/table {name}")

            app_commands.describe(table=local("command.table.table"))(callback)
            app_commands.autocomplete(table=self.complete)(callback)
            group.add_command(
                app_commands.Command(name=name, description=local(f"command.table.{name}"), callback=callback)
            )

        async def show(press: Press) -> None:
            table = await rematch.bring_here(press, await services.tables.table(press.table))
            services.repaints.refresh(table.id)
            seen = await services.tables.view(table.id, press.person.id, recap=True)
            if await lead_to_copy(press, seen):
                return
            if table.damaged or table.status is Status.LOBBY:
                cover = await services.pictures.cover(table, press.say, theme=press.settings.theme)
                await press.show(lobby_page(table, press.say, cover))
            elif table.status is Status.ENDED:
                services.private.step_of(table)
                outline = await services.private.outline(
                    seen,
                    press.language,
                    press.say,
                    theme=press.settings.theme,
                    as_text=press.settings.text_board,
                )
                await press.turn_to(Sheet(Kind.READING, outline))
            else:
                await show_current(press, table.id)

        async def pause(press: Press) -> None:
            await self._ask(press, VoteKind.PAUSE)

        async def resume(press: Press) -> None:
            await self._ask(press, VoteKind.RESUME)

        async def resign(press: Press) -> None:
            await menu.resign(press)

        async def cancel(press: Press) -> None:
            change = await services.tables.cancel(press.table, press.person)
            await press.show(note(press.say(f"tables.ending.{change.table.ending}")))

        async def end(press: Press) -> None:
            change = await services.tables.end(press.table, press.person)
            await press.show(note(press.say(f"tables.ending.{change.table.ending}")))

        for name, handler, over in (
            ("show", show, True),
            ("menu", menu.menu, False),
            ("history", reading.history, True),
            ("record", reading.record, True),
            ("resign", resign, False),
            ("cancel", cancel, False),
            ("end", end, False),
            ("rematch", rematch.rematch, True),
            ("undo", moves.undo, False),
            ("pause", pause, False),
            ("resume", resume, False),
            ("snooze", menu.snooze, False),
        ):
            command(name, handler, over=over)
        group.add_command(self._join())
        group.add_command(self._verify())
        group.add_command(self._vote())
        group.add_command(self._seat())
        group.add_command(self._host())
        return group

    async def _ask(self, press: Press, kind: VoteKind, seat: int | None = None) -> None:
        change = await self.services.tables.vote(press.table, press.person, kind, seat)
        lines = [
            wording.vote_line(change.table, vote, press.language, press.say) for vote in change.table.votes
        ]
        asked = any(vote.kind is kind for vote in change.table.votes)
        await press.show(note("\n".join([press.say("menu.asked" if asked else "menu.done"), *lines])))

    def _join(self) -> app_commands.Command[Any, ..., None]:
        async def join(interaction: discord.Interaction[Any], code: app_commands.Range[str, 1, 40]) -> None:
            async def run(press: Press) -> None:
                change = await self.services.tables.join_with(code.strip().upper(), press.person)
                await press.show(note(press.say("table.joined", table=change.table.id)))

            await self.bot.router.run(interaction, run, where="/table join")

        app_commands.describe(code=local("command.table.join.code"))(join)
        return app_commands.Command(name="join", description=local("command.table.join"), callback=join)

    def _verify(self) -> app_commands.Command[Any, ..., None]:
        async def verify(interaction: discord.Interaction[Any], file: discord.Attachment) -> None:
            async def run(press: Press) -> None:
                if file.size > MOST_RECORD:
                    raise Denied("verify.too_long", most=MOST_RECORD // 1024)
                if self._records_waiting >= QUEUE:
                    raise Denied("error.slow_down")
                self._records_waiting += 1
                try:
                    async with self._one_record:
                        data = await file.read()
                        found = await asyncio.to_thread(verify_in_process, data[: MOST_RECORD + 1])
                except discord.HTTPException as error:
                    raise Denied("verify.unread") from error
                finally:
                    self._records_waiting -= 1
                name = wording.plain(file.filename)
                await press.show(note(verification_line(name, found, wording.clean, press.say)))

            await self.bot.router.run(interaction, run, where="/table verify")

        app_commands.describe(file=local("command.table.verify.file"))(verify)
        return app_commands.Command(name="verify", description=local("command.table.verify"), callback=verify)

    def _vote(self) -> app_commands.Command[Any, ..., None]:
        async def vote(
            interaction: discord.Interaction[Any],
            question: str,
            seat: app_commands.Range[int, 1, 6] | None = None,
            table: str | None = None,
        ) -> None:
            async def run(press: Press) -> None:
                found = await self.find(press, table)
                press.control = custom_ids.Control("b", found.id, found.revision, "vote")
                await self._ask(press, VoteKind(question), None if seat is None else seat - 1)

            await self.bot.router.run(interaction, run, where="/table vote")

        app_commands.describe(
            question=local("command.table.vote.question"),
            seat=local("command.table.vote.seat"),
            table=local("command.table.table"),
        )(vote)
        app_commands.choices(
            question=[
                app_commands.Choice(name=local(f"command.table.vote.{kind.value}"), value=kind.value)
                for kind in VoteKind
            ]
        )(vote)
        app_commands.autocomplete(table=self.complete)(vote)
        return app_commands.Command(name="vote", description=local("command.table.vote"), callback=vote)

    def _seat(self) -> app_commands.Command[Any, ..., None]:
        async def seat(
            interaction: discord.Interaction[Any],
            number: app_commands.Range[int, 1, 6],
            table: str | None = None,
        ) -> None:
            async def run(press: Press) -> None:
                found = await self.find(press, table)
                change = await self.services.tables.take_seat(found.id, press.person, number - 1)
                await votes.show_seated(press, change)

            await self.bot.router.run(interaction, run, where="/table seat")

        app_commands.describe(number=local("command.table.seat.number"), table=local("command.table.table"))(
            seat
        )
        app_commands.autocomplete(table=self.complete)(seat)
        return app_commands.Command(name="seat", description=local("command.table.seat"), callback=seat)

    def _host(self) -> app_commands.Command[Any, ..., None]:
        async def host(
            interaction: discord.Interaction[Any], player: discord.User, table: str | None = None
        ) -> None:
            async def run(press: Press) -> None:
                found = await self.find(press, table)
                await self.services.tables.pass_host(found.id, press.person, player.id)
                await press.show(
                    note(press.say("table.host_passed", name=wording.plain(player.display_name)))
                )

            await self.bot.router.run(interaction, run, where="/table host")

        app_commands.describe(player=local("command.table.host.player"), table=local("command.table.table"))(
            host
        )
        app_commands.autocomplete(table=self.complete)(host)
        return app_commands.Command(name="host", description=local("command.table.host"), callback=host)

    # which table

    async def find(self, press: Press, given: str | None, *, over: bool = False) -> Table:
        """The table named; else the one of this channel or thread, one's own first; else the only one of
        one's own. over: an ended one may be meant: that of this thread, or else the newest of this channel
        where nothing is open. Raises NotFound; where none can be told, Denied, or Ended in an ended one's
        thread."""
        tables = self.services.tables
        interaction = press.interaction
        if given:
            return await reach(self.services, interaction, given.strip().upper())
        mine = await tables.tables_of(press.person.id)
        channel = interaction.channel_id
        here: list[Table] = []
        if interaction.guild_id is not None and channel is not None:
            here = await tables.tables_at(interaction.guild_id, channel)
        own_here = [table for table in mine if table.place.takes_in(channel)]
        ended: list[Table] = []
        if over and not here and interaction.guild_id is not None and channel is not None:
            ended = (await tables.ended_at(interaction.guild_id, channel))[:1]
        for some in (own_here, here, ended, mine):
            if len(some) == 1:
                return some[0]
        if (told := await table_of_thread(self.services, interaction)) is not None:
            need_open(told)
        raise Denied("error.which_table")

    async def complete(
        self, interaction: discord.Interaction[Any], current: str
    ) -> list[app_commands.Choice[str]]:
        tables = self.services.tables
        say = sayer(await self.services.languages.of(interaction.user.id, str(interaction.locale)))
        found = await tables.tables_of(interaction.user.id)
        if interaction.guild_id is not None and interaction.channel_id is not None:
            known = {table.id for table in found}
            here = await tables.tables_at(interaction.guild_id, interaction.channel_id)
            here += await tables.ended_at(interaction.guild_id, interaction.channel_id, 5)
            found = found + [
                table
                for table in here
                if table.id not in known and await may_see(self.services, interaction, table)
            ]
        wanted = current.strip().upper()
        choices = []
        for table in found:
            if wanted in table.id:
                players = ", ".join(wording.bare_names(table, say))
                label = say(
                    "command.table.line",
                    table=table.id,
                    game=wording.game_name(table.game, say),
                    names=players,
                )
                choices.append(app_commands.Choice(name=cut(label, OPTION_TEXT), value=table.id))
        return choices[:SHOWN]


def games_page(tables: list[Table], press: Press) -> Page:
    """Where it is my turn first, then by deadline, with links."""
    say, user = press.say, press.person.id
    if not tables:
        return note(say("games.none"))
    lines = []
    for table in tables[:SHOWN]:
        seat = table.seat_of(user)
        state = (
            "lobby"
            if table.status is Status.LOBBY
            else "paused"
            if table.status is Status.PAUSED
            else "aside"
            if table.status is Status.ASIDE
            else "yours"
            if seat is not None and seat.since
            else "waiting"
        )
        name = say("games.table", game=wording.game_name(table.game, say), table=table.id)
        url = wording.table_link(table, user)
        line = f"- {f'[{name}]({url})' if url else name}: {say(f'games.{state}')}"
        deadline = (seat.deadline if seat is not None and seat.since else None) or table.deadline
        if deadline is not None:
            line += f" · {wording.when(deadline)}"
        others = ", ".join(
            name for s, name in zip(table.seats, wording.names(table, say), strict=True) if s.user != user
        )
        lines.append(line + (f"\n  {others}" if others else ""))
    return page(
        Text(say("games.title")),
        Text("\n".join(lines)),
        Text(say("games.more", n=len(tables) - SHOWN)) if len(tables) > SHOWN else None,
        Buttons((_settings(press),)),
    )


def _settings(press: Press) -> Button:
    return Button(press.say("games.settings"), custom_ids.button(None, 0, "profile"))


async def setup(bot: Client) -> None:
    await bot.add_cog(Tables(bot))
