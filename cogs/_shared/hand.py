"""The private page of a seat: what its player sees, and the next choice of a move.

The same page serves "Your move" and "My hand" (ephemeral, as often as wanted) and the hand by direct
message. It is made from the seat's view alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from cachetools import LRUCache

from bot.discord_io import DMS_KEPT_BACK, Done, Failed, Result, Why
from bot.locale import sayer
from bot.rules.game import Say, View
from bot.tables.model import Owed, Seat, Seen, Status, Table, TableId, UserId
from rendering.scene import Picture

from . import ids, steps, words
from .page import Button, Buttons, Entry, Gallery, Link, Page, Select, Text, page, render
from .steps import Step, said
from .table_message import ending_text, text_board

if TYPE_CHECKING:
    from .house import House

ACCENT = 0x7A4FA3
OVER = 0x808080
KEPT = 8192  # hand messages of which it is remembered what they show


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
    """The private hands of one game by direct message: one message per person, edited in place.

    A game without hidden hands sends none. The first comes on sitting down, within a budget; over it, it
    waits for the start. A person whose direct messages are closed is told so at their next click; the hand is
    always there under "My hand".

    Everything here is about a person, never about a seat: seats move up and change hands while a call is
    under way. What is sent or edited is made from that person's view and goes to their own channel; the
    message of who leaves is cleared by `Mail`.
    """

    def __init__(self, house: House, pages: Pages) -> None:
        """pages: gives a seat's private page, as `GameCog.private_page` does."""
        self._house = house
        self._pages = pages
        # message and digest of what it shows, by table and user; saves calls only
        self._shown: LRUCache[tuple[str, int], tuple[int, str]] = LRUCache(KEPT)

    async def refresh(self, table: Table) -> float:
        """Bring every person's hand message up to date: from sitting down on, after the end without controls.
        Answers after how many seconds what failed may be tried again, 0 where nothing did."""
        if not self._house.rules(table).hidden_hands:
            return 0.0
        table = await self._house.tables.table(table.id)
        waits = [await self._refresh(table.id, seat, owed=seat in table.owed) for seat in table.humans]
        return min((wait for wait in waits if wait > 0), default=0.0)

    async def _refresh(self, table_id: TableId, before: Seat, *, owed: bool) -> float:
        """owed: whether they have a notice to get, which may bring the hand."""
        tables, user = self._house.tables, before.user
        assert user is not None
        own = await self._house.dm_of(user) if before.hand_message is not None else None
        seen = await tables.view(table_id, user)
        table, seat = seen.table, seen.seat
        if seat is None:
            return 0.0  # gone meanwhile
        sheet = await self._sheet(seen, user)
        mark = _mark(sheet)
        message, channel = seat.hand_message, seat.hand_channel
        if message is not None and self._shown.get((table_id, user)) == (message, mark):
            return 0.0
        result: Result[int] = Failed(Why.GONE)
        if own is not None and message is not None and channel is not None:
            if isinstance(own, Done) and own.value != channel:
                # Not this person's messages: nothing of theirs is ever shown there.
                await tables.hand_placed(table_id, user, None, None)
                message = None
            else:
                result = own if isinstance(own, Failed) else await self._edit(channel, message, sheet)
        if message is None and table.status is Status.ENDED:
            return 0.0
        if isinstance(result, Failed) and result.why is not Why.LATER:
            if owed and (await tables.user(user)).notices == "dm":
                return 0.0  # the notice is on its way, or will be: not a second message before it
            result = await self._send(table, user, sheet)
            if isinstance(result, Failed) and result.why is not Why.LATER:
                # One that can neither be edited nor replaced must not stay with its controls.
                await tables.hand_placed(table_id, user, None, None)
                return 0.0
        if isinstance(result, Done):
            self._shown[table_id, user] = (result.value, mark)
        elif table.status is not Status.LOBBY:
            return max(result.retry_after, 1.0)
        return 0.0

    async def _edit(self, channel: int, message: int, sheet: Page) -> Result[int]:
        return await self._house.io.edit(channel, message, render(sheet))

    async def send_as_notice(self, table: Table, due: Owed) -> Failed | None:
        """The hand sent afresh as its notice. None when the notice is done with, else why it must wait."""
        seen = await self._house.tables.view(table.id, due.user)
        if seen.seat is None:
            return None
        sheet = await self._sheet(seen, due.user)
        result = await self._send(seen.table, due.user, sheet, due=due.seat.due)
        if isinstance(result, Failed):
            return result if result.why is Why.LATER else None
        self._shown[table.id, due.user] = (result.value, _mark(sheet))
        return None

    async def _sheet(self, seen: Seen, user: UserId) -> Page:
        """What `seen` shows this person; before there is a hand, what the message is for; where there is none
        any more, why."""
        house = self._house
        settings = await house.tables.user(user)
        language = house.language_for(settings, None)
        say = sayer(language)
        title = heading(seen.table, say)
        if seen.view is None:
            return _without_view(seen.table, title, say)
        return await self._pages(seen, language, say, as_text=settings.text_board, heading=title)

    async def _send(self, table: Table, user: UserId, sheet: Page, *, due: int = 0) -> Result[int]:
        """A fresh hand message. Sitting down counts as a wish for one; it leaves part of the budget to those
        whose game is on. due: which notice it is, where it is one."""
        lobby = table.status is Status.LOBBY
        if self._house.dm_hopeless(user) and not lobby:
            return Failed(Why.CLOSED)
        return await self._house.mail.to_person(
            table, user, sheet, due=due, spare=DMS_KEPT_BACK if lobby else 0
        )


def heading(table: Table, say: Say) -> str:
    return say("hand.heading", game=words.game_name(table.game, say), table=table.id)


def _without_view(table: Table, title: str, say: Say) -> Page:
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
    return page(Text(title), Text(said), link, accent=OVER if table.status is Status.ENDED else ACCENT)


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
