"""Pictures and long thinking, off the event loop.

A picture is drawn once for what it shows. What the picture functions are given, the view of one seat and the
scene (names, language, targets, draft, theme), is all that a picture depends on, and so it is the key: nobody
gets a picture that was not drawn from what they may know themselves.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeAlias, TypeVar

from bot.rules.game import Say, View
from bot.rules.registry import GAMES
from bot.shared import Shared
from bot.tables.model import Status, Table
from cogs.surfaces import wording
from rendering.scene import Picture, Scene
from rendering.theme import THEMES

log = logging.getLogger(__name__)
T = TypeVar("T")

KEPT = 256  # what was drawn last, some 25 KB each
THREADS = 2  # for what `off_loop` does
Wanted: TypeAlias = tuple[object, ...]  # the module, its picture function, and what that is given
Draw: TypeAlias = Callable[..., Awaitable[tuple[Picture, ...]]]


class Pictures:
    """draw: what the picture function draws whose module and name it is given, with what follows."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="off-loop")
        self._drawn: Shared[Wanted, tuple[Picture, ...]] = Shared(KEPT)

    async def off_loop(self, work: Callable[..., T], *args: object) -> T:
        """A call that takes longer than the event loop may be held, in one of the threads."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(work, *args))

    async def of_table(self, table: Table, view: View, say: Say, *, theme: str) -> tuple[Picture, ...]:
        """The public board. view: a spectator's, where others than its seat may see it. theme: one of
        `THEMES`. Empty where drawing fails: the text of the page stands alone then, and play goes on."""
        scene = Scene(wording.whole_names(table, say), say, theme=THEMES[theme])
        return await self._of_game("table_pictures", table, view, scene)

    async def cover(self, table: Table, say: Say, *, theme: str) -> tuple[Picture, ...]:
        """Of the game, for the lobby: the same at every table of it. Empty where there is no lobby any more,
        or as above."""
        scene = Scene((), say, theme=THEMES[theme])
        return await self._of_game("cover", table, scene) if table.status is Status.LOBBY else ()

    async def of_hand(
        self,
        table: Table,
        view: View,
        say: Say,
        *,
        theme: str,
        targets: Iterable[str] = (),
        draft: str = "",
    ) -> tuple[Picture, ...]:
        """What a seat sees, with the choice that is open. Empty as above."""
        scene = Scene(wording.whole_names(table, say), say, tuple(targets), draft, THEMES[theme])
        return await self._of_game("hand_pictures", table, view, scene)

    async def of_examples(self, game: str, say: Say, *, theme: str) -> tuple[Picture, ...]:
        """What shows a beginner the game's rules. Empty as above."""
        wanted = ("rendering.examples", "example_pictures", game, say, THEMES[theme])
        return await self._made(f"the rules of {game}", wanted)

    @property
    def waiting(self) -> int:
        """Pictures that are being drawn or wait for it."""
        return self._drawn.waiting

    async def _of_game(self, function: str, table: Table, *given: object) -> tuple[Picture, ...]:
        return await self._made(f"table {table.id}", (GAMES[table.game].pictures, function, *given))

    async def _made(self, whose: str, wanted: Wanted) -> tuple[Picture, ...]:
        """It is drawn once for all that want it. whose: for the log."""
        drawing = self._drawn.of(wanted, partial(self._draw, *wanted))
        try:
            return await asyncio.shield(drawing)  # others may wait for it too
        except Exception:
            log.exception("a picture of %s could not be drawn", whose)
            return ()

    def close(self) -> None:
        """Nothing more is done off the loop."""
        self._pool.shutdown(wait=False, cancel_futures=True)
