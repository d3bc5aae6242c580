"""The lobby message: who sits there, what will be played, and the ways in and out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from bot.levels import Level
from bot.rules.game import Say
from bot.rules.registry import game as rules_of
from bot.tables import seating
from bot.tables.lobby import MOST_INVITED
from bot.tables.model import SeatKind, Status, Table, UserId
from cogs import custom_ids
from rendering.scene import Picture

from . import wording
from .components import (
    Block,
    Button,
    Buttons,
    Entry,
    Gallery,
    Link,
    Page,
    People,
    Rule,
    Select,
    Style,
    Text,
    page,
)

ACCENT = 0x3E8E7E
OVER = 0x808080


def heading(table: Table, say: Say) -> str:
    """What every page of it begins with; no name stands there."""
    return say("lobby.title", game=wording.game_name(table.game, say), table=table.id)


def lobby_page(
    table: Table, say: Say, cover: Sequence[Picture] = (), *, reader: UserId | None = None
) -> Page:
    """What the lobby message shows now: the open lobby, the way to the running game, or how it ended. cover:
    the game's picture, for as long as people may still come. reader: whose copy it is of a lobby in direct
    messages: they sit there, and find on it only what they may press; None where everybody reads it."""
    if table.status is Status.LOBBY:
        return _open(table, say, cover, reader)
    title = Text(heading(table, say))
    if table.damaged or (table.status in {Status.ENDED, Status.ASIDE} and table.place.table_message is None):
        why = f"tables.ending.{table.ending}" if table.status is Status.ENDED else "table.aside"
        return page(title, Text(say(why)), accent=OVER)
    place = table.place
    where = wording.message_link(place.guild, place.thread or place.channel, place.table_message)
    line = say("lobby.over") if table.status is Status.ENDED else say("lobby.started")
    return page(
        title,
        [Text(side) for side in _seats(table, len(table.seats), say)],
        Text(line),
        Buttons((Link(say("lobby.go"), where),)),
        accent=OVER if table.status is Status.ENDED else ACCENT,
    )


def _seats(table: Table, most: int, say: Say) -> list[str]:
    """Who sits where, free seats too, by number; those who play together under one heading, without: a list
    that begins with another number than 1 is none to every client."""
    sides = seating.sides(table)
    if not sides:
        return ["\n".join(f"{index + 1}. {_seat(table, index, say)}" for index in range(most))]
    return [
        "\n".join(
            [f"**{say('lobby.side', number=number)}**", *(f"- {_seat(table, index, say)}" for index in side)]
        )
        for number, side in enumerate(sides, start=1)
    ]


def _seat(table: Table, index: int, say: Say) -> str:
    if index >= len(table.seats):
        return say("lobby.free")
    seat = table.seats[index]
    line = wording.seat_line(table, seat, say)
    return say("lobby.host", name=line) if seat.user == table.host else line


def _open(table: Table, say: Say, cover: Sequence[Picture], reader: UserId | None) -> Page:
    most = seating.most(table)
    return page(
        Text(f"{heading(table, say)}\n{say(f'{table.game}.blurb')}"),
        Gallery(tuple(cover)) if cover else None,
        Text("\n".join(_terms(table, say))),
        Rule(),
        [Text(side) for side in _seats(table, most, say)],
        Rule(),
        Text(_guests(table, say)),
        Text(_hints(table, say)),
        Text(_state(table, say)),
        Text(say("lobby.code", code=table.place.code))
        if table.place.code and len(table.seats) < most
        else None,
        Text(say("lobby.expires", when=wording.when(table.deadline))) if table.deadline else None,
        *_controls(table, say, reader),
        _partners(table, say, reader),
        _inviting(table, say),
        accent=ACCENT,
    )


def _terms(table: Table, say: Say) -> list[str]:
    """What was chosen for this table, with its effect."""
    rules = rules_of(table.game)
    usual = rules.defaults(seating.most(table))
    changed = [(name, value) for name, value in table.options.items() if value != usual.get(name)]
    lines = [wording.option_lines(table, say, changed)] if changed else []
    if table.clock.seconds is not None:
        time = wording.duration(table.clock.seconds, say)
        lines.append(say(f"lobby.clock.{table.clock.on_timeout}", time=time))
    return lines


def _guests(table: Table, say: Say) -> str:
    """Who was invited, and whether nobody else may come. "" where nobody was."""
    names = ", ".join(wording.plain(one.name) for one in table.invited)
    lines = [say("lobby.by_invitation")] if table.by_invitation else []
    return "\n".join([*lines, say("lobby.invited", names=names)] if names else lines)


def _hints(table: Table, say: Say) -> str:
    """Who has agreed to hints, where somebody has to be asked. "" for who is alone."""
    people = table.humans
    if len(people) < 2:
        return ""
    agreed = [wording.plain(seat.name) for seat in people if seat.agreed]
    if not agreed:
        return say("lobby.hints.off")
    missing = [wording.plain(seat.name) for seat in people if not seat.agreed]
    if not missing:
        return say("lobby.hints.on")
    return say("lobby.hints.some", agreed=", ".join(agreed), missing=", ".join(missing))


def _state(table: Table, say: Say) -> str:
    """Whether the game can start, and if not, why."""
    counts, seated = seating.counts(table), len(table.seats)
    if not counts:
        return say("lobby.nobody")
    can = wording.how_many(counts, say)
    if seated < counts[0]:
        return say("lobby.waiting", n=counts[0] - seated, counts=can)
    if seated > counts[-1]:
        return say("lobby.too_many", n=seated - counts[-1], counts=can)
    if seated not in counts:
        return say("lobby.between", n=min(count for count in counts if count > seated) - seated, counts=can)
    free = counts[-1] - seated
    return say("lobby.ready", n=free) if free else say("lobby.full")


def _hosts(table: Table, reader: UserId | None) -> bool:
    """Whether its reader may do what the host does; of a message for everybody the host is among them."""
    return reader is None or reader == table.host


def _inviting(table: Table, say: Say) -> People | None:
    """At a table in direct messages the code invites."""
    if table.place.direct or len(table.seats) >= seating.most(table):
        return None
    select = custom_ids.select(table.id, table.revision, "invite")
    return People(select, say("lobby.invite"), most=MOST_INVITED)


def _partners(table: Table, say: Say, reader: UserId | None) -> Select | None:
    """Who plays with whom is chosen here, pair by pair: everybody reads the same menu, so nobody is "you". By
    the host for all, by others for themselves."""
    sides = seating.sides(table)
    if not sides or len(table.seats) <= len(sides[0]):
        return None
    together = {(one, other) for side in sides for one in side for other in side}
    entries = [
        Entry(
            wording.together([wording.seat_name(table, seat, say) for seat in pair]),
            "-".join(f"{seat.index}.{seat.user or 0}" for seat in pair),
        )
        for pair in combinations(table.seats, 2)
        if (pair[0].index, pair[1].index) not in together
        and (_hosts(table, reader) or reader in (pair[0].user, pair[1].user))
    ]
    if not entries:
        return None
    select = custom_ids.select(table.id, table.revision, "partner")
    return Select(select, say("lobby.partner"), tuple(entries))


def _controls(table: Table, say: Say, reader: UserId | None) -> list[Block]:
    def button(verb: str, style: Style = "secondary", *, what: str = "", off: bool = False) -> Button:
        label = say(f"lobby.button.{verb}.{what}" if what else f"lobby.button.{verb}")
        return Button(label, custom_ids.button(table.id, table.revision, verb, what), style, disabled=off)

    seated = len(table.seats)
    full = seated >= seating.most(table)
    # Who is not seated yet at a table in direct messages has no such page: they come with the code.
    direct = table.place.direct
    first = [] if direct else [button("join", "success", off=full)]
    if _hosts(table, reader):
        first.append(button("start", "primary", off=seated not in seating.counts(table)))
    first.append(button("leave"))
    if _hosts(table, reader):
        first.append(button("cancel", "danger"))
    computers = [button("add_computer", what=level.value, off=full) for level in Level]
    if any(seat.kind is SeatKind.COMPUTER for seat in table.seats):
        computers.append(button("remove_computer"))
    other = [Button(say("table.button.rules"), custom_ids.button(None, 0, "rules", f"{table.game}.0"))]
    if not direct:
        other.insert(0, button("restrict", what="off" if table.by_invitation else "on"))
    if table.invited:
        other.append(button("invitations"))
    people = table.humans
    theirs = [seat for seat in people if reader in (None, seat.user)] if len(people) > 1 else []
    for wanted in ("on", "off"):  # each for whoever presses it
        if any(seat.agreed is (wanted == "off") for seat in theirs):
            other.append(button("hints", what=wanted))
    # A button that names what it adds is as wide as a phone: the line says it once for all three.
    added = Text(say("lobby.computers"))
    return [Buttons(tuple(first)), added, Buttons(tuple(computers)), Buttons(tuple(other))]
