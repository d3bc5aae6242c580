"""What Discord refuses although every field by itself is right: sums, duplicates, fields at odds.

Each function takes a body whose shape fits already (see `requests`) and gives its faults as sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tests.discord.components import Json

EPHEMERAL, IS_V2 = 1 << 6, 1 << 15
ROW, BUTTON, STRING_SELECT, TEXT = 1, 2, 3, 10
SELECTS = frozenset({3, 5, 6, 7, 8})
OLD_KINDS = frozenset(range(1, 9))  # components that stand beside content and embeds
LINK, PREMIUM = 5, 6  # styles of buttons that carry no custom id
MIB = 1 << 20
FILE_LIMIT = 10 * MIB  # where the interaction or the server names no other
REQUEST_LIMIT = 25 * MIB
COMMANDS_OF_A_KIND = {1: 100, 2: 15, 3: 15, 4: 1}


def check_files(sizes: Sequence[int], limit: int = FILE_LIMIT) -> list[str]:
    """Faults of the uploads of one request.

    sizes: bytes of each file. limit: bytes one file may have (an interaction names its own).
    """
    found = [
        f"file {number} has {size} bytes, at most {limit} (50045)"
        for number, size in enumerate(sizes)
        if size > limit
    ]
    if len(sizes) > 10:
        found.append(f"{len(sizes)} files, at most 10 (30015)")
    if sum(sizes) > REQUEST_LIMIT:
        found.append(f"{sum(sizes)} bytes in one request, at most {REQUEST_LIMIT} (40005)")
    return found


def check_message(message: Json, *, edit: bool) -> list[str]:
    """Faults of a message sent, or with `edit` of a change to one (it keeps what it does not name)."""
    found: list[str] = []
    parts = list(_walk(message.get("components")))
    embeds = message.get("embeds") or ()
    if int(message.get("flags") or 0) & IS_V2:
        found += [
            f"{name} may not go with Components V2"
            for name in ("content", "embeds", "poll", "sticker_ids")
            if message.get(name)
        ]
        if len(parts) > 40:
            found.append(f"{len(parts)} components, nested ones included, at most 40")
        text = sum(len(part.get("content") or "") for part in parts if part.get("type") == TEXT)
        if text > 4000:
            found.append(f"{text} characters of text display, at most 4000")
    else:
        if len(message.get("content") or "") > 2000:
            found.append("content is over 2000 characters")
        if len(message.get("components") or ()) > 5:
            found.append("over 5 action rows without Components V2")
        new = {part["type"] for part in parts} - OLD_KINDS
        if new and not edit:  # an edit keeps the flag of the message it edits
            found.append(f"component types {sorted(new)} need the flag of Components V2 ({IS_V2})")
        if not edit and not any(
            message.get(name)
            for name in ("content", "embeds", "components", "poll", "sticker_ids", "attachments")
        ):
            found.append("an empty message (50006)")
    for answer in (message.get("poll") or {}).get("answers") or ():
        if len((answer.get("poll_media") or {}).get("text") or "") > 55:
            found.append("a poll's answer is over 55 characters")
    total = sum(map(_embed_size, embeds))
    if total > 6000:
        found.append(f"{total} characters over all embeds, at most 6000")
    return found + _check_parts(parts)


def check_modal(modal: Json) -> list[str]:
    """Faults of a modal's data."""
    tops = modal.get("components") or ()
    found = [f"{len(tops)} top-level components in a modal, at most 5"] if len(tops) > 5 else []
    return found + _check_parts(list(_walk(tops)))


def check_commands(commands: Sequence[Json]) -> list[str]:
    """Faults of a whole list of application commands."""
    found = [
        f"command {command['name']!r} has {size} characters in all, at most 8000"
        for command in commands
        if (size := _command_size(command)) > 8000
    ]
    seen = Counter((command.get("type") or 1, command.get("name")) for command in commands)
    found += [f"command {name!r} is listed {times} times" for (_, name), times in seen.items() if times > 1]
    kinds = Counter(command.get("type") or 1 for command in commands)
    return found + [
        f"{kinds[kind]} commands of type {kind}, at most {most}"
        for kind, most in COMMANDS_OF_A_KIND.items()
        if kinds[kind] > most
    ]


def _walk(components: Any) -> Iterator[Json]:
    """Every component, those inside others too."""
    for part in components or ():
        yield part
        if "components" in part:
            yield from _walk(part["components"])
        for key in ("accessory", "component"):
            if part.get(key):
                yield from _walk((part[key],))


def _check_parts(parts: list[Json]) -> list[str]:
    found: list[str] = []
    ids = [part["custom_id"] for part in parts if part.get("custom_id")]
    if len(set(ids)) < len(ids):
        found += [
            f"custom_id {name!r} is used {times} times" for name, times in Counter(ids).items() if times > 1
        ]
    for part in parts:
        kind = part.get("type")
        if kind == ROW:
            inner = [each.get("type") for each in part.get("components") or ()]
            if len(inner) != 1 and any(each != BUTTON for each in inner):
                found.append("an action row holds up to 5 buttons or one select")
        elif kind == BUTTON:
            found += _check_button(part)
        elif kind == STRING_SELECT:
            found += _check_options(part)
        if kind in SELECTS and _bound(part, "min_values", 0) > _bound(part, "max_values", 1):
            found.append("select min_values is over max_values")
    return found


def _bound(part: Json, name: str, default: int) -> int:
    return int(part.get(name) or default)


def _check_button(button: Json) -> list[str]:
    found = []
    style = button.get("style")
    if style == LINK:
        right = button.get("url") and not button.get("custom_id") and not button.get("sku_id")
    elif style == PREMIUM:
        right = button.get("sku_id") and not button.get("custom_id") and not button.get("url")
    else:
        right = button.get("custom_id") and not button.get("url") and not button.get("sku_id")
    if not right:
        found.append(f"a button of style {style} takes one of custom_id, url, sku_id: that of its style")
    if style != PREMIUM and not button.get("label") and not button.get("emoji"):
        found.append("a button needs a label or an emoji")
    return found


def _check_options(select: Json) -> list[str]:
    options = select.get("options") or ()
    values = [option.get("value") for option in options]
    found = []
    if len(set(values)) < len(values):
        found += [
            f"select value {value!r} is listed {times} times"
            for value, times in Counter(values).items()
            if times > 1
        ]
    if sum(bool(option.get("default")) for option in options) > _bound(select, "max_values", 1):
        found.append("more default options than max_values")
    return found


def _embed_size(embed: Json) -> int:
    """The characters of an embed that count towards 6000."""
    return (
        len(embed.get("title") or "")
        + len(embed.get("description") or "")
        + len((embed.get("footer") or {}).get("text") or "")
        + len((embed.get("author") or {}).get("name") or "")
        + sum(
            len(field.get("name") or "") + len(field.get("value") or "")
            for field in embed.get("fields") or ()
        )
    )


def _command_size(node: Json) -> int:
    """Name, description and value of a command, its options and choices (default language only)."""
    own = sum(len(node[key]) for key in ("name", "description", "value") if isinstance(node.get(key), str))
    return own + sum(_command_size(child) for key in ("options", "choices") for child in node.get(key) or ())
