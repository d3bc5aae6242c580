"""People who play any game by taps: what a cog's tests share.

A tap is chosen by a seeded generator among what a private page offers; whole games are played by taps first
and by typed moves for the rest, and end with the score that the record proves.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import discord
import pytest
from simcord.actors import MemberActor

from bot.discord_io import Answer, DiscordIO, Reach
from bot.rules import record as records
from bot.rules.chance import Generator
from bot.rules.game import Event, Game, State, View
from bot.tables.model import Person, Status, Table
from cogs.game_cog import GameCog
from cogs.surfaces import steps
from cogs.surfaces.components import OPTIONS, Page, Parts, Select, page, render
from cogs.surfaces.hand import at_table, step_controls
from tests.sweeps import swept
from tests.tables.support import typed

from .sim import Sim, controls, custom_ids, entries, menus, text_of

LABEL, OPTION_TEXT, QUESTION = 80, 100, 150

# A whole game each, and one for each mechanism, is enough for every day: the others go on for some taps.
TO_THE_END = pytest.mark.parametrize("whole", swept([False, True]))


# ------------------------------------------------------------------------------------ by taps


async def opened(sim: Sim, slash: str, *people: MemberActor, **options: Any) -> Table:
    """A table at which these people play, started by the first, who may have invited computers."""
    result = await people[0].slash(sim.channel, f"{slash} new", **options)
    assert result.response is not None
    assert not result.response.ephemeral, text_of(result.response)
    lobby = result.response.message
    for person in people[1:]:
        await person.click(sim.fresh(lobby), label="Join")
    table = await sim.table(lobby)
    await people[0].click(sim.fresh(lobby), label="Start")
    return await sim.bot.tables.table(table.id)


async def tap(sim: Sim, person: MemberActor, shown: discord.Message, chance: Generator) -> discord.Message:
    """One tap on a private page: confirm what is confirmed, else an entry, an act or a way on."""
    shown = sim.fresh(shown)
    hand: Any = person.user if shown.guild is None else person
    play = controls(shown, "play")
    offers: list[tuple[str, list[str] | None]] = [(one, None) for one in controls(shown, "act", "way")]
    offers += [(one, [value]) for one, values in menus(shown) for value in values]
    if play and (not entries(shown) or chance.below(3)):
        await hand.click(shown, custom_id=play[0])
    else:
        custom, values = chance.choice(offers)
        if values is None:
            await hand.click(shown, custom_id=custom)
        else:
            await hand.select(shown, values, custom_id=custom)
    return sim.fresh(shown)


def open_choice(shown: discord.Message) -> bool:
    return bool(controls(shown, "play", "act", "way", "pick"))


async def taps(sim: Sim, table: Table, count: int, seed: str) -> Table:
    """Whoever has the turn taps, so many times at most."""
    chance = Generator(seed, "taps")
    while count > 0:
        actors = await sim.to_act(table)
        if not actors:
            break
        person = chance.choice(actors)
        shown = await sim.hand(person, table)
        while count > 0 and open_choice(shown):
            shown = await tap(sim, person, shown, chance)
            count -= 1
    return await sim.bot.tables.table(table.id)


async def finished(sim: Sim, table: Table, quick: Callable[[View, Generator], str]) -> Table:
    """The rest of the game by typed moves that `quick` chooses, nothing being painted meanwhile; then as
    `proven`."""
    painter, repaints, tables = sim.bot.services.painter, sim.bot.services.repaints, sim.bot.tables
    repaints._parked.add(table.id)
    for turn in range(600):
        loaded = await tables.load(table.id)
        if loaded.table.status is not Status.PLAYING or loaded.state is None:
            break
        people = [seat for seat in loaded.table.humans if seat.since]
        if not people:
            await sim.env.settle()  # computer players
            continue
        move = quick(loaded.state.view(people[0].index), Generator("quick", str(turn)))
        with sim.env._bot_scope():
            await typed(tables, table.id, Person(people[0].user or 0, "x"), move)
    await sim.env.settle()
    repaints.unpark()
    with sim.env._bot_scope():
        await painter.paint(table.id)
    await sim.env.settle()
    return await proven(sim, table)


async def played_on(sim: Sim, table: Table, quick: Callable[[View, Generator], str], whole: bool) -> Table:
    """As `finished`; or, without `whole`, seen to be going on as its board shows."""
    if whole:
        return await finished(sim, table, quick)
    await sim.env.settle()
    table = await sim.bot.tables.table(table.id)
    assert table.status is Status.PLAYING
    assert table.painted == table.revision
    assert controls(await sim.board(table), "move")
    return table


async def proven(sim: Sim, table: Table) -> Table:
    """Checks that the table has ended with the score that the exported record proves, and that nothing on
    its public message can be pressed any more."""
    table = await sim.bot.tables.table(table.id)
    assert table.status is Status.ENDED
    assert table.outcome is not None
    written = await sim.bot.tables.record(table.id)
    assert records.verify(written.encode()).fault is None
    outcome = json.loads(written)["outcome"]
    assert (outcome["scores"], outcome["winners"]) == (
        list(table.outcome.scores),
        list(table.outcome.winners),
    )
    assert custom_ids(await sim.board(table)) == []
    told = text_of(await sim.final(table))
    for score in table.outcome.scores:
        assert str(score) in told
    return table


# ------------------------------------------------------------------------------------ by the steps


def bare(kind: type[GameCog], game: Game) -> GameCog:
    """A cog without a client, for its pure functions."""
    cog = kind.__new__(kind)
    cog.game = game
    return cog


def reached(cog: GameCog, view: View, check: Callable[[str, steps.Step], None]) -> set[str]:
    """Every move that taps lead to. `check` is called with every draft's step that is shown. Where moves of
    the same turn follow, it goes no further: what may be chosen then is of a later position."""
    found: set[str] = set()
    seen: set[str] = set()
    ahead = [""]
    while ahead:
        draft, step = steps.settle(cog.step, view, ahead.pop())
        if draft in seen:
            continue
        seen.add(draft)
        check(draft, step)
        if step.move:
            found.add(step.move)
        before = steps.back(cog.step, view, step)
        if before is not None:
            assert steps.settle(cog.step, view, before)[0] == before
        if step.then:
            continue
        for choice in step.choices:
            if choice.act:
                found.add(choice.draft)
            else:
                ahead.append(choice.draft)
    return found


def path(cog: GameCog, view: View, move: str, leads: Callable[[str, str], bool]) -> int:
    """The taps to one move, for trees too large to walk. leads: whether a draft can become the move."""
    draft, taps = "", 0
    while True:
        draft, step = steps.settle(cog.step, view, draft)
        if step.move == move:
            return taps + 1
        ways = [choice for choice in step.choices if leads(choice.draft, move)]
        assert len(ways) == 1, (draft, move, [choice.draft for choice in ways])
        draft, taps = ways[0].draft, taps + 1
        if ways[0].act:
            return taps


def fits_discord(cog: GameCog, table: Table, view: View, say: Any) -> Callable[[str, steps.Step], None]:
    """A check of a step's controls against Discord's limits."""

    def check(draft: str, step: steps.Step) -> None:
        blocks = step_controls(at_table(table.id, table.revision), step, draft, True, say, undoable=True)
        sheet: Page = page(*blocks)
        for block in sheet.blocks:
            if isinstance(block, Select):
                assert len(block.placeholder) <= QUESTION
                assert 1 <= len(block.entries) <= OPTIONS
                assert 1 <= block.most <= len(block.entries)
                for entry in block.entries:
                    assert 1 <= len(entry.label) <= OPTION_TEXT
                    assert len(entry.description) <= OPTION_TEXT
        for choice in step.choices:
            assert 1 <= len(steps.said(choice.label, say)) <= LABEL
        shown = render(sheet).view
        assert shown.total_children_count - 1 <= steps.PARTS
        customs = [item.custom_id for item in shown.walk_children() if getattr(item, "custom_id", None)]  # type: ignore[attr-defined]
        assert len(set(customs)) == len(customs)
        assert all(len(custom) <= 100 for custom in customs)

    return check


def positions(
    rules: Game, players: int, options: dict[str, Any], seed: str, *, most: int = 400, lucky: bool = True
) -> Iterator[tuple[State, int]]:
    """Every decision of a random game, with its seat. lucky: moves uniform; else stand-ins now and then."""
    state = rules.start(players, options)
    chance = Generator(seed, "moves")
    for index in range(most):
        if state.outcome() is not None:
            return
        if state.chance_due():
            state.apply(state.draw(Generator(seed, f"event:{index}")))
            continue
        seat = chance.choice(state.actors())
        yield state, seat
        move = state.random_move(seat, chance) if lucky or chance.below(2) else state.stand_in(seat)
        state.apply(Event("move", move, seat))


# ------------------------------------------------------------------------------------ what people see


class Ears:
    """Everything the bot sends, by who can see it, with the pictures' bytes: channels by their id, private
    answers by `-user`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.heard: list[tuple[int, Any]] = []
        real_send, real_edit, real_edit_answer = DiscordIO.send, DiscordIO.edit, DiscordIO.edit_answer
        real_show, real_update = Answer.show, Answer.update

        async def send(io: DiscordIO, channel: int, parts: Parts, **more: Any) -> Any:
            self.hear(channel, parts)
            return await real_send(io, channel, parts, **more)

        async def edit(io: DiscordIO, channel: int, message: int, parts: Parts, **how: Any) -> Any:
            self.hear(channel, parts)
            return await real_edit(io, channel, message, parts, **how)

        async def edit_answer(io: DiscordIO, reach: Reach, parts: Parts) -> Any:
            self.hear(-reach.interaction.user.id, parts)
            return await real_edit_answer(io, reach, parts)

        async def show(answer: Answer, parts: Parts, *, public: bool = False) -> Any:
            self.hear(0 if public else -answer.interaction.user.id, parts)
            return await real_show(answer, parts, public=public)

        async def update(answer: Answer, parts: Parts) -> Any:
            self.hear(-answer.interaction.user.id, parts)
            return await real_update(answer, parts)

        for function in (send, edit, edit_answer):
            monkeypatch.setattr(DiscordIO, function.__name__, function)
        for answering in (show, update):
            monkeypatch.setattr(Answer, answering.__name__, answering)

    def hear(self, where: int, parts: Parts) -> None:
        files = []
        for file in parts.files:
            start = file.fp.tell()
            files.append((file.filename, file.description, file.fp.read()))
            file.fp.seek(start)
        self.heard.append((where, (json.dumps(parts.view.to_components()), tuple(files))))

    def other_than(self, *people: MemberActor) -> list[tuple[int, Any]]:
        """What reached anybody but these people in private, place by place: what comes to two places at once
        comes in any order."""
        theirs = {-person.id for person in people} | {person.user.dm_channel.id for person in people}
        others = [heard for heard in self.heard if heard[0] not in theirs]
        return sorted(others, key=lambda heard: heard[0])


async def replay(
    sim: Sim,
    slash: str,
    events: Sequence[Event],
    people: Sequence[MemberActor],
    watcher: MemberActor,
    **options: Any,
) -> list[list[str]]:
    """Plays these events at a new table (its chance must come from them too, see the caller), while `watcher`
    looks at everything after each decision; what was suggested to them."""
    table = await opened(sim, slash, *people, **options)
    suggested = []
    for number, event in enumerate(events):
        if event.kind == "move" and event.player is not None:
            seats = (await sim.bot.tables.table(table.id)).seats
            with sim.env._bot_scope():
                await typed(sim.bot.tables, table.id, Person(seats[event.player].user or 0, "x"), event.text)
            await sim.env.settle()
            await sim.hand(watcher, table)
            found = await watcher.autocomplete(sim.channel, f"{slash} move", "move", "", table=table.id)
            suggested.append([choice["value"] for choice in found])
            if number % 4 == 0:
                await watcher.click(await sim.board(table), label="As text")
                await watcher.slash(sim.channel, "table history", table=table.id)
    return suggested


def live(sim: Sim, table: Table, *verbs: str) -> list[discord.Message]:
    """Public messages of the table with one of these controls."""
    found = []
    for channel in (sim.channel.id, *(thread.id for thread in sim.channel.threads)):
        for message in sim.messages(channel):
            controls = [custom.split(":") for custom in custom_ids(message)]
            if any(part[1] == table.id and part[3] in verbs for part in controls):
                found.append(message)
    return found
