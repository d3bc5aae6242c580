"""The private page of a seat: what its player sees, and the next choice of a move.

The same page serves "Your move" and "My hand" (ephemeral, as often as wanted) and the hand by direct
message. It is made from the seat's view alone. At a table in direct messages it is the table message too, and
shows what that shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

from bot.rules.game import Say, View
from bot.rules.registry import GAME_IDS
from bot.rules.registry import game as rules_of
from bot.tables.model import Seat, Seen, Status, Table, TableId
from cogs import custom_ids
from rendering.scene import Picture

from . import steps, wording
from .advice import Told, advice_buttons, advice_lines
from .components import Block, Button, Buttons, Entry, Gallery, Link, Page, Select, Text, note, page, room
from .final import afterwards, ending
from .recap import recap_lines
from .steps import Choice, Step, said
from .table import standing_lines, text_board

MakeId = Callable[[custom_ids.Kind, str, str], str]  # a custom id by kind, verb and argument

ACCENT = 0x7A4FA3
OVER = 0x808080
UNDRAWN = Gallery(())  # where pictures go, see `illustrated`
MOST_SHARED = 2  # pictures of a table that everybody sees


def may_act(table: Table, seat: Seat | None, view: View | None) -> bool:
    return (
        seat is not None
        and view is not None
        and table.status is Status.PLAYING
        and seat.since > 0
        and seat.index in view.actors
    )


def copy_of(seen: Seen) -> int | None:
    """The message on which this person plays at a table in direct messages: it is their one page of it."""
    return seen.seat.hand_message if seen.table.place.direct and seen.seat is not None else None


def is_where_copy_is(seen: Seen, channel: int | None) -> bool:
    """Whether who is in that channel has their copy of the table before them."""
    return seen.seat is not None and seen.seat.hand_channel == channel


def to_copy(seen: Seen, user: int, say: Say, remark: str = "") -> Page:
    """What stands in place of the game where somebody plays on their copy of it: the way there. remark: what
    to say before."""
    table = seen.table
    played = table.status is Status.ENDED and table.events > 0
    what = "game" if table.status is Status.PLAYING else "result" if played else "table"
    url = wording.table_link(table, user)
    way = Buttons((Link(say("table.button.go"), url),)) if url else None
    return note("\n".join(filter(None, (remark, say(f"table.own_copy.{what}")))), way)


def hand_page(
    seen: Seen,
    step: Step | None,
    draft: str,
    back: bool,
    language: str,
    say: Say,
    *,
    remark: str = "",
    as_text: bool = False,
    heading: str = "",
    returns: int = 0,
    told: Told | None = None,
    astray: bool = False,
) -> Page:
    """The page without its pictures, see `illustrated`. step, draft, back: the open choice (see
    `steps.settle`), None when nothing is to be chosen. remark: what to say about the last click. as_text:
    with the text board. returns: how often the player went back on this page. told: the hint on that
    choice, where they have read one. astray: whether what they have begun does not lead to it."""
    table, view = seen.table, seen.view
    assert view is not None
    lines = [line for line in (heading, remark, *recap_lines(seen, say)) if line]
    asked: list[str] = []
    if step is not None:
        asked += [f"-# {forced}"] if (forced := made_for_them(step, say)) else []
        asked.append(f"**{wording.literal(step.question.said(say))}**")
        if seen.seat is not None and seen.seat.deadline is not None:
            asked.append(say("table.deadline", when=wording.when(seen.seat.deadline)))
    elif table.status is Status.ENDED:
        lines.append(ending(seen, language, say))
    elif table.status is Status.PAUSED:
        lines.append(say("table.paused"))
    else:
        lines.append(wording.turn_line(table, view, language, say))
        lines.append(wording.literal(rules_of(table.game).aside(view, say)))
    advice: list[Button] = []
    hint: list[str] = []
    if step is not None and seen.seat is not None:
        hint = advice_lines(table, view, told, say, astray=astray) if told is not None else []
        if back or step.decides:
            advice = advice_buttons(table, seen.seat, told, steps.mark(draft, returns), say)
    last: list[str] = []
    more: list[Button] = []
    if table.place.direct and table.status in {Status.PLAYING, Status.PAUSED}:  # it is the table message too
        last = standing_lines(table, view, language, say)
        more.append(Button(say("table.button.menu"), custom_ids.button(table.id, table.revision, "menu")))
    blocks: list[Text | Gallery | Buttons | Select] = [UNDRAWN] * MOST_SHARED if table.place.direct else []
    top = len(blocks)
    blocks += [Text("\n".join(filter(None, [*lines, *asked, *last]))), UNDRAWN]
    if as_text:
        blocks.append(Text(text_board(table, view, say)))
    if step is not None:
        undoable = seen.seat is not None and table.undoable == seen.seat.index
        ids = at_table(table.id, seen.seat.since if seen.seat is not None else table.revision)
        below = [Text("\n".join(hint))] if hint else []  # who has pressed the button looks there
        for buttons, under in product(([*advice, *more], more, []), (below, [])):
            controls = step_controls(
                ids, step, draft, back, say, undoable=undoable, returns=returns, more=buttons
            )
            if room([*blocks, *under, *controls]) >= 0:
                break
        if not under:
            # A hint's reasons are a list, as the standing is: the question stands between them.
            parted = ([*lines, *hint], [*asked, *last]) if hint and last else ([*lines, *asked, *hint], last)
            said = ["\n".join(filter(None, some)) for some in parted]
            blocks[top] = Text("\n\n".join(filter(None, said)))
        blocks += [*under, *controls]
    elif table.status is not Status.ENDED:
        extra: list[Button | Link] = []
        if seen.seat is not None and table.undoable == seen.seat.index:
            extra.append(
                Button(say("table.button.undo"), custom_ids.button(table.id, table.revision, "undo"))
            )
        if (url := wording.table_link(table)) is not None:
            extra.append(Link(say("table.button.go"), url))
        extra += more
        blocks += [Buttons(tuple(extra))] if extra else []
    else:
        blocks.append(afterwards(seen, seen.seat.user or 0 if seen.seat is not None else 0, say))
    return page(*blocks, accent=OVER if table.status is Status.ENDED else ACCENT)


def illustrated(
    bare: Page, seen: Seen, pictures: Sequence[Picture], say: Say, *, shared: Sequence[Picture] = ()
) -> Page:
    """The page with its pictures, each whole and full width, the last ones where there is no room for all;
    the board as text where there are none. shared: those that everybody at the table sees, where this is the
    table message too."""
    *above, own = [place for place, block in enumerate(bare.blocks) if block == UNDRAWN]
    drawn = {place: [Gallery((picture,))] for place, picture in zip(above, shared, strict=False)}
    if pictures:
        fitting = 1 + max(0, room(bare.blocks) + len(above) - len(drawn))  # there is room for one
        drawn[own] = [Gallery((picture,)) for picture in pictures[-fitting:]]
    blocks: list[Block] = []
    for place, block in enumerate(bare.blocks):
        if block != UNDRAWN:
            blocks.append(block)
        elif place in drawn:
            blocks += drawn[place]
        elif place == own and not drawn and seen.view is not None:
            board = Text(text_board(seen.table, seen.view, say))
            blocks += [board] if board not in bare.blocks else []
    return replace(bare, blocks=tuple(blocks))


def made_for_them(step: Step, say: Say) -> str:
    """What was chosen for the player on the way to this step, there being no other; "" for nothing."""
    made = (said(choice.label, say).removesuffix("…").rstrip() for choice in step.made)
    names = dict.fromkeys(wording.literal(name) for name in made)
    return say("hand.made", choices=", ".join(names)) if names else ""


def at_table(table: TableId, revision: int) -> MakeId:
    """For the controls of a move. revision: at which the choice opened, so that what others do meanwhile
    changes none of them."""

    def control(kind: custom_ids.Kind, verb: str, argument: str) -> str:
        return str(custom_ids.Control(kind, table, revision, verb, argument))

    return control


def step_controls(
    ids: MakeId,
    step: Step,
    draft: str,
    back: bool,
    say: Say,
    *,
    undoable: bool = False,
    returns: int = 0,
    more: Sequence[Button] = (),
) -> list[Buttons | Select]:
    """A step's entries, in rows or as a menu, and its other buttons. Each carries the mark of the draft it
    was made for. ids: makes their custom ids. undoable: whether the turn's last move can be taken back. more:
    what stands behind them."""
    mark = steps.mark(draft, returns)

    def way(choice: Choice) -> Button:
        return Button(said(choice.label, say), ids("b", "way", f"{mark}.{choice.value}"), emoji=choice.emoji)

    blocks: list[Buttons | Select] = []
    entries = step.entries
    if entries and step.menu:
        blocks.append(
            Select(
                ids("s", "pick", mark),
                say("hand.menu", n=min(step.at_once, len(entries))),
                tuple(
                    Entry(said(choice.label, say), choice.value, said(choice.description, say), choice.emoji)
                    for choice in entries
                ),
                min(step.at_once, len(entries)),
            )
        )
    elif entries:
        for start in range(0, len(entries), step.across):
            blocks.append(Buttons(tuple(way(entry) for entry in entries[start : start + step.across])))
    buttons: list[Button] = [
        Button(
            said(choice.label, say),
            ids("b", "act", f"{mark}.{choice.value}"),
            "primary",
            choice.emoji,
        )
        for choice in step.actions
    ]
    buttons += [
        Button(said(ask.label, say), ids("b", "write", f"{mark}.{ask.value}"), "primary") for ask in step.asks
    ]
    buttons += [way(choice) for choice in step.onward]
    if step.move:
        label = step.confirm.said(say) if step.confirm else say("table.button.play")
        buttons.append(Button(label, ids("b", "play", mark), "success"))
    if back:
        buttons.append(Button(say("table.button.back"), ids("b", "back", mark)))
    if undoable:
        buttons.append(Button(say("table.button.undo"), ids("b", "undo", "")))
    buttons += more
    if buttons:
        blocks.append(Buttons(tuple(buttons)))
    return blocks


def sends_hands(table: Table) -> bool:
    """Whether everybody has a message of their own: in games with hidden hands the hand, at tables in direct
    messages alone the copy of the table."""
    return table.game in GAME_IDS and (table.place.direct or rules_of(table.game).hidden_hands)


def heading(table: Table, say: Say) -> str:
    """What every private message of the table begins with; no name stands there."""
    return say("hand.heading", game=wording.game_name(table.game, say), table=table.id)


def page_without_view(table: Table, title: str, say: Say) -> Page:
    """Of a table in its lobby, set aside, or ended before its start. In the lobby it tells nothing that
    calls for anybody: it is sent for the hand to have its place (see `Hands`)."""
    match table.status:
        case Status.LOBBY:
            said = say("hand.welcome")
        case Status.ENDED:
            said = say(f"tables.ending.{table.ending}")
        case _:
            said = say("table.aside")
    url = wording.table_link(table)
    link = Buttons((Link(say("table.button.go"), url),)) if url and table.is_open else None
    shown = page(Text(title), Text(said), link, accent=OVER if table.status is Status.ENDED else ACCENT)
    return replace(shown, silent=table.status is Status.LOBBY)
