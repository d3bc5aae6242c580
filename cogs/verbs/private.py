"""The private page as the answer to a click."""

from __future__ import annotations

from dataclasses import replace

from bot.tables.model import Seen, Status, Table
from bot.tables.taps import Tapped
from cogs import custom_ids
from cogs.delivery.panels import Kind, Sheet, way_back
from cogs.delivery.private_pages import Outline
from cogs.input.press import Press
from cogs.surfaces import invitation, wording
from cogs.surfaces.components import Button, Buttons, Link, Page, note
from cogs.surfaces.hand import copy_of, heading, is_where_copy_is, to_copy


def touch(press: Press) -> None:
    """Somebody is at the control's table: what is behind there is tried again."""
    press.services.repaints.touch(press.found, press.person.id)


async def seen_by(press: Press) -> Seen:
    seen = await press.tables.view(press.table, press.person.id, recap=True)
    press.services.repaints.touch(seen.table, press.person.id)
    return seen


async def declined_lines(press: Press, table: Table) -> list[str]:
    """To the host of a lobby alone: which invitations were declined."""
    if press.person.id != table.host or table.status is not Status.LOBBY:
        return []
    return invitation.declined_lines(await press.tables.declined(table), press.say)


async def show_current(
    press: Press, table: str, remark: str = "", *, seen: Seen | None = None, returns: int = 0
) -> None:
    """The private page as it is now, in place of the private message pressed or as a new one. seen: where it
    was just looked up. returns: how often the player went back on it. Raises Aside for a game that is not
    known here."""
    seen = seen or await press.tables.view(table, press.person.id, recap=True)
    press.services.private.step_of(seen.table)
    remark = "\n".join(filter(None, (remark, await press.told(seen.table.place.guild))))
    if not await lead_to_copy(press, seen, remark):
        await press.turn_to(await current_sheet(press, seen, remark, returns=returns))


async def current_sheet(press: Press, seen: Seen, remark: str = "", *, returns: int = 0) -> Sheet:
    """What `show_current` shows."""
    beside = press.interaction.guild_id is None  # the hands of other tables
    outline = await press.services.private.outline(
        seen,
        press.language,
        press.say,
        remark=remark,
        theme=press.settings.theme,
        as_text=press.settings.text_board,
        heading=heading(seen.table, press.say) if beside else "",
        returns=returns,
    )
    return Sheet(Kind.HAND, outline)


async def lead_to_copy(press: Press, seen: Seen, remark: str = "") -> bool:
    """Where this person plays on a copy of the table in their direct messages, and has pressed or written
    something elsewhere: the way to it, for two pages of one table would contradict each other. A private
    message beside it that has nothing else to say goes. remark: what to say about it. False where there is
    none."""
    copy, message = copy_of(seen), press.interaction.message
    if copy is None or (message is not None and message.id == copy):
        return False
    # A draft that was just made is to be seen there; and nothing tells us where the copy is gone.
    press.services.repaints.refresh(seen.table.id)
    beside = is_where_copy_is(seen, press.interaction.channel_id)
    if message is not None and message.flags.ephemeral and press.answer.can_update and beside and not remark:
        await press.services.panels.give_way(press.answer)
    else:
        await press.part(to_copy(seen, press.person.id, press.say, remark))
    return True


async def show_tapped(press: Press, tapped: Tapped, *, returns: int = 0) -> None:
    """What a tap or a typed move has led to. returns: as of `show_current`."""
    played = press.say("table.played") if tapped.change is not None else ""
    await show_current(press, tapped.seen.table.id, played, seen=tapped.seen, returns=returns)


async def show_reading(press: Press, shown: Page, seen: Seen) -> None:
    """Something to read of a table, with the way back to what one has there."""
    await press.turn_to(reading_sheet(press, shown, seen))


def reading_sheet(press: Press, shown: Page, seen: Seen) -> Sheet:
    """What `show_reading` shows."""
    table = seen.table
    verb = way_back(seen)
    back = Button(press.say(f"panel.back.{verb}"), custom_ids.button(table.id, table.revision, verb))
    read = replace(shown, blocks=(*shown.blocks, Buttons((back,))))
    return Sheet(Kind.READING, Outline(read, seen, press.say))


async def current(press: Press, text: str) -> bool:
    """What a click that is out of date is answered with: why, and the page as it is now."""
    table = await press.tables.find(press.table)
    if table is None:
        return False
    press.services.repaints.touch(table, press.person.id)
    if table.status is Status.LOBBY or (table.status is Status.ENDED and table.events == 0):
        press.services.repaints.refresh(table.id)
        await press.show(note(text))
        return True
    if table.seat_of(press.person.id) is None or not press.services.private.knows(table.game):
        url = wording.table_link(table)
        await press.part(note(text, Buttons((Link(press.say("table.button.go"), url),)) if url else None))
        return True
    await show_current(press, table.id, text)
    return True
