"""Every game, early and late: the player to act leaves, times out or is voted out, and the game goes on."""

from __future__ import annotations

from datetime import timedelta
from functools import cache

import pytest

from bot.locale import LANGUAGES, listing, sayer
from bot.rules import record
from bot.rules.chance import Generator
from bot.rules.game import Event
from bot.rules.registry import GAME_IDS
from bot.rules.registry import game as rules_of
from bot.tables.model import ClockRule, Person, SeatKind, Status, Table, VoteKind
from cogs.surfaces.final import final_page
from cogs.surfaces.table import text_board
from cogs.surfaces.wording import score_lines
from tests.sweeps import swept

from .support import ADA, BEN, CLEO, DAN, PLACE, Rig

PEOPLE = (ADA, BEN, CLEO, DAN)


@cache
def decisions_of(game: str) -> int:
    """Of a game of these people in which every move is uniform at random."""
    state = rules_of(game).start(len(PEOPLE), {})
    chance = Generator("whole", game)
    for decisions in range(10_000):
        while state.chance_due():
            state.apply(state.draw(chance))
        if not state.actors():
            return decisions
        seat = state.actors()[0]
        state.apply(Event("move", state.random_move(seat, chance), seat))
    raise AssertionError(f"{game} has no end")


async def decide(rig: Rig, table: Table, chance: Generator) -> None:
    """The first seat to act makes a move uniform at random."""
    loaded = await rig.tables.load(table.id)
    seat = loaded.table.to_act[0]
    assert loaded.state is not None
    move = loaded.state.random_move(seat.index, chance)
    [person] = [person for person in PEOPLE if person.id == seat.user]
    await rig.tables.move(table.id, person, move, loaded.table.revision)


async def absent(rig: Rig, table: Table, person: Person, how: str) -> None:
    match how:
        case "leaves":
            await rig.tables.left_guild(PLACE.guild, person.id)
        case "is kicked":
            seat = table.seat_of(person.id)
            assert seat is not None
            for other in PEOPLE:
                if other is not person:
                    await rig.tables.vote(table.id, other, VoteKind.KICK, seat.index)
        case _:
            rig.clock.advance(timedelta(seconds=60))
            await rig.scheduler.run_due()
    await rig.computers.run_due()


@pytest.mark.parametrize("how", ["leaves", "is kicked", "runs out of time"])
@pytest.mark.parametrize("decisions", swept([0, 2, 13], daily=(2,)))
@pytest.mark.parametrize("game", GAME_IDS)
async def test_the_game_goes_on_without_them(rig: Rig, game: str, decisions: int, how: str) -> None:
    """decisions: before that, as far as there are that many in the game."""
    table = await rig.started(*PEOPLE, game=game, clock=ClockRule(60))
    chance = Generator("absence", f"{game} {decisions}")
    for _ in range(min(decisions, decisions_of(game) // 2)):
        await decide(rig, table, chance)
    table = await rig.tables.table(table.id)
    assert table.status is Status.PLAYING
    gone = table.to_act[0]
    [person] = [person for person in PEOPLE if person.id == gone.user]
    await absent(rig, table, person, how)
    after = await rig.tables.table(table.id)
    assert after.status is Status.PLAYING
    if how == "runs out of time":
        assert after.seats[gone.index].kind is SeatKind.HUMAN
    else:
        assert after.seats[gone.index].kind is SeatKind.STAND_IN
        assert gone.index not in {seat.index for seat in after.to_act}
    assert after.seats[gone.index].since != gone.since
    await decide(rig, after, chance)
    await rig.tables.end_by_admin(table.id)
    assert record.verify(await rig.tables.record(table.id)).ok


@pytest.mark.parametrize("game", GAME_IDS)
async def test_a_game_that_is_given_up_says_who_went_and_that_nobody_wins(rig: Rig, game: str) -> None:
    people = PEOPLE[:3]
    table = await rig.started(*people, game=game)
    chance = Generator("given up", game)
    for _ in range(4):
        await decide(rig, await rig.tables.table(table.id), chance)
    for person in (ADA, CLEO):
        await rig.tables.vote(table.id, person, VoteKind.KICK, 1)
    resigned = []
    for person in (CLEO, ADA):
        if (await rig.tables.table(table.id)).is_open:
            await rig.tables.resign(table.id, person)
            resigned.append(f"**{person.name}**")
    seen = await rig.tables.view(table.id, None, recap=True)
    assert seen.table.status is Status.ENDED
    assert seen.view is not None
    assert seen.view.actors == ()
    names = [person.name for person in people]
    for language in LANGUAGES:
        say = sayer(language)
        told = str(final_page(seen, (), language, say).blocks)
        assert say("table.gone.voted_out", n=1, names="**Ben**") in told
        if resigned:
            gone = listing(language, sorted(resigned))
            assert say("table.gone.resigned", n=len(resigned), names=gone) in told
        assert say("table.unfinished") in told
        assert repr(score_lines(seen.table, seen.view.scores, say))[1:-1] in told
        board = text_board(seen.table, seen.view, say)
        assert not any(say(f"{game}.text.turn", name=name) in board for name in names if game != "top12")
