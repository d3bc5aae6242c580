"""Topominos at the table: how a piece is laid, a turn ended or passed, and pieces are exchanged.

A lay: the piece, its compartment, then its direction among the distinct fitting ones, which a picture shows
numbered and on trial; where just one fits, it is laid on trial and confirmed. A pass leads by a button of its
own to the exchange: pieces one by one or several at once, then preview and confirm.
"""

from __future__ import annotations

from collections import Counter

from bot.rules.topominos import (
    CELL_INDEX,
    FULL,
    LETTERS,
    NAMES,
    TopominosView,
    compartments,
    directions,
    layable,
    most_swapped,
)
from cogs.client import Client
from cogs.game_cog import SUGGESTIONS, GameCog, next_parts
from cogs.surfaces.steps import Choice, Phrase, Step, phrase

KEY = "topominos.step"


class Topominos(GameCog[TopominosView]):
    game_id = "topominos"
    slash = "topominos"

    def step(self, view: TopominosView, draft: str) -> Step:
        """Drafts: a piece `abd`; with its compartment `abd B2`; a lay `cf@B2`; `pass`; `swap`; `swap a e`."""
        word, _, rest = draft.partition(" ")
        if not draft:
            return _turn(view)
        if draft == "pass":
            return Step(phrase(f"{KEY}.pass_confirm"), move=draft, back="", confirm=phrase(f"{KEY}.pass"))
        if word == "swap":
            return _exchange(view, tuple(rest.split()))
        if "@" in draft:
            return _preview(view, draft)
        return _direction(view, word, rest) if rest else _compartment(view, word)

    def suggest(self, view: TopominosView, typed: str) -> list[str]:
        """What ends or passes the turn comes first: among many lays it would be cut off."""
        if typed.strip():
            return next_parts(self.game.legal(view), typed)
        moves = self.game.legal(view)
        lays = [move for move in moves if "@" in move]
        others = dict.fromkeys(move.partition(" ")[0] for move in moves if "@" not in move)
        return [*others, *next_parts(lays, "")][:SUGGESTIONS]


def grid(dots: str) -> str:
    """Dots as text, row by row: `●●○ ○●○ ○○○`."""
    marks = "".join("●" if letter in dots else "○" for letter in LETTERS)
    return f"{marks[:3]} {marks[3:6]} {marks[6:]}"


def _dots_in(view: TopominosView, cell: str) -> int:
    return view.fills[CELL_INDEX[cell]].bit_count()


def _turn(view: TopominosView) -> Step:
    """Rule 4: a piece to lay; or the end of the turn; or passing, where nothing was laid."""
    choices = [
        Choice(piece, piece, piece, phrase(f"{KEY}.piece", grid=grid(piece), n=len(cells)))
        for piece, cells in layable(view).items()
    ]
    pieces = tuple(choice.value for choice in choices)
    marked = pieces if len(pieces) < len(set(view.rack)) else ()  # no mark where all of them fit
    if view.laid:
        points = view.pending
        choices.append(Choice("end", "end", phrase(f"{KEY}.end", n=points), act=True))
    elif most_swapped(view):
        choices.append(Choice("pass", "swap", phrase(f"{KEY}.pass_or_exchange"), button=True))
    else:
        choices.append(Choice("pass", "pass", phrase(f"{KEY}.pass"), button=True))
    return Step(_question(view, bool(pieces)), tuple(choices), targets=marked, under_way=bool(view.laid))


def _question(view: TopominosView, fitting: bool) -> Phrase:
    if not fitting:
        return phrase(f"{KEY}.turn_none")
    if not view.laid:
        return phrase(f"{KEY}.turn")
    return phrase(f"{KEY}.turn_{view.mode}", cell=view.start or "")


def _compartment(view: TopominosView, piece: str) -> Step:
    cells = compartments(view, piece)
    choices = tuple(Choice(cell, f"{piece} {cell}", cell, _becomes(view, piece, cell)) for cell in cells)
    return Step(phrase(f"{KEY}.compartment", piece=piece), choices, targets=cells, back="")


def _becomes(view: TopominosView, dots: str, cell: str) -> Phrase:
    """What a compartment holds, and will hold with these dots."""
    before = _dots_in(view, cell)
    after = before + len(dots)
    if after == FULL.bit_count():
        return phrase(f"{KEY}.nine", n=before)
    return phrase(f"{KEY}.dots", before=before, n=after) if before else phrase(f"{KEY}.empty", n=after)


def _direction(view: TopominosView, piece: str, cell: str) -> Step:
    """The picture shows each direction on trial under its number: the tap that chooses confirms."""
    moves = directions(view, piece, cell)
    if len(moves) == 1:
        choices: tuple[Choice, ...] = (Choice(moves[0], moves[0], moves[0]),)
    else:
        choices = tuple(
            Choice(move, move, f"{number}: {move.partition('@')[0]}", act=True)
            for number, move in enumerate(moves, 1)
        )
    return Step(phrase(f"{KEY}.direction", piece=piece, cell=cell), choices, targets=(cell,), back=piece)


def _preview(view: TopominosView, move: str) -> Step:
    """The one fitting direction on trial."""
    dots, _, cell = move.partition("@")
    piece = NAMES[dots]
    nine = _dots_in(view, cell) + len(dots) == FULL.bit_count()
    question = phrase(f"{KEY}.confirm_nine" if nine else f"{KEY}.confirm", dots=dots, cell=cell)
    return Step(question, move=move, back=f"{piece} {cell}", confirm=phrase(f"{KEY}.yes"))


def _exchange(view: TopominosView, chosen: tuple[str, ...]) -> Step:
    """Rule 4 C: pass, with or without an exchange. Equal pieces are told apart by a number behind a dot."""
    left = most_swapped(view) - len(chosen)
    entries = []
    if left:
        copies: Counter[str] = Counter()
        taken = Counter(chosen)
        for piece in view.rack:
            copies[piece] += 1
            number = copies[piece]
            if number <= taken[piece]:
                continue
            entries.append(
                Choice(
                    piece if number == 1 else f"{piece}.{number}",
                    " ".join(["swap", *sorted([*chosen, piece])]),
                    piece if number == 1 else f"{piece} ({number})",
                    grid(piece),
                )
            )
    targets = tuple(dict.fromkeys(choice.value.partition(".")[0] for choice in entries))
    if not chosen:
        only = Choice("pass", "pass", phrase(f"{KEY}.pass_only"), act=True)
        return Step(
            phrase(f"{KEY}.exchange"),
            (*entries, only),
            targets=targets,
            back="",
            menu=True,
            at_once=max(left, 1),
        )
    return Step(
        phrase(f"{KEY}.exchange_confirm", pieces=" ".join(chosen), n=len(chosen)),
        tuple(entries),
        targets=targets,
        move=" ".join(["swap", *chosen]),
        back="swap",
        confirm=phrase(f"{KEY}.exchange_yes"),
        menu=True,
        at_once=max(left, 1),
    )


async def setup(bot: Client) -> None:
    await bot.add_cog(Topominos(bot))
