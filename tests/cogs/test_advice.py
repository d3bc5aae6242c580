"""Hints on the private page: a tap tells where, another why; who may have them, what they count, and that
nobody else sees them."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
import pytest
from simcord.actors import MemberActor

from bot.locale import LANGUAGES, sayer
from bot.players import advise, player_of
from bot.players.contract import Advice
from bot.rules.chance import Generator
from bot.rules.game import View
from bot.rules.registry import GAME_IDS
from bot.rules.registry import game as rules_of
from bot.tables.model import Person, Table
from bot.tables.ports import StoreFull
from bot.workers import Interrupted
from cogs.delivery.panels import Fate
from cogs.surfaces import steps
from cogs.surfaces.components import Text
from cogs.surfaces.wording import told_to_do
from tests.players.test_advice import walk
from tests.sweeps import swept
from tests.tables.support import typed

from .sim import Shown, Sim, alt_texts, answer, answers_owed, buttons, custom_id, custom_ids, parts, text_of
from .tabletop import Ears, opened
from .test_lessons import cog_of


async def alone(sim: Sim, person: MemberActor | None = None) -> tuple[Table, discord.Message]:
    """A person against a computer player, at their first choice; their private page."""
    table, page = await before_a_choice(sim, person or sim.ada)
    await (person or sim.ada).click(page, label=buttons(page)[0])
    return table, sim.fresh(page)


async def before_a_choice(sim: Sim, person: MemberActor) -> tuple[Table, discord.Message]:
    """The same where there is no choice as yet: a tile is to be revealed."""
    table = await opened(sim, "5vor12", person, players=2, computers=1, setup="sorted")
    await sim.env.settle()
    page = await sim.hand(person, table)
    assert ":act:" in custom_ids(page)[0]
    return table, page


def thinks(sim: Sim, monkeypatch: pytest.MonkeyPatch, advice: Any) -> None:
    """What comes of it when a hint is looked for."""
    monkeypatch.setattr(sim.bot.services.adviser, "_advise", advice)


async def told(sim: Sim, table: Table, person: MemberActor, language: str = "en") -> str:
    """The sentence of what the game's player would advise."""
    say = sayer(language)
    advice = next(iter(sim.bot.services.adviser._found._coming.values())).result()
    view = (await sim.bot.tables.view(table.id, person.id)).view
    assert view is not None
    return told_to_do(table.game, view, advice.moves[0], say)


async def used(sim: Sim, table: Table) -> list[int]:
    return [seat.hints for seat in (await sim.bot.tables.table(table.id)).seats]


# ------------------------------------------------------------------- where, and why


async def test_one_tap_tells_where_and_a_second_why(sim: Sim) -> None:
    table, page = await alone(sim)
    assert buttons(page)[-1] == "Hint"
    await sim.ada.click(page, label="Hint")
    page = sim.fresh(page)
    assert f"💡 **Hint:** {await told(sim, table, sim.ada)}" in text_of(page)
    assert "Hint" not in buttons(page)
    before = text_of(page)
    await sim.ada.click(page, label="Why?")
    page = sim.fresh(page)
    reasons = [line for line in text_of(page).splitlines() if line.startswith("- ")]
    assert 1 <= len(reasons) <= 3
    assert not [line for line in before.splitlines() if line.startswith("- ")]
    assert {"Hint", "Why?"}.isdisjoint(buttons(page))
    assert await used(sim, table) == [1, 0]


@pytest.mark.parametrize("language", swept(LANGUAGES, daily=("de",)))
async def test_every_game_tells_its_hints_in_every_language(sim: Sim, language: str) -> None:
    sim.speaks(sim.ada, language)
    say = sayer(language)
    for slash, computers in (("topspot", 2), ("top12", 0), ("topominos", 0), ("zatre", 1)):
        table = await opened(sim, slash, sim.ada, players=computers + 1, computers=computers)
        await sim.env.settle()
        while not await sim.to_act(table):  # a computer player begins
            await sim.env.settle()
        result = await sim.ada.slash(sim.channel, "table show", table=table.id)
        shown = result.response or result.followups[-1]
        page = shown.message
        await sim.ada.click(page, label=say("table.button.hint"))
        page = sim.fresh(page)
        assert say("advice.where", sign="💡", move="").strip() in text_of(page)
        await sim.ada.click(page, label=say("table.button.why"))
        assert [line for line in text_of(sim.fresh(page)).splitlines() if line.startswith("- ")]


async def test_what_is_advised_is_on_trial_in_the_picture(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await opened(sim, "topominos", sim.ada, players=1)
    page = await sim.hand(sim.ada, table)
    assert "On trial" not in alt_texts(page)[0]

    async def lay(game: str, view: View, chance: Generator) -> Advice:
        return Advice((next(move for move in rules_of(game).legal(view) if move.endswith("@B2")),), ())

    thinks(sim, monkeypatch, lay)
    await sim.ada.click(page, label="Hint")
    assert " in B2" in alt_texts(sim.fresh(page))[0].partition("On trial: ")[2].partition(".")[0]


def hint_of(page: Shown) -> list[str]:
    return [line for line in text_of(page).splitlines() if "**Hint:**" in line]


def panel_text(sim: Sim, table: Table) -> str:
    """What the one private page of the person says."""
    panel = sim.bot.services.panels._live[sim.ada.id, table.id]
    return "\n".join(block.content for block in panel.meant.outline.page.blocks if isinstance(block, Text))


def order(page: Shown) -> list[str]:
    """What stands on the page, from above to below."""
    found = []
    for part in parts(page):
        if isinstance(part, discord.components.MediaGalleryComponent):
            found.append("picture")
        elif isinstance(part, discord.components.TextDisplay) and "**Hint:**" in part.content:
            found.append("hint")
        elif isinstance(part, discord.components.Button) and not part.disabled:
            found.append("button")
    return list(dict.fromkeys(found))


async def test_it_stands_where_one_looks_who_has_pressed_a_button(sim: Sim) -> None:
    """On a phone what is above the picture has left the screen by then."""
    table, page = await alone(sim)
    for label in ("Hint", "Why?"):
        await sim.ada.click(sim.fresh(page), label=label)
        assert order(sim.fresh(page)) == ["picture", "hint", "button"]
    with sim.env._bot_scope():
        await sim.bot.tables.set_user(sim.ada.id, text_board=True)
    assert order(await sim.hand(sim.ada, table)) == ["picture", "hint", "button"]


async def test_what_one_has_begun_oneself_stays_in_the_picture(sim: Sim) -> None:
    table = await opened(sim, "topominos", sim.ada, players=1)
    page = await sim.hand(sim.ada, table)
    own = custom_id(page, "way")
    await sim.ada.click(page, custom_id=own)
    page = sim.fresh(page)
    begun = alt_texts(page)[0]
    await sim.ada.click(page, label="Hint")
    page = sim.fresh(page)
    assert alt_texts(page)[0] == begun
    assert "You have begun differently here: press *Back* first" in text_of(page)
    await sim.ada.click(page, label="Back")
    assert "press *Back* first" not in text_of(sim.fresh(page))
    assert "**Hint:**" in text_of(page)


async def test_who_has_begun_as_it_says_is_not_told_to_go_back(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await opened(sim, "topominos", sim.ada, players=1)
    page = await sim.hand(sim.ada, table)
    await sim.ada.click(page, custom_id=custom_id(page, "way"))
    seen = await sim.bot.tables.view(table.id, sim.ada.id)
    assert seen.view is not None
    _, step = steps.settle(cog_of(sim, "topominos").step, seen.view, seen.draft)

    async def the_same(game: str, view: View, chance: Generator) -> Advice:
        return Advice((step.move or step.choices[0].draft,), ())

    thinks(sim, monkeypatch, the_same)
    await sim.ada.click(sim.fresh(page), label="Hint")
    assert hint_of(sim.fresh(page))
    assert "press *Back* first" not in text_of(sim.fresh(page))


@pytest.mark.parametrize("game", GAME_IDS)
async def test_every_step_towards_what_it_says_is_known_as_one(
    sim: Sim, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    monkeypatch.setattr(player_of(game), "budget", 0)
    step_of, players, longest = cog_of(sim, game).step, max(2, rules_of(game).min_seats), 0
    for state in walk(game, players, "as it says", 12):
        view, taps = state.view(state.actors()[0]), 0
        moves = advise(game, view, Generator("a", "b")).moves
        draft, step = steps.settle(step_of, view, "")
        while {step.move, *step.then} - {"end"} != {*moves}:
            assert steps.leads_to(step_of, view, draft, moves)
            if any(choice.act and (choice.draft,) == moves for choice in step.choices):
                break
            onward = [choice.draft for choice in step.choices if not choice.act]
            right = [one for one in onward if steps.leads_to(step_of, view, one, moves)]
            assert right
            draft, step = steps.settle(step_of, view, right[0])
            taps += 1
        else:
            assert steps.leads_to(step_of, view, draft, moves)
        longest = max(longest, taps)
    assert longest


async def test_it_stays_until_its_choice_is_closed(sim: Sim) -> None:
    table, page = await alone(sim)
    await sim.ada.click(page, label="Hint")
    await sim.ada.click(sim.fresh(page), label="Rules in short")
    await sim.ada.click(sim.fresh(page), label="Back to the game")
    assert "**Hint:**" in text_of(sim.fresh(page))
    await sim.hurry(table, most=1)
    page = await sim.hand(sim.ada, table)
    assert "**Hint:**" not in text_of(page)


async def test_asked_for_again_it_is_the_same_and_counts_once_also_after_a_restart(sim: Sim) -> None:
    table, page = await alone(sim)
    await sim.ada.click(page, label="Hint")
    first = hint_of(sim.fresh(page))
    await sim.restart()
    page = await sim.hand(sim.ada, table)
    assert "**Hint:**" not in text_of(page)
    await sim.ada.click(page, label="Hint")
    assert hint_of(sim.fresh(page)) == first
    assert await used(sim, table) == [1, 0]


async def test_the_result_tells_how_many_each_has_had(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, agreed=(sim.ada, sim.ben))
    await sim.ada.click(await sim.hand(sim.ada, table), label="Hint")
    await sim.hurry(table)
    assert "Ada (1 hint)" in text_of(await sim.final(table))
    assert "hint" not in text_of(await sim.final(table)).replace("Ada (1 hint)", "")


async def test_while_it_is_played_nothing_tells_how_many_somebody_has_had(sim: Sim) -> None:
    table = await opened(sim, "zatre", sim.ada, players=2, computers=1)
    await sim.env.settle()
    while not await sim.to_act(table):  # a computer player begins
        await sim.env.settle()
    await sim.ada.click(await sim.hand(sim.ada, table), label="Hint")
    await sim.hurry(table, most=1)
    assert sum(await used(sim, table)) == 1
    for shown in (await sim.board(table), await sim.lobby(table)):
        assert "Ada" in text_of(shown)
        assert "1 hint" not in text_of(shown)


async def test_a_hand_by_direct_message_tells_it_in_place(sim: Sim) -> None:
    table = await opened(sim, "topominos", sim.ada, players=1)
    [letter] = sim.messages(sim.ada.user.dm_channel.id)
    for label in ("Hint", "Why?"):
        await sim.ada.user.click(sim.fresh(letter), label=label)
    assert "**Hint:**" in text_of(sim.fresh(letter))
    assert [message.id for message in sim.messages(sim.ada.user.dm_channel.id)] == [letter.id]
    assert "**Hint:**" in text_of(await sim.hand(sim.ada, table)), "each page of theirs has it"


async def test_a_copy_of_a_table_in_direct_messages_tells_it_too(sim: Sim) -> None:
    await sim.ada.user.slash("topominos new", players=1)
    [copy] = sim.messages(sim.ada.user.dm_channel.id)
    await sim.ada.user.click(copy, label="Start")
    await sim.env.settle()
    copy = sim.messages(sim.ada.user.dm_channel.id)[-1]
    await sim.ada.user.click(copy, label="Hint")
    assert "**Hint:**" in text_of(sim.fresh(copy))
    await sim.ada.user.click(sim.fresh(copy), label="Why?")
    assert "Why?" not in buttons(sim.fresh(copy))


async def test_nobody_else_gets_anything_by_it(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await sim.started(sim.ada, sim.ben, agreed=(sim.ada, sim.ben), setup="sorted")
    [actor] = await sim.to_act(table)
    other = sim.ben if actor is sim.ada else sim.ada
    await sim.hand(other, table)
    page = await sim.hand(actor, table)
    await actor.click(page, label=buttons(page)[0])  # a tile is revealed
    await sim.env.settle()
    ears = Ears(monkeypatch)
    for label in ("Hint", "Why?"):
        await actor.click(sim.fresh(page), label=label)
        await sim.env.settle()
    assert ears.heard
    assert ears.other_than(actor) == []


# ------------------------------------------------------------------- where there are hints


async def test_people_agree_in_the_lobby_each_for_themselves(sim: Sim) -> None:
    lobby = await sim.new(sim.ada, players=3)
    assert "Hints" not in text_of(lobby)
    await sim.ben.click(lobby, label="Join")
    lobby = sim.fresh(lobby)
    assert "💡 Hints: only if all of you agree." in text_of(lobby)
    assert "Hints: no" not in buttons(lobby)
    await sim.ada.click(lobby, label="Hints: yes")
    lobby = sim.fresh(lobby)
    assert "💡 Hints: Ada agreed, still missing: Ben" in text_of(lobby)
    await sim.ben.click(lobby, label="Hints: yes")
    lobby = sim.fresh(lobby)
    assert "💡 **With hints:** all of you have agreed." in text_of(lobby)
    assert "Hints: yes" not in buttons(lobby)
    await sim.cleo.click(lobby, label="Join")
    assert "Hints: Ada, Ben agreed, still missing: Cleo" in text_of(sim.fresh(lobby))


@pytest.mark.parametrize("agreed", [True, False])
async def test_only_where_all_have_agreed_is_there_a_button(sim: Sim, agreed: bool) -> None:
    table = await sim.started(sim.ada, sim.ben, agreed=(sim.ada, sim.ben) if agreed else (sim.ada,))
    page = await sim.hand(sim.ben, table)
    assert ("Hint" in buttons(page)) is agreed
    if not agreed:
        seat = (await sim.bot.tables.table(table.id)).seats[1]
        made = await sim.press(sim.ben, page, f"pb:{table.id}:{seat.since}:hint:")
        assert "There are no hints at this table" in answer(made) + text_of(sim.fresh(page))


async def test_where_there_is_nothing_to_choose_there_is_no_button(sim: Sim) -> None:
    table, page = await before_a_choice(sim, sim.ada)
    assert "Hint" not in buttons(page)
    seat = (await sim.bot.tables.table(table.id)).seats[0]
    made = await sim.press(sim.ada, page, f"pb:{table.id}:{seat.since}:hint:")
    assert "Nothing else can be played here" in answer(made) + text_of(sim.fresh(page))
    assert await used(sim, table) == [0, 0]
    await sim.ada.click(sim.fresh(page), label=buttons(page)[0])
    assert "Hint" in buttons(sim.fresh(page))


async def test_who_does_not_sit_there_agrees_to_nothing(sim: Sim) -> None:
    lobby = await sim.new(sim.ada, players=3)
    await sim.ben.click(lobby, label="Join")
    result = await sim.cleo.click(sim.fresh(lobby), label="Hints: yes")
    assert "You are not sitting at this table" in answer(result)
    assert "only if all of you agree" in text_of(sim.fresh(lobby))


async def test_at_a_table_in_direct_messages_each_copy_has_its_readers_button(sim: Sim) -> None:
    await sim.ada.user.slash("5vor12 new", players=2)
    await sim.env.settle()
    [own] = sim.messages(sim.ada.user.dm_channel.id)
    table = await sim.table(own)
    await sim.ben.user.slash("table join", code=table.place.code)
    await sim.env.settle()
    [own], [others] = (sim.messages(one.user.dm_channel.id) for one in (sim.ada, sim.ben))
    await sim.ada.user.click(own, label="Hints: yes")
    await sim.env.settle()
    own, others = sim.fresh(own), sim.fresh(others)
    assert [label for label in buttons(own) if "Hints" in label] == ["Hints: no"]
    assert [label for label in buttons(others) if "Hints" in label] == ["Hints: yes"]
    assert "Ada agreed" in text_of(others)


# ------------------------------------------------------------------- what may go wrong


async def test_a_tap_is_acknowledged_while_the_computer_thinks(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its time to be answered in is over before the thought is."""
    _, page = await alone(sim)
    owed = answers_owed(monkeypatch)

    async def slow(game: str, view: View, chance: Generator) -> Advice:
        await owed[0]._defer()
        return advise(game, view, chance)

    thinks(sim, monkeypatch, slow)
    result = await sim.ada.click(page, label="Hint")
    assert result.deferred
    assert "**Hint:**" in text_of(sim.fresh(page))


async def test_one_that_comes_too_late_is_not_told_for_the_new_position(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, page = await alone(sim)

    async def overtaken(game: str, view: View, chance: Generator) -> Advice:
        move = rules_of(game).legal(view)[0]
        await typed(sim.bot.tables, table.id, Person(sim.ada.id, "Ada"), move)
        return Advice((move,), ())

    thinks(sim, monkeypatch, overtaken)
    await sim.ada.click(page, label="Hint")
    page = sim.fresh(page)
    assert "**Hint:**" not in text_of(page)
    assert await used(sim, table) == [0, 0]


@pytest.mark.parametrize("language", swept(LANGUAGES, daily=("de",)))
async def test_one_that_is_lost_is_told_clearly_and_counts_nothing(
    sim: Sim, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim.speaks(sim.ada, language)
    table, _ = await alone(sim)
    say = sayer(language)
    page = (await sim.ada.slash(sim.channel, "table show", table=table.id)).response
    assert page is not None

    async def killed(game: str, view: View, chance: Generator) -> Advice:
        raise Interrupted

    with monkeypatch.context() as patch:
        thinks(sim, patch, killed)
        await sim.ada.click(page.message, label=say("table.button.hint"))
    shown = sim.fresh(page.message)
    assert say("tables.refusal.hint_lost") in text_of(shown)
    assert await used(sim, table) == [0, 0]
    await sim.ada.click(shown, label=say("table.button.hint"))
    assert say("tables.refusal.hint_lost") not in text_of(sim.fresh(shown))
    assert await used(sim, table) == [1, 0]


async def test_why_explains_the_hint_that_was_told(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another may choose meanwhile, and the position is another then, in which another hint is found."""
    table = await sim.started(sim.ada, sim.ben, agreed=(sim.ada, sim.ben))
    page = await sim.hand(sim.ada, table)
    asked: list[str] = []

    async def last(game: str, view: View, chance: Generator) -> Advice:
        asked.append(rules_of(game).legal(view)[-1 - len(asked)])
        return Advice((asked[-1],), ())

    thinks(sim, monkeypatch, last)
    await sim.ada.click(page, label="Hint")
    told = hint_of(sim.fresh(page))
    await sim.turn(sim.ben, table)
    await sim.env.settle()
    await sim.ada.click(sim.fresh(page), label="Why?")
    assert hint_of(sim.fresh(page)) == told
    assert len(asked) == 1


@pytest.mark.parametrize("by", swept(["Rules in short", "Menu"], daily=("Menu",)))
async def test_who_has_turned_to_something_else_meanwhile_is_not_pulled_back(
    sim: Sim, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    table, page = await alone(sim)
    may = asyncio.Event()

    async def slow(game: str, view: View, chance: Generator) -> Advice:
        await sim.env.external_wait(may.wait(), reason="it is thought about")
        return advise(game, view, chance)

    thinks(sim, monkeypatch, slow)
    await sim.ada.click(page, label="Hint")
    await sim.ada.click(await sim.board(table) if by == "Menu" else sim.fresh(page), label=by)
    turned = panel_text(sim, table)
    may.set()
    await sim.env.settle()
    assert panel_text(sim, table) == turned
    assert await used(sim, table) == [1, 0]
    assert "**Hint:**" in text_of(await sim.hand(sim.ada, table)), "it is there when they come back"


@pytest.mark.parametrize("slowly", [False, True])
async def test_one_asked_for_on_a_page_that_is_gone_comes_on_a_new_one(
    sim: Sim, monkeypatch: pytest.MonkeyPatch, slowly: bool
) -> None:
    """Its deletion was on its way when it was pressed, so Discord takes no answer that would change it.
    slowly: the click's time is over before the thought is."""
    table, page = await alone(sim)
    panels, owed = sim.bot.services.panels, answers_owed(monkeypatch)

    async def thought(game: str, view: View, chance: Generator) -> Advice:
        panels._let_go(panels._live[sim.ada.id, table.id], Fate.GOES)
        if slowly:
            await owed[0]._defer()
        return advise(game, view, chance)

    thinks(sim, monkeypatch, thought)
    before = len(sim.requests("POST", "/callback"))
    sim.env.inject_error("POST", "/interactions/*/*/callback", status=404, code=10008, times=1)
    result = await sim.ada.click(page, label="Hint")
    answers = [request.json["type"] for request in sim.requests("POST", "/callback")[before:]]
    assert answers == [6, 5 if slowly else 4], "a new message is taken where no change is"
    assert "**Hint:**" in answer(result)
    assert "**Hint:**" in panel_text(sim, table)
    assert await used(sim, table) == [1, 0]


async def test_where_the_disk_is_full_it_says_so_and_tells_none(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, page = await alone(sim)

    async def full(*_: object) -> None:
        raise StoreFull

    with monkeypatch.context() as patch:
        patch.setattr(sim.bot._store, "mark_hinted", full)
        result = await sim.ada.click(page, label="Hint")
    assert sayer("en")("error.store_full") in answer(result)
    assert "**Hint:**" not in text_of(sim.fresh(page))
    assert await used(sim, table) == [0, 0]


async def test_a_reason_is_not_needed(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> None:
    _, page = await alone(sim)

    async def silent(game: str, view: View, chance: Generator) -> Advice:
        return Advice((rules_of(game).legal(view)[0],), ())

    thinks(sim, monkeypatch, silent)
    await sim.ada.click(page, label="Hint")
    await sim.ada.click(sim.fresh(page), label="Why?")
    assert "nothing else is better" in text_of(sim.fresh(page))
