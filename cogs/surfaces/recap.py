"""What happened lately, in words: one short line for each player."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Final

from bot.rules.game import Say
from bot.rules.registry import game as rules_of
from bot.tables.model import Recap, Seen
from bot.text import cut

from . import wording

log = logging.getLogger(__name__)

TURNS: Final = 2  # of one player that are told, the newest
TOLD: Final = 200  # characters of them


def recap_lines(seen: Seen, say: Say) -> list[str]:
    """The others' turns since the person's own last one, of a spectator everybody's in the last round, in the
    order of play; of the person's own seat only what was played for them."""
    told = _told(seen, say)
    return [say("recap.line", name=name, told=what) for name, what in told]


def recap_short(seen: Seen, say: Say) -> str:
    """The same of the last one who played, on one line; "" where nothing happened."""
    told = _told(seen, say)
    return say("recap.short", name=told[-1][0], told=told[-1][1]) if told else ""


def _told(seen: Seen, say: Say) -> list[tuple[str, str]]:
    """Names and what they did, ready for Markdown text."""
    recap, table = seen.recap, seen.table
    if recap is None or seen.view is None:
        return []
    own = seen.seat.index if seen.seat is not None and seen.seat.index not in recap.late else None
    names = wording.names(table, say)
    phrases = _phrases(seen, recap, names, say)
    seats = [seat for seat in dict.fromkeys((*phrases, *sorted(recap.took_back))) if seat != own]
    return [(names[seat], _beside(seat, recap, phrases.get(seat, ()), say)) for seat in seats]


def _phrases(seen: Seen, recap: Recap, names: Sequence[str], say: Say) -> Mapping[int, Sequence[str]]:
    assert seen.view is not None
    try:
        return rules_of(seen.table.game).retell(seen.view, recap.events, recap.since, names, say)
    except Exception as error:  # a damaged event may raise anything, and must hide nothing else
        log.warning("table %s: what happened cannot be told: %s", seen.table.id, type(error).__name__)
        return {}


def _beside(seat: int, recap: Recap, phrases: Sequence[str], say: Say) -> str:
    """What stands beside the name: the newest turns, and what was special about them."""
    told = "; ".join(phrases[-TURNS:])
    if len(phrases) > TURNS:
        told = say("recap.earlier", told=told, n=len(phrases) - TURNS)
    remarks = [
        say(f"recap.{key}")
        for key, seats in (
            ("late", recap.late),
            ("stood_in", recap.stood_in - recap.late),
            ("took_back", recap.took_back),
        )
        if seat in seats
    ]
    return ", ".join(filter(None, (wording.literal(cut(told, TOLD)), *remarks)))
