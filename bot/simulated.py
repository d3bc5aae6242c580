"""simcord's world, in which time passes only where it is moved on: for the playground and for tests.

simcord itself waits, after everything that somebody does, for whatever the bot has set a timer for within its
`settle_timeout`, in real time: a notice held back for half a minute would hold the page for as long.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import discord
import simcord


class SlowStart(Exception):
    """The world did not come up in time."""


class Env(simcord.Env):
    """soon: seconds; what is due within them is waited for after everything that somebody does, what is due
    later comes when the clock is moved on."""

    def __init__(self, bot: discord.Client, *, soon: float, **options: Any) -> None:
        super().__init__(bot, **options)
        self._soon = soon

    def _schedule_timer(self, record: Any, *more: Any) -> None:
        if record.when - self._virtual_time < self._soon:
            super()._schedule_timer(record, *more)


@asynccontextmanager
async def running(bot: discord.Client, *, soon: float, **options: Any) -> AsyncIterator[Env]:
    """A world with this bot in it, as of `simcord.run`; it ends with the context. Raises SlowStart."""
    env = Env(bot, soon=soon, **options)
    try:
        await env.start()
    except TimeoutError as error:  # simcord waits five seconds
        await bot.close()
        raise SlowStart from error
    with env.time_context():
        try:
            yield env
        finally:
            await env.shutdown()
