"""Top Spot at the table: how a combination is built card by card from the top down.

Each start of a combination that may be played may be played itself, so the one preview is at once the
question whether to play and the choice of the card that may be laid below: one card takes two taps, each
further card one. Who leads with a joker chooses it together with the colour that it names.
"""

from __future__ import annotations

import re

from bot.rules.errors import RulesError
from bot.rules.topspot import JOKER, Draft, TopSpotView, draft, stack_value
from cogs.client import Client
from cogs.game_cog import SUGGESTIONS, GameCog
from cogs.surfaces.steps import Choice, Phrase, Step, phrase

KEY = "topspot.step"

_TYPED = re.compile(r"((?:[RYGBP][A-L]|\*)*)([RYGBP]?)(?:(:)([RYGBP]?))?")
_CARD = re.compile(r"[RYGBP][A-L]|\*")


class TopSpot(GameCog[TopSpotView]):
    game_id = "topspot"
    slash = "topspot"

    def step(self, view: TopSpotView, text: str) -> Step:
        """Drafts: a combination in notation as far as it is built, top card first, a leading joker with its
        colour: `RA`, `*:G`, `*+RA:G`."""
        made = draft(view, text)
        if made.name:  # stored when a joker's colour was named last
            return self.step(view, "")
        return _preview(view, made) if made.cards else _top(view, made)

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


def _colour(letter: str) -> Phrase:
    return phrase(f"topspot.text.colour.{letter}")


def _top(view: TopSpotView, made: Draft) -> Step:
    """The card on top; a joker that leads with its colour (rule 10)."""
    choices = []
    for card in made.more:
        if card != JOKER:
            choices.append(Choice(card, card, card))
        elif view.colour:
            choices.append(Choice(JOKER, JOKER, JOKER))
        else:
            choices += [
                Choice(
                    f"{JOKER}{letter}", f"{JOKER}:{letter}", phrase(f"{KEY}.joker", colour=_colour(letter))
                )
                for letter in view.colours
            ]
    columns = 4 if len(view.hand) <= 8 else 5  # as in the picture
    return Step(_question(view), tuple(choices), targets=made.more, across=columns)


def _question(view: TopSpotView) -> Phrase:
    """Which card lies on top: what is in play, and what is to be beaten (rules 4, 5 and 9)."""
    if not view.colour:
        lead = phrase(f"{KEY}.turn_tiebreak" if view.tiebreak else f"{KEY}.turn_lead")
        return phrase(f"{KEY}.turn_names", question=lead) if JOKER in view.hand else lead
    colour = _colour(view.colour)
    if any(card[0] == view.colour for card in view.hand):
        best = max(play.value for play in view.plays if play.counts)
        return phrase(f"{KEY}.turn_follow", colour=colour, n=best)
    return phrase(f"{KEY}.turn_free_joker" if JOKER in view.hand else f"{KEY}.turn_free", colour=colour)


def _preview(view: TopSpotView, made: Draft) -> Step:
    """A combination that may be played as it is, on trial, and the cards that may be laid below it."""
    assert all(made.matters)
    cards = "+".join(made.cards)
    colon = f":{made.named}" if made.named else ""
    below = tuple(
        Choice(card, f"{cards}+{card}{colon}", f"{card} +{worth - made.value}")
        for card in made.more
        for worth in (stack_value(f"{cards}+{card}"),)
    )
    several = len(made.cards) > 1
    shown = phrase(f"{KEY}.stack" if several else f"{KEY}.card", stack=made.cards, n=made.value)
    return Step(
        phrase(f"{KEY}.asked", shown=shown, ask=_ask(view, made)),
        below,
        targets=made.more,
        move=made.move,
        confirm=phrase(f"{KEY}.play_stack" if several else f"{KEY}.play_card", n=made.value),
        back="+".join(made.cards[:-1]) + (colon if several else ""),
        across=4,
    )


def _ask(view: TopSpotView, made: Draft) -> Phrase:
    if made.named:
        return phrase(
            f"{KEY}.ask_named_below" if made.more else f"{KEY}.ask_named", colour=_colour(made.named)
        )
    if made.more:
        return phrase(f"{KEY}.ask_below")
    if view.colour and made.cards[0][0] not in (view.colour, JOKER):
        return phrase(f"{KEY}.ask_off")
    return phrase(f"{KEY}.ask")


async def setup(bot: Client) -> None:
    await bot.add_cog(TopSpot(bot))
