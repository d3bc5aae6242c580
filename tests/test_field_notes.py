"""What users of such bots ran into, and where each kind of fault is held.

`HELD` names, for every row of docs/field-notes.md, the tests that hold its kind; those which belong
nowhere else are at the end of this file. `OPEN` names the rows whose tests are still to come. Two tests keep
the tables true: every row is in one of them, and every test named exists.
"""

from __future__ import annotations

import ast
import asyncio
import functools
import re
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.players import choose
from bot.storage import SqlStore
from bot.tables.computers import in_threads
from bot.tables.model import Person, Status
from tests.cogs.sim import Sim
from tests.tables.support import ADA, BEN, PLACE, FakeClock, Rig, typed

TESTS = Path(__file__).parent
NOTES = TESTS.parent / "docs" / "field-notes.md"

HELD = {
    "slow first answer, double answer, button spam": (
        "wire/test_restart.py::test_twenty_taps_at_once_change_one_thing_and_all_are_answered",
        "cogs/test_clicks.py::test_twenty_clicks_are_all_answered_and_one_counts",
        "cogs/test_parts.py::test_a_slow_answer_is_deferred_before_discord_gives_up",
        "cogs/test_parts.py::test_a_click_is_acknowledged_once",
    ),
    "token and view lifetimes": (
        "test_field_notes.py::test_no_board_hangs_on_the_token_of_a_click",
        "cogs/test_parts.py::test_a_page_becomes_one_container_with_its_files",
        "cogs/test_fivetotwelve.py::test_a_table_with_a_computer_goes_on_after_a_restart_by_its_old_buttons",
    ),
    "two bot processes on one token": (
        "wire/test_process.py::test_a_second_process_is_refused_and_sigterm_frees_the_first",
        "storage/test_lock.py::test_a_second_process_is_refused_with_a_clear_message",
        "storage/test_lock.py::test_a_shard_on_postgresql_is_held_by_one_process",
    ),
    "stale click": (
        "cogs/test_clicks.py::test_a_step_of_an_older_draft_is_answered_with_the_current_one",
        "cogs/test_clicks.py::test_an_id_that_matches_nothing_is_answered",
        "cogs/test_menu.py::test_an_old_menu_never_means_somebody_else",
        "tables/test_moves.py::test_each_decision_of_a_turn_moves_since_so_that_old_buttons_are_stale",
    ),
    "race in the lobby": (
        "cogs/test_lobby.py::test_fifty_mixed_actions_leave_the_lobby_as_stored",
        "tables/test_lobby.py::test_fifty_people_click_at_once_and_the_last_lobby_told_is_the_stored_one",
    ),
    "ghost seats": ("tables/test_people.py::test_after_any_end_nobody_is_still_in_a_game",),
    "lost at restart": (
        "tables/test_crash.py::test_killed_at_any_instant",
        "wire/test_restart.py::test_killed_at_any_instant_of_running_games",
        "cogs/test_notices.py::test_what_was_owed_and_unpainted_at_a_crash_is_done_once_at_the_start",
    ),
    "saved games broken by an update": (
        "storage/test_old_stores.py::test_the_newest_schema_has_its_stored_database",
        "storage/test_old_stores.py::test_it_opens_and_every_table_goes_on",
    ),
    "database is locked": (
        "test_field_notes.py::test_a_locked_database_is_waited_for",
        "test_field_notes.py::test_many_tables_are_written_and_read_at_once",
        "storage/test_migrations.py::test_sqlite_is_set_up_for_safety",
    ),
    "ready fires again": ("test_client.py::test_ready_again_starts_nothing_twice",),
    "message, channel, thread, permission, guild gone": (
        "cogs/test_places.py::test_a_deleted_table_message_comes_back_by_itself_and_no_other_is_touched",
        "cogs/test_places.py::test_a_deleted_channel_parks_its_tables_and_a_player_calls_one_elsewhere",
        "cogs/test_places.py::test_a_deleted_thread_is_left_for_a_new_place_by_itself",
        "cogs/test_places.py::test_permissions_given_back_wake_what_was_parked_and_only_that",
        "cogs/test_places.py::test_thrown_out_and_invited_again",
    ),
    "closed DMs": (
        "cogs/test_hands.py::test_closed_messages_are_told_once_at_the_next_click_and_nothing_is_posted",
        "cogs/test_topominos.py::test_with_closed_direct_messages",
        "cogs/test_notices.py::test_a_closed_dm_costs_nothing_but_the_message",
    ),
    "opening many DMs": (
        "cogs/test_hands.py::test_over_the_budget_sitting_down_waits_for_the_start",
        "cogs/test_hands.py::test_the_first_message_comes_on_sitting_down_and_becomes_the_hand",
        "cogs/test_parts.py::test_a_budget_gives_so_many_at_once_and_then_one_at_a_time",
    ),
    "secret leaks by side paths": (
        "cogs/test_topominos.py::test_nobody_else_sees_a_byte_of_a_rack_or_an_exchange",
        "cogs/test_topspot.py::test_nobody_else_sees_a_byte_of_a_hand",
        "cogs/test_zatre.py::test_nobody_else_sees_a_byte_of_the_tiles",
        "tables/test_life.py::test_nobody_s_view_history_or_notice_needs_the_seed",
    ),
    "absent player blocks all": (
        "tables/test_every_game.py::test_the_game_goes_on_without_them",
        "tables/test_votes.py::test_absent_players_block_no_end",
        "cogs/test_menu.py::test_everybody_votes_an_absent_player_out_and_the_public_sees_the_question",
        "cogs/test_hands.py::test_who_left_the_server_is_found_out_when_time_runs",
    ),
    "leaving below the minimum": (
        "cogs/test_clicks.py::test_below_the_smallest_number_the_table_ends_with_a_message",
        "tables/test_people.py::test_below_the_game_s_fewest_players_the_table_ends",
    ),
    "ping fatigue": (
        "cogs/test_notices.py::test_the_start_of_a_set_up_is_told_once_and_the_last_one_missing_once_more",
        "cogs/test_notices.py::test_a_new_turn_takes_the_place_of_the_last_notice",
        "cogs/test_notices.py::test_a_snoozed_turn_is_not_reminded_of",
    ),
    "names": (
        "cogs/test_lobby.py::test_markdown_and_mentions_in_a_name_are_shown_as_written",
        "cogs/test_parts.py::test_a_name_in_text_has_no_bare_mark_left",
        "rendering/test_fonts.py::test_any_string_fits_any_width",
        "rendering/test_fonts.py::test_every_script_has_its_letters",
    ),
    "blocked event loop": (
        "test_field_notes.py::test_pictures_and_computer_players_work_beside_the_event_loop",
        "cogs/test_menu.py::test_a_record_that_takes_too_long_is_given_up",
    ),
    "too many options": (
        "cogs/test_fivetotwelve.py::test_every_legal_move_is_reached_by_taps_and_nothing_else",
        "cogs/test_top12.py::test_the_largest_choice_of_an_entry_is_reached_by_taps",
        "cogs/test_topominos.py::test_the_largest_list_of_moves_is_reached_by_taps",
        "cogs/test_topspot.py::test_the_largest_list_of_moves_is_reached_by_taps",
        "cogs/test_zatre.py::test_moves_of_the_largest_lists_are_reached_by_taps_within_discords_limits",
    ),
    "colours alone": (
        "rendering/test_theme.py::test_marks_are_told_apart_without_colour",
        "rendering/test_top12.py::test_the_die_faces_are_told_apart_without_colour",
        "rendering/test_topominos.py::test_dots_of_different_pieces_differ_without_colour",
        "rendering/test_topspot.py::test_spots_holes_and_plain_positions_differ_without_colour",
        "rendering/test_zatre.py::test_kinds_of_cells_are_told_apart_without_colour",
    ),
    "language": (
        "cogs/test_languages.py::test_a_german_server_and_an_english_player",
        "cogs/test_languages.py::test_the_last_language_seen_serves_direct_messages",
    ),
    "misclick": (
        "cogs/test_fivetotwelve.py::test_a_tile_from_the_middle_takes_three_taps",
        "cogs/test_clicks.py::test_resigning_asks_first_and_a_stand_in_plays_on",
        "cogs/test_menu.py::test_taking_back_by_slash_command_and_by_everybodys_consent",
        "tables/test_undo.py::test_the_own_last_step_before_the_turn_is_final",
        "tables/test_undo.py::test_nothing_goes_back_past_a_revealed_tile",
    ),
    "cancelled in the middle": (
        "tables/test_cancelled.py::test_a_change_whose_asker_is_gone_is_whole_or_absent",
        "tables/test_cancelled.py::test_a_change_whose_asker_is_gone_at_any_tick_is_whole_or_absent",
        "tables/test_cancelled.py::test_a_game_whose_every_click_is_cancelled_and_repeated_is_a_whole_game",
    ),
    "a migration that deletes children": (
        "storage/test_rebuilding.py::test_a_table_made_anew_keeps_every_row",
        "storage/test_rebuilding.py::test_a_migration_that_does_harm_is_refused_and_the_file_is_as_it_was",
    ),
    "stop signal": ("wire/test_stop.py::test_told_to_stop_with_moves_in_flight_and_a_computer_thinking",),
    "a computer that knows": (
        "players/test_secrets.py::test_a_table_hands_its_players_neither_seed_nor_position",
        "players/test_secrets.py::test_selfplay_hands_its_players_neither_seed_nor_position",
    ),
}


# Each moves to HELD with its tests.
OPEN = {
    "the same entry again",
    "checks in nested components",
    "views kept for ever",
    "unknown languages",
    "one bad text, no commands",
    "right-to-left names twice shaped",
    "no legal choice offered",
    "undone without trace",
}


@functools.cache
def names_in(path: str) -> frozenset[str]:
    tree = ast.parse((TESTS / path).read_text("utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in tree.body if isinstance(node, functions))


def test_every_row_of_the_notes_is_held_or_named_as_open() -> None:
    rows = re.findall(r"^\| ([^|]+?) \|", NOTES.read_text("utf-8"), re.MULTILINE)
    assert sorted([*HELD, *OPEN]) == sorted(set(rows) - {"kind", "---"})


@pytest.mark.parametrize("kind", HELD)
def test_the_tests_named_exist(kind: str) -> None:
    for name in HELD[kind]:
        path, _, test = name.partition("::")
        assert test in names_in(path), name


# --------------------------------------------------------------------------- held here


async def test_no_board_hangs_on_the_token_of_a_click(sim: Sim) -> None:
    """Token and view lifetimes: what others see is changed by message id, however old the last click is."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    actor = (await sim.to_act(table))[0]
    page = await sim.hand(actor, table)
    await sim.env.advance_time(16 * 60)  # Discord's tokens live for fifteen minutes
    seen = len(sim.env.http_requests)
    with sim.env._bot_scope():
        await typed(sim.bot.tables, table.id, Person(actor.id, "x"), "draw")
    await sim.env.settle()
    board = await sim.board(table)
    after = await sim.bot.tables.table(table.id)
    assert after.painted == after.revision
    paths = [request.path for request in sim.env.http_requests[seen:]]
    assert any(path.endswith(f"/messages/{board.id}") for path in paths)
    assert not any("/webhooks/" in path or "/callback" in path for path in paths)
    # The panel was closed before its token died, and is opened again with a fresh token of its own.
    result = await actor.click(sim.fresh(page), label="Open again")
    assert result.response is not None
    assert (await sim.bot.tables.table(table.id)).status is Status.PLAYING


async def test_a_locked_database_is_waited_for(tmp_path: Path) -> None:
    """Another program holds the file's write lock for a moment: the change waits, and nobody is told off."""
    path = tmp_path / "parlour.db"
    store = await SqlStore.open(f"sqlite+aiosqlite:///{path}")
    rig = Rig(store, FakeClock())
    table = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        joining = asyncio.create_task(rig.tables.join(table.id, BEN))
        for _ in range(20):  # reading goes on meanwhile
            assert len((await rig.tables.table(table.id)).seats) == 1
        assert not joining.done()
        other.execute("COMMIT")
    assert len((await joining).table.seats) == 2
    await store.close()


async def test_many_tables_are_written_and_read_at_once(tmp_path: Path) -> None:
    store = await SqlStore.open(f"sqlite+aiosqlite:///{tmp_path / 'parlour.db'}")
    rig = Rig(store, FakeClock())

    async def one(number: int) -> None:
        host = Person(number + 1, f"P{number}")
        table = (await rig.tables.open(host, PLACE, "fivetotwelve")).table
        await asyncio.gather(
            rig.tables.join(table.id, BEN), rig.shown.painted(table.id, 1), rig.tables.tables_of(host.id)
        )
        await rig.tables.start(table.id, host)

    await asyncio.gather(*(one(number) for number in range(40)))
    mine = await rig.tables.tables_of(BEN.id)
    assert len(mine) == 40
    assert {table.status for table in mine} == {Status.PLAYING}
    await store.close()


async def test_pictures_and_computer_players_work_beside_the_event_loop(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever takes long is done in a thread: the loop's own never draws nor thinks."""
    import rendering.fivetotwelve as pictures

    threads: dict[str, set[int]] = {}

    def noting(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(work)
        def noted(*args: Any, **kwargs: Any) -> Any:
            threads.setdefault(name, set()).add(threading.get_ident())
            return work(*args, **kwargs)

        return noted

    for name in ("table_pictures", "hand_pictures"):
        monkeypatch.setattr(pictures, name, noting(name, getattr(pictures, name)))
    computers = sim.bot._computers
    assert computers is not None
    monkeypatch.setattr(computers, "_think", in_threads(noting("choose", choose)))
    private: Any = sim.bot.services.private
    monkeypatch.setitem(private._games, "fivetotwelve", noting("step", private._games["fivetotwelve"]))
    cog: Any = sim.bot.get_cog("FiveToTwelve")
    monkeypatch.setattr(cog, "suggest", noting("suggest", cog.suggest))
    lobby = await sim.new(sim.ada, players=2, computers=1, setup="sorted")
    table = await sim.table(lobby)
    await sim.ada.click(sim.fresh(lobby), label="Start")
    await sim.step(sim.ada, await sim.hand(sim.ada, table))
    assert await sim.ada.autocomplete(sim.channel, "5vor12 move", "move", "", table=table.id)
    await sim.hurry(table, most=4)
    assert set(threads) == {"table_pictures", "hand_pictures", "choose", "step", "suggest"}
    assert threading.get_ident() not in set().union(*threads.values())
