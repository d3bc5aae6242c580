"""The bot as it is, listened to: `python -m bot.bench.load.parlour`, started by the bench.

By how much its event loop was late, and what its thread did meanwhile, is written into the file that
`PARLOUR_BENCH_LAG` names, a line of JSON every few seconds.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

from bot import client
from bot.bench.lag import Lag
from bot.settings import Settings

LAG = "PARLOUR_BENCH_LAG"
EVERY = 2.0  # seconds


async def _listen(path: Path) -> float:
    """Writes down what was heard; seconds until the next time."""
    heard = json.dumps(_lag.take()) + "\n"
    await asyncio.to_thread(_append, path, heard)
    return EVERY


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="ascii") as file:
        file.write(text)


def main() -> int:
    made = client.create_bot
    path = Path(os.environ[LAG])

    def listened(settings: Settings) -> client.Parlour:
        bot = made(settings)

        async def on_ready() -> None:
            _lag.start()
            bot.background.spawn("lag", lambda: _listen(path))

        bot.add_listener(on_ready)
        return bot

    client.create_bot = listened  # type: ignore[assignment]
    return client.run(Settings())


_lag = Lag()

if __name__ == "__main__":
    sys.exit(main())
