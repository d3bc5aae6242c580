"""Top Spot as a player sees it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from bot.rules.game import Event, OptionValue
from bot.rules.topspot import COLOURS, FACES, GAME, JOKER, TopSpotState, TopSpotView, draft, hand_order
from rendering import topspot, topspot_cards
from rendering.scene import Scene
from rendering.theme import DARK, Colour

from .helpers import check_golden, check_picture, difference, grey, opened, position, scene

EXPERT: dict[str, OptionValue] = {"level": "expert"}
TABLES: list[tuple[str, int, int, dict[str, OptionValue]]] = [
    ("three-first", 3, 1, {}),
    ("three-played", 3, 10, EXPERT),
    ("three-before", 3, 3, EXPERT),
    ("three-over", 3, 5000, {}),
    ("four", 4, 23, EXPERT),
    ("five-off", 5, 32, {}),
]


def view_of(players: int, moves: int, seat: int | None = None, /, **options: OptionValue) -> TopSpotView:
    view = position("topspot", players, moves, **options).view(seat)
    assert isinstance(view, TopSpotView)
    return view


def to_play(players: int, moves: int, **options: OptionValue) -> TopSpotView:
    """The view of the seat that is to play."""
    state = position("topspot", players, moves, **options)
    view = state.view(state.actors()[0])
    assert isinstance(view, TopSpotView)
    return view


def tie_break() -> TopSpotState:
    """Two have tied and play it off."""
    state = GAME.start(3, EXPERT)
    for event in (Event("chance", "dealer 2"),):
        state.apply(event)
    hands = [
        "RA RB RC RD RE RF RG RH RI RJ RK GA *",
        "GB GC GD GE GF GG GH GI GJ GK GL RL *",
        "YA YB YC YD YE YF YG YH YI YJ YK YL *",
    ]
    for seat, hand in enumerate(hands):
        state.apply(Event("chance", "deal " + " ".join(hand_order(hand.split())), seat))
    for seat, move in enumerate(("RK", "RL", "YA")):
        state.apply(Event("move", move, seat))
    assert state.view(None).tiebreak == 1
    return state


@pytest.mark.parametrize(("name", "players", "moves", "options"), TABLES)
def test_the_table_looks_as_it_did(
    name: str, players: int, moves: int, options: dict[str, OptionValue], tmp_path: Path
) -> None:
    view = view_of(players, moves, **options)
    (picture,) = topspot.table_pictures(view, scene(view))
    check_picture(picture)
    check_golden(f"topspot-{name}", picture.png, tmp_path)


def test_a_tie_break_says_so(tmp_path: Path) -> None:
    view = tie_break().view(None)
    (picture,) = topspot.table_pictures(view, scene(view, "de"))
    check_picture(picture)
    assert "Stechen 1" in picture.alt
    assert "Gleichstand" in picture.alt
    check_golden("topspot-tie-break", picture.png, tmp_path)


def test_the_hand_marks_what_can_be_chosen(tmp_path: Path) -> None:
    view = to_play(5, 2, level="expert", joker_each=True)
    made = draft(view)
    plain, marked = (
        topspot.hand_pictures(view, scene(view, targets=targets))[0] for targets in ((), made.more)
    )
    check_picture(marked)
    assert difference(opened(plain.png), opened(marked.png))[1] > 0.001
    assert all(card in marked.alt for card in view.hand)
    check_golden("topspot-hand", marked.png, tmp_path)


def test_a_draft_is_shown_as_it_would_look(tmp_path: Path) -> None:
    view = to_play(4, 0, level="expert", joker_each=True)
    text = max((move for move in GAME.legal(view)), key=len).partition(":")[0]
    made = draft(view, text)
    assert made.name
    (picture,) = topspot.hand_pictures(view, scene(view, "de", made.more, text))
    check_picture(picture)
    assert text in picture.alt
    assert "Nenne die Farbe" in picture.alt
    check_golden("topspot-hand-draft", picture.png, tmp_path)


def test_a_draft_with_a_card_that_adds_nothing_says_which(tmp_path: Path) -> None:
    view = to_play(3, 6)
    pairs = [(a, b) for a in view.hand for b in view.hand if a != b and a[0] == b[0]]
    text = next(f"{a}+{b}" for a, b in pairs if not draft(view, f"{a}+{b}").legal)
    (picture,) = topspot.hand_pictures(view, scene(view, draft=text))
    check_picture(picture)
    assert "adds nothing" in picture.alt
    check_golden("topspot-hand-useless", picture.png, tmp_path)


@pytest.mark.parametrize("text", ["RA+", "nonsense", "*+*+*", "RA+YB+GC+RD+RE+RF", "RA+" * 20 + "RB", "PA"])
def test_any_text_may_be_a_draft(text: str) -> None:
    view = to_play(3, 0, level="expert")
    (picture,) = topspot.hand_pictures(view, scene(view, draft=text))
    check_picture(picture)


def test_a_seat_that_waits_or_has_no_cards_has_a_picture_too() -> None:
    over = position("topspot", 3, 5000)
    for state in (position("topspot", 3, 7), over, tie_break()):
        for seat in range(3):
            view = state.view(seat)
            (picture,) = topspot.hand_pictures(view, scene(view))
            check_picture(picture)
    assert any(not over.view(seat).hand for seat in range(3))


def test_a_spectator_has_no_hand() -> None:
    view = view_of(3, 5)
    assert topspot.hand_pictures(view, scene(view)) == ()


def test_the_public_picture_takes_no_notice_of_a_draft_or_of_hands() -> None:
    state = position("topspot", 4, 9, level="expert")
    view = state.view(None)
    plain = topspot.table_pictures(view, scene(view))
    assert plain == topspot.table_pictures(view, scene(view, targets=("RA",), draft="RA"))
    data = state.to_json()
    hands: Any = data["hands"]
    # the same numbers of other cards
    pool: list[str] = sorted(card for hand in hands for card in hand)
    dealt = []
    for hand in hands:
        size = len(hand)
        dealt.append(list(hand_order(pool[:size])))
        pool = pool[size:]
    twin = GAME.load({**data, "hands": dealt})
    assert topspot.table_pictures(twin.view(None), scene(view)) == plain


def test_pictures_are_pure_and_may_be_made_in_threads() -> None:
    view = to_play(5, 12, level="expert")
    made = scene(view, targets=draft(view).more)
    with ThreadPoolExecutor(4) as pool:
        pictures = list(pool.map(lambda _: topspot.hand_pictures(view, made), range(8)))
    assert all(picture == pictures[0] for picture in pictures)


def test_spots_holes_and_plain_positions_differ_without_colour() -> None:
    """A: the middle of a spot is light, that of a hole dark, and a plain one as the face; on every colour."""
    for letter in COLOURS:
        sprite = topspot_cards.card_sprite(f"{letter}A", 136)
        seen = grey(sprite)
        cell, left, top = 40, 8, 40
        middle = {
            sign: seen.getpixel((left + column * cell + cell // 2, top + row * cell + cell // 2))
            for sign, (column, row) in {"O": (0, 0), ".": (1, 0), "@": (2, 1)}.items()
        }
        assert middle["@"] > middle["."] + 60  # type: ignore[operator]
        assert middle["."] > middle["O"] + 25  # type: ignore[operator]
        # and the ring tells a hole from a plain position once more
        ring = seen.getpixel((left + cell // 2, top + 3))
        assert ring > middle["."] + 40  # type: ignore[operator]


def test_cards_name_themselves_large_enough_for_a_phone() -> None:
    """Names stand at 32 px and numbers at 28: at half size 11 px and 10 px of capitals and digits."""
    shown = topspot_cards.card_sprite("RA", 136)
    head = grey(shown).crop((8, 4, 60, 40)).point(lambda value: 255 if value > 200 else 0)
    box = head.getbbox()
    assert box is not None
    assert (box[3] - box[1]) / 2 >= 10
    for face, _ in topspot_cards.INKS.values():
        assert DARK.contrast(face, Colour.CHALK) >= 4.5


def test_no_two_cards_look_alike() -> None:
    cards = [colour + face for colour in COLOURS for face in FACES] + [JOKER]
    looks = {grey(topspot_cards.card_sprite(card, 136)).tobytes() for card in cards}
    assert len(looks) == len(cards)


@pytest.mark.parametrize(
    "name", ["", "𝕏" * 80, "🏳️‍🌈👩‍👩‍👧‍👦" * 12, "עברית וערבית", "a\nb\tc", "漢字かな交じり文" * 6]
)
def test_names_of_any_kind_fit(name: str) -> None:
    for view in (view_of(5, 11), view_of(5, 10), tie_break().view(None)):
        names = (name,) * view.players
        (picture,) = topspot.table_pictures(view, Scene(names, scene(view).say))
        check_picture(picture)


def test_sprites_are_shared_and_refuse_to_be_drawn_on() -> None:
    sprite = topspot_cards.card_sprite("RA", 136)(DARK)
    with pytest.raises(TypeError):
        sprite.text(0, 0, "x", 20, Colour.CHALK)
