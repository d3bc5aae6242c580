"""Tables in direct messages alone: no server, and a code to join them with."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.tables.model import CROCKFORD, Place
from bot.tables.ports import NoSuchCode, Started, TooManyTables
from bot.tables.service import CODE, MOST_DIRECT
from tests.tables.support import ADA, BEN, CLEO, PLACE, open_rig

OWN = Place(0, 71)


async def test_a_code_leads_to_the_one_lobby_it_was_made_for(tmp_path: Path) -> None:
    async with open_rig(tmp_path / "parlour.db", seed="direct") as rig:
        tables = [(await rig.tables.open(ADA, OWN, "fivetotwelve")).table for _ in range(2)]
        codes = [table.place.code or "" for table in tables]
        assert all(len(code) == CODE and set(code) <= set(CROCKFORD) for code in codes)
        assert codes[0] != codes[1]
        assert (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table.place.code is None
        joined = (await rig.tables.join_with(codes[1], BEN)).table
        assert (joined.id, joined.place) == (tables[1].id, tables[1].place)
        assert (await rig.tables.table(tables[0].id)).seat_of(BEN.id) is None
        assert codes[1] not in repr(joined)  # a log gives it to nobody


async def test_a_code_is_good_for_the_lobby_alone(tmp_path: Path) -> None:
    async with open_rig(tmp_path / "parlour.db", seed="direct") as rig:
        table = (await rig.tables.open(ADA, OWN, "fivetotwelve", computers=1)).table
        code = table.place.code or ""
        with pytest.raises(NoSuchCode):
            await rig.tables.join_with("0" * CODE, BEN)
        await rig.tables.start(table.id, ADA)
        with pytest.raises(Started):
            await rig.tables.join_with(code, BEN)
        await rig.tables.end(table.id, ADA)
        with pytest.raises(NoSuchCode):
            await rig.tables.join_with(code, CLEO)
        again = (await rig.tables.rematch(table.id, ADA)).table
        assert again.place.direct
        assert again.place.code != code


async def test_nobody_opens_more_of_them_than_are_played(tmp_path: Path) -> None:
    async with open_rig(tmp_path / "parlour.db", seed="direct") as rig:
        for _ in range(MOST_DIRECT):
            await rig.tables.open(ADA, OWN, "fivetotwelve")
        with pytest.raises(TooManyTables):
            await rig.tables.open(ADA, OWN, "fivetotwelve")
        await rig.tables.open(ADA, PLACE, "fivetotwelve")
        await rig.tables.open(BEN, OWN, "fivetotwelve")
        assert await rig.tables._store.homeless(10) == []  # they are not lost
