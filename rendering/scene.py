"""What a picture module is given and gives back.

Every game's picture module has these functions:

    table_pictures(view, scene) -> tuple[Picture, ...]   the public picture(s); the first is the board
    hand_pictures(view, scene)  -> tuple[Picture, ...]   for `view.seat`: what that seat sees in private, with
                                                         the draft laid as a preview and the targets marked
    cover(scene) -> tuple[Picture, ...]                  one low picture of the game's pieces, for the lobby:
                                                         nobody sits there yet, no name is in it

They are pure: the same view and scene give the same bytes. They run in processes of their own, see
`bot.drawing`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bot.rules.game import Say
from bot.text import abridged, cut

from .theme import DARK, Theme

_KINDS: Final = ("call", "keep", "pass", "swap", "take")  # of moves, in notation
ALT_LIMIT: Final = 1024  # Discord's, for the description of a picture


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG with its file name (no secrets in it) and its alt text (1024 characters at most, made
    from the same view as the picture). in_hand: of a public one, whether what a seat sees in private has what
    it shows, so that nobody needs both."""

    name: str
    png: bytes
    alt: str
    in_hand: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """names: display names by seat, raw (pictures need no escaping). say: texts of the reader's language.
    targets: cells or compartments to mark as choices. draft: the part of a move chosen so far, in the
    game's notation, shown as a preview. theme: the colours of it all."""

    names: tuple[str, ...]
    say: Say
    targets: tuple[str, ...] = ()
    draft: str = ""
    theme: Theme = DARK


def won_by(names: Iterable[str], scene: Scene) -> str:
    """Who has won, in words on a picture. names: those of the winners, or of winning sides."""
    return scene.say("pictures.won", names=", ".join(names))


def told(notation: str, key: str, piece: str, scene: Scene) -> str:
    """Placements of a draft or of moves (`4@H8 3@I8`) in words: each by the game's text `key`, in which
    the piece's name is `piece`. Names that stand alone stay; what tells the kind of a move goes."""
    found = [word.partition("@") for word in notation.split() if word not in _KINDS]
    return ", ".join(scene.say(key, cell=cell, **{piece: name}) if at else name for name, at, cell in found)


def alt_text(sentences: Iterable[str], limit: int = ALT_LIMIT) -> str:
    """Sentences joined to an alt text within the limit, the most important first: what does not fit is cut
    off
    with an ellipsis. Lengths are UTF-16 units, the way Discord's clients count."""
    return cut(" ".join(sentence for sentence in sentences if sentence), limit)


def short_name(name: str, most: int = 24) -> str:
    """A display name on one line, shortened in its middle, for alt texts and sentences."""
    from . import fonts  # only words need it; the scene itself stays free of Pillow

    parts = fonts.clusters(name)
    return ("".join(parts) if len(parts) <= most else abridged(parts, most - 1)).strip()
