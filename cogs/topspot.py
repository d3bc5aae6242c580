"""Top Spot at the table: how a stack is built card by card from the top down, and a joker's colour named.

Each start of a stack that may be played may be played itself, so the one preview is at once the question
whether to play and the menu of cards that may be laid below. Who leads with a joker names the colour in play
by a button, and confirms that.
"""

from __future__ import annotations

import re

from bot.rules.errors import RulesError
from bot.rules.topspot import JOKER, Draft, TopSpotView, card_grid, card_numbers, draft, stack_value
from cogs.client import Client
from cogs.game_cog import SUGGESTIONS, GameCog
from cogs.surfaces.steps import Choice, Phrase, Step, phrase

KEY = "topspot.step"
EMOJI = {"R": "🟥", "Y": "🟨", "G": "🟩", "B": "🟦", "P": "🟪", JOKER: "🃏"}
SIGNS = str.maketrans({"@": "●", "O": "○", ".": "·"})

_TYPED = re.compile(r"((?:[RYGBP][A-L]|\*)*)([RYGBP]?)(?:(:)([RYGBP]?))?")
_CARD = re.compile(r"[RYGBP][A-L]|\*")


class TopSpot(GameCog[TopSpotView]):
    game_id = "topspot"
    slash = "topspot"

    def step(self, view: TopSpotView, text: str) -> Step:
        """Drafts: a stack in notation as far as it is built, top card first: `RA`, `*+RA`, `*+RA:G`."""
        made = draft(view, text)
        if not text:
            top = tuple(Choice(card, card, _label(card), _alone(card), EMOJI[card[0]]) for card in made.more)
            return Step(_question(view), top, targets=made.more)
        if made.named:
            return _preview(view, made, text.partition(":")[0])
        back = "+".join(made.cards[:-1])
        below = tuple(
            Choice(
                card,
                f"{text}+{card}",
                _label(card),
                phrase(f"{KEY}.below", grid=grid(card), n=worth, more=worth - made.value),
                EMOJI[card[0]],
            )
            for card in made.more
            for worth in (stack_value(f"{text}+{card}"),)
        )
        if made.name:
            names = tuple(
                Choice(
                    letter,
                    f"{text}:{letter}",
                    phrase(f"{KEY}.name", colour=_colour(letter)),
                    emoji=EMOJI[letter],
                    button=True,
                )
                for letter in made.colours
            )
            ask = phrase(f"{KEY}.ask_below_or_name" if below else f"{KEY}.ask_name")
            return Step(_shown(made, ask), (*below, *names), targets=made.more, back=back)
        return _preview(view, made, back, below)

    def suggest(self, view: TopSpotView, typed: str) -> list[str]:
        """The stack typed so far, if it may be played, then each card that may lie below it, or each colour
        that may be named."""
        found = _TYPED.fullmatch(re.sub(r"[\s+,]", "", typed.upper()))
        if found is None:
            return []
        whole, begun, colon, named = found.groups()
        text = "+".join(_CARD.findall(whole))
        try:
            made = draft(view, text)
        except RulesError:  # a stack that is too long to be written
            return []
        moves = [text] if made.move and not begun and not colon else []
        if made.name:
            wanted = named if colon else begun
            moves += [f"{text}:{letter}" for letter in made.colours if letter.startswith(wanted or "")]
        if not colon:
            moves += ["+".join((*made.cards, card)) for card in made.more if card.startswith(begun)]
        return moves[:SUGGESTIONS]


def grid(card: str) -> str:
    """A card's positions as text, row by row: `○·○ / ○○● / ○○○`, a spot filled, a hole a ring."""
    signs = card_grid(card).translate(SIGNS)
    return f"{signs[:3]} / {signs[3:6]} / {signs[6:]}"


def _colour(letter: str) -> Phrase:
    return phrase(f"topspot.text.colour.{letter}")


def _label(card: str) -> Phrase | str:
    return phrase(f"{KEY}.joker") if card == JOKER else card


def _alone(card: str) -> Phrase:
    """What a card looks like, what it shows alone, and what it can show at most (its corner numbers)."""
    spots, most = card_numbers(card)
    return phrase(f"{KEY}.top", grid=grid(card), n=spots, most=most)


def _question(view: TopSpotView) -> Phrase:
    """Which card lies on top: what is in play, and what is to be beaten (rules 4, 5 and 9)."""
    if not view.colour:
        return phrase(f"{KEY}.turn_tiebreak" if view.tiebreak else f"{KEY}.turn_lead")
    colour = _colour(view.colour)
    if any(card[0] == view.colour for card in view.hand):
        best = max(play.value for play in view.plays if play.counts)
        return phrase(f"{KEY}.turn_follow", colour=colour, n=best)
    return phrase(f"{KEY}.turn_free_joker" if JOKER in view.hand else f"{KEY}.turn_free", colour=colour)


def _shown(made: Draft, ask: Phrase) -> Phrase:
    """What is asked about the stack, and what it shows. What is asked stands first: a menu on a phone has
    little room."""
    assert all(made.matters)
    key = f"{KEY}.stack" if len(made.cards) > 1 else f"{KEY}.card"
    return phrase(f"{KEY}.asked", shown=phrase(key, stack="+".join(made.cards), n=made.value), ask=ask)


def _preview(view: TopSpotView, made: Draft, back: str, below: tuple[Choice, ...] = ()) -> Step:
    """A stack that may be played as it is, on trial. below: what may be laid below it instead."""
    if made.named:
        ask = phrase(f"{KEY}.ask_named", colour=_colour(made.named))
    elif below:
        ask = phrase(f"{KEY}.ask_below")
    elif view.colour and made.cards[0][0] not in (view.colour, JOKER):
        ask = phrase(f"{KEY}.ask_off")
    else:
        ask = phrase(f"{KEY}.ask")
    return Step(
        _shown(made, ask),
        below,
        targets=() if made.named else made.more,
        move=made.move,
        confirm=phrase(f"{KEY}.play_stack" if len(made.cards) > 1 else f"{KEY}.play_card", n=made.value),
        back=back,
    )


async def setup(bot: Client) -> None:
    await bot.add_cog(TopSpot(bot))
