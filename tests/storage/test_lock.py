"""One process per SQLite file, with real processes; one process per shard on PostgreSQL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.locale import text
from bot.storage import SqlStore
from bot.tables.ports import StoreBusy
from tests.postgresql import fresh_database

ROOT = Path(__file__).resolve().parents[2]

HOLD = """
import asyncio, sys
from bot.storage import SqlStore

async def hold():
    store = await SqlStore.open(sys.argv[1])
    print("open", flush=True)
    sys.stdin.readline()
    await store.close()

asyncio.run(hold())
"""


def address(path: Path) -> str:
    return f"sqlite+aiosqlite:///{path}"


@contextmanager
def holder(url: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the store open."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "open\n"
            yield process
        finally:
            process.kill()


async def test_a_second_process_is_refused_with_a_clear_message(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    with holder(address(path)) as process:
        with pytest.raises(StoreBusy) as refused:
            await SqlStore.open(address(path))
        assert refused.value.data == {"path": str(path), "pid": process.pid}
        for language in ("en", "de"):
            assert str(process.pid) in text(language, refused.value.key, **refused.value.data)


async def test_kill_9_frees_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    with holder(address(path)) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        store = await SqlStore.open(address(path))
        await store.close()


async def test_closing_frees_the_lock_for_the_same_process_and_for_others(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    store = await SqlStore.open(address(path))
    with pytest.raises(StoreBusy):
        await SqlStore.open(address(path))
    await store.close()
    await store.close()
    with holder(address(path)):
        pass


async def test_other_files_are_not_held(tmp_path: Path) -> None:
    with holder(address(tmp_path / "one.db")):
        store = await SqlStore.open(address(tmp_path / "two.db"))
        await store.close()


@pytest.mark.long
async def test_a_shard_on_postgresql_is_held_by_one_process(postgresql: str) -> None:
    url = await fresh_database(postgresql, "shards")
    store = await SqlStore.open(url, shards=(0, 1))
    with pytest.raises(StoreBusy):
        await SqlStore.open(url, shards=(1, 2))
    other = await SqlStore.open(url, shards=(2, 3))
    await other.close()
    await store.close()
    again = await SqlStore.open(url, shards=(1, 2))
    await again.close()
