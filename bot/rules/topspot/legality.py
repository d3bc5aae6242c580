"""What a seat may do now (rules 1, 3, 4, 9 and 10): asked of a `Choice`, by the position and by the view
alike."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import Illegal
from .cards import CARD_TEXTS, COLOURS, JOKER, JOKER_CARD, SPOTS, SUIT, bits, masked, visible_spots
from .notation import Stack
from .stacks import joker_stacks, suit_stacks
from .view import TopSpotView

# by number of colours in the deck: these in the order of their letters, so that what is listed by colour
# comes out sorted
_BY_LETTER = [sorted(range(deck), key=COLOURS.__getitem__) for deck in range(len(COLOURS) + 1)]


class Choice(NamedTuple):
    """What decides which moves a seat has, compared by value. (A named tuple, for one is made for every list
    and every move.)

    hand: mask of its cards. jokers: how many it holds. deck: number of colours there are. colour: number of
    the colour in play, None for the leader. expert: whether there are jokers at all.
    """

    hand: int
    jokers: int
    deck: int
    colour: int | None
    expert: bool


def choice_of(view: TopSpotView) -> Choice:
    """Of the view's seat, which may act."""
    hand, jokers = masked(view.hand)
    colour = COLOURS.index(view.colour) if view.colour else None
    return Choice(hand, jokers, view.players, colour, view.expert)


def listed(choice: Choice) -> list[str]:
    """Every legal move, sorted."""
    hand, jokers, deck, colour, _ = choice
    moves: list[str] = []
    if jokers:
        moves = joker_stacks(hand)
        if colour is None:
            names = [":" + COLOURS[each] for each in range(deck)]
            moves = [move + name for move in moves for name in names]
        moves.sort()
    if colour is None:
        for suit in _BY_LETTER[deck]:
            if faces := hand >> 12 * suit & SUIT:
                moves += suit_stacks(suit, faces)
    elif faces := hand >> 12 * colour & SUIT:
        moves += suit_stacks(colour, faces)
    else:
        moves += sorted([CARD_TEXTS[card] for card in bits(hand)])
    return moves


def judge(choice: Choice, stack: Stack, named_later: bool = False) -> None:
    """Nothing, if the stack may be played. named_later: let a leading joker go without its colour. Raises
    Illegal with the rule."""
    hand, jokers, deck, colour, expert = choice
    if stack.jokers and not expert:
        raise Illegal("joker_level", game="topspot", rule="9")
    if not stack.joker_top:
        raise Illegal("joker_top", game="topspot", rule="9")
    if not stack.jokers and stack.suits & stack.suits - 1:
        raise Illegal("mixed", game="topspot", rule="1")
    if stack.mask & ~hand or stack.twice or stack.jokers > jokers:
        raise Illegal("not_in_hand", game="topspot", rule="1", card=_lacking(stack, hand, jokers))
    if stack.jokers:
        if colour is not None and stack.named is not None:
            raise Illegal("colour_set", game="topspot", rule="10", colour=COLOURS[colour])
        if stack.named is not None and stack.named >= deck:
            raise Illegal("not_a_colour", game="topspot", rule="10", colour=COLOURS[stack.named])
        if colour is None and stack.named is None and not named_later:
            raise Illegal("name_colour", game="topspot", rule="10")
    elif colour is not None and not hand >> 12 * colour & SUIT:
        if len(stack.cards) > 1:
            raise Illegal("one_card", game="topspot", rule="4", colour=COLOURS[colour])
    elif colour is not None and stack.suits & ~(1 << colour):
        raise Illegal("follow", game="topspot", rule="4", colour=COLOURS[colour])
    if not stack.sound:
        raise Illegal("matter", game="topspot", rule="3", card=_idle(stack))


def _lacking(stack: Stack, hand: int, jokers: int) -> str:
    """The first card of a stack that is not in the hand, or not that often."""
    held = [*bits(hand), *[JOKER_CARD] * jokers]
    for card in stack.cards:
        if card not in held:
            return CARD_TEXTS[card]
        held.remove(card)
    raise ValueError("a stack of cards that are all held")


def _idle(stack: Stack) -> str:
    """The first card of a stack without which as many spots would show."""
    cards = stack.cards
    rests = [cards[:at] + cards[at + 1 :] for at in range(len(cards))]
    idle = [
        card
        for card, rest in zip(cards, rests, strict=True)
        if visible_spots(rest) >= stack.value and card != JOKER_CARD
    ]
    return CARD_TEXTS[idle[0] if idle else cards[-1]]


def stand_in(choice: Choice) -> str:
    """The single card that shows fewest spots, of the colour in play if there is one; a joker only where
    nothing else is held. It keeps what wins, and one card never breaks rule 3."""
    hand, colour = choice.hand, choice.colour
    if not hand:
        return JOKER if colour is not None else f"{JOKER}:{COLOURS[0]}"
    suit = hand & SUIT << 12 * colour if colour is not None else 0
    return CARD_TEXTS[min(bits(suit or hand), key=lambda card: (SPOTS[card].bit_count(), card))]
