"""Playing a move step by step on the private page, confirming it, taking it back."""

from __future__ import annotations

from dataclasses import replace

from bot.rules.registry import GAME_IDS
from bot.tables.model import Seen, Status
from bot.tables.needs import need_seat
from bot.tables.ports import Ended, Paused, Stale
from bot.tables.taps import Chosen, Played, Resolve, Tapped, Tried
from cogs import custom_ids
from cogs.delivery.private_pages import OpenStep
from cogs.input.errors import Outdated
from cogs.input.press import Press
from cogs.surfaces import steps
from cogs.surfaces.components import Form
from cogs.surfaces.hints import is_hint

from .private import seen_by, show_current, show_tapped, touch


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
    await _grow(press, press.argument, press.values, f"{press.argument}.{','.join(press.values)}")


async def way(press: Press) -> None:
    """A button that leads on: the draft grows by it."""
    mark, _, value = press.argument.partition(".")
    await _grow(press, mark, (value,), press.argument)


async def _grow(press: Press, mark: str, values: tuple[str, ...], what: str) -> None:
    """what: names the entries, as of `_play`."""

    def grow(seen: Seen) -> Chosen | Tried:
        before, pages = _open_step(press, seen, mark), press.services.private
        assert seen.view is not None
        grown = steps.choose(pages.step_of(seen.table), seen.view, before.draft, values)
        if grown is None:
            raise Outdated
        # Who goes on from a whole move puts several together on purpose.
        if press.settings.quick and not before.step.move:
            move = pages.open_step(replace(seen, draft=grown)).step.move
            return Tried(move, grown) if move else Chosen(grown)
        return Chosen(grown)

    await _play(press, grow, what, returns=steps.read_mark(mark)[1])


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

    await _play(press, named, press.argument)


async def write(press: Press) -> None:
    """A button that asks for the rest of the move in writing opens its form; the form, sent, is a typed
    move."""
    mark, _, value = press.argument.partition(".")
    asked: list[steps.Ask] = []

    def written(seen: Seen) -> Tried | None:
        ask = _open_step(press, seen, mark).step.ask(value)
        if ask is None:
            raise Outdated
        asked.append(ask)
        return Tried(ask.before + press.fields.get("text", ""), written=True) if press.fields else None

    tapped = await _tap(press, written)
    if press.fields:
        await show_tapped(press, tapped)
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

    await _play(press, confirmed, press.argument)


async def _play(press: Press, resolve: Resolve, what: str, *, returns: int = 0) -> None:
    """A tap that may play. Its second one finds the choice closed, by the first: that is no stale click but
    a move that was played. what: names it among those of its verb. returns: as of `show_current`."""
    # The button pressed, of whatever message it is on.
    name = f"{press.revision}:{press.control.verb if press.control else ''}:{what}"
    try:
        tapped = await _tap(press, resolve, name=name)
    except (Stale, Outdated, Ended, Paused):
        if not await press.tables.was_played(press.table, press.person, name):
            raise
        await show_current(press, press.table, press.say("table.played"))
        return
    await show_tapped(press, tapped, returns=returns)


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
