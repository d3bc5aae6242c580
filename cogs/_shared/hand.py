"""The private page of a seat: what its player sees, and the next choice of a move.

The same page serves "Your move" and "My hand" (ephemeral, as often as wanted) and the hand by direct
message. It is made from the seat's view alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from bot.discord_io import DMS_KEPT_BACK, Done, Failed, Result, Why
from bot.locale import sayer
from bot.rules.game import Say, View
from bot.tables.model import Owed, Seat, SeatKind, Seen, Status, Table
from rendering.scene import Picture

from . import ids, steps, words
from .page import Button, Buttons, Entry, Gallery, Link, Page, Select, Text, page, render
from .steps import Step, said
from .table_message import ending_text, text_board

if TYPE_CHECKING:
    from .house import House

ACCENT = 0x7A4FA3
OVER = 0x808080


class Pages(Protocol):
    async def __call__(
        self, seen: Seen, language: str, say: Say, *, as_text: bool = False, heading: str = ""
    ) -> Page: ...


def may_act(table: Table, seat: Seat | None, view: View | None) -> bool:
    return (
        seat is not None
        and view is not None
        and table.status is Status.PLAYING
        and seat.since > 0
        and seat.index in view.actors
    )


def hand_page(
    seen: Seen,
    step: Step | None,
    draft: str,
    back: bool,
    pictures: Sequence[Picture],
    language: str,
    say: Say,
    *,
    remark: str = "",
    as_text: bool = False,
    heading: str = "",
    returns: int = 0,
) -> Page:
    """step, draft, back: the open choice (see `steps.settle`), None when nothing is to be chosen. remark:
    what to say about the last click. as_text: with the text board. returns: how often the player went back
    on this page."""
    table, view = seen.table, seen.view
    assert view is not None
    lines = [line for line in (heading, remark) if line]
    if step is not None:
        lines.append(f"**{words.literal(step.question.said(say))}**")
    elif table.status is Status.ENDED:
        lines.append(ending_text(table, view, language, say))
    elif table.status is Status.PAUSED:
        lines.append(say("table.paused"))
    else:
        lines.append(words.turn_line(table, view, language, say))
    if step is not None and seen.seat is not None and seen.seat.deadline is not None:
        lines.append(say("table.deadline", when=words.when(seen.seat.deadline)))
    blocks: list[Text | Gallery | Buttons | Select] = [Text("\n".join(line for line in lines if line))]
    if pictures:
        blocks.append(Gallery(tuple(pictures)))
    if as_text or not pictures:
        blocks.append(Text(text_board(table, view, say)))
    if step is not None:
        undoable = seen.seat is not None and table.undoable == seen.seat.index and step.under_way
        blocks.extend(step_controls(table, step, draft, back, say, undoable=undoable, returns=returns))
    elif (url := words.table_link(table)) is not None and table.status is not Status.ENDED:
        extra: list[Button | Link] = [Link(say("table.button.go"), url)]
        if seen.seat is not None and table.undoable == seen.seat.index:
            extra.insert(0, Button(say("table.button.undo"), ids.button(table.id, table.revision, "undo")))
        blocks.append(Buttons(tuple(extra)))
    return page(*blocks, accent=OVER if table.status is Status.ENDED else ACCENT)


def step_controls(
    table: Table,
    step: Step,
    draft: str,
    back: bool,
    say: Say,
    *,
    undoable: bool = False,
    returns: int = 0,
) -> list[Buttons | Select]:
    """A step's menu and buttons. Each carries the mark of the draft it was made for. undoable: whether the
    turn's last move can be taken back."""
    mark = steps.mark(draft, returns)
    blocks: list[Buttons | Select] = []
    if step.entries:
        blocks.append(
            Select(
                ids.select(table.id, table.revision, "pick", mark),
                step.question.said(say),
                tuple(
                    Entry(said(choice.label, say), choice.value, said(choice.description, say), choice.emoji)
                    for choice in step.entries
                ),
                min(step.at_once, len(step.entries)),
            )
        )
    buttons: list[Button] = [
        Button(
            said(choice.label, say),
            ids.button(table.id, table.revision, "act", f"{mark}.{choice.value}"),
            "primary",
            choice.emoji,
        )
        for choice in step.acts
    ]
    buttons += [
        Button(
            said(ask.label, say),
            ids.button(table.id, table.revision, "write", f"{mark}.{ask.value}"),
            "primary",
        )
        for ask in step.asks
    ]
    buttons += [
        Button(
            said(way.label, say),
            ids.button(table.id, table.revision, "way", f"{mark}.{way.value}"),
            emoji=way.emoji,
        )
        for way in step.ways
    ]
    if step.move:
        label = step.confirm.said(say) if step.confirm else say("table.button.play")
        buttons.append(Button(label, ids.button(table.id, table.revision, "play", mark), "success"))
    if back:
        buttons.append(Button(say("table.button.back"), ids.button(table.id, table.revision, "back", mark)))
    if undoable:
        buttons.append(Button(say("table.button.undo"), ids.button(table.id, table.revision, "undo")))
    if buttons:
        blocks.append(Buttons(tuple(buttons)))
    return blocks


class Hands:
    """The private hands of one game by direct message: one message per seat, edited in place.

    A game without hidden hands sends none. The first comes on sitting down, within a budget; over it, it
    waits for the start. A person whose direct messages are closed is told so at their next click; the hand is
    always there under "My hand".
    """

    def __init__(self, house: House, pages: Pages) -> None:
        """pages: gives a seat's private page, as `GameCog.private_page` does."""
        self._house = house
        self._pages = pages
        # digest of what each message shows, by table and user; saves calls only
        self._shown: dict[tuple[str, int], str] = {}

    async def refresh(self, table: Table) -> float:
        """Bring every person's hand message up to date: from sitting down on, after the end without controls,
        and those of people who left the game taken back. Answers after how many seconds what failed may be
        tried again, 0 where nothing did."""
        if not self._house.rules(table).hidden_hands:
            return 0.0
        table = await self._house.tables.table(table.id)  # notices may just have sent hands afresh
        waits = []
        for seat in table.seats:
            if seat.kind is SeatKind.HUMAN:
                waits.append(await self._refresh(table, seat))
            elif seat.hand_message is not None:
                waits.append(await self._take_back(table, seat))
        return min((wait for wait in waits if wait > 0), default=0.0)

    async def _refresh(self, table: Table, seat: Seat) -> float:
        house = self._house
        assert seat.user is not None
        sheet = await self._sheet(table, seat)
        mark = _mark(sheet)
        if self._shown.get((table.id, seat.user)) == mark:
            return 0.0
        result: Result[int] = Failed(Why.GONE)
        if seat.hand_channel is not None and seat.hand_message is not None:
            result = await house.io.edit(seat.hand_channel, seat.hand_message, render(sheet))
        elif table.status is Status.ENDED:
            return 0.0
        if isinstance(result, Failed) and result.why is not Why.LATER:
            result = await self._send(table, seat, sheet, f"hand {table.id} {seat.index} {table.revision}")
            if isinstance(result, Failed) and result.why is not Why.LATER:
                return await self._delete(table, seat)
        if isinstance(result, Done):
            self._remember((table.id, seat.user), mark)
        elif table.status is not Status.LOBBY:
            return max(result.retry_after, 1.0)
        return 0.0

    async def _delete(self, table: Table, seat: Seat) -> float:
        """A hand message that can neither be edited nor replaced must not stay with its controls."""
        if seat.hand_channel is None or seat.hand_message is None:
            return 0.0
        result = await self._house.io.delete(seat.hand_channel, seat.hand_message)
        if isinstance(result, Failed) and result.why is Why.LATER:
            return max(result.retry_after, 1.0)
        if isinstance(result, Done) or result.why is Why.GONE:
            await self._house.tables.hand_placed(table.id, seat.index, None, None)
        return 0.0

    async def _take_back(self, table: Table, seat: Seat) -> float:
        """The hand of who gave the seat up: without controls, and without what was on it."""
        house = self._house
        assert seat.hand_channel is not None and seat.hand_message is not None
        user = house.io.whose_dm(seat.hand_channel)
        language = (
            await house.language_at(table.place.guild)
            if user is None
            else await house.language_of(user, None)
        )
        say = sayer(language)
        parting = page(Text(_heading(table, say)), Text(say("hand.left")), accent=OVER)
        result = await house.io.edit(seat.hand_channel, seat.hand_message, render(parting))
        if isinstance(result, Failed):
            if result.why is Why.LATER:
                return max(result.retry_after, 1.0)
            return await self._delete(table, seat)
        await house.tables.hand_placed(table.id, seat.index, None, None)
        return 0.0

    async def send_as_notice(self, table: Table, due: Owed) -> Failed | None:
        """The hand sent afresh as its notice. None when the notice is done with, else why it must wait."""
        table = await self._house.tables.table(table.id)
        seat = table.seats[due.seat.index]
        if seat.user != due.user:
            return None
        sheet = await self._sheet(table, seat)
        result = await self._send(table, seat, sheet, f"notice {table.id} {seat.index} {seat.due}")
        if isinstance(result, Failed):
            return result if result.why is Why.LATER else None
        self._remember((table.id, due.user), _mark(sheet))
        return None

    async def _sheet(self, table: Table, seat: Seat) -> Page:
        """The hand; before there is one, what the message is for; where there is none any more, why."""
        house = self._house
        assert seat.user is not None
        seen = await house.tables.view(table.id, seat.user)
        settings = await house.tables.user(seat.user)
        language = house.language_for(settings, None)
        say = sayer(language)
        heading = _heading(table, say)
        if seen.view is None:
            return _without_view(seen.table, heading, say)
        return await self._pages(seen, language, say, as_text=settings.text_board, heading=heading)

    async def _send(self, table: Table, seat: Seat, sheet: Page, purpose: str) -> Result[int]:
        """A fresh hand message; the one before is deleted. Sitting down counts as a wish for one; it leaves
        part of the budget to those whose game is on."""
        house = self._house
        assert seat.user is not None
        lobby = table.status is Status.LOBBY
        if house.dm_hopeless(seat.user) and not lobby:
            return Failed(Why.CLOSED)
        opened = await house.io.open_dm(seat.user, spare=DMS_KEPT_BACK if lobby else 0)
        if isinstance(opened, Failed):
            return await self._closed(table, seat, opened)
        sent = await house.io.send(opened.value, render(sheet), purpose=purpose)
        if isinstance(sent, Failed):
            return await self._closed(table, seat, sent)
        house.dm_opened(seat.user)
        await house.tables.hand_placed(table.id, seat.index, opened.value, sent.value)
        if seat.hand_message != sent.value:  # the same, where Discord knew the send by its nonce
            await self._discard(table, seat)
        return sent

    async def _discard(self, table: Table, seat: Seat) -> None:
        """The hand message that another has taken the place of: deleted, or, where that is refused, without
        its controls and what was on it."""
        house = self._house
        if seat.hand_channel is None or seat.hand_message is None or seat.user is None:
            return
        result = await house.io.delete(seat.hand_channel, seat.hand_message)
        if isinstance(result, Failed) and result.code != 10008:
            say = sayer(await house.language_of(seat.user, None))
            sheet = page(Text(_heading(table, say)), Text(say("table.moved")), accent=OVER)
            await house.io.edit(seat.hand_channel, seat.hand_message, render(sheet))

    async def _closed(self, table: Table, seat: Seat, failed: Failed) -> Failed:
        if failed.why is not Why.LATER and seat.user is not None:
            await self._house.dm_failed(table.place.guild, seat.user, failed)
        return failed

    def _remember(self, key: tuple[str, int], mark: str) -> None:
        if len(self._shown) > 8192:
            self._shown.clear()
        self._shown[key] = mark


def _heading(table: Table, say: Say) -> str:
    return say("hand.heading", game=say(f"{table.game}.name"), table=table.id)


def _without_view(table: Table, heading: str, say: Say) -> Page:
    """Of a table in its lobby, set aside, or ended before its start."""
    match table.status:
        case Status.LOBBY:
            said = say("hand.welcome")
        case Status.ENDED:
            said = say(f"tables.ending.{table.ending}")
        case _:
            said = say("table.aside")
    url = words.table_link(table)
    link = Buttons((Link(say("table.button.go"), url),)) if url and table.is_open else None
    return page(Text(heading), Text(said), link, accent=OVER if table.status is Status.ENDED else ACCENT)


def _mark(sheet: Page) -> str:
    whole = hashlib.sha256()
    for block in sheet.blocks:
        if isinstance(block, Gallery):
            for picture in block.pictures:
                whole.update(picture.png)
        elif isinstance(block, Text):
            whole.update(block.content.encode())
        else:
            whole.update(repr(block).encode())
    return whole.hexdigest()
