"""What the controls of a table and of a private page do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bot.locale import keys
from bot.rules.game import AnyState, Say
from bot.tables.model import HistoryLine, SeatKind, Seen, Status, Table, VoteKind
from bot.tables.ports import Aside, Ended, NotSeated, NotStarted, NotYourTurn, Paused, Refusal, Stale
from bot.text import cut

from . import ids, steps, words
from .errors import Outdated
from .game_cog import GameCog, rules_page
from .page import (
    TEXT_LIMIT,
    Button,
    Buttons,
    Document,
    Entry,
    Form,
    Link,
    Page,
    Select,
    Style,
    Text,
    note,
    page,
)
from .painter import NEEDED
from .router import Press, Router
from .table_message import text_board

# Changes of which the history names the seat's player, not who clicked last; and those told beside what was
# played.
ABOUT_A_SEAT = frozenset({"kick", "open_seat", "computer_seat", "undo", "timeout", "remind", "overdue"})
TOLD_BESIDE = frozenset({"start", "timeout"})


def cog_of(press: Press, table: Table) -> GameCog:
    """Raises Aside for a table of a game that is not known here."""
    if table.game not in press.house.games:
        raise Aside(table)
    return press.house.cog(table.game)


async def seen_by(press: Press) -> Seen:
    seen = await press.house.tables.view(press.table, press.person.id)
    press.house.painter.touch(seen.table)
    return seen


# ------------------------------------------------------------------------- the private page


async def move(press: Press) -> None:
    """ "Your move" and "My hand": the private page as it is now."""
    seen = await seen_by(press)
    if seen.seat is None and seen.table.status not in {Status.ENDED, Status.ASIDE}:
        raise NotSeated(seen.table)
    await cog_of(press, seen.table).show_current(press, press.table, seen=seen)


async def pick(press: Press) -> None:
    """Entries of a step's menu: the draft grows by them."""
    await _grow(press, press.argument, press.values)


async def way(press: Press) -> None:
    """A button that leads on: the draft grows by it."""
    mark, _, value = press.argument.partition(".")
    await _grow(press, mark, (value,))


async def _grow(press: Press, mark: str, values: tuple[str, ...]) -> None:
    seen = await seen_by(press)
    cog = cog_of(press, seen.table)
    made_for, returns = steps.read_mark(mark)

    def grow(draft: str, state: AnyState) -> str:
        _, current = _step(cog, state, seen, draft)
        grown = steps.choose(cog.step, state.view(_seat(seen)), current, values)
        if steps.digest(current) != made_for or grown is None:
            raise Outdated
        return grown

    await press.house.tables.edit_draft(press.table, press.person, grow, press.revision)
    await cog.show_current(press, press.table, returns=returns)


async def back(press: Press) -> None:
    """Back to the last real choice."""
    seen = await seen_by(press)
    cog = cog_of(press, seen.table)
    made_for, returns = steps.read_mark(press.argument)

    def shrink(draft: str, state: AnyState) -> str:
        step, current = _step(cog, state, seen, draft)
        before = steps.back(cog.step, state.view(_seat(seen)), step)
        if steps.digest(current) != made_for or before is None:
            raise Outdated
        return before

    await press.house.tables.edit_draft(press.table, press.person, shrink, press.revision)
    await cog.show_current(press, press.table, returns=returns + 1)


async def act(press: Press) -> None:
    """A button that names its act: it is played at once."""
    mark, _, value = press.argument.partition(".")

    async def move() -> None:
        seen, step = await _open_choice(press, mark)
        choice = step.choice(value)
        if choice is None or not choice.act:
            raise Outdated
        await _play(press, seen, choice.draft, tap=_tap(press))

    await _once(press, move)


async def write(press: Press) -> None:
    """A button that asks for the rest of the move in writing opens its form; the form, sent, plays it."""
    mark, _, value = press.argument.partition(".")
    seen, step = await _open_choice(press, mark)
    ask = step.ask(value)
    if ask is None:
        raise Outdated
    if press.fields is None:
        form = Form(
            ids.modal(press.table, press.revision, "write", press.argument),
            steps.said(ask.title, press.say),
            steps.said(ask.line, press.say),
            steps.said(ask.hint, press.say),
            ask.least,
            ask.most,
        )
        await press.ask(form)
        return
    state = (await press.house.tables.load(press.table)).state
    if state is None:
        raise Outdated
    await _play(press, seen, state.read(_seat(seen), ask.before + press.fields.get("text", "")))


async def play(press: Press) -> None:
    """The preview is confirmed."""

    async def move() -> None:
        seen, step = await _open_choice(press, press.argument)
        if not step.move:
            raise Outdated
        await _play(press, seen, step.move, tap=_tap(press))

    await _once(press, move)


async def _once(press: Press, move: Callable[[], Awaitable[None]]) -> None:
    """Play by a button. Its second tap finds the choice closed, by the first one: that is no stale click but
    a move that was played."""
    try:
        await move()
    except (Stale, Outdated, Ended, Paused):
        if not await press.house.tables.was_played(press.table, press.person, _tap(press)):
            raise
        table = await press.house.tables.table(press.table)
        await cog_of(press, table).show_current(press, press.table, press.say("table.played"))


def _tap(press: Press) -> str:
    """The button pressed, of whatever message it is on."""
    return f"{press.revision}:{press.control.verb if press.control else ''}:{press.argument}"


def _seat(seen: Seen) -> int:
    if seen.seat is None:
        raise NotSeated(seen.table)
    return seen.seat.index


def _step(cog: GameCog, state: AnyState, seen: Seen, draft: str) -> tuple[steps.Step, str]:
    view = state.view(_seat(seen))
    if view.seat not in view.actors:
        raise NotYourTurn(seen.table)
    current, step = steps.settle(cog.step, view, draft)
    return step, current


async def _open_choice(press: Press, mark: str) -> tuple[Seen, steps.Step]:
    """The step that a control was made for, if it is still the one that is open."""
    seen = await seen_by(press)
    if seen.table.status is Status.ENDED:
        raise Ended(seen.table)
    if seen.table.status is Status.PAUSED:
        raise Paused(seen.table)
    if seen.seat is None:
        raise NotSeated(seen.table)
    if seen.view is None or not seen.seat.since or seen.seat.index not in seen.view.actors:
        raise NotYourTurn(seen.table)
    if press.revision < seen.seat.since:
        raise Stale(seen.table)
    step_of = cog_of(press, seen.table).step
    draft, step = await press.house.off_loop(steps.settle, step_of, seen.view, seen.draft)
    if steps.digest(draft) != steps.read_mark(mark)[0]:
        raise Outdated
    return seen, step


async def _play(press: Press, seen: Seen, text: str, *, tap: str = "") -> None:
    await press.house.tables.move(press.table, press.person, text, press.revision, tap=tap)
    await cog_of(press, seen.table).show_current(press, press.table, press.say("table.played"))


async def undo(press: Press) -> None:
    await seen_by(press)
    change = await press.house.tables.undo(press.table, press.person, press.revision or None)
    await cog_of(press, change.table).show_current(press, press.table, press.say("table.undone"))


async def current(press: Press, text: str) -> bool:
    """What a click that is out of date is answered with: why, and the page as it is now."""
    table = await press.house.table_or_none(press.table)
    if table is None:
        return False
    press.house.painter.touch(table)
    if table.status is Status.LOBBY or (table.status is Status.ENDED and table.events == 0):
        press.house.painter.refresh(table.id)
        await press.show(note(text))
        return True
    if table.seat_of(press.person.id) is None or table.game not in press.house.games:
        url = words.table_link(table)
        link = Buttons((Link(press.say("table.button.go"), url),)) if url else None
        if press.answer.can_update:
            await press.turn_to(note(text, link))
        else:
            await press.show(note(text, link))
        return True
    await cog_of(press, table).show_current(press, table.id, text)
    return True


# ------------------------------------------------------------------------- reading


async def text(press: Press) -> None:
    """The board as text, as the person may see it."""
    seen = await seen_by(press)
    if seen.view is None:
        raise Outdated
    await press.show(note(cut(text_board(seen.table, seen.view, press.say), TEXT_LIMIT)))


async def rules(press: Press) -> None:
    """A game's rules, as a new private message; argument `<game>.<number>`."""
    await press.show(_section(press))


async def section(press: Press) -> None:
    """Another section, in place of the one shown."""
    await press.turn_to(_section(press))


def _section(press: Press) -> Page:
    game, _, number = press.argument.partition(".")
    if game not in press.house.games or not number.isdecimal():
        raise Outdated
    return rules_page(game, int(number[:4]), press.language, press.say)


async def history(press: Press) -> None:
    await seen_by(press)
    await press.show(await history_page(press, press.table))


async def history_page(press: Press, table_id: str) -> Page:
    """The newest events in words, as this person may know them."""
    house, say = press.house, press.say
    table = await house.tables.table(table_id)
    lines = await house.tables.history(table_id, press.person.id)
    told: list[str] = []
    for line in lines:
        told.extend(history_lines(table, line, press))
    room = TEXT_LIMIT - 300
    shown: list[str] = []
    for entry in reversed(told):
        if room < len(entry) + 1:
            shown.append(say("history.earlier"))
            break
        room -= len(entry) + 1
        shown.append(entry)
    body = "\n".join(reversed(shown)) or say("history.empty")
    return page(Text(say("history.title", game=words.game_name(table.game, say), table=table.id)), Text(body))


def history_lines(table: Table, line: HistoryLine, press: Press) -> list[str]:
    """A stored change in words: its events, or what happened beside the game."""
    say = press.say
    names = tuple(
        words.plain(line.then[seat]) if line.then.get(seat) else name
        for seat, name in enumerate(words.names(table, say))
    )
    told: list[str] = []
    if (not line.events or line.kind in TOLD_BESIDE) and f"history.{line.kind}" in keys("en"):
        name = words.plain(line.name) if line.name and line.kind not in ABOUT_A_SEAT else ""
        if not name and line.seat is not None and line.seat < len(names):
            name = names[line.seat]
        if not name and line.user is not None:
            name = f"<@{line.user}>"
        question = ""
        if line.vote is not None and f"history.question.{line.vote}" in keys("en"):
            question = say(f"history.question.{line.vote}")
        told.append(
            say(
                f"history.{line.kind}",
                name=name or say("tables.somebody"),
                seat=0 if line.seat is None else line.seat + 1,
                question=question,
                answer=say("common.yes") if line.yes else say("common.no"),
            )
        )
    told += [words.event_line(table, event, names, say) for event in line.events]
    return [say("history.void", event=one) for one in told] if line.void else told


# ------------------------------------------------------------------------- the menu


async def menu(press: Press) -> None:
    seen = await seen_by(press)
    await press.show(menu_page(seen, press))


def menu_page(seen: Seen, press: Press, remark: str = "") -> Page:
    """What can be done at a table beside moving. Open questions first."""
    table, say = seen.table, press.say

    def button(verb: str, argument: str = "", style: Style = "secondary") -> Button:
        return Button(
            say(f"menu.{verb}{'.' + argument if argument else ''}"),
            ids.button(table.id, table.revision, verb, argument),
            style,
        )

    title = say("menu.title", game=words.game_name(table.game, say), table=table.id)
    blocks: list[Text | Buttons | Select] = [Text("\n".join(filter(None, (title, remark))))]
    reading = [button("history")]
    if not table.damaged:
        rules = Button(say("table.button.rules"), ids.button(None, 0, "rules", f"{table.game}.1"))
        reading = [rules, *reading, button("text")]
    seated = seen.seat is not None
    running = table.status in {Status.PLAYING, Status.PAUSED}
    if seated and running:
        for vote in table.votes:
            blocks.append(Text(words.vote_line(table, vote, press.language, say)))
            if press.person.id in vote.voters:
                about = f"{vote.kind.value}.{'' if vote.seat is None else vote.seat}"
                blocks.append(
                    Buttons(
                        (
                            Button(
                                say("menu.yes"), ids.button(table.id, table.revision, "yes", about), "success"
                            ),
                            Button(say("menu.no"), ids.button(table.id, table.revision, "no", about)),
                        )
                    )
                )
        paused = table.status is Status.PAUSED
        if seen.seat is not None and table.undoable == seen.seat.index:
            reading.append(button("undo"))
        elif not paused and len(table.seats) > 1:
            reading.append(button("ask", VoteKind.UNDO.value))
        if seen.seat is not None and seen.seat.since and not seen.seat.is_snoozed and not paused:
            reading.append(button("snooze"))
        asking = [
            button("ask", VoteKind.RESUME.value if paused else VoteKind.PAUSE.value),
            button("ask", VoteKind.END.value),
            button("resign", style="danger"),
        ]
        if press.person.id == table.host:
            asking.append(button("end", style="danger"))
        blocks += [Buttons(tuple(reading)), Buttons(tuple(asking))]
        if entries := people_entries(table, press.person.id, say):
            blocks.append(
                Select(ids.select(table.id, table.revision, "people"), say("menu.people"), tuple(entries))
            )
    else:
        blocks.append(Buttons(tuple(reading)))
        free = [seat for seat in table.seats if seat.kind is SeatKind.OPEN]
        if running and free:
            blocks.append(
                Buttons(
                    tuple(
                        Button(
                            say("menu.sit", name=words.seat_name(seat, say)),
                            ids.button(table.id, table.revision, "sit", str(seat.index)),
                            "success",
                        )
                        for seat in free
                    )
                )
            )
    return page(*blocks)


def people_entries(table: Table, user: int, say: Say) -> list[Entry]:
    """What can be asked or done about the others. A value names seat and person, so that an old menu never
    means somebody else."""
    entries: list[Entry] = []
    for seat in table.seats:
        name = words.seat_name(seat, say)
        if seat.kind is SeatKind.HUMAN and seat.user != user:
            entries.append(Entry(say("menu.kick", name=name), f"kick.{seat.index}.{seat.user}"))
            if user == table.host:
                entries.append(Entry(say("menu.host", name=name), f"host.{seat.index}.{seat.user}"))
        if seat.kind is SeatKind.STAND_IN:
            entries.append(Entry(say("menu.open_seat", name=name), f"open_seat.{seat.index}.0"))
        if seat.kind in {SeatKind.STAND_IN, SeatKind.OPEN}:
            entries.append(Entry(say("menu.computer_seat", name=name), f"computer_seat.{seat.index}.0"))
    return entries


async def ask(press: Press) -> None:
    """Put a question to the table, or agree to it where it is put already."""
    kind, seat = _question(press.argument)
    await seen_by(press)
    await _ask(press, kind, seat)


async def _ask(press: Press, kind: VoteKind, seat: int | None) -> None:
    change = await press.house.tables.vote(press.table, press.person, kind, seat)
    still_open = any(vote.kind is kind for vote in change.table.votes)
    remark = press.say("menu.asked" if still_open else "menu.done")
    await press.turn_to(menu_page(await seen_by(press), press, remark))


async def people(press: Press) -> None:
    """An entry of the menu about the others: `<act>.<seat>.<user>`."""
    act, _, rest = press.value.partition(".")
    number, _, user = rest.partition(".")
    seen = await seen_by(press)
    table = seen.table
    if not (number.isdecimal() and user.isdecimal()) or not int(number[:3]) < len(table.seats):
        raise Outdated
    seat = table.seats[int(number[:3])]
    if str(seat.user or 0) != user:
        raise Outdated
    if act == "host" and seat.user is not None:
        await press.house.tables.pass_host(table.id, press.person, seat.user)
        name = words.shown_name(seat, press.say)
        remark = press.say("table.host_passed", name=name)
        await press.turn_to(menu_page(await seen_by(press), press, remark))
        return
    await _ask(press, _question(f"{act}.{seat.index}")[0], seat.index)


async def sit(press: Press) -> None:
    """Take a free seat of a running game."""
    if not press.argument.isdecimal():
        raise Outdated
    change = await press.house.tables.take_seat(press.table, press.person, int(press.argument[:3]))
    await cog_of(press, change.table).show_current(press, press.table, press.say("table.seated"))


async def end(press: Press) -> None:
    """The host ends the table. Asks first; argument `sure` does it."""
    table = await press.house.tables.table(press.table)
    if press.argument != "sure":
        sure = Button(
            press.say("menu.end.sure"), ids.button(table.id, table.revision, "end", "sure"), "danger"
        )
        await press.turn_to(note(press.say("menu.end.question"), Buttons((sure,))))
        return
    change = await press.house.tables.end(press.table, press.person)
    await press.turn_to(note(press.say(f"tables.ending.{change.table.ending}")))


# ------------------------------------------------------------------------- after the end


async def rematch(press: Press) -> None:
    """The same game once more with the same seats; the lobby is posted in the table's channel."""
    place = (await press.house.tables.table(press.table)).place
    parent = press.house.io.parent_of(place.channel)
    change = await press.house.tables.rematch(press.table, press.person, parent=parent)
    await bring_here(press, change.table)
    press.house.painter.release(change.table.id)
    await press.show(note(press.say("table.rematch", table=change.table.id)))


async def bring_here(press: Press, table: Table) -> Table:
    """A table whose channel is gone comes to where one of its players asks for it."""
    house, here = press.house, press.interaction.channel_id
    guild = table.place.guild
    if (
        here is None
        or press.interaction.guild_id != guild
        or not table.is_open
        or table.damaged
        or table.seat_of(press.person.id) is None
        or house.io.has_channel(guild, table.place.channel)
    ):
        return table
    allowed = (await house.tables.guild(guild)).channels
    missing = house.io.lacks(guild, here, *NEEDED)
    if missing or (allowed and here not in allowed):
        return table
    await house.tables.placed(
        table.id, channel=here, thread=None, lobby_message=None, table_message=None, notice_message=None
    )
    return await house.tables.table(table.id)


async def record(press: Press) -> None:
    """The record of an ended table, as a file."""
    written = await press.house.tables.record(press.table)
    told = Text(press.say("table.record", table=press.table))
    await press.show(page(told, Document(f"{press.table}.json", written.encode())))


def afterwards(seen: Seen, press: Press) -> Buttons:
    """What an ended table still offers, on a private page."""
    table, say = seen.table, press.say

    def button(verb: str, style: Style = "secondary") -> Button:
        return Button(say(f"menu.{verb}"), ids.button(table.id, table.revision, verb), style)

    offered = [button("history")]
    if table.events:
        offered.insert(0, button("record"))
    if press.person.id in {seat.user for seat in table.seats}:
        offered.insert(0, button("rematch", "primary"))
    return Buttons(tuple(offered))


async def yes(press: Press) -> None:
    await _answer(press, True)


async def no(press: Press) -> None:
    await _answer(press, False)


async def _answer(press: Press, agreed: bool) -> None:
    kind, seat = _question(press.argument)
    seen = await seen_by(press)
    if not any(vote.kind is kind and vote.seat == seat for vote in seen.table.votes):
        raise Outdated
    await press.house.tables.vote(press.table, press.person, kind, seat, yes=agreed)
    await press.turn_to(menu_page(await seen_by(press), press, press.say("menu.voted")))


def _question(argument: str) -> tuple[VoteKind, int | None]:
    name, _, seat = argument.partition(".")
    try:
        return VoteKind(name), int(seat) if seat else None
    except ValueError:
        raise Outdated from None


async def resign(press: Press) -> None:
    """Asks first; argument `sure` does it."""
    seen = await seen_by(press)
    refusals: dict[Status, type[Refusal]] = {
        Status.ENDED: Ended,
        Status.LOBBY: NotStarted,
        Status.ASIDE: Aside,
    }
    if seen.table.status in refusals:
        raise refusals[seen.table.status](seen.table)
    if seen.seat is None:
        raise NotSeated(seen.table)
    if press.argument != "sure":
        sure = Button(
            press.say("menu.resign.sure"),
            ids.button(press.table, seen.table.revision, "resign", "sure"),
            "danger",
        )
        await press.turn_to(note(press.say("menu.resign.question"), Buttons((sure,))))
        return
    change = await press.house.tables.resign(press.table, press.person)
    url = words.table_link(change.table)
    await press.turn_to(
        note(press.say("menu.resigned"), Buttons((Link(press.say("table.button.go"), url),)) if url else None)
    )


async def snooze(press: Press) -> None:
    await press.house.tables.snooze(press.table, press.person)
    await press.turn_to(menu_page(await seen_by(press), press, press.say("menu.snoozed")))


def register(router: Router) -> None:
    for handler in (
        move,
        pick,
        way,
        write,
        back,
        act,
        play,
        undo,
        text,
        rules,
        section,
        history,
        menu,
        ask,
        yes,
        no,
        resign,
        snooze,
        people,
        sit,
        end,
        rematch,
        record,
    ):
        router.add(handler.__name__, handler)
    router.add("hand", move)
    router.current = current
