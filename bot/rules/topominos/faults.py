"""Whether a position can be at all, judged independently of how it came about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .pieces import CELL_INDEX, CELLS, COPIES, FULL, MASKS, NAMES, SET, fill, rack_size
from .position import Position, leaders
from .view import PHASES


def faults(position: Position) -> list[str]:
    """See `State.faults`."""
    parts = (_piece_faults, _board_faults, _turn_faults, _match_faults)
    return [fault for part in parts for fault in part(position)]


def _piece_faults(position: Position) -> list[str]:
    found = []
    everywhere = Counter(position.bag) + Counter(position.gone) + Counter(position.aside)
    for rack in position.racks:
        everywhere += Counter(rack)
    for stack in position.stacks:
        everywhere += Counter(NAMES.get(dots, dots) for dots in stack)
    if position.stage == "lots":
        if everywhere != _bag_after_lots(position.lots):
            found.append("the bag does not hold what the start draw left")
    elif everywhere != Counter(SET):
        wrong = [name for name in {*everywhere, *SET} if everywhere[name] != COPIES.get(name, 0)]
        found.append(f"pieces that are there too often or too seldom: {sorted(wrong)}")
    held = {"bag": position.bag, "gone": position.gone, "aside": position.aside}
    held |= {f"rack {seat}": rack for seat, rack in enumerate(position.racks)}
    found += [f"{place} is not sorted" for place, names in held.items() if names != sorted(names)]
    if sum(map(len, position.gone)) % 9:
        found.append("the pieces out of the game do not make whole nines")
    if bool(position.aside) != (position.stage == "swap"):
        found.append("pieces are set aside without an exchange, or none in one")
    if len(position.racks) != position.players:
        return [*found, "not one rack per seat"]
    return found + _rack_faults(position)


def _rack_faults(position: Position) -> list[str]:
    found = []
    size = rack_size(position.players)
    for seat, rack in enumerate(position.racks):
        if len(rack) > size:
            found.append(f"rack {seat} holds more than {size}")
        busy = seat == position.seat and (position.laid or position.stage in ("rack", "swap", "refill"))
        if position.stage == "deal":
            if len(rack) != (size if seat < position.seat else 0):
                found.append(f"rack {seat} is not as the deal left it")
        elif position.stage == "lots":
            if rack:
                found.append(f"rack {seat} holds pieces before the deal")
        elif len(rack) < size and position.bag and not busy and position.stage != "over":
            found.append(f"rack {seat} was not refilled")
    if position.stage == "rack" and not (position.bag and 0 <= position.seat < position.players):
        found.append("a piece is due that the bag does not have")
    elif position.stage == "rack" and position.racks[position.seat]:
        found.append("a piece is due for a rack that is not empty")
    return found


def _board_faults(position: Position) -> list[str]:
    found = []
    for cell, stack, full in zip(CELLS, position.stacks, position.fills, strict=True):
        masks = [MASKS.get(dots, 0) for dots in stack]
        if not all(masks):
            found.append(f"{cell} holds what is no piece")
        if sum(mask.bit_count() for mask in masks) != fill(d for d in stack if d in MASKS).bit_count():
            found.append(f"{cell} has dots on dots")
        if fill(dots for dots in stack if dots in MASKS) != full:
            found.append(f"the dots of {cell} are not those of its pieces")
        if full == FULL:
            found.append(f"{cell} is complete and still there")
    if position.stage in ("lots", "deal") and (any(position.fills) or position.gone):
        found.append("pieces were laid before the hands were dealt")
    return found


def _turn_faults(position: Position) -> list[str]:
    found = []
    touched = {cell for cell in range(9) if position.touched >> cell & 1}
    if any(not position.fills[cell] for cell in touched) or position.touched >> 9:
        found.append("a stack is to score that is not there")
    if not touched <= {CELL_INDEX[text.partition("@")[2]] for text in position.laid}:
        found.append("a stack is to score that nothing was laid on")
    if position.stage not in ("turn", "rack") and (position.laid or touched or position.nines):
        found.append("a turn is under way and nobody's")
    if (position.mode == "start") != (position.start >= 0):
        found.append("kind A and its one compartment do not agree")
    if position.mode == "start" and position.start not in touched:
        found.append("the compartment of kind A was not begun")
    if position.mode == "add" and not touched:
        found.append("kind B without a stack added to")
    if position.mode == "open" and position.laid and not position.nines:
        found.append("pieces were laid and no kind of turn was chosen")
    if position.nines < 0 or position.nines > len(position.laid):
        found.append("more nines than pieces laid")
    passed = position.last is not None and "@" not in position.last.moves[0]
    if position.passes < 0 or (position.passes > 0) != passed:
        found.append("the passes do not follow from the last turn")
    if position.last is not None and not 0 <= position.last.seat < position.players:
        found.append("the last turn was nobody's")
    return found


def _match_faults(position: Position) -> list[str]:
    found = []
    if position.stage not in PHASES:
        found.append("no such phase")
    if position.stage == "lots":
        if position.first != -1 or position.seat != -1 or position.games:
            found.append("the start draw is due in a game under way")
        tied = position.tied
        if not tied or tuple(sorted(set(tied))) != tied or tied[-1] >= position.players:
            found.append("the seats of the start draw cannot be")
    elif not 0 <= position.first < position.players or not 0 <= position.seat < position.players:
        found.append("no such seat")
    if any(len(scores) != position.players for scores in (position.points, *position.games)):
        return [*found, "not one score per seat"]
    if (position.result is None) == (position.stage == "over"):
        found.append("an outcome before the end, or none after it")
    if position.result is not None:
        totals = tuple(map(sum, zip(*position.games, strict=True)))
        if position.result.scores != totals or position.result.winners != leaders(totals):
            found.append("the outcome does not follow from the games")
        if position.result.reason not in position.game.reasons:
            found.append("no such reason")
    most = position.most_games()
    if len(position.games) > most or (position.stage != "over" and len(position.games) >= most):
        found.append("more games than the match has")
    if len(position.left) != (position.players if position.games else 0):
        found.append("not one rack per seat was laid open")
    return found


def _bag_after_lots(lots: Iterable[Sequence[str]]) -> Counter[str]:
    """What the bag holds after these start draws, counted afresh."""
    bag = Counter(SET)
    for names in lots:
        drawn = [name for name in names if name != "-"]
        bag.subtract(drawn)
        if bag.total() < sum(len(name) == max(map(len, drawn)) for name in drawn):
            bag = Counter(SET)
    return +bag
