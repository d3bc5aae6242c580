"""The search engine: lists every legal turn once.

Two empty cells are neighbours if nothing but tiles lies between them, along a row or a column. The tiles
of a turn fall into groups of neighbours, and groups have nothing to do with each other: no run holds
tiles of two, and none holds up another. So the groups are listed first (`_grow`), then every way to lay
several of them together (`_combine`). The most frequent groups, single tiles, go in as sets of cells
(`_join`), the last one all at once (`_add_last`). Only rule 4's exception looks at the whole board
(`_excepted`).

A placement is coded as 8 * cell + value; sets of cells are whole numbers, see `cellsets`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .board import EMPTY, GLEAM, RED, SIZE
from .cellsets import BEFORE, EVERYWHERE, ONE, needed
from .layout import DARK, FITS, GOOD, Layout, layout_of
from .notation import TOKENS
from .tiles import less, without

# By code: the text of a placement, without and with a space after it.
_TEXTS = tuple(TOKENS[code % 8][code // 8] if code % 8 < 7 else "" for code in range(8 * SIZE))
_HEADS = tuple(text + " " for text in _TEXTS)
_text_of = _TEXTS.__getitem__
# `Layout`'s tables, to be read as numbers of SIZE binary digits: sets of cells.
_FITS_BITS, _GOOD_BITS = (
    tuple(table.translate(b"01" + bytes(SIZE - 2)) for table in tables) for tables in (FITS, GOOD)
)


def laying_turns(board: bytes, held: tuple[int, ...], club: bool) -> list[str]:
    """Canonical texts of all legal turns that lay something, each once, in no order. held: sorted. club:
    option laying=club. Grows steeply with the tiles held."""
    return _Lister(board, held, club).out if held else []


def _flags(reach: bytearray, table: bytes) -> int:
    """The cells that a table picks by reach byte, as a set."""
    return int(reach.translate(table), 2)


def _unscored(layout: Layout, codes: Iterable[int]) -> tuple[int, ...]:
    """The light cells of these placements with no 10, 11 or 12 through them."""
    cells = [code >> 3 for code in codes]
    return tuple(cell for cell in cells if GLEAM[cell] and not layout.scores(cell))


class _Group(NamedTuple):
    """Some of a turn's tiles, see the module. codes: the placements, sorted. cells: the set of their cells.
    near: those, and the cells a tile on which would belong to the same group. values: sorted. pending: the
    light cells among them with no 10, 11 or 12 through them."""

    codes: tuple[int, ...]
    cells: int
    near: int
    values: tuple[int, ...]
    pending: tuple[int, ...]


class _Lister:
    """One list in the making, see the module. out: the texts found so far."""

    __slots__ = (
        "cells_of",
        "club",
        "fits",
        "groups",
        "held",
        "large",
        "near_of",
        "opening",
        "out",
        "plain",
        "root",
        "single",
        "spaced",
        "spoilers",
        "touching",
    )

    def __init__(self, board: bytes, held: tuple[int, ...], club: bool) -> None:
        self.opening = board == EMPTY
        self.club = club and not self.opening
        self.out: list[str] = []
        self.held = held
        self.root = root = layout_of(board)
        self.groups: list[_Group] = []
        self.near_of: dict[int, int] = {}
        self.cells_of: dict[int, list[int]] = {}
        # By value and cells: the texts of one tile on each, without and with a space after them.
        self.plain: list[dict[int, list[str]]] = [{} for _ in range(7)]
        self.spaced: list[dict[int, list[str]]] = [{} for _ in range(7)]
        # By value: where it fits at all, and where it is a legal turn without rule 4's exception.
        self.fits = [0] * 7
        self.single = [0] * 7
        # By value, for each dark cell it fits: the cells on one of which a tile must lie lest it fits there.
        self.spoilers: list[list[int]] = [[] for _ in range(7)]
        if self.opening:
            free = [EVERYWHERE] * 7
            for value in dict.fromkeys(self.held):
                self._lay(root, (), 0, 0, self.held, free, (), RED, value)
            return
        for value in set(self.held):
            self.fits[value] = _flags(root.reach, _FITS_BITS[value])
            self.single[value] = _flags(root.reach, _GOOD_BITS[value])
            self.spoilers[value] = [self._near(cell) for cell in root.where(DARK[value])]
        self._grow(root, (), 0, EVERYWHERE, self.held, [EVERYWHERE] * 7, ())
        # Groups of two tiles or more with nothing pending, by values, with their numbers.
        self.large: dict[tuple[int, ...], list[tuple[int, _Group]]] = {}
        self.touching: dict[tuple[int, tuple[int, ...]], list[tuple[_Group, tuple[int, ...]]]] = {}
        for number, group in enumerate(self.groups):
            if len(group.values) > 1 and not group.pending:
                self.large.setdefault(group.values, []).append((number, group))
        if len(self.held) > 1:
            self._join((), 0, self.held, self.held, 0)
            self._combine((), 0, self.held, -1)
            self._excepted()

    # cells and texts

    def _near(self, cell: int) -> int:
        """An empty cell and its neighbours."""
        found = self.near_of.get(cell)
        if found is None:
            found = ONE[cell]
            for end in self.root.ends(cell):
                found |= ONE[end]
            self.near_of[cell] = found
        return found

    def _cells(self, flags: int) -> list[int]:
        found = self.cells_of.get(flags)
        if found is None:
            found = self.cells_of[flags] = []
            while flags:
                left = flags.bit_length()
                found.append(SIZE - left)
                flags ^= 1 << (left - 1)
        return found

    def _texts(self, known: dict[int, list[str]], value: int, flags: int, after: str) -> list[str]:
        """Texts of one tile on each of these cells, with `after` behind it, kept in `known`."""
        names = TOKENS[value]
        found = known[flags] = [names[cell] + after for cell in self._cells(flags)]
        return found

    def _add_last(self, codes: tuple[int, ...], value: int, flags: int) -> None:
        """All turns of `codes` and one tile more, on one of the cells `flags`."""
        out, known = self.out, self.spaced[value]
        head, tail = "", " ".join(map(_text_of, codes))
        for code in codes:
            if here := flags & BEFORE[code >> 3]:
                texts = known.get(here) or self._texts(known, value, here, " ")
                out += [f"{head}{text}{tail}" for text in texts]
                flags ^= here
                if not flags:
                    return
            text = _HEADS[code]
            head += text
            tail = tail[len(text) :]
        known = self.plain[value]
        out += [head + text for text in known.get(flags) or self._texts(known, value, flags, "")]

    # one group

    def _grow(
        self,
        layout: Layout,
        codes: tuple[int, ...],
        cells: int,
        near: int,
        rest: tuple[int, ...],
        free: list[int],
        pending: tuple[int, ...],
    ) -> None:
        """All groups that hold `codes` and add tiles of `rest`, of which there is at least one.

        A node's children add one tile, and each bars all siblings before it, so every group is met once.
        free: by value, the cells not barred. pending: light cells laid with no 10, 11 or 12 through them as
        yet. The last tile is not laid: all its cells are read off `reach` at once.
        """
        if len(rest) == 1:
            self._grow_last(layout, codes, cells, near, rest[0], free[rest[0]], pending)
            return
        reach = layout.reach
        wanted = near ^ cells
        if pending and not self._hopeful(layout, cells, len(rest), pending[0]):
            # It becomes part of a 10, 11 or 12 only if one of its two runs grows.
            wanted = sum(ONE[end] for end in layout.ends(pending[0]))
        for value in dict.fromkeys(rest):
            flags = _flags(reach, _FITS_BITS[value]) & wanted & free[value]
            for cell in self._cells(flags):
                self._lay(layout, codes, cells, near, rest, free, pending, cell, value)
                free[value] ^= ONE[cell]

    def _lay(
        self,
        layout: Layout,
        codes: tuple[int, ...],
        cells: int,
        near: int,
        rest: tuple[int, ...],
        free: list[int],
        pending: tuple[int, ...],
        cell: int,
        value: int,
    ) -> None:
        """The group with one tile more, and all that grow from it."""
        child = layout.copy()
        child.lay(cell, value)
        if pending:
            pending = tuple(light for light in pending if not child.scores(light))
        if (code := layout.reach[cell]) >= 32 and code - 32 + value < 10:
            pending = (*pending, cell)
        cells |= ONE[cell]
        near = near | self._near(cell) if codes else self._near(cell)
        codes = tuple(sorted((*codes, 8 * cell + value)))
        left = without(rest, value)
        if left and not self.opening:
            self.groups.append(_Group(codes, cells, near, less(self.held, left) or (), pending))
        if pending:
            if not self.opening and self._settled(child, pending):
                self._add(codes, near, left)
        elif len(codes) > 1 and not self.opening:  # `_join` lists the single tiles
            self._add(codes, near, left)
        if left:
            self._grow(child, codes, cells, near, left, free[:] if len(left) > 1 else free, pending)

    def _grow_last(
        self,
        layout: Layout,
        codes: tuple[int, ...],
        cells: int,
        near: int,
        value: int,
        free: int,
        pending: tuple[int, ...],
    ) -> None:
        """All turns of a group and the last tile held, with it or beside it."""
        reach = layout.reach
        free &= near ^ cells
        if pending:
            flags = _flags(reach, _FITS_BITS[value]) & free
            for cell in self._cells(flags):
                if self._settles(layout, cell, value, pending):
                    self._add_last(codes, value, ONE[cell])
            return
        # Rule 4's exception: a tile that fits no dark cell.
        tables = _GOOD_BITS if 1 in reach.translate(DARK[value]) else _FITS_BITS
        flags = _flags(reach, tables[value]) & free
        if len(codes) > 1:
            flags |= self.single[value] & ~near
        if flags:
            self._add_last(codes, value, flags)

    def _hopeful(self, layout: Layout, cells: int, count: int, light: int) -> bool:
        """Whether `count` tiles more might leave no dark cell for the tile on `light`, as far as one can see
        without trying."""
        return needed(self._unspoilt(layout.tiles[light], cells ^ ONE[light])) <= count

    def _unspoilt(self, value: int, cells: int) -> list[int]:
        return [near for near in self.spoilers[value] if not near & cells]

    # several groups

    def _add(self, codes: tuple[int, ...], near: int, left: tuple[int, ...]) -> None:
        """One legal turn that leaves `left` in hand, unless it is laying=club that forbids it."""
        if not (self.club and left and self._extends(codes, near, left)):
            self.out.append(" ".join(map(_text_of, codes)))

    def _join(
        self, codes: tuple[int, ...], near: int, left: tuple[int, ...], rest: tuple[int, ...], last: int
    ) -> None:
        """All turns of `codes` and one or more single tiles of `rest`, laid in order of value, equal ones in
        order of cells. last: the code of the latest, 0 for none. left: all tiles not laid, sorted."""
        for place, value in enumerate(rest):
            if place and value == rest[place - 1]:
                continue
            flags = self.single[value] & ~near
            if value == last & 7:
                flags &= ~BEFORE[(last >> 3) + 1]
            if not flags:
                continue
            kept = without(left, value)
            if not (self.club and kept):
                self._add_last(codes, value, flags)
            if not kept:
                continue
            later = rest[place + 1 :]
            if not (self.club or later):
                continue
            if len(later) == 1 and not self.club:
                (other,) = later
                options = self.single[other] & ~near
                for cell in self._cells(flags):
                    fits = options & ~self._near(cell)
                    if other == value:
                        fits &= ~BEFORE[cell]
                    if fits:
                        self._add_last(tuple(sorted((*codes, 8 * cell + value))), other, fits)
                continue
            for cell in self._cells(flags):
                code = 8 * cell + value
                more = tuple(sorted((*codes, code)))
                beside = near | self._near(cell)
                if self.club:
                    self._add(more, beside, kept)
                if later:
                    self._join(more, beside, kept, later, code)

    def _combine(self, codes: tuple[int, ...], near: int, left: tuple[int, ...], after: int) -> None:
        """All turns of `codes` and one or more groups of two tiles or more, in order of their numbers, which
        are beyond `after`; and any single tiles with them."""
        for values, groups in self.large.items():
            rest = less(left, values)
            if rest is None:
                continue
            for number, group in groups:
                if number <= after or group.cells & near:
                    continue
                beside = near | group.near
                both = group.codes
                if codes:
                    both = tuple(sorted(codes + both))
                    self._add(both, beside, rest)
                if len(rest) > 1 or (codes and rest):  # `_grow_last` has done the others
                    self._join(both, beside, rest, rest, 0)
                if len(rest) > 1:
                    self._combine(both, beside, rest, number)

    # rule 4's exception

    def _excepted(self) -> None:
        """All turns of several groups in which a tile lies on a light cell unscored."""
        seen: set[tuple[int, ...]] = set()
        for group in self.groups:
            if group.pending:
                light = group.pending[0]
                value = next(code & 7 for code in group.codes if code >> 3 == light)
                unspoilt = self._unspoilt(value, group.cells ^ ONE[light])
                left = less(self.held, group.values) or ()
                if needed(unspoilt) <= len(left):
                    self._spoil(group.codes, group.near, left, unspoilt, seen)

    def _spoil(
        self,
        codes: tuple[int, ...],
        near: int,
        left: tuple[int, ...],
        unspoilt: list[int],
        seen: set[tuple[int, ...]],
    ) -> None:
        """Those of `codes` and more groups, one of them on each of `unspoilt`; and any more with them."""
        for group, rest in self._touching(unspoilt[0] if unspoilt else EVERYWHERE, left):
            if group.cells & near:
                continue
            both = tuple(sorted(codes + group.codes))
            if both in seen:
                continue
            seen.add(both)
            beside = near | group.near
            still = [place for place in unspoilt if not place & group.cells]
            if not still:
                layout = self._laid(both)
                if self._settled(layout, _unscored(layout, both)):
                    self._add(both, beside, rest)
            if rest and needed(still) <= len(rest):
                self._spoil(both, beside, rest, still, seen)

    def _touching(self, cells: int, left: tuple[int, ...]) -> list[tuple[_Group, tuple[int, ...]]]:
        """The groups of tiles out of `left` with one on some of these cells, and what they leave."""
        found = self.touching.get((cells, left))
        if found is None:
            found = self.touching[cells, left] = [
                (group, rest)
                for group in self.groups
                if group.cells & cells and (rest := less(left, group.values)) is not None
            ]
        return found

    def _laid(self, codes: tuple[int, ...]) -> Layout:
        layout = self.root.copy()
        for code in codes:
            layout.lay(code >> 3, code & 7)
        return layout

    def _settled(self, layout: Layout, pending: Iterable[int]) -> bool:
        """Rule 4 for light cells without a 10, 11 or 12: only the exception can help them."""
        return all(
            layout.reach.translate(DARK[layout.tiles[cell]]).count(1) <= 4 and not layout.dark_fits(cell)
            for cell in pending
        )

    def _settles(self, layout: Layout, cell: int, value: int, pending: tuple[int, ...]) -> bool:
        """Whether laying one tile more leaves every light cell in order."""
        child = layout.copy()
        child.lay(cell, value)
        waiting = [light for light in pending if not child.scores(light)]
        if GLEAM[cell] and not child.scores(cell):
            waiting.append(cell)
        return self._settled(child, waiting)

    def _extends(self, codes: tuple[int, ...], near: int, left: tuple[int, ...]) -> bool:
        """Option laying=club: whether one held tile more would leave a legal turn."""
        if any(self.fits[value] & ~near for value in left) and not any(GLEAM[code >> 3] for code in codes):
            return True
        layout = self._laid(codes)
        pending = _unscored(layout, codes)
        for value in dict.fromkeys(left):
            fits = list(layout.where(FITS[value]))
            if not fits:
                continue
            # A tile that fits somewhere fits a dark cell, or rule 4's exception lets it lie on a light one.
            if not pending or any(self._settles(layout, cell, value, pending) for cell in fits):
                return True
        return False
