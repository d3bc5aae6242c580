"""Messages of ours whose tables are nowhere: somebody began with an empty data folder, or another database,
while the messages of the one before live on. Whoever runs the bot should hear of it, before people begin anew
what is only mislaid."""

from __future__ import annotations

import logging
from datetime import timedelta

import discord

from bot.tables.model import TableId
from bot.tables.service import Tables

log = logging.getLogger(__name__)

MARGIN = timedelta(minutes=10)  # by which Discord's clock and ours may differ


class Strays:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._told = False

    async def pressed(self, table: TableId, message: int) -> None:
        """A control of this table on a message of ours. Told once, where the message is older than every
        table there is."""
        if self._told or await self._tables.find(table) is not None:
            return
        sent = discord.utils.snowflake_time(message)
        oldest = await self._tables.oldest()
        if (oldest is None or sent < oldest - MARGIN) and not self._told:
            self._told = True
            log.warning(
                "a message of %s shows table %s, which is not in the database, and is older than all there: "
                "another database was used then. If that was not meant, stop now and look at DATA_DIR and "
                "DATABASE_URL, or restore a backup",
                sent.date().isoformat(),
                table,
            )
