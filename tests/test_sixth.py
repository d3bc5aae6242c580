"""A sixth game, `tests/sixth`, is added by the steps of the README alone and is played everywhere.

The steps are held to what they say: each names one part of the table of games, where a game of the bot has
that part and the sixth has it too; and with any one left out it is told which is missing.
"""

from __future__ import annotations

import doctest
import inspect
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import fields, replace
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

import discord
import pytest
from PIL import Image
from simcord.actors import MemberActor

import tests.sixth
from bot.cli import main
from bot.client import create_bot
from bot.locale import LANGUAGES, keys, sayer, text
from bot.players import choose
from bot.rules import record as records
from bot.rules.chance import Generator
from bot.rules.game import Event, Game, advance
from bot.rules.registry import GAMES, Parts, game
from bot.settings import Settings
from bot.tables.model import Status, Table
from cogs.game_cog import GameCog
from rendering.scene import Scene
from tests.cogs.sim import Sim, alt_texts, answer, entries, text_of
from tests.rules import test_conformance as contract
from tests.rules.conformance import Case

MakeSim = Callable[..., Awaitable[Sim]]

ROOT = Path(__file__).parents[1]
FOLDER = Path(tests.sixth.__file__).parent
SIXTH = "corners"
PLACES = [place.name for place in fields(Parts)]


@pytest.fixture(autouse=True)
def sixth(monkeypatch: pytest.MonkeyPatch) -> Game[Any]:
    """The sixth game, added to the table of games for one test."""
    monkeypatch.setitem(GAMES, SIXTH, tests.sixth.PARTS)
    return game(SIXTH)


# --------------------------------------------------------------------------- the README's steps


def section() -> str:
    """ "Add a game" in the README."""
    readme = (ROOT / "README.md").read_text("utf-8")
    return readme.partition("### Add a game\n")[2].partition("\n### ")[0]


def steps() -> dict[str, str]:
    """Its steps: by the part of the table each begins with, its text."""
    numbered = re.findall(r"^(\d+)\. \*(\w+)\*: (.+(?:\n +.+)*)", section(), re.MULTILINE)
    assert [int(number) for number, _, _ in numbered] == list(range(1, len(numbered) + 1))
    return {place: text for _, place, text in numbered}


def files_of(game_id: str, place: str) -> list[Path]:
    """The files that are one part of a game, none where it is left out. Raises KeyError for no such part."""
    module = {each: str(getattr(GAMES[game_id], each)) for each in PLACES}[place]
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        spec = None
    if spec is None or spec.origin is None:
        return []
    origin = Path(spec.origin)
    if place == "texts":
        return [path for path in origin.parent.glob("*/*.po") if path.stem == game_id]
    return sorted(origin.parent.rglob("*.py")) if origin.name == "__init__.py" else [origin]


def missing(game_id: str) -> Iterator[str]:
    """The parts that a game lacks, by their names in the table, and what of each."""
    for place, names in {
        "rules": ["GAME"],
        "players": ["PLAYER"],
        "pictures": ["table_pictures", "hand_pictures"],
        "cog": ["setup"],
    }.items():
        if not files_of(game_id, place):
            yield place
            continue
        module = import_module(getattr(GAMES[game_id], place))
        yield from (f"{place}: {name}" for name in names if not hasattr(module, name))
    if {path.parent.name for path in files_of(game_id, "texts")} != set(LANGUAGES):
        yield "texts"


def test_the_readme_has_a_step_for_each_part_and_no_other() -> None:
    assert list(steps()) == PLACES


@pytest.mark.parametrize("place", PLACES)
def test_a_step_names_where_each_game_has_that_part(place: str) -> None:
    named = re.match(r"`([^`]+)`", steps()[place])
    assert named is not None, "a step begins with a path"
    for game_id in GAMES:
        if game_id == SIXTH:
            continue
        path = named[1].replace("<id>", game_id)
        expected = sorted(ROOT.glob(path.rstrip("/") + ("/**/*.py" if path.endswith("/") else "")))
        assert sorted(files_of(game_id, place)) == expected != []


def test_every_file_the_section_names_is_there() -> None:
    paths = [each for each in re.findall(r"`([^`]+)`", section()) if re.search(r"/|\.\w+$", each)]
    assert len(paths) > 10
    for path in paths:
        for game_id in GAMES.keys() - {SIXTH}:
            assert list(ROOT.glob(path.replace("<id>", game_id).rstrip("/"))), path


@pytest.mark.parametrize("place", [place for place in PLACES if place != "texts"])
def test_every_name_of_a_step_is_where_it_says(place: str) -> None:
    """What a part is called by (`name(arguments)`, `NAME = …`) is in that part of each game, for a cog in
    what all are made of; another name is in a file that the step tells."""
    told = re.findall(r"`([^`]+)`", steps()[place])
    parts: list[Any] = [import_module(getattr(each, place)) for each in GAMES.values()]
    files = [import_module(each[:-3].replace("/", ".")) for each in told if re.fullmatch(r"[\w/]+\.py", each)]
    if place == "cog":
        parts, files = [GameCog], [*parts, *files]
    for code in told:
        if called := re.fullmatch(r"(\w+)\((.*)\)", code):
            for part in parts:
                arguments = inspect.signature(getattr(part, called[1])).parameters
                assert [each for each in arguments if each != "self"] == called[2].split(", "), code
        elif found := re.fullmatch(r"(\w+) = …", code):
            assert all(hasattr(part, found[1]) for part in parts), code
        elif re.fullmatch(r"\w+", code):
            assert any(hasattr(file, code) for file in files), code
        else:
            assert re.search(r"/|\.\w+$", code), code


def test_the_sixth_game_is_its_parts_and_nothing_else() -> None:
    known = {path for place in PLACES for path in files_of(SIXTH, place)}
    there = {path for path in FOLDER.rglob("*") if path.suffix in {".py", ".po"}}
    assert {path.relative_to(FOLDER) for path in there - known} == {
        Path("__init__.py"), Path("locale/__init__.py"),
    }  # fmt: skip


def test_no_game_lacks_a_part() -> None:
    assert {game_id: list(missing(game_id)) for game_id in GAMES} == {game_id: [] for game_id in GAMES}


@pytest.mark.parametrize("place", PLACES)
def test_a_part_that_is_left_out_is_told(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, SIXTH, replace(tests.sixth.PARTS, **{place: "tests.sixth.nowhere"}))
    assert list(missing(SIXTH)) == [place]


@pytest.mark.parametrize("place", PLACES)
async def test_a_bot_whose_game_lacks_a_part_does_not_start(
    place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is told at once, not when somebody taps."""
    monkeypatch.setitem(GAMES, SIXTH, replace(tests.sixth.PARTS, **{place: "tests.sixth.nowhere"}))
    bot = create_bot(Settings(_env_file=None, data_dir=tmp_path))  # type: ignore[call-arg]
    try:
        with pytest.raises(Exception, match=r"tests\.sixth\.nowhere"):
            await bot.setup_hook()
    finally:
        await bot.close()


# --------------------------------------------------------------------------- the contract


def checks() -> Iterator[tuple[str, Callable[..., None]]]:
    """The tests of the contract that hold for more than one of the bot's games."""
    for name, check in vars(contract).items():
        if not name.startswith("test_") or not {"case", "rules"} & set(inspect.signature(check).parameters):
            continue
        marks = {mark.args[0]: mark.args[1] for mark in check.pytestmark}
        held = marks.get("case") or marks["rules"]
        bare = [one.values[0] if hasattr(one, "values") else one for one in held]  # of those that are long
        if len({getattr(one, "game", one) for one in bare}) > 1:
            yield name, check


CHECKS = dict(checks())


@pytest.mark.parametrize("name", CHECKS)
def test_the_sixth_game_keeps_the_contract(name: str, sixth: Game[Any]) -> None:
    given = {"case": Case(SIXTH, 2), "rules": sixth, "seed": "1", "language": "de"}
    CHECKS[name](**{each: given[each] for each in inspect.signature(CHECKS[name]).parameters})


def test_the_contract_is_more_than_a_few_checks() -> None:
    assert len(CHECKS) > 20
    assert not [name for name in CHECKS if "5_vor_12" in name or "top_12" in name]


def test_its_errors_have_their_texts() -> None:
    found = list(contract.raised(FOLDER / "rules", SIXTH))
    assert len(found) >= 4
    contract.errors_have_their_texts(found)


def test_its_languages_have_the_same_texts() -> None:
    each = [{key for key in keys(language) if key.startswith(f"{SIXTH}.")} for language in LANGUAGES]
    assert len(each[0]) > 20
    assert all(found == each[0] for found in each)


def test_its_examples_are_true() -> None:
    for module in ("tests.sixth.rules", "tests.sixth.rules.board"):
        found = doctest.testmod(import_module(module))
        assert found.attempted > 0
        assert found.failed == 0


def test_without_it_nothing_of_it_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(GAMES, SIXTH)
    assert not [key for key in keys("en") if key.startswith(f"{SIXTH}.")]
    with pytest.raises(KeyError):
        text("en", f"{SIXTH}.name")


# --------------------------------------------------------------------------- the command line


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(arguments) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("play", ["random", "computer"])
def test_it_plays_itself_and_its_record_verifies(
    play: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "game.json"
    path.write_text(told(capsys, "selfplay", SIXTH, "--seed", "7", "--play", play, "--legal"))
    assert told(capsys, "verify", str(path)) == f"{path}: ok\n"
    assert "Row 1: " in told(capsys, "picture", str(path), "--text", "--out", str(tmp_path / "board.png"))
    with Image.open(tmp_path / "board.png") as picture:
        assert picture.width == 800

    damaged = json.loads(path.read_text())
    damaged["events"][-1] = damaged["events"][-2]
    path.write_text(json.dumps(damaged))
    assert main(["verify", str(path)]) == 1


def test_a_computer_player_is_better_than_lots() -> None:
    """Most games are a draw, with two cells fewer."""
    won = lost = 0
    for seed in range(40):
        state = game(SIXTH).start(2, {})
        chance = Generator("strength", str(seed))
        while (outcome := state.outcome()) is None:
            seat = state.actors()[0]
            move = choose(SIXTH, state.view(0), chance) if seat == 0 else state.random_move(1, chance)
            state.apply(Event("move", move, seat))
            advance(state, str(seed), 0)
        won += outcome.scores[0]
        lost += outcome.scores[1]
    assert won > 10
    assert lost < 3


# --------------------------------------------------------------------------- pictures


def test_its_pictures_show_to_a_seat_what_it_has_blocked_and_to_no_other() -> None:
    drawing = import_module(tests.sixth.PARTS.pictures)
    scene = Scene(("Ada", "Ben"), sayer("en"))
    shown: list[tuple[bytes, bytes, bytes]] = []
    for corner in ("A1", "C3"):
        state = game(SIXTH).start(2, {})
        state.apply(Event("move", f"block {corner}", 0))
        (public,) = drawing.table_pictures(state.view(None), scene)
        (own,) = drawing.hand_pictures(state.view(0), scene)
        (other,) = drawing.hand_pictures(state.view(1), scene)
        assert f"Ada has blocked {corner}." in own.alt
        assert "Ada has blocked a corner." in other.alt
        shown.append((public.png, own.png, other.png))
    assert shown[0][0] == shown[1][0]
    assert shown[0][1] != shown[1][1]
    assert shown[0][2] == shown[1][2]
    with Image.open(BytesIO(shown[0][0])) as picture:
        assert (picture.format, picture.width) == ("PNG", 800)


# --------------------------------------------------------------------------- Discord


async def opened(sim: Sim, *people: MemberActor, **options: Any) -> Table:
    """A table of the sixth game, started by the first."""
    result = await people[0].slash(sim.channel, "corners new", **options)
    assert result.response is not None
    lobby = result.response.message
    for person in people[1:]:
        await person.click(sim.fresh(lobby), label="Join")
    table = await sim.table(lobby)
    await people[0].click(sim.fresh(lobby), label="Start")
    return await sim.bot.tables.table(table.id)


async def tap(sim: Sim, person: MemberActor, page: discord.Message, cell: str) -> discord.Message:
    """Choose a cell and play it."""
    page = await sim.choose(person, page, cell)
    await person.click(page, label="Play it")
    return sim.fresh(page)


async def verified(sim: Sim, table: Table) -> records.Record:
    """The record of a table that has ended."""
    assert (await sim.bot.tables.table(table.id)).status is Status.ENDED
    result = await sim.ada.slash(sim.channel, "table record", table=table.id)
    assert result.response is not None
    verdict = records.verify(await result.response.attachments[0].read())
    assert verdict.record is not None
    assert verdict.record.game == SIXTH
    return verdict.record


async def test_two_people_play_it_to_its_end(sim: Sim) -> None:
    table = await opened(sim, sim.ada, sim.ben)
    first = await sim.hand(sim.ada, table)
    assert "Which corner do you block?" in text_of(first)
    assert entries(first) == ["A1", "A3", "C1", "C3"]
    first = await tap(sim, sim.ada, first, "C3")
    assert any("Ada has blocked C3." in alt for alt in alt_texts(first))

    board = await sim.board(table)
    second = await sim.hand(sim.ben, table)
    for shown in (board, second):
        assert "C3" not in "".join(alt for alt in alt_texts(shown)).partition("Row")[0]
    assert any("Ada has blocked a corner." in alt for alt in alt_texts(board))
    assert "Ada has blocked a corner." in answer(await sim.cleo.slash(sim.thread(table), "table history"))
    as_text = await sim.ben.click(board, label="As text")
    assert "Ada has blocked a corner." in answer(as_text)
    await tap(sim, sim.ben, await sim.hand(sim.ben, table), "A1")

    assert any("Ada has blocked C3." in alt for alt in alt_texts(await sim.board(table)))
    [actor] = await sim.to_act(table)
    refused = await actor.slash(sim.channel, "corners move", move="block a1", table=table.id)
    assert "Both corners are blocked already." in answer(refused)
    table = await sim.play(table)
    record = await verified(sim, table)
    assert [event.text for event in record.events[:2]] == ["block C3", "block A1"]
    history = answer(await sim.cleo.slash(sim.thread(table), "table history"))
    assert "Ben has blocked A1." in history
    assert " begins." in history
    assert "Won by " in alt_texts(await sim.board(table))[0]


async def test_it_is_played_in_german_against_a_computer(make_sim: MakeSim) -> None:
    sim = await make_sim(locale="de")
    sim.speaks(sim.ada, "de")
    result = await sim.ada.slash(sim.channel, "corners new", computers=1)
    assert result.response is not None
    lobby = result.response.message
    assert "Gesperrte Ecken" in text_of(lobby)
    table = await sim.table(lobby)
    await sim.ada.click(sim.fresh(lobby), label="Starten")
    page = await sim.ada.slash(sim.channel, "corners rules")
    assert "Gesperrte Ecken" in answer(page)
    assert "So geht es" in answer(page)
    table = await sim.hurry(table)
    record = await verified(sim, table)
    assert {event.player for event in record.events} == {None, 0, 1}
    assert "gesperrt" in alt_texts(await sim.board(table))[0]


async def test_the_help_tells_of_it(sim: Sim) -> None:
    assert "Blocked Corners" in answer(await sim.ada.slash(sim.channel, "help"))
