"""The line from the bench to the probe in a bot's process."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

from .figures import Unmeasured, Use

REST = 0.004  # seconds between two looks
CALM = 0.0003  # seconds of the processor that are nothing
LOOKS = 400  # then it counts as quiet


class Link:
    """The line to one bot's probe."""

    def __init__(self, patience: float) -> None:
        """patience: seconds for one answer."""
        self._patience = patience
        self._found: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = (
            asyncio.get_running_loop().create_future()
        )
        self._server: asyncio.Server | None = None

    async def open(self) -> str:
        """Wait for the probe to call; the port to be called."""

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if not self._found.done():
                self._found.set_result((reader, writer))

        self._server = await asyncio.start_server(connected, "127.0.0.1", 0, limit=1 << 22)
        return str(self._server.sockets[0].getsockname()[1])

    async def ask(self, what: str) -> Any:
        """The probe's answer. Raises Unmeasured."""
        try:
            async with asyncio.timeout(self._patience):
                reader, writer = await self._found
                writer.write(what.encode() + b"\n")
                answer = await reader.readline()
        except TimeoutError as error:
            raise Unmeasured("silent") from error
        if not answer:
            raise Unmeasured("ended")
        return json.loads(answer)

    async def mark(self) -> Use:
        told = await self.ask("mark")
        return Use(told["seconds"], told["drawing"], Counter(told["statements"]), Counter(told["pictures"]))

    async def quiet(self) -> Use:
        """The mark once nothing is being done any more, as far as can be seen from here."""
        now = await self.mark()
        calm = 0
        for _ in range(LOOKS):
            await asyncio.sleep(REST)
            last, now = now, await self.mark()
            same = now.statements == last.statements and now.pictures == last.pictures
            calm = calm + 1 if same and now.seconds - last.seconds < CALM else 0
            if calm == 2:
                break
        return now

    def close(self) -> None:
        if self._found.done():
            self._found.result()[1].close()
        if self._server is not None:
            self._server.close()
