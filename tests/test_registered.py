"""Commands are registered when they have changed, and one bad translation never keeps the others back."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot import registered
from tests.cogs.sim import Sim

GERMAN = {"de": "partien"}


def command(name: str, german: str | None = None, **more: Any) -> dict[str, Any]:
    said = {} if german is None else {"de": german}
    return {"type": 1, "name": name, "description": name, "name_localizations": said, **more}


def refusal(errors: dict[str, Any], code: int = registered.REFUSED) -> discord.HTTPException:
    response: Any = SimpleNamespace(status=400, reason="Bad Request")
    told = {"code": code, "message": "Invalid Form Body", "errors": errors}
    return discord.HTTPException(response, told)


FAULT = {"_errors": [{"code": "STRING_TYPE_REGEX", "message": "String value did not match"}]}


class Discord:
    """Takes all commands or none: not with one of these words as a translation. names: whether it says which
    one it was."""

    def __init__(self, *words: str, names: bool = True) -> None:
        self.words = words
        self.names = names
        self.took: Sequence[Any] | None = None
        self.asked = 0

    async def bulk_upsert_global_commands(self, application: int, payload: Sequence[Any]) -> None:
        self.asked += 1
        errors: dict[str, Any] = {}
        for place, one in enumerate(payload):
            if faults := self._faults(one):
                errors[str(place)] = faults
        if errors:
            raise refusal(errors if self.names else {"0": FAULT})
        self.took = copy.deepcopy(payload)

    def _faults(self, node: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for field in ("name_localizations", "description_localizations"):
            for language, said in (node.get(field) or {}).items():
                if said in self.words:
                    found.setdefault(field, {})[language] = FAULT
        for place, one in enumerate(node.get("options") or ()):
            if faults := self._faults(one):
                found.setdefault("options", {})[str(place)] = faults
        return found


async def registered_with(double: Discord, *commands: dict[str, Any]) -> list[Any]:
    await registered.register(double, 1, commands)  # type: ignore[arg-type]
    assert double.took is not None
    return list(double.took)


async def test_a_translation_that_discord_refuses_is_left_out_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    option = {"type": 4, "name": "players", "description": "x", "name_localizations": {"de": "spieler"}}
    group = command("table", "tisch", options=[command("new", "neu", options=[option])])
    double = Discord("spieler", "hilfe")
    took = await registered_with(double, command("games", "partien"), group, command("help", "hilfe"))
    assert double.asked == 2
    assert [one["name_localizations"] for one in took] == [{"de": "partien"}, {"de": "tisch"}, {}]
    new = took[1]["options"][0]
    assert new["name_localizations"] == {"de": "neu"}
    assert new["options"][0]["name_localizations"] == {}
    assert "table new players: name_localizations de" in caplog.text
    assert "help: name_localizations de" in caplog.text


async def test_where_discord_does_not_say_which_one_all_are_left_out() -> None:
    double = Discord("hilfe", names=False)
    took = await registered_with(double, command("games", "partien"), command("help", "hilfe"))
    assert [one["name_localizations"] for one in took] == [{}, {}]


async def test_what_is_no_translations_fault_is_raised() -> None:
    double = Discord()

    async def refuses(*_: object, **__: object) -> None:
        double.asked += 1
        raise refusal({"0": {"description": FAULT}})

    double.bulk_upsert_global_commands = refuses  # type: ignore[method-assign]
    with pytest.raises(discord.HTTPException):
        await registered_with(double, command("games"))
    assert double.asked == 1

    async def fails(*_: object, **__: object) -> None:
        double.asked += 1
        raise refusal({}, code=30034)  # too many commands made today

    double.bulk_upsert_global_commands = fails  # type: ignore[method-assign]
    with pytest.raises(discord.HTTPException):
        await registered_with(double, command("games", "partien"))
    assert double.asked == 2


@pytest.mark.parametrize(
    "bad", ["Partien", "alle partien", "", "x" * 33, "a/b", "\u200bx"], ids=lambda bad: repr(bad)[:12]
)
async def test_a_name_that_is_none_is_not_even_sent(bad: str, caplog: pytest.LogCaptureFixture) -> None:
    double = Discord()
    took = await registered_with(double, command("games", bad), command("help", "hilfe"))
    assert double.asked == 1
    assert [one["name_localizations"] for one in took] == [{}, {"de": "hilfe"}]
    assert "games: name_localizations de" in caplog.text


@pytest.mark.parametrize("good", ["partien", "ゲーム", "खेल", "เกม", "l'aide", "a-b_c"])
def test_a_name_in_any_script_is_one(good: str) -> None:
    assert registered.sound([command("games", good)])[1] == []


def test_long_descriptions_and_names_of_choices_are_left_out() -> None:
    choice = {"name": "One", "value": 1, "name_localizations": {"de": "Eins Komma 0!", "fr": "x" * 101}}
    option = command("players", choices=[choice], description_localizations={"de": "y" * 101, "fr": "oui"})
    made, left = registered.sound([command("games", options=[option])])
    assert made[0]["options"][0]["description_localizations"] == {"fr": "oui"}
    assert made[0]["options"][0]["choices"][0]["name_localizations"] == {"de": "Eins Komma 0!"}
    assert len(left) == 2


def test_two_beside_each_other_never_have_one_name_in_a_language() -> None:
    """Of the two the first keeps it; a name that is another's own goes, too."""
    made, left = registered.sound(
        [
            command("games", "partien"),
            command("matches", "partien"),
            command("table", "help"),
            command("help"),
            command("other", options=[command("games", "partien")]),
        ]
    )
    said = [one["name_localizations"] for one in made]
    assert said == [{"de": "partien"}, {}, {}, {}, {}]
    assert made[4]["options"][0]["name_localizations"] == {"de": "partien"}
    assert len(left) == 2


async def test_our_own_translations_are_all_taken(sim: Sim) -> None:
    assert registered.sound((await sim.bot.commands_now()).payload)[1] == []


async def test_a_new_data_folder_registers_nothing_that_discord_has(sim: Sim) -> None:
    """Several machines on one database have a folder each, a container perhaps a new one at every start."""
    payload = (await sim.bot.commands_now()).payload
    there = [
        {**copy.deepcopy(one), "id": "1", "version": "2", "application_id": "3", "nsfw": False}
        for one in reversed(payload)
    ]
    permissions = [one for one in there if one["default_member_permissions"] is not None]
    for one in permissions:  # Discord tells them as a text
        one["default_member_permissions"] = str(one["default_member_permissions"])
    assert permissions

    class Http:
        def __init__(self, told: list[Any]) -> None:
            self.told = told

        async def request(self, *_: object, **more: Any) -> list[Any]:
            assert more["params"] == {"with_localizations": "true"}
            return self.told

    assert await registered.is_registered(Http(there), 3, payload)  # type: ignore[arg-type]
    there[0]["description"] = "something else"
    assert not await registered.is_registered(Http(there), 3, payload)  # type: ignore[arg-type]
    assert not await registered.is_registered(Http(there[1:]), 3, payload)  # type: ignore[arg-type]


async def test_a_bad_translation_leaves_the_bot_with_all_its_commands(
    sim: Sim, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Through the whole start, once: the next one does not try again."""
    sim.faults_expected = True
    (sim.settings.data_dir / registered.NOTE).write_text("another\n")
    double = Discord("partien")
    monkeypatch.setattr(
        discord.http.HTTPClient,
        "bulk_upsert_global_commands",
        lambda _, application, payload: double.bulk_upsert_global_commands(application, payload),
    )
    await sim.restart()
    assert double.asked == 2
    assert double.took is not None
    names = {one["name"]: one["name_localizations"] for one in double.took}
    assert "de" not in names["games"]
    assert "de" in next(one for one in double.took if one["name"] == "table")["description_localizations"]
    assert "games: name_localizations de" in caplog.text
    await sim.restart()
    assert double.asked == 2
