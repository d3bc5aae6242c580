"""Three moments of a game that is over: where another move of one's own was better."""

from __future__ import annotations

from collections.abc import Sequence

from bot.players.moments import Moment
from bot.rules.game import Say
from bot.tables.model import Table
from bot.tables.moments import Stage
from bot.tables.ports import LooksElsewhere
from cogs import custom_ids
from rendering.scene import Picture

from . import wording
from .advice import reason_lines, told_moves
from .components import Button, Buttons, Gallery, Page, Text, note, page
from .table import text_board

BETTER = "better"  # in a control's argument: with that move on trial in the picture
# Units of which less than one may be worth telling: with a decimal, or as a half.
BY_TENTHS = frozenset({"decimal", "series"})
BY_HALVES = frozenset({"rolls"})


def looking(table: Table, stage: Stage, say: Say) -> Page:
    """While it is thought about, or others are first. Should the bot be started anew meanwhile, it can be
    asked for once more."""
    if stage.ahead:
        told = say("moments.waiting", n=stage.ahead)
    else:
        done = say("moments.progress", percent=25 * stage.quarters) if stage.quarters else ""
        told = "\n".join(filter(None, (say("moments.looking"), done)))
    return page(Text(_heading(table, say)), Text(told), _again(table, say))


def none_found(table: Table, decided: int, say: Say) -> Page:
    """decided: how many decisions there were."""
    return page(Text(_heading(table, say)), Text(say("moments.none", n=decided)))


def not_now(table: Table, say: Say) -> Page:
    """Something went wrong; it can be tried again."""
    return note(say("moments.not_now"), _again(table, say))


def looks_elsewhere(table: Table, busy: LooksElsewhere, say: Say) -> Page:
    """Their turn comes once another game of theirs has been looked at."""
    return note(say(busy.key, **busy.data), _again(table, say))


def moment_page(
    table: Table,
    moments: Sequence[Moment],
    number: int,
    pictures: Sequence[Picture],
    say: Say,
    *,
    as_text: bool = False,
    better: bool = False,
    tried: bool = False,
) -> Page:
    """One of them, by its place. table: as its reader knows it, with their name on the seat that they had.
    pictures: of the position; without any it is told in words. as_text: so it is beside them too. better:
    whether they have the better move on trial. tried: whether that can be seen in a picture."""
    moment = moments[number]
    lines = [
        say("moments.played", told=wording.told_as_done(table.game, moment.view, moment.played, say)),
        say("moments.better", told=told_moves(table, moment.view, moment.better, say)),
        _worth(moment, say),
        *_reasons(moment, say),  # last, for what follows a list's last line is read as part of it
    ]
    words = not pictures or as_text
    return page(
        Text(_heading(table, say, "moments.title", number=number + 1, n=len(moments))),
        Text("\n".join(lines)),
        [Gallery((picture,)) for picture in pictures],
        Text(text_board(table, moment.view, say)) if words else None,
        Buttons(tuple(_ways(table, len(moments), number, say, better=better, tried=tried))),
    )


def _heading(table: Table, say: Say, key: str = "moments.name", **values: int) -> str:
    """key: of its first line, which names the game. values: what else stands there."""
    title = say(key, game=wording.game_name(table.game, say), **values)
    return "\n".join((title, say("moments.table", table=table.id)))


def _reasons(moment: Moment, say: Say) -> list[str]:
    """What speaks for the better move."""
    reasons = reason_lines(moment.why, say)
    return [say("moments.why"), *reasons] if reasons else []


def _worth(moment: Moment, say: Say) -> str:
    scale = moment.scale
    if scale.unit in BY_TENTHS:
        whole, tenth = divmod(max(1, round(10 * moment.worth)), 10)
        worth = say(f"moments.worth.{scale.unit}", whole=whole, tenth=tenth)
    elif scale.unit in BY_HALVES and moment.worth < 0.75:
        worth = say(f"moments.worth.{scale.unit}.half")
    else:
        worth = say(f"moments.worth.{scale.unit}", n=max(1, round(moment.worth)))
    exact = say("moments.worth.exact", worth=worth)
    lines = [say("moments.worth", worth=worth, games=moment.games) if moment.games else exact]
    if scale.win and moment.points >= scale.win / 2:
        lines.append(say("moments.win", win=round(scale.win)))
    if moment.goes_on:
        lines.append(say("moments.goes_on"))
    return "\n".join(lines)


def _ways(table: Table, count: int, number: int, say: Say, *, better: bool, tried: bool) -> list[Button]:
    """To the one before and the next, side by side on a phone, and the better move on trial or not."""
    ways = []
    if number > 0:
        ways.append(_button(table, str(number), say("moments.button.before")))
    if number + 1 < count:
        ways.append(_button(table, str(number + 2), say("moments.button.next")))
    if tried:
        shown = "" if better else f".{BETTER}"
        label = say("moments.button.position" if better else "moments.button.better")
        ways.append(_button(table, f"{number + 1}{shown}", label))
    return ways


def _again(table: Table, say: Say) -> Buttons:
    return Buttons((_button(table, "", say("moments.again")),))


def _button(table: Table, argument: str, label: str) -> Button:
    return Button(label, custom_ids.button(table.id, table.revision, "moments", argument))
