"""Display names, which are other people's input: the one place where they are cleaned.

What shows nothing or changes what stands around it goes: controls, direction and format marks, tags, fillers,
variations of what has none, and all but a few combining marks on one letter. The signs that mark an automatic
seat, and the host's, are no part of any person's name.
"""

from __future__ import annotations

import unicodedata
from typing import Final

import regex

from bot.text import cut

AUTOMATIC = "⚙"  # in the catalogues' labels of automatic seats, and nowhere else
HOST = "⌂"  # in the catalogues' label of the host, and nowhere else
_RESERVED = frozenset(  # they, and what looks so: wheels, houses
    AUTOMATIC + HOST + "\u2638\u26ed\u26ee\u26ef\U0001f6de\U0001f3d8\U0001f3da\U0001f3e0\U0001f3e1\U0001f6d6"
)
BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and symbols that show nothing
_INVISIBLE = frozenset("\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f")  # marks that show nothing
MOST_MARKS = 3  # combining marks on one letter
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
        kept = after not in _RESERVED and unicodedata.category(after) != "Cn"
        return kept and _PICTURE.match(after) is not None
    if letter in {_ZWNJ, _ZWJ}:
        return _joining(before) and _joining(after)
    if letter in _STYLES:
        return _STYLED.match(before) is not None
    if 0xFE00 <= ord(letter) <= 0xFE0F or 0xE0100 <= ord(letter) <= 0xE01EF:
        return False
    if kind in {"Mn", "Me", "Mc"}:
        return before != " "  # it would sit on what stands before the name
    return kind not in {"Cc", "Cf", "Cs", "Cn"}


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
    return cut(kept, NAME_LENGTH, len) if seen(kept) else f"#{user % 10_000:04}"
