"""Playing a move step by step on the private page, confirming it, taking it back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bot.rules.game import AnyState
from bot.tables.model import Seen, Status
from bot.tables.ports import Ended, NotSeated, NotYourTurn, Paused, Stale
from cogs import custom_ids
from cogs.input.errors import Outdated
from cogs.input.press import Press
from cogs.surfaces import steps
from cogs.surfaces.components import Form

from .private import seen_by, show_current


async def move(press: Press) -> None:
    """ "Your move" and "My hand": the private page as it is now."""
    seen = await seen_by(press)
    if seen.seat is None and seen.table.status not in {Status.ENDED, Status.ASIDE}:
        raise NotSeated(seen.table)
    await show_current(press, press.table, seen=seen)


async def pick(press: Press) -> None:
    """Entries of a step's menu: the draft grows by them."""
    await _grow(press, press.argument, press.values)


async def way(press: Press) -> None:
    """A button that leads on: the draft grows by it."""
    mark, _, value = press.argument.partition(".")
    await _grow(press, mark, (value,))


async def _grow(press: Press, mark: str, values: tuple[str, ...]) -> None:
    seen = await seen_by(press)
    step_of = press.services.private.step_of(seen.table)
    made_for, returns = steps.read_mark(mark)

    def grow(draft: str, state: AnyState) -> str:
        _, current = _step(step_of, state, seen, draft)
        grown = steps.choose(step_of, state.view(_seat(seen)), current, values)
        if steps.digest(current) != made_for or grown is None:
            raise Outdated
        return grown

    await press.tables.edit_draft(press.table, press.person, grow, press.revision)
    await show_current(press, press.table, returns=returns)


async def back(press: Press) -> None:
    """Back to the last real choice."""
    seen = await seen_by(press)
    step_of = press.services.private.step_of(seen.table)
    made_for, returns = steps.read_mark(press.argument)

    def shrink(draft: str, state: AnyState) -> str:
        step, current = _step(step_of, state, seen, draft)
        before = steps.back(step_of, state.view(_seat(seen)), step)
        if steps.digest(current) != made_for or before is None:
            raise Outdated
        return before

    await press.tables.edit_draft(press.table, press.person, shrink, press.revision)
    await show_current(press, press.table, returns=returns + 1)


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
            custom_ids.modal(press.table, press.revision, "write", press.argument),
            steps.said(ask.title, press.say),
            steps.said(ask.line, press.say),
            steps.said(ask.hint, press.say),
            ask.least,
            ask.most,
        )
        await press.ask(form)
        return
    state = (await press.tables.load(press.table)).state
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
        if not await press.tables.was_played(press.table, press.person, _tap(press)):
            raise
        await show_current(press, press.table, press.say("table.played"))


def _tap(press: Press) -> str:
    """The button pressed, of whatever message it is on."""
    return f"{press.revision}:{press.control.verb if press.control else ''}:{press.argument}"


def _seat(seen: Seen) -> int:
    if seen.seat is None:
        raise NotSeated(seen.table)
    return seen.seat.index


def _step(step_of: steps.StepOf, state: AnyState, seen: Seen, draft: str) -> tuple[steps.Step, str]:
    view = state.view(_seat(seen))
    if view.seat not in view.actors:
        raise NotYourTurn(seen.table)
    current, step = steps.settle(step_of, view, draft)
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
    draft, step = await press.services.private.settled(seen.table, seen.view, seen.draft)
    if steps.digest(draft) != steps.read_mark(mark)[0]:
        raise Outdated
    return seen, step


async def _play(press: Press, seen: Seen, text: str, *, tap: str = "") -> None:
    await press.tables.move(press.table, press.person, text, press.revision, tap=tap)
    await show_current(press, press.table, press.say("table.played"))


async def undo(press: Press) -> None:
    await seen_by(press)
    await press.tables.undo(press.table, press.person, press.revision or None)
    await show_current(press, press.table, press.say("table.undone"))
