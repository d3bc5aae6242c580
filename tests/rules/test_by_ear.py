"""Boards in words, as a screen reader says them."""

from __future__ import annotations

import re

import pytest

from bot.locale import LANGUAGES, sayer
from bot.rules.game import advance, play
from bot.rules.registry import GAME_IDS, game
from cogs.surfaces.components import TEXT_LIMIT
from cogs.surfaces.wording import literal

LONG = "Mm" * 16  # as long as a name is shown
ROW = {"en": ("Row ",), "de": ("Reihe ", "Zeile ")}
BARE = re.compile(r"^[^A-Za-z]*$|[0-9]+ [0-9]+")  # a line without a word; numbers that run into each other


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_every_line_has_its_heading_and_the_largest_board_fits_a_message(game_id: str) -> None:
    rules = game(game_id)
    state, names = rules.start(rules.max_seats, {}), (LONG,) * rules.max_seats
    count = len(advance(state, "by ear", 0))
    moves = 0
    while state.actors():
        seat = state.actors()[0]
        count += len(play(state, "by ear", count, seat, state.stand_in(seat)))
        moves += 1
        if moves % 40 and state.actors():
            continue
        for language in LANGUAGES:
            told = literal(rules.board_text(state.view(0), names, sayer(language)))
            assert len(told) <= TEXT_LIMIT
            assert [line for line in told.splitlines() if BARE.search(line)] == []
            if game_id != "topspot":  # which has no board
                assert any(line.startswith(ROW[language]) for line in told.splitlines())
