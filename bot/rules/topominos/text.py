"""Topominos in words: the board for screen readers (`board_text`) and events as sentences (`describe`), with
words from the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..game import Event, Say, Told, Voice
from ..telling import news_from, several
from .notation import End, Lay, Pass, parse
from .pieces import CELL_INDEX, CELLS, FULL, MASKS, NAMES, dots_of, fill, rack_size
from .view import LastTurn, TopominosView


def board_text(view: TopominosView, names: Sequence[str], say: Say) -> str:
    """See `Game.board_text`: what is due, the board, and at the end what was before."""
    return "\n".join(_board_lines(view, names, say))


def _board_lines(view: TopominosView, names: Sequence[str], say: Say) -> Iterable[str]:
    def text(key: str, **values: object) -> str:
        return say(f"topominos.text.{key}", **values)

    options = dict(view.options)
    if options["target"] is not None:
        yield text("game_of_target", game=view.game_number, n=options["target"])
    elif options["rounds"] != 1:
        yield text("game_of_rounds", game=view.game_number, rounds=options["rounds"])
    if view.turn is not None:
        if view.actors:
            yield text("turn", name=names[view.turn])
        if view.laid:
            yield text("laid", laid=_pieces_laid(view.laid, say), nines=view.nines, n=view.turn_points)
        if view.redrawn:
            yield text("redrawn", n=view.redrawn)
        if view.laid and view.actors:
            yield text(f"mode_{view.mode}", cell=view.start or "")
        if view.touched:
            yield text("touched", cells=", ".join(view.touched), n=view.pending)
    if view.last_round:
        yield text("last_round_stuck" if view.stuck else "last_round")
    if view.phase != "turn":
        yield text(f"phase_{view.phase}")
    if view.seat is not None:
        yield text("rack", pieces=", ".join(view.rack) or text("none"))
    if view.outcome is not None:
        winners = ", ".join(names[seat] for seat in view.outcome.winners)
        reason = say(f"topominos.reason.{view.outcome.reason.replace(' ', '_')}")
        yield text("outcome" if view.players > 1 else "outcome_alone", winners=winners, reason=reason)
    for row in "123":
        yield text("row", row=row, cells="; ".join(_cell_text(view, column, row, say) for column in "ABC"))
    yield text("bag", n=view.bag)
    yield text("gone", pieces=", ".join(view.gone) or text("none"))
    for seat in range(view.players):
        yield text(
            "seat",
            name=names[seat],
            score=text("points", n=view.scores[seat]),
            points=view.points[seat],
            n=view.racks[seat],
        )
    if view.starter is not None:
        yield text("starter", name=names[view.starter])
    if view.last is not None:
        yield _last_text(view.last, names, say)
    if view.passes:
        yield text("passes", n=view.passes)
    for number, drawn in enumerate(view.lots, 1):
        lots = ", ".join(
            say("topominos.event.lot", name=names[seat], piece=piece)
            for seat, piece in enumerate(drawn)
            if piece != "-"
        )
        yield text("lots", number=number, lots=lots)
    for number, result in enumerate(view.games, 1):
        scores = ", ".join(text("score", name=names[seat], n=points) for seat, points in enumerate(result))
        yield text("result", game=number, scores=scores)
    if view.left:
        left = ", ".join(
            text("left_of" if rack else "left_none", name=name, n=dots, pieces=", ".join(rack))
            for name, dots, rack in zip(names, view.lost, view.left, strict=False)
        )
        yield text("left", left=left)


def _cell_text(view: TopominosView, column: str, row: str, say: Say) -> str:
    stack = view.board[CELL_INDEX[column + row]]
    if not stack:
        return say("topominos.text.empty", column=column)
    full = fill(stack)
    return say(
        "topominos.text.stack",
        column=column,
        n=full.bit_count(),
        pieces=" + ".join(stack),
        free=" ".join(dots_of(FULL & ~full)),
    )


def _pieces_laid(moves: Sequence[str], say: Say) -> str:
    """Pieces that were laid, such as `cf@B2`, each with its compartment; other moves stay as they are."""
    return ", ".join(
        say("topominos.told.lay", dots=dots, cell=cell) if at else move
        for move in moves
        for dots, at, cell in (move.partition("@"),)
    )


def _last_text(last: LastTurn, names: Sequence[str], say: Say) -> str:
    first = last.moves[0]
    if first == "pass":
        return say("topominos.text.last_pass", name=names[last.seat])
    if first.startswith("swap"):
        return say("topominos.text.last_swap", name=names[last.seat], n=first.count("?"))
    return say(
        "topominos.text.last",
        name=names[last.seat],
        moves=_pieces_laid(last.moves, say),
        nines=last.nines,
        n=last.points,
    )


def describe(event: Event, names: Sequence[str], say: Say) -> str:
    """See `Game.describe`."""
    word, *rest = event.text.split(" ")
    if event.player is None:
        draws = ", ".join(
            say("topominos.event.lot", name=name, piece=piece)
            for name, piece in zip(names, rest, strict=False)
            if piece != "-"
        )
        return say("topominos.event.lots", draws=draws)
    name = names[event.player]
    if word in ("end", "pass"):
        return say(f"topominos.event.{word}", name=name)
    if word in ("draw", "swap"):
        if "?" in rest:
            return say(f"topominos.event.{word}_hidden", name=name, n=len(rest))
        return say(f"topominos.event.{word}", name=name, n=len(rest), pieces=", ".join(rest))
    dots, _, cell = event.text.partition("@")
    piece = NAMES.get(dots, dots)
    return say("topominos.event.lay", name=name, dots=dots, piece=piece, cell=cell, n=len(dots))


def address_end(view: TopominosView, move: str, voice: Voice, say: Say) -> str:
    """Who ended a turn is told what they had laid in it, of which that move's text says nothing. "" for any
    other."""
    if voice != "did" or move != "end":
        return ""
    return say("topominos.did.end", laid=_pieces_laid(view.laid, say))


def epilogue(view: TopominosView, names: Sequence[str], say: Say) -> str:
    """See `Game.epilogue`: what the dots left on the racks took off (rule 9). In a match each game tells it,
    see `retell`."""
    if view.outcome is None or len(view.games) != 1 or not any(view.lost):
        return ""
    lost = [
        say("topominos.text.score", name=name, n=dots)
        for name, dots in zip(names, view.lost, strict=True)
        if dots
    ]
    return say("topominos.text.epilogue", lost=", ".join(lost))


# --------------------------------------------------------------------------- turns, retold


class _Turns:
    """The compartments and the turn that is on, followed along a record. fills: masks, by compartment. laid,
    drawn, touched, nines: of this turn, drawn being the pieces for a rack that it emptied."""

    def __init__(self) -> None:
        self.fills = [0] * len(CELLS)
        self._begin()

    def _begin(self) -> None:
        self.laid: list[Lay] = []
        self.drawn = 0
        self.touched: set[int] = set()
        self.nines = 0

    def lay(self, move: Lay) -> None:
        self.laid.append(move)
        self.touched.add(move.cell)
        self.fills[move.cell] |= MASKS[move.dots]
        if self.fills[move.cell] == FULL:
            self.fills[move.cell] = 0
            self.touched.discard(move.cell)
            self.nines += 1

    def told(self, say: Say) -> str:
        """The lays of the turn, and what was drawn among them (rule 7)."""
        parts = [say("topominos.told.lay", dots=one.dots, cell=CELLS[one.cell]) for one in self.laid]
        laid = several(parts, say)
        return say("topominos.told.redrawn", laid=laid, n=self.drawn) if self.drawn else laid

    def end(self, say: Say) -> tuple[str, int]:
        """The turn as it is told, and its points (rules 5 and 6)."""
        points = 9 * self.nines + sum(self.fills[cell].bit_count() for cell in self.touched)
        ended = self.told(say), points
        self._begin()
        return ended


def retell(view: TopominosView, events: Sequence[Event], since: int, say: Say) -> list[Told]:
    """See `Game.retell`. A turn that is not over yet is told by its lays alone."""
    told: list[Told] = []
    news = news_from(view, events, since)
    games, decided = 0, -1  # those that have ended; the place of the last decision in the one that is on
    turns, last, drawn, laid_at = _Turns(), Event("move", ""), 0, -1
    for place, event in enumerate(events):
        if event.player is None:
            continue
        if event.kind == "chance":
            drawn += 1
            if _deals(event, last, drawn, view.players):
                if decided >= 0:
                    games += 1
                    told += _game_told(view, games, say) if decided >= news else []
                turns, decided = _Turns(), -1
            elif turns.laid:
                turns.drawn += 1
            continue
        last, drawn, phrase, decided = event, 0, "", place
        match parse(event.text) if "?" not in event.text else Pass(tuple(event.text.split(" ")[1:])):
            case Lay() as lay:
                turns.lay(lay)
                laid_at = place
            case End():
                laid, points = turns.end(say)
                phrase = say("topominos.told.turn", laid=laid, n=points)
            case Pass(swapped):
                phrase = say("topominos.told.swap" if swapped else "topominos.told.pass", n=len(swapped))
        if place >= since and phrase:
            told.append(Told(event.player, phrase))
    if view.outcome is not None and games and decided >= news:
        told += _game_told(view, games + 1, say)
    if turns.laid and view.turn is not None and laid_at >= since:
        told.append(Told(view.turn, turns.told(say)))
    return told


def _game_told(view: TopominosView, number: int, say: Say) -> list[Told]:
    """What a game of a match brought each seat, and, of the newest, what the dots left on its rack took off;
    a single game is told by the end (`epilogue`)."""
    if number > len(view.games):
        return []
    lost = view.lost if number == len(view.games) else ()
    told = []
    for seat, points in enumerate(view.games[number - 1]):
        phrase = say("topominos.told.game", game=number, n=points)
        if seat < len(lost) and lost[seat]:
            phrase = say("topominos.told.left", told=phrase, lost=lost[seat])
        told.append(Told(seat, phrase, phrase))
    return told


def _deals(event: Event, last: Event, drawn: int, players: int) -> bool:
    """Whether a draw deals a hand, which begins a game: for another seat than has just played, or of a whole
    rack that is not an exchange's. drawn: the draws since the last move, this one included."""
    whole = event.text.count(" ") == rack_size(players)
    return event.player != last.player or (whole and (drawn > 1 or not last.text.startswith("swap")))
