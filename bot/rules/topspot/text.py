"""Top Spot in words: the board as text and each event as a sentence, from the language's catalogue."""

from __future__ import annotations

from collections.abc import Sequence

from ..game import Event, Say, Told
from ..telling import moves_of, news_from
from .cards import card_grid, card_numbers
from .notation import stack_cards, stack_value
from .view import Play, RoundResult, TopSpotView

_SIGNS = {"@": "spot", "O": "hole", ".": "plain"}

# --------------------------------------------------------------------------- the board


def board_text(view: TopSpotView, names: Sequence[str], say: Say) -> str:
    """See `Game.board_text`."""
    lines = [*_match_lines(view, names, say), *_seat_lines(view, names, say)]
    if view.last is not None:
        lines += _result_lines(view.last, names, say)
    if view.previous:
        each = ", ".join(
            [
                say("topspot.text.scored", name=name, n=points)
                for name, points in zip(names, view.previous, strict=False)
            ]
        )
        lines.append(say("topspot.text.previous", points=each))
    if view.gone:
        lines.append(say("topspot.text.gone", cards=", ".join(view.gone)))
    if view.hand:
        lines.append(say("topspot.text.hand", n=len(view.hand)))
        lines += [_card_line(card, say) for card in view.hand]
    return "\n".join(lines)


def colour_name(letter: str, say: Say) -> str:
    """The word for a colour letter, its letter with it."""
    return say(f"topspot.text.colour.{letter}")


def _match_lines(view: TopSpotView, names: Sequence[str], say: Say) -> list[str]:
    lines = [
        say(
            "topspot.text.match",
            game=view.game_number,
            games=view.games,
            level=say(f"topspot.text.level.{'expert' if view.expert else 'junior'}"),
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
        if view.actors:
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
            line += f" {name} {_play_words(played[seat], say)}"
        if view.void[seat]:
            lacks = ", ".join(colour_name(letter, say) for letter in view.void[seat])
            line += " " + say("topspot.text.void", colours=lacks)
        if seat in view.out:
            line += " " + say("topspot.text.out")
        lines.append(line)
    return lines


def _play_words(play: Play, say: Say) -> str:
    key = "topspot.text.play" if play.counts else "topspot.text.play_off"
    return say(key, stack=play.stack, n=play.value)


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
    lines += [f"{names[play.seat]} {_play_words(play, say)}" for play in result.plays]
    if result.ends_game:
        lines.append(say("topspot.text.game_ended", game=result.game))
    return lines


def _card_line(card: str, say: Say) -> str:
    spots, most = card_numbers(card)
    signs = [say(f"topspot.text.{_SIGNS[sign]}") for sign in card_grid(card)]
    rows = {name: ", ".join(signs[at : at + 3]) for name, at in (("top", 0), ("middle", 3), ("bottom", 6))}
    return say("topspot.text.card", card=card, n=spots, most=most, **rows)


# --------------------------------------------------------------------------- events


def describe(event: Event, names: Sequence[str], say: Say) -> str:
    """See `Game.describe`."""
    who = names[event.player] if event.player is not None else ""
    if event.kind == "move":
        stack, _, named = event.text.partition(":")
        value = stack_value(stack)
        if named:
            colour = colour_name(named, say)
            return say("topspot.event.lead", name=who, stack=stack, n=value, colour=colour)
        return say("topspot.event.play", name=who, stack=stack, n=value)
    word, *rest = event.text.split(" ")
    if word == "dealer":
        return say("topspot.event.dealer", name=names[int(rest[0])])
    if "?" in rest:
        return say("topspot.event.deal_hidden", name=who, n=len(rest))
    return say("topspot.event.deal", name=who, cards=", ".join(rest))


# --------------------------------------------------------------------------- rounds, retold


def retell(view: TopSpotView, events: Sequence[Event], since: int, say: Say) -> list[Told]:
    """See `Game.retell`. What a round brought is known of the last one that is complete; of those before,
    what was played is told alone."""
    told: list[Told] = []
    moves = list(moves_of(events))
    ended = len(moves) - len(view.plays)  # where the last round's plays end
    begun = ended - len(view.last.plays) if view.last is not None else ended
    is_news = ended > 0 and moves[ended - 1][0] >= news_from(view, events, since)
    brought = _brought(view.last, say) if view.last is not None and is_news else {}
    for number, (place, seat, text) in enumerate(moves):
        if number == ended:
            told += [Told(one, what, what) for one, what in brought.items()]
            brought = {}
        if place < since:
            continue
        stack, _, named = text.partition(":")
        key = "topspot.told.lead" if named else "topspot.told.play"
        phrase = say(key, stack=stack, n=stack_value(stack), colour=colour_name(named, say) if named else "")
        own = brought.pop(seat, "") if begun <= number < ended else ""
        told.append(Told(seat, say("topspot.told.brought", play=phrase, brought=own) if own else phrase, own))
    told += [Told(one, what, what) for one, what in brought.items()]
    told += [Told(one, say("topspot.told.out")) for one in view.out]
    return [*told, *(Told(one, say("topspot.told.apart")) for one in view.apart)]


def aside(view: TopSpotView, say: Say) -> str:
    """See `Game.aside` (rules 4, 7 and 11)."""
    if view.seat in view.out:
        return say("topspot.aside.out")
    return say("topspot.aside.apart") if view.seat in view.apart else ""


def last_cards(events: Sequence[Event]) -> dict[int, tuple[int, ...]]:
    """See `Game.forced`: who has no card left, by the place of the play that took the last."""
    left: dict[int, int] = {}
    found: dict[int, tuple[int, ...]] = {}
    for place, event in enumerate(events):
        if event.player is None:
            continue
        if event.kind == "chance":
            left[event.player] = event.text.count(" ")
            continue
        left[event.player] = left.get(event.player, 0) - len(stack_cards(event.text))
        if not left[event.player]:
            found[place] = (event.player,)
    return found


def _brought(result: RoundResult, say: Say) -> dict[int, str]:
    """What a round brought, by seat: points, or a tie that nobody has won yet."""
    if result.winner is None:
        return {seat: say(f"topspot.told.{result.how}") for seat in result.tied}
    key = "topspot.told.won_game" if result.ends_game else "topspot.told.won"
    return {result.winner: say(key, n=result.points, game=result.game)}
