"""What a table leaves where it was played, how it is told there that it is over, and how much was sent.

How much stands in the summary of every run (`python -m pytest tests/cogs/test_what_stays.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Any

import discord
import pytest

from bot.locale import LANGUAGES, listing, sayer
from bot.rules.chance import Generator
from bot.rules.game import Outcome
from bot.tables.model import Person, SeatKind, Status, Table
from cogs.surfaces.components import Text
from cogs.surfaces.final import final_page
from cogs.surfaces.wording import way_to
from tests.figures import Figures
from tests.sweeps import swept

from .lost import Line
from .sim import Sim, acting, alt_texts, answer, buttons, custom_ids, links, parts, text_of
from .tabletop import live, open_choice, opened, tap
from .test_fullest import full_table, seen_by
from .test_panels import alive

TURNS = 12
MOST_REQUESTS = 3  # to Discord a move, beside answers to clicks and edits of panels and hands


async def now(sim: Sim, table: Table) -> Table:
    return await sim.bot.tables.table(table.id)


def ours(sim: Sim) -> list[int]:
    """Every message of the bot in the server's channels and threads."""
    places = [sim.channel.id, *(thread.id for thread in sim.channel.threads)]
    found = [message for place in places for message in sim.messages(place)]
    return sorted(message.id for message in found if message.components)  # not that a thread was made


async def turns(sim: Sim, table: Table, count: int) -> Table:
    """So many turns by taps, on a panel that lives or, where there is none, from the table message."""
    chance = Generator(table.game, "what stays")
    for _ in range(count):
        actors = await sim.to_act(table)
        if not actors:
            break
        living = alive(sim, actors[0])
        shown = living[-1] if living else await sim.hand(actors[0], table)
        assert open_choice(shown)
        for _ in range(40):
            if not open_choice(shown):
                break
            shown = await tap(sim, actors[0], shown, chance)
    return await now(sim, table)


async def ended_by_host(sim: Sim, table: Table) -> Table:
    host = await now(sim, table)
    if host.is_open:
        with sim.env._bot_scope():
            await sim.bot.tables.end(table.id, Person(host.host, "x"))
        await sim.env.settle()
    return await now(sim, table)


def asked(sim: Sim) -> Counter[str]:
    """Requests by kind: answers to clicks, edits and removals of living panels and hands, and the rest."""
    found: Counter[str] = Counter()
    direct = {person.user.dm_channel.id for person in (sim.ada, sim.ben)}
    for request in sim.env.http_requests:
        where = re.match(r"/channels/(\d+)", request.path)
        if request.path.startswith("/interactions/"):
            found["answers"] += 1
        elif request.path.startswith("/webhooks/"):
            found["panels"] += 1
        elif where is not None and int(where[1]) in direct:
            found["hands"] += 1
        else:
            found["others"] += 1
    return found


@pytest.mark.parametrize(
    "slash", swept(["5vor12", "top12", "topominos", "topspot", "zatre"], daily=("zatre",))
)
async def test_twelve_turns_leave_link_board_and_end_and_take_few_requests(
    sim: Sim, slash: str, figures: Figures
) -> None:
    third = {"computers": 1} if slash == "topspot" else {}
    table = await opened(sim, slash, sim.ada, sim.ben, players=3 if third else 2, **third)
    before, begun = asked(sim), table.revision
    table = await turns(sim, table, TURNS)
    place = table.place
    assert ours(sim) == sorted(
        one for one in (place.lobby_message, place.table_message, place.notice_message) if one is not None
    )
    sent, moves = asked(sim) - before, table.revision - begun
    figures(
        f"{slash}: {moves} moves, requests: {', '.join(f'{n} {kind}' for kind, n in sorted(sent.items()))}"
    )
    assert sent["others"] <= MOST_REQUESTS * moves, (sent, moves)
    assert max(sent["panels"], sent["hands"]) <= len(table.humans) * moves, (sent, moves)
    assert all(len(alive(sim, person)) == 1 for person in (sim.ada, sim.ben))

    table = await ended_by_host(sim, table)
    place = table.place
    assert ours(sim) == sorted([place.lobby_message or 0, place.table_message or 0, place.final_message or 0])
    assert max(ours(sim)) == place.final_message
    assert custom_ids(await sim.board(table)) == []
    assert links(await sim.lobby(table))
    for person in (sim.ada, sim.ben):
        assert len(sim.messages(person.user.dm_channel.id)) <= 1
        assert len(alive(sim, person)) <= 1
        assert all(acting(panel) == [] for panel in alive(sim, person))


async def over(sim: Sim) -> Table:
    """Ada and Ben have played to the end."""
    table = await sim.hurry(await sim.started(sim.ada, sim.ben, setup="sorted"))
    assert table.status is Status.ENDED
    return table


async def test_the_end_is_told_to_the_people_with_places_and_ways_on(sim: Sim) -> None:
    table = await over(sim)
    assert table.outcome is not None
    assert len(table.outcome.winners) == 1
    shown = await sim.final(table)
    best, second = sorted(table.outcome.scores, reverse=True)
    first = table.seats[table.outcome.winners[0]].name
    last = next(seat.name for seat in table.seats if seat.name != first)
    told = text_of(shown).splitlines()
    assert told[0] == "## 5 vor 12: the end"
    assert told[2] == f"-# <@{sim.ada.id}> <@{sim.ben.id}>"
    assert told[3].startswith(f"**{first}** wins! (")
    assert told[4:] == [f"**1st** {first}: {best} of 16 cells", f"**2nd** {last}: {second} of 16 cells"]
    assert any(isinstance(part, discord.components.MediaGalleryComponent) for part in parts(shown))
    assert buttons(shown) == ["Rematch", "Record", "Three moments"]
    sends = [r for r in sim.requests("POST", f"/channels/{table.place.thread}/messages") if r.json]
    assert sends[-1].json["allowed_mentions"] == {"parse": [], "users": [sim.ada.id, sim.ben.id]}
    assert table.place.notice_message is None
    assert custom_ids(await sim.board(table)) == []
    page = (await sim.ben.slash(sim.thread(table), "table show", table=table.id)).response
    assert page is not None
    assert buttons(page) == ["Rematch", "Record", "Three moments", "History"]

    record = await sim.cleo.click(shown, label="Record")
    assert record.response is not None
    assert record.response.ephemeral
    refused = await sim.cleo.click(sim.fresh(shown), label="Rematch")
    assert "Only those who sat here at the end" in text_of(refused.response)
    await sim.ben.click(sim.fresh(shown), label="Rematch")
    again = await sim.bot.tables.table((await now(sim, table)).rematch or "")
    assert (again.host, again.place.channel) == (sim.ben.id, sim.channel.id)
    assert {seat.user for seat in again.seats} == {sim.ada.id, sim.ben.id}
    assert dict(again.options) == {"setup": "sorted"}
    await sim.ada.click(sim.fresh(shown), label="Rematch")
    assert (await now(sim, table)).rematch == again.id
    assert buttons(sim.fresh(shown)) == ["Rematch", "Record", "Three moments"]
    assert links(sim.fresh(shown)) == [way_to(again)]
    assert way_to(again).endswith(f"/{(await sim.lobby(again)).id}")
    assert (await now(sim, table)).place.final_message == shown.id


async def test_the_last_message_leads_to_the_newest_rematch_as_long_as_it_is_open(sim: Sim) -> None:
    """It said that a table was open for a rematch that had been cancelled or played, and opened no other."""
    table = await ended_by_host(sim, await sim.started(sim.ada, sim.ben, setup="sorted"))

    async def pressed(*, by: Any = sim.ben) -> tuple[str, Table]:
        told = await by.click(await sim.final(table), label="Rematch")
        again = await sim.bot.tables.rematch_of(await now(sim, table))
        assert again is not None
        assert told.response is not None
        assert links(told.response) == [way_to(again)]  # a message, of the lobby or of the game
        assert links(await sim.final(table)) == [way_to(again)] or again.status is Status.PLAYING
        assert f"able {again.id}" in answer(told)
        return answer(told), again

    said, first = await pressed()
    assert "open for a rematch" in said
    assert (await pressed(by=sim.ada))[1].id == first.id
    await sim.ben.click(await sim.lobby(first), label="Cancel")
    said, second = await pressed(by=sim.ada)
    assert second.id != first.id
    assert "open for a rematch" in said
    await sim.ada.click(await sim.lobby(second), label="Start")
    said, there = await pressed()
    assert there.id == second.id
    assert "has begun already" in said
    await ended_by_host(sim, second)
    said, third = await pressed()
    assert third.id != second.id
    assert third.status is Status.LOBBY
    await sim.ben.click(await sim.lobby(third), label="Cancel")
    sim.bot.services.repaints.refresh(table.id)
    await sim.env.settle()
    assert links(await sim.final(table)) == []


async def test_a_rematch_whose_lobby_cannot_be_posted_leads_to_its_channel(sim: Sim) -> None:
    table = await ended_by_host(sim, await sim.started(sim.ada, sim.ben, setup="sorted"))
    final = await sim.final(table)
    posts = f"/channels/{sim.channel.id}/messages"
    sim.env.inject_error("POST", posts, status=403, code=50013, times=None)
    told = await sim.ben.click(final, label="Rematch")
    assert told.response is not None
    assert links(told.response) == [f"https://discord.com/channels/{sim.guild.id}/{sim.channel.id}"]
    assert links(await sim.final(table)) == links(told.response)


async def test_who_resigned_is_told_below_the_board_and_nobody_is_at_turn(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    with sim.env._bot_scope():
        await sim.bot.tables.resign(table.id, Person(sim.ben.id, "Ben"))
    await sim.env.settle()
    table = await now(sim, table)
    told = text_of(await sim.final(table)).splitlines()
    assert told[3] == "**Ben** resigned. Too few players are left, so the table ended. Nobody wins."
    assert told[4].startswith("- Ada: 4 of 16 cells")
    board = await sim.board(table)
    assert "Nobody wins" not in text_of(board)
    assert "in the last message below" in text_of(board)
    for shown in (board, await sim.final(table)):
        assert not any("turn" in text for text in alt_texts(shown))
    page = (await sim.ada.slash(sim.thread(table), "table show", table=table.id)).response
    assert page is not None
    assert "**Ben** resigned" in text_of(page)
    assert "Rematch" in buttons(page)
    page = (await sim.ben.slash(sim.thread(table), "table show", table=table.id)).response
    assert page is not None
    assert "Rematch" not in buttons(page)
    refused = await sim.ben.click(await sim.final(table), label="Rematch")
    assert "Join it once it is open" in text_of(refused.response)
    await sim.ada.click(await sim.final(table), label="Rematch")
    again = await sim.bot.tables.table((await now(sim, table)).rematch or "")
    assert [seat.user for seat in again.seats] == [sim.ada.id]
    await sim.ben.click(await sim.lobby(again), label="Join")
    assert (await sim.bot.tables.table(again.id)).seat_of(sim.ben.id) is not None


async def test_who_deletes_the_last_message_has_won(sim: Sim) -> None:
    table = await ended_by_host(sim, await sim.started(sim.ada, sim.ben, setup="sorted"))
    shown = await sim.final(table)
    sim.env.backend.delete_message(shown.channel.id, shown.id)
    with sim.env._bot_scope():
        sim.bot.services.repaints.refresh(table.id)
    await sim.env.settle()
    await sim.restart()
    assert live(sim, table, "rematch") == []


@pytest.mark.parametrize("happens", swept(["lose", "fail"]))
async def test_a_crash_neither_loses_nor_doubles_the_last_message(
    sim: Sim, monkeypatch: pytest.MonkeyPatch, happens: str
) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    line = Line(sim)
    line.install(monkeypatch)
    plan: Any = getattr(line, happens)("POST", rf"/channels/{table.place.thread}/messages")
    plan.times = 1
    table = await ended_by_host(sim, table)
    assert plan.hits == 1
    assert table.place.final_message is None
    assert len(live(sim, table, "rematch")) == (happens == "lose")
    await sim.restart()
    sim.env.backend.advance_clock(3600)
    with sim.env._bot_scope():
        await sim.sweep()
    await sim.env.settle()
    table = await now(sim, table)
    assert [message.id for message in live(sim, table, "rematch")] == [table.place.final_message]
    assert table.painted == table.revision
    assert "host ended" in text_of(await sim.final(table))


async def test_a_closed_lobby_is_no_game_that_is_over(sim: Sim) -> None:
    lobby = await sim.new(sim.ada, players=2)
    table = await sim.table(lobby)
    await sim.ada.click(sim.fresh(lobby), label="Cancel")
    assert (await now(sim, table)).place.final_message is None
    assert ours(sim) == [lobby.id]
    assert "is over" not in text_of(sim.fresh(lobby))


def test_who_shares_a_place_stands_in_one_line_and_pairs_do_too() -> None:
    say = sayer("en")

    def lines(winners: tuple[int, ...], *scores: int, **options: Any) -> list[str]:
        table = full_table("zatre", Status.ENDED, (SeatKind.HUMAN,) * len(scores))
        seats = tuple(replace(seat, name="ABCDEF"[seat.index]) for seat in table.seats)
        outcome = Outcome(scores, winners, "bag empty")
        table = replace(table, seats=seats, options=options, outcome=outcome)
        page = final_page(seen_by(table, None), (), "en", say)
        told = [block.content for block in page.blocks if isinstance(block, Text)]
        return [line for line in "\n".join(told).splitlines() if line.startswith("**") and ":" in line]

    assert lines((1, 3), 5, 9, 5, 9, 0) == [
        "**1st** B and D: 9 points",
        "**3rd** A and C: 5 points",
        "**5th** E: 0 points",
    ]
    assert lines((2, 3), 4, 4, 9, 9, partners=True) == ["**1st** C & D: 9 points", "**2nd** A & B: 4 points"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pair_that_wins_alone_shares_with_nobody(language: str) -> None:
    """Sides are counted, not seats."""
    say = sayer(language)

    def told(winners: tuple[int, ...], **options: Any) -> str:
        scores = tuple(9 if seat in winners else 4 for seat in range(4))
        table = full_table("zatre", Status.ENDED, (SeatKind.HUMAN,) * 4)
        seats = tuple(replace(seat, name="ABCD"[seat.index]) for seat in table.seats)
        table = replace(table, seats=seats, options=options, outcome=Outcome(scores, winners, "bag empty"))
        page = final_page(seen_by(table, None), (), language, say)
        lines = "\n".join(block.content for block in page.blocks if isinstance(block, Text)).splitlines()
        return next(line for line in lines if line.startswith("**") and "(" in line)

    reason = say("zatre.reason.bag_empty")
    both = listing(language, ["**A & B**", "**C & D**"])
    assert told((0,)) == say("table.won", n=1, names="**A**", reason=reason)
    assert told((2, 3), partners=True) == say("table.won.side", names="**C & D**", reason=reason)
    assert told((0, 1, 2, 3), partners=True) == say("table.won", n=2, names=both, reason=reason)
