"""Rights of a server's staff count on that server, and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.tables.model import Person, Status
from bot.tables.ports import NotAllowed, NotHost

from .support import ADA, BEN, EVE, PLACE, Rig

HERE, ELSEWHERE = PLACE.guild, PLACE.guild + 77
ROLE, EVERYBODY = 9, HERE  # the role of everybody on a server has the server's id


def acting(guild: int | None, *, user: int = EVE.id, **rights: object) -> Person:
    return Person(user, "Eve", guild=guild, **rights)  # type: ignore[arg-type]


# Each would do if it were of the table's server.
STRANGERS = [
    acting(ELSEWHERE, manages=True),
    acting(ELSEWHERE, roles=frozenset({ROLE, EVERYBODY})),
    acting(None, manages=True, roles=frozenset({ROLE})),
]


def test_a_persons_rights_are_of_one_server() -> None:
    staff = acting(HERE, manages=True, roles=frozenset({ROLE}))
    assert staff.manages_at(HERE)
    assert staff.roles_at(HERE) == {ROLE}
    assert not staff.manages_at(ELSEWHERE)
    assert staff.roles_at(ELSEWHERE) == frozenset()
    by_dm = acting(None, manages=True, roles=frozenset({ROLE}))
    assert not by_dm.manages_at(HERE)
    assert by_dm.roles_at(HERE) == frozenset()


@pytest.mark.parametrize("person", STRANGERS)
async def test_rights_elsewhere_end_no_table_here(rig: Rig, person: Person) -> None:
    await rig.tables.set_guild(HERE, enders=(ROLE,))
    lobby = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table
    with pytest.raises(NotHost):
        await rig.tables.cancel(lobby.id, person)
    running = await rig.started(ADA, BEN)
    for table in (lobby, running):
        before = await rig.tables.table(table.id)
        with pytest.raises(NotAllowed):
            await rig.tables.end(table.id, person)
        assert await rig.tables.table(table.id) == before


@pytest.mark.parametrize("openers", [(ROLE,), (EVERYBODY,)])
async def test_rights_elsewhere_open_no_table_here(rig: Rig, openers: tuple[int, ...]) -> None:
    ended = await rig.started(ADA, BEN)
    await rig.tables.end(ended.id, ADA)
    await rig.tables.set_guild(HERE, openers=openers)
    for guild, roles in ((ELSEWHERE, {ROLE, ELSEWHERE}), (None, {ROLE, EVERYBODY})):
        ben = acting(guild, user=BEN.id, roles=frozenset(roles), manages=True)
        with pytest.raises(NotAllowed):
            await rig.tables.open(ben, PLACE, "fivetotwelve")
        with pytest.raises(NotAllowed):
            await rig.tables.rematch(ended.id, ben)
    assert await rig.tables.tables_at(HERE) == []
    here = acting(HERE, user=BEN.id, roles=frozenset(openers))
    assert (await rig.tables.rematch(ended.id, here)).table.status is Status.LOBBY


def test_nothing_asks_for_rights_without_the_server() -> None:
    """`manages` and `roles` of a person are read by `Person` alone."""
    top = Path(__file__).parents[2]
    read = re.compile(r"\bperson\.(manages|roles)\b(?!_at)")
    found = [
        f"{path.relative_to(top)}:{number}"
        for folder in ("bot", "cogs")
        for path in sorted((top / folder).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if read.search(line)
    ]
    assert found == []
