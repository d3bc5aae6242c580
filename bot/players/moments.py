"""Three moments of a game that is over: decisions of one person where another move was better, by more than
chance explains and by enough to be worth a thought.

Each decision is looked at from the view that its seat had then, and from nothing else: what was hidden from
the person then has no part in it, though everybody may know it by now. In a first pass over all of them the
move played and a few others are tried out in a few games. Where it fell behind the most, `hard` says what it
would have played, and both moves are played in the same new games, many of them: what they came to there is
all that is told. So what was thought of a move before favours none, and neither does the choice of the best
of many.

The work is cut into pieces for whoever runs them (`Run`), of a second at most: others who wait come in
between. What comes of it depends on record, person and seed alone.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from random import Random
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeAlias, TypeVar

from bot.levels import Level
from bot.rules.chance import Generator, child_seed
from bot.rules.game import Event, OptionValue, View
from bot.rules.registry import game

from . import SEEDS, chance_of, player_of
from .contract import Candidate, Scale, Term, Trial
from .strengths import SURE, Tried, choose

log = logging.getLogger(__name__)

MOST: Final = 3  # moments of a game
OTHERS: Final = 3  # moves beside the one played that are tried out in the first pass: the best by evaluation
GLANCE: Final = 96  # games for each decision there, all moves together
GLANCES: Final = 9600  # for all decisions; in a longer game each has fewer
DECISIONS: Final = 400  # that are looked at; of more, some spread evenly over the game
PIECE: Final = 6  # decisions at a time in the first pass
CLOSELY: Final = 8  # decisions that are looked at in the second
FIRST: Final = 0.5  # of the work, the first pass
EXACT: Final = 1e-9  # points of error that are none
LAYS: Final = 8  # one after another, of which a hint before the first could have told all

T = TypeVar("T")
Otherwise = TypeVar("Otherwise")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Past:
    """A game that is over, by the current rules. own: the places, among the events, of the decisions that one
    person made."""

    game: str
    players: int
    options: Mapping[str, OptionValue]
    events: tuple[Event, ...]
    own: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """place: of its event in the record. view: of its seat, just before. move: what was played."""

    place: int
    view: View
    move: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A decision where another move was better.

    better: the moves of the turn that was, as a hint has them. points: by how many on average, `scale` being
    what those are. games: in how many; 0 where it came to the same in all. why: what speaks for the better
    one, by its evaluation, and not for the one played as well. goes_on: whether more could follow what was
    played in its turn, which counts there with the best of that.
    """

    place: int
    view: View
    played: str
    better: tuple[str, ...]
    points: float
    scale: Scale
    games: int
    why: tuple[Term, ...]
    goes_on: bool = False

    @property
    def worth(self) -> float:
        """The points in the scale's unit."""
        return self.points * self.scale.each


class Damaged(Exception):
    """The record cannot be played through."""


class Run(Protocol):
    """Calls a function of this module, wherever that is, and answers what it does."""

    def __call__(self, work: Any, /, *given: Any) -> Awaitable[Any]: ...


Tell: TypeAlias = Callable[[float], None]
"""Told how much of the work is done, from 0 to 1, never less than before."""


async def look_back(past: Past, seed: str, run: Run, tell: Tell) -> tuple[Moment, ...]:
    """The costliest at most three, in the order of play. seed: of its chance; nothing else may come of it.
    Raises Damaged, and what `run` raises."""
    every: list[Decision] | None = await run(decisions, past)
    if every is None:
        raise Damaged
    some = spread(every, DECISIONS)
    games = min(GLANCE, GLANCES // max(1, len(some)))
    lost: list[float] = []
    for start in range(0, len(some), PIECE):
        lost += await run(glances, past.game, some[start : start + PIECE], seed, games)
        tell(FIRST * len(lost) / len(some))
    found: list[Moment] = []
    closely = promising(some, lost)
    for number, decision in enumerate(closely):
        tell(FIRST + (1 - FIRST) * number / len(closely))
        better: Candidate | None = await run(better_than, past.game, decision, seed)
        moment: Moment | None = await run(compared, past.game, decision, better, seed) if better else None
        if moment is not None and not await _advised_before(past.game, every, decision, seed, run):
            found.append(moment)
    costliest = sorted(found, key=lambda one: (-one.points, one.place))[:MOST]
    return tuple(sorted(costliest, key=lambda one: one.place))


async def _advised_before(
    game_id: str, every: Sequence[Decision], decision: Decision, seed: str, run: Run
) -> bool:
    """Whether a hint at one of the decisions right before may have told this move too, as a part of the turn
    that began there."""
    if not player_of(game_id).closing:
        return False
    for start in unbroken(every, decision):
        played = tuple(one.move for one in every if start.place <= one.place <= decision.place)
        if await run(advised, game_id, start, played, seed):
            return True
    return False


def unbroken(every: Sequence[Decision], decision: Decision) -> list[Decision]:
    """The decisions before it that nothing else came between, the last first."""
    by_place = {one.place: one for one in every}
    found: list[Decision] = []
    while len(found) < LAYS and (before := by_place.get(decision.place - 1 - len(found))) is not None:
        found.append(before)
    return found


def spread(every: Sequence[T], most: int) -> list[T]:
    """At most so many of them, evenly spread, in order."""
    count = min(most, len(every))
    return [every[place * len(every) // count] for place in range(count)]


def promising(some: Sequence[Decision], lost: Sequence[float]) -> list[Decision]:
    """Those that lost most at a glance, where it was anything."""
    ranked = sorted(zip(lost, some, strict=True), key=lambda one: (-one[0], one[1].place))
    return [decision for points, decision in ranked if points > 0.0][:CLOSELY]


# --------------------------------------------------------------------------- pieces of work


def decisions(past: Past) -> list[Decision] | None:
    """The person's decisions, each with what its seat saw then; None where the record cannot be played
    through."""
    own = frozenset(past.own)
    found: list[Decision] = []
    try:
        state = game(past.game).start(past.players, past.options)
        for place, event in enumerate(past.events):
            if place in own:
                found.append(Decision(place, state.view(event.player), event.text))
            state.apply(event)
    except Exception:  # damaged data may raise anything, and not all of it can be sent on
        return None
    return found


def _spared(
    otherwise: Otherwise,
) -> Callable[[Callable[Concatenate[str, P], T]], Callable[Concatenate[str, P], T | Otherwise]]:
    """Of a piece of work that a fault in a player makes fail: what it answers then, so that this costs no
    other decision. Trying again would not help: it would come to the same."""

    def spared(work: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T | Otherwise]:
        @wraps(work)
        def done(game_id: str, /, *given: P.args, **named: P.kwargs) -> T | Otherwise:
            try:
                return work(game_id, *given, **named)
            except Exception:
                log.exception("a computer player of %s failed at what it looked back on", game_id)
                return otherwise

        return done

    return spared


def glances(game_id: str, some: Sequence[Decision], seed: str, games: int) -> list[float]:
    """For each decision how many points the move fell behind some other at least, as far as so many games
    tell; 0.0 for none."""
    return [_glance(game_id, one, _chance(seed, "glance", one), games) for one in some]


@_spared(0.0)
def _glance(game_id: str, decision: Decision, chance: Random, games: int) -> float:
    player = player_of(game_id)
    ranked = player.candidates(decision.view)
    others = [one for one in ranked if one.move != decision.move][:OTHERS]
    played = Candidate(decision.move, 0.0)
    trial = player.looking_back(decision.view, [played, *others]) if others else None
    if trial is None:
        return 0.0
    moves = 1 + len(others)
    tried = _played(trial, moves, max(2, games // moves), chance)
    behind = [tried.behind(0, other) for other in range(1, moves)]
    return max(0.0, *[lost - error for lost, error in behind])


def _hinted(game_id: str, view: View, seed: str) -> Candidate:
    """What a hint would have told there, or has told (`chance_of`)."""
    return choose(player_of(game_id), view, Random(chance_of(seed, view).below(SEEDS)), Level.HARD)


@_spared(None)
def better_than(game_id: str, decision: Decision, seed: str) -> Candidate | None:
    """What `hard` would have played, if that is another move. It is what a hint would have said there: who
    followed one is not told later that something else was better."""
    chosen = _hinted(game_id, decision.view, seed)
    return chosen if decision.move not in chosen.moves else None


@_spared(True)
def advised(game_id: str, start: Decision, played: Sequence[str], seed: str) -> bool:
    """Whether a hint at `start` would have said all that was played from there on, and perhaps the turn's end
    after it: at a later lay of its turn `hard`, asked once more, may prefer another. Where that cannot be
    told it is taken for granted."""
    told = {*_hinted(game_id, start.view, seed).moves}
    rest = {*played} - told
    return not rest or (rest == {player_of(game_id).closing} and told <= {*played})


@_spared(None)
def compared(game_id: str, decision: Decision, better: Candidate, seed: str) -> Moment | None:
    """Both moves in the same games, if the other one was better by more than chance explains, and enough."""
    player, view = player_of(game_id), decision.view
    trial = player.looking_back(view, [Candidate(decision.move, 0.0), better])
    if trial is None:
        return None
    games = player.budget // 4
    lost, error = _played(trial, 2, games, _chance(seed, "compare", decision)).behind(0, 1)
    scale = player.scale(view)
    if lost <= SURE * error or lost < scale.least:
        return None
    return Moment(
        decision.place,
        view,
        decision.move,
        better.moves,
        lost,
        scale,
        games if error > EXACT else 0,
        _in_its_favour(player.reasons(view, decision.move), better),
        player.goes_on(view, decision.move),
    )


def _in_its_favour(own: Sequence[Term], better: Candidate) -> tuple[Term, ...]:
    """The reasons for the better one that did not speak for the one played just as well. own: what did. The
    same of something else (another card, another tile) is one of them where it weighs more."""
    return tuple(
        term
        for term in better.why
        if not any(
            other.key == term.key and (other.values == term.values or other.worth >= term.worth)
            for other in own
        )
    )


def _chance(seed: str, purpose: str, decision: Decision) -> Random:
    return Random(Generator(child_seed(seed, f"{purpose}:{decision.place}"), "choice").below(SEEDS))


def _played(trial: Trial, moves: int, worlds: int, chance: Random) -> Tried:
    """All moves in each of so many worlds, nothing being thought of them before."""
    every = range(moves)
    tried = Tried([[] for _ in every], [0.0] * moves, 0.0)
    for _ in range(worlds):
        for move, gain in zip(every, trial.world(every, chance), strict=True):
            tried.gains[move].append(gain)
    return tried
