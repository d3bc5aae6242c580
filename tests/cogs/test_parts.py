"""The parts below the cogs: custom ids, pages, names, steps, suggestions, and what failing calls mean."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.discord_io import (
    LEFT_ALONE,
    MOST_REFUSALS,
    REMEMBERED,
    SECONDS_PER_DM,
    Answer,
    Budget,
    DiscordIO,
    Done,
    Failed,
    Refusals,
    Why,
    attempt,
    failure_of,
    is_gone,
    mentions,
    nonce,
)
from bot.lessons import lesson_of
from bot.locale import sayer
from bot.rules.game import View
from cogs import custom_ids
from cogs.delivery.posts import Deleted
from cogs.game_cog import next_parts
from cogs.input.router import Once, modal_fields
from cogs.surfaces import steps, wording
from cogs.surfaces.components import (
    Button,
    Buttons,
    Entry,
    Gallery,
    Link,
    Page,
    Rule,
    Select,
    Text,
    note,
    page,
    render,
)
from cogs.surfaces.hand import MakeId, at_table, made_for_them, step_controls
from cogs.surfaces.lesson import button as lesson_button
from cogs.surfaces.lesson import control as lesson_control
from cogs.surfaces.steps import Ask, Choice, Step, phrase
from rendering.scene import Picture

TABLES = st.one_of(st.none(), st.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", min_size=6, max_size=6))


@given(
    st.sampled_from(["b", "s", "m"]),
    TABLES,
    st.integers(0, 9_999_999_999),
    st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=20),
    st.text(max_size=50),
)
def test_a_custom_id_is_read_as_it_was_written(
    kind: str, table: str | None, revision: int, verb: str, argument: str
) -> None:
    control = custom_ids.Control(kind, table, revision, verb, argument)  # type: ignore[arg-type]
    written = str(control)
    assert len(written) <= custom_ids.LIMIT
    assert custom_ids.parse(written) == control


@pytest.mark.parametrize(
    "foreign",
    ["", "join", "pb:", "pb:ABC:1:join:", "px:ABCDEF:1:join:", "pb:ABCDEF:-1:join:", "pb:ABCDEF:1:JOIN:",
    "x" * 500,
     "pb:ABCDEU:1:join:", "pb:ABCDEF:1:join", "pb:ABCDEF:12345678901:join:"],
)  # fmt: skip
def test_what_is_no_custom_id_of_ours_is_none(foreign: str) -> None:
    assert custom_ids.parse(foreign) is None


@pytest.mark.parametrize("argument", ["x" * 100, "y" * 85])
def test_an_id_over_the_limit_is_refused_when_made(argument: str) -> None:
    with pytest.raises(ValueError, match="custom id"):
        custom_ids.button("ABCDEF", 1, "act", argument)


def written_ids(ids: MakeId, *, menu: bool) -> list[str]:
    """Of a step with a control of every kind, before which its player went back twice."""
    choices = (
        Choice("A1", "x", "A1"),
        Choice("end", "", "end", act=True),
        Choice("on", "y", "on", button=True),
    )
    play = phrase("table.button.play")
    step = Step(play, choices, move="x", asks=(Ask("n", play, play, play),), menu=menu)
    say = sayer("en")
    found: list[str] = []
    for block in step_controls(ids, step, "draft", True, say, undoable=True, returns=2):
        found += [block.id] if isinstance(block, Select) else []
        found += [one.id for one in getattr(block, "buttons", ()) if isinstance(one, Button)]
    return found


def test_the_custom_ids_of_a_step_are_those_that_older_messages_carry() -> None:
    """What an earlier version has posted is still pressed."""
    table, mark = at_table("ABCDEF", 7), "7743ce-2"
    rest = [
        f"pb:ABCDEF:7:act:{mark}.end",
        f"pb:ABCDEF:7:write:{mark}.n",
        f"pb:ABCDEF:7:way:{mark}.on",
        f"pb:ABCDEF:7:play:{mark}",
        f"pb:ABCDEF:7:back:{mark}",
        "pb:ABCDEF:7:undo:",
    ]
    assert written_ids(table, menu=False) == [f"pb:ABCDEF:7:way:{mark}.A1", *rest]
    assert written_ids(table, menu=True) == [f"ps:ABCDEF:7:pick:{mark}", *rest]
    lesson = lesson_of("top12")
    assert lesson is not None
    assert written_ids(partial(lesson_control, lesson, 3), menu=True) == [
        f"ps:-:3:lesson:top12.pick.{mark}",
        f"pb:-:3:lesson:top12.act.{mark}.end",
        f"pb:-:3:lesson:top12.write.{mark}.n",
        f"pb:-:3:lesson:top12.way.{mark}.on",
        f"pb:-:3:lesson:top12.play.{mark}",
        f"pb:-:3:lesson:top12.back.{mark}",
        "pb:-:3:lesson:top12.undo.",
    ]
    assert lesson_control(lesson, 3, "m", "write", f"{mark}.n") == f"pm:-:3:lesson:top12.write.{mark}.n"
    assert lesson_button(lesson, 3, "next", "Next").id == "pb:-:3:lesson:top12.next."
    assert lesson_button(lesson, 3, "again", "Again", what="sure").id == "pb:-:3:lesson:top12.again.sure"


NAMES = st.text(max_size=60)


@given(NAMES)
def test_a_name_in_text_has_no_bare_mark_left(name: str) -> None:
    shown = wording.plain(name)
    assert "\n" not in shown
    assert shown
    for at, letter in enumerate(shown):
        if letter in "*_~`|<>[]()#@:-+.!\\":
            before = len(shown[:at]) - len(shown[:at].rstrip("\\"))
            if letter == "\\":
                continue
            assert before % 2 == 1, shown
    assert "@everyone" not in shown
    assert "@here" not in shown


def test_a_name_keeps_its_letters_and_loses_direction_marks() -> None:
    assert wording.bare("  Zoë \u202e evil\u2066  王小明 ") == "Zoë evil 王小明"
    assert wording.bare("\u200b") == "?"
    assert len(wording.bare("x" * 90)) == wording.NAME
    assert wording.plain("Ada") == "Ada"
    assert wording.plain("a_b") == "a\\_b"


async def test_a_page_becomes_one_container_with_its_files() -> None:
    picture = Picture("a.png", b"png", "what it shows")
    sheet = page(
        Text("hello"),
        None,
        Gallery((picture,)),
        Rule(),
        [
            Buttons(tuple(Button(str(n), f"pb:-:0:x:{n}") for n in range(7))),
            Buttons((Link("go", "https://x.y"),)),
        ],
        Select("ps:-:0:y:", "pick", (Entry("a", "a", "about a"),)),
        accent=0x123456,
        mentions=(7,),
    )
    parts = render(sheet)
    (container,) = parts.view.to_components()
    kinds = [part["type"] for part in container["components"]]
    assert kinds == [10, 12, 14, 1, 1, 1, 1]
    assert container["components"][0]["content"] == "hello"
    assert [len(part["components"]) for part in container["components"][3:5]] == [5, 2]
    assert parts.files[0].filename == "a.png"
    assert parts.files[0].description == "what it shows"
    assert parts.mentions == (7,)
    assert parts.view.is_finished()  # discord.py keeps no view of ours


async def test_a_page_stays_within_discords_limits() -> None:
    parts = render(page(Text("x" * 3000), Text("y" * 3000)))
    (container,) = parts.view.to_components()
    assert sum(len(part["content"]) for part in container["components"]) == 4000
    with pytest.raises(ValueError, match="without anything"):
        render(Page(()))
    with pytest.raises(ValueError, match="entries"):
        render(page(Select("ps:-:0:y:", "pick", ())))
    with pytest.raises(ValueError, match="40"):
        render(page(*(Text(str(n)) for n in range(41))))


VIEW = View(seat=0, players=2, options=(), actors=(0,), outcome=None)


def letters(view: View, draft: str) -> Step:
    """A word of three letters: the first of three, the second always `x`, the third of two."""
    offered = {0: "abc", 1: "x", 2: "yz"}.get(len(draft), "")
    choices = tuple(Choice(letter, draft + letter, letter) for letter in offered)
    return Step(phrase("q"), choices, move=draft if not offered else "", back=draft[:-1] if draft else None)


def test_a_step_with_one_entry_is_made_for_the_player_and_said_and_skipped_on_the_way_back() -> None:
    draft, step = steps.settle(letters, VIEW, "a")
    assert draft == "ax"
    assert made_for_them(step, sayer("en")).endswith(": x")
    assert made_for_them(steps.settle(letters, VIEW, "")[1], sayer("en")) == ""
    assert [choice.value for choice in step.choices] == ["y", "z"]
    assert steps.back(letters, VIEW, step) == ""
    draft, step = steps.settle(letters, VIEW, "axy")
    assert step.move == "axy"
    assert steps.back(letters, VIEW, step) == "ax"
    assert made_for_them(step, sayer("en")) == ""
    assert steps.back(letters, VIEW, letters(VIEW, "")) is None


def test_a_step_too_long_for_a_message_is_a_fault() -> None:
    many = tuple(Choice(str(n), str(n), str(n)) for n in range(26))
    with pytest.raises(ValueError, match="split it by meaning"):
        Step(phrase("q"), many)
    acts = tuple(Choice(f"act {n}", f"act {n}", "act", act=True) for n in range(4))
    Step(phrase("q"), (*many[:25], *acts[:2]))
    Step(phrase("q"), (*many[:25], *acts), menu=True)
    with pytest.raises(ValueError, match="split it by meaning"):
        Step(phrase("q"), (*many[:25], *acts))
    with pytest.raises(ValueError, match="one at a time"):
        Step(phrase("q"), many[:3], at_once=2)
    with pytest.raises(ValueError, match="same value"):
        Step(phrase("q"), (many[0], many[0]))


def test_one_act_alone_is_never_skipped() -> None:
    only = Step(phrase("q"), (Choice("roll", "roll", "Roll", act=True),))
    assert only.forced is None
    assert Step(phrase("q"), (Choice("a", "a", "a"),), move="m").forced is None


def test_digests_tell_drafts_apart() -> None:
    assert steps.digest("") != steps.digest("a")
    assert len(steps.digest("a")) == 6


def test_a_mark_tells_the_draft_and_the_returns() -> None:
    assert steps.read_mark(steps.mark("a")) == (steps.digest("a"), 0)
    assert steps.read_mark(steps.mark("a", 12)) == (steps.digest("a"), 12)
    assert steps.read_mark("abcdef-x") == ("abcdef", 0)


def test_a_menu_is_no_other_menus_successor() -> None:
    """Equal entries in two menus at one place of a page: a client must not hold the second for chosen."""

    def shown(custom: str) -> discord.ui.Select[Any]:
        sheet = page(Text("x"), Select(custom, "pick", (Entry("A1", "A1"),)))
        items = render(sheet).view.walk_children()
        return next(item for item in items if isinstance(item, discord.ui.Select))

    first, second = shown("ps:-:0:pick:abcdef"), shown("ps:-:0:pick:abcdef-1")
    assert first.id != second.id
    assert first.id == shown("ps:-:0:pick:abcdef").id
    assert 40 < (first.id or 0) < 2**31


def test_suggestions_go_on_from_what_was_typed() -> None:
    moves = sorted(f"take {tile}@{cell}" for tile in range(1, 9) for cell in ("A1", "B2", "C3", "D4"))
    assert next_parts(moves, "") == ["take"]
    assert next_parts(moves, "take ") == [f"take {tile}" for tile in range(1, 9)]
    assert next_parts(moves, " TAKE  7@") == [f"take 7@{cell}" for cell in ("A1", "B2", "C3", "D4")]
    assert next_parts(moves, "b2") == [f"take {tile}@B2" for tile in range(1, 9)]
    assert next_parts(moves, "zzz") == []


def test_modal_inputs_are_found_wherever_they_are_nested() -> None:
    sent = [
        {"type": 1, "components": [{"type": 4, "custom_id": "a", "value": "1"}]},
        {"type": 18, "component": {"type": 3, "custom_id": "b", "values": ["x"]}},
    ]
    assert modal_fields(sent) == {"a": "1", "b": "x"}


# --------------------------------------------------------------------------- failing calls


class Response:
    def __init__(self, status: int) -> None:
        self.status = status
        self.reason = "x"


def refused(status: int, code: int) -> discord.HTTPException:
    kind = {403: discord.Forbidden, 404: discord.NotFound}.get(status, discord.HTTPException)
    if status >= 500:
        kind = discord.DiscordServerError
    return kind(Response(status), {"code": code, "message": "x"})


@pytest.mark.parametrize(
    ("status", "code", "why"),
    [
        (403, 50013, Why.FORBIDDEN), (403, 50001, Why.FORBIDDEN), (404, 10008, Why.GONE), (404, 10003,
        Why.GONE), (403, 50007, Why.CLOSED), (400, 50278, Why.CLOSED), (429, 30046, Why.TOO_OLD), (400, 50083,
        Why.ARCHIVED), (400, 160004, Why.EXISTS), (404, 10062, Why.LATE), (400, 40060, Why.LATE), (401,
        50027, Why.LATE), (500, 0, Why.LATER), (503, 0, Why.LATER), (429, 0, Why.LATER), (400, 40003,
        Why.CLOSED), (403, 0, Why.FORBIDDEN), (404, 0, Why.GONE),
    ],
)  # fmt: skip
def test_every_expected_error_has_a_meaning(status: int, code: int, why: Why) -> None:
    unclear = status >= 500 or code == 40060  # it may have been carried out all the same
    assert failure_of(refused(status, code)) == Failed(why, code, unclear=unclear)


def test_a_malformed_request_is_logged_as_a_fault(caplog: pytest.LogCaptureFixture) -> None:
    assert failure_of(refused(400, 50035)) == Failed(Why.REFUSED, 50035)
    assert "50035" in caplog.text


async def test_a_lost_connection_means_later_and_a_fault_of_ours_is_raised() -> None:
    async def lost() -> int:
        raise aiohttp.ServerDisconnectedError

    async def fault() -> int:
        raise KeyError("x")

    async def fine() -> int:
        return 7

    async def stuck() -> int:
        await asyncio.Event().wait()
        return 1

    assert await attempt(lost) == Failed(Why.LATER, unclear=True)
    assert await attempt(stuck, within=0.01) == Failed(Why.LATER, unclear=True)
    assert await attempt(fine) == Done(7)
    with pytest.raises(KeyError):
        await attempt(fault)


class Hours:
    """A clock that is turned by hand."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    async def sleep_until(self, when: datetime) -> None:
        raise AssertionError("nothing here waits")


def test_a_budget_gives_so_many_at_once_and_then_one_at_a_time() -> None:
    clock = Hours()
    budget = Budget(clock, 3, 10.0)
    assert [budget.take(), budget.take()] == [0.0, 0.0]
    assert budget.take(spare=1) == pytest.approx(10.0)  # the last one is kept back
    assert budget.take() == 0.0
    assert budget.take() == pytest.approx(10.0)
    clock.time += timedelta(seconds=4)
    assert budget.take() == pytest.approx(6.0)
    clock.time += timedelta(seconds=6)
    assert budget.take() == 0.0
    clock.time += timedelta(days=1)
    assert [budget.take() for _ in range(4)] == [0.0, 0.0, 0.0, pytest.approx(10.0)]
    clock.time += timedelta(days=1)
    budget.empty()
    assert budget.take() == pytest.approx(10.0)


def test_a_channel_is_left_alone_after_refusals_in_a_row_and_for_a_while() -> None:
    clock = Hours()
    refusals = Refusals(clock)
    for _ in range(MOST_REFUSALS - 1):
        refusals.note(1, Failed(Why.FORBIDDEN, 50013))
    assert refusals.refusal(1) is None
    refusals.note(1, Done(None))  # one that works, and the count begins anew
    for _ in range(MOST_REFUSALS):
        assert refusals.refusal(1) is None
        refusals.note(1, Failed(Why.GONE, 10003))
    assert refusals.refusal(1) == Failed(Why.LATER, 10003, LEFT_ALONE.total_seconds())
    assert refusals.refusal(2) is None
    for _ in range(MOST_REFUSALS):
        refusals.note(2, Failed(Why.LATER))  # trouble of Discord's is no refusal
    for code in (10008, 50005):  # one message is gone, or another's: the channel refuses nothing
        for _ in range(MOST_REFUSALS):
            refusals.note(2, Failed(Why.GONE, code))
    assert refusals.refusal(2) is None
    clock.time += LEFT_ALONE
    assert refusals.refusal(1) is None
    refusals.note(1, Failed(Why.GONE, 10003))
    assert refusals.refusal(1) is None


def test_what_has_come_before_is_known_while_it_is_among_the_newest() -> None:
    once = Once(2)
    assert [once.first(number) for number in (1, 1, 2, 2, 3, 3, 2)] == [True, False] * 3 + [False]
    assert once.first(1)  # the oldest was forgotten


def test_deleted_messages_are_seen_to_once_and_the_newest_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cogs.delivery.posts.KEPT", 2)
    deleted = Deleted()
    deleted.note([1, 2])
    assert [deleted.claim(1), deleted.claim(1), deleted.claim(5)] == [True, False, False]
    deleted.note([1])  # told again
    assert not deleted.claim(1)
    deleted.note([3, 4], seen_to=True)
    assert [number in deleted for number in (1, 2, 3, 4)] == [False, False, True, True]
    assert not deleted.claim(4)


async def test_an_answer_about_somebody_stands_for_a_minute_and_the_newest_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bot.discord_io.MOST_REMEMBERED", 2)
    clock = Hours()
    io = DiscordIO(discord.Client(intents=discord.Intents.none()), clock)
    asked: list[int] = []

    async def ask(user: int) -> Any:
        async def call() -> Any:
            asked.append(user)
            if user == 3:
                raise refused(404, 10007)
            if user == 4:
                raise refused(500, 0)
            return user

        result = await io._asked(io._members, (1, user), call)
        return result.value if isinstance(result, Done) else result.why

    assert [await ask(user) for user in (1, 1, 3, 3)] == [1, 1, None, None]
    assert asked == [1, 3]  # that somebody is not there is an answer too
    assert [await ask(4), await ask(4), asked] == [Why.LATER, Why.LATER, [1, 3, 4, 4]]  # trouble is none
    clock.time += REMEMBERED - timedelta(seconds=1)
    assert [await ask(1), await ask(3), await ask(2), asked] == [1, None, 2, [1, 3, 4, 4, 2]]
    assert [await ask(2), len(io._members), len(asked)] == [2, 2, 5]  # the oldest made room
    clock.time += timedelta(seconds=1)
    assert [await ask(3), len(asked)] == [None, 6]  # its minute is over
    assert [await ask(2), len(asked)] == [2, 6]


async def test_one_alone_is_told_that_direct_messages_are_opened_too_fast() -> None:
    asked: list[int] = []

    class Client:
        async def create_dm(self, user: discord.Object) -> None:
            asked.append(user.id)
            await asyncio.sleep(0)
            raise refused(400, 40003)

    io = DiscordIO(Client(), Hours())  # type: ignore[arg-type]
    first, *others = await asyncio.gather(*(io.open_dm(user) for user in (1, 2, 3)))
    assert first == Failed(Why.CLOSED, 40003)
    assert others == [Failed(Why.LATER, retry_after=SECONDS_PER_DM)] * 2
    assert asked == [1]


@pytest.mark.parametrize(
    ("age", "why"), [(timedelta(hours=2), Why.TOO_OLD), (timedelta(minutes=5), Why.LATER)]
)
async def test_a_long_rate_limit_on_an_old_message_means_a_fresh_one(age: timedelta, why: Why) -> None:
    clock = Hours()

    class Http:
        async def edit(self, **_: object) -> None:
            raise discord.RateLimited(700.0)

    class Client:
        def get_partial_messageable(self, channel: int) -> Any:
            return self

        def get_partial_message(self, message: int) -> Any:
            return Http()

    io = DiscordIO(Client(), clock)  # type: ignore[arg-type]
    message = discord.utils.time_snowflake(clock.time - age)
    assert await io.edit(1, message, render(note("x"))) == Failed(why, retry_after=700.0)


def test_mentions_name_exactly_the_people_meant() -> None:
    assert mentions([5, 6]).to_dict() == {"parse": [], "users": [5, 6], "replied_user": False} or mentions(  # type: ignore[comparison-overlap]
        [5, 6]
    ).to_dict() == {"parse": [], "users": [5, 6]}


def test_a_nonce_is_the_purpose() -> None:
    assert nonce("a", 1) == nonce("a", 1)
    assert nonce("a", 1) != nonce("a", 2)
    assert nonce("a", "b") != nonce("ab")
    assert len(nonce("a")) <= 25


# --------------------------------------------------------------------------- one answer per click


class FakeInteraction:
    """What `Answer` asks of an interaction; notes what is called. gone: whether the message that was pressed
    is deleted before anything is answered."""

    def __init__(self, *, ephemeral_source: bool = False, late: bool = False, gone: bool = False) -> None:
        self.calls: list[str] = []
        self.guild_id = 1
        self.message = (
            type("M", (), {"flags": type("F", (), {"ephemeral": True})})() if ephemeral_source else None
        )
        self._done = False
        self._late = late
        self._gone = gone
        self.deletion: discord.HTTPException | None = None  # what taking back an answer runs into
        self.lost = False  # whether Discord's answers to a deferral are
        self.filled = False  # whether something is shown where it was deferred
        self.channel: object | None = None
        self._original_response: Any = None
        self.response = self
        self.followup = type("W", (), {"send": self._followup})()

    def is_done(self) -> bool:
        return self._done

    async def _note(self, what: str) -> Any:
        if self._late:
            raise refused(404, 10062)
        self._done = True
        self.calls.append(what)
        return type("Sent", (), {"id": 5, "message_id": 5, "resource": None})()

    async def send_message(self, *, ephemeral: bool, **_: object) -> Any:
        return await self._note(f"send ephemeral={ephemeral}")

    async def edit_message(self, **_: object) -> Any:
        return await self._note("edit")

    async def defer(self, *, ephemeral: bool = False, thinking: bool = False) -> Any:
        if self._gone and not thinking:
            raise refused(404, 10008)
        await self._note(f"defer ephemeral={ephemeral} thinking={thinking}")
        if self.lost:
            raise TimeoutError

    async def send_modal(self, _: object) -> Any:
        return await self._note("form")

    async def _followup(self, *, ephemeral: bool, **_: object) -> Any:
        return await self._note(f"followup ephemeral={ephemeral}")

    async def original_response(self) -> Any:
        """Kept as it was told first, as discord.py does."""
        told = SimpleNamespace(id=7, flags=SimpleNamespace(loading=not self.filled))
        self._original_response = self._original_response or told
        return self._original_response

    async def edit_original_response(self, **_: object) -> Any:
        return await self._note("edit original")

    async def delete_original_response(self) -> None:
        if self.deletion is not None:
            raise self.deletion
        await self._note("delete original")


def answer_to(fake: FakeInteraction, **options: Any) -> Answer:
    return Answer(fake, **options)  # type: ignore[arg-type]


async def test_a_quick_answer_goes_out_at_once() -> None:
    fake = FakeInteraction()
    answer = answer_to(fake)
    assert await answer.show(render(note("x"))) == Done(5)
    assert answer.given
    await asyncio.sleep(0)
    assert fake.calls == ["send ephemeral=True"]


@pytest.mark.parametrize(
    ("source", "public", "deferral", "then"),
    [
        (False, False, "defer ephemeral=True thinking=True", "followup ephemeral=True"),
        (False, True, "defer ephemeral=False thinking=True", "followup ephemeral=False"),
    ],
)
async def test_a_slow_answer_is_deferred_before_discord_gives_up(
    source: bool, public: bool, deferral: str, then: str
) -> None:
    fake = FakeInteraction(ephemeral_source=source)
    answer = answer_to(fake, public=public, patience=0.001)
    await asyncio.sleep(0.02)
    await answer.show(render(note("x")), public=public)
    assert fake.calls == [deferral, then]


@pytest.mark.parametrize("gone", [False, True])
async def test_what_is_private_takes_a_public_deferral_back(gone: bool) -> None:
    fake = FakeInteraction()
    fake.deletion = refused(404, 10008) if gone else None
    answer = answer_to(fake, public=True, patience=0.001)
    await asyncio.sleep(0.02)
    assert await answer.show(render(note("no"))) == Done(5)
    await answer.show(render(note("and more")))
    said = ["followup ephemeral=True"] * 2
    assert fake.calls[1:] == (said if gone else ["delete original", *said])


async def test_what_is_private_stays_so_where_the_deferral_cannot_be_taken_back() -> None:
    fake = FakeInteraction()
    fake.deletion = refused(503, 0)
    answer = answer_to(fake, public=True, patience=0.001)
    await asyncio.sleep(0.02)
    assert await answer.show(render(note("no"))) == Failed(Why.LATER, 0, unclear=True)
    assert len(fake.calls) == 1


async def test_a_private_word_after_the_public_answer_leaves_that_alone() -> None:
    fake = FakeInteraction()
    answer = answer_to(fake, public=True, patience=0.001)
    await asyncio.sleep(0.02)
    await answer.show(render(note("a lobby")), public=True)
    await answer.show(render(note("no thread")))
    assert fake.calls[1:] == ["followup ephemeral=False", "followup ephemeral=True"]


async def test_a_slow_step_on_a_private_page_still_takes_its_place() -> None:
    fake = FakeInteraction(ephemeral_source=True)
    answer = answer_to(fake, patience=0.001)
    assert answer.can_update
    await asyncio.sleep(0.02)
    await answer.update(render(note("x")))
    assert fake.calls == ["defer ephemeral=False thinking=False", "edit original"]


async def test_an_answer_that_comes_too_late_is_no_fault() -> None:
    answer = answer_to(FakeInteraction(late=True))
    assert await answer.show(render(note("x"))) == Failed(Why.LATE, 10062)


async def test_a_click_is_acknowledged_once() -> None:
    fake = FakeInteraction()
    answer = answer_to(fake)
    await answer.acknowledge()
    await answer.acknowledge()
    assert len(fake.calls) == 1


async def test_a_click_on_what_is_gone_is_taken_without_a_word() -> None:
    fake = FakeInteraction(ephemeral_source=True, gone=True)
    answer = answer_to(fake)
    assert is_gone(await answer.acknowledge())
    assert not answer.given
    assert answer._timer is not None, "where what shall come takes long, it is deferred"
    await answer.pass_over()
    assert answer.given
    assert answer._timer is None
    for _ in range(2):
        await answer.end()
    assert fake.calls == ["defer ephemeral=True thinking=True", "delete original"]


@pytest.mark.parametrize("source", [False, True])
async def test_a_slow_click_that_shows_nothing_leaves_nothing_to_wait_for(source: bool) -> None:
    fake = FakeInteraction(ephemeral_source=source, gone=source)
    answer = answer_to(fake, patience=0)
    await answer._defer()
    assert is_gone(await answer.acknowledge()) == source
    if source:
        await answer.pass_over()
    await answer.end()
    assert fake.calls == ["defer ephemeral=True thinking=True", "delete original"]


async def test_a_slow_step_on_a_page_that_is_gone_is_shown_anew() -> None:
    fake = FakeInteraction(ephemeral_source=True, gone=True)
    answer = answer_to(fake, patience=0)
    await answer._defer()
    assert is_gone(await answer.update(render(note("x"))))
    assert await answer.show(render(note("x"))) == Done(5)
    assert fake.calls == ["defer ephemeral=True thinking=True", "followup ephemeral=True"]


async def test_what_is_passed_over_leaves_nothing_though_an_answer_is_lost() -> None:
    fake = FakeInteraction(ephemeral_source=True, gone=True)
    answer = answer_to(fake)
    await answer.acknowledge()
    fake.lost, fake.channel = True, object()
    await answer.pass_over()
    await answer.end()
    assert fake.calls[-1] == "delete original"


async def deferred_in_vain(fake: FakeInteraction, answer: Answer, *, lost: bool, public: bool) -> None:
    """A message that was to come is refused, or its answer is lost, and then it may be there."""
    await answer._defer()
    send = fake.followup.send

    async def fails(**_: object) -> Any:
        raise TimeoutError if lost else refused(400, 50035)

    fake.followup.send = fails
    assert isinstance(await answer.show(render(note("x")), public=public), Failed)
    fake.followup.send = send


@pytest.mark.parametrize("lost", [False, True])
async def test_what_is_private_never_fills_a_public_deferral(lost: bool) -> None:
    """Rather is a lost public message taken back, which its keeper sends again."""
    fake = FakeInteraction()
    answer = answer_to(fake, public=True, patience=0)
    await deferred_in_vain(fake, answer, lost=lost, public=True)
    await answer.show(render(note("for one alone")))
    await answer.end()
    assert fake.calls[1:] == ["delete original", "followup ephemeral=True"]


@pytest.mark.parametrize("private", [[], ["followup ephemeral=True"]], ids=["alone", "then a private one"])
@pytest.mark.parametrize("filled", [False, True])
async def test_what_is_known_to_be_shown_is_not_taken_back(filled: bool, private: list[str]) -> None:
    """A lost public message that Discord was asked for. private: what goes out afterwards."""
    fake = FakeInteraction()
    fake.filled = filled
    answer = answer_to(fake, public=True, patience=0)
    await deferred_in_vain(fake, answer, lost=True, public=True)
    await answer.original()
    for _ in private:
        await answer.show(render(note("for one alone")))
    await answer.end()
    assert fake.calls[1:] == ([] if filled else ["delete original"]) + private


@pytest.mark.parametrize("lost", [False, True])
async def test_a_deferral_that_surely_stands_is_taken_back_at_the_end(lost: bool) -> None:
    fake = FakeInteraction()
    answer = answer_to(fake, patience=0)
    await deferred_in_vain(fake, answer, lost=lost, public=False)
    await answer.end()
    assert fake.calls[1:] == ([] if lost else ["delete original"])


async def test_after_a_deferral_that_discord_alone_knows_of_all_goes_to_it() -> None:
    """Its answer was lost, and discord.py takes it for none."""
    fake = FakeInteraction()
    fake.lost, fake.channel = True, object()
    answer = answer_to(fake, patience=0)
    await answer._defer()
    fake._done = False
    assert (await answer.ask(discord.ui.Modal(title="x"))) == Failed(Why.LATE)
    for _ in range(2):
        await answer.show(render(note("x")))
    assert fake.calls[1:] == ["followup ephemeral=True"] * 2


async def test_discord_is_asked_anew_what_is_shown() -> None:
    fake = FakeInteraction()
    answer = answer_to(fake)
    assert await answer.original() == Done(None)
    fake.filled = True
    assert await answer.original() == Done(7)


async def test_what_was_shown_by_another_is_no_deferral() -> None:
    fake = FakeInteraction()
    fake.lost = fake.filled = True
    fake.channel = object()
    answer = answer_to(fake, patience=0)
    await answer._defer()
    await answer.end()
    assert len(fake.calls) == 1


@pytest.mark.parametrize("gone", [False, True])
async def test_a_form_comes_first_or_not_at_all(gone: bool) -> None:
    fake = FakeInteraction(ephemeral_source=True, gone=gone)
    answer = answer_to(fake, patience=0)
    await answer._defer()
    assert await answer.ask(discord.ui.Modal(title="x")) == Failed(Why.LATE)
    assert not answer.given
    assert "form" not in fake.calls
    fresh = answer_to(FakeInteraction())
    assert isinstance(await fresh.ask(discord.ui.Modal(title="x")), Done)
    assert fresh.given
