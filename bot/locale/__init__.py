"""Message catalogues: every word a person reads, by key and language.

A catalogue is the set of `.po` files in `bot/locale/<language>/`, one per domain (a
game, or `common`, `cli`, `tables`, …), and in the same folder of every package that a game names for its
texts (`bot/rules/registry.py`). A message id is a key such as `lobby.join`; its text has
`{name}` places in the manner of `str.format`, which are filled by value only (no attribute or
index access). Plurals use gettext's `msgid_plural` (any text, usually the key again) and choose by the
value `n`. English is the language in which every key exists; the others are held complete by a test.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from functools import cache, partial
from gettext import GNUTranslations
from importlib import resources
from io import BytesIO
from typing import Any

from babel.dates import get_timezone_location
from babel.lists import format_list
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from bot.rules.registry import GAMES
from bot.text import figures

LANGUAGES = ("en", "de")
DEFAULT = "en"


class _PlainFormatter(string.Formatter):
    """`{name}` only: no attributes, indexes, conversions or format specs. Whole numbers as they are read."""

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return kwargs[field_name], field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        return figures(value) if isinstance(value, int) else super().format_field(value, format_spec)


_FORMATTER = _PlainFormatter()


def _catalogue(language: str) -> tuple[GNUTranslations, frozenset[str]]:
    """One language's texts and the keys it has. Raises ValueError for a key that two domains define."""
    return _merged(language, frozenset([__name__, *[parts.texts for parts in GAMES.values()]]))


@cache
def _merged(language: str, packages: frozenset[str]) -> tuple[GNUTranslations, frozenset[str]]:
    merged = Catalog(locale=language)
    keys: set[str] = set()
    folders = [resources.files(package).joinpath(language) for package in sorted(packages)]
    entries = [entry for folder in folders if folder.is_dir() for entry in folder.iterdir()]
    for entry in sorted(entries, key=lambda e: e.name):
        if not entry.name.endswith(".po"):
            continue
        with entry.open("rb") as file:
            domain = read_po(file, locale=language, abort_invalid=True)
        for message in domain:
            texts = (message.string,) if isinstance(message.string, str) else message.string
            if not message.id or not texts or not all(texts):
                continue
            key = message.id if isinstance(message.id, str) else message.id[0]
            if key in keys:
                raise ValueError(f"{language}: key {key} is defined twice")
            keys.add(key)
            merged.add(message.id, message.string)
    binary = BytesIO()
    write_mo(binary, merged)
    binary.seek(0)
    return GNUTranslations(binary), frozenset(keys)


def text(language: str, key: str, /, **values: object) -> str:
    """The text of `key` in `language`, its places filled; the plural form by the value `n`.

    Falls back to English where a language lacks the key. Raises KeyError for a key that no
    catalogue has, or a place without a value: both are faults of ours and tests find them.
    """
    translations, known = _catalogue(language)
    if key not in known:
        translations, known = _catalogue(DEFAULT)
        if key not in known:
            raise KeyError(key)
    n = values.get("n")
    found = translations.ngettext(key, key, n) if isinstance(n, int) else translations.gettext(key)
    if found == key:  # a text without plural forms, though a value is called n (or the reverse)
        found = translations.gettext(key)
    return _FORMATTER.vformat(found, (), values)


def sayer(language: str) -> Callable[..., str]:
    """`text` bound to one language: what the rest of the code calls `say`. One for
    each language."""
    return _sayer(match(language))


@cache
def _sayer(language: str) -> Callable[..., str]:
    return partial(text, language)


def match(tag: str | None) -> str:
    """The language we have that comes nearest to a locale tag such as `de`, `en-GB`, `es-ES` or `pt-BR`."""
    if not tag:
        return DEFAULT
    base = tag.replace("_", "-").split("-", 1)[0].lower()
    return base if base in LANGUAGES else DEFAULT


def keys(language: str) -> frozenset[str]:
    return _catalogue(language)[1]


def city(language: str, zone: tzinfo | None) -> str:
    """The place that a time zone is called by, in that language."""
    name = str(zone)
    return get_timezone_location(name, locale=language, return_city=True) if "/" in name else name


def listing(language: str, items: Sequence[str]) -> str:
    """`a, b and c` in that language."""
    return str(format_list(list(items), style="standard", locale=language)) if items else ""
