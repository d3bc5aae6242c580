"""Pictures of a game's examples: the move on trial, as its player would see it, and whether it is legal.

A game's picture module draws them like any move that is chosen (`hand_pictures`). Of that picture the part is
shown that its constant `EXAMPLE` names, (left, top, right, bottom) as shares of width and height, or all of
it; a frame whose lower edge has a tick or a cross tells the one kind from the other, in shape as in colour.
"""

from __future__ import annotations

from importlib import import_module
from io import BytesIO
from typing import Final, TypeAlias

from PIL import Image, ImageDraw

from bot.rules.game import AnyGame, Example, Say
from bot.rules.registry import GAMES
from bot.rules.registry import game as rules_of

from .scene import Picture, Scene, alt_text
from .theme import WIDTH, Theme

Part: TypeAlias = tuple[float, float, float, float]

_ALL: Final[Part] = (0.0, 0.0, 1.0, 1.0)
_NAMES: Final = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn")
_SIGN: Final = 64  # pixels, of a picture of the common width; the frame's lower edge is as high
_FRAME: Final = 8
_TICK: Final = ((0.24, 0.53), (0.43, 0.72), (0.77, 0.31))
_CROSS: Final = (((0.3, 0.3), (0.7, 0.7)), ((0.7, 0.3), (0.3, 0.7)))
_LEGAL: Final = (31, 125, 83)
_ILLEGAL: Final = (178, 48, 48)
_WHITE: Final = (255, 255, 255)
_FINER: Final = 4


def example_sentence(game: AnyGame, example: Example, say: Say) -> str:
    """The example in words."""
    told = say(f"{game.id}.example.{example.name}")
    return say("rules.allowed" if example.legal else "rules.forbidden", example=told)


def example_pictures(game_id: str, say: Say, theme: Theme) -> tuple[Picture, ...]:
    """One for each of the game's examples, in their order."""
    game = rules_of(game_id)
    module = import_module(GAMES[game.id].pictures)
    part: Part = getattr(module, "EXAMPLE", _ALL)
    found = []
    for number, example in enumerate(game.examples(), 1):
        scene = Scene(_NAMES[: example.view.players], say, draft=example.move, theme=theme)
        picture = module.hand_pictures(example.view, scene)[0]
        told = example_sentence(game, example, say).replace("*", "").replace("`", "")
        png = _judged(picture.png, part, example.legal)
        found.append(Picture(f"{game.id}-example-{number}.png", png, alt_text((told, picture.alt))))
    return tuple(found)


def _judged(png: bytes, part: Part, legal: bool) -> bytes:
    """A part of a picture, framed to the common width, with a sign below it: nothing of it is covered."""
    with Image.open(BytesIO(png)) as whole:
        left, top, right, bottom = part
        box = (
            int(left * whole.width),
            int(top * whole.height),
            max(1, int(right * whole.width)),
            max(1, int(bottom * whole.height)),
        )
        shown = whole.convert("RGBA").convert("RGB").crop(box)
    wide = WIDTH - 2 * _FRAME
    shown = shown.resize((wide, shown.height * wide // shown.width), Image.Resampling.LANCZOS)
    ink = _LEGAL if legal else _ILLEGAL
    framed = Image.new("RGB", (WIDTH, _FRAME + shown.height + _SIGN), ink)
    framed.paste(shown, (_FRAME, _FRAME))
    side = _SIGN * _FINER
    sign = Image.new("RGB", (side, side), ink)
    draw = ImageDraw.Draw(sign)
    for stroke in (_TICK,) if legal else _CROSS:
        draw.line([(x * side, y * side) for x, y in stroke], fill=_WHITE, width=side // 9, joint="curve")
    framed.paste(sign.reduce(_FINER), ((WIDTH - _SIGN) // 2, framed.height - _SIGN))
    file = BytesIO()
    framed.quantize(128, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, "PNG")
    return file.getvalue()
