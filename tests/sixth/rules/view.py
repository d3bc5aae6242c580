"""What one seat, or a spectator, may know."""

from __future__ import annotations

from dataclasses import dataclass

from bot.rules.game import View

from .board import CELLS, COLUMNS, ROWS, SIGNS

HIDDEN = "?"


@dataclass(frozen=True, slots=True, kw_only=True)
class CornersView(View):
    """blocks: by seat, the corner it has blocked, `HIDDEN` while only that seat may know it, "" before.
    owners: by cell in the order of `CELLS`, the seat whose mark it has, or None. last: the cell marked last,
    "" before."""

    blocks: tuple[str, ...]
    owners: tuple[int | None, ...]
    last: str

    @property
    def blocking(self) -> bool:
        """Whether corners are still to be blocked (rule 1)."""
        return "" in self.blocks

    def owner(self, cell: str) -> int | None:
        return self.owners[CELLS.index(cell)]

    def cells_of(self, seat: int) -> tuple[str, ...]:
        return tuple([cell for cell in CELLS if self.owner(cell) == seat])


def drawn(view: CornersView) -> str:
    """The board with plain characters: `#` blocked, `.` free."""
    lines = [f"  {' '.join(COLUMNS)}"]
    for row in ROWS:
        lines.append(f"{row} {' '.join([_sign(view, column + row) for column in COLUMNS])}")
    return "\n".join(lines)


def _sign(view: CornersView, cell: str) -> str:
    owner = view.owner(cell)
    if owner is not None:
        return SIGNS[owner]
    return "#" if cell in view.blocks else "."
