"""Texts of moves and of chance: what is notation of this game, whatever the position.

A move is a stack, top card first (`RA+RG`, `*+RA+BF`), and where a joker leads also the colour it names
(`*+RA+BF:G`). Canonical is, of the orders that are one move, the smallest text; `parse` takes nothing else,
`as_written` and `read` take any order, and `read` what a person types.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from ..errors import Unreadable
from ..game import Event
from ..typed import words
from .cards import CARD_OF, CARD_TEXTS, COLOURS, JOKER, JOKER_CARD, hand_order, visible_spots
from .stacks import BELOW, PLAIN, UNDER_JOKER

_STACK = re.compile(r"(?:[RYGBP][A-L]|\*)(?:\+(?:[RYGBP][A-L]|\*))*(?::[RYGBP])?")
_TYPED = re.compile(r"((?:[\s+,]*(?:[RYGBP]\s*[A-L]|\*))+)\s*(?::?\s*([RYGBP])\s*)?")
_CARD = re.compile(r"[RYGBP][A-L]|\*")
_DEALER = re.compile(r"dealer (0|[1-9][0-9]*)")
_DEAL = re.compile(r"deal((?: (?:[RYGBP][A-L]|\*))*)")
_LONGEST = 64  # 13 cards and a colour take 40 characters
_LONGEST_TYPED = 200
_LONGEST_CHANCE = 1000

Chance: TypeAlias = tuple[Literal["dealer"], int] | tuple[Literal["deal"], tuple[str, ...]]
"""What a chance event says: the dealer's seat (any number, there or not), or the cards of one hand."""


# --------------------------------------------------------------------------- moves


class Stack(NamedTuple):
    """A text that is notation of this game, looked at without any position.

    cards: by number, top card first. named: number of the colour after the colon. mask: its cards without
    jokers. suits: bit mask of the colours of these. jokers: how many. joker_top: no joker, or exactly one and
    that on top. twice: a coloured card stands there twice. sound: rule 3 allows it. value: rule 2. canonical:
    the text of the move it is.
    """

    cards: tuple[int, ...]
    named: int | None
    mask: int
    suits: int
    jokers: int
    joker_top: bool
    twice: bool
    sound: bool
    value: int
    canonical: str


def looked_at(cards: tuple[int, ...], named: int | None) -> Stack:
    """The stack of these cards, top card first, with the colour that its joker names."""
    mask = suits = jokers = 0
    twice = False
    for card in cards:
        if card == JOKER_CARD:
            jokers += 1
        else:
            twice = twice or bool(mask >> card & 1)
            mask |= 1 << card
            suits |= 1 << card // 12
    joker_top = not jokers or (jokers == 1 and cards[0] == JOKER_CARD)
    below = cards[1:] if jokers else cards
    table = UNDER_JOKER if jokers else PLAIN
    move = table.move_of.get(tuple([card % 12 for card in below])) if joker_top else None
    if move is not None and move.picks:
        of_face = {card % 12: BELOW[card] for card in below}
        least = move.least([of_face[face] for face in move.first])
        text = JOKER + least if jokers else least[1:]
    else:
        text = "+".join([CARD_TEXTS[card] for card in cards])
    if named is not None:
        text += ":" + COLOURS[named]
    return Stack(
        cards=cards,
        named=named,
        mask=mask,
        suits=suits,
        jokers=jokers,
        joker_top=joker_top,
        twice=twice,
        sound=move is not None or cards == (JOKER_CARD,),
        value=visible_spots(cards),
        canonical=text,
    )


@lru_cache(maxsize=8192)
def _found(text: str) -> Stack | None:
    if not _STACK.fullmatch(text):
        return None
    body, _, named = text.partition(":")
    if named and JOKER not in body:
        return None
    cards = tuple([CARD_OF[word] for word in body.split("+")])
    return looked_at(cards, COLOURS.index(named) if named else None)


def as_written(text: object) -> Stack:
    """The stack that a text is, in whatever order. Raises Unreadable."""
    found = _found(text) if isinstance(text, str) and len(text) <= _LONGEST else None
    if found is None:
        raise Unreadable("move")
    return found


def parse(text: object) -> Stack:
    """The stack that a canonical text is. Raises Unreadable for a text that is no stack, or one in another
    order than the smallest."""
    found = as_written(text)
    if found.canonical != text:
        raise Unreadable("move")
    return found


def read(text: str) -> str:
    """Canonical text of what somebody typed: spaces, commas, lower case, a missing `+` or `:` and another
    order of the same move are forgiven. Raises Unreadable.

    >>> read("* ra bf g"), read("rarg")
    ('*+RA+BF:G', 'RA+RG')
    """
    try:
        return _read(text)
    except Unreadable:
        raise _why(text) from None


def _why(text: object) -> Unreadable:
    for word in re.split(r"[ +,]+", words(text).partition(":")[0]):
        if re.fullmatch(r"[A-Z]{2}", word) and word not in CARD_OF:
            return Unreadable("card", game="topspot", card=word)
    return Unreadable("move")


def _read(text: str) -> str:
    if len(text) > _LONGEST_TYPED or not text.isascii():
        raise Unreadable("move")
    match = _TYPED.fullmatch(text.strip().upper())
    if match is None:
        raise Unreadable("move")
    body = re.sub(r"\s", "", match[1])
    words = _CARD.findall(body)
    if match[2] and JOKER not in words:
        raise Unreadable("move")
    cards = tuple([CARD_OF[word] for word in words])
    canonical = looked_at(cards, COLOURS.index(match[2]) if match[2] else None).canonical
    if len(canonical) > _LONGEST:
        raise Unreadable("move")
    return canonical


def stack_value(move: str) -> int:
    """Value (rule 2) of a stack in notation, in any order. Raises Unreadable.

    >>> stack_value("RA"), stack_value("RA+RG"), stack_value("*:G")
    (1, 4, 0)
    """
    return as_written(move).value


def stack_cards(move: str) -> tuple[str, ...]:
    """Cards of a stack in notation, top card first, without a named colour.

    >>> stack_cards("*+RA+BF:G")
    ('*', 'RA', 'BF')
    """
    return tuple(move.partition(":")[0].split("+"))


# --------------------------------------------------------------------------- chance


def dealer_text(seat: int) -> str:
    """The event that makes this seat the first game's dealer."""
    return f"dealer {seat}"


def deal_text(cards: Iterable[str]) -> str:
    """The event that deals these cards, whatever their order."""
    return " ".join(("deal", *hand_order(cards)))


def parse_chance(text: object) -> Chance:
    """What a chance event says. Raises Unreadable for a text that is none, or cards that are not in
    `hand_order`.

    >>> parse_chance("dealer 2"), parse_chance("deal RA YB *")
    (('dealer', 2), ('deal', ('RA', 'YB', '*')))
    """
    if not isinstance(text, str) or len(text) > _LONGEST_CHANCE:
        raise Unreadable("chance")
    if dealer := _DEALER.fullmatch(text):
        return "dealer", int(dealer[1])
    deal = _DEAL.fullmatch(text)
    cards = tuple(deal[1].split()) if deal else ()
    if deal is None or cards != hand_order(cards):
        raise Unreadable("chance")
    return "deal", cards


def redacted(event: Event, seat: int | None) -> Event:
    """The event as `seat` may know it: cards dealt to others are `?`, one for each."""
    if event.kind != "chance" or event.player is None or event.player == seat:
        return event
    return Event("chance", " ".join(["deal"] + ["?"] * event.text.count(" ")), event.player)
