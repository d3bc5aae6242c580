"""The slash commands as they are to be registered with Discord, and the note of what was registered last.

Discord takes all commands or none. So a translation that it would refuse is left out beforehand, and one that
it refuses all the same is left out then: in that language the command has its English name.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import discord
import regex
from discord.http import HTTPClient, Route

from bot import private_files

log = logging.getLogger(__name__)

NAME = regex.compile(r"[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}")  # Discord's
LONGEST = 100  # characters of a description, and of a choice's name
NAMES, DESCRIPTIONS = "name_localizations", "description_localizations"
REFUSED = 50035  # Discord's code where something in a request is not as it must be
TRIES = 5  # each without what was refused in the one before

Node: TypeAlias = dict[str, Any]
Path_: TypeAlias = tuple[str, ...]
NOTE = "commands.sha256"  # in the data folder


@dataclass(frozen=True, slots=True)
class Commands:
    """payload: as Discord takes it, a command each."""

    payload: Sequence[Any]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(str(command["name"]) for command in self.payload)

    def mark(self, application: int | None) -> str:
        """Differs where anything of them does, or the application that they are registered for."""
        whole = json.dumps([application, self.payload], sort_keys=True, default=str)
        return hashlib.sha256(whole.encode()).hexdigest()


def read_note(folder: Path) -> str | None:
    """The mark of the commands that were registered last; None where there is none that can be read."""
    try:
        return (folder / NOTE).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None


def write_note(folder: Path, mark: str) -> None:
    """Raises OSError."""
    private_files.write(folder / NOTE, mark + "\n")


# ------------------------------------------------------------------------- translations


def sound(payload: Sequence[Any]) -> tuple[list[Node], list[str]]:
    """The commands without the translations that Discord would refuse: of a name that is none, too long, or
    another's beside it in that language. And what was left out, as paths."""
    commands: list[Node] = _copied(payload)
    left: list[str] = []
    for path, node in _nodes(commands):
        left += _drop_malformed(node, path)
    left += _drop_doubles(commands, ())
    for path, node in _nodes(commands):
        left += _drop_doubles(node.get("options") or (), path)
    return commands, left


def _copied(payload: Sequence[Any]) -> list[Node]:
    """Commands are JSON, which is written and read several times faster than `deepcopy` copies."""
    copied: list[Node] = json.loads(json.dumps(list(payload)))
    return copied


def _nodes(commands: Sequence[Node], above: Path_ = ()) -> Iterator[tuple[Path_, Node]]:
    """Commands, their options and the choices of these, each with the names that lead there."""
    for node in commands:
        path = (*above, str(node.get("name")))
        yield path, node
        yield from _nodes([*(node.get("options") or ()), *(node.get("choices") or ())], path)


def _drop_malformed(node: Node, path: Path_) -> Iterator[str]:
    is_choice = "value" in node
    for field in (NAMES, DESCRIPTIONS):
        said = node.get(field) or {}
        for language in list(said):
            text = said[language]
            if field == NAMES and not is_choice:
                well = NAME.fullmatch(text) is not None and text == text.lower()
            else:
                well = 1 <= len(text) <= LONGEST
            if not well:
                yield _drop(node, field, language, path)


def _drop_doubles(group: Sequence[Node], above: Path_) -> Iterator[str]:
    """Of those beside each other no two may have one name in any language; who has no translation has its
    own name there."""
    for language in sorted({one for node in group for one in node.get(NAMES) or {}}):
        taken = {node["name"] for node in group if language not in (node.get(NAMES) or {})}
        for node in group:
            name = (node.get(NAMES) or {}).get(language)
            if name is None:
                continue
            others = {one["name"] for one in group if one is not node}
            if name in taken or name in others:
                yield _drop(node, NAMES, language, (*above, str(node["name"])))
            taken.add(name)


def _drop(node: Node, field: str, language: str, path: Path_) -> str:
    del node[field][language]
    return f"{' '.join(path)}: {field} {language}"


def without_refused(payload: Sequence[Any], error: discord.HTTPException) -> tuple[list[Node], list[str]]:
    """The commands without the translations that this answer names; without any where it names none. And what
    was left out, as paths: nothing where there was nothing to leave out."""
    commands = _copied(payload)
    left: list[str] = []
    for keys in _refused(getattr(error, "_errors", None) or {}):
        place = next(place for place, key in enumerate(keys) if key in (NAMES, DESCRIPTIONS))
        node, path = _at(commands, keys[:place])
        if node is None:
            continue
        said = node.get(keys[place]) or {}
        named = [keys[place + 1]] if len(keys) > place + 1 and keys[place + 1] in said else list(said)
        left += [_drop(node, keys[place], language, path) for language in named]
    return (commands, left) if left else _without_any(commands)


def _without_any(commands: list[Node]) -> tuple[list[Node], list[str]]:
    found = [
        node[field] for _, node in _nodes(commands) for field in (NAMES, DESCRIPTIONS) if node.get(field)
    ]
    for said in found:
        said.clear()
    return commands, ["all of them"] if found else []


def _refused(errors: Mapping[str, Any], above: Path_ = ()) -> Iterator[Path_]:
    """The keys that lead to each fault of a translation."""
    for key, below in errors.items():
        if key == "_errors":
            if NAMES in above or DESCRIPTIONS in above:
                yield above
        elif isinstance(below, Mapping):
            yield from _refused(below, (*above, key))


def _at(commands: Sequence[Node], keys: Path_) -> tuple[Node | None, Path_]:
    """What keys such as "3", "options", "0" lead to, with the names on the way."""
    here: Any = commands
    path: Path_ = ()
    for key in keys:
        try:
            here = here[int(key)] if isinstance(here, Sequence) else here[key]
        except (LookupError, ValueError):
            return None, path
        if isinstance(here, dict) and "name" in here:
            path = (*path, str(here["name"]))
    return (here, path) if isinstance(here, dict) else (None, path)


# ------------------------------------------------------------------------- registering


async def register(http: HTTPClient, application: int, wanted: Sequence[Any]) -> None:
    """Have Discord take the commands, if need be without translations that it does not. What is left out is
    logged. Raises discord.HTTPException."""
    payload, left = sound(wanted)
    for _ in range(TRIES):
        if left:
            log.error("Discord does not take these translations, which are left out: %s", "; ".join(left))
        try:
            await http.bulk_upsert_global_commands(application, payload=payload)
        except discord.HTTPException as error:
            if error.code != REFUSED:
                raise
            payload, left = without_refused(payload, error)
            if not left:
                raise
        else:
            return
    await http.bulk_upsert_global_commands(application, payload=payload)


async def is_registered(http: HTTPClient, application: int, wanted: Sequence[Any]) -> bool:
    """Whether Discord has these commands already: asked where no note tells. No, where it does not say."""
    route = Route("GET", "/applications/{application_id}/commands", application_id=application)
    try:
        there = await http.request(route, params={"with_localizations": "true"})
    except discord.HTTPException:
        return False
    return is_same(there, wanted)


def is_same(there: Sequence[Any], wanted: Sequence[Any]) -> bool:
    """Whether what Discord tells, translations included, are these commands."""
    return len(there) == len(wanted) and _told(there) == _told(sound(wanted)[0])


def _told(commands: Sequence[Any]) -> dict[tuple[int, str], Any]:
    """What of commands is ours to say, in one form: Discord adds to them, and leaves out what is usual."""
    return {(node.get("type") or 1, str(node.get("name"))): _form(node) for node in commands}


# what Discord adds; what may be left out
ADDED = frozenset({"id", "application_id", "version", "guild_id", "dm_permission", "name_localized"})
PERMISSIONS = "default_member_permissions"  # which are taken as a number, and told as a text
USUAL: tuple[object, ...] = (None, False, [], {}, "")


def _form(node: Any) -> Any:
    match node:
        case dict():
            kept = {key: _form(value) for key, value in node.items() if key not in ADDED}
            kept |= {key: sorted(kept[key]) for key in ("contexts", "integration_types") if kept.get(key)}
            kept |= {key: str(kept[key]) for key in (PERMISSIONS,) if kept.get(key) is not None}
            return {key: value for key, value in kept.items() if value not in USUAL and key != "type"} | (
                {"type": node.get("type") or 1} if "name" in node and "value" not in node else {}
            )
        case list() | tuple():
            return [_form(one) for one in node]
        case _:
            return node
