"""In a measured bot's process: what it has used so far, told over loopback to the bench that started it.

A thread of its own answers, so that a bot with its hands full answers too; what that thread uses is left out.
One line is asked (`mark`, `lags`, `profile on`, `profile off`, `profile`), one line of JSON is the answer.
"""

from __future__ import annotations

import cProfile
import io
import json
import os
import pstats
import resource
import signal
import socket
import threading
import time
from collections import Counter
from typing import Any

from bot.bench.kin import kin
from bot.bench.lag import Lag

PORT = "PARLOUR_BENCH_PORT"  # environment: where the bench listens
SHOWN = 45  # functions of a profile
TICKS = os.sysconf("SC_CLK_TCK")  # a second, of /proc


class Probe:
    """Counts from its making on. Made in the main thread, before the bot runs. lag: of the bot's event loop,
    in which it has to be started."""

    def __init__(self) -> None:
        self.lag = Lag()
        self._statements: Counter[str] = Counter()
        self._pictures: Counter[str] = Counter()
        self._drawing = 0.0  # seconds of processor time
        self._profiling = False
        self._main = cProfile.Profile(time.thread_time)
        self._switched = threading.Event()
        signal.signal(signal.SIGUSR1, self._switch)

    def start(self) -> None:
        threading.Thread(target=self._answer, name="probe", daemon=True).start()

    # what is counted

    def statement(self, *given: Any) -> None:
        """A listener for SQLAlchemy's `before_cursor_execute`."""
        self._statements[given[2].split(None, 1)[0].upper()] += 1

    def drawn(self, function: str, pictures: int, seconds: float) -> None:
        """The pictures of a page were drawn, by the function of this name."""
        self._pictures[function.removesuffix("_pictures")] += pictures
        self._drawing += seconds

    # what is told

    def _answer(self) -> None:
        with socket.create_connection(("127.0.0.1", int(os.environ[PORT]))) as connection:
            lines = connection.makefile("rw", encoding="utf-8")
            for line in lines:
                lines.write(json.dumps(self._told(line.strip())) + "\n")
                lines.flush()
        os.kill(os.getpid(), signal.SIGTERM)  # the bench has ended, however it did

    def _told(self, asked: str) -> Any:
        if asked == "mark":
            return self._mark()
        if asked == "lags":
            return self.lag.take()
        if asked == "profile":
            return self._profile()
        self._switched.clear()
        self._profiling = asked == "profile on"
        signal.raise_signal(signal.SIGUSR1)  # handled in the main thread, where the event loop runs
        return self._switched.wait(5.0)

    def _mark(self) -> dict[str, Any]:
        own = time.process_time_ns() - time.thread_time_ns()
        return {
            "seconds": own / 1e9 + _children(),
            "drawing": self._drawing,
            "statements": dict(self._statements),
            "pictures": dict(self._pictures),
        }

    def _switch(self, *_: object) -> None:
        if self._profiling:
            self._main.enable()
        else:
            self._main.disable()
        self._switched.set()

    def _profile(self) -> str:
        out = io.StringIO()
        stats = pstats.Stats(self._main, stream=out)
        stats.sort_stats("tottime").print_stats(SHOWN)
        return out.getvalue()


def _children() -> float:
    """Seconds of processor time of all processes begun by this one, ended or not."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    ticks = [sum(map(int, fields[11:15])) for fields in kin(os.getpid()).values()]
    return ended.ru_utime + ended.ru_stime + sum(ticks) / TICKS
