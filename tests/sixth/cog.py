"""Blocked Corners at the table: a cell, then the question whether to play it."""

from __future__ import annotations

from cogs.client import Client
from cogs.game_cog import GameCog
from cogs.surfaces.steps import Choice, Step, phrase

from .rules import CornersView


class CornersCog(GameCog[CornersView]):
    game_id = "corners"
    slash = "corners"

    def step(self, view: CornersView, draft: str) -> Step:
        moves = self.game.legal(view)
        kind = "block" if view.blocking else "mark"
        if draft in moves:
            cell = draft.removeprefix("block ")
            return Step(phrase(f"corners.step.confirm_{kind}", cell=cell), move=draft, back="")
        cells = {move.removeprefix("block "): move for move in moves}
        choices = tuple([Choice(cell, move, cell) for cell, move in cells.items()])
        return Step(phrase(f"corners.step.{kind}"), choices, targets=tuple(cells))


async def setup(bot: Client) -> None:
    await bot.add_cog(CornersCog(bot))
