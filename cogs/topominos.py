"""Topominos at the table: how pieces are laid one after another, a turn ended or passed, pieces exchanged.

A lay takes two taps: the piece, then its place and direction, which a picture shows numbered and on trial.
Where a piece could be laid in more ways than buttons fit, its column is chosen with it: three compartments
with eight directions each always fit. All lays of a turn are put together on trial and confirmed once; only
those that empty the rack are played without the end, since a piece is drawn then and the turn goes on. A pass
leads by a button of its own to the exchange: pieces one by one or several at once, then preview and confirm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.rules.topominos import (
    LETTERS,
    NAMES,
    Draft,
    TopominosView,
    draft,
    layable,
    most_swapped,
    passing_ends,
)
from cogs.client import Client
from cogs.game_cog import SUGGESTIONS, GameCog, next_parts
from cogs.surfaces.steps import ENTRIES, Choice, Phrase, Step, phrase

KEY = "topominos.step"


class Topominos(GameCog[TopominosView]):
    game_id = "topominos"
    slash = "topominos"

    def step(self, view: TopominosView, text: str) -> Step:
        """Drafts: lays and what is chosen of the next (`bot.rules.topominos.draft`), `cf@B2 abd A`; `pass`;
        `swap`; `swap a e`."""
        step = self._step(view, text)
        passes = text in {"", "pass"} or text.startswith("swap")
        if not (passes and passing_ends(view)):
            return step
        return replace(step, question=phrase(f"{KEY}.passing_ends", question=step.question))

    def _step(self, view: TopominosView, text: str) -> Step:
        word, _, rest = text.partition(" ")
        if text == "pass":
            question = phrase(f"{KEY}.pass_confirm" if layable(view) else f"{KEY}.pass_none")
            return Step(question, move=text, back="", confirm=phrase(f"{KEY}.pass"))
        if word == "swap":
            return _exchange(view, tuple(rest.split()))
        made = draft(view, text)
        if made.piece:
            return _place(made)
        return _more(view, made) if made.lays else _turn(view)

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


# --------------------------------------------------------------------------- laying


def _turn(view: TopominosView) -> Step:
    """Rule 4: a piece to lay; or the end of the turn; or passing, where nothing was laid."""
    pieces = _pieces(view, ())
    if view.laid:
        way = Choice("end", "end", phrase(f"{KEY}.end", n=view.pending), act=True)
    elif most_swapped(view):
        way = Choice("pass", "swap", phrase(f"{KEY}.pass_or_exchange"), button=True)
    else:
        way = Choice("pass", "pass", phrase(f"{KEY}.pass"), button=True)
    return Step(_question(view, pieces), (*pieces, way), targets=_marked(view), across=_across(pieces))


def _question(view: TopominosView, pieces: Sequence[Choice]) -> Phrase:
    if not pieces:
        return _drawn(view, phrase(f"{KEY}.more_none" if view.laid else f"{KEY}.turn_none"))
    if not view.laid:
        columns = {" " in piece.value for piece in pieces}
        kind = "turn_some_columns" if len(columns) > 1 else "turn_column" if True in columns else "turn"
        return phrase(f"{KEY}.{kind}")
    question = phrase(f"{KEY}.turn_{view.mode}", cell=view.start or "")
    return _drawn(view, question)


def _drawn(view: TopominosView, question: Phrase) -> Phrase:
    """The question, after what was drawn for the rack that the turn has emptied (rule 7)."""
    if not view.redrawn or not view.rack:
        return question
    return phrase(f"{KEY}.redrawn", piece=view.rack[0], question=question)


def _more(view: TopominosView, made: Draft) -> Step:
    """The lays so far on trial: play them, or lay one more."""
    after = made.view
    pieces = _pieces(after, made.lays)
    draws = not after.actors  # rule 7
    if draws:
        more = phrase(f"{KEY}.more_draw")
    elif pieces:
        more = phrase(f"{KEY}.more_{after.mode}", cell=after.start or "")
    else:
        more = phrase(f"{KEY}.more_none")
    first, *others = made.lays
    return Step(
        phrase(f"{KEY}.trial", laid=tuple(map(_told, made.lays)), n=made.points, more=more),
        pieces,
        targets=_marked(after),
        move=first,
        then=tuple(others if draws else (*others, "end")),
        back=_before(view, made.lays),
        across=_across(pieces),
        confirm=phrase(f"{KEY}.lay_and_draw" if draws else f"{KEY}.lay_and_end", n=made.points),
    )


def _told(lay: str) -> Phrase:
    """A lay in words."""
    dots, _, cell = lay.partition("@")
    return phrase("topominos.told.lay", dots=dots, cell=cell)


def _pieces(view: TopominosView, lays: Sequence[str]) -> tuple[Choice, ...]:
    """The pieces that can be laid after these lays. Those whose column has to be chosen too come first: the
    columns of each are a row. The word column is the question's: three labels with it are wider than a
    phone."""
    columns = {piece: _columns(fits) for piece, fits in layable(view).items()}
    pieces = sorted(columns, key=lambda piece: len(columns[piece]) == 1)
    chosen = [(f"{piece} {column}".strip(), piece, column) for piece in pieces for column in columns[piece]]
    return tuple(
        Choice(
            value,
            " ".join([*lays, value]),
            phrase(f"{KEY}.in_column", piece=piece, column=column) if column else piece,
        )
        for value, piece, column in chosen
    )


def _across(pieces: Sequence[Choice]) -> int:
    return 3 if any(" " in piece.value for piece in pieces) else 5


def _columns(fits: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The columns among which the ways to lay a piece are split; "" for all in one where they fit buttons."""
    if sum(map(len, fits.values())) <= ENTRIES:
        return ("",)
    return tuple(dict.fromkeys(cell[0] for cell in fits))


def _marked(view: TopominosView) -> tuple[str, ...]:
    """The pieces that fit; none where all of the rack do."""
    fitting = tuple(layable(view))
    return fitting if len(fitting) < len(set(view.rack)) else ()


def _place(made: Draft) -> Step:
    """Where and which way the piece goes, numbered as in the picture."""
    moves = made.moves
    cells = dict.fromkeys(move.partition("@")[2] for move in moves)
    choices = tuple(
        Choice(move, " ".join([*made.lays, move]), str(number) if len(moves) > 1 else _told(move))
        for number, move in enumerate(moves, 1)
    )
    key = f"{KEY}.direction" if len(cells) == 1 else f"{KEY}.place"
    return Step(
        phrase(key, piece=made.piece, cell=" ".join(cells)),
        choices,
        back=" ".join(made.lays),
        across=made.across,
    )


def _before(view: TopominosView, lays: Sequence[str]) -> str:
    """The draft at which the place of the last of these lays was chosen."""
    *before, last = lays
    dots, _, cell = last.partition("@")
    piece = NAMES[dots]
    columns = _columns(layable(draft(view, " ".join(before)).view)[piece])
    return " ".join([*before, piece, *(column for column in columns if column == cell[0])])


# --------------------------------------------------------------------------- exchanging


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
        phrase(f"{KEY}.exchange_confirm", pieces=chosen, n=len(chosen)),
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
