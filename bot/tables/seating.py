"""How many may sit at a table, and who plays with whom. Plain functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.rules.registry import GAME_IDS
from bot.rules.registry import game as rules_of

from .model import Seat, Table


def counts(table: Table) -> tuple[int, ...]:
    """With how many players this lobby can start, ascending, by its options and the seats it wants."""
    return tuple(n for n in rules_of(table.game).seat_counts(table.options) if n <= table.people)


def most(table: Table) -> int:
    """How many seats the lobby has."""
    return max(counts(table), default=table.people)


def fewest_opponents(game: str, options: Mapping[str, object] | None = None) -> int:
    """How many computer players somebody alone needs for a game with these options; one at least."""
    return max(1, min(rules_of(game).seat_counts(options or {}), default=0) - 1)


def sides(table: Table) -> tuple[tuple[int, ...], ...]:
    """The seats that play together, see `Game.sides`; in a lobby the free seats too."""
    if table.game not in GAME_IDS:
        return ()
    players = max(most(table), len(table.seats)) if table.events == 0 else len(table.seats)
    return rules_of(table.game).sides(players, table.options)


def moved_up(table: Table, staying: Sequence[Seat]) -> tuple[Seat, ...]:
    """Those who stay of a table, on its first seats in their order. Who sits together stays together: whoever
    was left by somebody beside them comes last, where the free seats are."""
    there = {seat.index for seat in staying}
    left = {seat for side in sides(table) if not there.issuperset(side) for seat in side}
    order = sorted(staying, key=lambda seat: seat.index in left)
    return tuple(replace(seat, index=place) for place, seat in enumerate(order))
