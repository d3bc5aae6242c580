"""Playing a move step by step on the private page, confirming it, taking it back."""

from __future__ import annotations

from bot.rules.registry import GAME_IDS
from bot.tables.model import Status
from bot.tables.needs import need_seat
from bot.tables.ports import Ended, Paused, Stale
from bot.tables.taps import Resolve, Tapped
from cogs import custom_ids
from cogs.input.errors import Outdated
from cogs.input.press import Press
from cogs.surfaces import steps
from cogs.surfaces.hints import is_hint

from . import choosing
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
    resolve = choosing.grown(press.services.private, mark, values, quick=press.settings.quick)
    await _play(press, resolve, what, returns=steps.read_mark(mark)[1])


async def back(press: Press) -> None:
    """Back to the last real choice."""
    tapped = await _tap(press, choosing.shrunk(press.services.private, press.argument))
    returns = steps.read_mark(press.argument)[1] + 1
    await show_current(press, press.table, seen=tapped.seen, returns=returns)


async def act(press: Press) -> None:
    """A button that names its act: it is played at once."""
    await _play(press, choosing.named(press.services.private, press.argument), press.argument)


async def write(press: Press) -> None:
    """A button that asks for the rest of the move in writing opens its form; the form, sent, is a typed
    move."""
    asked: list[steps.Ask] = []
    text = press.fields.get("text", "") if press.fields else None
    tapped = await _tap(press, choosing.written(press.services.private, press.argument, text, asked))
    if press.fields:
        await show_tapped(press, tapped)
        return
    [ask] = asked
    custom_id = custom_ids.modal(press.table, press.revision, "write", press.argument)
    await press.ask(choosing.form_of(ask, custom_id, press.say))


async def play(press: Press) -> None:
    """The preview is confirmed."""
    await _play(press, choosing.confirmed(press.services.private, press.argument), press.argument)


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


async def undo(press: Press) -> None:
    touch(press)
    change = await press.tables.undo(press.table, press.person, press.revision or None)
    seen = await press.tables.seen_after(change, press.person.id)
    await show_current(press, press.table, press.say("table.undone"), seen=seen)
