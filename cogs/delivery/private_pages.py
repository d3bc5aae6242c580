"""Every seat's private page: what its player sees, and the next choice of a move.

The same page serves "Your move", "My hand" and the hand by direct message. It is made from the seat's view
alone. Which choice of a move comes next is each game's to say: its cog gives a function for it (`offer`).
"""

from __future__ import annotations

from bot.rules.game import Say, View
from bot.tables.model import Seen, Status, Table
from bot.tables.ports import Aside
from cogs.surfaces import steps
from cogs.surfaces.components import Page, Text, page
from cogs.surfaces.hand import hand_page, may_act
from cogs.surfaces.steps import Step, StepOf

from .pictures import Pictures


class PrivatePages:
    def __init__(self, pictures: Pictures) -> None:
        self._pictures = pictures
        self._games: dict[str, StepOf] = {}

    def offer(self, game: str, step: StepOf) -> None:
        """This game can be played from now on."""
        self._games[game] = step

    def withdraw(self, game: str) -> None:
        self._games.pop(game, None)

    def knows(self, game: str) -> bool:
        return game in self._games

    def step_of(self, table: Table) -> StepOf:
        """Raises Aside for a table of a game that is not known here."""
        step = self._games.get(table.game)
        if step is None:
            raise Aside(table)
        return step

    async def page(
        self,
        seen: Seen,
        language: str,
        say: Say,
        *,
        remark: str = "",
        as_text: bool = False,
        heading: str = "",
        returns: int = 0,
    ) -> Page:
        """What `seen.seat` sees, with the open choice. For somebody without a seat: the public board. remark:
        what to say about the last click. as_text: with the text board. returns: how often the player went
        back on this page."""
        table, view = seen.table, seen.view
        if view is None:
            key = {Status.ASIDE: "table.aside", Status.ENDED: f"tables.ending.{table.ending}"}
            said = say(key.get(table.status, "table.nothing_yet"))
            return page(Text("\n".join(filter(None, (heading, remark, said)))))
        step: Step | None = None
        draft, before = "", None
        if may_act(table, seen.seat, view):
            draft, step, before = await self._pictures.apart(
                _open_step, self.step_of(table), view, seen.draft
            )
        pictures = (
            await self._pictures.of_hand(table, view, say, targets=step.targets if step else (), draft=draft)
            if seen.seat is not None
            else await self._pictures.of_table(table, view, say)
        )
        return hand_page(
            seen,
            step,
            draft,
            before is not None,
            pictures,
            language,
            say,
            remark=remark,
            as_text=as_text,
            heading=heading,
            returns=returns,
        )

    async def settled(self, table: Table, view: View, draft: str) -> tuple[str, Step]:
        """The step that is open after a draft, see `steps.settle`."""
        return await self._pictures.apart(steps.settle, self.step_of(table), view, draft)


def _open_step(step_of: StepOf, view: View, draft: str) -> tuple[str, Step, str | None]:
    """The settled draft, its step, and the draft that a way back leads to. Of a large list this takes longer
    than the event loop may be held."""
    draft, step = steps.settle(step_of, view, draft)
    return draft, step, steps.back(step_of, view, step)
