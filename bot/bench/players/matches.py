"""Deals played in every seating, and what they come to.

A deal is a seed. Chance comes from it by its own count, not by that of the moves, so that the first hands and
dice are the same however the seats are filled. One contestant sits at each seat in turn, the other at all
others; so the luck of the deal and of the seat falls on both alike. Seconds are the processor's.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Generator as Stream
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from time import process_time

from bot.levels import Level
from bot.players import choose, player_of
from bot.rules.chance import Generator, child_seed
from bot.rules.game import AnyState, Event, Outcome
from bot.rules.registry import game as rules_of
from bot.rules.top12 import Top12View
from bot.rules.top12.scoring import FULL, TITLES
from bot.workers import end_with_parent

from .greedy import GREEDY

SEED = "bench players"
GREEDY_PLAYER, RANDOM_PLAYER = "greedy", "random"
AHEAD = 2  # deals that wait for each process

Seconds = dict[str, list[float]]  # of each decision, by contestant


@dataclass(frozen=True, slots=True)
class Deal:
    """The deal with that number. one: who sits at each seat in turn. others: who sits at all others, "" where
    there are none."""

    game: str
    seats: int
    one: str
    others: str
    number: int

    @property
    def seed(self) -> str:
        """The same whoever plays."""
        return f"{SEED} {self.game} {self.seats} {self.number}"


@dataclass(slots=True)
class Played:
    """What a deal came to for `one`, on average over its seatings. share: of the wins, a tie being shared
    equally. margin: own score less the mean of the others'. alone: what a game alone at the table is measured
    by (`alone`)."""

    share: float = 0.0
    margin: float = 0.0
    alone: float = 0.0
    seconds: Seconds = field(default_factory=dict)


def play(deal: Deal) -> Played:
    """A deal in all its seatings."""
    played = Played()
    for seat in range(deal.seats):
        sitting = [deal.one if at == seat else deal.others for at in range(deal.seats)]
        try:
            outcome, state = finished(deal.game, deal.seed, sitting, played.seconds)
        except Exception as error:
            error.add_note(f"{deal}, {deal.one} at seat {seat}")
            raise
        others = [score for at, score in enumerate(outcome.scores) if at != seat]
        played.share += (seat in outcome.winners) / len(outcome.winners) / deal.seats
        if others:
            played.margin += (outcome.scores[seat] - sum(others) / len(others)) / deal.seats
        else:
            played.alone = alone(state, outcome)
    return played


def alone(state: AnyState, outcome: Outcome) -> float:
    """What a game alone is measured by: points, in Top 12 the rolls that a full column took. One that never
    became full counts as more than any title allows."""
    view = state.view(0)
    if not isinstance(view, Top12View):
        return outcome.scores[0]
    return view.rolls if outcome.reason == FULL else max(view.rolls, TITLES[-1][0] + 1)


def finished(game: str, seed: str, sitting: Sequence[str], seconds: Seconds) -> tuple[Outcome, AnyState]:
    """How a game between these ends, by seat. seconds: what each decision took is added."""
    state = rules_of(game).start(len(sitting), {})
    order = Generator(seed, "order")
    drawn = decided = 0
    while (outcome := state.outcome()) is None:
        if state.chance_due():
            event = state.draw(Generator(seed, f"chance:{drawn}"))
            drawn += 1
        else:
            seat = order.choice(state.actors())
            chance = Generator(child_seed(seed, f"player:{seat}:{decided}"), "choice")
            move, took = decision(state, seat, sitting[seat], chance)
            seconds.setdefault(sitting[seat], []).append(took)
            decided += 1
            event = Event("move", move, seat)
        state.apply(event)
    return outcome, state


def decision(state: AnyState, seat: int, contestant: str, chance: Generator) -> tuple[str, float]:
    """A move, and what it took."""
    game, view = state.game.id, state.view(seat)
    if contestant not in (GREEDY_PLAYER, RANDOM_PLAYER):
        player_of(game)  # what loading it takes is no thinking
    began = process_time()
    if contestant == RANDOM_PLAYER:
        move = state.random_move(seat, chance)
    elif contestant == GREEDY_PLAYER:
        move = GREEDY[game](view, chance)
    else:
        move = choose(game, view, chance, Level(contestant))
    return move, process_time() - began


# --------------------------------------------------------------------------- several processes


def _begin() -> None:
    """In a process that will play: it ends with its parent, however that ends, and without a word."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    end_with_parent()


class Crew:
    """Processes that play deals; one is this process itself. A seed decides all, so what is played is the
    same however many they are."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._pool = (
            ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_begin)
            if processes > 1
            else None
        )

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def play(self, deals: Iterable[Deal]) -> Stream[Played, None, None]:
        """In the order of the deals. Whoever has enough stops asking."""
        if self._pool is None:
            yield from map(play, deals)
            return
        left = iter(deals)
        waiting: deque[Future[Played]] = deque()
        try:
            while True:
                free = AHEAD * self._processes - len(waiting)
                waiting += [self._pool.submit(play, deal) for deal in islice(left, free)]
                if not waiting:
                    return
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
