"""What a seat may do in its turn: the facts that decide it, the judgement of a turn, the list of all, and the
turn played for whoever runs out of time; and what may still come of a turn half laid, a draft.

`Turn` is Zatre's choice (see `Game.choice`): there is no other way to ask what is legal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..errors import Illegal
from .board import EMPTY, GLEAM, NAMES, RED, Placement, loose_cells, with_tiles
from .completion import Completion
from .layout import FITS, GOOD, Layout, layout_of
from .listing import laying_turns
from .notation import ID, KEEP, PLACEMENTS, TOKENS, parse_placements, placements_text
from .scoring import gain, runs_through
from .tiles import less, without

MOST_LISTED = 4  # tiles held; with more, turns are checked and never listed


@dataclass(frozen=True, slots=True)
class Turn:
    """All that decides whether a turn is legal. board: value by cell. held: tiles, sorted. must_lay: no tile
    was drawn, so one must be laid (rule 5). club: option laying=club.

    >>> from bot.rules.zatre import EMPTY, parse_placements, with_tiles
    >>> board = bytes(with_tiles(EMPTY, parse_placements("5@H8 4@I8")))
    >>> turn = Turn(board, (1, 3), must_lay=False, club=False)
    >>> turn.legal(parse_placements("3@G8 1@H9"))
    True
    >>> turn.check(parse_placements("3@C8"))
    Traceback (most recent call last):
    bot.rules.errors.Illegal: ('apart', '2', {'cell': 'C8'})
    """

    board: bytes
    held: tuple[int, ...]
    must_lay: bool
    club: bool

    @property
    def opening(self) -> bool:
        """Whether this is the first turn, which has rules of its own (rule 1)."""
        return self.board == EMPTY

    @property
    def listable(self) -> bool:
        """Whether all turns can be listed: with many tiles held they are far too many."""
        return len(self.held) <= MOST_LISTED

    def check(self, placements: Sequence[Placement]) -> Layout:
        """The layout after laying exactly these, if that is legal. Raises Illegal, the lowest rule broken
        first."""
        layout = self._check_free(placements)
        if self.club and not self.opening:
            extra = self._extension(placements)
            if extra is not None:
                raise Illegal("club", game=ID, rule="5", tile=extra[1], cell=NAMES[extra[0]])
        return layout

    def legal(self, placements: Sequence[Placement]) -> bool:
        """Whether `check` takes it."""
        try:
            self.check(placements)
        except Illegal:
            return False
        return True

    def free(self, placements: Sequence[Placement]) -> bool:
        """Whether it is legal with option laying=free."""
        try:
            self._check_free(placements)
        except Illegal:
            return False
        return True

    def _check_free(self, placements: Sequence[Placement]) -> Layout:
        if not self.holds(placements):
            tile = min(Counter(value for _, value in placements) - Counter(self.held))
            if tile in self.held:
                raise Illegal("not_held", game=ID, rule="5", tile=tile, n=self.held.count(tile))
            raise Illegal("none_held", game=ID, rule="5", tile=tile, tiles=", ".join(map(str, self.held)))
        for cell, _ in placements:
            if self.board[cell]:
                raise Illegal("occupied", game=ID, rule="2", cell=NAMES[cell])
        if self.opening:
            if len(placements) < len(self.held):
                raise Illegal("opening_all", game=ID, rule="1", n=len(self.held))
            if RED not in dict(placements):
                raise Illegal("opening_red", game=ID, rule="1", cell=NAMES[RED])
        elif not placements:
            if self.must_lay:
                raise Illegal("must_lay", game=ID, rule="5")
            return layout_of(self.board)
        laid = [cell for cell, _ in placements]
        if loose := loose_cells(self.board, laid):
            rule, code = ("1", "opening_apart") if self.opening else ("2", "apart")
            raise Illegal(code, game=ID, rule=rule, cell=NAMES[loose[0]])
        layout = layout_of(self.board).copy()
        tiles, fits = layout.tiles, True
        for cell, value in placements:
            # The tile laid last in a run sees all of it.
            fits = fits and max(layout.across[cell], layout.down[cell]) + value <= 12
            layout.lay(cell, value)
        if not fits:
            run = next(run for run in runs_through(tiles, laid) if run.total >= 13)
            ends = {"first": NAMES[run.cells[0]], "last": NAMES[run.cells[-1]]}
            raise Illegal("thirteen", game=ID, rule="3", total=run.total, **ends)
        for cell in laid:
            if GLEAM[cell] and not layout.scores(cell) and (dark := layout.dark_fits(cell)):
                raise Illegal(
                    "light", game=ID, rule="4", cell=NAMES[cell], tile=tiles[cell], dark=NAMES[min(dark)]
                )
        return layout

    def after(self, placements: Iterable[Placement]) -> Layout:
        """The layout with these tiles laid, legal or not; no run may pass 12."""
        layout = layout_of(self.board).copy()
        for cell, value in placements:
            layout.lay(cell, value)
        return layout

    def holds(self, placements: Iterable[Placement]) -> bool:
        """Whether all these tiles are held."""
        return less(self.held, tuple([value for _, value in placements])) is not None

    def rest(self, placements: Iterable[Placement]) -> tuple[int, ...]:
        """What stays in hand when these are laid, sorted. Raises ValueError where they are not all held."""
        left = less(self.held, tuple([value for _, value in placements]))
        if left is None:
            raise ValueError("tiles that are not held")
        return left

    def _extension(self, placements: Sequence[Placement]) -> Placement | None:
        """One held tile more that would leave a legal turn, for a turn that is legal under laying=free."""
        layout = self.after(placements)
        for value in sorted(set(self.rest(placements))):
            for cell in layout.where(FITS[value]):
                if self.free((*placements, (cell, value))):
                    return cell, value
        return None

    # drafts

    def plain_placements(self, draft: Sequence[Placement]) -> list[Placement]:
        """Those of `next_placements` that with `draft` are a legal turn of laying=free without rule 4's
        exception: on a dark cell, or on a light one with a 10, 11 or 12 through it. No search. The draft must
        be such a turn itself, or empty; not for the opening."""
        layout = self.after(draft)
        return [
            (cell, value) for value in dict.fromkeys(self.rest(draft)) for cell in layout.where(GOOD[value])
        ]

    def plain(self, draft: Sequence[Placement]) -> bool:
        """Whether every light cell of `draft` has a 10, 11 or 12 through it."""
        layout = self.after(draft)
        return not any(GLEAM[cell] and not layout.scores(cell) for cell, _ in draft)

    def next_placements(self, draft: Sequence[Placement]) -> list[Placement]:
        """Every (cell, value) of a held tile that touches a tile lying and with which `draft` can still
        become a legal turn, as far as `Completion` sees; sorted by cell, then value. The opening starts on
        the red cell."""
        rest = self.rest(draft)
        if self.opening:
            turns = [frozenset(text.split(" ")) for text in list_turns(self)]
            wanted = {TOKENS[value][cell] for cell, value in draft}
            turns = [turn for turn in turns if wanted <= turn]
            reach = self.after(draft).reach
            return sorted(
                {
                    PLACEMENTS[token]
                    for turn in turns
                    for token in turn - wanted
                    if (reach[PLACEMENTS[token][0]] if draft else PLACEMENTS[token][0] == RED)
                }
            )
        layout = self.after(draft)
        calm = self.plain(draft)
        completion = Completion(self.board)
        found: list[Placement] = []
        for value in sorted(set(rest)):
            good = layout.reach.translate(GOOD[value])
            left = without(rest, value)
            for cell in layout.where(FITS[value]):
                if not (calm and good[cell]):
                    child = layout.copy()
                    child.lay(cell, value)
                    if not completion.possible(child, (*draft, (cell, value)), left):
                        continue
                found.append((cell, value))
        return sorted(found)


def list_turns(turn: Turn) -> list[str]:
    """Every legal turn in canonical text, sorted by character code. Grows steeply with the tiles held.

    >>> from bot.rules.zatre import EMPTY, parse_placements, with_tiles
    >>> board = bytes(with_tiles(EMPTY, parse_placements("5@H8")))
    >>> list_turns(Turn(board, (1,), must_lay=False, club=False))
    ['1@G8', '1@H7', '1@H9', '1@I8', 'keep']
    """
    found = laying_turns(turn.board, turn.held, turn.club)
    found.sort()
    if turn.legal(()):
        found.append(KEEP)  # "k" comes after every digit
    return found


def greedy_turn(turn: Turn) -> str:
    """A cheap legal turn: tile after tile where it completes the most, until no tile can be added.

    >>> from bot.rules.zatre import EMPTY, parse_placements, with_tiles
    >>> board = bytes(with_tiles(EMPTY, parse_placements("5@H8 4@I8")))
    >>> greedy_turn(Turn(board, (2, 3), must_lay=False, club=False))
    '2@H7 3@G8'
    """
    if turn.opening:
        return max(list_turns(turn), key=lambda text: (_worth(turn.board, parse_placements(text)), text))
    laid: list[Placement] = []
    while True:
        layout = turn.after(laid)
        options = [
            (layout.reach[cell] % 32 + value, value, -cell)
            for value in sorted(set(turn.rest(laid)))
            for cell in layout.where(FITS[value])
        ]
        for _, value, cell in sorted(options, reverse=True):
            if turn.free((*laid, (-cell, value))):
                laid.append((-cell, value))
                break
        else:
            return placements_text(laid)


def _worth(board: bytes, placements: Sequence[Placement]) -> int:
    found = gain(with_tiles(board, placements), [cell for cell, _ in placements])
    return found.ten + found.eleven + found.twelve + len(found.crosses)
