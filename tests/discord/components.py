"""Message and modal components: walking them, completing them as Discord does, and flattening them for tests.

Works for legacy rows and Components V2 alike. Nothing here knows about sockets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
Unfurl = Callable[[str], tuple[Json, Any]]  # address -> (media, the attachment it shows, if any)

ROW, BUTTON, STRING_SELECT, TEXT_INPUT = 1, 2, 3, 4
ENTITY_SELECTS = {5: "user", 6: "role", 7: "mentionable", 8: "channel"}
SELECTS = {STRING_SELECT: "string", **ENTITY_SELECTS}
SECTION, TEXT, THUMBNAIL, GALLERY, FILE, SEPARATOR, CONTAINER, LABEL = 9, 10, 11, 12, 13, 14, 17, 18
FILE_UPLOAD, RADIO, CHECKBOX_GROUP, CHECKBOX = 19, 21, 22, 23
LINK_STYLE = 5
DEFAULTS: dict[int, Json] = {
    BUTTON: {"style": 1},
    STRING_SELECT: {"min_values": 1, "max_values": 1, "options": []},
    **{kind: {"min_values": 1, "max_values": 1} for kind in ENTITY_SELECTS},
    THUMBNAIL: {"description": None, "spoiler": False},
    FILE: {"spoiler": False},
    SEPARATOR: {"divider": True, "spacing": 1},
    CONTAINER: {"accent_color": None, "spoiler": False},
}


def walk(components: Iterable[Json] | None) -> Iterator[Json]:
    """Every component, parents before children, in display order."""
    for component in components or ():
        yield component
        yield from walk(component.get("components"))
        for key in ("accessory", "component"):
            if component.get(key):
                yield from walk([component[key]])


def media_holders(components: Iterable[Json] | None) -> Iterator[tuple[Json, str]]:
    """(dict, key) pairs whose value is a media item {"url": …}."""
    for component in walk(components):
        if component["type"] == GALLERY:
            yield from ((item, "media") for item in component["items"])
        elif component["type"] == THUMBNAIL:
            yield component, "media"
        elif component["type"] == FILE:
            yield component, "file"


def complete(components: list[Json], unfurl: Unfurl) -> list[Json]:
    """Fill in what Discord adds: numeric ids, defaults, unfurled media.

    `unfurl(url)` gives (media dict, attachment).
    """
    taken = {c["id"] for c in walk(components) if c.get("id")}
    fresh = (n for n in range(1, 10_000) if n not in taken)
    for component in walk(components):
        component["id"] = component.get("id") or next(fresh)
        for key, value in DEFAULTS.get(component["type"], {}).items():
            component.setdefault(key, value)
        if component["type"] in SELECTS:
            component.pop("required", None)  # means something in modals only
        for item in component.get("items") or ():
            item.setdefault("description", None)
            item.setdefault("spoiler", False)
    for holder, key in media_holders(components):
        media, attachment = unfurl(holder[key]["url"])
        holder[key] = media
        if holder.get("type") == FILE:
            holder["name"] = attachment.filename if attachment else media["url"].rsplit("/", 1)[-1]
            holder["size"] = len(attachment.data) if attachment else 0
    return components


# -- flat views, for tests ----------------------------------------------------------------
@dataclass(frozen=True)
class Button:
    label: str | None
    custom_id: str | None
    style: int
    disabled: bool
    url: str | None = None
    emoji: str | None = None
    component_id: int = 0


@dataclass(frozen=True)
class Option:
    label: str
    value: str
    description: str | None = None
    default: bool = False
    emoji: str | None = None


@dataclass(frozen=True)
class Select:
    custom_id: str
    kind: str  # string user role mentionable channel
    placeholder: str | None
    disabled: bool
    min_values: int
    max_values: int
    options: tuple[Option, ...] = ()
    component_id: int = 0
    type: int = STRING_SELECT


@dataclass
class Field:
    """One input of a modal."""

    custom_id: str
    type: int
    label: str | None
    description: str | None
    required: bool
    minimum: int | None
    maximum: int | None
    default: Any = None
    placeholder: str | None = None
    options: tuple[Option, ...] = ()


@dataclass
class Modal:
    custom_id: str
    title: str
    fields: list[Field] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    raw: list[Json] = field(default_factory=list)
    source: Any = None  # the interaction that opened it

    def field(self, name: str) -> Field:
        """By custom_id, else by label."""
        for key in ("custom_id", "label"):
            for entry in self.fields:
                if getattr(entry, key) == name:
                    return entry
        raise LookupError(
            f"modal {self.title!r} has no field {name!r}; it has {[f.custom_id for f in self.fields]}"
        )


def _emoji(component: Json) -> str | None:
    emoji = component.get("emoji") or {}
    return emoji.get("name")


def _options(component: Json) -> tuple[Option, ...]:
    return tuple(
        Option(o["label"], o["value"], o.get("description"), bool(o.get("default")), _emoji(o))
        for o in component.get("options") or ()
    )


def buttons(components: Iterable[Json] | None) -> list[Button]:
    return [
        Button(
            c.get("label"),
            c.get("custom_id"),
            c.get("style", 1),
            bool(c.get("disabled")),
            c.get("url"),
            _emoji(c),
            c.get("id", 0),
        )
        for c in walk(components)
        if c["type"] == BUTTON
    ]


def selects(components: Iterable[Json] | None) -> list[Select]:
    return [
        Select(
            c["custom_id"],
            SELECTS[c["type"]],
            c.get("placeholder"),
            bool(c.get("disabled")),
            c.get("min_values", 1),
            c.get("max_values", 1),
            _options(c),
            c.get("id", 0),
            c["type"],
        )
        for c in walk(components)
        if c["type"] in SELECTS
    ]


def texts(components: Iterable[Json] | None) -> list[str]:
    return [c["content"] for c in walk(components) if c["type"] == TEXT]


def alt_texts(components: Iterable[Json] | None) -> list[str | None]:
    """Descriptions of gallery items and thumbnails, in order (None where absent)."""
    return [holder.get("description") for holder, key in media_holders(components) if key == "media"]


def parse_modal(data: Json, source: Any = None) -> Modal:
    modal = Modal(data["custom_id"], data["title"], raw=data["components"], source=source)
    for top in data["components"]:
        if top["type"] == TEXT:
            modal.texts.append(top["content"])
        inner = top.get("components") or ([top["component"]] if top.get("component") else [])
        modal.fields += [_field(c, top) for c in inner]
    return modal


def _field(component: Json, holder: Json) -> Field:
    bounds = ("min_length", "max_length") if component["type"] == TEXT_INPUT else ("min_values", "max_values")
    default = component.get("value")
    if component.get("options"):
        default = [o.value for o in _options(component) if o.default]
    elif component["type"] == CHECKBOX:
        default = bool(component.get("default"))
    required = component.get("required", component["type"] != CHECKBOX)
    return Field(
        component["custom_id"],
        component["type"],
        component.get("label") or holder.get("label"),
        holder.get("description"),
        bool(required),
        component.get(bounds[0]),
        component.get(bounds[1]),
        default,
        component.get("placeholder"),
        _options(component),
    )
