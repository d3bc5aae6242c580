"""Display names, which are other people's input: the one place where they are cleaned.

What shows nothing or changes what stands around it goes: controls, direction and format marks, tags, fillers,
variations of what has none, and all but a few combining marks on one letter. The signs that mark a seat which
a machine plays, and the host's, are no part of any person's name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

MACHINE = "⚙"  # in the catalogues' labels of machines' seats, and nowhere else
HOST = "⌂"  # in the catalogues' label of the host, and nowhere else
_RESERVED = frozenset("\u2699\u26ed\u26ee\U0001f6de\u2302\U0001f3e0\U0001f3e1")  # they, and what looks so
BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and symbols that show nothing
_INVISIBLE = frozenset("\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f")  # marks that show nothing
MOST_MARKS = 3  # combining marks on one letter
_ZWNJ, _ZWJ = "\u200c", "\u200d"
_STYLES = "\ufe0e\ufe0f"  # text or emoji
_KEYCAPS = frozenset("0123456789#*")


def clean(name: str) -> str:
    """The name on one line, without what a name has no need of; "" where nothing is left."""
    kept: list[str] = []
    whole = name.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    letters = unicodedata.normalize("NFC", whole)
    marks = 0
    for at, letter in enumerate(letters):
        kind = unicodedata.category(letter)
        before = kept[-1] if kept else " "
        after = letters[at + 1] if at + 1 < len(letters) else " "
        if letter in BLANKS or letter.isspace() or kind in {"Zs", "Zl", "Zp"}:
            letter = " "  # noqa: PLW2901
            if before == " ":
                continue
        elif letter in _RESERVED or letter in _INVISIBLE or not _needed(letter, kind, before, after):
            continue
        if kind in {"Mn", "Me"} and letter not in _STYLES:
            marks += 1
            if marks > MOST_MARKS:
                continue
        elif kind != "Mc":
            marks = 0
        kept.append(letter)
    return "".join(kept).strip()


def _needed(letter: str, kind: str, before: str, after: str) -> bool:
    if letter == _ZWJ and _pictured(before):
        return unicodedata.category(after) == "So"
    if letter in {_ZWNJ, _ZWJ}:
        return _joining(before) and _joining(after)
    if letter in _STYLES:
        return unicodedata.category(before) in {"So", "Sm", "Po"} or before in _KEYCAPS
    if 0xFE00 <= ord(letter) <= 0xFE0F or 0xE0100 <= ord(letter) <= 0xE01EF:
        return False
    if kind in {"Mn", "Me", "Mc"}:
        return before != " "  # it would sit on what stands before the name
    return kind not in {"Cc", "Cf", "Cs", "Cn"}


def _pictured(letter: str) -> bool:
    return letter in _STYLES or unicodedata.category(letter) in {"So", "Sk"}


def _joining(letter: str) -> bool:
    """Of a script in which letters join: Arabic to Mongolian, the scripts of India among them."""
    return 0x0600 <= ord(letter) <= 0x18AF and unicodedata.category(letter)[0] in "LM"


def seen(name: str) -> bool:
    """Whether anything of it can be seen."""
    return any(unicodedata.category(letter)[0] in "LNPS" for letter in name)


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, most: int, size: Callable[[str], int] = units) -> str:
    """The text in at most so many UTF-16 units, or what else `size` counts (at least 1 a letter), cut
    between letters."""
    if size(text) <= most:
        return text
    end = min(len(text), most - 1)
    while end and size(text[:end]) > most - 1:
        end -= 1
    while end and _goes_on(text, end):
        end -= 1
    return text[:end].rstrip() + "…"


def _goes_on(text: str, at: int) -> bool:
    """Whether the letter at this place belongs to the one before."""
    letter = text[at] if at < len(text) else " "
    return (
        unicodedata.category(letter) in {"Mn", "Mc", "Me"}
        or letter in {_ZWJ, _ZWNJ}
        or text[at - 1] == _ZWJ
        or 0x1F3FB <= ord(letter) <= 0x1F3FF
        or (0x1F1E6 <= ord(letter) <= 0x1F1FF and _flags(text, at) % 2 == 1)
    )


def _flags(text: str, at: int) -> int:
    """Regional indicators right before this place."""
    count = 0
    while at > count and 0x1F1E6 <= ord(text[at - count - 1]) <= 0x1F1FF:
        count += 1
    return count


NAME_LENGTH = 100  # of a stored display name; Discord's own limit is 32


def stored(name: str, user: int) -> str:
    """A display name as it is stored: cleaned, and no more than 100 characters. One in which nothing can be
    seen is replaced by the last digits of the user's id."""
    kept = clean(name)
    return cut(kept, NAME_LENGTH, len) if seen(kept) else f"#{user % 10_000:04}"
