"""The first engines and the slow ones tell the same of the same games; neither knows the other."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.second_engines import common, fivetotwelve, top12, topominos, topspot, zatre
from tests.sweeps import swept

GAMES = (fivetotwelve, top12, topominos, topspot, zatre)
MAKERS = {module.GAME: module.make for module in GAMES}


def _cases(which: str) -> Sequence[object]:
    """All games' cases, every day each game's first, seventh and so on; of `<which>_LONG` every second."""
    some = [case for module in GAMES for case in getattr(module, which, ())]
    plain = [case for module in GAMES for case in getattr(module, which, ())[::6]]
    long = [case for module in GAMES for case in getattr(module, which + "_LONG", ())]
    more = [case for case in some if case not in plain] + long[::2]
    return swept(plain + more, daily=len(plain))


@pytest.mark.parametrize("case", _cases("PLAYED"), ids=str)
def test_a_game_of_the_first_engine_is_what_the_slow_one_says(case: common.Case) -> None:
    assert common.first_disagreement(common.selfplay(case), MAKERS) is None


@pytest.mark.parametrize("case", _cases("OUTSIDE"), ids=str)
def test_a_game_of_the_slow_engine_is_accepted_by_the_first(case: common.Case, tmp_path: Path) -> None:
    assert common.verify([common.play(case, MAKERS, legal=True)], tmp_path) == ["ok"]


@pytest.mark.parametrize("case", _cases("DAMAGED"), ids=str)
def test_both_find_the_same_first_fault_in_a_damaged_record(case: common.Case, tmp_path: Path) -> None:
    sound = common.without_lists(common.selfplay(case, legal=False))
    bad = common.damaged(sound, 25, random.Random(str(case)))
    said = common.verify(bad, tmp_path)
    assert [common.verdict(record, MAKERS) for record in bad] == said
    assert set(said) - {"ok"}


@pytest.mark.parametrize("case", _cases("GUESSED"), ids=str)
def test_both_judge_a_move_that_was_only_guessed_alike(case: common.Case, tmp_path: Path) -> None:
    tried = common.guessed(common.play(case, MAKERS), 15, MAKERS, random.Random(str(case)))
    said = common.verify(tried, tmp_path)
    assert [common.verdict(record, MAKERS) for record in tried] == said
    assert set(said) - {"ok"}
