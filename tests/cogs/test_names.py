"""People with hostile names at a table with a computer player: what Discord is sent, surface by surface."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest

from bot.locale import sayer
from bot.tables.model import SeatKind
from bot.tables.names import AUTOMATIC
from bot.text import units
from cogs.surfaces import wording
from tests.sweeps import swept

from .sim import Sim, alt_texts, answer, custom_id, menus, text_of

ALIVE = "[x](https://example.org) @everyone <@1> `a` **b**"
GROUPS = {
    "machines": (
        "en-US",
        ("Easy computer", "⚙ Easy computer", "Ann (stand-in)", "⚙\ufe0f Ann (seat is free)"),
    ),
    "marks": ("de", ("Ann (Vertretung)", "⚙ Ann (Platz frei)", "A\u061cn\u202e\u2066n", "Z" + "\u0338" * 60)),
    "alive": ("en-US", (ALIVE, "# head", "漢" * 32, "محمد عبد الله")),
    "emoji": (
        "de",
        ("🇩🇪", "👨\u200d👩\u200d👧\u200d👦" * 8, "||s|| <t:1:R> discord.gg/abc", "- \u2060@here"),
    ),
}
DEAD = ("](", "@everyone", "@here", "<@1>", "`a`", "**b**", "||s||", "<t:1:R>", "discord.gg/", "# head")
ESCAPED = re.compile(r"\\[!-/:-@\[-`{-~]")


def strings(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a request's body, with the field that it stands in."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from strings(inner, name)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner, key)
    elif isinstance(value, str):
        yield key, value


def sent(sim: Sim) -> list[tuple[str, str]]:
    """Every text that people read in what went to Discord, with its field."""
    fields = {"content", "label", "placeholder", "description", "title", "name"}
    found = [one for r in sim.env.http_requests if "/commands" not in r.path for one in strings(r.json)]
    return [(field, text) for field, text in found if field in fields]


def faults(text: str, field: str, machines: tuple[str, ...]) -> Iterator[str]:
    """What a name has brought into the text that should not be there. machines: names that a sign stands
    before."""
    plain = text.replace("@\u2060", "@") if field == "content" else text
    for at, letter in enumerate(plain):
        if unicodedata.category(letter) in {"Cf", "Cs"} and not (
            letter == "\u200d" and plain[at - 1] in "👨👩👧"
        ):
            yield f"a raw mark U+{ord(letter):04X}"
    if re.search(r"[\u0300-\u036f]{4}", plain):
        yield "a flood of marks"
    if re.search(
        "\u200d…|(?<![\U0001f1e6-\U0001f1ff])[\U0001f1e6-\U0001f1ff](?![\U0001f1e6-\U0001f1ff])", plain
    ):
        yield "half a letter"
    for name in machines:
        plain = plain.replace(f"{AUTOMATIC} {name}".replace("@\u2060", "@"), "")
    if AUTOMATIC in re.sub(f"{AUTOMATIC}[^,]*…$", "", plain):  # the last one's label may be cut
        yield "a machine's sign without a machine"
    if field == "content":
        bare = re.sub(r"\]\(https://discord\.com/", "", ESCAPED.sub("", text))
        yield from (f"{living!r} is alive" for living in DEAD if living in bare)


async def pressed(sim: Sim, person: Any, message: Any, verb: str) -> Any:
    custom = custom_id(message, verb)
    return await person.click(message, custom_id=custom)


@pytest.mark.parametrize("group", swept(GROUPS, daily=("machines", "alive")))
async def test_no_name_brings_anything_to_life_or_passes_for_a_machine(group: str, make_sim: Any) -> None:
    locale, called = GROUPS[group]
    sim: Sim = await make_sim(locale=locale)
    people = [
        sim.guild.add_member(sim.env.create_user(f"person{n}", global_name=name))
        for n, name in enumerate(called)
    ]
    sim.ada, sim.ben, sim.cleo, sim.dev = people
    for person in people:
        sim.speaks(person, locale)
    await sim.bot.tables.set_user(sim.ben.id, notices="dm")
    say = sayer(locale[:2])

    # the lobby, the table, the thread, the hands
    result = await sim.ada.slash(sim.channel, "topspot new", players=5)
    assert result.response is not None
    lobby = result.response.message
    for person in people[1:]:
        await pressed(sim, person, sim.fresh(lobby), "join")
    await pressed(sim, sim.ada, sim.fresh(lobby), "add_computer")
    table = await sim.table(lobby)
    shown = [wording.plain(seat.name) for seat in table.humans]
    bare = [wording.bare(seat.name) for seat in table.humans]
    machine, pictured = say("tables.seat.computer.easy"), say("tables.seat.computer.easy.short")
    machines = tuple(name.partition(" ")[2] for name in (machine, pictured))
    assert machine not in bare
    said = text_of(sim.fresh(lobby))
    assert all(name in said for name in (*shown, machine))
    await pressed(sim, sim.ada, sim.fresh(lobby), "start")
    table = await sim.bot.tables.table(table.id)
    thread = sim.thread(table)
    titles = [wording.titled(seat.name) for seat in table.humans]
    assert thread.name.split(": ")[-1].startswith(titles[0])
    assert not set("@/:<>[]()*_`|#~\\") & set(thread.name.split(": ", 1)[-1]), thread.name
    assert units(thread.name) <= 100
    (alt, *_) = alt_texts(await sim.board(table))
    assert pictured in alt
    for person in people:
        assert sim.messages(person.user.dm_channel.id)

    # what is asked for in private
    actor = (await sim.to_act(table))[0]
    await pressed(sim, actor, await sim.board(table), "move")
    result = await pressed(sim, sim.ada, await sim.board(table), "text")
    assert all(name in answer(result) for name in (*shown, machine))
    choices = await sim.ada.autocomplete(sim.channel, "table show", "table", "")
    choices += await sim.ada.autocomplete(sim.channel, "topspot move", "table", "")
    assert len(choices) == 2
    for choice in choices:
        assert units(choice["name"]) <= 100
        assert not list(faults(choice["name"], "name", machines))
    assert shown[1] in answer(await sim.ada.slash(sim.channel, "games"))
    menu = (await pressed(sim, sim.ada, await sim.board(table), "menu")).response.message
    labels = [text for field, text in sent(sim) if field == "label"]
    assert any(bare[1] in label for label in labels), "the entries about the others"

    # a question to the table, and its line
    (entry,) = [custom for custom, _ in menus(menu) if ":people:" in custom]
    await sim.ada.select(menu, [f"kick.3.{sim.dev.id}"], custom_id=entry)
    assert shown[3] in text_of(await sim.board(table))
    for field, text in sent(sim):
        assert not list(faults(text, field, machines)), (field, text)

    # a machine plays on for somebody, and it shows everywhere
    result = await sim.dev.slash(thread, "table resign")
    await pressed(sim, sim.dev, result.response.message, "resign")  # type: ignore[union-attr]
    table = await sim.bot.tables.table(table.id)
    assert table.seats[3].kind is SeatKind.STAND_IN
    await sim.env.settle()
    signs = (*machines, shown[3], bare[3])
    result = await pressed(sim, sim.ada, await sim.board(table), "text")
    assert f"{AUTOMATIC} {shown[3]}" in answer(result)
    assert wording.bare_names(table, say) == (*bare[:3], f"{AUTOMATIC} {bare[3]}", machine)
    assert shown[0] in answer(await sim.ada.slash(thread, "table history"))

    # the end, and what is left of it
    menu = (await pressed(sim, sim.ada, await sim.board(table), "menu")).response.message
    await pressed(sim, sim.ada, menu, "end")
    await pressed(sim, sim.ada, sim.fresh(menu), "end")
    assert shown[0] in text_of(await sim.final(table))
    record = json.dumps(await sim.bot.tables.record(table.id), ensure_ascii=False, default=str)
    for field, text in [*sent(sim), ("record", record)]:
        assert not list(faults(text, field, signs)), (field, text)
