"""Why a move is right beyond doubt: found by the rules core alone, by trying every move.

A proof takes a position and the seat that is to move, and tells all moves that are right there, or all that
nobody should make; [] where it is not beyond doubt. `tests/players/sense` names one for each position. They
know nothing of the computer players.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import TypeVar, cast

from bot.rules.fivetotwelve import FiveState
from bot.rules.fivetotwelve.board import SIDE, SIZE, TOP, filled
from bot.rules.fivetotwelve.lay_or_exchange import fitting, lay
from bot.rules.fivetotwelve.notation import parse as parse_five
from bot.rules.game import AnyState, Event
from bot.rules.top12 import CELLS, FACES, ROWS, Top12State, column_of, is_dead
from bot.rules.top12.scoring import fullness, outcome_of
from bot.rules.top12.sheet import LEAST, MOST, entered, open_cells
from bot.rules.topominos import TopominosState
from bot.rules.topominos.pieces import CELL_INDEX, FITTING, FULL, MASKS
from bot.rules.topspot import TopSpotState
from bot.rules.zatre import ZatreState, parse_placements, with_tiles
from bot.rules.zatre.scoring import gain

Proof = Callable[..., list[str]]


StateT = TypeVar("StateT", bound=AnyState)


def after(state: StateT, seat: int, move: str) -> StateT:
    """The position after a move."""
    copy = cast(StateT, state.clone())
    copy.apply(Event("move", move, seat))
    return copy


# --------------------------------------------------------------------------- Top 12


def _cell(move: str) -> int:
    return CELLS.index(move.partition("@")[2])


def _column_after(state: Top12State, seat: int, move: str) -> tuple[int, ...]:
    """The column that an entry is made in, with it."""
    cell = _cell(move)
    return tuple(column_of(entered(state.sheets[seat], cell, state.number), cell // ROWS))


def top12_fills(state: Top12State, seat: int) -> list[str]:
    """Entries that fill a column."""
    return [move for move in state.legal(seat) if 0 not in _column_after(state, seat, move)]


def top12_alive(state: Top12State, seat: int) -> list[str]:
    """Entries after which the column can still be filled."""
    return [move for move in state.legal(seat) if not is_dead(_column_after(state, seat, move))]


def top12_calls(state: Top12State, seat: int) -> list[str]:
    """Calls with which most faces of the die win the game at once, where everybody who can fill a column
    does."""
    worth = {number: _winning_faces(state, seat, number) for number in range(LEAST, MOST + 1)}
    best = max(worth.values())
    return sorted(f"call {number}" for number, faces in worth.items() if faces == best > 0)


def _winning_faces(state: Top12State, seat: int, number: int) -> int:
    found = 0
    for face in FACES:
        fills = [_filling(sheet, number, face) for sheet in state.sheets]
        if not fills[seat]:
            continue
        # whoever cannot fill a column is behind, whatever is entered: what counts first is the fullest one
        sheets = [
            max(
                (entered(sheet, cell, number) for cell in cells),
                key=fullness,
                default=sheet,
            )
            for sheet, cells in zip(state.sheets, fills, strict=True)
        ]
        found += outcome_of(sheets, "column full").winners == (seat,)
    return found


def _filling(sheet: Sequence[int], number: int, face: str) -> list[int]:
    return [cell for cell in open_cells(sheet, number, face) if column_of(sheet, cell // ROWS).count(0) == 1]


def top12_gifts(state: Top12State, seat: int) -> list[str]:
    """Calls with which another seat can fill a column and this one cannot, whatever the die shows."""
    return sorted(
        f"call {number}"
        for number in range(LEAST, MOST + 1)
        if not top12_can_fill(state, seat, number)
        and any(top12_can_fill(state, other, number) for other in range(len(state.sheets)))
    )


def top12_can_fill(state: Top12State, seat: int, number: int) -> bool:
    """Whether some face of the die lets the seat fill a column with the number."""
    return bool(_filling(state.sheets[seat], number, "joker"))


def top12_dead(state: Top12State, seat: int) -> list[str]:
    """Parts of a set-up that make a column dead from the start."""
    return [
        f"{number}@{CELLS[cell]}"
        for number in (10, 20, 30, 40, 50)
        for cell in range(len(CELLS))
        if is_dead(tuple(column_of(entered((0,) * len(CELLS), cell, number), cell // ROWS)))
    ]


# --------------------------------------------------------------------------- 5 vor 12


def _wins(state: AnyState, seat: int, move: str) -> bool:
    """Whether a move ends the game, seat being its only winner."""
    outcome = after(state, seat, move).outcome()
    return outcome is not None and outcome.winners == (seat,)


def wins(state: AnyState, seat: int) -> list[str]:
    """Moves that end the game, this seat being its only winner."""
    return [move for move in state.legal(seat) if _wins(state, seat, move)]


def five_fills(state: FiveState, seat: int) -> list[str]:
    """Moves that fill the board: for a game of a series, which goes on."""
    return [
        move for move in state.legal(seat) if "@" in move and filled(five_board(state, seat, move)) == SIZE
    ]


def five_board(state: FiveState, seat: int, move: str) -> tuple[int, ...]:
    """The seat's board after a move."""
    _, tiles, cells = parse_five(move)
    board = state.boards[seat]
    for tile, cell in zip(tiles, cells, strict=True):
        board, _ = lay(board, tile, cell)
    return board


def five_again(state: FiveState, seat: int) -> list[str]:
    """Moves that give another turn (bruno), in which a tile from the middle fills the board."""
    found = []
    for move in state.legal(seat):
        then = after(state, seat, move)
        if then.actors() == (seat,) and any(take.startswith("take") for take in five_fills(then, seat)):
            found.append(move)
    return found


def five_gives(state: FiveState, seat: int) -> list[str]:
    """Moves after which another seat can win by a tile from the middle."""
    return [move for move in state.legal(seat) if move != "draw" and _gives(after(state, seat, move), seat)]


def five_gifts(state: FiveState, seat: int) -> list[str]:
    """Moves that leave a tile in the middle, or exchange it to there, with which another seat can fill its
    board."""
    filling = _wanted(state, seat)

    def gone(move: str) -> int:
        _, _, cells = parse_five(move)
        return state.boards[seat][cells[0]] if cells else state.hand if move == "leave" else 0

    return [move for move in state.legal(seat) if gone(move) in filling]


def five_only(state: FiveState, seat: int) -> list[str]:
    """Placements on a free cell that takes no other number."""
    board = state.boards[seat]
    found = []
    for move in state.legal(seat):
        _, _, cells = parse_five(move)
        if cells and not board[cells[0]]:
            numbers = [tile for tile in range(1, TOP + 1) if cells[0] in fitting(board, tile)]
            found += [move] if len(numbers) == 1 else []
    return found


def _wanted(state: FiveState, seat: int) -> set[int]:
    """Tiles with which another seat can fill its board."""
    return {
        tile
        for other, board in enumerate(state.boards)
        if other != seat and board.count(0) == 1
        for tile in range(1, TOP + 1)
        if board.index(0) in fitting(board, tile)
    }


def _gives(state: FiveState, seat: int) -> bool:
    return any(state.middle[tile] for tile in _wanted(state, seat))


def five_open(state: FiveState, seat: int) -> list[str]:
    """Placements on free cells after which all free cells can still be filled without an exchange."""
    return [
        move
        for move in state.legal(seat)
        if "@" in move
        and filled(five_board(state, seat, move)) > filled(state.boards[seat])
        and fillable(five_board(state, seat, move))
    ]


def fillable(board: Sequence[int]) -> bool:
    """Whether numbers from 1 to 20 could fill the free cells with all rows and columns rising: as small a
    number as can be on each cell, from the top left."""
    least: dict[int, int] = {}
    for cell in sorted(range(SIZE), key=lambda at: at // SIDE + at % SIDE):
        column, row = divmod(cell, SIDE)
        before = [least[at] for at, there in ((cell - SIDE, column), (cell - 1, row)) if there]
        low = max(before, default=0) + 1
        if board[cell] and board[cell] < low:
            return False
        least[cell] = board[cell] or low
        if least[cell] > TOP:
            return False
    return True


def best_end(state: AnyState, seat: int) -> list[str]:
    """Where every move ends the game: those with which the seat stands best: alone first, then shared."""
    standing = {}
    for move in state.legal(seat):
        outcome = after(state, seat, move).outcome()
        if outcome is None:
            return []
        standing[move] = 2 * (outcome.winners == (seat,)) + (seat in outcome.winners)
    best = max(standing.values())
    return [move for move, stands in standing.items() if stands == best]


# --------------------------------------------------------------------------- Top Spot


def _to_beat(state: TopSpotState) -> int:
    """The highest value so far, where one play of the round is lacking; else -1."""
    if not state.plays or len(state.plays) != len(state.order) - 1:
        return -1
    return max(play.value for play in state.plays if play.counts)


def _worth(state: TopSpotState, seat: int, move: str) -> int:
    """What a play, not the leader's, is worth: its value, or -1 where it cannot win."""
    copy = state.clone()
    copy.order = (*copy.order, -1)  # one more play would be lacking, so that the round stays
    copy.apply(Event("move", move, seat))
    play = copy.plays[-1]
    return play.value if play.counts else -1


def spot_takes(state: TopSpotState, seat: int) -> list[str]:
    """Of the last in the round: plays that win it, one card among them; where no play ties."""
    beat = _to_beat(state)
    worth = {move: _worth(state, seat, move) for move in state.legal(seat)} if beat >= 0 else {}
    found = [move for move, value in worth.items() if value > beat]
    return found if beat not in worth.values() and any("+" not in move for move in found) else []


def spot_spares(state: TopSpotState, seat: int) -> list[str]:
    """Of the last in a round that it can neither win nor tie: plays of a single card that is no joker."""
    beat = _to_beat(state)
    worth = {move: _worth(state, seat, move) for move in state.legal(seat)} if beat >= 0 else {}
    if beat <= max(worth.values(), default=beat):
        return []
    return [move for move in worth if "+" not in move and "*" not in move]


def spot_jokers(state: TopSpotState, seat: int) -> list[str]:
    """Of the last in a round: plays that throw a joker away, since they neither win nor tie; where there are
    others."""
    beat = _to_beat(state)
    legal = state.legal(seat)
    found = [move for move in legal if "*" in move and _worth(state, seat, move) < beat]
    return found if any("*" not in move for move in legal) else []


def spot_best(state: TopSpotState, seat: int) -> list[str]:
    """Plays that are best however the others' cards lie and whatever they play: in every deal that the seat's
    view leaves, these bring the most (own points of the game less the best of the others'), and every other
    play brings less."""
    right: set[str] | None = None
    for world in _deals(state, seat):
        worth = {
            move: _settled(after(world, seat, move), seat, state.game_number) for move in world.legal(seat)
        }
        best = max(worth.values())
        now = {move for move, value in worth.items() if value == best}
        if right is not None and now != right:
            return []
        right = now
    return sorted(right or ())


def _deals(state: TopSpotState, seat: int) -> Iterator[TopSpotState]:
    """Every way in which what the seat does not see can lie."""
    others = [other for other in range(state.players) if other != seat and state.has_cards(other)]
    counts = [state.cards_left(other) for other in others]
    mask = jokers = 0
    for other in others:
        mask |= state.hands[other]
        jokers += state.jokers[other]
    cards = [at for at in range(60) if mask >> at & 1] + [60] * jokers
    for hands in _shares(tuple(cards), tuple(counts)):
        if any(
            card < 60 and state.void[other] >> card // 12 & 1
            for other, hand in zip(others, hands, strict=True)
            for card in hand
        ):
            continue
        copy = state.clone()
        for other, hand in zip(others, hands, strict=True):
            copy.hands[other] = sum(1 << card for card in hand if card < 60)
            copy.jokers[other] = hand.count(60)
        yield copy


def _shares(cards: tuple[int, ...], counts: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    if not counts:
        yield ()
        return
    for hand in sorted(set(combinations(cards, counts[0]))):
        rest = Counter(cards) - Counter(hand)
        for others in _shares(tuple(sorted(rest.elements())), counts[1:]):
            yield (hand, *others)


def _settled(state: TopSpotState, seat: int, number: int) -> int:
    """What the game number so and so comes to where everybody else plays against the seat."""
    if state.game_number != number or state.outcome() is not None:
        points = state.previous
        return points[seat] - max(points[:seat] + points[seat + 1 :])
    (actor,) = state.actors()
    found = (_settled(after(state, actor, move), seat, number) for move in state.legal(actor))
    return max(found) if actor == seat else min(found)


# --------------------------------------------------------------------------- Topominos

Stacks = tuple[tuple[int, bool], ...]  # dots and whether it scores at the end of the turn, by stack, sorted
REDRAWN = (
    0,
    8,
)  # points: what pieces drawn for an emptied rack can bring, at the least and at most in most turns
CLEAR = 4  # points: what another move costs at least


def topo_nine(state: TopominosState, seat: int) -> list[str]:
    """Lays that complete a nine, where every other first move costs `CLEAR` points of this turn at least and
    gains nothing later (see `topo_at_hand`)."""
    nines = topo_at_hand(state, seat)
    for bonus in REDRAWN:
        right, margin = _best_lays(state, seat, bonus, 0)
        if margin < CLEAR or not set(right) <= set(nines):
            return []
    return right


def topo_ends(state: TopominosState, seat: int) -> list[str]:
    """Moves that lay nothing where one piece completes a nine."""
    return [move for move in state.legal(seat) if "@" not in move] if topo_at_hand(state, seat) else []


def topo_at_hand(state: TopominosState, seat: int) -> list[str]:
    """Lays that complete a nine which it would be no use to keep: somebody else can complete it before, the
    stack brings nothing in this turn if it is left, and no piece on the rack adds less to it. (Alone, or on a
    stack that scores at the end of the turn anyway, one may well wait: it scores again in the next.)"""
    lays = [move for move in state.legal(seat) if "@" in move]
    nines = [move for move in lays if after(state, seat, move).nines > state.nines]
    on = {move: CELL_INDEX[move.partition("@")[2]] for move in lays}
    return [
        move
        for move in nines
        if state.players > 1
        and not state.touched >> on[move] & 1
        and all(other in nines for other in lays if on[other] == on[move])
    ]


def topo_last(state: TopominosState, seat: int) -> list[str]:
    """In a seat's very last turn of a game: first moves of the turns after which points less the dots left
    are the most. Where others still have a turn, all other moves cost `CLEAR` points at least."""
    if not topo_is_last(state, seat):
        return []
    right, margin = _best_lays(state, seat, 0, 1)
    return right if margin >= (1 if (seat + 1) % state.players == state.first else CLEAR) else []


def topo_is_last(state: TopominosState, seat: int) -> bool:
    """Whether the game ends with this round even if the seat keeps pieces: the bag and another rack are
    empty. Alone: whether the last piece of all is to be laid; passing would change nothing."""
    if state.players == 1:
        return not state.bag and len(state.racks[0]) == 1 and not state.laid
    return not state.bag and any(not rack for other, rack in enumerate(state.racks) if other != seat)


def topo_pass(state: TopominosState, seat: int) -> list[str]:
    """Passing alone without an exchange, where a piece can be laid: nothing is different afterwards."""
    legal = state.legal(seat)
    return ["pass"] if state.players == 1 and "pass" in legal and "@" in legal[0] else []


def _best_lays(state: TopominosState, seat: int, bonus: int, dots: int) -> tuple[list[str], int]:
    """The best moves, and by how much. bonus: for a rack that is emptied while the bag holds pieces. dots:
    what each dot left on the rack costs."""
    worth = {}
    for move in state.legal(seat):
        then = after(state, seat, move) if "@" in move else state
        now = 9 * (then.nines - state.nines)
        if move == "end":
            worth[move] = sum(
                fill.bit_count() for at, fill in enumerate(state.fills) if state.touched >> at & 1
            )
            worth[move] -= dots * sum(map(len, state.racks[seat]))
        elif "@" not in move:
            worth[move] = -dots * sum(map(len, state.racks[seat]))
        else:
            stacks = tuple(
                sorted((fill, bool(then.touched >> at & 1)) for at, fill in enumerate(then.fills) if fill)
            )
            only = then.fills[then.start] if then.mode == "start" else 0
            worth[move] = now + _rest(tuple(then.racks[seat]), stacks, then.mode, only, bonus, dots)
    best = max(worth.values())
    right = [move for move, value in worth.items() if value == best]
    return right, best - max((value for value in worth.values() if value != best), default=best)


@lru_cache(maxsize=1 << 20)
def _rest(rack: tuple[str, ...], stacks: Stacks, mode: str, only: int, bonus: int, dots: int) -> int:
    """The most that the rest of a turn can bring, its end included. only: dots of the one stack of a turn
    that has started it."""
    best = sum(fill.bit_count() for fill, scores in stacks if scores) - dots * sum(map(len, rack))
    if not rack:
        return best + bonus
    for at, name in enumerate(rack):
        if at and rack[at - 1] == name:
            continue
        left = rack[:at] + rack[at + 1 :]
        targets: set[tuple[int, bool]] = set(stacks)
        if mode == "start":
            targets = {(only, True)}
        elif mode == "open" and len(stacks) < 9:
            targets.add((0, False))
        for target in targets:
            fill = target[0]
            others = list(stacks)
            if fill:
                others.remove(target)
            for face in FITTING[name][fill]:
                full = fill | MASKS[face]
                if full == FULL:
                    value = 9 + _rest(left, tuple(others), "open", 0, bonus, dots)
                else:
                    kind = "start" if mode == "start" or not fill else "add"
                    more = tuple(sorted([*others, (full, True)]))
                    value = _rest(left, more, kind, full if kind == "start" else 0, bonus, dots)
                best = max(best, value)
    return best


# --------------------------------------------------------------------------- Zatre

AHEAD = 5  # points that a turn must be ahead of all others


def zatre_gains(state: ZatreState, seat: int) -> dict[str, int]:
    """What each turn adds to the sheet."""
    sheet = state.sheets[state.sheet_of(seat)]
    found = {}
    for move in state.legal(seat):
        placements = () if move == "keep" else parse_placements(move)
        tiles = with_tiles(state.board, placements)
        found[move] = sheet.worth(gain(tiles, [cell for cell, _ in placements])).total
    return found


def zatre_most(state: ZatreState, seat: int) -> list[str]:
    """Turns that add the most to the sheet, where all others add `AHEAD` points less at least."""
    gains = zatre_gains(state, seat)
    best = max(gains.values())
    right = [move for move, points in gains.items() if points == best]
    other = max((points for points in gains.values() if points != best), default=best)
    return right if best - other >= AHEAD else []


def zatre_keeps(state: ZatreState, seat: int) -> list[str]:
    """Keeping all tiles, where a turn adds 6 points or more."""
    gains = zatre_gains(state, seat)
    return ["keep"] if "keep" in gains and max(gains.values()) >= 6 else []


def zatre_last(state: ZatreState, seat: int) -> list[str]:
    """In the last turn of a game: turns after which the score, the tiles still held taken off, is the
    highest, where nothing else stands as well (see `best_end`)."""
    if any(state.bag):
        return []
    scores = {}
    for move in state.legal(seat):
        outcome = after(state, seat, move).outcome()
        assert outcome is not None
        scores[move] = outcome.scores[seat]
    most = max(scores.values())
    right = [move for move, score in scores.items() if score == most]
    return right if right == best_end(state, seat) else []
