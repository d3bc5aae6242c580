"""The living panels: of each person and table one private message, edited in place.

A private page in a channel is seen by one person alone and can be reached only by the token of an interaction
that made or changed it. While that lives the page lives: it is brought up to date when the table changes
(`refresh`, by the painter), and closed by a last edit shortly before (`LIVES`), with a button that opens it
again. All of it is in memory, for a token is a secret: after a restart an old panel's next tap makes it the
panel again.

Everything private of a table goes to the one panel: the hand, the menu, and what one reads (rules, history,
the board as text), each in place of the other, with a way back. A new one, from a button of a public message
or a command, takes the old one's place, which is deleted. What one reads stays until it is the reader's turn,
or the table is paused, goes on or ends.

Two write a panel: the answers to clicks on it, which must not wait, and its keeper (`_keep`, a job for each).
Whatever arrives last stands, so what a panel shows is known only where a write had it for itself and was
answered; wherever it is not, or may be older than the table, the keeper writes again, once nothing is under
way and what was lost can no longer arrive (`private_answers.UNSURE`).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from functools import partial
from typing import Any, TypeAlias

import discord
from cachetools import LRUCache

from bot.background import Background
from bot.discord_io import TOKEN_LIVES, Answer, DiscordIO, Done, Failed, Reach, Result, Why, is_gone
from bot.locale import sayer
from bot.rules.game import Say
from bot.tables.model import Seen, Status, Table, TableId, UserId
from bot.tables.ports import Clock, NotFound, StoreTrouble
from bot.tables.service import Tables
from cogs import custom_ids
from cogs.surfaces.components import Button, Buttons, Page, Text, page, render
from cogs.surfaces.hand import copy_of, heading, is_where_copy_is, to_copy
from cogs.surfaces.menu import menu_page

from . import private_answers
from .languages import Languages
from .private_pages import Outline, PrivatePages

log = logging.getLogger(__name__)

LIVES = timedelta(minutes=14)  # a panel, from its newest token on; the token lives a minute more
KEPT = 1024  # panels that live at a time; the one used longest ago is closed for one more
TOLD = 4096  # tables of which the revision is kept that was told last
PAUSES = (1.0, 5.0, 15.0, 60.0)  # seconds until a write that failed is tried again; then once at each change
OUT_OF_REACH = frozenset({Why.GONE, Why.LATE})
FOR_GOOD = frozenset({Why.FORBIDDEN, Why.REFUSED})  # not tried again as things are

Write: TypeAlias = "Callable[[], Awaitable[Result[Any]]]"


class Kind(Enum):
    """What a panel shows. The hand and the menu are kept up to date."""

    HAND = "hand"
    MENU = "menu"
    READING = "reading"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page of a panel."""

    kind: Kind
    outline: Outline

    @property
    def seen(self) -> Seen:
        return self.outline.seen

    @property
    def revision(self) -> int:
        return self.seen.table.revision


class Fate(Enum):
    LIVES = "lives"
    CLOSES = "closes"  # by a last edit
    LEADS = "leads"  # by a last edit that says where the game is
    GOES = "goes"  # another has taken its place, or nothing of the table is theirs any more


@dataclass(slots=True, eq=False)
class Panel:
    """name: what the message is known by, also where its id was never told: the interaction that made it.
    channel: where it lies, None where nobody tells. since: when the token came. headed: whether the page says
    which table it is of. meant: what it was to show last. sheet: what it shows for certain, None where nobody
    knows. newest: the interaction answered last. expected: answers on their way that change or replace it.
    late: until when a lost write may arrive. under_way: writes; writes: those ever begun. failures: of the
    keeper, in a row."""

    user: UserId
    table: TableId
    name: int
    channel: int | None
    since: datetime
    clicked: datetime
    headed: bool
    meant: Sheet
    late: datetime
    reach: Reach | None = None
    fate: Fate = Fate.LIVES
    sheet: Sheet | None = None
    newest: int = 0
    expected: int = 0
    under_way: int = 0
    writes: int = 0
    failures: int = 0

    @property
    def key(self) -> tuple[UserId, TableId]:
        return self.user, self.table


class Panels:
    def __init__(
        self,
        tables: Tables,
        io: DiscordIO,
        clock: Clock,
        background: Background,
        languages: Languages,
        pages: PrivatePages,
    ) -> None:
        self._tables = tables
        self._io = io
        self._clock = clock
        self._background = background
        self._languages = languages
        self._pages = pages
        self._live: dict[tuple[UserId, TableId], Panel] = {}  # the one used longest ago first
        self._known: dict[int, Panel] = {}  # by name; those too that are on their way, or on their way out
        self._told: LRUCache[TableId, int] = LRUCache(TOLD)  # newest revision heard of
        self._closing_set = False  # whether the clock of the closings runs

    # asked by others

    def is_live(self, user: UserId, table: TableId) -> bool:
        """Whether this person has a panel of this table that is kept up to date."""
        panel = self._live.get((user, table))
        return panel is not None and panel.since + LIVES > self._clock.now()

    def any_of(self, table: TableId) -> bool:
        """Whether anybody has a panel of this table."""
        return bool(self._of(table))

    def last_click(self, user: UserId, table: TableId) -> datetime | None:
        """When a person who has a panel of this table last pressed something of it."""
        return self._live[user, table].clicked if self.is_live(user, table) else None

    def clicked(self, user: UserId, table: TableId) -> None:
        panel = self._live.get((user, table))
        if panel is not None:
            panel.clicked = self._clock.now()

    def pressed(self, interaction: discord.Interaction[Any]) -> Sheet | None:
        """What the panel was to show whose control was pressed; None for a control of anything else."""
        panel = self._panel_of(interaction.message)
        return None if panel is None else panel.meant

    def came(self, user: UserId, before: Sheet, after: Sheet) -> None:
        """What was waited for is there: where their panel is still to show `before`, it shows `after` from
        now on."""
        panel = self._live.get((user, before.seen.table.id))
        if panel is not None and (panel.meant.kind, panel.meant.outline) == (before.kind, before.outline):
            panel.meant, panel.sheet = after, None
            self._ring(panel)

    # the answers to clicks

    @contextmanager
    def expected(self, interaction: discord.Interaction[Any], table: TableId) -> Iterator[None]:
        """An answer to this is on its way, which will change or replace the person's panel: its keeper waits
        for that, so that nothing is drawn and sent in vain."""
        pressed, live = self._panel_of(interaction.message), self._live.get((interaction.user.id, table))
        held = {panel for panel in (pressed, live) if panel is not None}
        for panel in held:
            panel.expected += 1
        try:
            yield
        finally:
            for panel in held:
                panel.expected -= 1
                self._see_to(panel)

    async def answer(self, answer: Answer, sheet: Sheet) -> None:
        """The sheet is the answer: in place of the private page that was pressed, which is the panel from now
        on, else as a new one. Any other panel that this person had of the table goes."""
        drawn = await self._pages.drawn(sheet.outline)
        panel = self._panel_to_turn(answer.interaction, sheet)
        if panel is not None:
            result = await self._give(panel, answer, sheet, partial(answer.update, render(drawn)))
            if not is_gone(result):
                return
            self._forget(panel)  # dismissed, or deleted while it was pressed
        panel = self._new(answer.interaction, sheet, answer.interaction.id)
        await self._give(panel, answer, sheet, partial(answer.show, render(drawn)))

    async def part(self, answer: Answer, farewell: Page) -> None:
        """The answer takes the place of the private message that was pressed, which is no panel from now on;
        it is a new one where that has been deleted meanwhile."""
        panel = self._panel_of(answer.interaction.message)
        result: Result[Any] = Failed(Why.GONE)  # about to be deleted
        if panel is None:
            result = await answer.update(render(farewell))
        elif panel.fate is not Fate.GOES:
            panel.fate = Fate.GOES
            result, alone = await self._written(panel, partial(answer.update, render(farewell)))
            if isinstance(result, Done) and alone:
                self._forget(panel)
            else:
                self._let_go(panel, Fate.GOES)
        if is_gone(result):
            await answer.show(render(farewell))

    async def give_way(self, answer: Answer) -> None:
        """The private message that was pressed goes: what it leads back to stands elsewhere."""
        if is_gone(await answer.acknowledge()):
            return  # so it has
        reach, panel = Reach(answer.interaction), self._panel_of(answer.interaction.message)
        if panel is None:
            await self._io.delete_answer(reach)
            return
        panel.reach, panel.since = reach, self._clock.now()
        self._let_go(panel, Fate.GOES)

    def _panel_of(self, message: discord.Message | None) -> Panel | None:
        return self._known.get(_name_of(message)) if message is not None and message.flags.ephemeral else None

    def _panel_to_turn(self, interaction: discord.Interaction[Any], sheet: Sheet) -> Panel | None:
        """The panel that the pressed private page is, or becomes by being pressed; None where it is none, or
        is about to be deleted."""
        message = interaction.message
        if message is None or not message.flags.ephemeral:
            return None
        panel = self._panel_of(message)
        if panel is not None and panel.key != (interaction.user.id, sheet.seen.table.id):
            self._forget(panel)
            panel = None
        if panel is None:
            return self._new(interaction, sheet, _name_of(message))
        return None if panel.fate is Fate.GOES else panel

    def _new(self, interaction: discord.Interaction[Any], sheet: Sheet, name: int) -> Panel:
        now = self._clock.now()
        user, channel, headed = interaction.user.id, interaction.channel_id, interaction.guild_id is None
        panel = Panel(user, sheet.seen.table.id, name, channel, now, now, headed, sheet, now)
        self._known[name] = panel
        return panel

    async def _give(self, panel: Panel, answer: Answer, sheet: Sheet, write: Write) -> Result[Any]:
        """Answer with the sheet on this panel."""
        now, number = self._clock.now(), answer.interaction.id
        in_order, panel.newest = number >= panel.newest, max(number, panel.newest)
        panel.meant, panel.clicked = sheet, now
        result, alone = await self._written(panel, write)
        failed = isinstance(result, Failed)
        if isinstance(result, Failed) and not result.unclear:
            if panel.reach is None:
                self._forget(panel)  # it never was
            else:
                self._ring(panel)
            return result
        if not failed or panel.reach is None:
            panel.reach, panel.since = answer.reach, now
        if not failed and alone and in_order:
            panel.sheet = sheet
        self._take_place(panel)
        return result

    def _take_place(self, panel: Panel) -> None:
        """It is there now: the one panel of its person and table, unless it has to go already."""
        before = self._live.get(panel.key)
        if panel.fate is Fate.GOES:
            if before is not None:  # what was done on this one is to be seen there
                before.sheet = None
                self._ring(before)
            self._ring(panel)
            return
        panel.fate = Fate.LIVES
        self._live.pop(panel.key, None)
        self._live[panel.key] = panel
        if before is not None and before is not panel:
            self._let_go(before, Fate.GOES)
        while len(self._live) > KEPT:
            self._let_go(next(iter(self._live.values())), Fate.CLOSES)
        self._see_to(panel)
        self._close_in_time()

    # every write

    async def _written(self, panel: Panel, write: Write) -> tuple[Result[Any], bool]:
        """What came of a write, and whether nothing else can have arrived beside or after it. It is not known
        any more what the panel shows."""
        alone = panel.under_way == 0 and panel.late <= self._clock.now()
        panel.sheet = None
        panel.writes += 1
        mine = panel.writes
        panel.under_way += 1
        clear = False
        try:
            result = await write()
            clear = not (isinstance(result, Failed) and result.unclear)
        finally:
            panel.under_way -= 1
            if not clear:
                unsure = timedelta(seconds=private_answers.UNSURE)
                panel.late = max(panel.late, self._clock.now() + unsure)
            if panel.under_way == 0 and mine != panel.writes:
                self._ring(panel)  # of several the last one
        return result, alone and mine == panel.writes

    # the keeper

    def refresh(self, table: Table) -> None:
        """The table has changed: its panels are brought up to date."""
        self._told[table.id] = max(table.revision, self._told.get(table.id, 0))
        for panel in self._of(table.id):
            if panel.sheet is None or panel.sheet.revision < table.revision:
                self._ring(panel)

    def copies_came(self, table: TableId) -> None:
        """Somebody may have got their copy of a table in direct messages, which is their panel now."""
        for panel in self._of(table):
            self._ring(panel)

    def _of(self, table: TableId) -> list[Panel]:
        """Everybody's panel of it."""
        return [panel for panel in self._live.values() if panel.table == table]

    def _see_to(self, panel: Panel) -> None:
        """Ring the keeper of a panel that does not show for certain what it is to, or may have to go."""
        shown = panel.sheet
        behind = shown is None or shown.revision < self._told.get(panel.table, 0)
        if panel.fate is not Fate.LIVES or behind or panel.meant.seen.table.place.direct:
            self._ring(panel)  # a copy may have come while it was on its way

    def _ring(self, panel: Panel) -> None:
        self._background.spawn(
            "panel", partial(self._keep, panel), f"{panel.table} {panel.user} {panel.name}"
        )

    async def _keep(self, panel: Panel) -> float | None:
        """Bring it to what it is to show; seconds until it is to be tried again."""
        now = self._clock.now()
        if panel.expected > 0 or panel.under_way > 0 or self._known.get(panel.name) is not panel:
            return None  # who ends last rings
        if panel.late > now:
            return (panel.late - now).total_seconds()
        reach = panel.reach
        if reach is None or now >= panel.since + TOKEN_LIVES:
            self._forget(panel)
            return None
        match panel.fate:
            case Fate.GOES:
                return await self._take_away(panel, reach)
            case Fate.CLOSES | Fate.LEADS:
                return await self._close(panel, reach)
            case Fate.LIVES:
                return await self._bring_up_to_date(panel, reach)

    async def _take_away(self, panel: Panel, reach: Reach) -> float | None:
        result, _ = await self._written(panel, lambda: self._io.delete_answer(reach))
        if isinstance(result, Failed) and result.why not in {Why.GONE, Why.LATE}:
            say = await self._say_to(panel)
            gone = render(page(Text(say("panel.replaced"))))
            result, _ = await self._written(panel, lambda: self._io.edit_answer(reach, gone))
        return self._over(panel, result)

    async def _close(self, panel: Panel, reach: Reach) -> float | None:
        say, fate, seen = await self._say_to(panel), panel.fate, panel.meant.seen
        leads = fate is Fate.LEADS
        last = to_copy(seen, panel.user, say) if leads else closed_page(seen, panel.headed, say)
        result, alone = await self._written(panel, lambda: self._io.edit_answer(reach, render(last)))
        if panel.fate is not fate or not alone:
            return 0.0  # somebody has pressed it meanwhile
        return self._over(panel, result)

    async def _bring_up_to_date(self, panel: Panel, reach: Reach) -> float | None:
        try:
            seen = await self._tables.view(panel.table, panel.user, recap=True)
        except NotFound:
            self._forget(panel)
            return None
        if seen.seat is None and panel.meant.seen.seat is not None:
            self._let_go(panel, Fate.GOES)
            return None
        if copy_of(seen) is not None and not _reads_on(panel.meant, seen):
            panel.meant = Sheet(panel.meant.kind, replace(panel.meant.outline, seen=seen))
            self._let_go(panel, Fate.GOES if is_where_copy_is(seen, panel.channel) else Fate.LEADS)
            return None
        shown = panel.sheet
        if shown is not None and (shown.revision == seen.table.revision or seen.seat is None):
            return None
        try:
            sheet = await self._sheet(panel, seen)
            if shown is not None and (sheet.kind, sheet.outline) == (shown.kind, shown.outline):
                panel.sheet = sheet
                return None
            drawn = render(await self._pages.drawn(sheet.outline))
        except (StoreTrouble, OSError):
            raise
        except Exception as error:  # what is wrong with the table's pages its painter tells
            log.warning("a panel of table %s cannot be shown: %s", panel.table, type(error).__name__)
            self._forget(panel)
            return None
        if panel.under_way > 0 or panel.fate is not Fate.LIVES or panel.reach is not reach:
            return 0.0
        panel.meant = sheet
        result, alone = await self._written(panel, lambda: self._io.edit_answer(reach, drawn))
        if isinstance(result, Failed) or panel.fate is not Fate.LIVES or not alone:
            return self._over(panel, result) if isinstance(result, Failed) and alone else 0.0
        panel.failures = 0
        panel.sheet = sheet
        return 0.0 if sheet.revision < self._told.get(panel.table, 0) else None

    async def _sheet(self, panel: Panel, seen: Seen) -> Sheet:
        """What the panel is to show now, from its own person's view."""
        meant = panel.meant
        settings = await self._tables.user(panel.user)
        language = self._languages.by(settings)
        say = sayer(language)
        if meant.kind is Kind.READING and _reads_on(meant, seen):
            return Sheet(Kind.READING, replace(meant.outline, seen=seen))
        if meant.kind is Kind.MENU and _reads_on(meant, seen):
            return Sheet(Kind.MENU, Outline(menu_page(seen, panel.user, language, say), seen, say))
        title = heading(seen.table, say) if panel.headed else ""
        outline = await self._pages.outline(
            seen, language, say, theme=settings.theme, as_text=settings.text_board, heading=title
        )
        return Sheet(Kind.HAND, outline)

    async def _say_to(self, panel: Panel) -> Say:
        return sayer(self._languages.by(await self._tables.user(panel.user)))

    def _over(self, panel: Panel, result: Result[Any]) -> float | None:
        """After a write of the keeper's: seconds until the next try, None where there is none."""
        if isinstance(result, Done) or result.why in OUT_OF_REACH:
            self._forget(panel)
            return None
        if result.why in FOR_GOOD or panel.failures >= len(PAUSES):
            if panel.fate is not Fate.LIVES:
                self._forget(panel)
            return None  # the next change brings the next try
        pause = PAUSES[panel.failures]
        panel.failures += 1
        return max(pause, result.retry_after)

    # coming and going

    def _let_go(self, panel: Panel, fate: Fate) -> None:
        panel.fate = fate
        if self._live.get(panel.key) is panel:
            del self._live[panel.key]
        self._ring(panel)

    def _forget(self, panel: Panel) -> None:
        """It is no more, or out of reach."""
        self._known.pop(panel.name, None)
        if self._live.get(panel.key) is panel:
            del self._live[panel.key]

    def _close_in_time(self) -> None:
        if not self._closing_set:
            self._closing_set = True
            self._background.spawn("panels", self._close_due)

    async def _close_due(self) -> float | None:
        """Close those whose token is about to die; seconds until the next does."""
        due = [panel for panel in self._live.values() if panel.since + LIVES <= self._clock.now()]
        for panel in due:
            self._let_go(panel, Fate.CLOSES)
        times = [panel.since for panel in self._live.values()]
        self._closing_set = bool(times)
        if not times:
            return None
        return max(0.05, (min(times) + LIVES - self._clock.now()).total_seconds())


def way_back(seen: Seen) -> str:
    """The verb that leads from what stands in its place to a person's page of the table."""
    return "move" if seen.seat is not None and seen.table.status is not Status.LOBBY else "menu"


def closed_page(seen: Seen, headed: bool, say: Say) -> Page:
    """The last edit of a panel."""
    table = seen.table
    title = heading(table, say) if headed else ""
    again = Button(say("panel.open_again"), custom_ids.button(table.id, table.revision, way_back(seen)))
    return page(Text("\n".join(filter(None, (title, say("panel.closed"))))), Buttons((again,)))


def _name_of(message: discord.Message) -> int:
    made_by = message.interaction_metadata
    return message.id if made_by is None else made_by.id


def _reads_on(meant: Sheet, now: Seen) -> bool:
    """Whether it is no hand, and nothing has happened that one must see at once: one's own turn, a pause, the
    end."""
    before = meant.seen
    if meant.kind is Kind.HAND:
        return False
    if before.seat is None or now.seat is None:
        return before.table.status is now.table.status
    turn = now.seat.since > 0 and now.seat.since != before.seat.since
    return before.table.status is now.table.status and not turn
