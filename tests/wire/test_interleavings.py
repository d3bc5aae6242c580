"""Five people click everything they can see, at the same time, stale controls included: no traceback, no
illegal position, everybody answered.

Each interleaving is a table of its own in a server of its own, all at one bot process: the lobby is fought
over first, then the game. What is clicked is chosen by the interleaving's seeded generator among the public
messages, direct messages and private answers that each person sees or has seen.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.discord.driver import CannotDo
from tests.postgresql import fresh_database
from tests.wire.wire_server import PATIENCE, WireServer, WireTable, control, running_server, verb

INTERLEAVINGS = 60
PART = 20
LOBBIES = 10
ROUNDS = 4  # of the game, all five clicking at once
CLICKS = 2  # of each person in a round, one after the other
LIKELY = {"move": 6, "act": 6, "play": 6, "way": 6, "join": 6, "cancel": 1}  # all others 2
GAMES = {"5vor12": (2, 4), "top12": (2, 4), "zatre": (2, 4), "topominos": (2, 4), "topspot": (3, 4)}


class Clicker:
    """One person, with everything they have on the screen."""

    def __init__(self, person: Any, chance: Random) -> None:
        self.person, self.chance = person, chance
        self.pages: list[Any] = []  # as they stood when they were seen: stale ones too
        self.answers: list[Any] = []
        self.modals: list[Any] = []

    def look(self, wire_table: WireTable) -> None:
        for place in wire_table.places():
            self.pages += self.person.messages(place)
        self.pages += self.person.dms()[-2:]
        self.pages = self.pages[-60:]

    async def click(self) -> None:
        """Something that is, or was, on the screen; the newer the likelier."""
        options: list[tuple[Any, str, list[str] | None]] = []
        for age, page in enumerate(reversed(self.pages)):
            weight = 8 if age < 3 else 1
            for button in page.buttons:
                if button.custom_id and not button.disabled:
                    likely = LIKELY.get(verb(button.custom_id), 2)
                    options += [(page, button.custom_id, None)] * weight * likely
            for menu in page.selects:
                if menu.kind == "string" and not menu.disabled:
                    count = min(max(1, menu.min_values), len(menu.options))
                    values = [option.value for option in self.chance.sample(menu.options, count)]
                    options += [(page, menu.custom_id, values)] * weight * 3
        if self.modals and self.chance.random() < 0.5:
            modal = self.modals.pop()
            filled = {field.custom_id: self.chance.choice(["", "12", "a1", "!"]) for field in modal.fields}
            try:
                answer = await self.person.submit(modal, filled)
            except CannotDo:
                return  # the form itself does not take this
        elif options:
            page, custom_id, values = self.chance.choice(options)  # type: ignore[assignment]
            try:
                if values is None:
                    answer = await self.person.click(page, custom_id=custom_id, stale=True)
                else:
                    answer = await self.person.select(page, values, custom_id, stale=True)
            except CannotDo:
                return  # the message is gone, or not for this person
        else:
            return
        self.answers.append(answer)
        if answer.modal is not None:
            self.modals.append(answer.modal)
        if answer.message is not None:
            self.pages.append(answer.message)
        self.pages += answer.followups


async def interleaving(place: WireServer, seed: int) -> list[Any]:
    """One table, fought over; every answer."""
    chance = Random(seed)
    game = chance.choice(sorted(GAMES))
    guild = await place.world.create_guild(f"server {seed}")
    for person in place.people:
        await person.join(guild)
    place.channel = await place.world.create_channel(guild, "games")
    host = chance.choice(place.people)
    opened = await host.slash(place.channel, f"{game} new", players=chance.randint(*GAMES[game]))
    assert opened.acked, opened
    table = opened.message.buttons[0].custom_id.split(":")[1]
    wire_table = WireTable(place, table, place.channel, tuple(place.people))
    clickers = [Clicker(person, Random(chance.random())) for person in place.people]

    async def all_at_once() -> None:
        for clicker in clickers:
            clicker.look(wire_table)

        async def several(clicker: Clicker) -> None:
            for _ in range(CLICKS):
                await clicker.click()

        await asyncio.gather(*(several(clicker) for clicker in clickers))

    await all_at_once()
    if wire_table.status() == "lobby":
        await begin(place, wire_table)
    for _ in range(ROUNDS):
        await all_at_once()
    return [answer for clicker in clickers for answer in clicker.answers]


async def begin(place: WireServer, wire_table: WireTable) -> None:
    """Whoever is host now starts, with computer players for whom is missing."""
    for _ in range(6):
        await place.until(wire_table.painted, "the lobby as it is stored")
        if wire_table.status() != "lobby":
            return
        [(number,)] = place.stored("select host from tables where id = ?", wire_table.id)
        host = next(person for person in place.people if person.id == number)
        lobby = next(m for m in host.messages(wire_table.channel) if "start" in map(of, m.buttons))
        start = next(b for b in lobby.buttons if of(b) == "start")
        wanted = "add_computer" if start.disabled else "start"
        await host.click(lobby, custom_id=control(lobby, wanted), stale=True)


def of(button: Any) -> str:
    return verb(button.custom_id)


async def interleaved(folder: Path, seeds: range, database: str | None = None) -> None:
    # How quick answers are is up to the machine, and measured by `bench clicks`: Discord waits longer here.
    async with running_server(
        folder, people=5, validate="later", answer_timeout=10.0, ack_seconds=PATIENCE, database=database
    ) as place:
        for seed in seeds:
            answers = await interleaving(place, seed)
            silent = [answer for answer in answers if not answer.acked]
            pressed = [answer.interaction.data for answer in silent]
            assert silent == [], f"interleaving {seed}: {pressed}\n{place.bot.log[-3000:]}"
            assert "Traceback" not in place.bot.log, f"interleaving {seed}"
        [(begun,)] = place.stored("select count(*) from tables where events > 0")
        [(moved,)] = place.stored("select count(*) from events where kind = 'move'")
        # Some came to a game, and moves were made: how many is up to who clicks "cancel" first.
        assert begun >= len(seeds) // 5
        assert moved >= len(seeds) // 5
        await place.until(
            lambda: place.stored("select 1 from tables where painted < revision") == [], "all painted"
        )


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, INTERLEAVINGS, PART))
async def test_five_people_click_everything_at_once(tmp_path: Path, first: int) -> None:
    await interleaved(tmp_path / "data", range(first, first + PART))


@pytest.mark.long
async def test_the_same_where_one_process_has_postgresql_to_itself(tmp_path: Path, postgresql: str) -> None:
    await interleaved(tmp_path / "data", range(PART), await fresh_database(postgresql, "interleaved"))


@pytest.mark.long
async def test_a_lobby_on_postgresql_shows_who_comes_at_once(tmp_path: Path, postgresql: str) -> None:
    """While it is still being stored where the lobby lies."""
    address = await fresh_database(postgresql, "lobbies")
    async with running_server(tmp_path / "data", people=2, database=address) as place:
        ann, bob = place.people
        for _ in range(LOBBIES):
            lobby = (await ann.slash(place.channel, "5vor12 new", players=2)).message
            await bob.click(lobby, custom_id=control(lobby, "join"), stale=True)
            table = WireTable(place, lobby.buttons[0].custom_id.split(":")[1], place.channel, (ann, bob))

            def is_complete(table: WireTable = table, lobby: Any = lobby) -> bool:
                start = next(b for b in table.fresh(ann, lobby).buttons if of(b) == "start")
                return not start.disabled

            await place.until(is_complete, "a lobby that can be started")
