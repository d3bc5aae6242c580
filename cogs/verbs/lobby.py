"""What the lobby's buttons do. A click is taken, the change stored, and the message repainted by the painter,
so that the lobby shown last is always the one stored last."""

from __future__ import annotations

from cogs.input.press import Press


async def join(press: Press) -> None:
    await press.tables.join(press.table, press.person)


async def leave(press: Press) -> None:
    await press.tables.leave(press.table, press.person)


async def add_computer(press: Press) -> None:
    await press.tables.add_computer(press.table, press.person)


async def remove_computer(press: Press) -> None:
    await press.tables.remove_computer(press.table, press.person)


async def start(press: Press) -> None:
    await press.tables.start(press.table, press.person)


async def cancel(press: Press) -> None:
    await press.tables.cancel(press.table, press.person)
