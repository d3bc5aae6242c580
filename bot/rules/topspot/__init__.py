"""Top Spot: cards with spots and holes are stacked so that more spots show (page `topspot.md`).

Words: a *card* is a 3×3 grid of spots, holes and plain positions; it has a colour and a *face* (`RA`), except
the *joker* (`*`). A *stack* is one card or several that lie exactly on each other (`RA+RG`, the top one
first); its *value* is the number of spots that show. A *match* is several *games*, a game many *rounds*, and
in a round everyone plays one stack, of the *colour in play* if they can; a *tie-break* is a round of the
tied. The *deck* is the colours that so many players use.

Where things are, each built on those above it:

* `cards`: the cards, hands as masks, what shows of cards on each other (rule 2);
* `stacks`: all stacks that rule 3 allows;
* `notation`: texts of moves and chance;
* `view`: what a seat may know; `drawing`: what everybody may, in plain characters (`str(state)`);
* `legality`: what a seat may play (rules 1, 3, 4, 9, 10); `drafts`: stacks that are being built;
* `position`: the facts of a position; `stored`: it as JSON; `faults`: what can be wrong with it;
* `state`: deals, rounds, ties and ends (rules 1, 4 to 8, 11 to 13);
* `text`: words; `rules`: the game, its options.

>>> from bot.rules.game import Event, advance
>>> state = GAME.start(3, {})
>>> state.apply(Event("chance", "dealer 2"))
>>> [event.player for event in advance(state, "an example", 1)]  # three hands
[0, 1, 2]
>>> state.actors()
(0,)
>>> state.legal(0)[:5]
['GA', 'GA+GB', 'GA+GB+GD', 'GA+GB+GI', 'GA+GD']
>>> state.apply(Event("move", "GA+GB+GI", 0))
>>> print(state)
topspot junior, game 1 of 3, round 1
colour in play: G
seat 0       seat 1 <     seat 2 dealer
cards 9      cards 12     cards 12
points 0+0   points 0+0   points 0+0
GA+GB+GI
@..
.@@
@@@
6
"""

from __future__ import annotations

from .cards import (
    CARD_ROWS,
    COLOURS,
    FACES,
    JOKER,
    Composite,
    card_grid,
    card_numbers,
    composite,
    hand_order,
)
from .drafts import Draft, draft
from .notation import stack_cards, stack_value
from .rules import GAME, TopSpot
from .stacks import stacks_of_faces
from .state import TopSpotState
from .text import colour_name
from .view import Play, RoundResult, TopSpotView

__all__ = [
    "CARD_ROWS",
    "COLOURS",
    "FACES",
    "GAME",
    "JOKER",
    "Composite",
    "Draft",
    "Play",
    "RoundResult",
    "TopSpot",
    "TopSpotState",
    "TopSpotView",
    "card_grid",
    "card_numbers",
    "colour_name",
    "composite",
    "draft",
    "hand_order",
    "stack_cards",
    "stack_value",
    "stacks_of_faces",
]
