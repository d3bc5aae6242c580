"""What controls and commands do, one function a verb.

A verb is the word in a control's id (`cogs.custom_ids`): messages live for months, so a verb keeps its name
for ever, whatever its function is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cogs.input.router import Handler, Router

from . import advice, lessons, letters, lobby, menu, moments, moves, private, reading, rematch, votes

VERBS: Mapping[str, Handler] = MappingProxyType(
    {
        # of the lobby
        "join": lobby.join,
        "accept": lobby.accept,
        "decline": lobby.decline,
        "invite": lobby.invite,
        "invitations": lobby.invitations,
        "withdraw": lobby.withdraw,
        "restrict": lobby.restrict,
        "hints": lobby.hints,
        "leave": lobby.leave,
        "add_computer": lobby.add_computer,
        "remove_computer": lobby.remove_computer,
        "partner": lobby.partner,
        "start": lobby.start,
        "cancel": lobby.cancel,
        # of a move
        "move": moves.move,
        "hand": moves.move,
        "pick": moves.pick,
        "way": moves.way,
        "back": moves.back,
        "act": moves.act,
        "write": moves.write,
        "play": moves.play,
        "undo": moves.undo,
        "dismiss": moves.dismiss,
        "hint": advice.hint,
        "why": advice.why,
        # of lessons
        "learn": lessons.learn,
        "lesson": lessons.tap,
        # of reading
        "text": reading.text,
        "rules": reading.rules,
        "section": reading.section,
        "history": reading.history,
        "record": reading.record,
        "moments": moments.moments,
        # of the menu
        "menu": menu.menu,
        "snooze": menu.snooze,
        "resign": menu.resign,
        "end": menu.end,
        "ask": votes.ask,
        "yes": votes.yes,
        "no": votes.no,
        "people": votes.people,
        "sit": votes.sit,
        "rematch": rematch.rematch,
        # of notices by direct message
        "later": letters.later,
        "stop": letters.stop,
    }
)


def register(router: Router) -> None:
    for verb, handler in VERBS.items():
        router.add(verb, handler)
    router.current = private.current
