"""What is counted for Prometheus, where it happens: at the door to Discord, at the tables, on the loop.

It exists only where `PARLOUR_HEALTH_PORT` is set, and listens to what is told anyway: requests by the HTTP
session's trace, changes by `Tables.listen`, interactions by the client's event. So nobody else knows of it,
and where it is off nothing is done for it. Labels have few values: kinds, games, statuses, never an id.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from typing import Any

import discord
from cachetools import LRUCache
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from bot import __version__
from bot.discord_io import Asked, Trace
from bot.tables.model import Change
from bot.watch import Watch
from cogs.client import Client

INVALID = frozenset({401, 403, 429})  # Discord shuts out who has 10,000 of them in ten minutes
LAG_EVERY = 0.25  # seconds between two looks at the loop's lag
MOST_CLICKS = 10_000  # that wait for an answer
ANSWER = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
LAG = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
DRAWING = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)
THINKING = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

CALLBACK = re.compile(r"/interactions/(\d+)/[^/]+/callback$")
EDITS = {
    "channel": re.compile(r"/channels/\d+/messages/\d+$"),
    "private": re.compile(r"/webhooks/\d+/[^/]+/messages/[^/]+$"),
}
KINDS = {
    discord.InteractionType.application_command: "command",
    discord.InteractionType.component: "control",
    discord.InteractionType.modal_submit: "form",
    discord.InteractionType.autocomplete: "autocomplete",
}


class Metrics:
    """trace: the client's, which has not logged in yet."""

    def __init__(self, bot: Client, watch: Watch, trace: Trace) -> None:
        self._bot = bot
        self._watch = watch
        self.registry = made = CollectorRegistry()
        ProcessCollector(registry=made)
        self._waiting: LRUCache[int, tuple[str, float]] = LRUCache(MOST_CLICKS)  # kind and arrival
        self.clicks = Counter("parlour_clicks", "Interactions that arrived.", ["kind"], registry=made)
        self.answers = Histogram(
            "parlour_click_answer_seconds",
            "From an interaction's arrival until Discord has taken the first answer.",
            ["kind"],
            buckets=ANSWER,
            registry=made,
        )
        self.requests = Counter(
            "parlour_discord_requests",
            "Requests to Discord's API, by HTTP status (0: no answer).",
            ["method", "status"],
            registry=made,
        )
        self.invalid = Counter(
            "parlour_discord_invalid_requests",
            "Those that count against Discord's limit of 10,000 in ten minutes.",
            ["status"],
            registry=made,
        )
        self.edits = Counter(
            "parlour_message_edits", "Edits of messages, successful or not.", ["message"], registry=made
        )
        self.moves = Counter("parlour_moves", "Moves stored by this process.", ["game"], registry=made)
        self.lag = Histogram(
            "parlour_event_loop_lag_seconds",
            "How late the event loop was for a timer.",
            buckets=LAG,
            registry=made,
        )
        self.thinking = Histogram(
            "parlour_computer_thinking_seconds",
            "How long a computer player thought about a choice, a hint included.",
            ["game"],
            buckets=THINKING,
            registry=made,
        )
        self.drawing = Histogram(
            "parlour_drawing_seconds",
            "Seconds of the processor that the pictures of one page took.",
            ["kind"],
            buckets=DRAWING,
            registry=made,
        )
        Gauge("parlour_build_info", "Which version runs.", ["version"], registry=made).labels(
            __version__
        ).set(1)
        self._gauge("parlour_gateway_connected", "1 while Discord is connected.", lambda: not watch.offline)
        self._gauge("parlour_servers", "Servers that this process serves.", lambda: len(bot.guilds))
        trace.listen(self.asked)
        bot.add_listener(self._arrived, "on_interaction")

    def _gauge(self, name: str, about: str, ask: Callable[[], float]) -> None:
        Gauge(name, about, registry=self.registry).set_function(ask)

    def begin(self) -> None:
        """Once the bot has its tables: what they and the store tell."""
        watch, services = self._watch, self._bot.services

        def waited(what: str) -> Callable[[], float]:
            return lambda: watch.waited(getattr(watch.backlog, what), services.clock.now())

        def newest_backup() -> float:
            return 0.0 if watch.newest_backup is None else watch.newest_backup.timestamp()

        self._gauge(
            "parlour_pictures_waiting", "Pictures being drawn or waiting for it.",
            lambda: services.pictures.waiting,
        )  # fmt: skip
        self._gauge(
            "parlour_background_dead",
            "Kinds of background work that keep failing or stand still.",
            lambda: len(services.background.dead()),
        )
        self._gauge("parlour_open_tables", "Tables not ended, in the database.", lambda: watch.backlog.open)
        self._gauge("parlour_deadlines_late", "Tables whose time has come.", lambda: watch.backlog.late)
        self._gauge("parlour_deadline_late_seconds", "How late the latest of them is.", waited("overdue"))
        self._gauge(
            "parlour_unpainted_seconds",
            "Since when the oldest table is not shown as it is.",
            waited("unpainted"),
        )
        self._gauge("parlour_owed_notice_seconds", "Since when the oldest notice is owed.", waited("owed"))
        self._gauge(
            "parlour_newest_backup_timestamp_seconds",
            "When the newest backup was made (0: none).",
            newest_backup,
        )
        self._gauge(
            "parlour_backup_late",
            "1 while the newest backup is too old for PARLOUR_BACKUPS.",
            lambda: watch.backup_late,
        )
        services.tables.listen(self._changed)

    def text(self) -> tuple[bytes, str]:
        """All of it in Prometheus' text format, and its content type."""
        return generate_latest(self.registry), CONTENT_TYPE_LATEST

    def thought(self, game: str, seconds: float) -> None:
        """A computer player has chosen a move, or what a hint tells."""
        self.thinking.labels(game).observe(seconds)

    def drawn(self, function: str, pictures: int, seconds: float) -> None:
        """The pictures of a page were drawn, by the function of this name."""
        self.drawing.labels(function).observe(seconds)

    # what is told

    async def _arrived(self, interaction: discord.Interaction[Any]) -> None:
        kind = KINDS.get(interaction.type, "other")
        self.clicks.labels(kind).inc()
        self._waiting.setdefault(interaction.id, (kind, time.monotonic()))

    def asked(self, request: Asked) -> None:
        """A request to Discord has ended."""
        self.requests.labels(request.method, str(request.status)).inc()
        if request.status in INVALID and request.limit != "shared":
            self.invalid.labels(str(request.status)).inc()
        if request.method == "PATCH":
            for message, edit in EDITS.items():
                if edit.search(request.path):
                    self.edits.labels(message).inc()
        answered = CALLBACK.search(request.path)
        waiting = None if answered is None else self._waiting.pop(int(answered[1]), None)
        if waiting is not None and 200 <= request.status < 300:
            kind, arrived = waiting
            self.answers.labels(kind).observe(time.monotonic() - arrived)

    def _changed(self, change: Change) -> None:
        if change.kind == "move":
            self.moves.labels(change.table.game).inc()

    def look_at_lag(self) -> None:
        """From now on, until the bot is closed. From within the loop."""
        loop = asyncio.get_running_loop()

        def look(due: float) -> None:
            now = loop.time()
            self.lag.observe(max(0.0, now - due))
            if not self._bot.is_closed():
                loop.call_at(now + LAG_EVERY, look, now + LAG_EVERY)

        loop.call_later(LAG_EVERY, look, loop.time() + LAG_EVERY)
