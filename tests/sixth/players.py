"""A computer player for Blocked Corners: wins where it can, hinders where it must."""

from __future__ import annotations

from collections.abc import Sequence

from bot.players.contract import Candidate, Player, Trial

from .rules import GAME, LINES, CornersView


class CornersPlayer(Player[CornersView]):
    def candidates(self, view: CornersView) -> list[Candidate]:
        assert view.seat is not None
        found = [Candidate(move, self._worth(view, move)) for move in GAME.legal(view)]
        return sorted(found, key=lambda one: (-one.worth, one.move))

    def _worth(self, view: CornersView, move: str) -> float:
        """2 for a move that wins, 1 for one that keeps the other from it; a little for each line that it may
        still come to fill."""
        assert view.seat is not None
        for worth, seat in ((2.0, view.seat), (1.0, 1 - view.seat)):
            cells = {*view.cells_of(seat)}
            if any(move in line and len({*line} - cells) == 1 for line in LINES):
                return worth
        theirs = view.cells_of(1 - view.seat)
        return 0.1 * sum(move in line and not {*line} & {*theirs} for line in LINES)

    def trial(self, view: CornersView, tried: Sequence[Candidate]) -> Trial | None:
        """Two moves ahead is as far as it looks."""
        return None


PLAYER = CornersPlayer()
