"""Text as its readers see it: in letters, which are often several code points, and cut between them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Final

import regex

ELLIPSIS: Final = "…"

_LETTER: Final = regex.compile(r"\X")


def letters(text: str) -> list[str]:
    """What a reader takes for letters, in order: the extended grapheme clusters of UAX 29."""
    return _LETTER.findall(text)


def units(text: str) -> int:
    """Length in UTF-16 units, the way Discord counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def figures(number: int) -> str:
    """A whole number as it is read: below nought with the minus sign, which is as wide as a plus, where
    notation and records have a hyphen."""
    return str(number).replace("-", "\N{MINUS SIGN}")


def cut(text: str, most: int, size: Callable[[str], int] = units) -> str:
    """The text in at most `most` (1 or more) UTF-16 units, or of what else `size` counts (at least 1 a code
    point), cut between letters and ended with an ellipsis where it is longer."""
    if size(text) <= most:
        return text
    ends = [0, *(found.end() for found in _LETTER.finditer(text[:most]))]
    fitting = bisect_right(ends, most - 1, key=lambda end: size(text[:end]))
    return text[: ends[fitting - 1]].rstrip() + ELLIPSIS


def abridged(parts: Sequence[str], kept: int) -> str:
    """So many of these letters: the first and, fewer, the last, with an ellipsis for those between."""
    tail = kept * 2 // 5
    return "".join(parts[: kept - tail]).rstrip() + ELLIPSIS + "".join(parts[len(parts) - tail :]).lstrip()


def shortened(name: str, most: int, size: Callable[[str], int] = units) -> str:
    """A name in at most `most` of its size, as `cut` counts it: a longer one gives way in its middle, for its
    end may be what tells it from others."""
    if size(name) <= most:
        return name
    parts = letters(name)
    fitting = bisect_right(range(len(parts)), most, key=lambda kept: size(abridged(parts, kept)))
    return abridged(parts, max(fitting - 1, 0))
