"""Every seat's private page: what its player sees, and the next choice of a move.

The same page serves "Your move", "My hand" and the hand by direct message. It is made from the seat's view
alone. Which choice of a move comes next is each game's to say: its cog gives a function for it (`offer`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

from cachetools import LRUCache

from bot.lessons import lesson_of
from bot.rules.game import Say, View
from bot.tables.model import Seen, Status, Table, TableId, UserId
from bot.tables.ports import Aside
from bot.tables.service import Tables
from bot.tables.taps import TRIED
from cogs.surfaces import steps, wording
from cogs.surfaces.advice import Told, marked_by
from cogs.surfaces.components import Page, Text, page
from cogs.surfaces.hand import hand_page, illustrated, may_act, page_without_view
from cogs.surfaces.hints import explained, hints_of
from cogs.surfaces.lobby import lobby_page
from cogs.surfaces.steps import Step, StepOf
from rendering.scene import Picture

from .pictures import Pictures

FIRSTS = 2048  # people at tables of whom is known whether it is their first of that game
TOLD = 1024  # people at tables of whom is known which hint they read last
KEPT = 256  # open steps, those asked for last: a tap asks for that of the page it is on, and for the next


@dataclass(frozen=True, slots=True)
class Outline:
    """A private page before its pictures are drawn. Equal ones give equal pages.

    page: all but the pictures. view, names, language, targets, draft, theme: what the pictures depend on;
    view None where there are none."""

    page: Page
    seen: Seen = field(compare=False)
    say: Say = field(compare=False)
    view: View | None = None
    names: tuple[str, ...] = ()
    language: str = ""
    targets: tuple[str, ...] = ()
    draft: str = ""
    theme: str = ""


class OpenStep(NamedTuple):
    """draft: with all forced choices made. step: the one that is open then. before: the draft that a way back
    leads to, None where there is none."""

    draft: str
    step: Step
    before: str | None


class PrivatePages:
    def __init__(self, pictures: Pictures, tables: Tables) -> None:
        self._pictures = pictures
        self._tables = tables
        self._firsts: LRUCache[tuple[UserId, TableId], bool] = LRUCache(FIRSTS)
        self._unlearnt: LRUCache[tuple[UserId, str], bool] = LRUCache(FIRSTS)
        self._steps: LRUCache[tuple[StepOf, View, str], OpenStep] = LRUCache(KEPT)
        self._guard = Lock()  # of the steps, which are asked for in threads too
        self._told: LRUCache[tuple[UserId, TableId], Told] = LRUCache(TOLD)
        self._games: dict[str, StepOf] = {}

    def offer(self, game: str, step: StepOf) -> None:
        """This game can be played from now on."""
        self._games[game] = step

    def withdraw(self, game: str) -> None:
        self._games.pop(game, None)

    def knows(self, game: str) -> bool:
        return game in self._games

    def step_of(self, table: Table) -> StepOf:
        """Raises Aside for a table of a game that is not known here."""
        step = self._games.get(table.game)
        if step is None:
            raise Aside(table)
        return step

    def tell(self, user: UserId, table: TableId, told: Told) -> None:
        """The pages of this person show that hint, as long as the choice is open that it is about."""
        self._told[user, table] = told

    def _told_to(self, seen: Seen) -> Told | None:
        seat = seen.seat
        told = self._told.get((seat.user, seen.table.id)) if seat is not None and seat.user else None
        return told if seat is not None and told is not None and told.hint.since == seat.since else None

    def open_step(self, seen: Seen) -> OpenStep:
        """The choice that is open to `seen.seat`, which may act. Of a large list this takes longer than the
        event loop may be held."""
        step_of, view = self.step_of(seen.table), seen.view
        assert view is not None
        found = self._known_step(step_of, view, seen.draft)
        if found is None:
            draft, step = steps.settle(step_of, view, seen.draft)
            found = OpenStep(draft, step, steps.back(step_of, view, step))
            with self._guard:
                self._steps[step_of, view, seen.draft] = found
        return found

    def _known_step(self, step_of: StepOf, view: View, draft: str) -> OpenStep | None:
        with self._guard:
            return self._steps.get((step_of, view, draft))

    async def without_view(self, seen: Seen, say: Say, title: str, *, theme: str) -> Outline:
        """The private message of a table that is not on: what it is for, or why there is nothing. At a table
        in direct messages the lobby, which stands nowhere else."""
        table = seen.table
        if table.place.direct and table.status is Status.LOBBY:
            cover = await self._pictures.cover(table, say, theme=theme)
            reader = seen.seat.user if seen.seat is not None else None
            return Outline(lobby_page(table, say, cover, reader=reader), seen, say)
        return Outline(page_without_view(table, title, say), seen, say)

    async def outline(
        self,
        seen: Seen,
        language: str,
        say: Say,
        *,
        remark: str = "",
        theme: str,
        as_text: bool = False,
        heading: str = "",
        returns: int = 0,
    ) -> Outline:
        """What `seen.seat` sees, with the open choice. For somebody without a seat: the public board. remark:
        what to say about the last click. theme: of the pictures. as_text: with the text board. returns:
        how often the player went back on this page."""
        table, view = seen.table, seen.view
        if view is None:
            key = {Status.ASIDE: "table.aside", Status.ENDED: f"tables.ending.{table.ending}"}
            said = say(key.get(table.status, "table.nothing_yet"))
            return Outline(page(Text("\n".join(filter(None, (heading, remark, said))))), seen, say)
        step: Step | None = None
        draft, before = "", None
        told: Told | None = None
        if may_act(table, seen.seat, view):
            known = self._known_step(self.step_of(table), view, seen.draft)
            draft, step, before = (
                known if known is not None else await self._pictures.off_loop(self.open_step, seen)
            )
            told = self._told_to(seen)
        astray = False
        if told is not None and before is not None:
            step_of, moves = self.step_of(table), told.hint.advice.moves
            astray = not await self._pictures.off_loop(steps.leads_to, step_of, view, draft, moves)
        bare = hand_page(
            seen,
            step,
            draft,
            before is not None,
            language,
            say,
            remark=remark,
            as_text=as_text,
            heading=heading,
            returns=returns,
            told=told,
            astray=astray,
        )
        if not draft:  # in the midst of a move there is more to see than to explain
            bare = explained(bare, table, await self._hints(seen, as_text), say)
        names = wording.whole_names(table, say)
        targets, tried = step.targets if step else (), draft.removeprefix(TRIED)
        if told is not None and not seen.draft and (marked := marked_by(told.hint.advice.moves)):
            targets, tried = (), marked  # what they have begun themselves goes first
        return Outline(bare, seen, say, view, names, language, targets, tried, theme)

    async def _hints(self, seen: Seen, as_text: bool) -> tuple[str, ...]:
        """What the page explains to its reader: while the game is on, until they dismiss it. as_text: whether
        they read the board in words, which has no signs."""
        table, seat = seen.table, seen.seat
        if seat is None or seat.user is None or table.status is not Status.PLAYING:
            return ()
        hints = hints_of(table.game, (await self._tables.user(seat.user)).dismissed)
        about_rules, about_signs = f"rules.{table.game}", f"legend.{table.game}"
        known = {about_signs} if as_text else set()
        if about_rules in hints and not await self._is_first(table, seat.user):
            known.add(about_rules)
        left = tuple(hint for hint in hints if hint not in known)
        if about_rules not in left or lesson_of(table.game) is None:
            return left
        unlearnt = await self._is_unlearnt(seat.user, table.game)
        return (*left, f"lesson.{table.game}") if unlearnt else left

    async def _is_first(self, table: Table, user: UserId) -> bool:
        """Whether this person has finished no game of it before. Asked once for each table: what is a first
        table stays one until it ends."""
        found = self._firsts.get((user, table.id))
        if found is None:
            found = self._firsts[user, table.id] = not await self._tables.has_finished(user, table.game)
        return found

    async def _is_unlearnt(self, user: UserId, game: str) -> bool:
        """Whether this person has not begun the game's lesson. Asked once; that they begin it here is told
        (`learns`). Where they do so by another process it stays offered for a while, which does no harm."""
        found = self._unlearnt.get((user, game))
        if found is None:
            unlearnt = await self._tables.lesson(user, game) is None
            found = self._unlearnt.setdefault((user, game), unlearnt)  # they may have begun it meanwhile
        return found

    def learns(self, user: UserId, game: str) -> None:
        """They have begun the game's lesson."""
        self._unlearnt[user, game] = False

    async def drawn(self, outline: Outline) -> Page:
        """The page itself."""
        seen, say, view = outline.seen, outline.say, outline.view
        if view is None:
            return outline.page
        table = seen.table
        shared: tuple[Picture, ...] = ()
        if seen.seat is None or table.place.direct:
            shared = await self._pictures.of_table(table, view, say, theme=outline.theme)
        if seen.seat is None:
            return illustrated(outline.page, seen, shared, say)
        if shared and table.status is Status.ENDED:
            return illustrated(outline.page, seen, (), say, shared=shared)  # nothing is one's own any more
        own = await self._pictures.of_hand(
            table, view, say, theme=outline.theme, targets=outline.targets, draft=outline.draft
        )
        # All in words where it fails: the table's pictures do not tell what one holds.
        beside = [picture for picture in shared if not picture.in_hand] if own else []
        return illustrated(outline.page, seen, own, say, shared=beside)
