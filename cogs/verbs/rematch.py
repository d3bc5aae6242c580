"""After the end, and where a channel is gone: the table goes on, or anew, where its players are."""

from __future__ import annotations

from bot.tables.model import Status, Table
from bot.tables.ports import NotAllowed
from cogs.input.access import may_view
from cogs.input.press import Press, lacking
from cogs.surfaces.components import Buttons, Link, note
from cogs.surfaces.wording import way_to

from .opening import opening


async def rematch(press: Press) -> None:
    """The same game once more with the same seats; the lobby is posted in the table's channel. As long as one
    is open or played, the way there."""
    if not await _may_come_back(press):
        raise NotAllowed(press.found)
    parent = await press.services.io.parent_of(press.found.place.channel)
    change = await press.tables.rematch(press.table, press.person, parent=parent)
    if change.kind != "open":
        await _lead(press, await bring_here(press, change.table))
        return
    async with opening(press, change.table, press.table):
        opened = await bring_here(press, change.table)
        await press.services.painter.paint(opened.id)  # first, so that what leads there knows the message
        await _lead(press, await press.tables.table(opened.id))


async def _lead(press: Press, again: Table) -> None:
    """The way to the rematch, or to what was never played and is opened anew."""
    link = None if again.place.direct else Link(press.say("table.button.go"), way_to(again))
    key = "table.rematch" if press.found.events else "table.anew"
    if again.status is not Status.LOBBY:
        key += ".playing"
    await press.show(note(press.say(key, table=again.id), Buttons((link,)) if link is not None else None))


async def _may_come_back(press: Press) -> bool:
    """Whether they may be where the lobby would stand: who has left a server, or sees the channel no more,
    sits at the old table still, but opens nothing there. Where the channel is gone, it comes to them."""
    place, asked = press.found.place, press.interaction
    if place.direct:
        return True
    if await may_view(press.services, asked, place):
        return True
    return asked.guild_id == place.guild and await press.services.io.is_gone(place.channel)


async def bring_here(press: Press, table: Table) -> Table:
    """A table whose channel is gone comes to where one of its players asks for it. A thread that sleeps is
    not gone, nor what merely cannot be known: nobody who could not see the table's place gets to see it."""
    here = press.interaction.channel_id
    guild = table.place.guild
    if (
        here is None
        or press.interaction.guild_id != guild
        or not table.is_open
        or table.damaged
        or table.seat_of(press.person.id) is None
        or not await press.services.io.is_gone(table.place.channel)
    ):
        return table
    allowed = (await press.tables.guild(guild)).channels
    if lacking(press.interaction) or (allowed and here not in allowed):
        return table
    await press.services.shown.placed(
        table.id,
        channel=here,
        thread=None,
        lobby_message=None,
        table_message=None,
        notice_message=None,
        invitation_message=None,
    )
    press.services.repaints.refresh(table.id)
    return await press.tables.table(table.id)
