# SPDX-License-Identifier: Apache-2.0
"""Numbers of which only a range is known, and when two of them differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Band:
    """A number from `low` to `high`: what several syntheses, or several seeds, have shown."""

    low: float
    high: float

    def __mul__(self, other: Band) -> Band:
        """Product of two numbers that are not negative."""
        return Band(self.low * other.low, self.high * other.high)

    def __truediv__(self, other: Band) -> Band:
        """Quotient of two numbers that are not negative."""
        return Band(self.low / other.high, self.high / other.low)

    @property
    def noise(self) -> float:
        """Width as a fraction of the lower end."""
        return (self.high - self.low) / self.low

    @staticmethod
    def around(value: float, half_width: float) -> Band:
        """Of a number that is not negative, whatever its interval says."""
        return Band(max(0.0, value - half_width), value + half_width)


ONE = Band(1, 1)


@dataclass(frozen=True)
class Measured:
    """Mean over seeds and its confidence interval."""

    mean: float
    band: Band

    @staticmethod
    def of(mean: float, half_width: float) -> Measured:
        return Measured(mean, Band.around(mean, half_width))


def below(one: Band, other: Band) -> bool:
    """Whether it is certainly less: the bands have nothing in common.

    The one rule by which anything is claimed, so that no difference within the spread of seeds and
    syntheses is."""
    return one.high < other.low


def differ(one: Band, other: Band) -> bool:
    """Whether either is certainly less."""
    return below(one, other) or below(other, one)


def least(bands: Mapping[str, Band]) -> list[str]:
    """The names that nothing is certainly less than: the winner, or those that may be it."""
    return [name for name in bands if not any(below(each, bands[name]) for each in bands.values())]
