"""A rolling update: the new process asks for the old one's shard, and goes on where that stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.discord import driver
from tests.postgresql import fresh_database
from tests.wire.wire_server import PATIENCE, ROOT, control, is_board


@contextmanager
def told(world: Any) -> Iterator[None]:
    """Where it fails, what the processes had to say."""
    try:
        yield
    except BaseException:
        print("\n--\n".join(bot.log[-4000:] for bot in world.bots))
        raise


@pytest.mark.long
async def test_a_shard_is_handed_over_and_old_buttons_go_on(tmp_path: Path, postgresql: str) -> None:
    url = await fresh_database(postgresql, "handed")
    env = {
        "DATABASE_URL": url.replace("+asyncpg", ""),
        "SHARD_COUNT": "2",
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PARLOUR_LOG_LEVEL": "INFO",
    }
    async with driver.World() as world:
        guild = await world.create_guild("Den")
        shard = (guild.id >> 22) % 2
        channel = await world.create_channel(guild, "games")
        ann = await world.create_user("ann", guild)

        async def process(name: str, shard: int, *, ready: bool = True, **more: str) -> Any:
            (tmp_path / name).mkdir()
            settings = env | {"DATA_DIR": str(tmp_path / name), "SHARD_IDS": str(shard)} | more
            return await world.start_bot(
                "-m", "bot", "run", cwd=tmp_path / name, env=settings, timeout=PATIENCE, ready=ready
            )

        def board() -> Any:
            places = [one for one in world.state.channels.values() if channel.id in (one.id, one.parent_id)]
            seen = (message for place in places for message in ann.messages(place))
            return next((message for message in seen if is_board(message)), None)

        with told(world):
            names = {shard: "old", 1 - shard: "other"}
            running = {names[one]: await process(names[one], one) for one in (0, 1)}  # 0 registers commands
            old, other = running["old"], running["other"]
            lobby = (await ann.slash(channel, "5vor12 new", players=2)).message
            assert lobby is not None
            assert (await ann.click(lobby, custom_id=control(lobby, "add_computer"), stale=True)).acked

            def full() -> bool:
                now = ann.look(lobby)
                return not now.button(custom_id=control(now, "start")).disabled

            await world.until(full, PATIENCE, "a lobby that can start")
            now = ann.look(lobby)
            assert (await ann.click(now, custom_id=control(now, "start"), stale=True)).acked
            await world.until(board, PATIENCE, "the table message")
            late = await process("late", shard, ready=False)
            assert await asyncio.wait_for(late.process.wait(), PATIENCE) == 2
            assert "PARLOUR_TAKE_OVER=true" in late.log
            new = await process("new", shard, PARLOUR_TAKE_OVER="true")
            assert await asyncio.wait_for(old.process.wait(), PATIENCE) == 0
            assert other.running
            answered = await ann.click(board(), custom_id=control(board(), "move"), stale=True)
            assert answered.acked
            assert answered.message is not None
            assert await new.stop(10.0) == 0
            assert await other.stop(10.0) == 0
            assert "Traceback" not in "".join(bot.log for bot in world.bots)
        world.assert_clean()
