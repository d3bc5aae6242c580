"""Everybody reads their own language in private; the server reads its own in public."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from discord import Locale, app_commands

from bot.client import Translator
from bot.locale import LANGUAGES, keys

from .sim import Sim, alt_texts, answer, buttons, custom_ids, text_of

MakeSim = Callable[..., Awaitable[Sim]]


async def test_a_german_server_and_an_english_player(make_sim: MakeSim) -> None:
    sim = await make_sim(locale="de")
    sim.speaks(sim.ben, "de")
    lobby = await sim.new(sim.ada, players=2)
    assert "Mitspielen" in buttons(lobby)
    assert "Gastgeber" in text_of(lobby)
    await sim.ben.click(lobby, label="Mitspielen")
    table = await sim.table(lobby)
    await sim.ada.click(sim.fresh(lobby), label="Starten")
    board = await sim.board(table)
    assert "am Zug" in text_of(board)
    assert "Reihe für Reihe" in alt_texts(board)[0]

    result = await sim.ada.click(board, label="Dein Zug")
    assert "Where does the" in answer(result)
    result = await sim.ben.click(board, label="Dein Zug")
    assert "Wohin mit" in answer(result)
    result = await sim.press(sim.ben, lobby, custom_ids(lobby)[0])
    assert "schon" in answer(result).lower() or "begonnen" in answer(result)


async def test_a_setting_overrides_discords_language(sim: Sim) -> None:
    result = await sim.ada.slash(sim.channel, "profile")
    assert result.response is not None
    page = result.response.message
    await sim.ada.select(page, ["de"], custom_id="ps:-:0:set_user:language")
    assert "Deine Einstellungen" in text_of(sim.fresh(page))
    result = await sim.ada.slash(sim.channel, "games")
    assert "keinem Tisch" in answer(result)
    await sim.ada.select(sim.fresh(page), ["auto"], custom_id="ps:-:0:set_user:language")
    assert "Your settings" in text_of(sim.fresh(page))


async def test_the_last_language_seen_serves_direct_messages(sim: Sim) -> None:
    sim.speaks(sim.ben, "de")
    await sim.bot.tables.set_user(sim.ben.id, notices="dm")
    table = await sim.started(sim.ada, sim.ben)
    letters = sim.messages(sim.ben.user.dm_channel.id)
    assert "Du bist am Zug" in text_of(letters[-1])
    assert table.id in text_of(letters[-1])


async def test_a_language_we_do_not_have_falls_back_to_english(sim: Sim) -> None:
    sim.speaks(sim.ada, "ja")
    result = await sim.ada.slash(sim.channel, "games")
    assert "not sitting at any table" in answer(result)


async def test_command_names_and_descriptions_are_localised_and_valid(sim: Sim) -> None:
    payload = [
        await command.get_translated_payload(sim.bot.tree, Translator())
        for command in sim.bot.tree.get_commands()
    ]

    def walk(node: dict[str, object]) -> None:
        for field in ("name", "description"):
            for said in (node.get(f"{field}_localizations") or {}).values():  # type: ignore[attr-defined]
                assert 1 <= len(said) <= 100
                if field == "name" and "value" not in node:
                    assert re.fullmatch(r"[-_'\w]{1,32}", said)
                    assert said == said.lower()
        for child in (*(node.get("options") or ()), *(node.get("choices") or ())):  # type: ignore[misc]
            walk(child)

    for command in payload:
        walk(command)
        assert len(str(command)) > 0
    games = next(command for command in payload if command["name"] == "games")
    assert games["name_localizations"]["de"] == "partien"
    assert games["description_localizations"]["de"].startswith("Alle deine Tische")
    new = next(c for c in payload if c["name"] == "5vor12")["options"][0]
    assert {option["name"] for option in new["options"]} == {
        "players", "computers", "strength", "clock", "timeout", "by-invitation",
        "series", "first", "setup", "bruno",
    }  # fmt: skip


async def test_the_translator_leaves_other_languages_alone() -> None:
    where = app_commands.TranslationContext(  # type: ignore[call-overload]
        app_commands.TranslationContextLocation.command_description,
        data=None,
    )
    string = app_commands.locale_str("x", key="command.games")
    assert await Translator().translate(string, Locale.japanese, where) is None
    assert await Translator().translate(app_commands.locale_str("x"), Locale.german, where) is None
    assert "Tische" in (await Translator().translate(string, Locale.german, where) or "")


def test_every_key_the_cogs_name_is_there() -> None:
    """Keys written out in the code; composed ones are met by the other tests."""
    from pathlib import Path

    import cogs

    domains = (
        "common|error|permission|command|lobby|table|menu|vote|history|hand|notice|games|help|admin|profile"
    )
    written = re.compile(rf'"((?:{domains})\.[a-z_.]+)"')
    named = {
        key
        for path in Path(cogs.__path__[0]).rglob("*.py")
        for key in written.findall(path.read_text("utf-8"))
    }
    assert len(named) > 100
    for language in LANGUAGES:
        assert named - keys(language) == set()
