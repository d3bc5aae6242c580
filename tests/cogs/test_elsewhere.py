"""Several processes at one table: its keeper alone paints it, whoever of them changes it."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from bot.tables.keepers import LEASE
from bot.tables.model import Person, Table, TableId, VoteKind
from bot.tables.ports import Heard
from cogs.delivery.repaints import OPENER
from cogs.delivery.timing import ACTIVE

from .sim import Sim
from .tabletop import open_choice
from .test_direct import live, seat_open
from .test_hands import direct_messages, game_of
from .test_lobby import sent_files
from .test_panels import alive, typed


class Others:
    """The other processes, as the bot's store tells of them. keeps: whether this process gets a lease.
    home: whether the server's shard is its own."""

    def __init__(self, sim: Sim, monkeypatch: pytest.MonkeyPatch) -> None:
        self.keeps = False
        self.home = True
        self.asked: list[tuple[TableId, int, list[str]]] = []
        self.keepers = sim.bot.tables.keepers
        self.scope = sim.env._bot_scope
        monkeypatch.setattr(self.keepers, "_shared", True)
        for name in ("claim", "ask_keeper", "is_home"):
            monkeypatch.setattr(sim.bot._store, name, getattr(self, name))

    async def claim(self, table: TableId, *times: object) -> bool:
        return self.keeps

    async def ask_keeper(self, table: TableId, guild: int, wanted: Collection[str]) -> None:
        self.asked.append((table, guild, list(wanted)))

    def is_home(self, guild: int) -> bool:
        return self.home

    def tell(
        self, table: Table, kind: str = "move", *wanted: str, by: int | None = None, home: bool = True
    ) -> None:
        with self.scope():
            self.keepers._heard(Heard(table.id, home, kind, None, False, by, frozenset(wanted)))


@pytest.fixture
def others(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> Others:
    return Others(sim, monkeypatch)


async def move(sim: Sim, table: Table) -> None:
    """Somebody plays from elsewhere."""
    person = (await sim.to_act(table))[0]
    loaded = await sim.bot.tables.load(table.id)
    seat = loaded.table.seat_of(person.id)
    assert loaded.state is not None
    assert seat is not None
    await typed(sim, person, table, loaded.state.legal(seat.index)[0])
    await sim.env.settle()


async def game(sim: Sim, others: Others) -> Table:
    """A game of this process, whose lease runs out afterwards and goes to another."""
    others.keeps = True
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    for person in (sim.ada, sim.ben):
        await sim.hand(person, table)
    others.keeps = False
    await sim.env.advance_time(LEASE.total_seconds())
    others.asked.clear()
    return table


async def behind(sim: Sim, table: Table) -> bool:
    now = await sim.bot.tables.table(table.id)
    return now.painted < now.revision


async def test_who_is_not_the_keeper_paints_nothing_and_asks_for_it(sim: Sim, others: Others) -> None:
    table = await game(sim, others)
    board = await sim.board(table)
    await move(sim, table)
    assert (await sim.board(table)).edited_at == board.edited_at
    assert await behind(sim, table)
    assert others.asked == [(table.id, sim.guild.id, [])]
    sim.bot.services.repaints.refresh(table.id)
    sim.bot.services.repaints.look_at_hands(table.id)
    await sim.env.settle()
    assert await behind(sim, table)
    assert others.asked[1:] == [(table.id, sim.guild.id, ["missed", "hands"])]


@pytest.mark.parametrize("wanted", [(), ("missed",), ("hands",)])
async def test_the_keeper_paints_what_another_process_has_changed(
    wanted: tuple[str, ...], sim: Sim, others: Others
) -> None:
    table = await game(sim, others)
    await move(sim, table)
    assert await behind(sim, table)
    others.keeps = True
    others.tell(table, "" if wanted else "move", *wanted)
    await sim.env.settle()
    assert not await behind(sim, table)


async def test_nothing_public_is_painted_for_a_process_that_is_dead(sim: Sim, others: Others) -> None:
    table = await game(sim, others)
    others.home, others.keeps = False, True
    await move(sim, table)
    others.tell(table)
    await sim.env.settle()
    assert await behind(sim, table)
    others.home = True
    others.tell(table)
    await sim.env.settle()
    assert not await behind(sim, table)


async def test_a_living_panel_is_its_own_process_s(sim: Sim, others: Others) -> None:
    table = await game(sim, others)
    [actor] = await sim.to_act(table)
    for person in (sim.ada, sim.ben):
        assert bool(open_choice(alive(sim, person)[0])) == (person is actor)
    while await sim.to_act(table) == [actor]:
        await move(sim, table)
    for person in (sim.ada, sim.ben):
        assert bool(open_choice(alive(sim, person)[0])) == (person is not actor)
    assert await behind(sim, table)


async def test_a_lobby_opened_by_another_process_is_left_to_its_opener(sim: Sim, others: Others) -> None:
    others.keeps = True
    table = await sim.table(await sim.new(sim.ada))
    await sim.bot.services.shown.unseen(table.id)
    others.tell(table, "open")
    await sim.env.settle()
    assert await behind(sim, table)
    await sim.env.advance_time(OPENER)
    assert not await behind(sim, table)


async def test_a_hand_that_another_process_answers_on_keeps_no_picture_and_is_looked_at(
    sim: Sim, others: Others
) -> None:
    """Clicks in direct messages come to one process, and the hands there are their tables' homes' to edit.
    What the answer has put in place of a picture, or left of an older page, is not known here."""
    others.keeps = True
    table = await game_of(sim, sim.ada, sim.ben, sim.cleo)
    [hand] = direct_messages(sim, sim.ada)
    channel, since = hand.channel.id, len(sim.env.http_requests)
    with sim.env._bot_scope():
        for person in (sim.ada, sim.ben, sim.cleo):
            await sim.bot.tables.vote(table.id, Person(person.id, person.user.name), VoteKind.PAUSE)
    await sim.env.settle()
    edits = sent_files(sim, since, f"/channels/{channel}/")
    assert edits
    assert all(edits)
    before = len(sim.requests("PATCH", f"/channels/{channel}/messages/{hand.id}"))
    others.tell(table, "", "hands")
    await sim.env.settle()
    assert len(sim.requests("PATCH", f"/channels/{channel}/messages/{hand.id}")) == before + 1


async def test_who_plays_by_another_process_needs_no_notice_now(sim: Sim, others: Others) -> None:
    table = await game(sim, others)
    [actor] = await sim.to_act(table)
    [due] = await sim.bot.services.shown.waiting(actor.id)
    timing, until = sim.bot.services.notices.timing, sim.clock.now() + ACTIVE
    assert timing.busy_until(due) != until
    others.tell(table, by=actor.id)
    assert timing.busy_until(due) == until


async def test_a_panel_gives_way_to_a_copy_that_another_process_has_sent(sim: Sim, others: Others) -> None:
    """It was answered here before that, and nothing changes at the table after it."""
    others.keeps = True
    table = await seat_open(sim)
    others.keeps = False
    await sim.env.advance_time(LEASE.total_seconds())
    await sim.cleo.user.slash("table seat", number=3, table=table.id)
    [panel] = live(sim, sim.cleo)
    copy = panel.id + 1
    with sim.env._bot_scope():
        await sim.bot.services.shown.hand_placed(table.id, sim.cleo.id, panel.channel.id, copy)
    others.tell(table, "copy", home=False)
    await sim.env.settle()
    assert live(sim, sim.cleo) == []


async def test_panels_are_looked_at_where_a_copy_fails(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copies of the others are there."""
    sim.faults_expected = True
    table = await seat_open(sim)
    hands, fails = sim.bot.services.painter._hands, True
    refresh = hands.refresh

    async def refreshed(table: Table) -> float:
        wait = await refresh(table)
        if fails:
            raise RuntimeError("one copy cannot be made")
        return wait

    monkeypatch.setattr(hands, "refresh", refreshed)
    await sim.cleo.user.slash("table seat", number=3, table=table.id)
    assert [message.id for message in live(sim, sim.cleo)] == [
        (await sim.bot.tables.table(table.id)).seats[2].hand_message
    ]
    fails = False
    await sim.env.advance_time(60)
