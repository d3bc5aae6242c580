"""Tables in direct messages alone: opened there, joined with a code, each with a copy of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

import discord
import pytest
from simcord.actors import MemberActor

from bot.discord_io import Answer
from bot.locale import sayer
from bot.rules.chance import Generator
from bot.tables.model import Person, SeatKind, Status, Table, VoteKind
from cogs.delivery.panels import Panels, Sheet
from cogs.surfaces.table import text_board
from tests.sweeps import swept, swept_rows

from .sim import Sim, buttons, controls, custom_ids, links, menus, text_of
from .tabletop import open_choice, tap

SILENT = 1 << 12  # the flag of a message without a sound

SHARED = {
    "top12": ["top12.png"],
    "5vor12": ["fivetotwelve.png"],
    "zatre": ["zatre.png", "zatre-sheets.png"],
    "topominos": ["topominos.png"],
    "topspot": ["topspot.png"],
}
"""The pictures of a table, by command."""

BESIDE = SHARED | {"zatre": ["zatre-sheets.png"], "topominos": []}
"""Those of them that stand above what one's own picture shows."""


async def now(sim: Sim, table: Table) -> Table:
    return await sim.bot.tables.table(table.id)


async def copy_of(sim: Sim, person: MemberActor, table: Table) -> discord.Message:
    """The one message of this table in the person's direct messages."""
    [shown] = sim.messages(person.user.dm_channel.id)
    seat = (await now(sim, table)).seat_of(person.id)
    assert seat is not None
    assert (seat.hand_channel, seat.hand_message) == (person.user.dm_channel.id, shown.id)
    return shown


async def url_of(sim: Sim, person: MemberActor, table: Table) -> str:
    """Where a link to the person's copy leads."""
    seat = (await now(sim, table)).seat_of(person.id)
    assert seat is not None
    return f"https://discord.com/channels/@me/{person.user.dm_channel.id}/{seat.hand_message}"


async def opened(sim: Sim, slash: str, *joining: MemberActor, **options: object) -> Table:
    result = await sim.ada.user.slash(f"{slash} new", **options)
    assert result.response is not None
    code = re.search(r"code:([0-9A-Z]{8})", text_of(result.response))
    assert code is not None
    for person in joining:
        await person.user.slash("table join", code=f" {code[1].lower()} ")
    [table] = await sim.bot.tables.tables_of(sim.ada.id)
    return table


async def begun(sim: Sim, slash: str, *joining: MemberActor, **options: object) -> Table:
    table = await opened(sim, slash, *joining, **options)
    await sim.ada.user.click(await copy_of(sim, sim.ada, table), label="Start")
    return await now(sim, table)


@pytest.mark.parametrize("slash", swept(["5vor12", "zatre"]))
async def test_two_people_play_each_on_their_own_copy(sim: Sim, slash: str) -> None:
    """With and without hidden hands: one message each, on which they play, and nothing anywhere else."""
    table = await begun(sim, slash, sim.ben)
    chance = Generator("direct", slash)
    for _ in range(12):
        for person in await sim.to_act(table):
            shown = await copy_of(sim, person, table)
            while open_choice(shown):
                shown = await tap(sim, person, shown, chance)
    table = await now(sim, table)
    assert table.events > 12
    for person in (sim.ada, sim.ben):
        shown = await copy_of(sim, person, table)
        assert "Menu" in buttons(shown)
        assert open_choice(shown) == (person in await sim.to_act(table))
    assert sim.messages(sim.channel.id) == []
    assert sim.malformed() == []


async def test_alone_against_computers_to_the_end_and_once_more(sim: Sim) -> None:
    table = await begun(sim, "5vor12", computers=1)
    before = await copy_of(sim, sim.ada, table)
    table = await sim.hurry(table)
    assert table.status is Status.ENDED
    assert table.outcome is not None
    shown = await copy_of(sim, sim.ada, table)
    assert not open_choice(shown)
    assert shown.id != before.id  # a new message notifies
    assert [file.filename for file in shown.attachments] == SHARED["5vor12"]
    assert "1st" in text_of(shown) and "2nd" in text_of(shown)
    await sim.restart()
    assert (await copy_of(sim, sim.ada, table)).id == shown.id
    await sim.ada.user.slash("table rematch", table=table.id)
    [again] = await sim.bot.tables.tables_of(sim.ada.id)
    assert again.place.direct
    assert len(again.seats) == 2


async def test_a_copy_of_the_lobby_has_what_its_reader_may_press(sim: Sim) -> None:
    """The host alone starts and closes it; with whom one sits each chooses, the host for all."""
    table = await opened(sim, "zatre", sim.ben, players=4, partners=True)
    copies = {person: await copy_of(sim, person, table) for person in (sim.ada, sim.ben)}
    await sim.ben.user.click(copies[sim.ben], label="+ Medium")
    await sim.ben.user.click(sim.fresh(copies[sim.ben]), label="+ Medium")
    host, guest = (buttons(sim.fresh(copies[person])) for person in (sim.ada, sim.ben))
    assert {"Start", "Cancel"} <= set(host)
    assert not {"Start", "Cancel"} & set(guest)
    assert [label for label in host if label not in ("Start", "Cancel")] == guest
    [(_, all_pairs)], [(_, own_pairs)] = (menus(sim.fresh(copies[person])) for person in (sim.ada, sim.ben))
    assert own_pairs == [pair for pair in all_pairs if f"1.{sim.ben.id}" in pair.split("-")]
    assert 0 < len(own_pairs) < len(all_pairs)
    await sim.ada.user.click(sim.fresh(copies[sim.ada]), label="Leave")
    assert "Cancel" in buttons(sim.fresh(copies[sim.ben])), "the host by now"


@pytest.mark.parametrize(("slash", "beside"), swept_rows(BESIDE.items()))
async def test_a_copy_shows_what_everybody_sees(sim: Sim, slash: str, beside: list[str]) -> None:
    """And what is one's own, also for who has moved, and has chosen in secret perhaps. No board stands there
    twice."""
    table = await begun(sim, slash, sim.ben, sim.cleo)
    chance = Generator("shows", slash)
    first = (await sim.to_act(table))[0]
    copy = await copy_of(sim, first, table)
    while open_choice(copy):
        copy = await tap(sim, first, copy, chance)
    for person in (sim.ada, sim.ben, sim.cleo):
        *above, own = [file.filename for file in (await copy_of(sim, person, table)).attachments]
        assert above == beside
        assert own.endswith("-hand.png")


@pytest.mark.parametrize("slash", swept(["top12", "topominos"]))
async def test_alone_a_copy_shows_ones_own_picture(sim: Sim, slash: str) -> None:
    await sim.ada.user.slash(f"{slash} new", players=1)
    [table] = await sim.bot.tables.tables_of(sim.ada.id)
    await sim.ada.user.click(await copy_of(sim, sim.ada, table), label="Start")
    chance = Generator("alone", slash)
    for _ in range(8):
        copy = await copy_of(sim, sim.ada, table)
        assert len(copy.attachments) == 1
        await tap(sim, sim.ada, copy, chance)


async def test_a_full_table_asks_nobody_to_come(sim: Sim) -> None:
    table = await opened(sim, "zatre", players=2)
    free = await copy_of(sim, sim.ada, table)
    code = table.place.code or "?"
    assert code in text_of(free)
    await sim.ada.user.click(free, label="+ Medium")
    assert code not in text_of(await copy_of(sim, sim.ada, table))


async def test_only_the_code_lets_in(sim: Sim) -> None:
    table = await opened(sim, "zatre")
    for given in (table.id, "0" * 8):
        for command, name in (("table join", "code"), ("table show", "table")):
            result = await sim.ben.user.slash(command, **{name: given})
            assert result.response is not None
            assert "Ada" not in text_of(result.response)
    join = f"pb:{table.id}:{table.revision}:join:"
    lobby = await copy_of(sim, sim.ada, table)
    assert not any(custom.startswith(join) for custom in custom_ids(lobby))
    await sim.press(sim.ben, await sim.new(sim.ben), join)  # a button made by hand
    assert len((await now(sim, table)).humans) == 1
    await sim.cleo.slash(sim.channel, "table join", code=table.place.code)
    joined = await now(sim, table)
    assert [seat.user for seat in joined.humans] == [sim.ada.id, sim.cleo.id]
    await copy_of(sim, sim.cleo, joined)  # comes to her own messages, wherever she asked


async def test_who_leaves_keeps_no_copy_and_the_others_see_it(sim: Sim) -> None:
    table = await opened(sim, "zatre", sim.ben)
    await sim.ben.user.click(await copy_of(sim, sim.ben, table), label="Leave")
    assert not sim.messages(sim.ben.user.dm_channel.id)
    assert "Ben" not in text_of(await copy_of(sim, sim.ada, table))


async def test_a_restart_finds_the_copies_again(sim: Sim) -> None:
    table = await begun(sim, "5vor12", sim.ben)
    await sim.env.advance_time(121)  # nobody is at the table any more: all notices are given
    before = {person.id: await copy_of(sim, person, table) for person in (sim.ada, sim.ben)}
    await sim.restart()
    person = (await sim.to_act(table))[0]
    await tap(sim, person, before[person.id], Generator("again", "direct"))
    assert (await copy_of(sim, person, table)).id == before[person.id].id


async def test_where_the_bot_is_not_it_says_what_works(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody uses their own installation on a server without the bot."""
    monkeypatch.setattr(sim.bot.services.io, "is_in", lambda guild: False)
    result = await sim.ada.slash(sim.channel, "zatre new")
    assert result.response is not None
    assert result.response.ephemeral
    assert "/games" in text_of(result.response)
    assert await sim.bot.tables.tables_of(sim.ada.id) == []
    for command in ("zatre rules", "games", "profile", "help"):
        result = await sim.ada.slash(sim.channel, command)
        assert result.response is not None
        assert result.response.ephemeral


async def test_commands_say_where_they_may_be_used(sim: Sim) -> None:
    for command in sim.bot.tree.get_commands():
        payload = command.to_dict(sim.bot.tree)
        servers_only = command.name == "parlour"
        assert payload["contexts"] == ([0] if servers_only else [0, 1, 2]), command.name
        assert payload["integration_types"] == ([0] if servers_only else [0, 1]), command.name


async def one_turn(sim: Sim, table: Table, chance: Generator) -> None:
    """Whoever is to act plays on their copy, until it is another's turn or theirs again."""
    person = (await sim.to_act(table))[0]
    since = (await now(sim, table)).seat_of(person.id)
    assert since is not None
    while (seat := (await now(sim, table)).seat_of(person.id)) is not None and seat.since == since.since:
        await tap(sim, person, await copy_of(sim, person, table), chance)


@pytest.mark.parametrize("slash", swept(["topominos", "zatre"]))
async def test_alone_the_copy_stays_where_it_is_while_one_plays(sim: Sim, slash: str) -> None:
    """Nobody waits for them: turn after turn comes on the same message, without a sound, until they have
    pressed nothing for as long as a panel would have lived."""
    table = await begun(sim, slash, computers=1)
    chance = Generator("alone", slash)
    await one_turn(sim, table, chance)
    copy = await copy_of(sim, sim.ada, table)
    for _ in range(4):
        await one_turn(sim, table, chance)
        await sim.env.advance_time(200)
        assert (await copy_of(sim, sim.ada, table)).id == copy.id
    assert (await sim.to_act(table)) == [sim.ada]
    await sim.env.advance_time(700)
    again = await copy_of(sim, sim.ada, table)
    assert again.id != copy.id
    assert controls(again, "later")


async def test_against_others_a_copy_pressed_lately_needs_no_notice_beside_it(sim: Sim) -> None:
    table = await begun(sim, "zatre", sim.ben)
    chance = Generator("against", "others")
    for _ in range(4):
        await one_turn(sim, table, chance)
    copies = {person.id: (await copy_of(sim, person, table)).id for person in (sim.ada, sim.ben)}
    for _ in range(4):
        await one_turn(sim, table, chance)
        await sim.env.advance_time(20)
    for person in (sim.ada, sim.ben):
        assert (await copy_of(sim, person, table)).id == copies[person.id]
    [waited_for] = await sim.to_act(table)
    await sim.env.advance_time(121)
    for person in (sim.ada, sim.ben):
        assert ((await copy_of(sim, person, table)).id != copies[person.id]) is (person is waited_for)


async def test_where_ones_own_picture_fails_the_copy_is_in_words(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pictures of the table do not tell what one holds."""

    async def fails(*given: object, **more: object) -> tuple[()]:
        return ()

    monkeypatch.setattr(type(sim.bot.services.pictures), "of_hand", fails)
    table = await begun(sim, "5vor12", sim.ben)
    shown = await copy_of(sim, sim.ada, table)
    assert shown.attachments == []
    view = (await sim.bot.tables.view(table.id, sim.ada.id)).view
    assert view is not None
    assert text_board(table, view, sayer("en")) in text_of(shown)


async def test_who_is_owed_a_notice_hears_nothing_of_a_copy_sent_before_it(sim: Sim) -> None:
    """The copy was gone when the game began: the new one comes without a sound, later the notice with one."""
    table = await opened(sim, "5vor12", sim.ben)
    await sim.bot.tables.set_user(sim.ben.id, rhythm="half_hour")
    where = sim.ben.user.dm_channel.id
    sim.env.backend.delete_message(where, (await copy_of(sim, sim.ben, table)).id)
    before = len(sim.requests("POST", f"/channels/{where}/messages"))
    await sim.ada.user.click(await copy_of(sim, sim.ada, table), label="Start")
    assert sim.ben in await sim.to_act(table)
    assert open_choice(await copy_of(sim, sim.ben, table))
    await sim.env.advance_time(1900)
    sent = sim.requests("POST", f"/channels/{where}/messages")[before:]
    assert [bool(request.json["flags"] & SILENT) for request in sent] == [True, False]


def live(sim: Sim, person: MemberActor) -> list[discord.Message]:
    """What has controls in the person's direct messages, whoever else sees it."""
    channel = person.user.dm_channel.id
    there = (sim.look(channel, message.id) for message in [*sim.env.backend.messages[channel].values()])
    return [message for message in there if message is not None and custom_ids(message)]


async def test_the_copy_is_the_one_page_of_its_table(sim: Sim) -> None:
    """What was opened beside it leads back to it and goes; nothing shows the game a second time."""
    table = await begun(sim, "zatre", computers=1)
    copy = await copy_of(sim, sim.ada, table)
    for label in ("Menu", "Menu"):
        opened = await sim.ada.user.click(copy, label=label)
        assert opened.response is not None
        await sim.ada.user.click(opened.response.message, label="Back to the game")
        assert [message.id for message in live(sim, sim.ada)] == [copy.id]
    url = await url_of(sim, sim.ada, table)
    shown = (await sim.ada.user.slash("table show")).response
    assert shown is not None
    assert links(shown) == [url]
    refused = (await sim.ada.user.slash("zatre move", move="Z99")).response
    assert refused is not None
    assert "For example" in text_of(refused)
    assert links(refused) == [url]
    assert [message.id for message in live(sim, sim.ada)] == [copy.id]


@pytest.mark.parametrize(
    ("stage", "asked"),
    [
        ("lobby", "table show"),
        ("playing", "table show"),
        ("playing", "table menu"),
        ("ended", "table show"),
    ],
)
async def test_a_copy_that_is_gone_comes_back_for_whoever_looks_for_it(
    stage: str, asked: str, sim: Sim
) -> None:
    """Nothing has changed at the table since it was sent, and nothing tells us of it in direct messages."""
    table = await (opened if stage == "lobby" else begun)(sim, "zatre", sim.ben)
    if stage == "ended":
        table = await sim.hurry(table)
    gone = await copy_of(sim, sim.ada, table)
    others = await copy_of(sim, sim.ben, table)
    sim.env.backend.delete_message(gone.channel.id, gone.id)
    looked = (await sim.ada.user.slash(asked, table=table.id)).response
    assert looked is not None
    if asked == "table menu":
        await sim.ada.user.click(looked.message, label="Back to the game")
    await sim.env.settle()
    seat = (await now(sim, table)).seat_of(sim.ada.id)
    assert seat is not None
    assert seat.hand_message not in {gone.id, None}
    assert [message.id for message in live(sim, sim.ada)] == [seat.hand_message]
    assert (await copy_of(sim, sim.ben, table)).id == others.id


async def test_a_typed_move_is_confirmed_on_the_copy(sim: Sim) -> None:
    table = await begun(sim, "5vor12", computers=1)
    copy = await copy_of(sim, sim.ada, table)
    state = (await sim.bot.tables.load(table.id)).state
    assert state is not None
    await sim.ada.user.slash("5vor12 move", move=state.stand_in(0))
    assert controls(sim.fresh(copy), "play")
    await sim.ada.user.click(sim.fresh(copy), custom_id=controls(sim.fresh(copy), "play")[0])
    assert (await now(sim, table)).events > table.events


async def test_a_page_beside_the_copy_goes_when_it_is_ones_turn(sim: Sim) -> None:
    table = await begun(sim, "zatre", sim.ben)
    chance = Generator("beside", "copy")
    [first] = await sim.to_act(table)
    other = sim.ben if first is sim.ada else sim.ada
    menu = await other.user.click(await copy_of(sim, other, table), label="Menu")
    assert menu.response is not None
    assert len(live(sim, other)) == 2
    await one_turn(sim, table, chance)
    assert [message.id for message in live(sim, other)] == [(await copy_of(sim, other, table)).id]


async def test_a_lobby_is_shown_where_it_changes(sim: Sim) -> None:
    table = await opened(sim, "zatre")
    shown = (await sim.ada.user.slash("table show")).response
    assert shown is not None
    assert links(shown) == [await url_of(sim, sim.ada, table)]


async def test_where_the_messages_of_who_acts_from_them_are_is_not_asked_of_discord(sim: Sim) -> None:
    """So a lobby there goes on while no other direct messages may be opened."""
    sim.bot.services.io._dm_budget.empty()
    table = await begun(sim, "5vor12", sim.ben)
    for person in (sim.ada, sim.ben):
        assert open_choice(await copy_of(sim, person, table))
    assert sim.requests("POST", "/users/@me/channels") == []


async def seat_open(sim: Sim) -> Table:
    """A game at which Cleo's seat is free again."""
    table = await begun(sim, "zatre", sim.ben, sim.cleo)
    with sim.env._bot_scope():
        await sim.bot.tables.resign(table.id, Person(sim.cleo.id, "Cleo"))
        await sim.bot.tables.vote(table.id, Person(sim.ada.id, "Ada"), VoteKind.OPEN_SEAT, 2)
    await sim.env.settle()
    table = await now(sim, table)
    assert table.seats[2].kind is SeatKind.OPEN
    return table


@pytest.fixture(params=[False, True], ids=["at once", "late"])
def late(request: pytest.FixtureRequest, sim: Sim, monkeypatch: pytest.MonkeyPatch) -> Iterator[bool]:
    """Whether who is answered on a panel has their copy before that."""
    if not request.param:
        yield False
        return
    answer, waited = Panels.answer, []

    async def answered_late(panels: Panels, given: Answer, sheet: Sheet) -> None:
        await sim.bot.services.painter.paint(sheet.seen.table.id)
        waited.append(sheet)
        await answer(panels, given, sheet)

    monkeypatch.setattr(Panels, "answer", answered_late)
    yield True
    assert waited


async def test_who_takes_a_seat_plays_on_their_copy_alone(late: bool, sim: Sim) -> None:
    """They are answered before their copy is there, or after it; nothing else shows the game then."""
    table = await seat_open(sim)
    await sim.cleo.user.slash("table seat", number=3, table=table.id)
    await sim.env.advance_time(1)
    assert [message.id for message in live(sim, sim.cleo)] == [(await now(sim, table)).seats[2].hand_message]


async def test_who_comes_back_is_told_no_more_that_they_have_left(sim: Sim) -> None:
    """It stood above the new copy to the end."""
    table = await seat_open(sim)
    left = sim.messages(sim.cleo.user.dm_channel.id)
    assert [text_of(one).count("You have left this game") for one in left] == [1]
    await sim.cleo.user.slash("table seat", number=3, table=table.id)
    await sim.env.advance_time(1)
    copy = (await now(sim, table)).seats[2].hand_message
    assert copy is not None
    assert sim.look(sim.cleo.user.dm_channel.id, left[0].id) is None
    assert sim.look(sim.cleo.user.dm_channel.id, copy) is not None
    assert await sim.bot.services.shown.posts(table.id) == []


async def test_who_takes_a_seat_from_a_server_is_led_to_their_copy(late: bool, sim: Sim) -> None:
    """Their answer stands where they look, and the copy elsewhere."""
    table = await seat_open(sim)
    answered = (await sim.cleo.slash(sim.channel, "table seat", number=3, table=table.id)).response
    assert answered is not None
    await sim.env.advance_time(1)
    shown = sim.fresh(answered)
    assert links(shown) == [await url_of(sim, sim.cleo, table)]
    assert custom_ids(shown) == []
    assert shown.attachments == []
    assert "in your direct messages" in text_of(shown)


async def test_a_page_read_on_a_server_leads_back_to_the_copy(sim: Sim) -> None:
    """There nothing of the game would be left to see where somebody has pressed."""
    table = await begun(sim, "zatre", sim.ben)
    read = (await sim.ada.slash(sim.channel, "table history", table=table.id)).response
    assert read is not None
    await sim.ada.click(read.message, label="Back to the game")
    await sim.env.advance_time(1)
    assert links(sim.fresh(read)) == [await url_of(sim, sim.ada, table)]
    assert custom_ids(sim.fresh(read)) == []


@pytest.mark.parametrize(
    ("language", "place"), swept_rows([("en-US", "direct messages"), ("de", "Direktnachrichten")])
)
async def test_what_leads_to_the_copy_says_what_is_there(language: str, place: str, sim: Sim) -> None:
    """Moves are confirmed there while the game is on, and not before or after it."""
    confirm = {"en-US": "confirm", "de": "bestätigst"}[language]
    sim.speaks(sim.ada, language)
    table = await opened(sim, "5vor12", sim.ben)
    said: dict[Status, str] = {}

    async def look() -> None:
        shown = (await sim.ada.slash(sim.channel, "table show", table=table.id)).response
        assert shown is not None
        assert links(shown) == [await url_of(sim, sim.ada, table)]
        said[(await now(sim, table)).status] = text_of(shown)

    await look()
    with sim.env._bot_scope():
        await sim.bot.tables.start(table.id, Person(sim.ada.id, "Ada"))
    await sim.env.settle()
    await look()
    for person in (sim.ada, sim.ben):
        await person.slash(sim.channel, "table pause", table=table.id)
    await look()
    for person in (sim.ada, sim.ben):
        await person.slash(sim.channel, "table resume", table=table.id)
    await sim.hurry(table)
    await look()
    assert [status for status, text in said.items() if confirm in text] == [Status.PLAYING]
    assert all(place in text for text in said.values())
    assert len(set(said.values())) == 3  # a paused table is one as a lobby is


async def test_later_promises_nothing_to_who_wants_no_notices(sim: Sim) -> None:
    table = await begun(sim, "zatre", sim.ben)
    await sim.env.advance_time(121)
    [first] = await sim.to_act(table)
    copy = await copy_of(sim, first, table)
    await sim.bot.tables.set_user(first.id, notices="none")
    said = await first.user.click(copy, label="Later")
    assert said.response is not None
    assert "No more notices" in text_of(said.response)
    assert not controls(sim.fresh(copy), "later", "stop")
