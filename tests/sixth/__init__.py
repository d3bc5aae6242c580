"""Blocked Corners: tic-tac-toe with a hidden first choice, the smallest game that has all a game needs.

It is no game of the bot: the tests add it to the table of games by the steps of the README and play it
everywhere (`tests/test_sixth.py`). Whoever writes a game may begin with a copy of it.
"""

from __future__ import annotations

from typing import Final

from bot.rules.registry import Parts

PARTS: Final = Parts(
    rules="tests.sixth.rules",
    players="tests.sixth.players",
    pictures="tests.sixth.pictures",
    cog="tests.sixth.cog",
    texts="tests.sixth.locale",
)
