"""The end: the last message at a table's place, and what an ended table still offers."""

from __future__ import annotations

from collections.abc import Sequence

from bot.locale import DEFAULT, keys, listing
from bot.rules.game import Outcome, Say
from bot.rules.registry import game as rules_of
from bot.tables.model import GIVEN_UP, Seen, Table
from bot.tables.moments import offers
from cogs import custom_ids
from rendering.scene import Picture

from . import wording
from .components import Button, Buttons, Gallery, Link, Page, Style, Text, page
from .table import standing, text_board

ACCENT = 0xD4A72C


def final_page(
    seen: Seen, pictures: Sequence[Picture], language: str, say: Say, *, again: Table | None = None
) -> Page:
    """Who won and why, for those who sit there. Its buttons change nothing of the table: they may stay. Made
    from a spectator's view alone. again: the rematch, where one is open."""
    table, view = seen.table, seen.view
    people = [seat.user for seat in table.humans if seat.user is not None]
    lines = [
        say("final.people", names=" ".join(f"<@{user}>" for user in people)) if people else "",
        say(f"tables.ending.{table.ending}") if view is None else ending(seen, language, say),
    ]
    board = [] if pictures or view is None else [Text(text_board(table, view, say))]
    offered: list[Button | Link] = [_button(table, "rematch", say, "primary"), *_records(table, say)]
    offered += _moments(table, say)
    offered += [Link(say("final.again", table=again.id), wording.way_to(again))] if again is not None else []
    return page(
        Text(say("final.title", game=wording.game_name(table.game, say), table=table.id)),
        Text("\n".join(line for line in lines if line)),
        [Gallery((picture,)) for picture in pictures],
        board,
        Buttons(tuple(offered)),
        accent=ACCENT,
        mentions=people,
    )


def afterwards(seen: Seen, user: int, say: Say) -> Buttons:
    """What an ended table still offers, on a private page."""
    table = seen.table
    players = {seat.user for seat in table.seats}
    seated = user in players
    again = [_button(table, "rematch", say, "primary")] if seated else []
    moments = _moments(table, say) if seated else []
    return Buttons((*again, *_records(table, say), *moments, _button(table, "history", say)))


def _records(table: Table, say: Say) -> list[Button]:
    return [_button(table, "record", say)] if table.events else []


def _moments(table: Table, say: Say) -> list[Button]:
    return [_button(table, "moments", say)] if offers(table) else []


def _button(table: Table, verb: str, say: Say, style: Style = "secondary") -> Button:
    return Button(say(f"menu.{verb}"), custom_ids.button(table.id, table.revision, verb), style)


def ending(seen: Seen, language: str, say: Say) -> str:
    """Who won and why, and everybody's place; of a game that was not played to its end what stopped it."""
    table, view, outcome = seen.table, seen.view, seen.table.outcome
    assert view is not None
    if outcome is None:
        stopped = " ".join((*_gone(seen, language, say), say(f"tables.ending.{table.ending}")))
        if len(table.seats) > 1:
            stopped = f"{stopped} {say('table.unfinished')}"
        lines = [stopped, standing(table, view, say)]
    else:
        alone = len(table.seats) == 1
        lines = [
            _winners(table, outcome, language, say),
            rules_of(table.game).epilogue(view, wording.names(table, say), say),
            *([wording.score_lines(table, outcome.scores, say)] if alone else []),
            *([] if alone else _place_lines(table, outcome, language, say)),
        ]
    return "\n".join(line for line in lines if line)


def _gone(seen: Seen, language: str, say: Say) -> list[str]:
    """Who went, and how, where the table ended by that."""
    table, recap = seen.table, seen.recap
    if recap is None or table.ending not in GIVEN_UP:
        return []
    told = []
    for how, seats in (("resigned", recap.resigned), ("voted_out", recap.voted_out)):
        names = [f"**{wording.shown_name(table, table.seats[seat], say)}**" for seat in sorted(seats)]
        told += [say(f"table.gone.{how}", n=len(names), names=listing(language, names))] if names else []
    return told


def _winners(table: Table, outcome: Outcome, language: str, say: Say) -> str:
    seats = wording.names(table, say)
    won = [side for side in wording.sides(table) if set(side) <= set(outcome.winners)]
    names = [f"**{wording.together([seats[seat] for seat in side])}**" for side in won]
    key = f"{table.game}.reason.{outcome.reason.replace(' ', '_')}"
    reason = say(key if key in keys("en") else "tables.ending.finished")
    if len(table.seats) == 1:
        return say("table.solo", reason=reason)
    if not names:
        return say("table.no_winner", reason=reason)
    if len(won) == 1 and len(won[0]) > 1:
        return say("table.won.side", names=names[0], reason=reason)
    return say("table.won", n=len(won), names=listing(language, names), reason=reason)


def _place_lines(table: Table, outcome: Outcome, language: str, say: Say) -> list[str]:
    """A line for each place, the first for whoever won; sides that share one stand in the same line."""

    def standing(side: tuple[int, ...]) -> tuple[bool, int]:
        return side[0] in outcome.winners, outcome.scores[side[0]]

    lines: list[str] = []
    sides = sorted(wording.sides(table), key=standing, reverse=True)
    for place, first in enumerate(sides, 1):
        shared = [side for side in sides if standing(side) == standing(first)]
        if first != shared[0]:
            continue
        names = [
            wording.together([wording.seat_line(table, table.seats[seat], say) for seat in side])
            for side in shared
        ]
        key = f"final.rank.{place}"
        lines.append(
            say(
                "final.place",
                rank=say(key) if key in keys(DEFAULT) else say("final.rank.later", place=place),
                names=listing(language, names),
                score=wording.score_with_unit(table, outcome.scores[first[0]], say),
            )
        )
    return lines
