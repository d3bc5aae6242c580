"""A stack that is being built from the top down: what menus and pictures of a half-made move need to know."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import Illegal, NotYours
from .cards import CARD_OF, CARD_TEXTS, COLOURS, JOKER_CARD, visible_spots
from .legality import Choice, choice_of, judge
from .notation import Stack, as_written, looked_at
from .view import TopSpotView


@dataclass(frozen=True, slots=True)
class Draft:
    """A stack being built from the top down, as `draft` sees it.

    cards: top card first. named: the colour named for a leading joker, or "". value: rule 2, 0 without cards.
    matters: for each card, whether taking it out would lower the value (rule 3; a joker on top always does).
    more: cards of the hand, as in `TopSpotView.hand` but each once, that may be laid below so that a legal
    move can still result.
    name: whether a colour must be named now, one of `colours`. move: canonical text if the draft is
    a legal move as it is, else "".
    """

    cards: tuple[str, ...]
    named: str
    value: int
    matters: tuple[bool, ...]
    more: tuple[str, ...]
    name: bool
    colours: str
    move: str

    @property
    def legal(self) -> bool:
        """Whether it may be played as it is."""
        return bool(self.move)


def draft(view: TopSpotView, text: str = "") -> Draft:
    """What a half-built move of `view.seat` amounts to, for menus that build a stack from the top down.

    text: notation of a stack, top card first, in any order (not only the canonical one), with or without
    the colour of a leading joker; "" for the start. Every start of a stack that rule 3 allows is
    allowed itself (ruling), so a draft made from `more` alone is at each step a move or lacks but its colour.
    Raises Unreadable for a text that is no stack, NotYours for a seat that may not act.

    >>> from bot.rules.game import advance
    >>> from bot.rules.topspot import GAME
    >>> state = GAME.start(3, {})
    >>> chance = advance(state, "a draft", 0)
    >>> (seat,) = state.actors()
    >>> view = state.view(seat)
    >>> view.hand
    ('GC', 'GD', 'RA', 'RC', 'RG', 'RJ', 'RK', 'YA', 'YC', 'YD', 'YE', 'YK')
    >>> built = draft(view, "GC")
    >>> built.move, built.value, built.more
    ('GC', 2, ('GD',))
    """
    if view.seat is None or view.seat not in view.actors:
        raise NotYours("over" if view.outcome else "turn")
    built = as_written(text) if text else None
    facts = choice_of(view)
    cards = built.cards if built else ()
    named = built.named if built else None
    fits = built is None or _fits(facts, built)
    each = [CARD_OF[card] for card in dict.fromkeys(view.hand)] if fits else []
    joker_leads = built is not None and bool(built.jokers) and facts.colour is None
    name = fits and joker_leads and named is None
    value = visible_spots(cards)
    return Draft(
        cards=tuple([CARD_TEXTS[card] for card in cards]),
        named=COLOURS[named] if named is not None else "",
        value=value,
        matters=tuple(
            [
                (card == JOKER_CARD and at == 0) or visible_spots(cards[:at] + cards[at + 1 :]) < value
                for at, card in enumerate(cards)
            ]
        ),
        more=tuple([CARD_TEXTS[card] for card in each if _fits(facts, looked_at((*cards, card), named))]),
        name=name,
        colours=view.colours if joker_leads else "",
        move=built.canonical if built is not None and fits and not name else "",
    )


def _fits(facts: Choice, stack: Stack) -> bool:
    """Whether the stack may be played as it is or once its colour is named."""
    try:
        judge(facts, stack, named_later=True)
    except Illegal:
        return False
    return True
