"""The log of the real process at DEBUG, the wire being real: what libraries would write there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wire.town import town


@pytest.mark.long
@pytest.mark.parametrize("game", ["topominos", "topspot"])
async def test_a_game_at_debug_on_the_wire_leaves_no_secret_in_the_log(tmp_path: Path, game: str) -> None:
    async with town(tmp_path / "data", people=3, env={"PARLOUR_LOG_LEVEL": "DEBUG"}) as place:
        people = place.people
        await place.until(
            lambda: "ready as" in place.world.bots[0].log, "discord.py's word that all is there"
        )
        sitting = await place.open(game, *people)
        await sitting.shown()
        place.world.faults.http(503, "PATCH", r"/channels/\d+/messages/")
        for turn in range(4):
            for person in people:
                await sitting.play(person)
            if turn == 1:
                await place.restart()
        await sitting.shown()
        log = "".join(bot.log for bot in place.world.bots)
        [(seed,)] = place.stored("select seed from tables")
        secrets = {seed, *place.world.state.interactions}
        for person in people:
            for message in person.dms():
                secrets |= {text for text in message.alt_texts if text}
        secrets |= {move for _, move in sitting.moves() if len(move) > 4}
        assert len(secrets) > 20
        assert [secret for secret in secrets if secret in log] == []
