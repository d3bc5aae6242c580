"""5 vor 12 in words, for people: the board as lines of text, and events as sentences.

Every text is of the catalogue `fivetotwelve.po`; see `Say`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..game import Event, Fuller, Option, Say, Told, Voice
from ..telling import news_from, several
from .board import CELLS, DIAGONAL, EMPTY, ID, SIDE, SIZE, Board, filled
from .notation import Move, parse, parse_chance
from .view import FiveView, Placement


def board_text(view: FiveView, options: Sequence[Option], names: Sequence[str], say: Say) -> str:
    """Everything the view shows, line by line, what is due before the boards. options: the game's; those not
    at their default are told."""
    lines = [*_heading(view, options, say), *_turn(view, names, say), *_standing(view, names, say)]
    for seat, board in enumerate(view.boards):
        lines += _board(view, seat, board, names[seat], say)
    lines.append(say(f"{ID}.text.middle", tiles=_numbers(view.middle, say)))
    lines.append(say(f"{ID}.text.stock", count=view.stock))
    return "\n".join(lines)


def _heading(view: FiveView, options: Sequence[Option], say: Say) -> Iterator[str]:
    yield say(f"{ID}.name")
    if view.games > 1:
        yield say(f"{ID}.text.game", game=view.game_number, games=view.games)
    for option in options:
        value = view.option(option.name)
        if value == option.default:
            continue
        name = say(f"{ID}.option.{option.name}")
        if option.kind == "flag":
            yield say(f"{ID}.text.flag", option=name)
        else:
            yield say(f"{ID}.text.option", option=name, value=say(f"{ID}.option.{option.name}.{value}"))


def _board(view: FiveView, seat: int, board: Board, name: str, say: Say) -> Iterator[str]:
    yield say(f"{ID}.text.board", name=name, filled=filled(board), size=SIZE)
    for row in range(SIDE):
        cells = (
            f"{CELLS[cell][0]} {board[cell] or say(f'{ID}.text.free')}" for cell in range(row, SIZE, SIDE)
        )
        yield say(f"{ID}.text.row", row=row + 1, cells=", ".join(cells))
    if view.wave[seat]:
        yield say(f"{ID}.text.wave", name=name, tiles=_numbers(view.wave[seat], say))
    if last := view.last[seat]:
        yield _last(last, name, say)


def _last(last: Placement, name: str, say: Say) -> str:
    what = "left" if not last.cells else "exchanged" if last.replaced else "laid"
    key = f"{ID}.text.{what}_{last.source.replace('-', '_')}"
    return say(key, name=name, tile=last.tile, cells=", ".join(last.cells), replaced=last.replaced)


def _turn(view: FiveView, names: Sequence[str], say: Say) -> Iterator[str]:
    """What is due from whom, how near 2b is to its closing, and who began."""
    if view.phase == "deal" or (view.phase == "place" and view.actors):
        yield say(f"{ID}.text.{view.phase}", wave=view.wave_number)
    if view.turn is not None:
        if view.actors:
            yield say(f"{ID}.text.again" if view.again else f"{ID}.text.turn", name=names[view.turn])
        if view.phase == "reveal":
            yield say(f"{ID}.text.drawing", name=names[view.turn])
        if view.hand is not None:
            yield say(f"{ID}.text.hand", name=names[view.turn], tile=view.hand)
    if view.mover is not None:
        yield say(f"{ID}.text.mover", name=names[view.mover])
    if view.closed:
        yield say(f"{ID}.text.closed", idle=view.idle)
    elif view.idle:
        yield say(f"{ID}.text.idle", idle=view.idle, limit=view.idle_limit)
    if view.first is None:
        yield say(f"{ID}.text.no_first")
    else:
        yield say(f"{ID}.text.first", name=names[view.first])


def _standing(view: FiveView, names: Sequence[str], say: Say) -> Iterator[str]:
    """The series so far, and the end."""
    for number, one in enumerate(view.results, 1):
        yield say(
            f"{ID}.text.result",
            game=number,
            winners=", ".join(names[seat] for seat in one.winners),
            reason=_reason(one.reason, say),
            scores=_points(one.points, names, say),
        )
    if view.games > 1:
        yield say(f"{ID}.text.points", scores=_points(view.points, names, say))
    if view.outcome:
        yield say(
            f"{ID}.text.over",
            winners=", ".join(names[seat] for seat in view.outcome.winners),
            reason=_reason(view.outcome.reason, say),
            scores=_points(view.outcome.scores, names, say)
            if view.games > 1
            else _cells(view.outcome.scores, names, say),
        )


def _reason(reason: str, say: Say) -> str:
    return say(f"{ID}.reason.{reason.replace(' ', '_')}")


def _points(scores: Sequence[int], names: Sequence[str], say: Say) -> str:
    return ", ".join(say(f"{ID}.text.score", name=names[seat], n=score) for seat, score in enumerate(scores))


def _cells(scores: Sequence[int], names: Sequence[str], say: Say) -> str:
    return ", ".join(say(f"{ID}.text.filled", name=names[seat], n=score) for seat, score in enumerate(scores))


def _numbers(tiles: Sequence[int], say: Say) -> str:
    return ", ".join(str(tile) for tile in tiles) if tiles else say(f"{ID}.text.none")


def describe(event: Event, names: Sequence[str], say: Say) -> str:
    """One event as a sentence."""
    name = names[event.player] if event.player is not None else ""
    if event.kind == "chance":
        kind, _, rest = event.text.partition(" ")
        if kind == "first":
            return say(f"{ID}.event.first", name=names[int(rest)])
        return say(f"{ID}.event.{kind}", name=name, tiles=", ".join(rest.split()))
    if event.text in {"draw", "leave"}:
        return say(f"{ID}.event.{event.text}", name=name)
    move = parse(event.text)
    placed = zip(move.tiles, move.cells, strict=True)
    laid = ", ".join(say(f"{ID}.event.placed", tile=tile, cell=CELLS[cell]) for tile, cell in placed)
    if move.kind == "take":
        return say(f"{ID}.event.take", name=name, placed=laid, tile=move.tiles[0], cell=CELLS[move.cells[0]])
    return say(f"{ID}.event.lay", name=name, placed=laid)


def address_known(view: FiveView, text: str, voice: Voice, say: Say) -> str:
    """See `Game.address`: a tile that is left, which was revealed to all, and an exchange, which the board
    tells from a lay; "" for another move."""
    move = parse(text)
    if move.kind == "leave":
        return say(f"{ID}.{voice}.leave", tile=view.hand)
    told = _exchange(move, view.boards[view.seat]) if view.seat is not None else None
    return say(f"{ID}.{voice}.{told.kind}", **told.values) if told is not None else ""


def fuller(view: FiveView, events: Sequence[Event]) -> dict[int, Fuller]:
    """See `Game.fuller`: the exchanges."""
    found: dict[int, Fuller] = {}
    for place, (event, before, _) in enumerate(_followed(view, events)):
        told = _exchange(parse(event.text), before) if event.kind == "move" else None
        if told is not None:
            found[place] = told
    return found


def _exchange(move: Move, board: Board) -> Fuller | None:
    """What tells of an exchange; None for another move."""
    replaced = board[move.cells[0]] if move.cells else 0
    if not replaced:
        return None
    kind = "take_exchange" if move.kind == "take" else "exchange"
    return Fuller(kind, {"tile": move.tiles[0], "cell": CELLS[move.cells[0]], "replaced": replaced})


def _followed(view: FiveView, events: Sequence[Event]) -> Iterator[tuple[Event, Board, Board]]:
    """Each event, and the board of its seat before and after it. Replayed from the record, for a board tells
    neither when a tile came to lie there nor what it took the place of."""
    boards = [EMPTY] * view.players
    for event in events:
        placed: Iterable[tuple[int, int]] = ()
        if event.kind == "move":
            move = parse(event.text)
            placed = zip(move.cells, move.tiles, strict=True)
        else:
            kind, numbers = parse_chance(event.text)
            if kind == "first":
                boards = [EMPTY] * view.players
            elif kind == "deal" and view.option("setup") == "sorted":
                placed = zip(DIAGONAL, numbers, strict=True)
        if event.player is None:
            yield event, EMPTY, EMPTY
            continue
        before = boards[event.player]
        boards[event.player] = _with(before, placed)
        yield event, before, boards[event.player]


# --------------------------------------------------------------------------- turns, retold


def retell(view: FiveView, events: Sequence[Event], since: int, say: Say) -> list[Told]:
    """See `Game.retell`."""
    news = news_from(view, events, since)
    hand, decided, games = 0, -1, 0
    told: list[Told] = []
    for place, (event, before, after) in enumerate(_followed(view, events)):
        if event.kind == "chance":
            kind, numbers = parse_chance(event.text)
            if kind == "first":
                if games and decided >= news:
                    told += _game_told(view, games, say)
                games += 1
            elif kind == "reveal":
                hand = numbers[0]
            continue
        if event.player is None:
            continue
        decided = place
        move = parse(event.text)
        if place >= since and move.kind != "draw":
            told.append(Told(event.player, _turn_told(move, hand, before, after, say)))
    if view.outcome is not None and decided >= news:
        told += _game_told(view, games, say)
    if view.hand is not None and view.turn is not None:
        told.append(Told(view.turn, say(f"{ID}.told.reveal", tile=view.hand)))
    return told


def _game_told(view: FiveView, number: int, say: Say) -> list[Told]:
    """What a game of a series brought each seat; a single one is told by the end."""
    if view.games == 1 or number > len(view.results):
        return []
    one = view.results[number - 1]
    told = []
    for seat, points in enumerate(one.points):
        key = f"{ID}.told.{'game_won' if seat in one.winners else 'game'}"
        phrase = say(key, game=number, n=points)
        told.append(Told(seat, phrase, phrase))
    return told


def _with(board: Board, laid: Iterable[tuple[int, int]]) -> Board:
    after = list(board)
    for cell, tile in laid:
        after[cell] = tile
    return tuple(after)


def _turn_told(move: Move, hand: int, before: Board, after: Board, say: Say) -> str:
    """hand: the tile revealed last."""
    if move.kind == "leave":
        return say(f"{ID}.told.leave", tile=hand)
    placed = zip(move.tiles, move.cells, strict=True)
    laid = several([say(f"{ID}.event.placed", tile=tile, cell=CELLS[cell]) for tile, cell in placed], say)
    if move.kind == "take":
        laid = say(f"{ID}.told.take", laid=laid)
    if filled(after) == filled(before):
        return say(f"{ID}.told.exchange", laid=laid, replaced=before[move.cells[0]])
    return say(f"{ID}.told.lay", laid=laid, n=filled(after) - filled(before))
