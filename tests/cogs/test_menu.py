"""What can be done at a table beside moving: from the menu and by `/table`, during the game and after it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import discord
import pytest
from simcord.actors import MemberActor

from bot.tables.model import SeatKind, Status, Table
from bot.verifying import MOST_RECORD, verify_in_process

from .sim import Sim, answer, buttons, custom_ids, menus, text_of

PEOPLE = ":people:"
RECORDS = Path(__file__).parent.parent / "records"


async def menu(sim: Sim, person: MemberActor, table: Table) -> discord.Message:
    result = await person.click(await sim.board(table), label="Menu")
    assert result.response is not None
    assert result.response.ephemeral
    return result.response.message


async def about(sim: Sim, person: MemberActor, table: Table, wanted: str) -> Any:
    """Choose from "About the others"."""
    page = await menu(sim, person, table)
    custom = next(custom for custom, _ in menus(page) if PEOPLE in custom)
    return await person.select(page, [wanted], custom_id=custom)


def offered(page: discord.Message) -> list[str]:
    return [value for custom, values in menus(page) if PEOPLE in custom for value in values]


async def now(sim: Sim, table: Table) -> Table:
    return await sim.bot.tables.table(table.id)


async def test_everybody_votes_an_absent_player_out_and_the_public_sees_the_question(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo, setup="sorted")
    seat = table.seat_of(sim.cleo.id)
    assert seat is not None
    kick = f"kick.{seat.index}.{sim.cleo.id}"
    assert kick not in offered(await menu(sim, sim.cleo, table))
    await about(sim, sim.ada, table, kick)
    said = text_of(await sim.board(table))
    assert "Vote Cleo out?" in said
    assert "Yes from Ada (1 of 2)" in said
    page = await menu(sim, sim.ben, table)
    await sim.ben.click(page, label="Yes")
    after = await now(sim, table)
    assert after.seats[seat.index].kind is SeatKind.STAND_IN
    assert "Cleo (stand-in)" in text_of(await sim.board(table))
    history = answer(await sim.ada.slash(sim.thread(table), "table history"))
    assert "Cleo was voted out." in history
    assert "Ada voted: vote a player out? yes." in history


async def test_the_host_opens_a_stand_ins_seat_and_somebody_new_takes_it(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo, setup="sorted")
    seat = table.seat_of(sim.cleo.id)
    assert seat is not None
    await resign(sim, sim.cleo, table)
    assert f"open_seat.{seat.index}.0" in offered(await menu(sim, sim.ben, table))
    result = await about(sim, sim.ada, table, f"open_seat.{seat.index}.0")
    assert "Decided and done" in text_of(sim.fresh(result.response or await sim.board(table)))
    assert "seat is free" in text_of(await sim.board(table))
    page = await menu(sim, sim.dev, table)
    assert "Take Cleo’s seat" in buttons(page)
    await sim.dev.click(page, label="Take Cleo’s seat")
    after = await now(sim, table)
    assert after.seat_of(sim.dev.id) is not None
    assert "Dev" in text_of(await sim.board(table))


@pytest.mark.parametrize("agreed", [True, False])
async def test_who_takes_a_seat_reads_that_hints_were_agreed_to(sim: Sim, agreed: bool) -> None:
    people = (sim.ada, sim.ben, sim.cleo)
    table = await sim.started(*people, agreed=people if agreed else people[:2])
    seat = table.seat_of(sim.cleo.id)
    assert seat is not None
    for typed in (False, True):
        await resign(sim, sim.dev if typed else sim.cleo, table)
        await about(sim, sim.ada, table, f"open_seat.{seat.index}.0")
        if typed:
            result = await sim.cleo.slash(sim.thread(table), "table seat", number=seat.index + 1)
        else:
            result = await sim.dev.click(await menu(sim, sim.dev, table), label="Take Cleo’s seat")
        told = text_of(sim.fresh(result.response or await sim.board(table)))
        assert "You have taken the seat." in told
        assert ("Everybody here may have hints" in told) is agreed


async def resign(sim: Sim, person: MemberActor, table: Table) -> None:
    result = await person.slash(sim.thread(table), "table resign")
    assert result.response is not None
    await person.click(result.response.message, label="Yes, resign")


async def test_a_computer_player_takes_a_stand_ins_seat(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo, setup="sorted")
    seat = table.seat_of(sim.cleo.id)
    assert seat is not None
    await resign(sim, sim.cleo, table)
    await about(sim, sim.ada, table, f"computer_seat.{seat.index}.0")
    assert (await now(sim, table)).seats[seat.index].kind is SeatKind.COMPUTER


async def test_computer_players_keep_their_names_when_another_one_comes(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo, players=4, computers=1, setup="sorted")
    assert "- ⚙ Medium computer:" in text_of(await sim.board(table))
    await resign(sim, sim.ada, table)
    await about(sim, sim.ben, table, "computer_seat.0.0")
    said = text_of(await sim.board(table))
    assert "- ⚙ Medium computer 2:" in said
    assert "- ⚙ Medium computer:" in said
    assert said.index("- ⚙ Medium computer 2:") < said.index("- ⚙ Medium computer:")
    await sim.ben.slash(sim.thread(table), "table end", table=table.id)
    await sim.ben.slash(sim.channel, "table rematch", table=table.id)
    [again] = await sim.bot.tables.tables_of(sim.ben.id)
    seated = text_of(await sim.lobby(again))
    assert seated.index("⚙ Medium computer 1") < seated.index("⚙ Medium computer 2")


async def test_the_host_passes_on_and_only_the_host_may(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    seat = table.seat_of(sim.ben.id)
    assert seat is not None
    assert not any(value.startswith("host.") for value in offered(await menu(sim, sim.ben, table)))
    await about(sim, sim.ada, table, f"host.{seat.index}.{sim.ben.id}")
    assert (await now(sim, table)).host == sim.ben.id
    assert "End the table" in buttons(await menu(sim, sim.ben, table))
    assert "End the table" not in buttons(await menu(sim, sim.ada, table))


async def test_an_old_menu_never_means_somebody_else(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo, setup="sorted")
    seat = table.seat_of(sim.cleo.id)
    assert seat is not None
    page = await menu(sim, sim.ada, table)
    custom = next(custom for custom, _ in menus(page) if PEOPLE in custom)
    await resign(sim, sim.cleo, table)
    revision = (await now(sim, table)).revision
    for value in (f"kick.{seat.index}.{sim.cleo.id}", "kick.9.1", "kick", "host.x.y", "burn.0.0"):
        result = await sim.press(sim.ada, page, custom, [value])
        assert result.acknowledged
        assert "wrong on my side" not in answer(result)
    assert (await now(sim, table)).revision == revision


async def test_an_old_answer_is_none_to_a_question_about_somebody_else(sim: Sim) -> None:
    """Ben leaves while his kick is voted on; Dev, who takes the seat, is voted on next."""
    table = await sim.started(sim.ada, sim.ben, sim.cleo, setup="sorted")
    seat = table.seat_of(sim.ben.id)
    assert seat is not None
    await about(sim, sim.ada, table, f"kick.{seat.index}.{sim.ben.id}")
    page = await menu(sim, sim.cleo, table)
    old = {verb: next(one for one in custom_ids(page) if f":{verb}:" in one) for verb in ("yes", "no")}
    await resign(sim, sim.ben, table)
    await about(sim, sim.ada, table, f"open_seat.{seat.index}.0")
    await sim.dev.click(await menu(sim, sim.dev, table), label="Take Ben’s seat")
    await about(sim, sim.ada, table, f"kick.{seat.index}.{sim.dev.id}")
    for custom in (*old.values(), f"pb:{table.id}:1:yes:kick.{seat.index}", f"pb:{table.id}:1:yes:kick.x.y"):
        result = await sim.press(sim.cleo, page, custom)
        assert "earlier moment" in answer(result)
        after = await now(sim, table)
        assert after.seats[seat.index].user == sim.dev.id
        [vote] = after.votes
        assert (vote.yes, vote.no) == ((sim.ada.id,), ())
    await sim.cleo.click(await menu(sim, sim.cleo, table), label="Yes")
    assert (await now(sim, table)).seats[seat.index].kind is SeatKind.STAND_IN


async def test_an_old_menu_means_the_seat_of_who_was_shown_there(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo, setup="sorted")
    seat = table.seat_of(sim.ben.id)
    assert seat is not None
    await resign(sim, sim.ben, table)
    page = await menu(sim, sim.ada, table)
    custom = next(custom for custom, _ in menus(page) if PEOPLE in custom)
    await about(sim, sim.ada, table, f"open_seat.{seat.index}.0")
    free = await menu(sim, sim.dev, table)
    sit = next(one for one in custom_ids(free) if ":sit:" in one)
    await sim.press(sim.dev, free, sit)
    assert (await now(sim, table)).seats[seat.index].user == sim.dev.id
    await resign(sim, sim.dev, table)
    for act in ("open_seat", "computer_seat"):
        result = await sim.press(sim.ada, await sim.board(table), custom, [f"{act}.{seat.index}.0"])
        assert "earlier moment" in answer(result)
        assert (await now(sim, table)).seats[seat.index].kind is SeatKind.STAND_IN
    await about(sim, sim.ada, table, f"open_seat.{seat.index}.0")
    assert "earlier moment" in answer(await sim.press(sim.dev, await sim.board(table), sit))
    assert (await now(sim, table)).seats[seat.index].kind is SeatKind.OPEN
    stale = f"pb:{table.id}:{table.revision}:ask:computer_seat.{seat.index}"
    await sim.press(sim.ada, await sim.board(table), stale)
    assert (await now(sim, table)).seats[seat.index].kind is SeatKind.OPEN


async def test_taking_back_my_turn_means_the_turn_that_was_shown_and_nobody_elses(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")

    async def turn() -> tuple[MemberActor, discord.Message, str]:
        (actor,) = await sim.to_act(table)
        for move in ("draw", "leave"):
            await sim.types(actor, sim.thread(table), "5vor12", move=move)
        page = await menu(sim, actor, table)
        return actor, page, next(one for one in custom_ids(page) if ":ask:undo" in one)

    first, _, take_back = await turn()
    other, _, take_back_theirs = await turn()
    again, page, take_back_newest = await turn()
    assert first is again
    assert "earlier moment" in answer(await sim.press(first, page, take_back))
    assert (await now(sim, table)).votes == ()
    await sim.press(first, page, take_back_newest)
    board = await sim.board(table)
    assert "earlier moment" in answer(await sim.press(other, board, take_back_theirs))
    [vote] = (await now(sim, table)).votes
    assert vote.yes == (first.id,)
    assert "Ask to take back my turn" not in buttons(await menu(sim, other, table))
    await other.click(await menu(sim, other, table), label="Yes")
    assert await sim.to_act(table) == [first]


async def test_the_host_ends_the_table_after_a_question(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    page = await menu(sim, sim.ada, table)
    await sim.ada.click(page, label="End the table")
    assert (await now(sim, table)).status is Status.PLAYING
    await sim.ada.click(sim.fresh(page), label="Yes, end it")
    assert (await now(sim, table)).status is Status.ENDED


ASKING = {"Ask for a pause", "Vote to end", "Ask to take back my turn", "Resign"}


@pytest.mark.parametrize("options", [{"computers": 1}, {"computers": 1, "clock": 3600}, {}])
async def test_whoever_plays_alone_is_offered_nothing_to_ask_others(
    options: dict[str, Any], sim: Sim
) -> None:
    """Against computers, or with nobody at all. A pause is for a clock."""
    command = "topominos" if options else "top12"
    opened = await sim.ada.slash(sim.channel, f"{command} new", players=2 if options else 1, **options)
    assert opened.response is not None
    table = await sim.table(opened.response)
    await sim.ada.click(opened.response.message, label="Start")
    labels = set(buttons(await menu(sim, sim.ada, table)))
    assert not labels & ASKING
    assert ("Pause" in labels) is ("clock" in options)
    assert ("Take back my turn" in labels) is bool(options)


async def test_alone_the_menu_does_at_once_what_it_says(sim: Sim) -> None:
    table = await sim.started(sim.ada, computers=1, clock=3600, setup="sorted")
    await sim.ada.click(await menu(sim, sim.ada, table), label="Pause")
    assert (await now(sim, table)).status is Status.PAUSED
    page = await menu(sim, sim.ada, table)
    assert not set(buttons(page)) & ASKING
    await sim.ada.click(page, label="Go on")
    assert (await now(sim, table)).status is Status.PLAYING
    page = await menu(sim, sim.ada, table)
    await sim.ada.click(page, label="End the table")
    assert "for everybody" not in text_of(sim.fresh(page))
    await sim.ada.click(sim.fresh(page), label="Yes, end it")
    assert (await now(sim, table)).status is Status.ENDED


async def test_whoever_is_left_alone_has_nobody_to_ask(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, players=3, computers=1, setup="sorted")
    assert set(buttons(await menu(sim, sim.ben, table))) >= ASKING - {"Ask to take back my turn"}
    await resign(sim, sim.ada, table)
    labels = set(buttons(await menu(sim, sim.ben, table)))
    assert not labels & ASKING
    assert "End the table" in labels


async def test_pause_and_go_on_by_slash_command(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    result = await sim.ada.slash(sim.thread(table), "table pause")
    assert "put to the table" in answer(result)
    result = await sim.ben.slash(sim.thread(table), "table pause")
    assert "Decided and done" in answer(result)
    assert (await now(sim, table)).status is Status.PAUSED
    for person in (sim.ada, sim.ben):
        await person.slash(sim.thread(table), "table resume")
    assert (await now(sim, table)).status is Status.PLAYING


async def test_taking_back_by_slash_command_and_by_everybodys_consent(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    result = await sim.ada.slash(sim.thread(table), "table undo")
    assert "nothing that can be taken back" in answer(result)
    actor = (await sim.to_act(table))[0]
    await sim.types(actor, sim.thread(table), "5vor12", move="draw")
    await sim.types(actor, sim.thread(table), "5vor12", move="leave")
    page = await menu(sim, actor, table)
    await actor.click(page, label="Ask to take back my turn")
    other = sim.ben if actor is sim.ada else sim.ada
    assert "take back the last turn" in text_of(await sim.board(table))
    await other.click(await menu(sim, other, table), label="Yes")
    assert await sim.to_act(table) == [actor]
    history = answer(await sim.ada.slash(sim.thread(table), "table history"))
    assert f"{actor.user.global_name} took a step back" in history


async def test_snooze_by_slash_command(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben)
    result = await sim.ada.slash(sim.thread(table), "table snooze")
    assert "No more notices" in answer(result)
    seat = (await now(sim, table)).seat_of(sim.ada.id)
    assert seat is not None
    assert seat.is_snoozed
    assert "Do not remind me" not in buttons(await menu(sim, sim.ada, table))


async def test_an_ended_table_is_found_by_its_thread(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    thread = sim.thread(table)
    await sim.hurry(table)
    board = await sim.board(table)
    assert custom_ids(board) == []
    await sim.started(sim.ada, sim.cleo)  # another one of Ada's, elsewhere

    for person in (sim.ada, sim.dev):
        result = await person.slash(thread, "table record")
        assert result.response is not None
        (file,) = result.response.attachments
        assert file.filename == f"{table.id}.json"
    assert "Ada opened the table" in answer(await sim.dev.slash(thread, "table history"))
    result = await sim.ada.slash(thread, "table show")
    assert result.response is not None
    page = result.response.message
    assert {"Rematch", "Record", "History"} <= set(buttons(page))
    assert "win" in text_of(page)
    watcher = await sim.dev.slash(thread, "table show")
    assert watcher.response is not None
    assert "Rematch" not in buttons(watcher.response)
    again = await sim.ada.click(page, label="Rematch")
    assert "rematch" in answer(again)
    lobby = sim.messages(sim.channel.id)[-1]
    assert {"1. Ada", "2. Ben"} <= set(text_of(lobby).replace("⌂ ", "").replace(" · host", "").splitlines())


async def test_the_table_message_says_what_happened_last(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    actor = (await sim.to_act(table))[0]
    await sim.types(actor, sim.thread(table), "5vor12", move="draw")
    await sim.types(actor, sim.thread(table), "5vor12", move="leave")
    assert f"-# **{actor.user.global_name}:** left the 6 in the middle" in text_of(await sim.board(table))


# --------------------------------------------------------------------------- records


async def test_anybody_checks_a_record_and_reads_what_the_command_line_says(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    await sim.hurry(table)
    written = await sim.bot.tables.record(table.id)
    result = await sim.dev.slash(sim.channel, "table verify", file=("game.json", written.encode()))
    assert answer(result) == "game\\.json: ok"

    broken = json.loads(written)
    broken["outcome"]["scores"][0] += 1
    result = await sim.dev.slash(sim.channel, "table verify", file=("game.json", json.dumps(broken).encode()))
    assert answer(result).startswith(f"game\\.json: event {len(broken['events'])}: outcome: ")
    sim.speaks(sim.dev, "de")
    result = await sim.dev.slash(sim.channel, "table verify", file=("**x**.json", b"{"))
    assert "kein JSON" in answer(result)
    assert "**x**" not in answer(result)


async def test_the_version_of_a_record_under_older_rules_is_told(sim: Sim) -> None:
    old = (RECORDS / "topominos-3-v1-unnamed.json").read_bytes()
    result = await sim.dev.slash(sim.channel, "table verify", file=("old.json", old))
    assert answer(result) == "old\\.json: ok, by version 1 of the rules"
    sim.speaks(sim.dev, "de")
    result = await sim.dev.slash(sim.channel, "table verify", file=("old.json", old))
    assert answer(result) == "old\\.json: ok, nach Version 1 der Regeln"


async def test_a_file_no_record_can_be_is_not_even_read(sim: Sim) -> None:
    result = await sim.dev.slash(sim.channel, "table verify", file=("x.json", b" " * (MOST_RECORD + 1)))
    assert "longer than 2048 KiB" in answer(result)
    sim.env.inject_error("GET", "*", status=404, code=10003)
    result = await sim.dev.slash(sim.channel, "table verify", file=("x.json", b"[]"))
    assert "header" in answer(result) or "could not read that file" in answer(result)


def test_a_record_that_takes_too_long_is_given_up() -> None:
    assert verify_in_process(b"{}", seconds=0.001).late


@pytest.mark.parametrize("data", [b"", b"\xff", b"[" * 100_000, b"{}", b'{"format": "parlour/1"}'])
def test_what_is_no_record_has_a_fault(data: bytes) -> None:
    judged = verify_in_process(data)
    assert not judged.late
    assert judged.fault is not None
    assert judged.fault.index is None


async def test_the_history_names_who_sat_there_then(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo, setup="sorted")
    for person in (sim.ada, sim.ben):
        await person.slash(sim.channel, "table vote", question="kick", seat=3, table=table.id)
    await sim.ada.slash(sim.channel, "table vote", question="open_seat", seat=3, table=table.id)
    await sim.dev.slash(sim.channel, "table seat", number=3, table=table.id)
    for language, out, opened, taken in (
        ("en", "Cleo was voted out", "The seat of Cleo was opened", "Dev took a seat"),
        ("de", "Cleo wurde ausgeschlossen", "Der Platz von Cleo wurde frei", "Dev hat einen Platz genommen"),
    ):
        await sim.bot.tables.set_user(sim.ada.id, language=language)
        lines = answer(await sim.ada.slash(sim.channel, "table history", table=table.id)).splitlines()
        found = [next(at for at, line in enumerate(lines) if part in line) for part in (out, opened, taken)]
        assert found == sorted(found)
        assert not any("Dev" in line for line in lines[: found[2]])


async def test_a_typed_move_at_a_paused_or_ended_table_is_told_why(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    for person in (sim.ada, sim.ben):
        await person.slash(sim.channel, "table pause", table=table.id)
    for named in ({"table": table.id}, {}):
        result = await sim.types(sim.ada, sim.thread(table), "5vor12", move="reveal", **named)
        assert "paused" in answer(result)
    await sim.bot.tables.end_by_admin(table.id)
    result = await sim.types(sim.ada, sim.channel, "5vor12", move="reveal", table=table.id)
    assert "over" in answer(result)
    result = await sim.types(sim.cleo, sim.channel, "5vor12", move="reveal", table=table.id)
    assert "not playing this game" in answer(result)


async def test_when_time_is_up_the_others_read_that_they_may_vote(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo, setup="sorted", clock=3600, timeout="vote")
    (late,) = await sim.to_act(table)
    name = late.user.global_name
    assert "vote them out" not in text_of(await sim.board(table))
    await sim.env.advance_time(3700)
    await sim.env.settle()
    assert f"The time of {name} is up. The others may vote them out" in text_of(await sim.board(table))
