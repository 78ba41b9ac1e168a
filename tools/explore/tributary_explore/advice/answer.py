# SPDX-License-Identifier: Apache-2.0
"""What the results of a question say, and no more than they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..bands import Band, Measured, below, least
from ..errors import ExploreError
from ..flatten import STEADY
from ..query import HALF_WIDTH
from ..results import Results
from .designs import Design
from .question import LATENCY, LOAD, Question

BEST = 5
"""Designs in the short table."""


@dataclass(frozen=True)
class Rated:
    """A design with what was measured of it."""

    design: Design
    cycles: Measured
    """Mean latency, in cycles of the design."""
    load: Measured
    """Requests of an element in such a cycle."""
    steady: bool
    """Whether the runs of all seeds were; else the design decides nothing."""

    @cached_property
    def time(self) -> Band:
        """Mean latency in FO4, in cycles if no clock is known."""
        clock = self.design.clock
        return self.cycles.band if clock is None else self.cycles.band * clock.fo4

    @cached_property
    def rate(self) -> Band:
        """Requests of an element in 1000 FO4, or in 1000 cycles."""
        clock = self.design.clock
        per_cycle = self.load.band if clock is None else self.load.band / clock.fo4
        return Band(1000 * per_cycle.low, 1000 * per_cycle.high)

    @property
    def rank(self) -> tuple[bool, float]:
        """What is steady first, then by the mean and the fastest synthesis."""
        clock = self.design.clock
        return not self.steady, self.cycles.mean * (1.0 if clock is None else clock.fo4.low)


@dataclass(frozen=True)
class Answer:
    """All designs, the best first."""

    question: Question
    rated: Sequence[Rated]

    @property
    def unit(self) -> str:
        """Of `Rated.time`."""
        return "cycles" if self.rated[0].design.clock is None else "FO4"

    @property
    def best(self) -> Rated:
        return self.rated[0]

    def may_be_best(self, each: Rated) -> bool:
        """Whether no steady design is certainly faster."""
        return each.design.name in self._fastest

    @cached_property
    def _fastest(self) -> frozenset[str]:
        return frozenset(least({each.design.name: each.time for each in self._steady}))

    @property
    def _steady(self) -> list[Rated]:
        return [each for each in self.rated if each.steady]

    @property
    def shown(self) -> list[Rated]:
        """The best, and the best that combines and that does not, to compare."""
        first = list(self.rated[:BEST])
        return first + [each for each in self._rivals if each is not None and each not in first]

    @property
    def _rivals(self) -> tuple[Rated | None, Rated | None]:
        """The best steady designs that combine and that do not."""
        combining = next((each for each in self._steady if each.design.combines), None)
        other = next((each for each in self._steady if not each.design.combines), None)
        return combining, other

    def _time(self, combines: bool) -> Band | None:
        """Of the fastest steady design that combines, or that does not, whichever it is."""
        bands = [each.time for each in self._steady if each.design.combines == combines]
        if not bands:
            return None
        return Band(min(each.low for each in bands), min(each.high for each in bands))

    @property
    def pays(self) -> bool | None:
        """Whether combining is worth it; None if that cannot be told.

        It is if one switch that combines is certainly faster than every one that does not.
        """
        combining, other = self._time(True), self._time(False)
        if combining is None or other is None:
            return None
        if below(combining, other):
            return True
        return False if below(other, combining) else None

    @property
    def verdict(self) -> str:
        """One sentence; without clocks it says so first, as they may turn it around."""
        text = self._verdict
        if self.unit == "cycles":
            text = f"In cycles alone, {text[0].lower()}{text[1:]}"
        return text

    @property
    def _verdict(self) -> str:
        combining, other = self._time(True), self._time(False)
        if combining is None or other is None:
            which = "combines" if combining is None else "does not combine"
            return (
                f"Whether combining is worth it is not decided: no switch that {which} was steady "
                "in its time."
            )
        pair = (
            f"a request takes {self._span(combining)} with the best switch that combines and "
            f"{self._span(other)} with the best that does not"
        )
        if self.pays is None:
            return f"Whether combining is worth it cannot be told: {pair}, and these bands overlap."
        if self.pays:
            return f"Combining is worth it: {pair}, {_times(other, combining)} as long."
        times = _times(combining, other)
        return f"Combining is not worth it: {pair}; with combining it takes {times} as long."

    @property
    def choice(self) -> str:
        """Which design, and which others may be as good."""
        if not self.best.steady:
            return "No design was steady in its time."
        others = [each for each in self.rated[1:] if self.may_be_best(each)]
        text = f"The best design: {self.best.design.name}."
        if len(self._steady) == 1:
            return f"{text} No other design was steady in its time."
        if not others:
            return f"{text} Every other steady design is slower by more than the noise."
        count = "1 other design" if len(others) == 1 else f"{len(others)} other designs"
        text += f" {count} cannot be told apart from it."
        return text + _smallest([self.best, *others])

    @property
    def unsteady(self) -> list[Rated]:
        return [each for each in self.rated if not each.steady]

    def _span(self, band: Band) -> str:
        return f"{band_text(band)} {self.unit}"


def read_answer(question: Question, results: Results) -> Answer:
    """The answer that a folder's results give. Raises `ExploreError` if a design has none."""
    rows = {row["series"]: row for row in results.summary()}
    seeds = {point.seed for point in results.store.points()}
    for each in question.designs:
        if each.name not in rows or rows[each.name]["seeds"] < len(seeds):
            raise ExploreError(
                f"{results.folder}: points of {each.name} have no result; ask again, which runs "
                "what is missing"
            )
    rated = [_rated(each, rows[each.name]) for each in question.designs]
    return Answer(question, tuple(sorted(rated, key=lambda each: each.rank)))


def _rated(design: Design, row: dict[str, Any]) -> Rated:
    def measured(name: str) -> Measured:
        return Measured.of(float(row[name]), float(row[name + HALF_WIDTH]))

    # Of a few seeds one that was not steady makes the mean below 1.
    return Rated(design, measured(LATENCY), measured(LOAD), steady=row[STEADY] == 1)


def band_text(band: Band) -> str:
    """`5,610 to 6,200`."""
    low, high = (
        f"{value:,.0f}" if value >= 100 else f"{value:.3g}" for value in (band.low, band.high)
    )
    return low if low == high else f"{low} to {high}"


def _times(slow: Band, fast: Band) -> str:
    """`1.04 to 1.2 times`; seeds that differ much leave no upper end."""
    if fast.low == 0:
        return f"at least {_ratio_text(slow.low / fast.high)} times"
    ratio = slow / fast
    low, high = _ratio_text(ratio.low), _ratio_text(ratio.high)
    return f"{low} times" if low == high else f"{low} to {high} times"


def _ratio_text(ratio: float) -> str:
    """Two digits; a third below 2, where it tells most, and all of a large one."""
    if ratio >= 10:
        return f"{ratio:,.0f}"
    return f"{ratio:.3g}" if ratio < 2 else f"{ratio:.2g}"


def _smallest(rated: Sequence[Rated]) -> str:
    """Which of designs that may be the best may be the smallest; the best is the first of them."""
    clocks = [(each.design.name, each.design.clock) for each in rated]
    areas = {name: clock.nand2 for name, clock in clocks if clock is not None}
    if not areas:
        return ""
    names = least(areas)
    if names == [rated[0].design.name]:
        return f" It is the smallest of these, with {band_text(areas[names[0]])} NAND2 a switch."
    told = [f"{name}, with {band_text(areas[name])} NAND2 a switch" for name in names]
    head = "The smallest of these" if len(names) == 1 else "The smallest may be any of these"
    return f" {head}: {'; '.join(told)}."
