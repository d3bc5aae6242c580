"""The client from start to stop, in this process: commands registered, the store locked and freed, exit
codes."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import discord
import pytest

from bot.backups import WORK, backups, name
from bot.client import (
    PACE,
    TURN,
    SystemClock,
    _beat,
    _freeze_loaded,
    create_bot,
    every_extension,
    run,
    system_entropy,
)
from bot.discord_io import LONGEST_WAIT
from bot.health import BEAT, BEAT_SECONDS, read_beat
from bot.settings import Settings
from bot.storage.backup import look_through
from bot.tables.model import Status
from bot.tables.ports import StoreBusy
from tests.cogs.sim import Sim, answer, buttons, text_of

MakeSim = Callable[..., Awaitable[Sim]]


async def test_commands_are_registered_when_they_changed_and_only_then(sim: Sim) -> None:
    assert len(sim.requests("PUT", "/commands")) == 1
    await sim.restart()
    assert len(sim.requests("PUT", "/commands")) == 1
    sim.options["extensions"] = tuple(name for name in every_extension() if name != "cogs.help")
    await sim.restart()
    assert len(sim.requests("PUT", "/commands")) == 2


async def test_a_failing_registration_leaves_the_bot_running_and_is_tried_again(make_sim: MakeSim) -> None:
    sim = await make_sim()
    sim.faults_expected = True
    sim.options["extensions"] = tuple(name for name in every_extension() if name != "cogs.help")
    sim.env.inject_error("PUT", "/applications/*/commands", status=400, code=30034)
    await sim.restart()
    assert len(sim.requests("PUT", "/commands")) == 2
    result = await sim.ada.slash(sim.channel, "games")
    assert "not sitting" in answer(result)
    await sim.restart()
    assert len(sim.requests("PUT", "/commands")) == 3


async def test_a_second_bot_on_the_same_database_is_refused(sim: Sim) -> None:
    second = create_bot(sim.settings, clock=sim.clock)
    with pytest.raises(StoreBusy):
        await second.setup_hook()
    await second.close()
    lobby = await sim.new(sim.ada)
    assert "Join" in buttons(lobby)


async def test_closing_twice_does_no_harm_and_frees_the_database(sim: Sim) -> None:
    await sim.bot.close()
    await sim.bot.close()
    await sim.restart()
    assert "Join" in buttons(await sim.new(sim.ada))


async def test_a_bot_that_makes_backups_begins_with_the_others(sim: Sim) -> None:
    sim.settings = sim.settings.model_copy(update={"parlour_backups": "weekly:2"})
    sim.settings.backup_folder.mkdir()
    (sim.settings.backup_folder / name(sim.clock.now())).touch()  # none is due for a week
    await sim.restart()
    assert not sim.bot.background.runs(WORK)
    assert WORK in sim.bot.background._jobs


@pytest.mark.long
async def test_the_running_bot_backs_itself_up(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.backups.GENTLE", 0)  # the start is waited for 5 s, whatever else runs here
    await sim.new(sim.ada)
    sim.settings = sim.settings.model_copy(update={"parlour_backups": "daily:2"})
    await sim.restart()
    await asyncio.gather(*sim.bot.background.runs("backups"))
    [made] = backups(sim.settings.backup_folder)
    assert made.made == sim.clock.now().replace(microsecond=0)
    with look_through(made.path) as backup:
        assert backup.manifest.counts["tables"] == 1
    await sim.restart()
    await asyncio.gather(*sim.bot.background.runs("backups"))
    assert backups(sim.settings.backup_folder) == [made], "the next one is due a day later"


async def test_ready_again_starts_nothing_twice(sim: Sim) -> None:
    lobby = await sim.new(sim.ada)
    table = await sim.table(lobby)
    await sim.ada.click(lobby, label="+ Medium")
    with sim.env._bot_scope():
        await sim.bot.on_ready()
        await sim.bot.on_resumed()
    await sim.env.settle()
    await sim.ada.click(sim.fresh(lobby), label="Start")
    page = await sim.hand(sim.ada, table)
    while "Played" not in text_of(page):  # the computer is quick: it may be Ada's turn again at once
        page = await sim.step(sim.ada, page)
    await sim.env.settle()
    now = await sim.bot.tables.table(table.id)
    assert now.status is Status.PLAYING
    assert now.painted == now.revision
    assert await sim.to_act(table) == [sim.ada]  # the computer laid its tile, once


async def test_a_fault_of_ours_is_told_with_a_number_and_logged(
    make_sim: MakeSim, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sim = await make_sim()
    sim.faults_expected = True
    lobby = await sim.new(sim.ada)

    async def broken(*_: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr(sim.bot.tables, "join", broken)
    result = await sim.ben.click(lobby, label="Join")
    said = answer(result)
    assert "wrong on my side" in said
    number = said.rsplit(" ", 1)[1].rstrip(".")
    assert number in caplog.text
    seeds = (await sim.bot.tables.table((await sim.table(lobby)).id)).seed
    assert seeds not in caplog.text
    assert seeds not in said


def test_the_defaults_are_the_computers_time_and_its_secure_chance() -> None:
    assert SystemClock().now().utcoffset() is not None
    assert len(system_entropy()) == 64
    assert system_entropy() != system_entropy()
    assert PACE == 1.0


async def test_the_system_clock_waits_until_a_time_that_is_past() -> None:
    clock = SystemClock()
    await asyncio.wait_for(clock.sleep_until(clock.now()), 1)


@pytest.fixture
def turn() -> Iterator[None]:
    """How long a thread may keep the interpreter is the process's: afterwards it is as it was."""
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("turn")
def test_a_discord_that_cannot_be_reached_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discord.http.Route, "BASE", "http://127.0.0.1:1/api")
    code = run(Settings(_env_file=None, data_dir=tmp_path, discord_token="t"))  # type: ignore[arg-type, call-arg]
    assert code == 1
    assert "cannot be reached" in capsys.readouterr().err
    assert sys.getswitchinterval() == pytest.approx(TURN)  # which the event loop waits for at most


def test_without_a_token_it_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(Settings(_env_file=None, data_dir=tmp_path, discord_token=None))  # type: ignore[call-arg]
    assert code == 2
    assert "DISCORD_TOKEN" in capsys.readouterr().err


async def test_seeds_and_purposes_are_the_computers_secure_chance_unless_others_are_given(
    tmp_path: Path,
) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path)  # type: ignore[call-arg]
    bot = create_bot(settings)
    assert bot._entropy is bot._purposes is system_entropy
    given = create_bot(settings, purposes=lambda: "f" * 64)
    assert given._purposes() == "f" * 64


async def test_it_asks_for_no_privileged_intent(tmp_path: Path) -> None:
    bot = create_bot(Settings(_env_file=None, data_dir=tmp_path))  # type: ignore[call-arg]
    assert not bot.intents.members
    assert not bot.intents.message_content
    assert not bot.intents.presences


async def test_the_members_intent_is_asked_for_only_where_the_host_wants_it(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path, parlour_members_intent=True)  # type: ignore[call-arg]
    bot = create_bot(settings)
    assert bot.intents.members
    assert not bot.intents.message_content
    assert not bot.intents.presences


async def test_who_leaves_the_server_leaves_at_once_where_discord_tells(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo, setup="sorted")
    payload = discord.RawMemberRemoveEvent(
        {"guild_id": sim.guild.id, "user": {"id": sim.ben.id}},  # type: ignore[typeddict-item]
        discord.Object(sim.ben.id),  # type: ignore[arg-type]
    )
    with sim.env._bot_scope():
        await sim.bot.on_raw_member_remove(payload)
    await sim.env.settle()
    now = await sim.bot.tables.table(table.id)
    assert now.seat_of(sim.ben.id) is None
    assert "stand-in" in text_of(await sim.board(table))


async def test_no_long_rate_limit_is_waited_for(tmp_path: Path) -> None:
    bot = create_bot(Settings(_env_file=None, data_dir=tmp_path))  # type: ignore[call-arg]
    assert bot.http.max_ratelimit_timeout == LONGEST_WAIT == 5.0


async def test_every_request_is_traced(tmp_path: Path) -> None:
    bot = create_bot(Settings(_env_file=None, data_dir=tmp_path))  # type: ignore[call-arg]
    assert bot.http.http_trace is bot.trace.config


async def test_the_beat_is_left_from_the_first_connection_on_and_tells_when_it_is_gone(
    tmp_path: Path,
) -> None:
    """The loop turns all the time; being cut off for long is what makes the health check fail."""
    bot = create_bot(Settings(_env_file=None, data_dir=tmp_path))  # type: ignore[call-arg]
    assert await _beat(bot) == 1.0
    assert read_beat(tmp_path) is None
    for event in (bot.on_connect, bot.on_disconnect, bot.on_connect):
        await event()
        assert await _beat(bot) == BEAT_SECONDS
        assert read_beat(tmp_path) is not None
        assert ("offline" in (tmp_path / BEAT).read_text("ascii")) == (not bot.connected)


async def test_a_bot_that_ends_says_so_in_its_own_beat_alone(tmp_path: Path) -> None:
    """One that is refused beside it never left one."""
    first = create_bot(Settings(_env_file=None, data_dir=tmp_path))  # type: ignore[call-arg]
    await first.open()
    await first.on_connect()
    await _beat(first)
    left = (tmp_path / BEAT).read_bytes()
    second = create_bot(first.settings)
    with pytest.raises(StoreBusy):
        await second.open()
    await second.close()
    assert (tmp_path / BEAT).read_bytes() == left
    await first.close()
    ended = read_beat(tmp_path)
    assert ended is not None
    assert ended[1].ended


async def test_who_hands_over_says_so_before_the_next_can_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may leave its beat in the same folder."""
    bot = create_bot(Settings(_env_file=None, data_dir=tmp_path))  # type: ignore[call-arg]
    store = await bot.open()
    await bot.on_connect()
    await _beat(bot)
    seen: list[bool] = []
    close = store.close

    async def closing() -> None:
        beat = read_beat(tmp_path)
        seen.append(beat is not None and beat[1].ended)
        await close()

    monkeypatch.setattr(store, "close", closing)
    await bot.close()
    await bot.close()
    assert seen == [True]


async def test_what_is_loaded_is_set_apart_from_garbage_collection(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full collection of all that a ready bot holds would hold the event loop for 70 ms and more."""
    done: list[str] = []
    monkeypatch.setattr(gc, "collect", lambda: done.append("collect"))
    monkeypatch.setattr(gc, "freeze", lambda: done.append("freeze"))
    assert await _freeze_loaded(sim.bot) is None
    assert done == ["collect", "freeze"]
    unready = create_bot(sim.settings)
    assert await _freeze_loaded(unready) == 1.0, "it is looked again"
    assert done == ["collect", "freeze"]
