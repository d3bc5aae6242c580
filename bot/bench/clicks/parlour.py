"""The bot as it is, with a probe: `python -m bot.bench.clicks.parlour`, started by the bench.

Nothing of the bot is replaced but where seeds come from, so that each run deals the same, and how many direct
messages may be opened at once: a bot that has never met any of so many players would take half an hour to.
What draws and SQLAlchemy's engines are listened to from outside.
"""

from __future__ import annotations

import hashlib
import sys
from itertools import count

from sqlalchemy import Engine, event

from bot import client, discord_io
from bot.settings import Settings

from .probe import Probe


def main() -> int:
    probe = Probe()
    event.listen(Engine, "before_cursor_execute", probe.statement)
    numbers = count()
    client.system_entropy = lambda: hashlib.sha256(f"bench clicks {next(numbers)}".encode()).hexdigest()
    discord_io.DMS_AT_ONCE = 1000
    made = client.create_bot

    async def on_ready() -> None:
        probe.lag.start()

    def listened(settings: Settings) -> client.Parlour:
        bot = made(settings)
        bot.drawers.observe = probe.drawn
        bot.add_listener(on_ready)
        return bot

    client.create_bot = listened  # type: ignore[assignment]
    probe.start()
    return client.run(Settings())


if __name__ == "__main__":
    sys.exit(main())
