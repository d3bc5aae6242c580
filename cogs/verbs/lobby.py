"""What the lobby's buttons do. A click is taken, the change stored, and the message repainted by the painter,
so that the lobby shown last is always the one stored last."""

from __future__ import annotations

from functools import partial

from bot.levels import Level
from bot.tables.model import Table
from bot.tables.needs import need_host, need_lobby
from bot.tables.ports import Started
from cogs.input.errors import Outdated
from cogs.input.press import ChosenPerson, Press, chosen_people
from cogs.surfaces import wording
from cogs.surfaces.components import note
from cogs.surfaces.invitation import invitations_page

from .private import declined_lines


async def join(press: Press) -> None:
    await press.tables.join(press.table, press.person)


async def accept(press: Press) -> None:
    await press.tables.accept(press.table, press.person)


async def decline(press: Press) -> None:
    """Told to the host alone: what everybody sees stays as it is."""
    invitation = await press.tables.decline(press.table, press.person)
    if invitation is not None:
        work = partial(press.services.invitations.tell_declined, press.found, invitation)
        press.services.background.spawn("declined", work, f"{press.table} {press.person.id}")
    await press.show(note(press.say("invitation.you_declined")))


async def invite(press: Press) -> None:
    """The people chosen. Who cannot view the lobby's channel is not invited: that would let nobody in."""
    table = press.found
    need_lobby(table)
    need_host(table, press.person.id)
    wanted: dict[int, str] = {}
    refused: list[str] = []
    people = chosen_people(press.interaction)
    if not people:
        raise Outdated
    for chosen in people:
        why = await _why_not(press, table, chosen)
        if why:
            refused.append(press.say(f"invitation.not.{why}", name=wording.plain(chosen.name)))
        else:
            wanted[chosen.id] = chosen.name
    said: list[str] = []
    if wanted:
        table = (await press.tables.invite(table.id, press.person, wanted)).table
        said.append(press.say("invitation.sent", names=", ".join(map(wording.plain, wanted.values()))))
    await press.show(note("\n".join([*said, *refused, *await declined_lines(press, table)])))


async def _why_not(press: Press, table: Table, chosen: ChosenPerson) -> str:
    """ "" for who may be invited."""
    if chosen.bot:
        return "bot"
    if table.seat_of(chosen.id) is not None:
        return "seated"
    if table.invitation_of(chosen.id) is not None:
        return "again"
    place = table.place
    return "" if await press.services.io.can_view(place.guild, place.channel, chosen.id) else "hidden"


async def invitations(press: Press) -> None:
    """To the host: who is invited, and who declined."""
    need_lobby(press.found)
    need_host(press.found, press.person.id)
    await _show_invitations(press, press.found)


async def withdraw(press: Press) -> None:
    """The invitations chosen are taken back."""
    users = {int(value) for value in press.values if value.isdecimal()}
    names = [wording.plain(one.name) for one in press.found.invited if one.user in users]
    change = await press.tables.withdraw(press.table, press.person, users)
    remark = press.say("invitations.withdrawn", names=", ".join(names))
    await _show_invitations(press, change.table, remark)


async def _show_invitations(press: Press, table: Table, remark: str = "") -> None:
    declined = await press.tables.declined(table)
    await press.part(invitations_page(table, declined, press.say, remark=remark))


async def restrict(press: Press) -> None:
    """Argument `on` or `off`: whether only who is invited may sit down."""
    if press.argument not in {"on", "off"}:
        raise Outdated
    await press.tables.restrict(press.table, press.person, press.argument == "on")


async def hints(press: Press) -> None:
    """Argument `on` or `off`: whether whoever presses agrees to hints at this table."""
    if press.argument not in {"on", "off"}:
        raise Outdated
    await press.tables.agree(press.table, press.person, press.argument == "on")


async def leave(press: Press) -> None:
    """Of the lobby. A click that comes after the start gives up no seat: resigning asks first, and is in the
    menu."""
    try:
        await press.tables.leave(press.table, press.person)
    except Started as late:
        seated = late.table is not None and late.table.seat_of(press.person.id) is not None
        raise Outdated("lobby.too_late_to_leave") if seated else late from None


async def add_computer(press: Press) -> None:
    """The argument is its level; buttons from before have none."""
    if press.argument not in {"", *Level}:
        raise Outdated
    await press.tables.add_computer(press.table, press.person, Level(press.argument or Level.MEDIUM))


async def remove_computer(press: Press) -> None:
    await press.tables.remove_computer(press.table, press.person)


async def partner(press: Press) -> None:
    """Who sits together: `<seat>.<user>-<seat>.<user>`, the user 0 for a computer player. In menus from
    before each is an entry of its own, and one alone is whom they sit with themselves."""
    chosen: list[tuple[int, int | None]] = []
    for sitting in "-".join(press.values).split("-"):
        seat, _, user = sitting.partition(".")
        if not (seat.isdecimal() and user.isdecimal()):
            raise Outdated
        chosen.append((int(seat[:3]), int(user) or None))
    if len(chosen) not in {1, 2}:
        raise Outdated
    await press.tables.pair(press.table, press.person, chosen)


async def start(press: Press) -> None:
    await press.tables.start(press.table, press.person)


async def cancel(press: Press) -> None:
    await press.tables.cancel(press.table, press.person)
