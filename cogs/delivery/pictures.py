"""Pictures and long thinking, off the event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from typing import TypeVar

from bot.rules.game import Say, View
from bot.rules.registry import GAMES
from bot.tables.model import Table
from cogs.surfaces import wording
from rendering.scene import Picture, Scene

log = logging.getLogger(__name__)
T = TypeVar("T")


class Pictures:
    """workers: threads that draw."""

    def __init__(self, workers: int) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="paint")

    async def apart(self, work: Callable[..., T], *args: object) -> T:
        """A call that takes longer than the event loop may be held, in one of the threads."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(work, *args))

    async def of_table(self, table: Table, view: View, say: Say) -> tuple[Picture, ...]:
        """The public board, from a spectator's view. Empty where drawing fails: the text of the page stands
        alone then, and play goes on."""
        return await self._draw("table_pictures", table, view, Scene(wording.bare_names(table, say), say))

    async def of_hand(
        self, table: Table, view: View, say: Say, *, targets: Iterable[str] = (), draft: str = ""
    ) -> tuple[Picture, ...]:
        """What a seat sees, with the choice that is open. Empty as above."""
        scene = Scene(wording.bare_names(table, say), say, tuple(targets), draft)
        return await self._draw("hand_pictures", table, view, scene)

    async def _draw(self, function: str, table: Table, view: View, scene: Scene) -> tuple[Picture, ...]:
        module = import_module(GAMES[table.game].pictures)
        try:
            drawn: tuple[Picture, ...] = await self.apart(getattr(module, function), view, scene)
        except Exception:
            log.exception("a picture of table %s could not be drawn", table.id)
            return ()
        return drawn

    def close(self) -> None:
        """No more pictures."""
        self._pool.shutdown(wait=False, cancel_futures=True)
