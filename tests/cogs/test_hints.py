"""What a private page explains until its reader wants it no more: signs, and at a first table the rules."""

from __future__ import annotations

import pytest

from bot.locale import LANGUAGES, keys
from bot.rules.registry import GAME_IDS
from bot.tables.model import Status

from .sim import Sim, answer, hint_buttons, text_of
from .tabletop import opened

RULES, NO, HIDE = "Rules in short", "No, thanks", "Hide the legend"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_explains_its_signs(language: str) -> None:
    assert {f"{game}.legend" for game in GAME_IDS} <= keys(language)


async def test_what_is_dismissed_stays_away_at_every_table_and_after_a_restart(sim: Sim) -> None:
    table = await opened(sim, "topspot", sim.ada, sim.ben, sim.cleo, players=3)
    page = await sim.hand(sim.ada, table)
    assert hint_buttons(page) == [RULES, NO, HIDE]
    assert "it shows 3 spots, and at most 7 with cards below it" in text_of(page)
    rules = await sim.ada.click(page, label=RULES)
    assert "Top Spot in short" in answer(rules)
    await sim.ada.click(sim.fresh(page), label=NO)
    page = sim.fresh(page)
    assert hint_buttons(page) == [HIDE]
    await sim.ada.click(page, label=HIDE)
    page = sim.fresh(page)
    assert hint_buttons(page) == []
    assert "it shows 3 spots" not in text_of(page)
    assert hint_buttons(await sim.hand(sim.ben, table)) == [RULES, NO, HIDE]
    await sim.restart()
    again = await opened(sim, "topspot", sim.ada, sim.ben, sim.cleo, players=3)
    assert hint_buttons(await sim.hand(sim.ada, again)) == []


async def test_who_has_finished_a_game_is_not_offered_its_rules_any_more(sim: Sim) -> None:
    first = await sim.started(sim.ada, sim.ben)
    assert RULES in hint_buttons(await sim.hand(sim.ada, first))
    first = await sim.hurry(first)
    assert first.status is Status.ENDED
    second = await sim.started(sim.ada, sim.cleo)
    assert hint_buttons(await sim.hand(sim.ada, second)) == [HIDE]
    assert hint_buttons(await sim.hand(sim.cleo, second)) == [RULES, NO, HIDE]
    other = await opened(sim, "top12", sim.ada, sim.ben, players=2)
    assert RULES in hint_buttons(await sim.hand(sim.ada, other))  # each game has its own
