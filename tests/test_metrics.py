"""What is counted, under which names, and that the shipped board and alert rules ask for nothing else."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest
import yaml

from bot.discord_io import Asked
from bot.metrics import EDITS, KINDS, Metrics
from bot.rules.registry import GAME_IDS
from tests.cogs.sim import Sim
from tests.wire.wire_server import running_server

OPERATION = Path(__file__).parents[1] / "docs" / "operation"
HOSTING = Path(__file__).parents[1] / "docs" / "hosting.md"
MakeSim = Callable[..., Awaitable[Sim]]
SAMPLES = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}
LABELS = {"kind", "method", "status", "message", "game", "version", "le"}


@pytest.fixture
async def counting(make_sim: MakeSim) -> Sim:
    return await make_sim(given={"parlour_health_port": 9464})


def metrics(sim: Sim) -> Metrics:
    assert sim.bot.metrics is not None
    return sim.bot.metrics


def samples(sim: Sim) -> dict[tuple[str, tuple[str, ...]], float]:
    """Each number by its name and its labels' values."""
    return {
        (one.name, tuple(one.labels.values())): one.value
        for family in metrics(sim).registry.collect()
        for one in family.samples
    }


def names(sim: Sim) -> set[str]:
    """Every name that Prometheus can be asked for, also of what has not been counted yet."""
    return {
        family.name + ending for family in metrics(sim).registry.collect() for ending in SAMPLES[family.type]
    }


async def test_where_no_port_is_set_nothing_is_counted(sim: Sim) -> None:
    assert sim.bot.metrics is None
    assert sim.bot.pages() is None
    assert not sim.bot.trace.config.on_request_exception
    assert "on_interaction" not in sim.bot.extra_events


async def test_clicks_and_moves_are_counted_where_they_happen(counting: Sim) -> None:
    table = await counting.started(counting.ada, counting.ben, setup="sorted")
    [actor] = await counting.to_act(table)
    page = await counting.hand(actor, table)
    before = (await counting.bot.tables.table(table.id)).revision
    while (await counting.bot.tables.table(table.id)).revision == before:
        page = await counting.step(actor, page)
    found = samples(counting)
    assert found["parlour_clicks_total", ("control",)] >= 3
    assert found["parlour_clicks_total", ("command",)] >= 1
    assert found["parlour_moves_total", ("fivetotwelve",)] == 1
    assert found["parlour_gateway_connected", ()] == 1
    assert found["parlour_servers", ()] == 1
    assert found["parlour_pictures_waiting", ()] == 0
    await counting.bot.watch.look()
    assert samples(counting)["parlour_open_tables", ()] == 1


async def test_requests_are_counted_by_status_and_those_that_discord_minds_apart(counting: Sim) -> None:
    made = metrics(counting)

    for asked in (
        Asked("PATCH", "/api/v10/channels/1/messages/2", 200),
        Asked("PATCH", "/api/v10/channels/1/messages/2", 403),
        Asked("PATCH", "/api/v10/webhooks/1/secret/messages/@original", 200),
        Asked("PATCH", "/api/v10/channels/1", 200),
        Asked("POST", "/api/v10/channels/1/messages", 429, "shared"),
        Asked("POST", "/api/v10/channels/1/messages", 429, "user"),
        Asked("GET", "/api/v10/gateway", 0),
    ):
        made.asked(asked)
        assert "secret" not in repr(asked)
    found = samples(counting)
    assert found["parlour_discord_requests_total", ("PATCH", "200")] == 3
    assert found["parlour_discord_requests_total", ("GET", "0")] == 1
    assert found["parlour_discord_requests_total", ("POST", "429")] == 2
    assert found["parlour_discord_invalid_requests_total", ("403",)] == 1
    assert found["parlour_discord_invalid_requests_total", ("429",)] == 1
    assert {message: found["parlour_message_edits_total", (message,)] for message in EDITS} == {
        "channel": 2, "private": 1,
    }  # fmt: skip
    assert "secret" not in made.text()[0].decode()


async def test_the_first_answer_to_a_click_is_timed_once(counting: Sim) -> None:
    made = metrics(counting)
    click: Any = SimpleNamespace(id=77, type=discord.InteractionType.component)
    await made._arrived(click)
    answer = Asked("POST", "/api/v10/interactions/77/token/callback", 204)
    made.asked(answer)
    made.asked(answer)
    assert samples(counting)["parlour_click_answer_seconds_count", ("control",)] == 1


async def test_a_computer_players_thinking_is_timed_by_game(counting: Sim) -> None:
    made = metrics(counting)
    made.thought("top12", 0.2)
    assert samples(counting)["parlour_computer_thinking_seconds_count", ("top12",)] == 1


async def test_what_drawing_takes_is_told_by_kind(counting: Sim) -> None:
    made = metrics(counting)
    made.drawn("hand_pictures", 2, 0.02)
    assert samples(counting)["parlour_drawing_seconds_count", ("hand_pictures",)] == 1


async def test_names_are_as_prometheus_has_them_and_labels_few(counting: Sim) -> None:
    units = ("_seconds", "_bytes", "_info", "_ratio")
    for family in metrics(counting).registry.collect():
        if family.name.startswith("process_"):
            continue
        assert family.name.startswith("parlour_")
        assert family.documentation.endswith(".")
        if family.type == "histogram":
            assert family.name.endswith(units)
    found = {
        label
        for family in metrics(counting).registry.collect()
        for one in family.samples
        for label in one.labels
    }
    assert found <= LABELS
    assert len(KINDS) == 4
    assert len(GAME_IDS) < 20


# ------------------------------------------------------------------------- the board and the rules


def board() -> Iterator[str]:
    """Every query of the board."""
    made = json.loads((OPERATION / "grafana.json").read_text("utf-8"))
    ids = [panel["id"] for panel in made["panels"]]
    assert len(ids) == len(set(ids)) > 10
    for variable in made["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["query"]["query"]
    for panel in made["panels"]:
        assert panel["title"]
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        assert panel["targets"]
        for target in panel["targets"]:
            yield target["expr"]


def alerts() -> list[dict[str, Any]]:
    made = yaml.safe_load((OPERATION / "alerts.yaml").read_text("utf-8"))
    [group] = made["groups"]
    rules: list[dict[str, Any]] = group["rules"]
    return rules


async def test_the_board_and_the_rules_ask_only_for_what_there_is(counting: Sim) -> None:
    there = names(counting) | {"up"}
    queries = [*board(), *(rule["expr"] for rule in alerts())]
    for query in queries:
        asked = set(re.findall(r"\b(?:parlour|process)_\w+", query))
        assert asked <= there, query
        assert asked
        assert query.count("(") == query.count(")")
        for grouped in re.findall(r"\b(?:by|ignoring) \(([^)]*)\)", query):
            assert {label.strip() for label in grouped.split(",")} <= LABELS, query
    shown = {name for query in board() for name in re.findall(r"parlour_\w+", query)}
    bases = {re.sub("_(total|bucket|sum|count)$", "", name) for name in there if name.startswith("parlour_")}
    assert {base for base in bases if not any(name.startswith(base) for name in shown)} == set()


def test_when_a_backup_is_too_old_is_the_bot_s_own_judgement() -> None:
    """By the schedule that is set: days are nothing for a weekly one, and too long for an hourly."""
    [rule] = [rule for rule in alerts() if rule["alert"] == "ParlourBackupOld"]
    assert rule["expr"] == "max(parlour_backup_late) > 0"


def test_five_alert_rules_are_whole() -> None:
    rules = alerts()
    assert len(rules) == 5
    assert len({rule["alert"] for rule in rules}) == 5
    for rule in rules:
        assert rule["labels"]["severity"] in {"warning", "critical"}
        assert {"summary", "description"} == rule["annotations"].keys()
        assert re.fullmatch(r"[0-9]+[mh]", rule.get("for", "1m"))


async def test_the_hosting_page_explains_every_number(counting: Sim) -> None:
    page = HOSTING.read_text("utf-8")
    told = set(re.findall(r"`(parlour_\w+)`", page))
    there = {
        family.name + ("_total" if family.type == "counter" else "")
        for family in metrics(counting).registry.collect()
        if family.name.startswith("parlour_")
    }
    assert told == there


# ------------------------------------------------------------------------------------- a process


@pytest.mark.long
async def test_a_process_tells_its_numbers_on_loopback(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    async with (
        running_server(tmp_path / "data", people=2, env={"PARLOUR_HEALTH_PORT": str(port)}) as place,
        aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session,
    ):
        ann, bob = place.people
        table = await place.open("5vor12", ann, bob, setup="sorted")
        await table.shown()

        async def healthy() -> bool:
            async with session.get("/healthz") as answer:
                return answer.status == 200

        assert await healthy()
        async with session.get("/metrics") as answer:
            text = await answer.text()
        numbers = dict(re.findall(r"^(\S+) ([0-9.e+-]+)$", text, re.MULTILINE))
        assert float(numbers['parlour_clicks_total{kind="command"}']) == 1
        assert float(numbers['parlour_click_answer_seconds_count{kind="control"}']) >= 2
        assert float(numbers['parlour_discord_requests_total{method="PATCH",status="200"}']) >= 1
        assert float(numbers["parlour_event_loop_lag_seconds_count"]) > 0
        assert str(ann.id) not in text
        assert table.id not in text
