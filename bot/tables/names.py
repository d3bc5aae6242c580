"""Display names, which are other people's input: the one place where they are cleaned.

What shows nothing or changes what stands around it goes: controls, direction and format marks, tags, fillers,
variations of what has none, what encloses a letter, all but a few combining marks on one, and what every font
shows in its own way. The signs that mark an automatic seat, and the host's, are no part of any person's name,
nor is what looks so. Unicode's properties and names tell what a character is: no list of ours would be whole.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

import regex

from bot.text import shortened

AUTOMATIC = "⚙"  # in the catalogues' labels of automatic seats, and nowhere else
HOST = "⌂"  # in the catalogues' label of the host, and nowhere else
# what looks like them, by Unicode's names of symbols: wheels, what has rays around a ring, houses
_ALIKE: Final = regex.compile(
    r"\b(?:GEAR|(?<!FERRIS )WHEEL|HELM SYMBOL|LIGHTHOUSE|WHITE SUN WITH RAYS"
    r"|HOUSE|HUT|(?<!TURNED )(?:BLACK|WHITE) (?:SHOGI PIECE|PENTAGON))\b"
)
_EMPTY: Final = regex.compile(r"\bBLANK$|\bFILLER$|\bNULL NOTEHEAD$|^OBJECT REPLACEMENT CHARACTER$")
_IGNORED: Final = regex.compile(r"\p{Default_Ignorable_Code_Point}")
KEPT = 4096  # characters of which is kept what they are
MOST_MARKS = 3  # combining marks on one letter
_KEYCAP = "\u20e3"
_ZWNJ, _ZWJ = "\u200c", "\u200d"
_STYLES = "\ufe0e\ufe0f"  # text or emoji
_PICTURE: Final = regex.compile(r"\p{Extended_Pictographic}")  # what ZWJ makes one picture of (UAX 29, GB11)
_STYLED: Final = regex.compile(r"\p{Emoji}")  # what may be text or emoji (UTS 51)
_SKIN: Final = regex.compile(r"\p{Emoji_Modifier}")


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
        if letter.isspace() or kind in {"Zs", "Zl", "Zp"} or (kind[0] in "LS" and _empty(letter)):
            letter = " "  # noqa: PLW2901
            if before == " ":
                continue
        elif _ours(letter) or not _needed(letter, kind, before, after):
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
        kept = not _ours(after) and unicodedata.category(after) != "Cn"
        return kept and _PICTURE.match(after) is not None
    if letter in {_ZWNJ, _ZWJ}:
        return _joining(before) and _joining(after)
    if letter in _STYLES:
        return _STYLED.match(before) is not None
    if kind == "Me":  # anything could be drawn around a letter
        return letter == _KEYCAP and before in f"0123456789#*{_STYLES}"
    if kind in {"Mn", "Mc"}:
        return before != " " and not _empty(letter)  # it would sit on what stands before the name
    return kind[0] != "C"


@lru_cache(KEPT)
def _empty(letter: str) -> bool:
    """Whether a letter, mark or symbol shows nothing."""
    named = _EMPTY.search(unicodedata.name(letter, ""))
    return named is not None or _IGNORED.match(letter) is not None


@lru_cache(KEPT)
def _ours(letter: str) -> bool:
    """Whether it is a sign of ours, or looks so."""
    if unicodedata.category(letter)[0] != "S":
        return False
    return letter in AUTOMATIC + HOST or _ALIKE.search(unicodedata.name(letter, "")) is not None


def _pictured(letter: str) -> bool:
    return letter in _STYLES or _SKIN.match(letter) is not None or _PICTURE.match(letter) is not None


def _joining(letter: str) -> bool:
    """Of a script in which letters join: Arabic to Mongolian, the scripts of India among them."""
    return 0x0600 <= ord(letter) <= 0x18AF and unicodedata.category(letter)[0] in "LM"


def seen(name: str) -> bool:
    """Whether anything of it can be seen."""
    return any(unicodedata.category(letter)[0] in "LNPS" for letter in name)


NAME_LENGTH = 100  # of a stored display name; Discord's own limit is 32


def stored(name: str, user: int) -> str:
    """A display name as it is stored: cleaned, and no more than 100 characters. One in which nothing can be
    seen is replaced by the last digits of the user's id."""
    kept = clean(name)
    return shortened(kept, NAME_LENGTH, len) if seen(kept) else f"#{user % 10_000:04}"
