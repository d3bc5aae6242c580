"""Zatre at the table: how tiles are laid one after another, and how all are kept.

A tile and its row are chosen together, then the column; the preview with what the turn would score is at
once the question whether to play it and the choice of the next tile, so a turn of one tile takes three taps
and each further tile two. Where the rows of all tiles held are too many, neighbouring rows stand together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from bot.rules.errors import Unreadable
from bot.rules.zatre import (
    INDEX,
    KEEP,
    NAMES,
    RED,
    WIDTH,
    Placement,
    Sheet,
    ZatreView,
    next_placements,
    parse_placements,
    placements_text,
    preview,
    worth_words,
)
from cogs.client import Client
from cogs.game_cog import SUGGESTIONS, GameCog
from cogs.surfaces.steps import ENTRIES, Choice, Phrase, Step, phrase

KEY = "zatre.step"


class Zatre(GameCog[ZatreView]):
    game_id = "zatre"
    slash = "zatre"

    def step(self, view: ZatreView, draft: str) -> Step:
        """Drafts: placements in the order of laying, `6@H8 4@G8`; behind them a tile with its row,
        `6@H8 4@8`, or rows, `4@7-9`, or without, `4@`. And `keep`."""
        if draft == KEEP:
            return _keep(view)
        laid, opened = _parts(draft)
        if not opened:
            return _preview(view, laid) if laid else _turn(view)
        tile, _, rows = opened.partition("@")
        return _where(view, laid, int(tile), opened) if rows else _row(view, laid, int(tile))

    def suggest(self, view: ZatreView, typed: str) -> list[str]:
        """A turn is typed tile by tile: itself where it is one, then what may be laid next. Turns are too
        many to be listed."""
        words = typed.upper().split()
        begun = words.pop() if words and not typed.endswith(" ") else ""
        found = dict.fromkeys(_as_typed(view, [*words, begun] if begun else words))
        if KEEP.upper().startswith(" ".join([*words, begun]).strip()) and preview(view, KEEP).legal:
            found[KEEP] = None
        for head, start in ((words, begun), ([*words, begun], "")) if begun else ((words, ""),):
            for part in _next_parts(_tokens_after(view, head), start, SUGGESTIONS - len(found)):
                found[" ".join([*head, part])] = None
        return list(found)[:SUGGESTIONS]


# --------------------------------------------------------------------------- drafts


def _parts(draft: str) -> tuple[tuple[str, ...], str]:
    """The placements of a draft, and what is chosen of the next."""
    words = draft.removesuffix(
        "+"
    ).split()  # in stored drafts: another tile was asked for, in a step of its own
    whole = not words or words[-1].partition("@")[2] in INDEX
    return (tuple(words), "") if whole else (tuple(words[:-1]), words[-1])


def _placements(laid: Iterable[str]) -> tuple[Placement, ...]:
    return tuple((INDEX[cell], int(tile)) for tile, _, cell in (word.partition("@") for word in laid))


def _canonical(laid: Iterable[str]) -> str:
    return placements_text(_placements(laid)) if laid else ""


@lru_cache(maxsize=64)  # one tap asks for the same several times
def _places(view: ZatreView, laid: str) -> tuple[Placement, ...]:
    """What may be laid next, by tile, then row by row."""
    return tuple(sorted(next_placements(view, laid), key=lambda place: (place[1], place[0])))


# --------------------------------------------------------------------------- rows


@dataclass(frozen=True, slots=True)
class Span:
    """Cells in one row or in neighbouring ones where a tile may be laid, row by row."""

    tile: int
    cells: tuple[int, ...]

    @property
    def rows(self) -> tuple[int, int]:
        """First and last."""
        return self.cells[0] // WIDTH + 1, self.cells[-1] // WIDTH + 1

    @property
    def name(self) -> str:
        first, last = self.rows
        return f"{self.tile}@{first}" if first == last else f"{self.tile}@{first}-{last}"


def spans(places: Sequence[Placement]) -> list[Span]:
    """These places (by tile, then row by row) by tile and row. Where that is more than a menu holds,
    neighbours join, into spans as small as there may be, and none with more cells than a menu holds itself;
    then more may be left."""
    rows = [
        Span(tile, tuple(cell for cell, _ in group))
        for (tile, _), group in groupby(places, lambda place: (place[1], place[0] // WIDTH))
    ]
    found = rows
    for most in range(2, ENTRIES + 1):
        if len(found) <= ENTRIES:
            break
        found = _joined_rows(rows, most)
    return found


def _joined_rows(rows: Sequence[Span], most: int) -> list[Span]:
    """Neighbouring rows joined from the top as long as they have so many cells together."""
    found: list[Span] = []
    for row in rows:
        if found and found[-1].tile == row.tile and len(found[-1].cells) + len(row.cells) <= most:
            found[-1] = Span(row.tile, found[-1].cells + row.cells)
        else:
            found.append(row)
    return found


def _spans_of(places: Sequence[Placement], tile: int) -> list[Span]:
    """One tile's, as they are offered."""
    every = spans(places)
    if len(every) > ENTRIES:
        return spans([place for place in places if place[1] == tile])
    return [span for span in every if span.tile == tile]


def _named(places: Sequence[Placement], name: str) -> Span:
    """The span of that name, however rows are joined now: a draft may be older than that."""
    tile, _, rows = name.partition("@")
    first, _, last = rows.partition("-")
    inside = range(int(first), int(last or first) + 1)
    return Span(
        int(tile), tuple(cell for cell, value in places if value == int(tile) and cell // WIDTH + 1 in inside)
    )


# --------------------------------------------------------------------------- steps


def _turn(view: ZatreView) -> Step:
    """The first tile and its row, or to keep all."""
    places = _places(view, "")
    choices = _tiles(view, (), places)
    if preview(view, KEEP).legal:
        choices.append(Choice(KEEP, KEEP, phrase(f"{KEY}.keep"), button=True))
    question = phrase(f"{KEY}.opening" if view.opening else f"{KEY}.turn", cell=NAMES[RED])
    if view.must_lay:
        question = phrase(f"{KEY}.must_lay", question=question)
    return Step(question, tuple(choices), targets=_targets(places), across=_across(choices))


def _tiles(view: ZatreView, laid: tuple[str, ...], places: Sequence[Placement]) -> list[Choice]:
    """The next tile with its row; alone, where the rows of all tiles are too many."""
    offered = spans(places)
    if len(offered) > ENTRIES:
        tiles = dict.fromkeys(tile for _, tile in places)
        return [Choice(str(tile), _joined(*laid, f"{tile}@"), str(tile)) for tile in tiles]
    return [_row_choice(laid, span) for span in offered]


def _across(tiles: Sequence[Choice]) -> int:
    """Three side by side fit a phone; that many rows fit a message only where there are not too many."""
    return 3 if len(tiles) <= 21 else 5


def _targets(places: Iterable[Placement]) -> tuple[str, ...]:
    """Tiles of the rack, and cells."""
    tiles = dict.fromkeys(str(tile) for _, tile in places)
    return (*tiles, *(NAMES[cell] for cell in sorted({cell for cell, _ in places})))


def _row(view: ZatreView, laid: tuple[str, ...], tile: int) -> Step:
    places = _places(view, _canonical(laid))
    offered = _spans_of(places, tile)
    return Step(
        phrase(f"{KEY}.row", tile=tile),
        tuple(_row_choice(laid, span) for span in offered),
        targets=tuple(NAMES[cell] for span in offered for cell in span.cells),
        back=_joined(*laid),
        across=3,
    )


def _row_choice(laid: tuple[str, ...], span: Span) -> Choice:
    first, last = span.rows
    if len(span.cells) == 1:
        cell = NAMES[span.cells[0]]
        label = phrase(f"{KEY}.on_cell", tile=span.tile, cell=cell)
        return Choice(span.name, _joined(*laid, f"{span.tile}@{cell}"), label)
    if first == last:
        label = phrase(f"{KEY}.in_row", tile=span.tile, row=first)
    else:
        label = phrase(f"{KEY}.in_rows", tile=span.tile, first=first, last=last)
    return Choice(span.name, _joined(*laid, span.name), label)


def _where(view: ZatreView, laid: tuple[str, ...], tile: int, opened: str) -> Step:
    """The column; among several rows, the cell."""
    places = _places(view, _canonical(laid))
    span = _named(places, opened)
    first, last = span.rows
    key = "column" if first == last else "cell"
    question = phrase(f"{KEY}.{key}", tile=tile, row=first, first=first, last=last)
    labels = [_cell(view, laid, cell, tile) for cell in span.cells]
    if any(isinstance(label, str) and "+" in label for label in labels):
        question = phrase(f"{KEY}.scores", question=question)
    return Step(
        question,
        tuple(
            Choice(NAMES[cell], _joined(*laid, f"{tile}@{NAMES[cell]}"), label)
            for cell, label in zip(span.cells, labels, strict=True)
        ),
        targets=tuple(NAMES[cell] for cell in span.cells),
        across=4,
        back=_joined(*laid, f"{tile}@") if len(spans(places)) > ENTRIES else _joined(*laid),
    )


def _cell(view: ZatreView, laid: tuple[str, ...], cell: int, tile: int) -> Phrase | str:
    """A cell with the points that the turn brings with this tile there: `H9 +4`; or that it needs another
    tile."""
    shown = preview(view, placements_text((*_placements(laid), (cell, tile))))
    if not shown.legal:
        return phrase(f"{KEY}.not_alone", cell=NAMES[cell])
    added = _sheet(view).worth(shown.gain).total
    return f"{NAMES[cell]} +{added}" if added else NAMES[cell]


def _preview(view: ZatreView, laid: tuple[str, ...]) -> Step:
    """The tiles on trial with what they score, to be played or gone on from; what is no turn as yet says what
    it lacks."""
    *before, latest = laid
    ((cell, tile),) = _placements((latest,))
    span = next(span for span in _spans_of(_places(view, _canonical(before)), tile) if cell in span.cells)
    back = _joined(*before, span.name)
    move = _canonical(laid)
    places = _places(view, move)
    choices, targets = tuple(_tiles(view, laid, places)), _targets(places)
    shown = preview(view, move)
    if shown.fault is not None:
        lacks = phrase(f"{KEY}.{shown.fault.code}", **shown.fault.data)
        return Step(lacks, choices, targets=targets, back=back, across=_across(choices))
    standing, added = _sheet(view).total, _sheet(view).worth(shown.gain).total
    key = "confirm_pair" if view.partners else "confirm"
    question = phrase(
        f"{KEY}.{key}" if shown.gain.runs else f"{KEY}.confirm_nothing",
        laid=tuple(
            phrase("zatre.event.tile", tile=tile, cell=NAMES[cell]) for cell, tile in _placements(laid)
        ),
        worth=worth_words(shown.gain, _sheet(view), phrase),
        before=standing,
        after=standing + added,
    )
    if choices:
        question = phrase(f"{KEY}.or_another", question=question)
    return Step(
        _at_the_end(view, shown.rest, question),
        choices,
        targets=targets,
        move=move,
        back=back,
        across=_across(choices),
        confirm=phrase(f"{KEY}.play", n=added),
    )


def _keep(view: ZatreView) -> Step:
    question = phrase(
        f"{KEY}.keep_confirm" if _places(view, "") else f"{KEY}.keep_only",
        tiles=", ".join(map(str, view.held)),
    )
    return Step(_at_the_end(view, view.held, question), move=KEEP, back="", confirm=phrase(f"{KEY}.keep_it"))


def _joined(*words: str) -> str:
    return " ".join(words)


# --------------------------------------------------------------------------- what it brings


def _sheet(view: ZatreView) -> Sheet:
    assert view.seat is not None
    return view.sheets[view.sheet_of(view.seat)]


def _at_the_end(view: ZatreView, rest: Sequence[int], question: Phrase) -> Phrase:
    """Rule 10: when the bag is empty, this turn is the last and tiles kept cost."""
    if view.bag or not rest:
        return question
    return phrase(f"{KEY}.at_the_end", question=question, n=sum(rest))


# --------------------------------------------------------------------------- typed


def _as_typed(view: ZatreView, words: Sequence[str]) -> list[str]:
    """The canonical text of a turn written out, if it may be played."""
    text = _read(words)
    return [text] if text and preview(view, text).legal else []


def _read(words: Sequence[str]) -> str:
    """Canonical text; empty where there is nothing, or words that are no placements."""
    try:
        found = {cell for word in words for cell in parse_placements(word)}
        return placements_text(found) if len({cell for cell, _ in found}) == len(words) > 0 else ""
    except Unreadable:
        return ""


def _tokens_after(view: ZatreView, words: Sequence[str]) -> list[str]:
    """What may be laid after these placements; nothing after other words."""
    text = _read(words)
    if words and not text:
        return []
    return [f"{tile}@{NAMES[cell]}" for cell, tile in _places(view, text)]


def _next_parts(tokens: Sequence[str], begun: str, room: int) -> list[str]:
    """Placements that go on from what was begun; where they are too many, only tile and column; else the
    tile."""
    fitting = [token for token in tokens if token.startswith(begun) and token != begun]
    columns = list(dict.fromkeys(token[:3] for token in fitting))
    for parts in (fitting, columns):
        if len(parts) <= room:
            return parts
    return list(dict.fromkeys(token[:2] for token in fitting))[: max(room, 0)]


async def setup(bot: Client) -> None:
    await bot.add_cog(Zatre(bot))
