"""What a private page explains until its reader wants it no more: signs, and at a first table the rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.locale import LANGUAGES, keys, sayer
from bot.rules.registry import GAME_IDS
from bot.tables.service import Tables
from cogs.surfaces.components import Buttons, Text, page, room
from cogs.surfaces.hints import explained

from .sim import Sim, hint_buttons, text_of
from .tabletop import opened

RULES, NO, HIDE = "Rules in short", "I know the rules", "Hide the legend"
LEARN = "Learn by playing"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_explains_its_signs(language: str) -> None:
    assert {f"{game}.legend" for game in GAME_IDS} <= keys(language)


async def test_what_is_dismissed_stays_away_at_every_table_of_its_game(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben)
    page = await sim.hand(sim.ada, table)
    assert hint_buttons(page) == [RULES, LEARN, NO, HIDE]
    assert "corner brackets: laid last" in text_of(page)
    await sim.ada.click(page, label=RULES)
    assert "5 vor 12 in short" in text_of(sim.fresh(page))  # in the panel's place
    await sim.ada.click(sim.fresh(page), label="Back to the game")
    await sim.ada.click(sim.fresh(page), label=NO)
    page = sim.fresh(page)
    assert hint_buttons(page) == [HIDE]
    await sim.ada.click(page, label=HIDE)
    page = sim.fresh(page)
    assert hint_buttons(page) == []
    assert "corner brackets" not in text_of(page)
    assert (await sim.bot.tables.user(sim.ada.id)).dismissed == ("rules.fivetotwelve", "legend.fivetotwelve")
    again = await sim.started(sim.ada, sim.ben)
    assert hint_buttons(await sim.hand(sim.ada, again)) == []
    assert hint_buttons(await sim.hand(sim.ben, again)) == [RULES, LEARN, NO, HIDE]


async def test_who_has_finished_a_game_is_not_offered_its_rules_any_more(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def finished(_: Tables, user: int, game: str) -> bool:
        return (user, game) == (sim.ada.id, "fivetotwelve")

    monkeypatch.setattr(Tables, "has_finished", finished)
    table = await sim.started(sim.ada, sim.ben)
    assert hint_buttons(await sim.hand(sim.ada, table)) == [HIDE]
    assert hint_buttons(await sim.hand(sim.ben, table)) == [RULES, LEARN, NO, HIDE]
    other = await opened(sim, "top12", sim.ada, sim.ben, players=2)
    assert RULES in hint_buttons(await sim.hand(sim.ada, other))  # each game has its own


async def test_a_hand_by_direct_message_explains_as_much_and_is_rid_of_it_in_place(sim: Sim) -> None:
    table = await opened(sim, "topominos", sim.ada, sim.ben, players=2)
    [letter] = sim.messages(sim.ada.user.dm_channel.id)
    assert hint_buttons(letter) == [RULES, LEARN, NO, HIDE]
    await sim.ada.user.click(letter, label=HIDE)
    [letter] = sim.messages(sim.ada.user.dm_channel.id)
    assert hint_buttons(letter) == [RULES, LEARN, NO]
    assert "Letters a to i" not in text_of(letter)
    assert hint_buttons(await sim.hand(sim.ada, table)) == [RULES, LEARN, NO]


async def test_the_way_to_the_lesson_takes_no_room_from_the_other_hints(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben)
    say, every = sayer("en"), ("rules.zatre", "legend.zatre", "lesson.zatre")
    table = replace(table, game="zatre")
    for left, shown in ((6, [RULES, LEARN, NO, HIDE]), (5, [RULES, NO, HIDE]), (4, [])):
        full = page(*[Text("x")] * (room([]) - left))
        found = explained(full, table, every, say)
        labels = [one.label for block in found.blocks if isinstance(block, Buttons) for one in block.buttons]
        assert labels == shown, left
