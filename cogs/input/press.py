"""One interaction on its way: who, in which language, and the answer to give."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import discord

from bot.discord_io import NEEDED, NEEDED_IN_THREAD, Answer, Done, Failed
from bot.rules.game import Say
from bot.tables.model import Person, Table, UserSettings
from bot.tables.service import Tables
from cogs import custom_ids
from cogs.delivery.panels import Kind, Sheet
from cogs.delivery.private_answers import PrivateMessage
from cogs.services import Services
from cogs.surfaces.components import Form, Page, modal, render
from cogs.surfaces.wording import when

from .errors import Outdated


@dataclass(slots=True)
class Press:
    """One interaction on its way: who, in which language, and the answer to give. control is None for slash
    commands. reached: the control's or command's table as it was found. values: the chosen entries of a
    select. fields: a modal's inputs by custom id."""

    services: Services
    interaction: discord.Interaction[Any]
    answer: Answer
    person: Person
    settings: UserSettings
    language: str
    say: Say
    control: custom_ids.Control | None = None
    reached: Table | None = None
    values: tuple[str, ...] = ()
    fields: dict[str, str] | None = None

    @property
    def tables(self) -> Tables:
        return self.services.tables

    @property
    def table(self) -> str:
        """The table the control belongs to. Raises Outdated for one that belongs to none."""
        if self.control is None or self.control.table is None:
            raise Outdated
        return self.control.table

    @property
    def found(self) -> Table:
        """The table as it was when it was asked whether they may see it. Whether anything read from it still
        holds is asked again where it is done. Raises Outdated for a control that belongs to no table."""
        if self.reached is None:
            raise Outdated
        return self.reached

    @property
    def value(self) -> str:
        """The chosen entry of a select, "" for none."""
        return self.values[0] if self.values else ""

    @property
    def revision(self) -> int:
        return self.control.revision if self.control else 0

    @property
    def argument(self) -> str:
        return self.control.argument if self.control else ""

    async def show(self, page: Page, *, public: bool = False) -> int | None:
        """A new message, private unless `public`; its id where Discord tells."""
        result = await self.answer.show(render(page), public=public)
        return result.value if isinstance(result, Done) else None

    async def told(self, guild: int | None = None) -> str:
        """What this person should know of where messages do not arrive: that a moderator has timed the bot
        out, and, said once, that direct messages to them do not. guild: the server of the table shown, which
        a click in direct messages does not tell."""
        said = []
        guild = guild or self.interaction.guild_id
        until = None if guild is None else self.services.io.timed_out(guild)
        if until is not None:
            said.append(self.say("hand.timed_out", when=when(until)))
        if self.settings.dm_closed:
            self.settings = await self.services.tables.set_user(self.person.id, dm_closed=False)
            said.append(self.say("hand.closed"))
        return "\n".join(said)

    async def ask(self, form: Form) -> None:
        """A form to fill in; what is sent comes as a press of its own. Raises Outdated where it is too late
        to open one."""
        result = await self.answer.ask(modal(form))
        if isinstance(result, Failed) and not self.answer.given:
            raise Outdated("error.form_late")

    async def turn_to(self, sheet: Sheet) -> None:
        """A private page of a table: in place of the private message that the control is on, or as a new one
        (see `Panels`). A hand that is kept in somebody's direct messages gives its place to a hand alone, see
        `PrivateAnswers`."""
        control, message = self.control, self.interaction.message
        kept = message is not None and self.answer.can_update and not message.flags.ephemeral
        if kept and message is not None and control is not None and control.table is not None:
            shown = PrivateMessage(control.table, self.person.id, message.channel.id, message.id)
            drawn = await self.services.private.drawn(sheet.outline)
            update = partial(self.answer.update, render(drawn))
            revision = sheet.revision if sheet.kind is Kind.HAND else None
            if await self.services.private_answers.answer(shown, revision, update):
                return
        await self.services.panels.answer(self.answer, sheet)

    async def part(self, farewell: Page) -> None:
        """A page that belongs to no table, or after which there is nothing private of it any more: in place
        of the private answer the control is on, or as a new one."""
        message = self.interaction.message
        if message is not None and message.flags.ephemeral and self.answer.can_update:
            await self.services.panels.part(self.answer, farewell)
        else:
            await self.show(farewell)


@dataclass(frozen=True, slots=True)
class ChosenPerson:
    """Whom somebody chose in a menu of people. name: as they are called there, raw."""

    id: int
    name: str
    bot: bool


def chosen_people(interaction: discord.Interaction[Any]) -> list[ChosenPerson]:
    """Of whom Discord tells with the interaction."""
    data: Any = interaction.data or {}
    resolved = data.get("resolved") or {}
    users, members = resolved.get("users") or {}, resolved.get("members") or {}
    found = []
    for value in data.get("values") or ():
        if user := users.get(value):
            nick = (members.get(value) or {}).get("nick")
            name = nick or user.get("global_name") or user.get("username") or ""
            found.append(ChosenPerson(int(value), str(name), bool(user.get("bot"))))
    return found


def person_of(interaction: discord.Interaction[Any]) -> Person:
    """Who acts, with what Discord tells of their rights in the server they act in."""
    user = interaction.user
    member = user if isinstance(user, discord.Member) else None
    return Person(
        id=user.id,
        name=user.display_name,
        locale=str(interaction.locale),
        guild=interaction.guild_id,
        roles=frozenset(role.id for role in member.roles) if member is not None else frozenset(),
        manages=interaction.permissions.manage_guild if interaction.guild_id is not None else False,
    )


def lacking(interaction: discord.Interaction[Any]) -> list[str]:
    """Permissions that the bot lacks to play where this was done, as Discord tells with it."""
    needed = NEEDED_IN_THREAD if isinstance(interaction.channel, discord.Thread) else NEEDED
    return [name for name in needed if not getattr(interaction.app_permissions, name)]
