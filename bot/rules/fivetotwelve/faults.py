"""What can be wrong with a position of 5 vor 12, judged from the position alone: tiles that exist too often,
rows that do not rise, turns and waves that cannot be, sums that are off. English, for developers."""

from __future__ import annotations

from .board import CELLS, DIAGONAL, SIDE, SIZE
from .position import Position
from .scoring import WINNER_POINTS
from .view import ONE_SEAT


def faults(position: Position) -> list[str]:
    """A line per fault; [] for every position that can be reached."""
    return [
        *_tile_faults(position),
        *_board_faults(position),
        *_phase_faults(position),
        *_wave_faults(position),
        *_series_faults(position),
    ]


def _tile_faults(position: Position) -> list[str]:
    """Every number exists once per player."""
    found: list[str] = []
    everywhere: list[int] = [position.hand] if position.hand else []
    for tiles in (*position.boards, *position.wave):
        everywhere += [tile for tile in tiles if tile]
    for number, (covered, shown) in enumerate(zip(position.stock, position.middle, strict=True)):
        if covered < 0 or shown < 0 or (not number and (covered or shown)):
            found.append(f"number {number}: counts {covered} and {shown}")
        total = covered + shown + everywhere.count(number)
        if number and total != position.players:
            found.append(f"number {number}: {total} tiles instead of {position.players}")
    return found


def _board_faults(position: Position) -> list[str]:
    """Rule 4, and rule 1's diagonal."""
    found: list[str] = []
    set_up = position.stage in {"first", "deal", "place"}
    for seat, board in enumerate(position.boards):
        for left in range(SIZE):
            for right in range(left + 1, SIZE):
                aligned = left // SIDE == right // SIDE or left % SIDE == right % SIDE
                if aligned and board[left] and board[right] and board[left] >= board[right]:
                    found.append(f"seat {seat}: {CELLS[left]} is not less than {CELLS[right]}")
        on_diagonal = [board[cell] for cell in DIAGONAL]
        if set_up and sum(map(bool, board)) != sum(map(bool, on_diagonal)):
            found.append(f"seat {seat}: a tile off the diagonal in set-up")
        if not set_up and not all(on_diagonal):
            found.append(f"seat {seat}: the diagonal has a gap after set-up")
        if position.stage != "over" and all(board):
            found.append(f"seat {seat}: a full board and no end")
    return found


def _phase_faults(position: Position) -> list[str]:
    """What belongs to some phases only is there in those and in no other."""
    found: list[str] = []
    stage = position.stage
    if (position.on_turn is not None) != (stage in ONE_SEAT):
        found.append(f"turn {position.on_turn} in phase {stage}")
    if bool(position.hand) != (stage == "hand"):
        found.append(f"revealed tile {position.hand} in phase {stage}")
    if (position.first is None) != (stage == "first" and not position.results):
        found.append(f"first player {position.first} in phase {stage}")
    if (position.ending is None) == (stage == "over"):
        found.append(f"phase {stage}, outcome {position.ending}")
    if position.again and (stage not in ONE_SEAT or not position.options["bruno"]):
        found.append("an extra turn out of place")
    if not 0 <= position.idle <= position.idle_limit or (position.idle and stage == "first"):
        found.append(f"{position.idle} turns without a reveal")
    if not any(position.stock) and stage in {"first", "deal", "place", "turn", "reveal"}:
        found.append("the stock is empty and nobody has a last turn")
    if stage == "over" and any(position.stock) and not any(all(board) for board in position.boards):
        found.append("over without a full board or an empty stock")
    return found


def _wave_faults(position: Position) -> list[str]:
    """Rule 1: as many tiles per seat, laid or waiting, as the waves so far have dealt."""
    found: list[str] = []
    stage, dealt = position.stage, position.dealt
    if (position.wave_number > 0) != (stage != "first") or position.wave_number > SIDE // dealt:
        found.append(f"wave {position.wave_number} in phase {stage}")
    if position.receiver and stage != "deal":
        found.append(f"receiver {position.receiver} in phase {stage}")
    if stage not in {"deal", "place"}:
        if any(position.wave):
            found.append("set-up tiles wait outside set-up")
        return found
    for seat, tiles in enumerate(position.wave):
        waves = position.wave_number - (stage == "deal" and seat >= position.receiver)
        if len(tiles) + sum(map(bool, position.boards[seat])) != waves * dealt:
            found.append(f"seat {seat}: wrong number of set-up tiles")
        if len(tiles) not in {0, dealt}:
            found.append(f"seat {seat}: {len(tiles)} set-up tiles wait")
    if stage == "place" and not any(position.wave):
        found.append("nobody has anything to lay")
    return found


def _series_faults(position: Position) -> list[str]:
    """Rules 5 and 6: finished games, points and the outcome."""
    found: list[str] = []
    series = bool(position.options["series"])
    results = position.results
    most = position.games if position.stage == "over" else position.games - 1
    if (not series and results) or len(results) > most:
        found.append(f"{len(results)} finished games")
    sums = [sum(one.points[seat] for one in results) for seat in range(position.players)]
    if sums != position.points:
        found.append(f"points {position.points} instead of {sums}")
    for number, one in enumerate(results, 1):
        for seat in range(position.players):
            due = WINNER_POINTS if seat in one.winners else -(SIZE - one.filled[seat])
            if one.points[seat] != due:
                found.append(f"game {number}: {one.points[seat]} points for seat {seat} instead of {due}")
    if position.ending:
        expected = position.points if series else [SIZE - board.count(0) for board in position.boards]
        leaders = [seat for seat, score in enumerate(expected) if score == max(expected)]
        if list(position.ending.scores) != expected or list(position.ending.winners) != leaders:
            found.append("the outcome is not what the boards say")
    return found
