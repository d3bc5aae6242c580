"""What can be wrong with a position: judged from the cards and numbers as they lie, not by the code that laid
them."""

from __future__ import annotations

from .cards import CARD_TEXTS, COLOURS, JOKER, JOKER_CARD, colour_letters, composite
from .notation import stack_cards
from .position import PHASES, Position
from .view import Play

Hands = list[list[str]]


def faults_of(position: Position) -> list[str]:
    """See `State.faults`."""
    hands = [_texts(*held) for held in zip(position.hands, position.jokers, strict=True)]
    gone = _texts(position.gone, position.gone_jokers)
    found = [*_card_faults(position, hands, gone), *_match_faults(position)]
    if position.stage in ("dealer", "deal"):
        found += _deal_faults(position, hands, gone)
    if position.stage in ("play", "over"):
        found += _game_faults(position, hands, gone)
    if position.stage == "play":
        # what else is said of a round needs its order to be right
        found += _order_faults(position) or _round_faults(position, hands, gone)
    if position.stage == "over":
        found += _end_faults(position)
    return found


def _told(*judged: tuple[bool, str]) -> list[str]:
    return [text for broken, text in judged if broken]


def _texts(mask: int, jokers: int) -> list[str]:
    return [text for at, text in enumerate(CARD_TEXTS[:JOKER_CARD]) if mask >> at & 1] + [JOKER] * jokers


def _coloured(hands: Hands, gone: list[str]) -> list[str]:
    return [card for cards in (*hands, gone) for card in cards if card != JOKER]


def _jokers(hands: Hands, gone: list[str]) -> int:
    return sum([cards.count(JOKER) for cards in (*hands, gone)])


def _card_faults(position: Position, hands: Hands, gone: list[str]) -> list[str]:
    coloured = _coloured(hands, gone)
    masks = (*position.hands, position.gone)
    deck = COLOURS[: position.players]
    most = position.players if position.expert else 0
    return _told(
        (len(set(coloured)) != len(coloured), "a card exists twice"),
        (any(card[0] not in deck for card in coloured), "a card of a colour not in the deck"),
        (any(mask >> JOKER_CARD for mask in masks), "a card that does not exist"),
        (min(*position.jokers, position.gone_jokers) < 0, "less than no joker"),
        (_jokers(hands, gone) > most, "too many jokers"),
    )


def _match_faults(position: Position) -> list[str]:
    games, number = position.games, position.game_number
    joker_each = bool(position.options["joker_each"])
    return _told(
        (not 1 <= number <= games, "a game outside the match"),
        (games % position.players != 0 or games < 1, "the match is no multiple of the seats"),
        (joker_each and not position.expert, "a joker for each without jokers"),
        (position.stage not in PHASES, "no such phase"),
        (min(*position.points, *position.totals) < 0, "less than no points"),
        ((position.dealer == -1) != (position.stage == "dealer"), "a dealer too early or none"),
        (not -1 <= position.dealer < position.players, "the dealer is no seat"),
        (position.previous == () and number > 1, "the game before left no points"),
    )


def _deal_faults(position: Position, hands: Hands, gone: list[str]) -> list[str]:
    """While hands are dealt."""
    begun = bool(gone or position.plays or position.order or any(position.points))
    sizes = [position.hand_size if seat < position.dealt else 0 for seat in range(position.players)]
    return _told(
        (begun, "play before the deal"),
        (not 0 <= position.dealt < position.players, "more hands dealt than there are"),
        ([len(hand) for hand in hands] != sizes, "a hand of a wrong size"),
    )


def _game_faults(position: Position, hands: Hands, gone: list[str]) -> list[str]:
    """After the deal."""
    jokers = position.players if position.expert else 0
    whole = len(_coloured(hands, gone)) == 12 * position.players and _jokers(hands, gone) == jokers
    lacks = [colour_letters(void) for void in position.void]
    held = any(card[0] in lack for hand, lack in zip(hands, lacks, strict=True) for card in hand)
    return _told(
        (not whole, "cards are missing"),
        (any(len(hand) > position.hand_size for hand in hands), "a hand larger than dealt"),
        (position.dealt != position.players, "not everybody was dealt to"),
        (position.round_number < 1, "no round was opened"),
        (held, "a colour held that was shown to be lacking"),
    )


def _order_faults(position: Position) -> list[str]:
    """Whose round it is."""
    order, plays = position.order, position.plays
    no_seats = not order or len(set(order)) != len(order) or not set(order) <= set(range(position.players))
    return _told(
        (no_seats, "the playing order is no list of seats"),
        (len(plays) >= max(1, len(order)), "a complete round was not settled"),
        (tuple([play.seat for play in plays]) != order[: len(plays)], "plays out of order"),
    )


def _round_faults(position: Position, hands: Hands, gone: list[str]) -> list[str]:
    """While a round is played."""
    order, plays, tiebreak = position.order, position.plays, position.tiebreak
    left_out = any(hand and seat not in order for seat, hand in enumerate(hands))
    rounds, scored = position.round_number - 1, sum(position.points)
    winner = position.last_winner
    found = _told(
        (any(not hands[seat] for seat in order[len(plays) :]), "somebody without cards is to play"),
        (tiebreak == 0 and not _clockwise(position, order[0]), "the order is not clockwise"),
        (not _clockwise(position, position.round_leader), "the order is not that of the round"),
        (tiebreak == 0 and order[0] != position.round_leader, "the leader does not lead"),
        (tiebreak < 0 or (tiebreak > 0 and not position.expert), "a tie-break that cannot be"),
        (tiebreak > 0 and len(order) < 2, "a tie-break of one"),
        (tiebreak == 0 and left_out, "somebody with cards is left out"),
        (not -1 <= winner < position.players, "the last winner is no seat"),
        ((winner >= 0) != any(position.points), "points and the last winner disagree"),
        # no point beyond one a round can have been scored while the game goes on (rule 7)
        (scored > rounds, "more points than rounds"),
        (not position.expert and scored != rounds, "fewer points than rounds"),
        ((position.colour >= 0) != bool(plays), "a colour in play without a lead, or the reverse"),
    )
    for play in plays:
        found += _play_faults(position, play, gone, leads=play is plays[0])
    return found


def _clockwise(position: Position, first: int) -> bool:
    """Whether the order of the round goes clockwise, counted from a seat."""
    turns = [(seat - first) % position.players for seat in position.order]
    return turns == sorted(turns)


def _play_faults(position: Position, play: Play, gone: list[str], leads: bool) -> list[str]:
    letter = COLOURS[position.colour] if 0 <= position.colour < position.players else ""
    cards = stack_cards(play.stack)
    named = play.stack.partition(":")[2]
    lacks = colour_letters(position.void[play.seat])
    return _told(
        (any(card not in gone for card in cards), "a played card is not gone"),
        (composite(cards).value != play.value, "a wrong value"),
        (play.counts != (cards[0] == JOKER or cards[0][0] == letter), "a play counts wrongly"),
        (leads and not play.counts, "the lead does not count"),
        (not play.counts and letter not in lacks, "a lack was not noted"),
        (leads and cards[0] == JOKER and named != letter, "another colour was named"),
    )


def _end_faults(position: Position) -> list[str]:
    return _told(
        (bool(position.plays or position.order), "a round after the end"),
        (position.game_number != position.games, "over before the last game"),
        (sum(position.totals) < 1 and position.last is None, "over without a round"),
    )
