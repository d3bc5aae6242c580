"""What the rules refuse, by kind; each error carries a code and data, and no text (see `RulesError.key`)."""

from __future__ import annotations

from functools import partial
from typing import ClassVar


class RulesError(Exception):
    """Something the rules refuse.

    code: what is wrong, as a catalogue key's tail (`<game>.<kind>.<code>` or, for
        codes every game shares, `rules.<kind>.<code>`; see `key`).
    rule: the rule's number on the game's page, e.g. "4", or "" where none applies.
    data: values for the text's places; plain ints and strings.
    """

    kind: ClassVar[str] = "error"

    def __init__(self, code: str, *, game: str = "rules", rule: str = "", **data: object) -> None:
        super().__init__(code, rule, data)
        self.code = code
        self.game = game
        self.rule = rule
        self.data = data

    def __reduce__(self) -> tuple[object, ...]:
        """What was raised in a process that thinks comes out of it as it was."""
        return partial(type(self), self.code, game=self.game, rule=self.rule, **self.data), ()

    @property
    def key(self) -> str:
        """Catalogue key of the text, e.g. `fivetotwelve.illegal.row`."""
        return f"{self.game}.{self.kind}.{self.code}"


class SetupError(RulesError):
    """Unknown option, option value of the wrong kind, seat count out of range."""

    kind = "setup"


class Unreadable(RulesError):
    """Not a move (or chance result) of this game at all."""

    kind = "unreadable"


class Illegal(RulesError):
    """A move of this game, but not now; `rule` says which rule forbids it."""

    kind = "illegal"


class NotYours(RulesError):
    """Not this seat's turn, or the game is over."""

    kind = "not_yours"


class Impossible(RulesError):
    """A chance result that cannot be (a tile that is not in the bag)."""

    kind = "impossible"


class Missing(RulesError):
    """Another event must come first (a move where a die roll is due, say)."""

    kind = "missing"


class Extra(RulesError):
    """An event that nothing asks for (a chance result where a decision is due,
    anything after the end)."""

    kind = "extra"
