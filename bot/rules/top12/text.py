"""Top 12 in words: the board as text and each event as a sentence, from the language's catalogue."""

from __future__ import annotations

from collections.abc import Sequence

from ..game import Event, Outcome, Say, Told
from ..telling import moves_of, news_from
from .legality import sitting_out, unable
from .notation import HIDDEN_ENTRY, HIDDEN_SETUP, Call, Entry, Setup, parse, parse_chance
from .scoring import IDLE_LIMIT, fullness
from .sheet import CELLS, EMPTY, JOKER, LETTERS, ROWS, SYMBOLS, Sheet, entered
from .view import Round, Top12View, solo_title

# --------------------------------------------------------------------------- the board


def board_text(view: Top12View, names: Sequence[str], say: Say) -> str:
    """See `Game.board_text`."""
    asked = view.phase in ("setup", "call")  # it tells of what is to be done, and of nothing else
    lines = [_status_line(view, names, say)] if view.actors or not asked else []
    if view.phase in ("setup", "enter") and view.actors:
        waited = ", ".join([names[seat] for seat in view.actors])
        lines.append(say("top12.text.waiting", names=waited))
        if view.chosen:
            lines.append(say("top12.text.chosen", names=", ".join([names[seat] for seat in view.chosen])))
    if cannot := sitting_out(view):
        lines.append(say("top12.text.unable", names=", ".join([names[seat] for seat in cannot])))
    if view.pending:
        entries = [entry.partition("@") for entry in view.pending.split(" ")]
        written = [say("top12.text.entry", number=number, cell=cell) for number, _, cell in entries]
        lines.append(say("top12.text.pending", move=", ".join(written)))
    if view.last is not None:
        lines += _last_lines(view.last, names, say)
    if view.rolls:
        lines.append(say("top12.text.rolls", rolls=view.rolls))
    if view.idle:
        lines.append(say("top12.text.idle", n=view.idle, most=IDLE_LIMIT))
    lines.append(say("top12.text.columns"))
    for seat, sheet in enumerate(view.sheets):
        key = "sheet_own" if seat == view.seat else "sheet"
        lines.append(say(f"top12.text.{key}", name=names[seat], count=view.scores[seat]))
        lines += _row_lines(sheet, say) or [say("top12.text.empty")]
    return "\n".join(lines)


def _status_line(view: Top12View, names: Sequence[str], say: Say) -> str:
    if view.outcome is not None:
        winners = ", ".join([names[seat] for seat in view.outcome.winners])
        reason = say(f"top12.reason.{view.outcome.reason.replace(' ', '_')}")
        if view.players == 1:
            won = solo_title(view)
            honour = say(f"top12.title.{won}") if won else say("top12.text.no_title")
            return say("top12.text.over_solo", reason=reason, title=honour, rolls=view.rolls)
        return say("top12.text.over", reason=reason, winners=winners)
    caller = names[view.caller] if view.caller >= 0 else ""
    face = say(f"top12.face.{view.face}") if view.face else ""
    return say(f"top12.text.{view.phase}", name=caller, number=view.number, face=face)


def _last_lines(last: Round, names: Sequence[str], say: Say) -> list[str]:
    face = say(f"top12.face.{last.face}")
    return [
        say("top12.text.last", name=names[last.caller], number=last.number, face=face),
        entries_told(last, names, say),
    ]


def entries_told(last: Round, names: Sequence[str], say: Say) -> str:
    """Where each has entered the number of a closed round, and who could not."""
    if max(last.cells) < 0:
        return say("top12.text.last_none" if len(last.cells) > 1 else "top12.text.last_none_alone")
    told = [
        say("top12.text.last_entry", name=names[seat], cell=CELLS[cell])
        if cell >= 0
        else say("top12.text.last_unable", name=names[seat])
        for seat, cell in enumerate(last.cells)
    ]
    return "; ".join(told) + "."


def aside(view: Top12View, say: Say) -> str:
    """See `Game.aside` (rule 5)."""
    if view.seat not in sitting_out(view):
        return ""
    if view.face == JOKER:
        return say("top12.aside.any", number=view.number)
    return say("top12.aside.column", number=view.number, column=LETTERS[SYMBOLS.index(view.face)])


def _row_lines(sheet: Sheet, say: Say) -> list[str]:
    """The rows in which something is written, each cell with its column."""
    lines = []
    for row in range(ROWS):
        written = [cell for cell in range(row, len(CELLS), ROWS) if sheet[cell]]
        if written:
            cells = ", ".join([f"{CELLS[cell][0]} {sheet[cell]}" for cell in written])
            lines.append(say("top12.text.row", row=row + 1, cells=cells))
    return lines


# --------------------------------------------------------------------------- the end


def epilogue(view: Top12View, names: Sequence[str], say: Say) -> str:
    """See `Game.epilogue`: a solo title, or what decided between equal scores."""
    if view.outcome is None:
        return ""
    if view.players > 1:
        return _decided(view, view.outcome, names, say)
    won = solo_title(view)
    key = "epilogue" if won else "epilogue_none"
    return say(f"top12.text.{key}", title=say(f"top12.title.{won}") if won else "", n=view.rolls)


def _decided(view: Top12View, outcome: Outcome, names: Sequence[str], say: Say) -> str:
    """Rule 8: what decided between equal scores."""
    first = [seat for seat, score in enumerate(outcome.scores) if score == max(outcome.scores)]
    if len(first) == len(outcome.winners):
        return ""
    columns = [
        say(
            "top12.text.decided_by",
            name=names[seat],
            counts="–".join(map(str, fullness(view.sheets[seat]))),
        )
        for seat in first
    ]
    return say("top12.text.decided", columns=", ".join(columns))


# --------------------------------------------------------------------------- events


def describe(event: Event, names: Sequence[str], say: Say) -> str:
    """See `Game.describe`."""
    if event.kind == "chance":
        _, result = parse_chance(event.text)
        if isinstance(result, int):
            return say("top12.event.first", name=names[result])
        return say("top12.event.roll", face=say(f"top12.face.{result}"))
    name = names[event.player] if event.player is not None else ""
    if event.text == HIDDEN_ENTRY:
        return say("top12.event.enter_hidden", name=name)
    if event.text == HIDDEN_SETUP:
        return say("top12.event.setup_hidden", name=name)
    match parse(event.text):
        case Call(number):
            return say("top12.event.call", name=name, number=number)
        case Entry(number, cell):
            return say("top12.event.enter", name=name, number=number, cell=CELLS[cell])
        case Setup(entries):
            written = ", ".join(
                [say("top12.text.entry", number=entry.number, cell=CELLS[entry.cell]) for entry in entries]
            )
            return say("top12.event.setup", name=name, cells=written)


# --------------------------------------------------------------------------- rounds, retold


def retell(view: Top12View, events: Sequence[Event], since: int, say: Say) -> list[Told]:
    """See `Game.retell`: a round is one phrase, also of who has called in it and then entered. Entries that
    are not known yet are left out. A round that has closed is told whole, since that opened all entries. Who
    cannot enter in an open one reads that from `aside`."""
    told: list[Told] = []
    news = news_from(view, events, since)
    cannot = unable_at(view, events)
    filled = [[0] * len(LETTERS) for _ in range(view.players)]
    rounds = _rounds(events)
    for at, decisions in enumerate(rounds):
        closed = at + 1 < len(rounds) or view.phase not in ("setup", "roll", "enter")
        first = decisions[0][0] if closed and decisions[-1][0] >= news else since
        caller, call = -1, None  # call: what is told of it, while it stands by itself
        for place, seat, text in decisions:
            if text in (HIDDEN_ENTRY, HIDDEN_SETUP):
                continue
            also: list[Told] = []
            match parse(text):
                case Call(number):
                    caller, call = seat, Told(seat, say("top12.told.call", number=number))
                    without = cannot.get(place + 1, ())
                    if len(without) == view.players:
                        key = "call_none" if view.players > 1 else "call_none_alone"
                        phrase = say(f"top12.told.{key}", number=number)
                        call = Told(seat, phrase, phrase)
                    elif place >= min(first, news):
                        phrase = say("top12.told.unable", number=number)
                        also = [Told(one, phrase, phrase if closed else "") for one in without]
                    found = call
                case Entry(number, cell):
                    more = _enter(filled[seat], cell // ROWS)
                    phrase = say("top12.told.enter", number=number, cell=CELLS[cell])
                    if seat == caller:
                        phrase = say("top12.told.call_enter", number=number, cell=CELLS[cell])
                        told = [one for one in told if one is not call]
                    found = Told(seat, say("top12.told.scored", entered=phrase) if more else phrase)
                case Setup():
                    filled[seat] = [1] * len(LETTERS)
                    found = Told(seat, say("top12.told.setup"))
            if place >= first:
                told.append(found)
            told += also
    return told


def unable_at(view: Top12View, events: Sequence[Event]) -> dict[int, tuple[int, ...]]:
    """See `Game.forced`: who could not enter a number, by the place of its roll (rule 5)."""
    sheets = [EMPTY] * view.players
    called = 0
    found: dict[int, tuple[int, ...]] = {}
    for place, event in enumerate(events):
        if event.kind == "chance":
            kind, face = parse_chance(event.text)
            if kind == "roll" and (seats := unable(sheets, called, str(face))):
                found[place] = seats
        elif event.player is not None and event.text not in (HIDDEN_ENTRY, HIDDEN_SETUP):
            match parse(event.text):
                case Call(number):
                    called = number
                case Entry(number, cell):
                    sheets[event.player] = entered(sheets[event.player], cell, number)
                case Setup(entries):
                    for one in entries:
                        sheets[event.player] = entered(sheets[event.player], one.cell, one.number)
    return found


def _rounds(events: Sequence[Event]) -> list[list[tuple[int, int, str]]]:
    """The decisions by round, the set-up being one."""
    rounds: list[list[tuple[int, int, str]]] = []
    for decision in moves_of(events):
        if not rounds or decision[2].startswith("call "):
            rounds.append([])
        rounds[-1].append(decision)
    return rounds


def _enter(filled: list[int], column: int) -> bool:
    """One number more in a column; whether the fullest holds more by it."""
    most = max(filled)
    filled[column] += 1
    return max(filled) > most
