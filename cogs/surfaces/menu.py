"""What can be done at a table beside moving."""

from __future__ import annotations

from bot.rules.game import Say
from bot.tables.model import SeatKind, Seen, Status, Table, VoteKind
from cogs import custom_ids

from . import wording
from .components import Button, Buttons, Entry, Page, Select, Style, Text, page

ANSWERABLE = 5  # questions with buttons at a time: a message has room for 40 components


def is_alone(table: Table) -> bool:
    """Whether nobody else sits there who could be asked: what one wants to do there is done at once."""
    return len(table.humans) == 1


def menu_page(seen: Seen, user: int, language: str, say: Say, remark: str = "") -> Page:
    """What can be done at a table beside moving. Open questions first."""
    table = seen.table

    def button(verb: str, style: Style = "secondary") -> Button:
        return Button(say(f"menu.{verb}"), custom_ids.button(table.id, table.revision, verb), style)

    alone = is_alone(table)

    def asks(kind: VoteKind) -> Button:
        asked = not alone or kind not in {VoteKind.PAUSE, VoteKind.UNDO}
        words = say(f"menu.ask.{kind.value}") if asked else say(f"menu.alone.{kind.value}")
        return Button(words, custom_ids.button(table.id, table.revision, "ask", kind.value))

    title = say("menu.title", game=wording.game_name(table.game, say), table=table.id)
    blocks: list[Text | Buttons | Select] = [Text("\n".join(filter(None, (title, remark))))]
    reading = [button("history")]
    if not table.damaged:
        rules = Button(
            say("table.button.rules"),
            custom_ids.button(table.id, table.revision, "rules", f"{table.game}.0"),
        )
        reading = [rules, *reading, button("text")]
    seated = seen.seat is not None
    running = table.status in {Status.PLAYING, Status.PAUSED}
    if seated and running:
        blocks += _questions(table, user, language, say)
        paused = table.status is Status.PAUSED
        undo_asked = any(vote.kind is VoteKind.UNDO for vote in table.votes)
        if seen.seat is not None and table.undoable == seen.seat.index:
            reading.append(button("undo"))
        elif not paused and len(table.seats) > 1 and not undo_asked:
            reading.append(asks(VoteKind.UNDO))
        if seen.seat is not None and seen.seat.since and not seen.seat.is_snoozed and not paused:
            reading.append(button("snooze"))
        asking = []
        if paused:
            asking.append(asks(VoteKind.RESUME))
        elif not alone or table.clock.seconds is not None:  # else nobody and nothing waits for them
            asking.append(asks(VoteKind.PAUSE))
        if not alone:  # who is alone is the host, and ends the table
            asking += [asks(VoteKind.END), button("resign", "danger")]
        if user == table.host:
            asking.append(button("end", "danger"))
        back = custom_ids.button(table.id, table.revision, "move")
        asking.append(Button(say("panel.back.move"), back))
        blocks += [Buttons(tuple(reading)), Buttons(tuple(asking))]
        if entries := people_entries(table, user, say):
            blocks.append(
                Select(
                    custom_ids.select(table.id, table.revision, "people"), say("menu.people"), tuple(entries)
                )
            )
    else:
        blocks.append(Buttons(tuple(reading)))
        free = [seat for seat in table.seats if seat.kind is SeatKind.OPEN]
        if running and free:
            blocks.append(
                Buttons(
                    tuple(
                        Button(
                            say("menu.sit", name=wording.seat_name(table, seat, say)),
                            custom_ids.button(table.id, table.revision, "sit", str(seat.index)),
                            "success",
                        )
                        for seat in free
                    )
                )
            )
    return page(*blocks)


def _questions(table: Table, user: int, language: str, say: Say) -> list[Text | Buttons]:
    """The open questions. `ANSWERABLE` of those that `user` may answer have their buttons, what is not
    answered yet before the rest; the others are told."""
    theirs = [vote for vote in table.votes if user in vote.voters]
    theirs.sort(key=lambda vote: user in vote.yes or user in vote.no)
    answerable = theirs[:ANSWERABLE]
    blocks: list[Text | Buttons] = []
    for vote in answerable:
        about = f"{vote.kind.value}.{'' if vote.seat is None else vote.seat}.{vote.opened}"
        yes = custom_ids.button(table.id, table.revision, "yes", about)
        no = custom_ids.button(table.id, table.revision, "no", about)
        blocks.append(Text(wording.vote_line(table, vote, language, say)))
        blocks.append(Buttons((Button(say("menu.yes"), yes, "success"), Button(say("menu.no"), no))))
    told = [wording.vote_line(table, vote, language, say) for vote in table.votes if vote not in answerable]
    if len(theirs) > ANSWERABLE:
        told.insert(0, say("menu.more_questions", n=len(theirs) - ANSWERABLE))
    return [*blocks, Text("\n".join(told))] if told else blocks


def people_entries(table: Table, user: int, say: Say) -> list[Entry]:
    """What can be asked or done about the others. A value names seat and person, so that an old menu never
    means somebody else."""
    entries: list[Entry] = []
    for seat in table.seats:
        name = wording.seat_name(table, seat, say)
        if seat.kind is SeatKind.HUMAN and seat.user != user:
            entries.append(Entry(say("menu.kick", name=name), f"kick.{seat.index}.{seat.user}"))
            if user == table.host:
                entries.append(Entry(say("menu.host", name=name), f"host.{seat.index}.{seat.user}"))
        if seat.kind is SeatKind.STAND_IN:
            entries.append(Entry(say("menu.open_seat", name=name), f"open_seat.{seat.index}.0"))
        if seat.kind in {SeatKind.STAND_IN, SeatKind.OPEN}:
            entries.append(Entry(say("menu.computer_seat", name=name), f"computer_seat.{seat.index}.0"))
    return entries
