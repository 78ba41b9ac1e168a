# SPDX-License-Identifier: Apache-2.0
"""Numbers of which only a range is known, and when two of them differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True)
class Band:
    """A number from `low` to `high`: what a portfolio of recipes, or several seeds, have shown."""

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


class Outcome(Enum):
    """What one number is beside others where less is better."""

    BEST = "less than all others"
    OPEN = "not told from the least within the noise"
    WORSE = "more than another"


def below(one: Band, other: Band) -> bool:
    """Whether it is certainly less: the bands have nothing in common.

    The one rule by which anything is claimed, so that no difference within the spread of a
    portfolio is."""
    return one.high < other.low


def differ(one: Band, other: Band) -> bool:
    """Whether either is certainly less."""
    return below(one, other) or below(other, one)


def rank(name: str, bands: Mapping[str, Band]) -> Outcome:
    """What the band of a name is among all of them."""
    others = [band for each, band in bands.items() if each != name]
    if any(below(other, bands[name]) for other in others):
        return Outcome.WORSE
    if all(below(bands[name], other) for other in others):
        return Outcome.BEST
    return Outcome.OPEN


def least(bands: Mapping[str, Band]) -> list[str]:
    """The names that nothing is certainly less than: the winner, or those that may be it."""
    return [name for name in bands if rank(name, bands) is not Outcome.WORSE]


def hull(bands: Sequence[Band]) -> Band:
    """The least band that holds all of them."""
    return Band(min(each.low for each in bands), max(each.high for each in bands))
