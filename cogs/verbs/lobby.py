"""What the lobby's buttons do. A click is taken, the change stored, and the message repainted by the painter,
so that the lobby shown last is always the one stored last."""

from __future__ import annotations

from bot.tables.ports import Started
from cogs.input.errors import Outdated
from cogs.input.press import Press


async def join(press: Press) -> None:
    await press.tables.join(press.table, press.person)


async def leave(press: Press) -> None:
    """Of the lobby. A click that comes after the start gives up no seat: resigning asks first, and is in the
    menu."""
    try:
        await press.tables.leave(press.table, press.person)
    except Started as late:
        seated = late.table is not None and late.table.seat_of(press.person.id) is not None
        raise Outdated("lobby.too_late_to_leave") if seated else late from None


async def add_computer(press: Press) -> None:
    await press.tables.add_computer(press.table, press.person)


async def remove_computer(press: Press) -> None:
    await press.tables.remove_computer(press.table, press.person)


async def partner(press: Press) -> None:
    """Who sits together. Entries are `<seat>.<user>`, the user 0 for a computer player: one is whom they sit
    with themselves, of two these are the pair."""
    chosen: list[tuple[int, int | None]] = []
    for value in press.values:
        seat, _, user = value.partition(".")
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
