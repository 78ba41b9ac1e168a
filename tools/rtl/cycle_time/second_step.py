# SPDX-License-Identifier: Apache-2.0
"""What the second step of the design search has measured: a few designs at all sizes, with several
seeds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from tributary_explore.errors import ExploreError
from tributary_explore.intervals import mean_and_half_width
from tributary_explore.results import Results

from .bands import Band
from .networks import Measured
from .switch_design import SwitchDesign
from .whole import check_whole

LATENCY: Final = "interface.latency.mean"
LOAD: Final = "interface.accepted_load"

POLLING: Final = "polling"
UNIFORM: Final = "uniform"
LIGHT: Final = "light"

AGGRESSIVE: Final = "aggressive"
"""The paper's best, which the search is to beat."""

# A gain or loss of less is not spoken of, however narrow its interval.
LEAST_GAIN: Final = 0.005


def workload_of(row: Mapping[str, Any]) -> str:
    """What the elements of a point do, in words that are its name on the page."""
    share, words = row["workload.traffic.hot_spot"], row["workload.traffic.hot_words"]
    if share == 1:
        return POLLING
    if share == 0:
        return LIGHT if row["interface.outstanding"] == 1 else UNIFORM
    return f"{100 * share:.0f} % to {'one word' if words == 1 else f'{words} words'}"


def is_latency(workload: str) -> bool:
    """Whether a workload is judged by its mean latency; else by the load that is accepted."""
    return workload in (POLLING, LIGHT)


def statistic_of(workload: str) -> str:
    return LATENCY if is_latency(workload) else LOAD


@dataclass(frozen=True)
class Stage:
    """A stage of the network. Rate and wait are means over seeds, the peak is of all of them."""

    rate: float
    """Combining rate."""
    wait: float
    """Cycles that an entry is in a queue, by Little's law."""
    peak: float
    """Entries of the fullest wait buffer."""


@dataclass(frozen=True)
class SecondStep:
    """The table of the second sweep."""

    designs: Mapping[str, SwitchDesign]
    """By name of their series, in the order of the sweep."""
    values: Mapping[str, Mapping[str, Mapping[int, Mapping[int, float]]]]
    """By workload, series, elements and seed."""
    stages: Mapping[str, tuple[Stage, ...]]
    """By series, of polling at the greatest size; the first is at the elements."""
    seeds: int

    @cached_property
    def workloads(self) -> list[str]:
        return list(self.values)

    @cached_property
    def sizes(self) -> list[int]:
        return sorted(self.values[POLLING][AGGRESSIVE])

    @property
    def largest(self) -> int:
        return self.sizes[-1]

    def measured(self, workload: str, series: str, elements: int) -> Measured:
        """Mean over seeds and its interval."""
        samples = list(self.values[workload][series][elements].values())
        mean, half_width = mean_and_half_width(samples)
        assert half_width is not None  # read_second_step has seen to it
        return Measured(mean, Band.around(mean, half_width))

    def gain(self, workload: str, series: str, elements: int, over: str = AGGRESSIVE) -> Measured:
        """How many times better one design is than another: above 1, better.

        Mean and interval of the quotients seed by seed: the same seed draws the same requests for
        both, so that part of what differs between seeds cancels (common random numbers).
        """
        own = self.values[workload][series][elements]
        other = self.values[workload][over][elements]
        quotients = [
            other[seed] / own[seed] if is_latency(workload) else own[seed] / other[seed]
            for seed in own
        ]
        mean, half_width = mean_and_half_width(quotients)
        assert half_width is not None
        return Measured(mean, Band.around(mean, half_width))

    def is_better(self, workload: str, series: str, elements: int) -> bool:
        """Whether it certainly is, than the aggressive switch."""
        gain = self.gain(workload, series, elements)
        return gain.band.low > 1 and gain.mean - 1 >= LEAST_GAIN

    def is_worse(self, workload: str, series: str, elements: int) -> bool:
        gain = self.gain(workload, series, elements)
        return gain.band.high < 1 and 1 - gain.mean >= LEAST_GAIN

    def losses(self, series: str) -> list[tuple[str, int]]:
        """Workloads and sizes at which the design is certainly worse than the aggressive one."""
        return [
            (workload, elements)
            for workload in self.workloads
            for elements in self.sizes
            if self.is_worse(workload, series, elements)
        ]

    def wins(self, series: str) -> list[tuple[str, int]]:
        """Workloads and sizes at which the design is certainly better than the aggressive one."""
        return [
            (workload, elements)
            for workload in self.workloads
            for elements in self.sizes
            if self.is_better(workload, series, elements)
        ]

    def mean_gain(self, series: str) -> float:
        """Geometric mean of the gains over all workloads at the greatest size."""
        gains = [self.gain(each, series, self.largest).mean for each in self.workloads]
        return statistics.geometric_mean(gains)

    @cached_property
    def winners(self) -> list[str]:
        """Designs that are better than the aggressive one in something and worse in nothing, the
        best first."""
        found = [each for each in self.designs if self.wins(each) and not self.losses(each)]
        return sorted(found, key=lambda each: -self.mean_gain(each))

    def fastest(self, workload: str, elements: int) -> list[str]:
        """The design with the best mean, and those that the intervals do not tell from it."""
        values = self.values[workload]
        sign = 1 if is_latency(workload) else -1
        best = min(values, key=lambda each: sign * self.measured(workload, each, elements).mean)
        same = [each for each in values if self.same(workload, each, best, elements)]
        return [best, *(each for each in same if each != best)]

    def same(self, workload: str, series: str, other: str, elements: int) -> bool:
        """Whether nothing tells the two designs apart."""
        gain = self.gain(workload, series, elements, over=other)
        return gain.band.low <= 1 <= gain.band.high or abs(gain.mean - 1) < LEAST_GAIN


def read_second_step(results: Results) -> SecondStep:
    """Raises `ExploreError` for points without a result, for points of one seed, and for designs
    that were not measured at all sizes."""
    check_whole(results)
    designs: dict[str, SwitchDesign] = {}
    values: dict[str, dict[str, dict[int, dict[int, float]]]] = {}
    polled: dict[str, list[Mapping[str, Any]]] = {}
    rows = results.rows()
    if not rows or any(not row["series"] for row in rows):
        raise ExploreError(f"{results.folder} has no series; run the sweep design_search_front")
    largest = max(int(row["network.processing_elements"]) for row in rows)
    for row in rows:
        series, elements = str(row["series"]), int(row["network.processing_elements"])
        workload = workload_of(row)
        designs[series] = SwitchDesign.of(row)
        by_size = values.setdefault(workload, {}).setdefault(series, {})
        by_size.setdefault(elements, {})[int(row["seed"])] = float(row[statistic_of(workload)])
        if workload == POLLING and elements == largest:
            polled.setdefault(series, []).append(row)
    seeds = _check_grid(results, values)
    stages = {
        series: tuple(_stage(own, designs[series], stage) for stage in range(_stages(largest)))
        for series, own in polled.items()
    }
    return SecondStep(designs, values, stages, seeds)


def _check_grid(
    results: Results, values: Mapping[str, Mapping[str, Mapping[int, Mapping[int, float]]]]
) -> int:
    """The number of seeds. Every workload has to have every design at the same sizes and seeds."""
    grids = {
        (workload, series): {(size, seed) for size, seeds in sizes.items() for seed in seeds}
        for workload, by_series in values.items()
        for series, sizes in by_series.items()
    }
    reference = grids.get((POLLING, AGGRESSIVE))
    if reference is None:
        raise ExploreError(f"{results.folder} has no {AGGRESSIVE} under {POLLING} to compare with")
    series_of_all = set(values[POLLING])
    for workload, by_series in values.items():
        for series in sorted(series_of_all ^ set(by_series)):
            raise ExploreError(f"{results.folder}: {series} is not under {workload} and {POLLING}")
    for (workload, series), grid in grids.items():
        if grid != reference:
            raise ExploreError(
                f"{results.folder}: {series} under {workload} has not the sizes and seeds of "
                f"{AGGRESSIVE} under {POLLING}; give every experiment the same"
            )
    seeds = len({seed for _, seed in reference})
    if seeds < 2:
        raise ExploreError(
            f"{results.folder} has one seed, of which no interval is known; give the sweep several "
            'by "seeds"'
        )
    return seeds


def _stages(elements: int) -> int:
    return round(math.log2(elements))


def _stage(rows: list[Mapping[str, Any]], design: SwitchDesign, stage: int) -> Stage:
    def of(row: Mapping[str, Any], name: str) -> float:
        return float(row[f"network.stage.{stage}.{name}"])

    waits = [
        of(row, "queue_occupancy")
        * int(row["network.processing_elements"])
        * design.queues
        * float(row["machine.cycles"])
        / of(row, "departed")
        for row in rows
    ]
    return Stage(
        rate=statistics.fmean(of(row, "combining_rate") for row in rows),
        wait=statistics.fmean(waits),
        peak=max(of(row, "wait_buffer_peak") for row in rows),
    )
