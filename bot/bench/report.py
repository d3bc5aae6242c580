"""What a bench tells: lines for people, or with `--json` its figures as one JSON object."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import dataclass
from math import isfinite
from typing import Any

from bot.rules.game import Say


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value. goal: what is aimed at, at most or (least) at least; None where nothing is.
    reference: what a ratio is to, measured in the same run. interval: in which it lies with 95 %, where it is
    the mean of `count` observations."""

    name: str
    value: float
    unit: str
    goal: float | None = None
    least: bool = False
    reference: str | None = None
    interval: tuple[float, float] | None = None
    count: int | None = None

    @property
    def met(self) -> bool | None:
        """None without a goal. What could not be measured meets none."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.least else self.value <= self.goal

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "value": _told(self.value),
            "unit": self.unit,
            "goal": self.goal,
            "least": self.least,
            "reference": self.reference,
            "met": self.met,
            "interval": None if self.interval is None else [_told(end) for end in self.interval],
            "count": self.count,
        }


def _told(value: float) -> float | None:
    """What JSON has a number for."""
    return round(value, 4) if isfinite(value) else None


class Report:
    """Of one run of one bench."""

    def __init__(self, name: str, *, as_json: bool) -> None:
        self._name = name
        self._as_json = as_json
        self._figures: list[Figure] = []
        self._missing: list[str] = []

    def line(self, text: str) -> None:
        """For people."""
        if not self._as_json:
            print(text, flush=True)

    def add(self, *figures: Figure) -> None:
        self._figures += figures

    def missing(self, why: str) -> None:
        """Something that could not be measured; told in both forms."""
        self._missing.append(why)
        self.line(why)

    def judge(self, figure: Figure, what: str, say: Say) -> None:
        """A figure that has a goal. what: the same in words."""
        self.add(figure)
        verdict = say("bench.clicks.met" if figure.met else "bench.clicks.not_met")
        self.line(say("bench.goal", what=what, verdict=verdict))

    @property
    def met(self) -> bool:
        """Whether no goal is missed."""
        return all(figure.met is not False for figure in self._figures)

    def end(self, code: int) -> int:
        """Tell the figures, where they are asked for. The exit code of the run, as given."""
        if self._as_json:
            figures = [figure.to_json() for figure in self._figures]
            told = {"name": self._name, "machine": machine(), "figures": figures, "missing": self._missing}
            print(json.dumps(told | {"code": code}, ensure_ascii=False), flush=True)
        return code


def machine() -> dict[str, Any]:
    """What the figures depend on. No names of hosts and no paths. load: processes that wanted a core in the
    last minute, which on a busy machine are more than there are."""
    return {
        "cores": cores(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def cores() -> int:
    """That this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
