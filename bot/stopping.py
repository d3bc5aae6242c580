"""Stop signals, and an end within seconds whatever threads are at.

A thread that thinks or draws cannot be interrupted, and Python waits at its exit for all of them. What
matters is stored by then, so a process that was told to stop does not wait.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from types import FrameType

LONGEST = 6.5  # seconds from the signal to the end of the process, at most
REST = 0.5  # seconds that threads get once all is closed

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Stop:
    """Waits for SIGTERM or SIGINT. Made in the main thread, before there is an event loop; from the first
    signal on they do nothing more, for as long as the process lives."""

    def __init__(self) -> None:
        self.told = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._event = asyncio.Event()
        self._before = [(one, signal.signal(one, self._tell)) for one in SIGNALS]

    def _tell(self, number: int, frame: FrameType | None) -> None:
        self.tell()

    def tell(self) -> None:
        """As if a signal had come."""
        if not self.told:
            self.told = True
            leave_within(LONGEST)
            if self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self) -> None:
        """Returns once the process was told to stop."""
        self._loop = asyncio.get_running_loop()
        if not self.told:
            await self._event.wait()

    def forget(self) -> None:
        """What the signals did before, unless one came: the process is about to end then."""
        if not self.told:
            for one, handler in self._before:
                signal.signal(one, handler)


def leave_within(seconds: float) -> None:
    """End the process with exit code 0 after so many seconds, if it has not ended by itself."""
    timer = threading.Timer(seconds, _leave)
    timer.daemon = True
    timer.start()


def _leave() -> None:
    unread = threading.Timer(REST, os._exit, (0,))  # whoever was to read what is still to be said does not
    unread.daemon = True
    unread.start()
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)
