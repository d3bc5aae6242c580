"""How a game of 5 vor 12 goes on: `FiveState` knows who and what is due, and plays moves and chance results.

In the order of play: the lot for the first player, set-up in waves (rule 1), turns (rules 2 and 3) and the
end of a game (rule 5) and of a series (rule 6).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..chance import Generator
from ..errors import Impossible
from ..game import JSON, Event, Game, OptionValue, Outcome, State
from . import scoring, stored
from .board import CELLS, DIAGONAL, EMPTY, ID, SIDE, TOP, Board, filled
from .drawing import drawn
from .faults import faults
from .lay_or_exchange import fits, lay, lucky
from .legality import Choice, SetUp, Turn
from .notation import Move, read
from .position import Position
from .view import FiveView, Placement, Source

_NOTHING_LAID: tuple[Board, bytes] = (EMPTY, fits(EMPTY))


class FiveState(Position, State[FiveView]):
    """One position that can be asked and played on (see `State`)."""

    __slots__ = ("_choices", "_fits")

    def __init__(self, game: Game[FiveView], players: int, options: dict[str, OptionValue]) -> None:
        super().__init__(game, players, options)
        self._choices: list[Choice | None] = [None] * players  # by seat, those asked for since the last event
        self._fits = [_NOTHING_LAID] * players  # by seat, a board it has had and `fits` of it

    def __str__(self) -> str:
        return drawn(self.view(None))

    # who and what is due

    def actors(self) -> tuple[int, ...]:
        if self.stage in {"turn", "hand"}:
            assert self.on_turn is not None
            return (self.on_turn,)
        if self.stage == "place":
            return tuple(seat for seat, tiles in enumerate(self.wave) if tiles)
        return ()

    def phase(self) -> str:
        return "set-up" if self.stage in {"first", "deal", "place"} else ""

    def turn(self) -> int:
        """In a game first the waves, then by the tiles revealed before the turn and, where these are as many,
        by the turns without a reveal."""
        kinds = self.idle_limit + 1
        waves = SIDE + 1
        number = len(self.results) * (waves + self.players * TOP * kinds)
        if self.phase():
            return number + self.wave_number
        revealed = self.players * (TOP - SIDE) - sum(self.stock) - (self.stage == "hand")
        return number + waves + revealed * kinds + self.idle

    def chance_due(self) -> bool:
        return self.stage in {"first", "deal", "reveal"}

    def next_chance(self) -> tuple[str, int | None]:
        return self.stage, self.receiver if self.stage == "deal" else None

    def outcome(self) -> Outcome | None:
        return self.ending

    def draw(self, chance: Generator) -> Event:
        if self.stage == "first":
            fixed = self._next_first()
            return Event("chance", f"first {chance.below(self.players) if fixed is None else fixed}")
        if self.stage == "reveal":
            return Event("chance", f"reveal {_blind(self.stock, chance)}")
        if self.stage != "deal":
            raise ValueError("no chance is due")
        stock = list(self.stock)
        tiles: list[int] = []
        while len(tiles) < self.dealt:
            tile = _blind(stock, chance)
            if self.setup == "sorted" and tile in tiles:
                continue  # an equal tile goes back and another is drawn
            stock[tile] -= 1
            tiles.append(tile)
        return Event("chance", "deal " + " ".join(str(tile) for tile in sorted(tiles)), self.receiver)

    def _next_first(self) -> int | None:
        """The seat that must start by option `first` or, in a series, by the game before; None for any."""
        if self.results:
            assert self.first is not None
            return (self.first + 1) % self.players
        return 0 if self.options["first"] == "host" else None

    # moves

    def choice(self, seat: int) -> Choice:
        """Made without a view, which would take longer than all else of a move; and once per position, for
        who lists the moves plays one next."""
        made = self._choices[seat]
        if made is None:
            board = self.boards[seat]
            if self.stage == "place":
                made = SetUp(board, self.wave[seat])
            else:
                fitted, fit = self._fits[seat]
                if fitted is not board:
                    fit = fits(board)
                    self._fits[seat] = board, fit
                may_take = self.idle < self.idle_limit or self.stage == "hand"
                made = Turn(board, fit, self.hand, tuple(self.middle), may_take)
            self._choices[seat] = made
        return made

    def read(self, seat: int, text: str) -> str:
        return read(text)

    # forward: chance

    def play_chance(self, kind: str, result: tuple[int, ...]) -> None:
        if kind == "reveal":
            self._reveal(result[0])
        elif kind == "deal":
            self._deal(result)
        else:
            self._start(result[0])
        self._choices = [None] * self.players

    def _start(self, seat: int) -> None:
        """The first player is known (ruling; in a series rule 6)."""
        if seat >= self.players or self._next_first() not in {None, seat}:
            raise Impossible("first", game=ID, rule="6" if self.results else "2", seat=seat + 1)
        self.first = seat
        self.stage = "deal"
        self.wave_number = 1

    def _deal(self, tiles: tuple[int, ...]) -> None:
        """A seat draws its tiles of a wave (rule 1); sorted ones lie at once."""
        if len(tiles) != self.dealt:
            raise Impossible("count", game=ID, rule="1", count=self.dealt)
        if self.setup == "sorted" and len(set(tiles)) < len(tiles):
            raise Impossible("equal", game=ID, rule="1")
        for tile in tiles:
            if not 1 <= tile <= TOP or self.stock[tile] < tiles.count(tile):
                raise Impossible("tile", game=ID, rule="1", tile=tile)
        for tile in tiles:
            self.stock[tile] -= 1
        seat = self.receiver
        if self.setup == "sorted":
            self._lay_set_up(seat, tiles, DIAGONAL)
        else:
            self.wave[seat] = tiles
        self.receiver = (seat + 1) % self.players
        if not self.receiver:
            self.stage = "place"
            self._end_wave()

    def _reveal(self, tile: int) -> None:
        """A face-down tile is turned up (rule 2a)."""
        if not 1 <= tile <= TOP or not self.stock[tile]:
            raise Impossible("tile", game=ID, rule="2a", tile=tile)
        self.stock[tile] -= 1
        self.hand = tile
        self.stage = "hand"

    # forward: moves

    def play(self, seat: int, move: Move) -> None:
        kind, tiles, cells = move
        if kind == "draw":
            self.stage = "reveal"
        elif self.stage == "place":
            self.wave[seat] = ()
            self._lay_set_up(seat, tiles, cells)
            self._end_wave()
        elif kind == "take":
            self.middle[tiles[0]] -= 1
            self.idle += 1
            self._lay_or_exchange(seat, tiles[0], cells[0], "middle")
        else:
            tile, self.hand, self.idle = self.hand, 0, 0
            if kind == "leave":
                self._leave(seat, tile)
            else:
                self._lay_or_exchange(seat, tile, cells[0], "stock")
        self._choices = [None] * self.players

    def _lay_set_up(self, seat: int, tiles: Sequence[int], cells: Sequence[int]) -> None:
        """Lay a seat's tiles of a wave (rule 1)."""
        for tile, cell in zip(tiles, cells, strict=True):
            self.boards[seat], _ = lay(self.boards[seat], tile, cell)
        self.last[seat] = Placement("set-up", tiles[-1], tuple(CELLS[cell] for cell in cells))
        self.mover = seat

    def _end_wave(self) -> None:
        """Go on once everybody has laid: to the next wave, or to the first turn."""
        if any(self.wave):
            return
        if self.dealt * self.wave_number < SIDE:
            self.wave_number += 1
            self.stage = "deal"
        else:
            self.stage = "turn"
            self.on_turn = self.first

    def _lay_or_exchange(self, seat: int, tile: int, cell: int, source: Source) -> None:
        """Lay a tile on a free cell, or exchange it: what lay there goes face up to the middle (rule 3). The
        16th tile ends the game (rule 5)."""
        board, replaced = lay(self.boards[seat], tile, cell)
        self.boards[seat] = board
        if replaced:
            self.middle[replaced] += 1
        self.last[seat] = Placement(source, tile, (CELLS[cell],), replaced)
        self.mover = seat
        if 0 in board:
            self._end_turn(seat, bool(self.options["bruno"]) and lucky(board, cell))
        else:
            self._end_game((seat,), "board full")

    def _leave(self, seat: int, tile: int) -> None:
        """Leave the revealed tile face up in the middle (rule 2a)."""
        self.middle[tile] += 1
        self.last[seat] = Placement("stock", tile, ())
        self.mover = seat
        self._end_turn(seat, False)

    def _end_turn(self, seat: int, again: bool) -> None:
        """Hand on the turn, unless `bruno` gives another or the stock is empty (rule 5)."""
        if not any(self.stock):
            self._end_game(scoring.best([filled(board) for board in self.boards]), "stock empty")
            return
        self.stage = "turn"
        self.again = again
        if not again:
            self.on_turn = (seat + 1) % self.players

    def _end_game(self, winners: tuple[int, ...], reason: str) -> None:
        """End it all, or go on to the next game of a series (rule 6)."""
        cells = tuple(filled(board) for board in self.boards)
        self.on_turn = None
        self.again = False
        if not self.options["series"]:
            self.stage = "over"
            self.ending = Outcome(cells, winners, reason)
            return
        result = scoring.result(cells, winners, reason)
        self.results.append(result)
        self.points = [total + gained for total, gained in zip(self.points, result.points, strict=True)]
        if len(self.results) < self.games:
            self.new_game()
        else:
            self.stage = "over"
            self.ending = Outcome(tuple(self.points), scoring.best(self.points), "series over")

    # seeing

    def view(self, seat: int | None) -> FiveView:
        series = bool(self.options["series"])
        finished = len(self.results)
        return FiveView(
            seat=seat,
            players=self.players,
            options=tuple(sorted(self.options.items())),
            actors=self.actors(),
            outcome=self.ending,
            scores=tuple(self.points) if series else tuple(filled(board) for board in self.boards),
            phase=self.stage,
            boards=tuple(self.boards),
            middle=tuple(tile for tile in range(1, TOP + 1) for _ in range(self.middle[tile])),
            stock=sum(self.stock),
            hand=self.hand or None,
            wave=tuple(self.wave),
            wave_number=self.wave_number,
            turn=self.on_turn,
            again=self.again,
            first=None if self.stage == "first" else self.first,
            idle=self.idle_now,
            idle_limit=self.idle_limit,
            last=tuple(self.last),
            mover=self.mover,
            game_number=finished if self.ending and series else finished + 1,
            games=self.games,
            points=tuple(self.points),
            results=tuple(self.results),
        )

    # text and checks

    def to_json(self) -> dict[str, JSON]:
        return stored.written(self)

    def clone(self) -> FiveState:
        twin = self.copied((*Position.__slots__, "_fits"))
        twin._choices = [None] * self.players
        return twin

    def faults(self) -> list[str]:
        return faults(self)


def _blind(stock: Sequence[int], chance: Generator) -> int:
    """One tile of the stock, each face-down tile being equally likely."""
    rest = chance.below(sum(stock))
    for tile, count in enumerate(stock):
        if rest < count:
            return tile
        rest -= count
    raise AssertionError("below() stays below the sum")
