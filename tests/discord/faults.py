"""Making the pretended Discord misbehave: injected errors, delays, lost connections, and rate limits."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.discord.components import Json

if TYPE_CHECKING:
    from tests.discord.rest import Call

# Discord's JSON error codes -> (HTTP status, message)
ERRORS = {
    0: (401, "401: Unauthorized"),
    10003: (404, "Unknown Channel"),
    10004: (404, "Unknown Guild"),
    10007: (404, "Unknown Member"),
    10008: (404, "Unknown Message"),
    10011: (404, "Unknown Role"),
    10013: (404, "Unknown User"),
    10014: (404, "Unknown Emoji"),
    10015: (404, "Unknown Webhook"),
    10062: (404, "Unknown interaction"),
    10063: (404, "Unknown application command"),
    30003: (400, "Maximum number of pins reached for the channel (250)"),
    30015: (400, "Maximum number of attachments in a message reached (10)"),
    30046: (429, "Maximum number of edits to messages older than 1 hour reached. Try again later."),
    40003: (429, "You are opening direct messages too fast."),
    40005: (413, "Request entity too large"),
    40060: (400, "Interaction has already been acknowledged."),
    40094: (400, "This interaction has reached the maximum number of follow-up messages"),
    50001: (403, "Missing Access"),
    50005: (403, "Cannot edit a message authored by another user"),
    50006: (400, "Cannot send an empty message"),
    50007: (403, "Cannot send messages to this user"),
    50013: (403, "Missing Permissions"),
    50024: (400, "Cannot execute action on this channel type"),
    50027: (401, "Invalid Webhook Token"),
    50033: (400, "Invalid Recipient(s)"),
    50034: (400, "You can only bulk delete messages that are under 14 days old."),
    50035: (400, "Invalid Form Body"),
    50045: (400, "File uploaded exceeds the maximum size"),
    50083: (400, "Thread is archived"),
    50109: (400, "The request body contains invalid JSON."),
    50278: (403, "Cannot send messages to this user due to having no mutual guilds"),
    160004: (400, "A thread has already been created for this message"),
    160005: (400, "Thread is locked"),
}


class ApiError(Exception):
    """An answer other than success, in Discord's shape."""

    def __init__(
        self,
        code: int,
        message: str | None = None,
        status: int | None = None,
        errors: Json | None = None,
        retry_after: float | None = None,
    ) -> None:
        default_status, default_message = ERRORS.get(code, (400, "Error"))
        self.code, self.status, self.message = code, status or default_status, message or default_message
        self.body = {"message": self.message, "code": code}
        if errors:
            self.body["errors"] = errors
        if self.status == 429:
            self.body |= {"retry_after": 1.0 if retry_after is None else retry_after, "global": False}
        super().__init__(f"{self.status} {code} {self.message}")


@dataclass
class Fault:
    """One planned misbehaviour. Make them with the methods of `Faults`."""

    kind: str  # error, status, slow, drop, limit
    method: str = ""  # "" means any
    path: str = ""  # regular expression, searched in the path after /api/v10
    times: int | None = 1  # None: every time
    skip: int = 0  # let the first `skip` matching calls pass
    when: Callable[[object], bool] | None = None  # sees the Call
    code: int = 0
    status: int = 500
    seconds: float = 0.0
    commit: bool = False  # drop: carry the request out first, and lose only the answer
    scope: str = "user"
    hits: int = 0

    def takes(self, call: Call) -> bool:
        if (self.method and self.method != call.method) or not re.search(self.path, call.path):
            return False
        if self.when is not None and not self.when(call):
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        if self.times is not None and self.hits >= self.times:
            return False
        self.hits += 1
        return True


class Faults:
    """Planned faults, first match wins (a `slow` one lets later ones match too)."""

    def __init__(self) -> None:
        self.planned: list[Fault] = []

    def _add(self, fault: Fault) -> Fault:
        self.planned.append(fault)
        return fault

    def error(self, code: int, method: str = "", path: str = "", **more: Any) -> Fault:
        """Discord's error `code` with its usual status; retry_after (`seconds`) where that is 429."""
        return self._add(Fault("error", method, path, code=code, **{"seconds": 1.0, **more}))

    def http(self, status: int, method: str = "", path: str = "", **more: Any) -> Fault:
        """A bare HTTP status, as from the proxy in front of Discord: 500, 502, 503, 504."""
        return self._add(Fault("status", method, path, status=status, **more))

    def slow(self, seconds: float, method: str = "", path: str = "", **more: Any) -> Fault:
        """The request is carried out only after `seconds`."""
        return self._add(Fault("slow", method, path, seconds=seconds, **more))

    def drop(self, method: str = "", path: str = "", commit: bool = False, **more: Any) -> Fault:
        """The connection is cut: before the request is carried out, or after it with commit=True."""
        return self._add(Fault("drop", method, path, commit=commit, **more))

    def too_many(
        self, retry_after: float, method: str = "", path: str = "", scope: str = "user", **more: Any
    ) -> Fault:
        """A 429. scope: user, shared or global."""
        return self._add(Fault("limit", method, path, seconds=retry_after, scope=scope, **more))

    def clear(self) -> None:
        self.planned.clear()

    def matching(self, call: Call) -> list[Fault]:
        """The faults that strike this call: any number of slow ones, then at most one other."""
        out = []
        for fault in self.planned:
            if fault.takes(call):
                out.append(fault)
                if fault.kind != "slow":
                    break
        return out


# -- rate limits --------------------------------------------------------------------------------
# (method, template) -> (calls, seconds). Discord publishes no numbers; these are usual sightings, good for
# rehearsal.
REALISTIC = {
    ("POST", "/channels/{channel}/messages"): (5, 5.0),
    ("PATCH", "/channels/{channel}/messages/{message}"): (5, 5.0),
    ("DELETE", "/channels/{channel}/messages/{message}"): (5, 1.0),
    ("POST", "/channels/{channel}/threads"): (10, 10.0),
    ("POST", "/channels/{channel}/messages/{message}/threads"): (10, 10.0),
    ("PATCH", "/channels/{channel}"): (5, 15.0),
    ("POST", "/channels/{channel}/typing"): (5, 5.0),
    ("POST", "/users/@me/channels"): (10, 10.0),
    ("POST", "/webhooks/{webhook}/{token}"): (5, 2.0),
    ("PATCH", "/webhooks/{webhook}/{token}/messages/{message}"): (5, 2.0),
    ("GET", "/channels/{channel}/messages"): (5, 5.0),
}
MAJOR = ("channel", "guild", "webhook", "token")


@dataclass
class Window:
    started: float
    used: int = 0


@dataclass
class Verdict:
    allowed: bool
    headers: dict[str, str] = field(default_factory=dict)
    retry_after: float = 0.0
    scope: str = "user"


class Buckets:
    """Fixed windows per route and major parameters, plus the global limit. Off unless `rules` is given."""

    def __init__(
        self, rules: dict[tuple[str, str], tuple[int, float]] | None = None, per_second: int = 50
    ) -> None:
        self.rules = rules or {}
        self.per_second = per_second if rules else None
        self.windows: dict[object, Window] = {}
        self.refusals = 0

    def _window(self, key: object, seconds: float, now: float) -> Window:
        window = self.windows.get(key)
        if window is None or now - window.started >= seconds:
            window = self.windows[key] = Window(now)
        return window

    def ask(self, call: Call) -> Verdict:
        """Interaction callbacks and webhook calls are outside the global limit, as with Discord."""
        now = time.monotonic()
        if self.per_second and not call.path.startswith(("/interactions/", "/webhooks/")):
            window = self._window("global", 1.0, now)
            window.used += 1
            if window.used > self.per_second:
                return self._refuse(window.started + 1.0 - now, "global")
        rule = self.rules.get((call.method, call.template))
        if rule is None:
            return Verdict(True)
        limit, seconds = rule
        major = tuple(call.params[k] for k in MAJOR if k in call.params)
        window = self._window((call.method, call.template, major), seconds, now)
        left = window.started + seconds - now
        headers = limit_headers(limit, max(0, limit - window.used - 1), left, f"{call.method}{call.template}")
        if window.used >= limit:
            return self._refuse(left, "user", headers)
        window.used += 1
        return Verdict(True, headers)

    def _refuse(self, retry_after: float, scope: str, headers: dict[str, str] | None = None) -> Verdict:
        self.refusals += 1
        return Verdict(False, headers or {}, max(0.001, retry_after), scope)


def limit_headers(limit: int, remaining: int, reset_after: float, bucket: str) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": str(limit),
        "X-RateLimit-Remaining": str(remaining),
        "X-RateLimit-Reset": f"{time.time() + reset_after:.3f}",
        "X-RateLimit-Reset-After": f"{reset_after:.3f}",
        "X-RateLimit-Bucket": f"{abs(hash(bucket)):016x}"[:16],
    }


def too_many(
    retry_after: float, scope: str, headers: dict[str, str] | None = None
) -> tuple[dict[str, str], Json]:
    """(headers, body) of a 429."""
    seconds = max(1, int(retry_after + 0.999))
    out = dict(headers or {}) | {"Retry-After": str(seconds), "X-RateLimit-Scope": scope}
    if scope == "global":
        out["X-RateLimit-Global"] = "true"
    elif "X-RateLimit-Bucket" not in out:
        out |= limit_headers(1, 0, retry_after, scope)
    body = {
        "message": "You are being rate limited.",
        "retry_after": round(retry_after, 3),
        "global": scope == "global",
    }
    return out, body
