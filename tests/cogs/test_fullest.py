"""The fullest pages there can be: most seats, longest names, every question open, longest lists. Discord
takes each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from bot.lessons import lesson_of
from bot.locale import LANGUAGES, sayer
from bot.players.contract import Advice, Scale, Term
from bot.players.moments import Moment
from bot.rules.chance import Generator
from bot.rules.game import AnyState, Event, Outcome, Say, advance, play
from bot.rules.registry import GAMES
from bot.rules.registry import game as rules_of
from bot.tables.adviser import Hint
from bot.tables.lobby import MOST_INVITATIONS
from bot.tables.model import (
    ClockRule,
    Ending,
    GuildSettings,
    Invitation,
    Owed,
    Person,
    Place,
    Progress,
    Recap,
    Seat,
    SeatKind,
    Seen,
    Status,
    Table,
    UserSettings,
    Vote,
    VoteKind,
)
from bot.tables.moments import Stage
from bot.tables.ports import LooksElsewhere
from bot.tables.votes import OF_A_SEAT
from cogs.admin import settings_page, tables_page
from cogs.profile import profile_page
from cogs.surfaces.advice import Told
from cogs.surfaces.components import COMPONENTS, Button, Buttons, Gallery, Page, Text, page, render, room
from cogs.surfaces.final import final_page
from cogs.surfaces.hand import UNDRAWN, hand_page, illustrated, step_controls
from cogs.surfaces.invitation import invitation_page, invitations_page
from cogs.surfaces.lesson import again_page, left_page, lesson_page, seen_in, through_page
from cogs.surfaces.lobby import lobby_page
from cogs.surfaces.menu import ANSWERABLE, menu_page
from cogs.surfaces.moments import looking, looks_elsewhere, moment_page, none_found, not_now
from cogs.surfaces.notices import letter_page, notice_page
from cogs.surfaces.rules import rules_page, sections
from cogs.surfaces.steps import Choice, Step, phrase
from cogs.surfaces.table import table_page
from cogs.tables import games_page
from rendering.examples import example_sentence
from rendering.scene import Picture
from tests.discord.requests import check_request
from tests.sweeps import swept

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PICTURE = Picture("example.png", b"", "x" * 1024)
MOVES = {
    "top12": "30@E12",
    "fivetotwelve": "take 20@D4",
    "zatre": "6@B2 6@C2 6@D2 6@E2",
    "topominos": "abcd@C3",
    "topspot": "GA+GB+GC",
}
REASONS = (Term("zatre.why.keeps", 1.0, (("tiles", "x" * 100),)),) * 3
ADVICE = {game: Hint(5, Advice((move,) * 8, REASONS)) for game, move in MOVES.items()}
NAME = "_" * 32  # escaped, twice as long
ITEM = re.compile(r"(?:[-*]|\d+\.) ")  # a line of a list
SEATED = {"people": (SeatKind.HUMAN,) * 6, "few": (SeatKind.HUMAN,) * 2 + (SeatKind.STAND_IN,) * 4}
SEATED["free"] = (SeatKind.HUMAN,) * 2 + (SeatKind.OPEN,) * 4


def full_table(game: str, status: Status, kinds: tuple[SeatKind, ...]) -> Table:
    """Everybody has the turn, and everything that can be asked is asked by the last one."""
    rules = rules_of(game)
    kinds = kinds[: rules.max_seats]
    seats = tuple(
        Seat(at, kind, 10**17 + at if kind is SeatKind.HUMAN else None, NAME, since=5, due=5, deadline=NOW)
        for at, kind in enumerate(kinds)
    )
    people = tuple(seat.user for seat in seats if seat.user is not None)
    about = [(kind, seat.index) for kind in VoteKind if kind in OF_A_SEAT for seat in seats]
    about += [(kind, None) for kind in VoteKind if kind not in OF_A_SEAT]  # type: ignore[misc]
    return Table(
        id="ZZZZZZ",
        revision=9_999_999_999,
        status=status,
        game=game,
        rules_version=rules.version,
        options={},
        host=people[0],
        place=Place(10**18, 10**18, 10**18, 10**18, 10**18),
        seats=seats,
        seed="",
        clock=ClockRule(1_209_600),
        created=NOW,
        changed=NOW,
        deadline=NOW,
        people=len(seats),
        hints=True,
        events=1,
        votes=tuple(
            Vote(kind, seat, people[-1], 9_999_999_999, NOW, people[-1:], needed=6, voters=people)
            for kind, seat in about
        ),
        outcome=Outcome((10**6,) * len(seats), tuple(range(len(seats))), "finished"),
        ending="finished",
    )


@cache
def begun(game: str, players: int) -> tuple[AnyState, tuple[Event, ...]]:
    """A game in which everybody has had some turns, and its events."""
    state, chance, events = rules_of(game).start(players, {}), Generator("fullest", game), []
    events += advance(state, "0" * 64, 0)
    while len(events) < 12 * players:
        seat = chance.choice(state.actors())
        events += play(state, "0" * 64, len(events), seat, state.random_move(seat, chance))
    return state, tuple(events)


def seen_by(table: Table, user: int | None) -> Seen:
    """With all that there is to tell of what happened lately, of everybody."""
    state, events = begun(table.game, len(table.seats))
    seat = next((seat for seat in table.seats if user is not None and seat.user == user), None)
    index = None if seat is None else seat.index
    everybody = frozenset(seat.index for seat in table.seats)
    lately = Recap(
        tuple(state.redact(events, index)),
        0,
        took_back=everybody,
        resigned=everybody,
        voted_out=everybody,
        went=everybody,
        stood_in=everybody,
        another=everybody,
    )
    return Seen(table, seat, state.view(index), "", lately)


def full_step(menu: bool) -> Step:
    """As many buttons as a step has, its last move to be taken back or played."""
    entries = tuple(Choice(f"{n:040}", "", "x" * 100, "x" * 200) for n in range(25))
    acts = tuple(Choice(f"act {n}", "", "x" * 100, act=True) for n in range(2))
    return Step(phrase("table.button.play"), (*entries, *acts), move="x", menu=menu)


def pages(game: str, kinds: tuple[SeatKind, ...], language: str, say: Say) -> Iterator[tuple[str, Page]]:
    for status in (Status.LOBBY, Status.PLAYING, Status.PAUSED, Status.ENDED):
        table = full_table(game, status, kinds)
        users = [seat.user for seat in table.seats if seat.user is not None]
        owed = [Owed(table, table.seats[at], user, "turn") for at, user in enumerate(users)]
        guests = tuple(Invitation(10**17 + at, NAME, 1) for at in range(100, 100 + MOST_INVITATIONS))
        inviting = replace(table, invited=guests, by_invitation=True, people=rules_of(game).max_seats)
        if status is Status.LOBBY:
            agreed = tuple(replace(seat, agreed=seat.index > 0) for seat in table.seats[:-1])
            inviting = replace(inviting, seats=agreed, events=0)
        yield "lobby", lobby_page(inviting, say, [PICTURE])
        yield "invitation", invitation_page(inviting, [one.user for one in guests], language, say)
        yield "invitations", invitations_page(inviting, guests, say, remark="x" * 200)
        slower = dict.fromkeys(users, "half_hour")
        yield "notice", notice_page(table, owed, language, say, lately=["x" * 140] * 5, slower=slower)
        many = [replace(owed[0], table=replace(table, id=f"{at:06}")) for at in range(30)]
        yield "letter", letter_page(many, {due.table.id: ["x" * 140] * 5 for due in many}, "digest", say)
        if status is Status.LOBBY:
            continue
        yield "table", table_page(seen_by(table, None), (), language, say, pinged=users)
        yield "final", final_page(seen_by(table, None), (), language, say)
        if status is Status.ENDED:
            stopped = replace(table, outcome=None, ending=Ending.TOO_FEW)
            yield "stopped", final_page(seen_by(stopped, None), (), language, say)
        for user in (*users, 1):
            seen = seen_by(table, user)
            yield "menu", menu_page(seen, user, language, say, remark="x" * 200)
            yield "hand", hand_page(seen, None, "", True, language, say, remark="x" * 200, as_text=True)
            turn = replace(seen, table=replace(table, undoable=seen.seat.index if seen.seat else None))
            direct = replace(turn, table=replace(turn.table, place=Place(0, 10**18, code="Z" * 8)))
            unasked = replace(direct, table=replace(direct.table, votes=()))
            for menu, where in ((False, turn), (True, turn), (False, direct), (False, unasked)):
                for told in (None, *(Told(ADVICE[game], why) for why in (False, True))):
                    shown = hand_page(
                        where,
                        full_step(menu),
                        "",
                        True,
                        language,
                        say,
                        remark="x" * 200,
                        as_text=True,
                        told=told,
                    )
                    pictures = [Picture(f"{number}.png", b"", "x" * 2000) for number in range(3)]
                    yield "step", illustrated(shown, where, pictures, say)
            yield from ((f"moment {name}", shown) for name, shown in moment_pages(table, seen, say))


def moment_pages(table: Table, seen: Seen, say: Say) -> Iterator[tuple[str, Page]]:
    """Each page that there is when somebody looks back, the fullest in a picture and in words."""
    yield "waiting", looking(table, Stage(10**6), say)
    yield "on", looking(table, Stage(0, 3), say)
    yield "none", none_found(table, 10**6, say)
    yield "later", not_now(table, say)
    yield "elsewhere", looks_elsewhere(table, LooksElsewhere(id="Z" * 6), say)
    if seen.view is None or seen.seat is None:
        return
    move, scale = MOVES[table.game], Scale("series", win=30.0)
    one = Moment(0, seen.view, move, (move,) * 8, 10.0**6, scale, 10**6, REASONS, goes_on=True)
    for pictures, as_text in (((PICTURE,) * 2, True), ((), False)):
        yield "told", moment_page(table, [one] * 3, 1, pictures, say, as_text=as_text, tried=True)


def lesson_pages(game: str, say: Say) -> Iterator[tuple[str, Page]]:
    """Every step as its learner reads it, the fullest choice open, and what stands around the lesson."""
    lesson = lesson_of(game)
    assert lesson is not None
    table = full_table(game, Status.LOBBY, SEATED["people"])
    at = Progress(len(lesson.steps), table.id)
    yield "through", through_page(lesson, at, say, table, say)
    yield "through, without a table", through_page(lesson, at, say, None, say)
    yield "through, at once", through_page(lesson, at, say, None, say, under_way=True)
    for place, step in enumerate(lesson.steps):
        yield "left", left_page(lesson, place, say)
        yield "again", again_page(lesson, place, say)
        seen = seen_in(lesson, Progress(place), Person(1, NAME), say)
        for asked in (full_step(menu=False), full_step(menu=True)) if step.ask else (None,):
            for as_text in (False, True):
                shown = lesson_page(
                    lesson, place, seen, asked, "", True, say, remark="x" * 200, as_text=as_text
                )
                yield step.name, illustrated(shown, seen, [PICTURE], say, shared=[PICTURE] * step.table)


def listed(language: str, say: Say) -> Iterator[tuple[str, Page]]:
    table = full_table("zatre", Status.PLAYING, SEATED["people"])
    press: Any = SimpleNamespace(say=say, person=SimpleNamespace(id=table.host))
    many = tuple(range(10**18, 10**18 + 500))
    yield "games", games_page([table] * 100, press)
    yield "tables", tables_page([table] * 100, press)
    settings = GuildSettings(1, channels=many, openers=many, enders=many)
    yield "settings", settings_page(settings, ["view_channel", "attach_files"], say)
    yield "profile", profile_page(UserSettings(1), say)
    for game in GAMES:
        yield from ((f"lesson {game} {name}", shown) for name, shown in lesson_pages(game, say))
        rules = rules_of(game)
        examples = [(example_sentence(rules, each, say), PICTURE) for each in rules.examples()]
        for number in range(sections(game, language) + 1):
            yield "rules", rules_page(game, number, language, say, examples)


def faults(shown: Page) -> list[str]:
    body = {"components": render(shown).view.to_components(), "flags": 1 << 15}
    return check_request("POST", "/channels/5/messages", body)


@pytest.mark.parametrize("language", swept(LANGUAGES, daily=("de",)))
@pytest.mark.parametrize("game", swept(GAMES, daily=("zatre",)))
async def test_the_fullest_pages_of_a_table_can_be_sent(game: str, language: str) -> None:
    for kinds in SEATED.values():
        for name, shown in pages(game, kinds, language, sayer(language)):
            assert faults(shown) == [], name


@pytest.mark.parametrize("language", swept(LANGUAGES, daily=("de",)))
async def test_the_longest_lists_can_be_sent(language: str) -> None:
    for name, shown in listed(language, sayer(language)):
        assert faults(shown) == [], name


@pytest.mark.parametrize("language", swept(LANGUAGES, daily=("de",)))
@pytest.mark.parametrize("game", GAMES)
def test_nothing_follows_the_last_line_of_a_list_within_its_text(game: str, language: str) -> None:
    """A client draws it as part of that line, as it did with the recap under a standing; and where nothing
    but a blank line is between two lists, as one list."""
    kinds, say = (SeatKind.HUMAN,) * rules_of(game).max_seats, sayer(language)
    lists = 0
    every = [*pages(game, kinds, language, say), *listed(language, say)]
    lately = say("recap.took_back")
    telling = {name for name, shown in every if any(lately in text for text in texts(shown))}
    assert telling == {"table", "hand", "step"}, "what happened lately stands there"
    for name, shown in every:
        for block in shown.blocks:
            lines = block.content.splitlines() if isinstance(block, Text) else []
            for line, blank, after in zip(lines, lines[1:], lines[2:], strict=False):
                assert blank or not (ITEM.match(line) and ITEM.match(after)), (name, after)
            for line, after in pairwise(lines):
                assert not ITEM.match(line) or ITEM.match(after) or after[:2].isspace() or not after, (
                    name,
                    after,
                )
            lists += any(map(ITEM.match, lines))
    assert lists


def texts(shown: Page) -> list[str]:
    return [block.content for block in shown.blocks if isinstance(block, Text)]


def answers(shown: Page) -> list[str]:
    """What can be answered there, question by question."""
    every = [one for block in shown.blocks if isinstance(block, Buttons) for one in block.buttons]
    return [one.id.split(":")[4] for one in every if isinstance(one, Button) and ":yes:" in one.id]


def test_of_many_questions_those_not_answered_come_first_and_the_rest_is_told() -> None:
    table = full_table("zatre", Status.PLAYING, SEATED["people"])
    waiting = table.seats[0].user
    assert waiting is not None
    every = [
        f"{vote.kind.value}.{'' if vote.seat is None else vote.seat}.{vote.opened}" for vote in table.votes
    ]
    shown = menu_page(seen_by(table, waiting), waiting, "en", sayer("en"))
    assert answers(shown) == every[:ANSWERABLE]
    said = "\n".join(texts(shown))
    assert f"{len(every) - ANSWERABLE} more questions are open" in said
    assert said.count("Open until") == len(every)
    # Those answered make room for the others.
    for_one = [vote if at else replace(vote, no=(waiting,)) for at, vote in enumerate(table.votes)]
    shown = menu_page(seen_by(replace(table, votes=tuple(for_one)), waiting), waiting, "en", sayer("en"))
    assert answers(shown) == every[1 : ANSWERABLE + 1]
    few = menu_page(seen_by(replace(table, votes=tuple(for_one[:2])), waiting), waiting, "en", sayer("en"))
    assert answers(few) == [every[1], every[0]]
    assert "more question" not in "\n".join(texts(few))


@pytest.mark.parametrize(("free", "shown"), [(0, 1), (1, 2), (2, 3), (9, 3)])
@pytest.mark.parametrize(("places", "drawn"), [(0, 0), (2, 0), (2, 1), (2, 2)])
def test_where_there_is_no_room_for_all_pictures_the_last_ones_stand(
    free: int, shown: int, places: int, drawn: int
) -> None:
    """places: of shared pictures; those that are not drawn take no room."""
    seen = seen_by(table := full_table("topominos", Status.PLAYING, SEATED["people"]), table.host)
    pictures = [Picture(f"{number}.png", b"", "") for number in range(3)]
    shared = [PICTURE] * drawn
    texts = [Text("x")] * (COMPONENTS - 2 - drawn - free)
    bare = page(*[UNDRAWN] * places, UNDRAWN, *texts)
    whole = illustrated(bare, seen, pictures, sayer("en"), shared=shared)
    assert [block.pictures for block in whole.blocks if isinstance(block, Gallery)] == [
        (picture,) for picture in [*shared, *pictures[-shown:]]
    ]
    assert room(whole.blocks) == free + 1 - shown


def test_where_all_has_room_the_controls_of_a_step_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """They were made anew for every arrangement there is, at every tap and repaint."""
    made: list[int] = []

    def counted(*given: Any, **more: Any) -> Any:
        made.append(1)
        return step_controls(*given, **more)

    monkeypatch.setattr("cogs.surfaces.hand.step_controls", counted)
    seen = seen_by(table := full_table("zatre", Status.PLAYING, SEATED["people"]), table.host)
    told = Told(ADVICE["zatre"])
    few = Step(phrase("table.button.play"), (Choice("1", "", "1"),))
    hand_page(seen, few, "", True, "en", sayer("en"), told=told)
    assert len(made) == 1
    hand_page(seen, full_step(menu=False), "", True, "en", sayer("en"), as_text=True, told=told)
    assert len(made) > 2, "where room is short another arrangement is tried"
