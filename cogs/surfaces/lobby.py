"""The lobby message: who sits there, what will be played, and the ways in and out."""

from __future__ import annotations

from bot.rules.game import Say
from bot.rules.registry import game as rules_of
from bot.tables.model import SeatKind, Status, Table
from cogs import custom_ids

from . import wording
from .components import Button, Buttons, Link, Page, Rule, Text, page

ACCENT = 0x3E8E7E
OVER = 0x808080


def heading(table: Table, say: Say) -> str:
    """What every page of it begins with; no name stands there."""
    return say("lobby.title", game=wording.game_name(table.game, say), table=table.id)


def lobby_page(table: Table, say: Say) -> Page:
    """What the lobby message shows now: the open lobby, the way to the running game, or how it ended."""
    if table.status is Status.LOBBY:
        return _open(table, say)
    title = Text(heading(table, say))
    if table.damaged or (table.status in {Status.ENDED, Status.ASIDE} and table.place.table_message is None):
        why = f"tables.ending.{table.ending}" if table.status is Status.ENDED else "table.aside"
        return page(title, Text(say(why)), accent=OVER)
    place = table.place
    where = wording.message_link(place.guild, place.thread or place.channel, place.table_message)
    line = say("lobby.over") if table.status is Status.ENDED else say("lobby.started")
    return page(
        title,
        Text(_seats(table, say)),
        Text(line),
        Buttons((Link(say("lobby.go"), where),)),
        accent=OVER if table.status is Status.ENDED else ACCENT,
    )


def _seats(table: Table, say: Say) -> str:
    lines = []
    for seat in table.seats:
        line = wording.seat_line(seat, say)
        if seat.kind is SeatKind.HUMAN and seat.user == table.host:
            line = say("lobby.host", name=line)
        lines.append(f"{seat.index + 1}. {line}")
    return "\n".join(lines)


def _open(table: Table, say: Say) -> Page:
    rules = rules_of(table.game)
    seated = len(table.seats)
    ready = seated >= rules.min_seats
    full = seated >= table.people
    head = [
        heading(table, say),
        say(f"{table.game}.blurb"),
    ]
    facts = [say("lobby.seats", seated=seated, most=table.people, least=rules.min_seats)]
    defaults = rules.defaults(max(rules.min_seats, min(table.people, rules.max_seats)))
    changed = [(name, value) for name, value in table.options.items() if value != defaults.get(name)]
    if changed:
        facts.append(wording.option_lines(table, say, changed))
    if table.clock.seconds is not None:
        facts.append(say("lobby.clock", time=wording.duration(table.clock.seconds, say)))
    if table.deadline is not None:
        facts.append(say("lobby.expires", when=wording.when(table.deadline)))

    def button(verb: str, style: str = "secondary", *, off: bool = False) -> Button:
        return Button(
            say(f"lobby.button.{verb}"),
            custom_ids.button(table.id, table.revision, verb),
            style,  # type: ignore[arg-type]  # one of page.Style
            disabled=off,
        )

    computers = any(seat.kind is SeatKind.COMPUTER for seat in table.seats)
    direct = table.place.direct  # who is not seated yet has no such page: they come with the code
    controls = [
        *([] if direct else [button("join", "success", off=full)]),
        button("leave"),
        button("start", "primary", off=not ready),
        button("cancel", "danger"),
        button("add_computer", off=full),
    ]
    if computers:
        controls.append(button("remove_computer"))
    controls.append(Button(say("table.button.rules"), custom_ids.button(None, 0, "rules", f"{table.game}.0")))
    if table.place.code and not full:
        facts.append(say("lobby.code", code=table.place.code))
    status = say("lobby.full") if full else say("lobby.ready") if ready else say("lobby.waiting")
    return page(
        Text("\n".join(head)),
        Rule(),
        Text(_seats(table, say)),
        Text("\n".join(facts)),
        Text(status),
        Buttons(tuple(controls)),
        accent=ACCENT,
    )
