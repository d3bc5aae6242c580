"""From a pressed control to the function that handles its verb.

Handlers are registered by verb. Each gets a `Press` and answers it exactly once; what it raises is explained
to the person here, in one place. A control of a table that whoever pressed it may not see (an id can be made
by hand) is one of no table at all, whatever its verb. A verb that nobody handles, or an id of a shape we no
longer know, is answered with what is current, never with silence.

Discord may deliver an interaction twice (a replay when a connection is taken up again). Whatever it is, a
command, a control or a form, it passes `Router.run`, which takes each one once.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeAlias

import discord
from cachetools import FIFOCache

from bot.discord_io import Answer, is_gone
from bot.locale import sayer
from bot.rules.errors import RulesError
from bot.tables.model import Status, Table, TableId
from bot.tables.ports import NotFound, Refusal, StoreTrouble
from cogs import custom_ids
from cogs.delivery.recognising import kind_pressed
from cogs.services import Services
from cogs.surfaces.components import note, render

from .access import reach
from .errors import Outdated, explain, reference
from .press import Press, person_of

KEPT_IDS = 20_000  # interactions remembered; a replay reaches back minutes


class Once:
    """Tells what comes for the first time, by id. Remembers the newest `most` of them."""

    def __init__(self, most: int = KEPT_IDS) -> None:
        self._seen: FIFOCache[int, bool] = FIFOCache(most)

    def first(self, number: int) -> bool:
        if number in self._seen:
            return False
        self._seen[number] = True
        return True


Handler: TypeAlias = Callable[[Press], Awaitable[None]]
Fallback: TypeAlias = Callable[[Press, str], Awaitable[bool]]


class Router:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._handlers: dict[str, Handler] = {}
        self._once = Once()
        self._under_way: set[asyncio.Task[Any]] = set()
        self._closed = False
        self.current: Fallback | None = None
        """Answers with the current page of the control's table and the text given; False where there is
        none."""

    def add(self, verb: str, handler: Handler) -> None:
        if verb in self._handlers:
            raise ValueError(f"two handlers for {verb}")
        self._handlers[verb] = handler

    def remove(self, verb: str) -> None:
        self._handlers.pop(verb, None)

    async def component(self, interaction: discord.Interaction[Any], custom_id: str) -> None:
        """A pressed button, a chosen entry or a sent modal."""
        data: Any = interaction.data or {}
        values = tuple(str(value) for value in data.get("values") or ())
        control = custom_ids.parse(custom_id)

        async def handle(press: Press) -> None:
            press.control = control
            press.values = values
            if control is not None and control.kind == "m":
                press.fields = modal_fields(data.get("components", []))
            if control is not None and control.table is not None:
                press.reached = await reach(self._services, interaction, control.table)
                self._repaint_if_live(interaction, press.reached)
                self._tell_clicked(interaction, control.table)
            handler = None if control is None else self._handlers.get(control.verb)
            if handler is None:
                raise Outdated
            if press.reached is None:
                await handler(press)
                return
            with self._services.panels.expected(interaction, press.reached.id):
                await handler(press)

        if control is not None and control.table is not None:
            self._tell_posts(interaction, control)
        await self.run(interaction, handle, where=control.verb if control else "an unknown control")

    def _tell_posts(self, interaction: discord.Interaction[Any], control: custom_ids.Control) -> None:
        """The message a control is on may be one that was lost sight of. Answers that only this person sees
        are not kept, so not looked at; nor is a message that does not show this table."""
        message, me = interaction.message, interaction.client.user
        if message is None or message.flags.ephemeral or me is None or message.author.id != me.id:
            return
        found = (custom_ids.parse(str(custom)) for custom in ids_within(message.components))
        shown = [one for one in found if one is not None]
        if control.table is not None and any(one.table == control.table for one in shown):
            work = partial(
                self._services.posts.control_pressed,
                control.table,
                kind_pressed(shown, private=interaction.guild_id is None),
                message.channel.id,
                message.id,
                interaction.user.id,
            )
            self._services.background.spawn("pressed", work, f"{control.table} {message.id}")
            stray = partial(self._services.strays.pressed, control.table, message.id)
            self._services.background.spawn("strays", stray)

    def _tell_clicked(self, interaction: discord.Interaction[Any], table: TableId) -> None:
        """Who presses something of a table is at it."""
        user, message = interaction.user.id, interaction.message
        self._services.panels.clicked(user, table)
        if message is not None and interaction.guild_id is None and not message.flags.ephemeral:
            self._services.notices.timing.pressed(user, table, message.id)

    def _repaint_if_live(self, interaction: discord.Interaction[Any], table: Table) -> None:
        """The public message of an ended table has no controls. One that still has, though it is known as up
        to date, is painted again: the row was changed by hand, or is older than the message."""
        place, message = table.place, interaction.message
        public = message is not None and message.id in {place.lobby_message, place.table_message}
        if public and table.status is Status.ENDED and table.painted >= table.revision:
            self._services.repaints.refresh(table.id)

    async def run(
        self, interaction: discord.Interaction[Any], handler: Handler, *, where: str, public: bool = False
    ) -> None:
        """Call `handler` with a fresh `Press`, and explain to the person what it raises. An interaction that
        was delivered before is left alone: its first delivery answers it.

        public: the answer is meant for the whole channel (a deferral must be so from the start).
        """
        if self._closed or not self._once.first(interaction.id):
            return
        task = asyncio.current_task()
        assert task is not None
        self._under_way.add(task)
        try:
            await self._run(interaction, handler, where, public)
        finally:
            self._under_way.discard(task)

    async def _run(
        self, interaction: discord.Interaction[Any], handler: Handler, where: str, public: bool
    ) -> None:
        services = self._services
        answer = Answer(interaction, public=public)
        person = person_of(interaction)
        press: Press | None = None
        try:
            settings = await services.tables.user(person.id)
            language = services.languages.by(settings, person.locale)
            press = Press(services, interaction, answer, person, settings, language, sayer(language))
            if settings.locale != person.locale:
                with contextlib.suppress(StoreTrouble):  # who only looks shall see
                    await services.tables.seen_locale(person.id, person.locale)
            if interaction.context.dm_channel and interaction.channel_id is not None:
                with contextlib.suppress(StoreTrouble):
                    await services.direct.seen(person.id, interaction.channel_id)
            await handler(press)
            if not answer.given:
                if remark := await press.told():
                    await press.show(note(remark))
                if is_gone(await answer.acknowledge()):
                    await answer.pass_over()
        except Exception as error:
            await self.fail(error, answer, press, where)
        finally:
            answer.close()
        await answer.end()

    async def close(self, grace: float) -> None:
        """Take no more interactions. Those under way get `grace` seconds to be answered, then they end where
        they stand."""
        self._closed = True
        if self._under_way:
            _, late = await asyncio.wait(set(self._under_way), timeout=grace)
            for task in late:
                task.cancel()

    async def fail(self, error: BaseException, answer: Answer, press: Press | None, where: str) -> None:
        """Cases in order: a click that is out of date or not allowed now (answered with the current page
        and why); other refusals and rules errors (their text); faults of ours (a reference number,
        logged)."""
        services = self._services
        say = press.say if press is not None else sayer(services.languages.usual)
        text = explain(error, say)
        if text is None:
            text = say("error.fault", number=reference(error, where))
        elif (
            press is not None
            and press.control is not None
            and press.control.table is not None
            and isinstance(error, Refusal | RulesError | Outdated)
            and not isinstance(error, NotFound)
            and await self._show_current(press, text, where)
        ):
            return
        if press is not None and isinstance(error, NotFound):
            await press.part(note(text))
        else:
            await answer.show(render(note(text)))

    async def _show_current(self, press: Press, text: str, where: str) -> bool:
        """See `current`. What goes wrong with the page leaves its text to be told."""
        if self.current is None:
            return False
        try:
            return await self.current(press, text)
        except Exception as error:
            if explain(error, press.say) is None:
                reference(error, where)
            return press.answer.given


def ids_within(parts: Iterable[Any]) -> Iterator[str]:
    """Of a message's components, nested ones too."""
    for part in parts:
        if getattr(part, "custom_id", None):
            yield part.custom_id
        yield from ids_within(getattr(part, "children", ()))


def modal_fields(components: list[Any]) -> dict[str, str]:
    """Values of a sent modal's inputs by custom id, whatever they are nested in."""
    found: dict[str, str] = {}
    for part in components:
        if "custom_id" in part:
            values = part.get("values")
            found[part["custom_id"]] = str(part.get("value", values[0] if values else ""))
        found.update(modal_fields(part.get("components", [])))
        if "component" in part:
            found.update(modal_fields([part["component"]]))
    return found
