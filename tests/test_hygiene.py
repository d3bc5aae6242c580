"""What would trip a newcomer or a clean machine: paths, hosts, and packages that are not listed."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
import subprocess
import sys
import tomllib
from importlib import metadata
from itertools import chain
from math import ceil
from pathlib import Path

import discord
import grimp
import pytest
from discord import app_commands
from PIL import Image

ROOT = Path(__file__).parents[1]
TOP = ("bot", "cogs", "rendering")


def tracked() -> list[Path]:
    found = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if found.returncode != 0:
        pytest.skip("not a git checkout, so what is tracked is not known")
    return [ROOT / name for name in found.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_a_registry_host_or_a_path_of_a_machine() -> None:
    hosts = "|".join(("py" + "pi", "python" + "hosted", "npm" + "js", "deb" + "ian"))
    bad = re.compile(rf"https?://[^/ ]*({hosts})|/(wor[k]|roo[t])/".encode())
    assert [path for path in tracked() if bad.search(path.read_bytes())] == []


def test_every_package_that_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    ranges = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    declared = {plain(re.split(r"[^\w.-]", one)[0]) for one in ranges}
    ours = {*TOP, "tests", *sys.stdlib_module_names}
    homes = metadata.packages_distributions()
    imported = re.compile(r"^ *(?:from|import) (\w+)[\w.]*(?: import |,|$| as )", re.MULTILINE)
    found = {
        name: path.name
        for path in tracked()
        if path.suffix == ".py"
        for name in imported.findall(path.read_text("utf-8"))
        if name not in ours
    }
    assert {"discord", "pytest"} <= set(found)
    missing = {
        name: file
        for name, file in found.items()
        if declared.isdisjoint(plain(home) for home in homes.get(name, [name]))
    }
    assert missing == {}


def plain(name: str) -> str:
    """A distribution's name as it is compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_folder_of_code_is_a_package_and_nothing_else_stands_at_the_top() -> None:
    code = {path.parent for top in TOP for path in (ROOT / top).rglob("*.py")}
    assert [folder for folder in sorted(code) if not (folder / "__init__.py").is_file()] == []
    folders = {path.relative_to(ROOT).parts[0] for path in tracked() if len(path.relative_to(ROOT).parts) > 1}
    assert folders <= {".ci", "bot", "cogs", "docs", "rendering", "tests"}


def test_the_readmes_pictures_are_small_all_shown_and_not_shipped() -> None:
    pictures = sorted((ROOT / "rendering" / "readme").iterdir())
    shown = re.findall(r'<img src="([^"]+)"[^>]* alt="[^"]{20,}"', (ROOT / "README.md").read_text("utf-8"))
    assert sorted(shown) == [str(path.relative_to(ROOT)) for path in pictures]
    assert 0 < len(pictures) <= 10
    for path in pictures:
        assert path.stat().st_size <= 40_000
        with Image.open(path) as picture:
            assert (picture.format, picture.mode, picture.width) == ("PNG", "P", 400)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    assert project["package-data"]["rendering"] == ["py.typed"]


def test_the_projection_s_shards_and_processes_are_what_it_says_they_are() -> None:
    """1,500 servers on a shard (2,500 where there is one alone), from 150,000 on a multiple of 16; 60,000
    servers or 50 taps a second on a process."""
    page = (ROOT / "docs/growth.md").read_text("utf-8")
    rows = re.findall(
        r"^\| ([\d,]+) \|[^|]*\|[^|]*\| ([\d.]+) \|[^|]*\|[^|]*\| (\d+) \| (\d+)\b", page, re.MULTILINE
    )
    assert len(rows) == 4
    for written, taps, shards, processes in rows:
        servers = int(written.replace(",", ""))
        wanted = 1 if servers < 2_500 else ceil(servers / 1_500)
        if servers >= 150_000:
            wanted = ceil(wanted / 16) * 16
        assert int(shards) == wanted
        assert int(processes) == max(ceil(servers / 60_000), ceil(float(taps) / 50))


@pytest.mark.long
def test_the_readmes_test_command_runs_stores_and_tables_on_both_databases() -> None:
    """And the longer one that CONTRIBUTING names runs all of both on both."""
    command = "python -m pytest"
    assert f"&& {command}\n" in (ROOT / "README.md").read_text("utf-8")
    every_day = _collected("tests/storage", "tests/tables")
    for folder in ("storage", "tables"):
        for kind in ("sqlite", "postgresql"):
            assert [one for one in every_day if folder in one and f"[{kind}" in one], f"{folder} on {kind}"
    assert [one for one in every_day if "test_killed_at_any_instant[postgresql" in one]
    assert [one for one in every_day if "storage/test_several" in one]
    whole = ["-m", "long or not long", "tests/storage", "tests/tables"]
    assert f"{command} {shlex.join(whole)}".replace("'", '"') in (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert every_day < _collected(*whole)


def _collected(*arguments: str) -> set[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {line for line in done.stdout.splitlines() if "::" in line}


def test_no_files_import_each_other_in_a_circle() -> None:
    """Imports for types count too. What is left after taking away, again and again, every file that imports
    none of the others would be circles."""
    graph = grimp.build_graph(*TOP, cache_dir=None)
    imports = {file: set(graph.find_modules_directly_imported_by(file)) for file in graph.modules}
    assert len(imports) > 100
    while ends := {file for file, imported in imports.items() if not imported}:
        imports = {file: imported - ends for file, imported in imports.items() if file not in ends}
    assert sorted(imports) == []


def test_the_rules_import_nothing_but_the_standard_library() -> None:
    # Without a cache: grimp's takes files for unchanged that another graph of theirs was made of.
    graph = grimp.build_graph("bot", include_external_packages=True, cache_dir=None)
    files = {"bot.rules", *graph.find_descendants("bot.rules")}
    imports = {(file, name) for file in files for name in graph.find_modules_directly_imported_by(file)}
    assert len(files) > 50
    allowed = files | sys.stdlib_module_names
    assert sorted((file, name) for file, name in imports if name not in allowed) == []


def test_the_contract_that_no_game_knows_another_names_every_game() -> None:
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    [independent] = [each for each in linter["contracts"] if each["type"] == "independence"]
    there = {path.name for path in (ROOT / "bot" / "rules").iterdir() if (path / "__init__.py").is_file()}
    assert {f"bot.rules.{name}" for name in there} == set(independent["modules"])


# What reaches Discord: every coroutine that discord.py's objects have, and where they hang. A few have
# everyday names that much else has too.
CALLERS = (
    discord.abc.GuildChannel, discord.abc.Messageable, discord.Client, discord.DMChannel, discord.Guild,
    discord.Interaction, discord.InteractionMessage, discord.InteractionResponse, discord.Member,
    discord.Message, discord.PartialMessage, discord.TextChannel, discord.Thread, discord.User,
    discord.Webhook, app_commands.CommandTree,
)  # fmt: skip
EVERYDAY = {
    "autocomplete", "clone", "close", "connect", "follow", "join", "leave", "move", "set_translator", "start",
    "timeout", "translate",
}  # fmt: skip
CALLS = {"http", "response", "followup"} | {
    name
    for caller in CALLERS
    for name, _ in inspect.getmembers(caller, inspect.iscoroutinefunction)
    if not name.startswith("_") and name not in EVERYDAY
}
OWN = {"self._io", "self._notices"}  # the door itself, and what sends through it, have methods of such names
# The client lends its connection to what registers the commands (`bot/registered.py`) and sets how long
# discord.py waits; it makes one that never logs in, to tell what the commands are. The playground calls a
# Discord that is simulated here; the bare bot is what the bench compares with, and the bench of load has
# people act on the wire double.
AT_THE_START = {"self.http", "bot.setup_hook"}
NOT_THE_BOT = {
    "bot/playground.py",
    "bot/bench/clicks/bare.py",
    "bot/bench/load/crowd.py",
    "bot/bench/load/session.py",
}


def calls(source: str) -> set[str]:
    """What a file takes of Discord's calls, as far as their names tell."""
    return {
        ast.unparse(node)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and node.attr in CALLS and ast.unparse(node.value) not in OWN
    }


def test_only_the_door_calls_discord() -> None:
    assert {"send", "edit", "delete", "defer", "send_message", "fetch_member", "sync"} <= CALLS
    found = {
        str(path.relative_to(ROOT)): calls(path.read_text("utf-8"))
        for top in TOP
        for path in (ROOT / top).rglob("*.py")
    }
    assert len(found.pop("bot/discord_io.py")) > 10
    assert found.pop("bot/client.py") == AT_THE_START
    assert {file: names for file, names in found.items() if names and file not in NOT_THE_BOT} == {}


def test_the_pages_links_lead_to_what_is_there() -> None:
    headings = re.compile(r"^#+ (.+)$", re.MULTILINE)
    links = re.compile(r"\]\(([^)#: ]*)(?:#([^)]+))?\)")
    pages = [path for path in tracked() if path.suffix == ".md"]
    assert {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"} <= {path.name for path in pages}
    for page in pages:
        for file, part in links.findall(page.read_text("utf-8")):
            target = page.parent / file if file else page
            assert target.exists(), f"{page.name}: {file}"
            if part:
                found = headings.findall(target.read_text("utf-8"))
                there = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}
                assert part in there, f"{page.name}: {file}#{part}"


def test_what_the_page_on_the_architecture_names_is_there() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = re.findall(r"`((?:bot|cogs|rendering|tests|docs)/[\w/.-]*)(?::([\w.]+))?`", page)
    assert len(named) > 50
    for file, name in named:
        path = ROOT / file
        assert path.exists(), file
        source = path.read_text("utf-8") if name else ""
        for part in filter(None, name.split(".")):
            assert re.search(rf"^ *(?:(?:async )?def|class) {part}\b|^{part}\b.* = ", source, re.MULTILINE), (
                f"{file}: {name}"
            )
