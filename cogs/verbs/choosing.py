"""What the controls of a move stand for: the same on a table's private page and on that of a lesson.

Each function gives the `Resolve` of one control, asked of what its player sees. All raise Outdated for a
control that was made for another step than the one that is open.
"""

from __future__ import annotations

from dataclasses import replace

from bot.rules.game import Say
from bot.tables.model import Seen
from bot.tables.taps import Chosen, Played, Resolve, Tried
from cogs.delivery.private_pages import OpenStep, PrivatePages
from cogs.input.errors import Outdated
from cogs.surfaces import steps
from cogs.surfaces.components import Form


def open_step(pages: PrivatePages, seen: Seen, mark: str) -> OpenStep:
    """The step that a control was made for, if it is still the one that is open."""
    found = pages.open_step(seen)
    if steps.digest(found.draft) != steps.read_mark(mark)[0]:
        raise Outdated
    return found


def grown(pages: PrivatePages, mark: str, values: tuple[str, ...], *, quick: bool = False) -> Resolve:
    """Entries, or a button that leads on: the draft grows by them. quick: whether a whole move that can be
    taken back is played at once."""

    def grow(seen: Seen) -> Chosen | Tried:
        before = open_step(pages, seen, mark)
        assert seen.view is not None
        draft = steps.choose(pages.step_of(seen.table), seen.view, before.draft, values)
        if draft is None:
            raise Outdated
        # Who goes on from a whole move puts several together on purpose.
        if quick and not before.step.move:
            move = pages.open_step(replace(seen, draft=draft)).step.move
            return Tried(move, draft) if move else Chosen(draft)
        return Chosen(draft)

    return grow


def shrunk(pages: PrivatePages, mark: str) -> Resolve:
    """Back to the last real choice."""

    def shrink(seen: Seen) -> Chosen:
        before = open_step(pages, seen, mark).before
        if before is None:
            raise Outdated
        return Chosen(before)

    return shrink


def named(pages: PrivatePages, argument: str) -> Resolve:
    """A button that names its act: it is played at once."""
    mark, _, value = argument.partition(".")

    def name(seen: Seen) -> Played:
        choice = open_step(pages, seen, mark).step.choice(value)
        if choice is None or not choice.act:
            raise Outdated
        return Played(choice.draft)

    return name


def written(pages: PrivatePages, argument: str, text: str | None, asked: list[steps.Ask]) -> Resolve:
    """A button that asks for the rest of the move in writing, or its form, sent, which is a typed move. text:
    what was written; None while it is only asked. asked: gets what the button asks."""
    mark, _, value = argument.partition(".")

    def write(seen: Seen) -> Tried | None:
        ask = open_step(pages, seen, mark).step.ask(value)
        if ask is None:
            raise Outdated
        asked.append(ask)
        return None if text is None else Tried(ask.before + text, written=True)

    return write


def confirmed(pages: PrivatePages, mark: str) -> Resolve:
    """The preview is confirmed."""

    def confirm(seen: Seen) -> Played:
        step = open_step(pages, seen, mark).step
        if not step.move:
            raise Outdated
        return Played(step.move, then=step.then)

    return confirm


def form_of(ask: steps.Ask, custom_id: str, say: Say) -> Form:
    return Form(
        custom_id,
        steps.said(ask.title, say),
        steps.said(ask.line, say),
        steps.said(ask.hint, say),
        ask.least,
        ask.most,
    )
