"""Small helpers for text that people read in Discord."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from bot.locale import DEFAULT, keys, listing
from bot.rules.game import Event, Fuller, Say, View
from bot.rules.registry import GAME_IDS
from bot.rules.registry import game as rules_of
from bot.tables import seating
from bot.tables.model import Seat, SeatKind, Status, Table, UserId, Vote
from bot.tables.names import AUTOMATIC
from bot.tables.names import clean as clean_name
from bot.text import shortened

log = logging.getLogger(__name__)

NAME = 32  # characters of a name that are shown
_MARKUP = re.compile(r"([!-/:-@\[-`{-~])")  # every ASCII mark
_STAR = re.compile(r"(?<!\\)\*")
_NO_ID = re.compile(r"[^A-Za-z0-9_-]+")
_TITLE = re.compile(r"[*_~`|\\<>\[\](){}#]+")
_WIDE = str.maketrans({"@": "＠", "/": "⁄", ":": "꞉"})


def bare(name: str) -> str:
    """A name for places without Markdown (buttons, menus): one line, cleaned, a long one shortened."""
    return shortened(_whole(name), NAME, len)


def _whole(name: str) -> str:
    return clean_name(name) or "?"


def titled(name: str) -> str:
    """A name for a thread's name, which Discord quotes in Markdown and shows as a link: nothing in it is
    formatting, a mention, a link or an invitation."""
    return " ".join(bare(_TITLE.sub("", name).translate(_WIDE)).split()) or "?"


def plain(name: str) -> str:
    """A name in Markdown text, shown exactly as it is: no formatting, link, mention, emoji or timestamp
    comes of it."""
    tidy = _MARKUP.sub(r"\\\1", bare(name))
    # A client that looks for mentions before escapes finds nothing either.
    return tidy.replace("@", "@\u2060")


def literal(text: str) -> str:
    """A game's words for Markdown text, names in them escaped already: a star is a piece's sign (a joker's)
    and shall neither set text in italics nor begin a list."""
    return _STAR.sub(r"\*", text)


def clean(value: object) -> object:
    """A value from outside for Markdown text: short, on one line, shown as it is."""
    return plain(value[:200]) if isinstance(value, str) else value


def game_name(game: str, say: Say) -> str:
    """A game's name; of one that is not known here, which a stored table may be of, its id."""
    return say(f"{game}.name") if game in GAME_IDS else _NO_ID.sub("", game)[:NAME] or "?"


def event_line(
    table: Table, event: Event, names: Sequence[str], say: Say, fuller: Fuller | None = None
) -> str:
    """An event in words, for Markdown text. names: escaped. fuller: what more is known of it."""
    try:
        if fuller is not None and event.player is not None:
            return say(f"{table.game}.event.{fuller.kind}", name=names[event.player], **fuller.values)
        return literal(rules_of(table.game).describe(event, tuple(names), say))
    except Exception as error:  # a damaged event may raise anything, and must hide nothing else
        log.warning("table %s: an event cannot be told: %s", table.id, type(error).__name__)
        return say("history.unreadable")


def told_to_do(game: str, view: View, move: str, say: Say) -> str:
    """A move as what its reader, the view's seat, might do: one sentence."""
    return literal(rules_of(game).address(view, move, "do", say))


def told_as_done(game: str, view: View, move: str, say: Say) -> str:
    """A move as what its reader, the view's seat, did there: one sentence."""
    return literal(rules_of(game).address(view, move, "did", say))


def seat_name(table: Table, seat: Seat, say: Say) -> str:
    """A seat's name without escapes."""
    return _named(table, seat, say, bare)


def shown_name(table: Table, seat: Seat, say: Say) -> str:
    """A seat's name for Markdown text."""
    return _named(table, seat, say, plain)


def _named(table: Table, seat: Seat, say: Say, how: Callable[[str], str], kind: str = "") -> str:
    """how: makes a person's name fit to stand there; those of computer players fit everywhere. kind: as for
    `_computer_name`."""
    return _computer_name(table, seat, say, kind) if seat.kind is SeatKind.COMPUTER else how(seat.name)


def _computer_name(table: Table, seat: Seat, say: Say, kind: str = "") -> str:
    """Computer players are numbered among themselves: those of the start by their seats, each that took one
    later with the next number, so that no name changes during the game. A lone one has none. kind: `.short`
    where there is little room."""
    begun = [one.index for one in table.seats if one.kind is SeatKind.COMPUTER and not one.name]
    number = int(seat.name) if seat.name.isdecimal() else sum(one <= seat.index for one in begun)
    key = f"tables.seat.computer.{seat.level.value}{kind}"
    return say(key) if number == 1 and len(begun) <= 1 else say(f"{key}.numbered", number=number)


def signed(seat: Seat, name: str) -> str:
    """A seat's name as what plays there: with the sign where that is not the person whose name it has."""
    return f"{AUTOMATIC} {name}" if seat.kind in {SeatKind.STAND_IN, SeatKind.OPEN} else name


def names(table: Table, say: Say) -> tuple[str, ...]:
    """Every seat's name for Markdown text, with an automatic seat's sign."""
    return _all_named(table, say, plain)


def bare_names(table: Table, say: Say) -> tuple[str, ...]:
    """Every seat's name for places without Markdown, with an automatic seat's sign."""
    return _all_named(table, say, bare)


def whole_names(table: Table, say: Say) -> tuple[str, ...]:
    """The same for pictures and their alt texts, which shorten a person's name themselves, to the room they
    have. Those of computer players are so short that their strength can be read everywhere."""
    return _all_named(table, say, _whole, ".short")


def titled_names(table: Table, say: Say) -> tuple[str, ...]:
    """Every seat's name for a thread's name, with an automatic seat's sign; those of computer players are
    short, since the others' have no brackets there (`titled`)."""
    return _all_named(table, say, titled, ".short")


def _all_named(table: Table, say: Say, how: Callable[[str], str], kind: str = "") -> tuple[str, ...]:
    return tuple(signed(seat, _named(table, seat, say, how, kind)) for seat in table.seats)


def seat_line(table: Table, seat: Seat, say: Say) -> str:
    """A seat's player: name, and what plays it where that is not its person. At the end with the hints that
    were had on the seat: by that person, or by who sat there before."""
    line = shown_name(table, seat, say)
    if seat.kind in {SeatKind.STAND_IN, SeatKind.OPEN}:
        line = say(f"tables.seat.{seat.kind.value}", name=line)
    if table.status is Status.ENDED and seat.hints:
        own = seat.hinted and seat.kind is not SeatKind.COMPUTER
        return say("tables.seat.hints" if own else "tables.seat.hints.before", name=line, n=seat.hints)
    return line


def when(moment: datetime) -> str:
    """Discord shows it as time to go, in the reader's own time zone."""
    return f"<t:{int(moment.timestamp())}:R>"


def at_and_in(moment: datetime) -> str:
    """As `when`, and by the reader's clock."""
    return f"<t:{int(moment.timestamp())}:t> ({when(moment)})"


def message_link(guild: int | str, channel: int, message: int | None = None) -> str:
    base = f"https://discord.com/channels/{guild}/{channel}"
    return base if message is None else f"{base}/{message}"


def table_link(table: Table, user: UserId | None = None) -> str | None:
    """Where the table is played; None before it has a message. user: whose copy is meant of one that is
    played in direct messages."""
    place = table.place
    if place.direct:
        own = table.seat_of(user) if user is not None else None
        if own is None or own.hand_channel is None:
            return None
        return message_link("@me", own.hand_channel, own.hand_message)
    if place.table_message is not None:
        return message_link(place.guild, place.thread or place.channel, place.table_message)
    if place.lobby_message is not None:
        return message_link(place.guild, place.channel, place.lobby_message)
    return None


def way_to(table: Table) -> str:
    """Where the table is played, else the channel where its message is to appear."""
    return table_link(table) or message_link(table.place.guild, table.place.channel)


def turn_line(table: Table, view: View, language: str, say: Say, pinged: Sequence[int] = ()) -> str:
    """Whose turn it is. pinged: users who are mentioned in place of their names."""
    seats = names(table, say)
    users = {seat.index: seat.user for seat in table.humans if seat.user in pinged}
    everybody = [f"<@{users[seat]}>" if seat in users else f"**{seats[seat]}**" for seat in view.actors]
    if not everybody:
        return ""
    return say("table.turn", n=len(everybody), names=listing(language, everybody))


def slower_lines(slower: Mapping[int, str], say: Say) -> list[str]:
    """Whose notices come in another rhythm from now on, since they left so many without an answer."""
    return [say(f"notice.slower.{rhythm}", name=f"<@{user}>") for user, rhythm in slower.items()]


def vote_line(table: Table, vote: Vote, language: str, say: Say) -> str:
    """An open question, and who is for it."""
    about = shown_name(table, table.seats[vote.seat], say) if vote.seat is not None else ""
    supporters = [plain(seat.name) for seat in table.humans if seat.user in vote.yes]
    return say(
        f"vote.{vote.kind.value}",
        about=about,
        names=listing(language, supporters),
        count=len(vote.yes),
        needed=vote.needed,
        when=when(vote.until),
    )


def together(names: Sequence[str]) -> str:
    """A side's name: those who play together."""
    return " & ".join(names)


def sides(table: Table) -> tuple[tuple[int, ...], ...]:
    """The seats by side: each alone, but where they play together."""
    return seating.sides(table) or tuple((seat.index,) for seat in table.seats)


def score_lines(table: Table, scores: Sequence[int], say: Say) -> str:
    """One line a side."""
    return "\n".join(
        say(
            "table.score",
            name=together([seat_line(table, table.seats[seat], say) for seat in side]),
            score=score_with_unit(table, scores[side[0]], say),
        )
        for side in sides(table)
        if side[-1] < len(scores)
    )


def score_with_unit(table: Table, score: int, say: Say) -> str:
    """A score as what it counts: "7 points", "9 of 16 cells"."""
    key = f"{table.game}.unit.{rules_of(table.game).unit(table.options)}"
    return say(key if key in keys(DEFAULT) else "table.unit.points", n=score)


def option_lines(table: Table, say: Say, options: Sequence[tuple[str, object]]) -> str:
    """The table's options in words, one line each."""
    return "\n".join(
        say(
            "lobby.option",
            option=say(f"{table.game}.option.{name}"),
            value=option_value(table.game, name, value, say),
        )
        for name, value in options
    )


def option_value(game: str, name: str, value: object, say: Say) -> str:
    """In words, with its effect."""
    if value is True:
        return say(f"{game}.option.{name}.yes")
    if value is False:
        return say("common.no")
    if isinstance(value, str):
        return say(f"{game}.option.{name}.{value}")
    return "–" if value is None else str(value)


def how_many(counts: Sequence[int], say: Say) -> str:
    """`4`, `2 to 4`, `4 or 6`."""
    first, last = counts[0], counts[-1]
    if len(counts) == 1:
        return str(first)
    if len(counts) > 2 and last - first == len(counts) - 1:
        return say("common.range", least=first, most=last)
    return say("common.either", some=", ".join(map(str, counts[:-1])), last=last)


def largest_unit(seconds: int) -> tuple[str, int]:
    """A length of time in its largest whole unit: ("hours", 12)."""
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= length and seconds % length == 0:
            return unit, seconds // length
    return "seconds", seconds


def duration(seconds: int, say: Say) -> str:
    unit, count = largest_unit(seconds)
    return say(f"common.{unit}", n=count)
