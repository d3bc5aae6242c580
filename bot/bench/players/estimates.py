"""Means with their 95 % intervals. A deal with all its seatings is one observation, since its games share
their luck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from statistics import NormalDist, fmean, stdev

NORMAL = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Estimate:
    """value: the mean of so many observations. low, high: of its 95 % interval."""

    value: float
    low: float
    high: float
    count: int

    @property
    def half(self) -> float:
        """Half the interval's width."""
        return (self.high - self.low) / 2


def mean(values: Sequence[float]) -> Estimate:
    """The interval by Student's t; infinite for less than two observations."""
    middle = fmean(values)
    count = len(values)
    half = student(count - 1) * stdev(values) / sqrt(count) if count > 1 else inf
    return Estimate(middle, middle - half, middle + half, count)


def share(values: Sequence[float]) -> Estimate:
    """Of observations from 0 to 1. For the interval two are made up, one of each end: so a match that one
    side always wins has not one of no width."""
    wide = mean([*values, 0.0, 1.0])
    return Estimate(fmean(values), max(0.0, wide.low), min(1.0, wide.high), len(values))


def student(freedom: int) -> float:
    """The 97.5 % point of Student's t, by the first terms of its expansion around the normal one; good to
    a hundredth from 8 degrees of freedom on."""
    z = NORMAL
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    return z + first / freedom + second / freedom**2
