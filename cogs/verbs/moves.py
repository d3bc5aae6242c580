"""Playing a move step by step on the private page, confirming it, taking it back."""

from __future__ import annotations

from collections.abc import Callable

from bot.rules.registry import GAME_IDS
from bot.tables.model import Seen, Status
from bot.tables.needs import need_seat
from bot.tables.ports import Ended, Paused, Stale
from bot.tables.taps import Chosen, Played, Resolve, Tapped
from cogs import custom_ids
from cogs.delivery.private_pages import OpenStep
from cogs.input.errors import Outdated
from cogs.input.press import Press
from cogs.surfaces import steps
from cogs.surfaces.components import Form
from cogs.surfaces.hints import is_hint

from .private import seen_by, show_current, touch


async def move(press: Press) -> None:
    """ "Your move" and "My hand": the private page as it is now."""
    seen = await seen_by(press)
    if seen.table.status not in {Status.ENDED, Status.ASIDE}:
        need_seat(seen.table, press.person.id)
    await show_current(press, press.table, seen=seen)


async def dismiss(press: Press) -> None:
    """A hint of the private page is not wanted any more; argument is its key."""
    if not is_hint(press.argument, GAME_IDS):
        raise Outdated
    seen = await seen_by(press)
    need_seat(seen.table, press.person.id)
    kept = (await press.tables.user(press.person.id)).dismissed
    await press.tables.set_user(press.person.id, dismissed=tuple(dict.fromkeys((*kept, press.argument))))
    await show_current(press, press.table, seen=seen)


async def pick(press: Press) -> None:
    """Entries of a step's menu: the draft grows by them."""
    await _grow(press, press.argument, press.values)


async def way(press: Press) -> None:
    """A button that leads on: the draft grows by it."""
    mark, _, value = press.argument.partition(".")
    await _grow(press, mark, (value,))


async def _grow(press: Press, mark: str, values: tuple[str, ...]) -> None:
    def grow(seen: Seen) -> Chosen:
        draft = _open_step(press, seen, mark).draft
        assert seen.view is not None
        grown = steps.choose(press.services.private.step_of(seen.table), seen.view, draft, values)
        if grown is None:
            raise Outdated
        return Chosen(grown)

    tapped = await _tap(press, grow)
    await show_current(press, press.table, seen=tapped.seen, returns=steps.read_mark(mark)[1])


async def back(press: Press) -> None:
    """Back to the last real choice."""
    mark = press.argument

    def shrink(seen: Seen) -> Chosen:
        before = _open_step(press, seen, mark).before
        if before is None:
            raise Outdated
        return Chosen(before)

    tapped = await _tap(press, shrink)
    await show_current(press, press.table, seen=tapped.seen, returns=steps.read_mark(mark)[1] + 1)


async def act(press: Press) -> None:
    """A button that names its act: it is played at once."""
    mark, _, value = press.argument.partition(".")

    def named(seen: Seen) -> Played:
        choice = _open_step(press, seen, mark).step.choice(value)
        if choice is None or not choice.act:
            raise Outdated
        return Played(choice.draft)

    await _play(press, named)


async def write(press: Press) -> None:
    """A button that asks for the rest of the move in writing opens its form; the form, sent, plays it."""
    mark, _, value = press.argument.partition(".")
    asked: list[steps.Ask] = []

    def written(seen: Seen) -> Played | None:
        ask = _open_step(press, seen, mark).step.ask(value)
        if ask is None:
            raise Outdated
        asked.append(ask)
        return Played(ask.before + press.fields.get("text", ""), written=True) if press.fields else None

    tapped = await _tap(press, written)
    if tapped.change is not None:
        await show_current(press, press.table, press.say("table.played"), seen=tapped.seen)
        return
    [ask] = asked
    form = Form(
        custom_ids.modal(press.table, press.revision, "write", press.argument),
        steps.said(ask.title, press.say),
        steps.said(ask.line, press.say),
        steps.said(ask.hint, press.say),
        ask.least,
        ask.most,
    )
    await press.ask(form)


async def play(press: Press) -> None:
    """The preview is confirmed."""

    def confirmed(seen: Seen) -> Played:
        step = _open_step(press, seen, press.argument).step
        if not step.move:
            raise Outdated
        return Played(step.move, then=step.then)

    await _play(press, confirmed)


async def _play(press: Press, resolve: Callable[[Seen], Played]) -> None:
    """Play by a button. Its second tap finds the choice closed, by the first one: that is no stale click but
    a move that was played."""
    # The button pressed, of whatever message it is on.
    name = f"{press.revision}:{press.control.verb if press.control else ''}:{press.argument}"
    seen: Seen | None = None
    try:
        seen = (await _tap(press, resolve, name=name)).seen
    except (Stale, Outdated, Ended, Paused):
        if not await press.tables.was_played(press.table, press.person, name):
            raise
    await show_current(press, press.table, press.say("table.played"), seen=seen)


async def _tap(press: Press, resolve: Resolve, *, name: str = "") -> Tapped:
    touch(press)
    return await press.tables.tap(press.table, press.person, press.revision, resolve, name=name)


def _open_step(press: Press, seen: Seen, mark: str) -> OpenStep:
    """The step that a control was made for, if it is still the one that is open."""
    found = press.services.private.open_step(seen)
    if steps.digest(found.draft) != steps.read_mark(mark)[0]:
        raise Outdated
    return found


async def undo(press: Press) -> None:
    touch(press)
    change = await press.tables.undo(press.table, press.person, press.revision or None)
    seen = await press.tables.seen_after(change, press.person.id)
    await show_current(press, press.table, press.say("table.undone"), seen=seen)
