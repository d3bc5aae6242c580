"""The end of a process that was told to stop, whatever its threads are at."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.stopping import LONGEST, REST, SIGNALS, Stop
from tests.sweeps import swept

ROOT = Path(__file__).parents[1]

BUSY = """
import asyncio, threading, time
from bot import stopping

stopping.LONGEST = 0.5
stop = stopping.Stop()

async def main():
    await asyncio.get_running_loop().run_in_executor(None, print, "ready")
    asyncio.get_running_loop().run_in_executor(None, time.sleep, 60)
    print("started", flush=True)
    await stop.wait()
    print("told", flush=True)

asyncio.run(main())
"""


@pytest.mark.parametrize("number", swept(SIGNALS))
def test_a_thread_that_cannot_be_interrupted_does_not_hold_the_end_up(number: signal.Signals) -> None:
    """And a second signal, which comes while Python waits for the thread, does no harm."""
    with subprocess.Popen(
        [sys.executable, "-c", BUSY], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for expected in ("ready", "started"):
            assert process.stdout.readline().strip() == expected
        process.send_signal(number)
        assert process.stdout.readline().strip() == "told"
        process.send_signal(number)
        assert process.wait(20) == 0


UNREAD = """
import sys
from bot import stopping

stopping.leave_within(0.3)
sys.stdout.write("x" * 2_000_000)
"""


def test_an_output_that_nobody_reads_does_not_hold_the_end_up() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", UNREAD], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.wait(20) == 0


def test_a_stop_leaves_time_enough() -> None:
    assert LONGEST + 2 * REST < 8.0


def test_without_a_signal_everything_is_as_before() -> None:
    before = [signal.getsignal(one) for one in SIGNALS]
    stop = Stop()
    assert [signal.getsignal(one) for one in SIGNALS] != before
    stop.forget()
    assert [signal.getsignal(one) for one in SIGNALS] == before
