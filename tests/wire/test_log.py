"""The log of the real process at DEBUG, the wire being real: what libraries would write there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wire.wire_server import running_server


@pytest.mark.long
@pytest.mark.parametrize("game", ["topominos", "topspot"])
async def test_a_game_at_debug_on_the_wire_leaves_no_secret_in_the_log(tmp_path: Path, game: str) -> None:
    async with running_server(tmp_path / "data", people=3, env={"PARLOUR_LOG_LEVEL": "DEBUG"}) as place:
        people = place.people
        await place.until(
            lambda: "ready as" in place.world.bots[0].log, "discord.py's word that all is there"
        )
        wire_table = await place.open(game, *people)
        await wire_table.shown()
        place.world.faults.http(503, "PATCH", r"/channels/\d+/messages/")
        for turn in range(4):
            for person in people:
                await wire_table.play(person)
            if turn == 1:
                await place.restart()
        await wire_table.shown()
        log = "".join(bot.log for bot in place.world.bots)
        [(seed,)] = place.stored("select seed from tables")
        secrets = {seed, *place.world.state.interactions}
        for person in people:
            for message in person.dms():
                secrets |= {text for text in message.alt_texts if text}
        secrets |= {move for _, move in wire_table.moves() if len(move) > 4}
        assert len(secrets) > 20
        assert [secret for secret in secrets if secret in log] == []
