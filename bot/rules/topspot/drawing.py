"""A position drawn with plain characters, for logs, tests and consoles: what everybody may see."""

from __future__ import annotations

from .cards import composite
from .notation import stack_cards
from .view import Play, TopSpotView


def drawn(view: TopSpotView) -> str:
    """The match in two lines, and by seat cards left, points (finished games + this one) and the stack of
    this round: what it is and what is seen of it from above, `@` a spot, `O` a hole, `.` plain. A value that
    cannot win stands in parentheses; the seat to act is marked `<`. Own cards are not drawn."""
    level = "expert" if view.expert else "junior"
    lines = [f"topspot {level}, game {view.game_number} of {view.games}, {_progress(view)}"]
    if view.outcome:
        lines.append(f"winners: {', '.join([f'seat {seat}' for seat in view.outcome.winners])}")
    if view.colour:
        lines.append(f"colour in play: {view.colour}")
    plays = {play.seat: play for play in view.plays}
    columns = [_column(view, seat, plays.get(seat)) for seat in range(view.players)]
    high = max([len(column) for column in columns])
    wide = [max([len(cell) for cell in column]) for column in columns]
    for row in range(high):
        cells = [column[row] if row < len(column) else "" for column in columns]
        lines.append(
            "   ".join([cell.ljust(width) for cell, width in zip(cells, wide, strict=True)]).rstrip()
        )
    return "\n".join(lines)


def _progress(view: TopSpotView) -> str:
    if view.phase != "play":
        return view.phase
    tiebreak = f", tie-break {view.tiebreak}" if view.tiebreak else ""
    return f"round {view.round_number}{tiebreak}"


def _column(view: TopSpotView, seat: int, play: Play | None) -> list[str]:
    dealer = " dealer" if seat == view.dealer else ""
    column = [
        f"seat {seat}{dealer}{' <' if seat in view.actors else ''}",
        f"cards {view.counts[seat]}",
        f"points {view.totals[seat]}+{view.points[seat]}",
    ]
    if play:
        grid = composite(stack_cards(play.stack)).grid
        value = f"{play.value}" if play.counts else f"({play.value})"
        column += [play.stack, grid[:3], grid[3:6], grid[6:], value]
    return column
