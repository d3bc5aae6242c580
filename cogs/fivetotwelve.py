"""5 vor 12 at the table: how a move is chosen.

Set-up: the tile in hand, then its cell (all players at once); with the option `free` one tile for each cell
of the diagonal. A turn: reveal, which asks nothing more, or a tile from the middle; then the cell; the last
tap is preview and confirm in one.
"""

from __future__ import annotations

from bot.rules.fivetotwelve import INDEX, FiveView
from cogs.client import Client
from cogs.game_cog import GameCog
from cogs.surfaces.steps import Choice, Phrase, Step, phrase

KEY = "fivetotwelve.step"


class FiveToTwelve(GameCog[FiveView]):
    game_id = "fivetotwelve"
    slash = "5vor12"

    def step(self, view: FiveView, draft: str) -> Step:
        moves = self.game.legal(view)
        if draft in moves:
            return _preview(view, draft, moves)
        if view.phase == "place":
            return _setup(view, draft, moves)
        if view.phase == "hand":
            return _lay_revealed(view, moves)
        return _take(view, draft, moves) if draft else _turn(view, moves)


def _turn(view: FiveView, moves: list[str]) -> Step:
    """Rule 2: reveal, or take from the middle."""
    choices = []
    if "draw" in moves:
        choices.append(Choice("draw", "draw", phrase(f"{KEY}.reveal", stock=view.stock), act=True))
    takes = {move.removeprefix("take ").partition("@")[0] for move in moves if move.startswith("take ")}
    tiles = sorted(takes, key=int)
    choices += [Choice(tile, f"take {tile}", tile) for tile in tiles]
    question = phrase(f"{KEY}.turn" if tiles else f"{KEY}.turn_reveal")
    return Step(question, tuple(choices), targets=tuple(tiles))


def _take(view: FiveView, draft: str, moves: list[str]) -> Step:
    """Rule 2b: where the tile from the middle goes."""
    tile = draft.removeprefix("take ")
    return Step(
        phrase(f"{KEY}.cell", tile=tile),
        _cells(view, draft, moves),
        targets=_targets(draft, moves),
        back="",
    )


def _lay_revealed(view: FiveView, moves: list[str]) -> Step:
    """Rule 2a: where the revealed tile goes, or leave it in the middle."""
    draft = str(view.hand)
    leave = (Choice("leave", "leave", phrase(f"{KEY}.leave"), act=True),) if "leave" in moves else ()
    return Step(
        phrase(f"{KEY}.cell", tile=draft),
        (*_cells(view, draft, moves), *leave),
        targets=_targets(draft, moves),
    )


def _setup(view: FiveView, draft: str, moves: list[str]) -> Step:
    """Rule 1: a tile on the diagonal; with the option `free` cell by cell, in the cells' order."""
    assert view.seat is not None
    tiles = view.wave[view.seat]
    if len(tiles) == 1:
        tile = str(tiles[0])
        return Step(
            phrase(f"{KEY}.cell", tile=tile), _cells(view, tile, moves), targets=_targets(tile, moves)
        )
    start = f"{draft} " if draft else ""
    nexts: dict[str, None] = {}
    for move in moves:
        if move.startswith(start):
            nexts[move.removeprefix(start).split(" ", 1)[0]] = None
    choices = tuple(
        Choice(part, start + part, part.partition("@")[0])
        for part in sorted(nexts, key=lambda p: int(p.partition("@")[0]))
    )
    cell = choices[0].value.partition("@")[2]
    return Step(
        phrase(f"{KEY}.tile", cell=cell),
        choices,
        targets=(cell,),
        back=draft.rpartition(" ")[0] if draft else None,
    )


def _preview(view: FiveView, move: str, moves: list[str]) -> Step:
    """The whole move, laid as a preview: play it, or go back."""
    if view.phase == "place" and " " in move:
        before = move.rpartition(" ")[0]
    elif move.startswith("take "):
        before = move.partition("@")[0]
    else:
        before = ""
    return Step(_told(view, move), move=move, back=before)


def _told(view: FiveView, move: str) -> Phrase:
    """The move as a question: lay, or exchange for which tile."""
    if " " in move and not move.startswith("take "):
        placed = tuple(
            phrase("fivetotwelve.event.placed", tile=tile, cell=cell)
            for tile, _, cell in (part.partition("@") for part in move.split(" "))
        )
        return phrase(f"{KEY}.confirm_all", move=placed)
    tile, _, cell = move.removeprefix("take ").partition("@")
    old = _tile_at(view, cell)
    if old:
        return phrase(f"{KEY}.confirm_exchange", tile=tile, cell=cell, old=old)
    return phrase(f"{KEY}.confirm", tile=tile, cell=cell)


def _targets(draft: str, moves: list[str]) -> tuple[str, ...]:
    return tuple(move.partition("@")[2] for move in moves if move.startswith(f"{draft}@"))


def _tile_at(view: FiveView, cell: str) -> int:
    assert view.seat is not None
    return view.boards[view.seat][INDEX[cell]]


def _cells(view: FiveView, draft: str, moves: list[str]) -> tuple[Choice, ...]:
    """Legal cells row by row, free ones first; exchanges for an equal number last (they change nothing)."""
    tile = int(draft.removeprefix("take "))

    def order(cell: str) -> tuple[int, str, str]:
        old = _tile_at(view, cell)
        return (2 if old == tile else 1 if old else 0, cell[1], cell[0])

    cells = sorted(_targets(draft, moves), key=order)
    return tuple(Choice(cell, f"{draft}@{cell}", cell) for cell in cells)


async def setup(bot: Client) -> None:
    await bot.add_cog(FiveToTwelve(bot))
