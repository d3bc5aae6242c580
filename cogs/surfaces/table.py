"""The public table message: board, whose turn it is, standing, and the way to one's own move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.locale import listing
from bot.rules.game import Say, View
from bot.rules.registry import game as rules_of
from bot.tables.deadlines import UP
from bot.tables.model import Seen, Status, Table
from cogs import custom_ids
from rendering.scene import Picture

from . import wording
from .components import Button, Buttons, Gallery, Page, Text, page
from .recap import recap_lines

ACCENT = 0x2F6DB5
OVER = 0x808080
PAUSED = 0xC28F2C


def heading(table: Table, say: Say) -> str:
    """What every page of it begins with; no name stands there."""
    return say("table.title", game=wording.game_name(table.game, say), table=table.id)


def table_page(
    seen: Seen,
    pictures: Sequence[Picture],
    language: str,
    say: Say,
    *,
    pinged: Sequence[int] = (),
    slower: Mapping[int, str] | None = None,
    back: bool = False,
) -> Page:
    """Made from a spectator's view alone. pinged: users whose turn it is told to by this message. slower,
    back: as in a notice."""
    table, view = seen.table, seen.view
    title = heading(table, say)
    if table.status is Status.ASIDE or view is None:
        ended = table.status is Status.ENDED
        why = say(f"tables.ending.{table.ending}") if ended else say("table.aside")
        return page(Text(title), Text(why), accent=OVER)
    lines: list[str] = []
    if table.status is Status.ENDED:
        lines.append(say("table.ended"))  # how is told by the last message
    else:
        if table.status is Status.PAUSED:
            lines.append(say("table.paused"))
        lines.append(wording.turn_line(table, view, language, say, pinged))
        lines += wording.slower_lines(slower or {}, say)
        lines += [say("notice.back")] if back else []
        lines.extend(_clock(table, language, say))
    lines += recap_lines(seen, say)
    if table.status is not Status.ENDED:
        lines += standing_lines(table, view, language, say)
    board = [Text(text_board(table, view, say))] if not pictures else []
    return page(
        Text(title),
        [Gallery((picture,)) for picture in pictures],  # whole and full width: together they would be cropped
        board,
        Text("\n".join(line for line in lines if line)),
        controls(table, say) if table.status in {Status.PLAYING, Status.PAUSED} else None,
        accent={Status.ENDED: OVER, Status.PAUSED: PAUSED}.get(table.status, ACCENT),
        mentions=pinged,
    )


def controls(table: Table, say: Say) -> Buttons:
    def button(verb: str, style: str = "secondary") -> Button:
        return Button(
            say(f"table.button.{verb}"),
            custom_ids.button(table.id, table.revision, verb),
            style,  # type: ignore[arg-type]  # one of page.Style
        )

    buttons = [button("move", "primary")]
    if rules_of(table.game).hidden_hands:
        buttons.append(button("hand"))
    buttons += [button("text"), button("menu")]
    return Buttons(tuple(buttons))


def standing_lines(table: Table, view: View, language: str, say: Say) -> list[str]:
    """The questions put to the table, and the standing: a list, and last, for what follows its last line is
    read as part of it."""
    lines = [wording.vote_line(table, vote, language, say) for vote in table.votes]
    lines += [say("table.vote_how")] if table.votes else []
    return [*lines, standing(table, view, say)]


def _clock(table: Table, language: str, say: Say) -> list[str]:
    if table.status is not Status.PLAYING or table.deadline is None:
        return []
    lines = [say("table.deadline", when=wording.when(table.deadline))]
    overdue = [seat for seat in table.seats if seat.since and seat.reminded == UP]
    late = [wording.shown_name(table, seat, say) for seat in overdue]
    if late:
        lines.append(say("table.overdue", names=listing(language, late), n=len(late)))
    return lines


def standing(table: Table, view: View, say: Say) -> str:
    return wording.score_lines(table, view.scores, say) if view.scores else ""


def text_board(table: Table, view: View, say: Say) -> str:
    return wording.literal(rules_of(table.game).board_text(view, wording.names(table, say), say))
