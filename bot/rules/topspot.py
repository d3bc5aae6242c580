"""Top Spot: cards with spots and holes, stacked so that more spots show (page `topspot.md`).

A card is an int: colour (0 to 4 for R Y G B P) times 12 plus face (0 to 11 for A to L); the joker, of
which several exist, is 60. A hand is a 60-bit mask of cards and a number of jokers. The nine
positions of a card are the bits 0 (top left) to 8 (bottom right), row by row.

All stacks of one colour that rule 3 allows (393 orders in 207 classes of same cards and same value) and
all that it allows below a joker (230 orders) are found once, when the module is loaded; legal lists are put
together from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from operator import itemgetter
from typing import Any, ClassVar, Final, NamedTuple

from .chance import Generator
from .errors import Extra, Illegal, Impossible, Missing, NotYours, SetupError, Unreadable
from .game import JSON, Event, Game, Option, OptionValue, Outcome, Say, State, View

# --------------------------------------------------------------------------- material

COLOURS: Final = "RYGBP"  # the first N of them are used by N players
FACES: Final = "ABCDEFGHIJKL"
JOKER: Final = "*"
POSITIONS: Final = 9

# The real card pictures are not documented. This reconstruction was found by search; the page says under
# which conditions, and the tests hold it to them. `@` spot, `O` hole, `.` plain; rows from the top.
CARD_ROWS: Final[Mapping[str, str]] = {
    "A": "O.O/OO@/OOO",
    "B": "OO./.OO/@OO",
    "C": "O@./OO@/OOO",
    "D": "..O/OOO/O@@",
    "E": "O.O/@../@OO",
    "F": ".O@/.O@/O@O",
    "G": "O.@/@.O/.@O",
    "H": "@../.@@/OOO",
    "I": "@O./.@O/O@@",
    "J": "@@./O@./O.@",
    "K": "O.@/@@./@O@",
    "L": ".@./@.@/.@@",
    JOKER: "O.O/O.O/O.O",
}

_JOKER = 60
_SUIT = (1 << 12) - 1
_WHOLE = (1 << POSITIONS) - 1


def _mask(rows: str, sign: str) -> int:
    return sum(1 << at for at, found in enumerate(rows.replace("/", "")) if found == sign)


_SPOTS = tuple(_mask(CARD_ROWS[face], "@") for face in FACES)
_HOLES = tuple(_mask(CARD_ROWS[face], "O") for face in FACES)
_JOKER_HOLES = _mask(CARD_ROWS[JOKER], "O")

# by card, the joker last
_CARD_SPOTS = (*(_SPOTS[card % 12] for card in range(60)), 0)
_CARD_HOLES = (*(_HOLES[card % 12] for card in range(60)), _JOKER_HOLES)
_CARD_TEXTS = (*(COLOURS[card // 12] + FACES[card % 12] for card in range(60)), JOKER)
_CARD_OF = {text: card for card, text in enumerate(_CARD_TEXTS)}
_BELOW = tuple("+" + text for text in _CARD_TEXTS)  # how a card reads when it is not the top one


def card_numbers(card: str) -> tuple[int, int]:
    """Corner numbers a/b of a card such as `RA` or `*`: spots, and spots + holes."""
    found = _CARD_OF[card]
    a = _CARD_SPOTS[found].bit_count()
    return a, a + _CARD_HOLES[found].bit_count()


def card_grid(card: str) -> str:
    """The nine positions of a card such as `RA` or `*`, row by row: `@` spot, `O` hole, `.` plain."""
    return CARD_ROWS[card[-1]].replace("/", "")


def hand_order(cards: Iterable[str]) -> tuple[str, ...]:
    """Cards sorted as text, jokers last: the order of a `deal` and of `View.hand`."""
    return tuple(sorted(cards, key=lambda card: (card == JOKER, card)))


def _value(cards: Sequence[int]) -> int:
    """Rule 2: spots of the top card and those seen through holes that are open in every card above."""
    shown, open_still = 0, _WHOLE
    for card in cards:
        shown |= _CARD_SPOTS[card] & open_still
        open_still &= _CARD_HOLES[card]
    return shown.bit_count()


@dataclass(frozen=True, slots=True)
class Composite:
    """What is seen of a stack from above. grid: nine signs as in `card_grid`; depth: at each position, which
    card of the stack (0 the top one) is seen there; the last one where it is a hole right through."""

    grid: str
    depth: tuple[int, ...]
    value: int


def composite(cards: Sequence[str]) -> Composite:
    """The visible positions of a stack, top card first (rule 2). Raises KeyError for no such card,
    ValueError for no card at all."""
    if not cards:
        raise ValueError("a stack has a card")
    grid, depth = [], []
    for at in range(POSITIONS):
        seen = 0
        while card_grid(cards[seen])[at] == "O" and seen < len(cards) - 1:
            seen += 1
        grid.append(card_grid(cards[seen])[at])
        depth.append(seen)
    return Composite("".join(grid), tuple(depth), grid.count("@"))


# --------------------------------------------------------------------------- stacks by rule 3

_Faces = tuple[int, ...]


class _Class(NamedTuple):
    """Orders of the same faces with the same value. picks: each order as positions in the first one."""

    faces: int
    first: _Faces
    picks: tuple[Callable[[Sequence[str]], Sequence[str]], ...]


class _Table:
    """Every stack of different faces that rule 3 allows, looked at through `window` (all of it, or the holes
    of a joker that lies on top).

    Grown from the top: a stack whose start is refused is refused too. The card that adds nothing to the start
    shows, further down, no more positions than there, and hides no fewer.
    """

    __slots__ = ("class_of", "classes")

    def __init__(self, window: int) -> None:
        groups: dict[tuple[int, int], list[_Faces]] = {}

        def value(faces: _Faces) -> int:
            shown, open_still = 0, window
            for face in faces:
                shown |= _SPOTS[face] & open_still
                open_still &= _HOLES[face]
            return shown.bit_count()

        def grow(start: _Faces) -> None:
            for face in range(12):
                faces = (*start, face)
                worth = value(faces)
                if all(value(faces[:at] + faces[at + 1 :]) < worth for at in range(len(faces))):
                    groups.setdefault((sum(1 << f for f in faces), worth), []).append(faces)
                    grow(faces)

        grow(())
        self.classes: list[_Class] = []
        self.class_of: dict[_Faces, _Class] = {}
        for (mask, _), orders in groups.items():
            orders.sort()
            first = orders[0]
            # one card is its own only order, and itemgetter needs two to give a tuple
            picks = tuple(itemgetter(*(first.index(face) for face in order)) for order in orders)
            found = _Class(mask, first, picks if len(first) > 1 else ())
            self.classes.append(found)
            self.class_of.update(dict.fromkeys(orders, found))


_PLAIN = _Table(_WHOLE)
_UNDER_JOKER = _Table(_JOKER_HOLES)


def _least(texts: Sequence[str], found: _Class) -> str:
    """The smallest text among the orders of a class; `texts` in the order of `found.first`."""
    return min(["".join(pick(texts)) for pick in found.picks])


@lru_cache(maxsize=4096)
def _suit_stacks(colour: int, faces: int) -> tuple[str, ...]:
    """Canonical texts, sorted, of all stacks of one colour from the cards with these faces. In one colour
    the smallest order is the one with the smallest faces."""
    sign = COLOURS[colour]
    return tuple(
        sorted(
            "+".join(sign + FACES[face] for face in found.first)
            for found in _PLAIN.classes
            if not found.faces & ~faces
        )
    )


@lru_cache(maxsize=4096)
def _classes_under_joker(faces: int) -> tuple[_Class, ...]:
    return tuple(found for found in _UNDER_JOKER.classes if not found.faces & ~faces)


def _joker_stacks(hand: int) -> list[str]:
    """Canonical texts, unsorted, of all stacks with a joker on top; no colour named (rule 9)."""
    held: list[list[str]] = [[] for _ in range(12)]
    faces = 0
    for card in _bits(hand):
        held[card % 12].append(_BELOW[card])
        faces |= 1 << card % 12
    stacks = [JOKER]
    for found in _classes_under_joker(faces):
        choices = product(*[held[face] for face in found.first])
        if len(found.picks) < 2:
            stacks += [JOKER + "".join(texts) for texts in choices]
        else:
            stacks += [JOKER + _least(texts, found) for texts in choices]
    return stacks


def _bits(mask: int) -> list[int]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def _legal(hand: int, jokers: int, deck: int, colour: int | None) -> list[str]:
    """Every legal move, sorted. deck: number of its colours; colour: the one in play, None for the leader."""
    # letters in the order of their characters, so that the parts come out sorted
    by_letter = sorted(range(deck), key=COLOURS.__getitem__)
    moves: list[str] = []
    if jokers:
        moves = _joker_stacks(hand)
        if colour is None:
            names = [":" + COLOURS[c] for c in by_letter]
            moves = [move + name for move in moves for name in names]
        moves.sort()
    if colour is None:
        for suit in by_letter:
            if faces := hand >> 12 * suit & _SUIT:
                moves += _suit_stacks(suit, faces)
    elif faces := hand >> 12 * colour & _SUIT:
        moves += _suit_stacks(colour, faces)
    else:
        moves += sorted([_CARD_TEXTS[card] for card in _bits(hand)])
    return moves


# --------------------------------------------------------------------------- notation

_STACK = re.compile(r"(?:[RYGBP][A-L]|\*)(?:\+(?:[RYGBP][A-L]|\*))*(?::[RYGBP])?")
_TYPED = re.compile(r"((?:[\s+,]*(?:[RYGBP]\s*[A-L]|\*))+)\s*(?::?\s*([RYGBP])\s*)?")
_CARD = re.compile(r"[RYGBP][A-L]|\*")
_DEALER = re.compile(r"dealer (0|[1-9][0-9]*)")
_DEAL = re.compile(r"deal((?: (?:[RYGBP][A-L]|\*))*)")
_LONGEST = 64  # 13 cards and a colour take 40 characters
_LONGEST_TYPED = 200
_LONGEST_CHANCE = 1000


class _Stack(NamedTuple):
    """A text that is notation of this game, looked at without any position."""

    cards: tuple[int, ...]
    named: int | None  # colour after the colon
    mask: int
    suits: int  # bit mask of the colours of its cards
    jokers: int
    joker_top: bool  # no joker, or exactly one and that on top
    twice: bool  # a coloured card stands there twice
    sound: bool  # rule 3
    value: int
    canonical: str


def _looked_at(cards: tuple[int, ...], named: int | None) -> _Stack:
    mask = suits = jokers = 0
    twice = False
    for card in cards:
        if card == _JOKER:
            jokers += 1
        else:
            twice = twice or bool(mask >> card & 1)
            mask |= 1 << card
            suits |= 1 << card // 12
    joker_top = not jokers or (jokers == 1 and cards[0] == _JOKER)
    below = cards[1:] if jokers else cards
    table = _UNDER_JOKER if jokers else _PLAIN
    found = table.class_of.get(tuple([card % 12 for card in below])) if joker_top else None
    texts = [_CARD_TEXTS[card] for card in cards]
    if found is not None and found.picks:
        of_face = {card % 12: _BELOW[card] for card in below}
        least = _least([of_face[face] for face in found.first], found)
        text = JOKER + least if jokers else least[1:]
    else:
        text = "+".join(texts)
    if named is not None:
        text += ":" + COLOURS[named]
    return _Stack(
        cards=cards,
        named=named,
        mask=mask,
        suits=suits,
        jokers=jokers,
        joker_top=joker_top,
        twice=twice,
        sound=found is not None or cards == (_JOKER,),
        value=_value(cards),
        canonical=text,
    )


@lru_cache(maxsize=8192)
def _parsed(text: str) -> _Stack | None:
    """What a text says; None where it is not notation of this game."""
    if not _STACK.fullmatch(text):
        return None
    body, _, named = text.partition(":")
    if named and JOKER not in body:
        return None
    cards = tuple([_CARD_OF[word] for word in body.split("+")])
    return _looked_at(cards, COLOURS.index(named) if named else None)


def _stack(text: object) -> _Stack:
    """Raises Unreadable for a text that is no stack, or one in another legal order than the smallest."""
    found = _parsed(text) if isinstance(text, str) and len(text) <= _LONGEST else None
    if found is None or found.canonical != text:
        raise Unreadable("move")
    return found


def _read(text: str) -> str:
    """Canonical text of what somebody typed. Raises Unreadable."""
    if len(text) > _LONGEST_TYPED or not text.isascii():
        raise Unreadable("move")
    match = _TYPED.fullmatch(text.strip().upper())
    if match is None:
        raise Unreadable("move")
    body = re.sub(r"\s", "", match[1])
    words = _CARD.findall(body)
    if match[2] and JOKER not in words:
        raise Unreadable("move")
    cards = tuple(_CARD_OF[word] for word in words)
    canonical = _looked_at(cards, COLOURS.index(match[2]) if match[2] else None).canonical
    if len(canonical) > _LONGEST:
        raise Unreadable("move")
    return canonical


def _illegal(code: str, rule: str, **data: str) -> Illegal:
    return Illegal(code, game="topspot", rule=rule, **data)


def _judge(
    stack: _Stack,
    hand: int,
    jokers: int,
    deck: int,
    colour: int | None,
    expert: bool,
    named_later: bool = False,
) -> None:
    """Whether a seat with this hand may play the stack now. colour: the one in play, None for the
    leader. named_later: let a leading joker go without its colour. Raises Illegal with the rule."""
    if stack.jokers and not expert:
        raise _illegal("joker_level", "9")
    if not stack.joker_top:
        raise _illegal("joker_top", "9")
    if not stack.jokers and stack.suits & stack.suits - 1:
        raise _illegal("mixed", "1")
    if stack.mask & ~hand or stack.twice or stack.jokers > jokers:
        raise _illegal("not_in_hand", "1")
    if stack.jokers:
        if colour is not None and stack.named is not None:
            raise _illegal("colour_set", "10", colour=COLOURS[colour])
        if stack.named is not None and stack.named >= deck:
            raise _illegal("not_a_colour", "10", colour=COLOURS[stack.named])
        if colour is None and stack.named is None and not named_later:
            raise _illegal("name_colour", "10")
    elif colour is not None and not hand >> 12 * colour & _SUIT:
        if len(stack.cards) > 1:
            raise _illegal("one_card", "4", colour=COLOURS[colour])
    elif colour is not None and stack.suits & ~(1 << colour):
        raise _illegal("follow", "4", colour=COLOURS[colour])
    if not stack.sound:
        raise _illegal("matter", "3")


# --------------------------------------------------------------------------- values


@dataclass(frozen=True, slots=True)
class Play:
    """One play of a round. stack: canonical text; value: rule 2; counts: whether it is of the colour in
    play (or a joker stack) and so can win (rules 4 and 10)."""

    seat: int
    stack: str
    value: int
    counts: bool


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A round or tie-break round that is complete.

    game, round: counted from 1. tiebreak: 0 for the round itself, 1 for its first tie-break, ….
    colour: its letter. how: "won" (highest value), "tie" (a tie-break follows), "walkover" (of the tied only
    the winner had cards left; won without playing, rule 11), "nobody" (none of the tied had cards left).
    tied: the seats at the highest value where there are several. winner: None unless won. points: what the
    winner scored, the remaining cards of rule 7 included. ends_game: whether the game ended with it.
    """

    game: int
    round: int
    tiebreak: int
    colour: str
    plays: tuple[Play, ...]
    how: str
    tied: tuple[int, ...] = ()
    winner: int | None = None
    points: int = 0
    ends_game: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TopSpotView(View):
    """What one seat knows.

    phase: "dealer" or "deal" (chance is due), "play", "over". colours: letters of the deck.
    game_number, round_number: from 1 (round_number 0 before the deal is complete). tiebreak: 0 in a round,
    else the how-manyth tie-break of it. order: the seats of this round (the tied ones in a tie-break) in
    playing order, the leader first. colour: letter of the colour in play, "" before the lead.
    plays: of this round so far. counts: cards left by seat. points: of this game, totals: of the
    finished games, by seat. last: the round before, also of the game before. previous: points of the
    game before, () in the first. gone: cards played in this game. void: by seat, letters of the colours that
    seat has shown not to have. hand: own cards, jokers last; () for a spectator.
    """

    phase: str
    expert: bool
    colours: str
    games: int
    game_number: int
    dealer: int | None
    round_number: int
    tiebreak: int
    order: tuple[int, ...]
    colour: str
    plays: tuple[Play, ...]
    counts: tuple[int, ...]
    points: tuple[int, ...]
    totals: tuple[int, ...]
    last: RoundResult | None
    previous: tuple[int, ...]
    gone: tuple[str, ...]
    void: tuple[str, ...]
    hand: tuple[str, ...]

    @property
    def leader(self) -> int | None:
        return self.order[0] if self.order else None


@dataclass(frozen=True, slots=True)
class Draft:
    """A stack being built from the top down, as `draft` sees it.

    cards: top card first. named: the colour named for a leading joker, or "". value: rule 2, 0 without cards.
    matters: for each card, whether taking it out would lower the value (rule 3; a joker on top always does).
    more: cards of the hand, as in `View.hand` but each once, that may be laid below so that a legal move
    can still result.
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
        return bool(self.move)


def _hand_of(view: TopSpotView) -> tuple[int, int]:
    """Mask and jokers of the view's hand."""
    mask = jokers = 0
    for card in view.hand:
        if card == JOKER:
            jokers += 1
        else:
            mask |= 1 << _CARD_OF[card]
    return mask, jokers


def draft(view: TopSpotView, text: str = "") -> Draft:
    """What a half-built move of `view.seat` amounts to, for menus that build a stack from the top down.

    text: notation of a stack, top card first, in any order (not only the canonical one), with or without
    the colour of a leading joker; "" for the start. Every start of a stack that rule 3 allows is
    allowed itself (ruling), so a draft made from `more` alone is at each step a move or lacks but its colour.
    Raises Unreadable for a text that is no stack, NotYours for a seat that may not act.
    """
    if view.seat is None or view.seat not in view.actors:
        raise NotYours("over" if view.outcome else "turn")
    found = _parsed(text) if text and len(text) <= _LONGEST else None
    if text and found is None:
        raise Unreadable("move")
    hand, jokers = _hand_of(view)
    deck = len(view.colours)
    colour = COLOURS.index(view.colour) if view.colour else None

    def fits(stack: _Stack) -> bool:
        try:
            _judge(stack, hand, jokers, deck, colour, view.expert, named_later=True)
        except Illegal:
            return False
        return True

    cards = found.cards if found else ()
    more = []
    if found is None or fits(found):
        named = found.named if found else None
        each = dict.fromkeys(_CARD_OF[card] for card in view.hand)
        more = [_CARD_TEXTS[card] for card in each if fits(_looked_at((*cards, card), named))]
    lead_joker = found is not None and bool(found.jokers) and colour is None
    name = lead_joker and found is not None and found.named is None and fits(found)
    move = found.canonical if found is not None and fits(found) and not name else ""
    worth = _value(cards)
    return Draft(
        cards=tuple(_CARD_TEXTS[card] for card in cards),
        named=COLOURS[found.named] if found is not None and found.named is not None else "",
        value=worth,
        matters=tuple(
            (card == _JOKER and at == 0) or _value(cards[:at] + cards[at + 1 :]) < worth
            for at, card in enumerate(cards)
        ),
        more=tuple(more),
        name=name,
        colours=view.colours if lead_joker else "",
        move=move,
    )


def stack_value(move: str) -> int:
    """Value (rule 2) of a stack in notation, in any order. Raises Unreadable."""
    found = _parsed(move) if len(move) <= _LONGEST else None
    if found is None:
        raise Unreadable("move")
    return found.value


def stacks_of_faces(joker: bool) -> tuple[tuple[str, int], ...]:
    """All stacks of different faces that rule 3 allows, one order for each class of same cards and same
    value: (letters of the faces, value). joker: those below a joker on top, the joker alone being ("", 0)."""
    table, window = (_UNDER_JOKER, (_JOKER,)) if joker else (_PLAIN, ())
    stacks = [
        ("".join(FACES[face] for face in found.first), _value((*window, *found.first)))
        for found in table.classes
    ]
    return (("", 0), *stacks) if joker else tuple(stacks)


def stack_cards(move: str) -> tuple[str, ...]:
    """Cards of a stack in notation, top card first, without a named colour."""
    return tuple(move.partition(":")[0].split("+"))


# --------------------------------------------------------------------------- state

_PHASES = ("dealer", "deal", "play", "over")


class TopSpotState(State[Any]):
    """One position of a match. Hands are masks (see the module); everything else is plain."""

    __slots__ = (
        "colour",
        "dealer",
        "dealt",
        "expert",
        "game_number",
        "games",
        "gone",
        "gone_jokers",
        "hands",
        "jokers",
        "last",
        "last_winner",
        "options",
        "order",
        "players",
        "plays",
        "points",
        "previous",
        "round_leader",
        "round_number",
        "stage",
        "tiebreak",
        "totals",
        "void",
    )

    def __init__(self, players: int, options: dict[str, OptionValue]) -> None:
        self.players = players
        self.options = options
        self.expert = options["level"] == "expert"
        self.games = int(options["games"] or 0)
        self.stage = "dealer"
        self.game_number = 1
        self.dealer = -1  # not known yet
        self.previous: tuple[int, ...] = ()
        self.totals = [0] * players
        self.last: RoundResult | None = None
        self._clear()

    def _clear(self) -> None:
        """No cards out: before the deal of a game."""
        players = self.players
        self.dealt = 0
        self.hands = [0] * players
        self.jokers = [0] * players
        self.gone = 0
        self.gone_jokers = 0
        self.points = [0] * players
        self.void = [0] * players  # by seat, bit mask of colours shown to be lacking
        self.round_number = 0
        self.round_leader = -1  # of the round, not of its tie-breaks
        self.last_winner = -1  # in this game
        self.tiebreak = 0
        self.order: tuple[int, ...] = ()
        self.colour = -1
        self.plays: list[Play] = []

    # who and what is due

    def actors(self) -> tuple[int, ...]:
        return (self.order[len(self.plays)],) if self.stage == "play" else ()

    def turn(self) -> int:
        """By game, then by the cards played in it."""
        cards = 13 * self.players
        return self.game_number * (cards + 1) + self.gone.bit_count() + self.gone_jokers

    def chance_due(self) -> bool:
        return self.stage in ("dealer", "deal")

    def draw(self, chance: Generator) -> Event:
        if self.stage == "dealer":
            return Event("chance", f"dealer {chance.below(self.players)}")
        if self.stage != "deal":
            raise ValueError("no chance is due")
        pool = [_CARD_TEXTS[card] for card in _bits(self._undealt())]
        if self.options["joker_each"]:
            cards = [*chance.sample(pool, 12), JOKER]
        else:
            pool += [JOKER] * self._undealt_jokers()
            cards = chance.sample(pool, 13 if self.expert else 12)
        return Event("chance", " ".join(("deal", *hand_order(cards))), self.dealt)

    def outcome(self) -> Outcome | None:
        if self.stage != "over":
            return None
        best = max(self.totals)
        winners = tuple(seat for seat, total in enumerate(self.totals) if total == best)
        return Outcome(tuple(self.totals), winners, "match over")

    def _undealt(self) -> int:
        rest = (1 << 12 * self.players) - 1
        for hand in self.hands:
            rest &= ~hand
        return rest

    def _undealt_jokers(self) -> int:
        return (self.players if self.expert else 0) - sum(self.jokers)

    def _has_cards(self, seat: int) -> bool:
        return bool(self.hands[seat] or self.jokers[seat])

    def _cards_left(self, seat: int) -> int:
        return self.hands[seat].bit_count() + self.jokers[seat]

    # moves

    def legal(self, seat: int) -> list[str]:
        if seat not in self.actors():
            return []
        return _legal(self.hands[seat], self.jokers[seat], self.players, self._led())

    def _led(self) -> int | None:
        return self.colour if self.plays else None

    def check(self, seat: int, move: str) -> None:
        self._check(seat, _stack(move))

    def _check(self, seat: int, stack: _Stack) -> None:
        if self.stage == "over":
            raise NotYours("over")
        if seat not in self.actors():
            raise NotYours("turn")
        _judge(stack, self.hands[seat], self.jokers[seat], self.players, self._led(), self.expert)

    def read(self, seat: int, text: str) -> str:
        return _read(text)

    def stand_in(self, seat: int) -> str:
        if seat not in self.actors():
            raise NotYours("over" if self.stage == "over" else "turn")
        return _stand_in(self.hands[seat], self._led())

    # forward

    def apply(self, event: Event) -> None:
        if self.stage == "over":
            raise Extra("over")
        if event.kind == "chance":
            self._apply_chance(event)
        else:
            self._apply_move(event)

    def _apply_chance(self, event: Event) -> None:
        text, seat = event.text, event.player
        if not isinstance(text, str) or len(text) > _LONGEST_CHANCE:
            raise Unreadable("chance")
        if dealer := _DEALER.fullmatch(text):
            if seat is not None:
                raise Unreadable("chance")
            if self.stage != "dealer":
                raise Extra("chance") if self.stage == "play" else Missing("other_chance")
            if len(dealer[1]) > 1 or int(dealer[1]) >= self.players:
                raise _impossible("dealer")
            self.dealer = int(dealer[1])
            self.stage = "deal"
            return
        deal = _DEAL.fullmatch(text)
        words = deal[1].split() if deal else []
        if deal is None or tuple(words) != hand_order(words) or not self._is_seat(seat):
            raise Unreadable("chance")
        if self.stage == "play":
            raise Extra("chance")
        if self.stage != "deal" or seat != self.dealt:
            raise Missing("other_chance")
        self._deal([_CARD_OF[word] for word in words])

    def _is_seat(self, seat: object) -> bool:
        return type(seat) is int and 0 <= seat < self.players

    def _deal(self, cards: list[int]) -> None:
        jokers = cards.count(_JOKER)
        mask = 0
        for card in cards[: len(cards) - jokers]:
            if mask >> card & 1:
                raise _impossible("deal_card")
            mask |= 1 << card
        if len(cards) != (13 if self.expert else 12):
            raise _impossible("deal_count", n=13 if self.expert else 12)
        if mask & ~self._undealt():
            raise _impossible("deal_card")
        if jokers > self._undealt_jokers() or (self.options["joker_each"] and jokers != 1):
            raise _impossible("deal_joker")
        self.hands[self.dealt] = mask
        self.jokers[self.dealt] = jokers
        self.dealt += 1
        if self.dealt == self.players:
            self.stage = "play"
            self._open_round((self.dealer + 1) % self.players)

    def _open_round(self, leader: int) -> None:
        """Rule 1: everyone with cards, from the leader clockwise."""
        self.round_number += 1
        self.round_leader = leader
        seats = [(leader + step) % self.players for step in range(self.players)]
        self._seat_round(0, tuple([seat for seat in seats if self._has_cards(seat)]))

    def _seat_round(self, tiebreak: int, order: tuple[int, ...]) -> None:
        self.tiebreak = tiebreak
        self.order = order
        self.plays = []
        self.colour = -1

    def _apply_move(self, event: Event) -> None:
        if event.kind != "move" or not self._is_seat(event.player):
            raise Unreadable("move")
        stack = _stack(event.text)
        if self.stage != "play":
            raise Missing("chance")
        seat = self.order[len(self.plays)]
        if event.player != seat:
            raise NotYours("turn")
        _judge(stack, self.hands[seat], self.jokers[seat], self.players, self._led(), self.expert)
        self._play(seat, stack)

    def _play(self, seat: int, stack: _Stack) -> None:
        if not self.plays:
            top = stack.cards[0]
            self.colour = top // 12 if stack.named is None else stack.named
        counts = bool(stack.jokers or stack.suits >> self.colour & 1)
        if not counts:
            self.void[seat] |= 1 << self.colour
        self.hands[seat] &= ~stack.mask
        self.jokers[seat] -= stack.jokers
        self.gone |= stack.mask
        self.gone_jokers += stack.jokers
        self.plays.append(Play(seat, stack.canonical, stack.value, counts))
        if len(self.plays) == len(self.order):
            self._settle()

    def _settle(self) -> None:
        """Rules 5, 6 and 11: who wins the round that is now complete."""
        best = max(play.value for play in self.plays if play.counts)
        tied = tuple([play.seat for play in self.plays if play.counts and play.value == best])
        if len(tied) == 1:
            self._win(tied[0], "won", ())
        elif not self.expert:
            self._win(tied[0], "won", tied)
        else:
            able = tuple([seat for seat in tied if self._has_cards(seat)])
            if len(able) > 1:
                self._note("tie", tied)
                self._seat_round(self.tiebreak + 1, able)
            elif able:
                self._win(able[0], "walkover", tied)
            else:
                self._nobody(tied)

    def _note(
        self, how: str, tied: tuple[int, ...], winner: int | None = None, points: int = 0, ends: bool = False
    ) -> None:
        self.last = RoundResult(
            game=self.game_number,
            round=self.round_number,
            tiebreak=self.tiebreak,
            colour=COLOURS[self.colour],
            plays=tuple(self.plays),
            how=how,
            tied=tied,
            winner=winner,
            points=points,
            ends_game=ends,
        )

    def _win(self, seat: int, how: str, tied: tuple[int, ...]) -> None:
        """Rules 5, 7 and 12."""
        left = self._cards_left(seat)
        alone = not any(self._has_cards(other) for other in range(self.players) if other != seat)
        ends = not left or alone
        points = 1 + (left if alone else 0)
        self.points[seat] += points
        self.last_winner = seat
        self._note(how, tied, seat, points, ends)
        if ends:
            self._end_game()
        else:
            self._open_round(seat)

    def _nobody(self, tied: tuple[int, ...]) -> None:
        """Rules 11 and 12: a tie that none of the tied can go on with."""
        first = self.last_winner if self.last_winner >= 0 else self.round_leader
        seats = [(first + step) % self.players for step in range(self.players)]
        able = [seat for seat in seats if self._has_cards(seat)]
        self._note("nobody", tied, ends=not able)
        if able:
            self._open_round(able[0])
        else:
            self._end_game()

    def _end_game(self) -> None:
        """Rule 8. The cards of the last game stay where they are."""
        self.previous = tuple(self.points)
        for seat, points in enumerate(self.points):
            self.totals[seat] += points
        if self.game_number == self.games:
            self.stage = "over"
            self.points = [0] * self.players
            self._seat_round(0, ())
        else:
            self.stage = "deal"
            self.game_number += 1
            self.dealer = (self.dealer + 1) % self.players
            self._clear()

    # seeing

    def view(self, seat: int | None) -> TopSpotView:
        players = range(self.players)
        return TopSpotView(
            seat=seat,
            players=self.players,
            options=tuple(sorted(self.options.items())),
            actors=self.actors(),
            outcome=self.outcome(),
            scores=tuple([self.totals[each] + self.points[each] for each in players]),
            phase=self.stage,
            expert=self.expert,
            colours=COLOURS[: self.players],
            games=self.games,
            game_number=self.game_number,
            dealer=self.dealer if self.dealer >= 0 else None,
            round_number=self.round_number,
            tiebreak=self.tiebreak,
            order=self.order,
            colour=COLOURS[self.colour] if self.plays else "",
            plays=tuple(self.plays),
            counts=tuple([self._cards_left(each) for each in players]),
            points=tuple(self.points),
            totals=tuple(self.totals),
            last=self.last,
            previous=self.previous,
            gone=_card_texts(self.gone, self.gone_jokers),
            void=tuple([_letters(void) for void in self.void]),
            hand=() if seat is None else _card_texts(self.hands[seat], self.jokers[seat]),
        )

    def redact(self, events: Sequence[Event], seat: int | None) -> list[Event]:
        return [
            Event("chance", " ".join(["deal"] + ["?"] * event.text.count(" ")), event.player)
            if event.kind == "chance" and event.player is not None and event.player != seat
            else event
            for event in events
        ]

    # text and checks

    def to_json(self) -> dict[str, JSON]:
        return {
            "schema": TopSpot.schema,
            "players": self.players,
            "options": dict(self.options),
            "phase": self.stage,
            "game_number": self.game_number,
            "dealer": self.dealer,
            "dealt": self.dealt,
            "hands": [
                list(_card_texts(hand, jokers)) for hand, jokers in zip(self.hands, self.jokers, strict=True)
            ],
            "gone": list(_card_texts(self.gone, self.gone_jokers)),
            "points": list(self.points),
            "totals": list(self.totals),
            "previous": list(self.previous),
            "void": [_letters(void) for void in self.void],
            "round_number": self.round_number,
            "round_leader": self.round_leader,
            "last_winner": self.last_winner,
            "tiebreak": self.tiebreak,
            "order": list(self.order),
            "colour": COLOURS[self.colour] if self.colour >= 0 else "",
            "plays": [_play_json(play) for play in self.plays],
            "last": _result_json(self.last) if self.last else None,
        }

    def clone(self) -> TopSpotState:
        copy = object.__new__(TopSpotState)
        for name in TopSpotState.__slots__:
            value = getattr(self, name)
            setattr(copy, name, value.copy() if type(value) in (list, dict) else value)
        return copy

    def faults(self) -> list[str]:
        return _faults(self)


def _impossible(code: str, **data: int) -> Impossible:
    return Impossible(code, game="topspot", rule="", **data)


def _letters(mask: int) -> str:
    return "".join(letter for at, letter in enumerate(COLOURS) if mask >> at & 1)


@lru_cache(maxsize=4096)
def _card_texts(mask: int, jokers: int) -> tuple[str, ...]:
    return (*sorted([_CARD_TEXTS[card] for card in _bits(mask)]), *[JOKER] * jokers)


def _stand_in(hand: int, colour: int | None) -> str:
    """The single card that shows fewest spots, of the colour in play if there is one; a joker only where
    nothing else is held. It keeps what wins, and one card never breaks rule 3."""
    if not hand:
        return JOKER if colour is not None else f"{JOKER}:{COLOURS[0]}"
    suit = hand & _SUIT << 12 * colour if colour is not None else 0
    return _CARD_TEXTS[min(_bits(suit or hand), key=lambda card: (_CARD_SPOTS[card].bit_count(), card))]


def _play_json(play: Play) -> JSON:
    return {"seat": play.seat, "stack": play.stack, "value": play.value, "counts": play.counts}


def _result_json(result: RoundResult) -> JSON:
    return {
        "game": result.game,
        "round": result.round,
        "tiebreak": result.tiebreak,
        "colour": result.colour,
        "plays": [_play_json(play) for play in result.plays],
        "how": result.how,
        "tied": list(result.tied),
        "winner": result.winner,
        "points": result.points,
        "ends_game": result.ends_game,
    }


# --------------------------------------------------------------------------- faults


def _faults(state: TopSpotState) -> list[str]:
    """Judged from the cards and numbers as they lie, not by the code that laid them."""
    found: list[str] = []
    seats = range(state.players)

    def wrong(broken: bool, text: str) -> None:
        if broken:
            found.append(text)

    hands = [
        [text for at, text in enumerate(_CARD_TEXTS[:60]) if hand >> at & 1] + [JOKER] * jokers
        for hand, jokers in zip(state.hands, state.jokers, strict=True)
    ]
    gone = [text for at, text in enumerate(_CARD_TEXTS[:60]) if state.gone >> at & 1]
    gone += [JOKER] * state.gone_jokers
    out = [card for hand in hands for card in hand] + gone
    coloured = [card for card in out if card != JOKER]
    wrong(len(set(coloured)) != len(coloured), "a card exists twice")
    wrong(
        any(card[0] not in COLOURS[: state.players] for card in coloured),
        "a card of a colour not in the deck",
    )
    wrong(any(hand >> 60 for hand in state.hands) or bool(state.gone >> 60), "a card that does not exist")
    wrong(min(*state.jokers, state.gone_jokers) < 0, "less than no joker")
    jokers = state.players if state.expert else 0
    size = 13 if state.expert else 12
    wrong(out.count(JOKER) > jokers, "too many jokers")
    wrong(not 1 <= state.game_number <= state.games, "a game outside the match")
    wrong(state.games % state.players != 0 or state.games < 1, "the match is no multiple of the seats")
    wrong(bool(state.options["joker_each"]) and not state.expert, "a joker for each without jokers")
    wrong(state.stage not in _PHASES, "no such phase")
    wrong(any(number < 0 for number in (*state.points, *state.totals)), "less than no points")
    wrong((state.dealer == -1) != (state.stage == "dealer"), "a dealer too early or none")
    wrong(not -1 <= state.dealer < state.players, "the dealer is no seat")
    wrong(state.previous == () and state.game_number > 1, "the game before left no points")

    if state.stage in ("dealer", "deal"):
        wrong(bool(gone or state.plays or state.order or any(state.points)), "play before the deal")
        wrong(not 0 <= state.dealt < state.players, "more hands dealt than there are")
        wrong(
            any(len(hands[seat]) != (size if seat < state.dealt else 0) for seat in seats),
            "a hand of a wrong size",
        )
    if state.stage in ("play", "over"):
        wrong(len(coloured) != 12 * state.players or out.count(JOKER) != jokers, "cards are missing")
        wrong(any(len(hand) > size for hand in hands), "a hand larger than dealt")
        wrong(state.dealt != state.players, "not everybody was dealt to")
        wrong(state.round_number < 1, "no round was opened")
        wrong(
            any(
                letter in _letters(state.void[seat])
                for seat in seats
                for letter in {c[0] for c in hands[seat]}
            ),
            "a colour held that was shown to be lacking",
        )
    if state.stage == "play":
        found += _round_faults(state, hands, gone)
    if state.stage == "over":
        wrong(bool(state.plays or state.order), "a round after the end")
        wrong(state.game_number != state.games, "over before the last game")
        wrong(sum(state.totals) < 1 and state.last is None, "over without a round")
    return found


def _round_faults(state: TopSpotState, hands: list[list[str]], gone: list[str]) -> list[str]:
    found: list[str] = []

    def wrong(broken: bool, text: str) -> None:
        if broken:
            found.append(text)

    order, plays = state.order, state.plays
    wrong(
        not order or len(set(order)) != len(order) or not set(order) <= set(range(state.players)),
        "the playing order is no list of seats",
    )
    wrong(len(plays) >= max(1, len(order)), "a complete round was not settled")
    wrong(tuple(play.seat for play in plays) != order[: len(plays)], "plays out of order")
    if found:
        return found
    wrong(any(not hands[seat] for seat in order[len(plays) :]), "somebody without cards is to play")
    turns = [(seat - order[0]) % state.players for seat in order]
    wrong(state.tiebreak == 0 and turns != sorted(turns), "the order is not clockwise")
    from_round = [(seat - state.round_leader) % state.players for seat in order]
    wrong(from_round != sorted(from_round), "the order is not that of the round")
    wrong(state.tiebreak == 0 and order[0] != state.round_leader, "the leader does not lead")
    wrong(state.tiebreak < 0 or (state.tiebreak > 0 and not state.expert), "a tie-break that cannot be")
    wrong(state.tiebreak > 0 and len(order) < 2, "a tie-break of one")
    if state.tiebreak == 0:
        wrong(
            any(hand and seat not in order for seat, hand in enumerate(hands)),
            "somebody with cards is left out",
        )
    wrong(not -1 <= state.last_winner < state.players, "the last winner is no seat")
    wrong((state.last_winner >= 0) != any(state.points), "points and the last winner disagree")
    # no point beyond one a round can have been scored while the game goes on (rule 7)
    wrong(sum(state.points) > state.round_number - 1, "more points than rounds")
    wrong(not state.expert and sum(state.points) != state.round_number - 1, "fewer points than rounds")
    wrong((state.colour >= 0) != bool(plays), "a colour in play without a lead, or the reverse")
    letter = COLOURS[state.colour] if 0 <= state.colour < state.players else ""
    for at, play in enumerate(plays):
        cards = stack_cards(play.stack)
        wrong(any(card not in gone for card in cards), "a played card is not gone")
        wrong(composite(cards).value != play.value, "a wrong value")
        wrong(play.counts != (cards[0] in (JOKER,) or cards[0][0] == letter), "a play counts wrongly")
        wrong(at == 0 and not play.counts, "the lead does not count")
        wrong(not play.counts and letter not in _letters(state.void[play.seat]), "a lack was not noted")
        if at == 0 and cards[0] == JOKER:
            wrong(play.stack.partition(":")[2] != letter, "another colour was named")
    return found


# --------------------------------------------------------------------------- game


class TopSpot(Game[Any]):
    """Top Spot, 3 to 5 seats."""

    id: ClassVar[str] = "topspot"
    min_seats: ClassVar[int] = 3
    max_seats: ClassVar[int] = 5
    hidden_hands: ClassVar[bool] = True
    reasons: ClassVar[tuple[str, ...]] = ("match over",)
    option_list: ClassVar[tuple[Option, ...]] = (
        Option("level", "choice", "junior", choices=("junior", "expert")),
        Option("joker_each", "flag", False),
        # one per player unless given
        Option("games", "number", None),
    )

    def defaults(self, players: int) -> dict[str, OptionValue]:
        return {**super().defaults(players), "games": players}

    def check_options(
        self, players: int, given: Mapping[str, object], full: Mapping[str, OptionValue]
    ) -> None:
        if full["joker_each"] and full["level"] != "expert":
            raise SetupError("joker_each", game=self.id)
        if int(full["games"] or 0) % players:
            raise SetupError("games", game=self.id, players=players, given=int(full["games"] or 0))

    def start(self, players: int, options: Mapping[str, object]) -> TopSpotState:
        return TopSpotState(players, self.options_for(players, options))

    def load(self, data: Mapping[str, Any]) -> TopSpotState:
        try:
            return self._load(data)
        except (KeyError, TypeError, IndexError, AttributeError, SetupError) as error:
            raise ValueError(f"not a state of {self.id}: {error!r}") from error

    def _load(self, data: Mapping[str, Any]) -> TopSpotState:
        if data["schema"] != self.schema:
            raise ValueError(f"schema {data['schema']!r} is not {self.schema}")
        state = self.start(data["players"], data["options"])
        seats = state.players
        state.stage = _one_of(data["phase"], _PHASES)
        state.game_number = _number(data["game_number"], 1)
        state.dealer = _number(data["dealer"], -1, seats - 1)
        state.dealt = _number(data["dealt"], 0, seats)
        state.hands, state.jokers = [], []
        for cards in _list(data["hands"], seats):
            mask, jokers = _masked(cards)
            state.hands.append(mask)
            state.jokers.append(jokers)
        state.gone, state.gone_jokers = _masked(data["gone"])
        state.points = [_number(each, 0) for each in _list(data["points"], seats)]
        state.totals = [_number(each, 0) for each in _list(data["totals"], seats)]
        previous = data["previous"]
        state.previous = tuple([_number(each, 0) for each in _list(previous, seats if previous else 0)])
        state.void = [
            sum({1 << COLOURS.index(letter) for letter in letters}) for letters in _list(data["void"], seats)
        ]
        state.round_number = _number(data["round_number"], 0)
        state.round_leader = _number(data["round_leader"], -1, seats - 1)
        state.last_winner = _number(data["last_winner"], -1, seats - 1)
        state.tiebreak = _number(data["tiebreak"], 0)
        state.order = tuple([_number(each, 0, seats - 1) for each in _list(data["order"])])
        state.colour = COLOURS.index(_one_of(data["colour"], COLOURS)) if data["colour"] else -1
        state.plays = [_load_play(each, seats) for each in _list(data["plays"])]
        state.last = None if data["last"] is None else _load_result(data["last"], seats)
        if state.stage == "play" and len(state.plays) >= len(state.order):
            raise ValueError("a round in play has somebody to play")
        return state

    def legal(self, view: View) -> list[str]:
        own = self._own(view)
        if own.seat is None or own.seat not in own.actors:
            return []
        hand, jokers = _hand_of(own)
        return _legal(hand, jokers, own.players, COLOURS.index(own.colour) if own.colour else None)

    def check(self, view: View, move: str) -> None:
        own = self._own(view)
        stack = _stack(move)
        if own.outcome is not None:
            raise NotYours("over")
        if own.seat is None or own.seat not in own.actors:
            raise NotYours("turn")
        hand, jokers = _hand_of(own)
        colour = COLOURS.index(own.colour) if own.colour else None
        _judge(stack, hand, jokers, own.players, colour, own.expert)

    def stand_in(self, view: View) -> str:
        """`State.stand_in` from the view alone. Raises NotYours for a seat that may not act."""
        own = self._own(view)
        if own.seat is None or own.seat not in own.actors:
            raise NotYours("over" if own.outcome else "turn")
        return _stand_in(_hand_of(own)[0], COLOURS.index(own.colour) if own.colour else None)

    @staticmethod
    def _own(view: View) -> TopSpotView:
        if not isinstance(view, TopSpotView):
            raise TypeError(f"not a view of Top Spot: {type(view).__name__}")
        return view

    # words

    def board_text(self, view: View, names: Sequence[str], say: Say) -> str:
        own = self._own(view)
        lines = [*_match_lines(own, names, say), *_seat_lines(own, names, say)]
        if own.last is not None:
            lines += _result_lines(own.last, names, say)
        if own.previous:
            each = ", ".join(f"{name} {points}" for name, points in zip(names, own.previous, strict=False))
            lines.append(say("topspot.text.previous", points=each))
        if own.gone:
            lines.append(say("topspot.text.gone", cards=" ".join(own.gone)))
        if own.hand:
            lines.append(say("topspot.text.hand", n=len(own.hand)))
            lines += [_card_line(card, say) for card in own.hand]
        return "\n".join(lines)

    def describe(self, event: Event, names: Sequence[str], say: Say) -> str:
        who = names[event.player] if event.player is not None else ""
        if event.kind == "move":
            stack, _, named = event.text.partition(":")
            value = stack_value(stack)
            if named:
                return say(
                    "topspot.event.lead", name=who, stack=stack, n=value, colour=colour_name(named, say)
                )
            return say("topspot.event.play", name=who, stack=stack, n=value)
        word, *rest = event.text.split(" ")
        if word == "dealer":
            return say("topspot.event.dealer", name=names[int(rest[0])])
        if "?" in rest:
            return say("topspot.event.deal_hidden", name=who, n=len(rest))
        return say("topspot.event.deal", name=who, cards=" ".join(rest))


def colour_name(letter: str, say: Say) -> str:
    """The word for a colour letter, its letter with it."""
    return say(f"topspot.text.colour.{letter}")


def _match_lines(view: TopSpotView, names: Sequence[str], say: Say) -> list[str]:
    lines = [
        say(
            "topspot.text.match",
            game=view.game_number,
            games=view.games,
            level=say(f"topspot.option.level.{'expert' if view.expert else 'junior'}"),
        )
    ]
    if view.dealer is not None:
        lines.append(say("topspot.text.dealer", name=names[view.dealer]))
    if view.phase == "play":
        key = "topspot.text.tiebreak" if view.tiebreak else "topspot.text.round"
        leader = names[view.order[0]]
        lines.append(say(key, round=view.round_number, n=view.tiebreak, name=leader))
        if view.tiebreak:
            tied = ", ".join(names[seat] for seat in view.order)
            lines.append(say("topspot.text.among", names=tied))
        if view.colour:
            lines.append(say("topspot.text.colour_in_play", colour=colour_name(view.colour, say)))
        lines.append(say("topspot.text.turn", name=names[view.actors[0]]))
    elif view.phase == "over" and view.outcome is not None:
        winners = ", ".join(names[seat] for seat in view.outcome.winners)
        lines.append(say("topspot.text.over", n=len(view.outcome.winners), names=winners))
    else:
        lines.append(say("topspot.text.dealing"))
    return lines


def _seat_lines(view: TopSpotView, names: Sequence[str], say: Say) -> list[str]:
    played = {play.seat: play for play in view.plays}
    lines = []
    for seat, name in enumerate(names[: view.players]):
        line = say(
            "topspot.text.seat",
            name=name,
            n=view.counts[seat],
            points=view.points[seat],
            total=view.scores[seat],
        )
        if seat in played:
            line += " " + _play_words(played[seat], say)
        if view.void[seat]:
            lacks = ", ".join(colour_name(letter, say) for letter in view.void[seat])
            line += " " + say("topspot.text.void", colours=lacks)
        lines.append(line)
    return lines


def _play_words(play: Play, say: Say) -> str:
    key = "topspot.text.play" if play.counts else "topspot.text.play_off"
    shown = composite(stack_cards(play.stack)).grid
    spots = _places(shown, "@") or say("topspot.text.none")
    return say(key, stack=play.stack, n=play.value, spots=spots)


def _places(grid: str, sign: str) -> str:
    return " ".join(str(at + 1) for at, found in enumerate(grid) if found == sign)


def _result_lines(result: RoundResult, names: Sequence[str], say: Say) -> list[str]:
    winner = names[result.winner] if result.winner is not None else ""
    tied = ", ".join(names[seat] for seat in result.tied)
    key = "last_junior_tie" if result.how == "won" and result.tied else f"last_{result.how}"
    lines = [
        say(
            f"topspot.text.{key}",
            game=result.game,
            round=result.round,
            colour=colour_name(result.colour, say),
            name=winner,
            n=result.points,
            names=tied,
        )
    ]
    lines += [f"{names[play.seat]}: {_play_words(play, say)}" for play in result.plays]
    if result.ends_game:
        lines.append(say("topspot.text.game_ended", game=result.game))
    return lines


def _card_line(card: str, say: Say) -> str:
    a, b = card_numbers(card)
    grid = card_grid(card)
    spots, holes = (
        _places(grid, "@") or say("topspot.text.none"),
        _places(grid, "O") or say("topspot.text.none"),
    )
    return say("topspot.text.card", card=card, a=a, b=b, spots=spots, holes=holes)


# --------------------------------------------------------------------------- loading


def _number(value: object, least: int, most: int | None = None) -> int:
    if type(value) is not int or value < least or (most is not None and value > most):
        raise ValueError(f"not a number from {least} to {most}: {value!r}")
    return value


def _one_of(value: object, known: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in tuple(known):
        raise ValueError(f"not one of {known}: {value!r}")
    return value


def _list(value: object, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise ValueError(f"not a list of {length}: {value!r}")
    return value


def _masked(cards: object) -> tuple[int, int]:
    mask = jokers = 0
    for text in _list(cards):
        card = _CARD_OF[text]
        if card == _JOKER:
            jokers += 1
        elif mask >> card & 1:
            raise ValueError(f"{text} twice")
        else:
            mask |= 1 << card
    return mask, jokers


def _load_play(data: Mapping[str, Any], seats: int) -> Play:
    stack, counts = data["stack"], data["counts"]
    if not isinstance(stack, str) or _parsed(stack) is None or not isinstance(counts, bool):
        raise ValueError(f"not a play: {data!r}")
    return Play(_number(data["seat"], 0, seats - 1), stack, _number(data["value"], 0, POSITIONS), counts)


def _load_result(data: Mapping[str, Any], seats: int) -> RoundResult:
    winner, ends = data["winner"], data["ends_game"]
    if not isinstance(ends, bool):
        raise ValueError(f"not a flag: {ends!r}")
    return RoundResult(
        game=_number(data["game"], 1),
        round=_number(data["round"], 1),
        tiebreak=_number(data["tiebreak"], 0),
        colour=_one_of(data["colour"], COLOURS),
        plays=tuple([_load_play(each, seats) for each in _list(data["plays"])]),
        how=_one_of(data["how"], ("won", "tie", "walkover", "nobody")),
        tied=tuple([_number(each, 0, seats - 1) for each in _list(data["tied"])]),
        winner=None if winner is None else _number(winner, 0, seats - 1),
        points=_number(data["points"], 0),
        ends_game=ends,
    )


GAME = TopSpot()
TopSpotState.game = GAME  # type: ignore[misc]
