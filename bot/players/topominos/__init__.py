"""The computer player of Topominos.

Its moves are the first lays of whole turns: the best turn for each subset of the rack is found exactly
(`turns`), weighed by learned figures (`judge`, `figures`, `learn`) and told as lays (`plans`, `reasons`).
`hard` tries the best few out (`worlds`) in games that are played on quickly (`playout`). Every move plans
afresh, so a piece drawn in mid-turn is used as soon as it is seen. Alone at the table, where turns cost
nothing, pieces are laid one a turn (`solo`). `shapes` are the small integers in which all this is done.

What everybody knows, and no level breaks while it has another move: docs/players.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

from bot.players.contract import Candidate, Player, Scale, Trial
from bot.rules.topominos import GAME, PIECES, TopominosView, draft

from .figures import SOLO
from .plans import Plan, Seen
from .reasons import hidden, reasons
from .shapes import DOTS, LAID, NINE
from .solo import SoloJudge, poor
from .turns import NEW, Part, spread
from .worlds import Known, Worlds

__all__ = ["PLAYER", "TopominosPlayer"]

AHEAD: Final = {1: 12, 2: 4}  # turns tried out, by players; of more than two everybody's next
WON: Final = 15.0  # points that winning the last game's match counts beyond those by which it is won
AVERAGE: Final = 165 / 56  # dots of a piece


class TopominosPlayer(Player[TopominosView]):
    tried = 20
    budget = 1400
    closing = "end"

    def candidates(self, view: TopominosView) -> list[Candidate]:
        seen = Seen(view)
        moves = _moves(seen)
        best = moves[0][1].worth
        return [_candidate(seen, move, plan, best) for move, plan in moves]

    def to_try(self, view: TopominosView, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """Whole turns, also those that a better one of begins alike: to lay fewer pieces may be better, and
        is thought little of by the evaluation, which knows nothing of what they are kept for."""
        seen = Seen(view)
        if view.players == 1:
            return super().to_try(view, candidates)
        turns = _turns(seen)[: self.tried]
        return [_candidate(seen, _texts(seen, plan)[0], plan, turns[0].worth) for plan in turns]

    def trial(self, view: TopominosView, tried: Sequence[Candidate]) -> Trial | None:
        return self._trial(Seen(view), tried, WON)

    def looking_back(self, view: TopominosView, tried: Sequence[Candidate]) -> Trial | None:
        """What is likely won does not count."""
        return self._trial(Seen(view), tried, 0.0)

    def goes_on(self, view: TopominosView, move: str) -> bool:
        """Not alone, where turns cost nothing and one lay is one."""
        if "@" not in move or view.players == 1:
            return False
        after = draft(view, move).view
        return not after.actors or any("@" in more for more in GAME.legal(after))  # or a piece is drawn

    def _trial(self, seen: Seen, tried: Sequence[Candidate], won: float) -> Trial:
        plans, decides = _plans(seen, tried), _decides(seen.view)
        if _is_known(seen):
            return Known(seen, plans, WON if decides else 0.0)
        players = seen.view.players
        return Worlds(seen, plans, AHEAD.get(players, players), won if decides else 0.0)

    def scale(self, view: TopominosView) -> Scale:
        return Scale(least=2.0, win=2 * WON if _is_known(Seen(view)) and _decides(view) else 0.0)


def _candidate(seen: Seen, move: str, plan: Plan, best: float) -> Candidate:
    why = reasons(seen, plan, best)
    return Candidate(move, plan.worth, hidden(seen, plan), why, turn=_all_texts(seen, plan))


def _is_known(seen: Seen) -> bool:
    """Whether nothing is hidden: what is not seen is all on the one other rack."""
    return seen.view.players == 2 and sum(seen.hidden) == seen.view.racks[1 - seen.seat]


def _decides(view: TopominosView) -> bool:
    """Whether no game of the match comes after this one."""
    options = dict(view.options)
    return options["target"] is None and options["rounds"] == view.game_number


def _begun_with(seen: Seen, move: str) -> Plan:
    """The best turn that begins with any legal move."""
    _, *swapped = move.split(" ")
    if "@" not in move:
        return Plan(0.0, (), seen.places(swapped))
    lay = seen.in_first_empty(move)
    first = seen.part(lay)
    after = draft(seen.view, lay).view
    if not after.actors:  # the rack is empty, and a piece is drawn
        return Plan(0.0, (first,))
    kept = [place for place in range(len(seen.rack)) if not first.used >> place & 1]
    rest = _moves(Seen(after))[0][1].parts
    return Plan(0.0, (first, *[part._replace(before=None, used=spread(part.used, kept)) for part in rest]))


def _turns(seen: Seen) -> list[Plan]:
    """Whole turns, the best first."""
    plans = _alone(seen) if seen.view.players == 1 else _among_others(seen)
    return sorted(plans, key=lambda plan: -plan.worth)


def _plans(seen: Seen, tried: Sequence[Candidate]) -> list[Plan]:
    """Their turns; of a move that has none the best one that it begins."""
    turns = _turns(seen)
    told = {_all_texts(seen, plan): plan for plan in reversed(turns)}

    def best(move: str) -> Plan:
        begun = (plan for plan in turns if move in _texts(seen, plan))
        return next(begun, None) or _begun_with(seen, move)

    return [told[one.turn] if one.turn else best(one.move) for one in tried]


def _moves(seen: Seen) -> list[tuple[str, Plan]]:
    """Moves and the plans that they begin, the best first. Each plan begins with a lay that no better one
    begins with."""
    found: list[tuple[str, Plan]] = []
    taken: set[str] = set()
    for plan in _turns(seen):
        move = next((text for text in _texts(seen, plan) if text not in taken), None)
        if move is not None:
            taken.add(move)
            found.append((move, plan))
    return found


def _all_texts(seen: Seen, plan: Plan) -> tuple[str, ...]:
    return tuple(seen.all_lays(plan) if plan.parts else _texts(seen, plan))


def _texts(seen: Seen, plan: Plan) -> Sequence[str]:
    """Of the moves that the plan can begin with."""
    if plan.parts:
        return seen.first_lays(plan)
    if seen.view.laid:
        return ["end"]
    return [" ".join(["swap", *[PIECES[seen.rack[place]] for place in plan.swap]]) if plan.swap else "pass"]


def _among_others(seen: Seen) -> list[Plan]:
    view = seen.view
    plans = seen.plans()
    if nines := seen.nines_at_hand():
        # What is best for each subset of the rack may make of such a piece something else. One is left at
        # least: where stacks left count nothing (`MOODS`), the best turn of pieces that make the most of
        # these nines together makes as many, and each other one then lacks its piece or its stack.
        return [plan for plan in plans if not any(_misses(plan, nine) for nine in nines)]
    if view.laid:
        return plans if plans and view.last_round else [*plans, Plan(seen.weighed(()))]
    return plans or _exchanges(seen)


def _misses(plan: Plan, nine: Part) -> bool:
    """Whether the plan makes a nine neither there nor with that piece."""
    return not any(
        part.kind == NINE and (part.used & nine.used or part.cell == nine.cell) for part in plan.parts
    )


def _exchanges(seen: Seen) -> list[Plan]:
    """Nothing can be laid: the largest pieces are exchanged, more or fewer of them."""
    view, judge = seen.view, seen.judge
    places = sorted(range(len(seen.rack)), key=lambda place: -DOTS[seen.rack[place]])
    plans = []
    for count in range(min(len(places), view.bag) + 1):
        swap = tuple(sorted(places[:count]))
        drawn = -AVERAGE * count if view.last_round else 0.0
        if view.last_round:
            kept = -float(sum(DOTS[seen.rack[place]] for place in places[count:]))
        else:
            kept = judge.worth(tuple([seen.rack[place] for place in places[count:]]), (), view.bag)
        plans.append(Plan(kept + drawn, (), swap))
    return plans


def _alone(seen: Seen) -> list[Plan]:
    """One lay a turn, or an exchange; the turn ends after its lay."""
    view = seen.view
    if view.laid:
        return [Plan(0.0)]
    judge = SoloJudge(SOLO, seen.hidden)
    best: dict[tuple[int, int, int], Plan] = {}
    for place, piece in enumerate(seen.rack):
        for cell, kind in enumerate(seen.kinds):
            for after in LAID[piece][kind]:
                part = Part(None, cell if kind else NEW, 1 << place, after)
                plan = Plan(judge.worth_of(piece, kind, after), (part,))
                best.setdefault((piece, kind, after), plan)
    plans = list(best.values())
    if len(seen.rack) == 1 and not view.bag:  # the last piece of all: nothing counts but its stack
        most_scored = max((seen.scored(plan.parts) for plan in plans), default=0)
        plans = [plan for plan in plans if seen.scored(plan.parts) == most_scored]
    wanted = judge.wanted(view.bag, view.passes)
    lays = judge.lays(seen.rack, seen.kinds)
    most = max((lay.worth for lay in lays), default=wanted)
    for swap in dict.fromkeys(
        poor(lays, len(seen.rack), limit, view.bag) for limit in (wanted, most, wanted - 2.0)
    ):
        if swap and wanted > -inf:
            plans.append(Plan(wanted, (), swap))
    return plans or [Plan(0.0)]


PLAYER = TopominosPlayer()
