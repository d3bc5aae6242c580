"""A message as a value: what it says, shows and offers, free of Discord's classes.

Surfaces (lobby, table, hand, steps, …) are functions that give a `Page`; `render` is the one
place that turns a page into Components V2 and its files. Text is Discord Markdown: names in it have
gone through `wording.plain`.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import discord

from bot.text import cut, units
from rendering.scene import Picture

TEXT_LIMIT = 4000  # characters over all text of one message
COMPONENTS = 40  # of one message, nested ones too
ROW = 5  # buttons
OPTIONS = 25
LABEL = 80
OPTION_TEXT = 100
ALT = 1024
FORM_TEXT = 45  # characters of a form's title and labels

Style = Literal["primary", "secondary", "success", "danger"]
_STYLES = {
    "primary": discord.ButtonStyle.primary,
    "secondary": discord.ButtonStyle.secondary,
    "success": discord.ButtonStyle.success,
    "danger": discord.ButtonStyle.danger,
}


@dataclass(frozen=True, slots=True)
class Text:
    content: str


@dataclass(frozen=True, slots=True)
class Gallery:
    pictures: tuple[Picture, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A file to download."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Rule:
    """A dividing line."""


@dataclass(frozen=True, slots=True)
class Button:
    label: str
    id: str
    style: Style = "secondary"
    emoji: str = ""
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a select."""

    label: str
    value: str
    description: str = ""
    emoji: str = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Select:
    """A menu of 1 to 25 entries of which one is chosen, or up to `most`."""

    id: str
    placeholder: str
    entries: tuple[Entry, ...]
    most: int = 1


@dataclass(frozen=True, slots=True)
class People:
    """A menu of everybody whom Discord offers, of whom up to `most` may be chosen."""

    id: str
    placeholder: str
    most: int = 1


@dataclass(frozen=True, slots=True)
class Buttons:
    """Buttons, laid in rows of five."""

    buttons: tuple[Button | Link, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """A form of one line to write in. least and most: characters. What is sent is the field `text`."""

    id: str
    title: str
    line: str
    hint: str = ""
    least: int = 1
    most: int = 100


Block: TypeAlias = "Text | Gallery | Document | Rule | Buttons | Select | People"


@dataclass(frozen=True, slots=True)
class Page:
    """blocks from top to bottom; accent: colour of the edge, 0xRRGGBB. mentions: the users whom the
    text may ping, when it is sent (never when it is edited). silent: whether it is sent without a sound."""

    blocks: tuple[Block, ...]
    accent: int | None = None
    mentions: tuple[int, ...] = ()
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """A page in discord.py's classes. Files are read once: make new parts for each call."""

    view: discord.ui.LayoutView
    files: list[discord.File]
    mentions: tuple[int, ...] = ()
    silent: bool = False


def room(blocks: Sequence[Block]) -> int:
    """How many components may still stand beside these; negative where they are too many."""
    used = 1  # what holds them
    for block in blocks:
        match block:
            case Buttons(buttons):
                used += len(buttons) + -(-len(buttons) // ROW)
            case Select() | People():
                used += 2
            case _:
                used += 1
    return COMPONENTS - used


def page(
    *blocks: Block | Iterable[Block] | None, accent: int | None = None, mentions: Sequence[int] = ()
) -> Page:
    """A page of the blocks that are there (None is left out, iterables are laid flat)."""
    flat: list[Block] = []
    for block in blocks:
        if block is None:
            continue
        if isinstance(block, Text | Gallery | Document | Rule | Buttons | Select | People):
            flat.append(block)
        else:
            flat.extend(block)
    return Page(tuple(flat), accent, tuple(mentions))


def with_end(page: Page, end: Sequence[Block]) -> Page | None:
    """The page with these blocks below; None where no message holds as much."""
    longer = replace(page, blocks=(*page.blocks, *end))
    return longer if room(longer.blocks) >= 0 else None


def note(content: str, *more: Block | None) -> Page:
    """A short answer."""
    return page(Text(content), *more)


def render(page: Page) -> Parts:
    """Components V2 and files of a page. Raises ValueError for a page no message can hold (discord.py
    itself counts the components: 40)."""
    view = discord.ui.LayoutView(timeout=None)
    files: list[discord.File] = []
    room = TEXT_LIMIT
    items: list[discord.ui.Item[Any]] = []
    for block in page.blocks:
        match block:
            case Text(content):
                if content and room > 0:
                    shown = cut(content, room)
                    room -= units(shown)
                    items.append(discord.ui.TextDisplay(shown))
            case Gallery(pictures):
                if pictures:
                    items.append(_gallery(pictures, files))
            case Document(name, data):
                files.append(discord.File(io.BytesIO(data), name))
                items.append(discord.ui.File(f"attachment://{name}"))
            case Rule():
                items.append(discord.ui.Separator())
            case Buttons(buttons):
                for start in range(0, len(buttons), ROW):
                    items.append(discord.ui.ActionRow(*(_button(b) for b in buttons[start : start + ROW])))
            case Select():
                items.append(discord.ui.ActionRow(_select(block)))
            case People():
                items.append(discord.ui.ActionRow(_people(block)))
    if not items:
        raise ValueError("a page without anything on it")
    view.add_item(discord.ui.Container(*items, accent_colour=page.accent))
    # Clicks are taken by the dynamic items. A stopped view is not kept in discord.py's view store,
    # where each would stay for good.
    view.stop()
    return Parts(view, files, page.mentions, page.silent)


def _gallery(pictures: Sequence[Picture], files: list[discord.File]) -> discord.ui.MediaGallery[Any]:
    gallery: discord.ui.MediaGallery[Any] = discord.ui.MediaGallery()
    for picture in pictures:
        alt = cut(picture.alt, ALT)
        files.append(discord.File(io.BytesIO(picture.png), picture.name, description=alt))
        gallery.add_item(media=f"attachment://{picture.name}", description=alt)
    return gallery


def _button(button: Button | Link) -> discord.ui.Button[Any]:
    if isinstance(button, Link):
        return discord.ui.Button(label=cut(button.label, LABEL), url=button.url)
    return discord.ui.Button(
        label=cut(button.label, LABEL),
        custom_id=button.id,
        style=_STYLES[button.style],
        emoji=button.emoji or None,
        disabled=button.disabled,
    )


def _select(select: Select) -> discord.ui.Select[Any]:
    if not 1 <= len(select.entries) <= OPTIONS:
        raise ValueError(f"a menu of {len(select.entries)} entries")
    menu: discord.ui.Select[Any] = discord.ui.Select(
        custom_id=select.id,
        # Of its own, not its place on the page: where another menu takes this one's place, a client must
        # not take an entry of the same value for chosen there. Far above the ids given by place.
        id=0x1000 + int(hashlib.sha256(select.id.encode()).hexdigest()[:7], 16),
        placeholder=cut(select.placeholder, 150),
        min_values=1,
        max_values=select.most,
    )
    for entry in select.entries:
        menu.add_option(
            label=cut(entry.label, OPTION_TEXT),
            value=entry.value,
            description=cut(entry.description, OPTION_TEXT) or None,
            emoji=entry.emoji or None,
            default=entry.chosen,
        )
    return menu


def _people(menu: People) -> discord.ui.UserSelect[Any]:
    return discord.ui.UserSelect(
        custom_id=menu.id, placeholder=cut(menu.placeholder, 150), min_values=1, max_values=menu.most
    )


def modal(form: Form) -> discord.ui.Modal:
    """A form in discord.py's classes."""
    shown = discord.ui.Modal(title=cut(form.title, FORM_TEXT), custom_id=form.id)
    line: discord.ui.TextInput[Any] = discord.ui.TextInput(
        custom_id="text",
        placeholder=cut(form.hint, 100) or None,
        min_length=form.least,
        max_length=form.most,
    )
    shown.add_item(discord.ui.Label(text=cut(form.line, FORM_TEXT), component=line))
    shown.stop()  # as with views: sent forms are taken in the client's `on_interaction`
    return shown
