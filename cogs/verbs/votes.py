"""Questions put to the table, answers, and what is done about the others."""

from __future__ import annotations

from bot.tables.model import Change, VoteKind
from cogs.input.errors import Outdated
from cogs.input.press import Press
from cogs.surfaces import wording

from .menu import show_menu
from .private import show_current, touch


async def ask(press: Press) -> None:
    """Put a question about nobody else to the table, or agree to it where it is put already."""
    kind = _kind(press.argument)
    touch(press)
    await _put(press, kind)


async def _put(press: Press, kind: VoteKind, seat: int | None = None) -> None:
    change = await press.tables.vote(press.table, press.person, kind, seat, as_of=press.revision)
    still_open = any(vote.kind is kind and seat in {None, vote.seat} for vote in change.table.votes)
    remark = press.say("menu.asked" if still_open else "menu.done")
    await _show_menu(press, change, remark)


async def yes(press: Press) -> None:
    await _answer(press, True)


async def no(press: Press) -> None:
    await _answer(press, False)


async def _answer(press: Press, agreed: bool) -> None:
    """The argument is `<kind>.<seat>.<opened>`, the seat left out where it is about nobody. One that does not
    tell which question it answers (earlier menus named the seat alone) may mean somebody else by now."""
    name, _, rest = press.argument.partition(".")
    seat, _, opened = rest.partition(".")
    if not opened.isdecimal() or not (seat.isdecimal() or seat == ""):
        raise Outdated
    touch(press)
    change = await press.tables.vote(
        press.table,
        press.person,
        _kind(name),
        int(seat[:3]) if seat else None,
        yes=agreed,
        opened=int(opened[:10]),
    )
    await _show_menu(press, change, press.say("menu.voted"))


async def _show_menu(press: Press, change: Change, remark: str) -> None:
    """As the change has left it."""
    await show_menu(press, await press.tables.seen_after(change, press.person.id), remark)


def _kind(name: str) -> VoteKind:
    try:
        return VoteKind(name)
    except ValueError:
        raise Outdated from None


async def people(press: Press) -> None:
    """An entry of the menu about the others: `<act>.<seat>.<user>`. It has to name who sits there as the
    table was found, and what is done is about that person too: the host goes to them by id, a question is put
    as of the menu's revision."""
    act, _, rest = press.value.partition(".")
    number, _, user = rest.partition(".")
    table = press.found
    touch(press)
    if not (number.isdecimal() and user.isdecimal()) or not int(number[:3]) < len(table.seats):
        raise Outdated
    seat = table.seats[int(number[:3])]
    if str(seat.user or 0) != user:
        raise Outdated
    if act == "host" and seat.user is not None:
        change = await press.tables.pass_host(table.id, press.person, seat.user)
        name = wording.shown_name(table, seat, press.say)
        await _show_menu(press, change, press.say("table.host_passed", name=name))
        return
    await _put(press, _kind(act), seat.index)


async def sit(press: Press) -> None:
    """Take a free seat of a running game."""
    if not press.argument.isdecimal():
        raise Outdated
    index = int(press.argument[:3])
    await show_seated(
        press, await press.tables.take_seat(press.table, press.person, index, as_of=press.revision)
    )


async def show_seated(press: Press, change: Change) -> None:
    """The private page of who has just taken a seat; and what the others agreed to before."""
    said = [press.say("table.seated")]
    if change.table.hints:
        said.append(press.say("table.seated.hints"))
    seen = await press.tables.seen_after(change, press.person.id)
    await show_current(press, change.table.id, " ".join(said), seen=seen)
