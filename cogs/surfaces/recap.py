"""What happened lately, in words: one short line for each player."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from typing import Final

from bot.rules.game import Say, Told
from bot.rules.registry import game as rules_of
from bot.tables.model import Recap, Seen
from bot.text import cut

from . import wording

log = logging.getLogger(__name__)

TURNS: Final = 2  # of one player that are told, the newest
TOLD: Final = 200  # characters of them
BRIEF: Final = 100  # the same in a notice


def recap_lines(seen: Seen, say: Say, *, brief: bool = False, called: Collection[int] = ()) -> list[str]:
    """The others' turns since the person's own last one, of a spectator everybody's in the last round, in the
    order of play. Of the person's own seat, and of those called, only what was played for them and what their
    turns have brought since. brief: as a notice has it. called: the seats that a notice is for."""
    recap, table = seen.recap, seen.table
    if recap is None or seen.view is None:
        return []
    names = wording.names(table, say)
    own = seen.seat.index if seen.seat is not None else None
    there = {seat for seat in (own, *called) if seat is not None and seat not in recap.late}
    found: dict[int, list[Told]] = {}
    for told in _told(seen, recap, names, say):
        news = told._replace(text=told.own) if told.seat in there else told
        if news.text:
            found.setdefault(told.seat, []).append(news)
    lines = []
    for seat in dict.fromkeys((*found, *sorted((recap.went | recap.took_back) - there))):
        said = wording.literal(cut(_newest(found.get(seat, ()), say), BRIEF if brief else TOLD))
        if seat not in there:
            said = ", ".join(filter(None, (said, *_remarks(seat, recap, say))))
        key = "recap.own" if seat == own and seat in there else "recap.line"
        lines.append(say(key, name=names[seat], told=said))
    return lines


def _told(seen: Seen, recap: Recap, names: Sequence[str], say: Say) -> Sequence[Told]:
    assert seen.view is not None
    try:
        return rules_of(seen.table.game).retell(seen.view, recap.events, recap.since, names, say)
    except Exception as error:  # a damaged event may raise anything, and must hide nothing else
        log.warning("table %s: what happened cannot be told: %s", seen.table.id, type(error).__name__)
        return ()


def _newest(found: Sequence[Told], say: Say) -> str:
    """The newest turns, what they brought with them, and how many there were before."""
    turns = [
        place for place, one in enumerate(found) if one.text != one.own
    ]  # else what an older one brought
    earlier = max(len(turns) - TURNS, 0)
    told = "; ".join(one.text for one in (found[turns[earlier] :] if earlier else found))
    return say("recap.earlier", told=told, n=earlier) if earlier else told


def _remarks(seat: int, recap: Recap, say: Say) -> list[str]:
    """What was special about a seat's turns."""
    return [
        say(f"recap.{key}")
        for key, seats in (
            ("late", recap.late),
            ("resigned", recap.resigned & recap.went),
            ("voted_out", recap.voted_out & recap.went),
            ("stood_in", recap.stood_in - recap.late),
            ("another", recap.another),
            ("took_back", recap.took_back),
        )
        if seat in seats
    ]
