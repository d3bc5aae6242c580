"""What the rules decide for a player, there being no choice, is told in every way that tells of a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.locale import LANGUAGES, sayer
from bot.rules.chance import Generator
from bot.rules.fivetotwelve import fitting
from bot.rules.game import Event, State
from bot.rules.registry import game
from cogs.surfaces import steps
from cogs.topominos import Topominos
from cogs.zatre import Zatre
from rendering import topominos, topspot, zatre
from rendering.scene import Scene
from tests.cogs.tabletop import bare
from tests.sweeps import swept

from .conformance import Case, walk

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve")


def positions(case: Case, seed: str = "forced") -> Iterator[tuple[State[Any], Any, Sequence[Event]]]:
    for position in walk(case, seed):
        yield position.state, position.state.view(None), position.events


def told_to_all(case: Case, state: State[Any], events: Sequence[Event], say: Any) -> dict[int, list[str]]:
    """The newest decision, and what stands now, as a spectator reads it."""
    moves = [place for place, event in enumerate(events) if event.kind == "move"]
    shown, names = state.redact(events, None), NAMES[: case.players]
    found: dict[int, list[str]] = {}
    for one in case.rules.retell(state.view(None), shown, moves[-1] if moves else 0, names, say):
        found.setdefault(one.seat, []).append(one.text)
    return found


@pytest.mark.parametrize("language", swept(LANGUAGES, daily=("de",)))
def test_top_spot_says_who_sits_out(language: str) -> None:
    say, seen = sayer(language), set()
    case = Case("topspot", 4, {"level": "expert"})
    for state, view, events in positions(case):
        forced = case.rules.forced(view, state.redact(events, None))
        if view.phase == "play" and events[-1].kind == "move" and events[-1].player is not None:
            last = events[-1].player
            assert (forced.get(len(events) - 1) == (last,)) == (not view.counts[last])
        told = told_to_all(case, state, events, say)
        alt = topspot.table_pictures(view, Scene(NAMES[:4], say))[0].alt
        for seat in range(4):
            aside = case.rules.aside(state.view(seat), say)
            idle = view.phase == "play" and seat not in view.order
            assert bool(aside) == idle
            if not idle:
                continue
            why = "apart" if view.counts[seat] else "out"
            seen.add(why)
            assert say(f"topspot.told.{why}") in told[seat]
            sitting = say(
                "topspot.picture.alt.aside",
                names=", ".join(NAMES[at] for at in range(4) if at not in view.order),
            )
            assert sitting in alt
            text = case.rules.board_text(view, NAMES[:4], say)
            assert say("topspot.text.out") in text or say("topspot.text.among", names="")[:-1] in text
    assert seen == {"out", "apart"}


def test_zatre_says_who_draws_none_and_so_must_lay() -> None:
    say, seen = sayer("en"), 0
    case, cog = Case("zatre", 3), bare(Zatre, game("zatre"))
    found = (one for number in range(20) for one in positions(case, f"none {number}"))
    for state, view, events in found:
        if not view.must_lay:
            continue
        seen += 1
        shown = state.redact(events, None)
        assert told_to_all(case, state, events, say)[view.turn] == ["drew none and must lay a tile"]
        assert case.rules.forced(view, shown)[len(events) - 1] == (view.turn,)
        own = state.view(view.turn)
        question = steps.settle(cog.step, own, "")[1].question.said(say)
        assert question.startswith("You drew none, as a tile you kept can be laid")
        alt = zatre.hand_pictures(own, Scene(NAMES[:3], say))[0].alt
        assert say("zatre.text.must_lay") in alt
        move = state.random_move(view.turn, Generator("lay", str(seen)))
        after = state.clone()
        after.apply(Event("move", move, view.turn))
        [turn, *_] = told_to_all(case, after, [*events, Event("move", move, view.turn)], say)[view.turn]
        assert turn.startswith("drew none; ")
        if seen == 5:
            return
    raise AssertionError(f"seen {seen} times alone")


def test_zatre_s_end_says_what_tiles_held_have_cost() -> None:
    say = sayer("en")
    *_, (_, view, _) = positions(Case("zatre", 2))
    assert view.outcome is not None
    epilogue = game("zatre").epilogue(view, NAMES[:2], say)
    for name, hand in zip(NAMES, view.hands, strict=False):
        assert (f"{name} ({sum(hand)} point" in epilogue) == bool(hand)
    assert ("Everybody had to draw" in epilogue) == (view.outcome.reason == "no tile fits")


def test_in_five_to_twelve_every_tile_fits_somewhere() -> None:
    """So nobody is ever forced to leave one in the middle, and there is nothing to say."""
    for number in range(5):
        for _, view, _ in positions(Case("fivetotwelve", 2), f"somewhere {number}"):
            for board in view.boards:
                assert all(fitting(board, tile) for tile in range(1, 21))


def test_topominos_says_what_an_emptied_rack_draws_and_who_passes_since_nothing_fits() -> None:
    say, seen = sayer("en"), set()
    case, cog = Case("topominos", 4), bare(Topominos, game("topominos"))
    for number in range(40):
        for state, view, events in positions(case, f"empty {number}"):
            if view.phase != "turn":
                continue
            own = state.view(view.turn)
            step = steps.settle(cog.step, own, "")[1]
            if view.redrawn:
                seen.add("drew")
                drawn = sum(event.kind == "chance" for event in events[-len(view.laid) - view.redrawn :])
                assert drawn == view.redrawn
                asked = step.question.said(say)
                assert asked.startswith(f"Your rack was empty, so you drew {own.rack[0]}.")
                assert told_to_all(case, state, events, say)[view.turn][-1].endswith(
                    f"rack empty: drew {drawn}"
                )
                said = say("topominos.text.redrawn", n=drawn)
                assert said in case.rules.board_text(view, NAMES[:4], say)
                assert said in topominos.table_pictures(view, Scene(NAMES[:4], say))[0].alt
            elif not view.laid:
                seen.add("passes")
                nothing = replace(own, rack=(), bag=0, passes=0)  # random play never leaves anybody so
                stuck = steps.settle(cog.step, nothing, "")[1]
                assert stuck.move == "pass"
                assert stuck.question.said(say) == "None of your pieces fits, so you pass."
        if seen == {"drew", "passes"}:
            return
    raise AssertionError(f"seen {seen} alone")
