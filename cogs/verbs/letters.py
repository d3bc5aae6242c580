"""What a notice by direct message offers: to be told again later, or no more."""

from __future__ import annotations

from bot.tables import rhythm
from bot.tables.model import Letter
from cogs.input.press import Press
from cogs.surfaces.components import Page
from cogs.surfaces.notices import put_off_page, stopped_page
from cogs.surfaces.wording import at_and_in


async def later(press: Press) -> None:
    """Whatever waits for this person is told again after a while."""
    user, shown, notices = press.person.id, press.services.shown, press.services.notices
    letter = await shown.letter(user)
    if (await press.tables.user(user)).notices == "none":  # chosen since
        await shown.letter_read(user)
        await _answer(press, letter, stopped_page(press.say))
        return
    until = press.services.clock.now() + rhythm.LATER
    await shown.put_off(user, until)
    # where nothing waits any more it may be anything's time
    when = await notices.next_at(user) or rhythm.after_quiet(until, await press.tables.user(user))
    await notices.settings_changed(user)
    said = press.say("letter.later.said", when=at_and_in(when))
    await _answer(press, letter, put_off_page(said, press.say))


async def stop(press: Press) -> None:
    """No more notices, on any way: where the channel was chosen and one came by direct message, its table has
    no channel."""
    user, shown = press.person.id, press.services.shown
    letter = await shown.letter(user)
    await press.tables.set_user(user, notices="none")
    await shown.letter_read(user)
    await press.services.notices.settings_changed(user)
    await _answer(press, letter, stopped_page(press.say))


async def _answer(press: Press, letter: Letter, page: Page) -> None:
    """In place of the letter; beside a private page, whose keeper takes the controls off."""
    if press.argument and letter.message is None and letter.tables:
        press.services.repaints.look_at_hands(letter.tables[0])
    if press.argument or not press.answer.can_update:
        await press.show(page)
    else:
        await press.services.panels.part(press.answer, page)
