"""What the games' retelling of turns has in common (see `Game.retell`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .game import Event, Say, View

MOST = 4  # parts of one turn that are told


def several(parts: Sequence[str], say: Say) -> str:
    """The parts of one turn in a row, "4 on H12 and 2 on H13"; of many the first ones, and how many more."""
    if len(parts) > MOST:
        return say("common.parts.more", parts=", ".join(parts[: MOST - 1]), n=len(parts) - MOST + 1)
    return all_of(parts, say)


def all_of(parts: Sequence[str], say: Say) -> str:
    """Every one of them, in a row."""
    if len(parts) > 1:
        return say("common.parts.last", parts=", ".join(parts[:-1]), last=parts[-1])
    return "".join(parts)


def moves_of(events: Sequence[Event], since: int = 0) -> Iterator[tuple[int, int, str]]:
    """Every decision from `since` on: its place in the record, its seat and its text."""
    for place in range(since, len(events)):
        event = events[place]
        if event.kind == "move" and event.player is not None:
            yield place, event.player, event.text


def news_from(view: View, events: Sequence[Event], since: int) -> int:
    """The place from which on the end of a round or game is news to the view's seat: its own last decision,
    where nothing was decided between that and `since`."""
    last = max((place for place, _, _ in moves_of(events[:since])), default=since)
    return last if last < since and events[last].player == view.seat else since
