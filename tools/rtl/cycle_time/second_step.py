# SPDX-License-Identifier: Apache-2.0
"""What the second step of the design search has measured: a few designs at all sizes, with several
seeds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Final

from tributary_explore.errors import ExploreError
from tributary_explore.intervals import mean_and_half_width
from tributary_explore.results import Results

from .bands import Measured
from .switch_design import SwitchDesign
from .whole import check_whole

_LATENCY: Final = "interface.latency.mean"
_LOAD: Final = "interface.accepted_load"

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


def value_of(row: Mapping[str, Any], workload: str) -> float:
    return float(row[_LATENCY if is_latency(workload) else _LOAD])


@dataclass(frozen=True)
class Stage:
    """A stage of the network. Rate and wait are means over seeds, the peak is of all of them."""

    rate: float
    """Combining rate."""
    wait: float
    """Cycles that an entry is in a queue, by Little's law."""
    peak: float
    """Entries of the fullest wait buffer."""


Values = Mapping[tuple[str, str, int], Mapping[int, float]]
"""By workload, series and elements, and by seed."""


@dataclass(frozen=True)
class SecondStep:
    """The table of the second sweep."""

    designs: Mapping[str, SwitchDesign]
    """By name of their series, in the order of the sweep."""
    values: Values
    stages: Mapping[str, tuple[Stage, ...]]
    """By series, of polling at the greatest size; the first is at the elements."""

    @cached_property
    def workloads(self) -> list[str]:
        return list(dict.fromkeys(workload for workload, _, _ in self.values))

    @cached_property
    def sizes(self) -> list[int]:
        return sorted({elements for _, _, elements in self.values})

    @property
    def largest(self) -> int:
        return self.sizes[-1]

    def measured(self, workload: str, series: str, elements: int) -> Measured:
        """Mean over seeds and its interval."""
        return _measured(self.values[workload, series, elements].values())

    def gain(self, workload: str, series: str, elements: int, over: str = AGGRESSIVE) -> Measured:
        """How many times better one design is than another: above 1, better.

        Mean and interval of the quotients seed by seed: the same seed draws the same requests for
        both, so that part of what differs between seeds cancels (common random numbers).
        """
        own = self.values[workload, series, elements]
        other = self.values[workload, over, elements]
        return _measured(
            other[seed] / own[seed] if is_latency(workload) else own[seed] / other[seed]
            for seed in own
        )

    def verdict(self, workload: str, series: str, elements: int, over: str = AGGRESSIVE) -> int:
        """1 for a design that is certainly better than another one, -1 for worse, 0 if nothing
        tells the two apart."""
        gain = self.gain(workload, series, elements, over)
        if gain.band.low <= 1 <= gain.band.high or abs(gain.mean - 1) < LEAST_GAIN:
            return 0
        return 1 if gain.mean > 1 else -1

    def places(self, series: str, verdict: int) -> list[tuple[str, int]]:
        """Workloads and sizes at which the design is better than the aggressive one, or worse."""
        return [
            each
            for each in product(self.workloads, self.sizes)
            if self.verdict(each[0], series, each[1]) == verdict
        ]

    def mean_gain(self, series: str) -> float:
        """Geometric mean of the gains over all workloads at the greatest size."""
        gains = [self.gain(each, series, self.largest).mean for each in self.workloads]
        return statistics.geometric_mean(gains)

    @cached_property
    def winners(self) -> list[str]:
        """Designs that are better than the aggressive one in something and worse in nothing, the
        best first."""
        found = [
            each for each in self.designs if self.places(each, 1) and not self.places(each, -1)
        ]
        return sorted(found, key=lambda each: -self.mean_gain(each))

    def fastest(self, workload: str, elements: int) -> str:
        """The design with the best mean."""
        sign = 1 if is_latency(workload) else -1
        return min(
            self.designs, key=lambda each: sign * self.measured(workload, each, elements).mean
        )


def _measured(samples: Iterable[float]) -> Measured:
    mean, half_width = mean_and_half_width(list(samples))
    assert half_width is not None  # read_second_step has seen to it
    return Measured.of(mean, half_width)


def read_second_step(results: Results) -> SecondStep:
    """Raises `ExploreError` for points without a result, for points of one seed, and for designs
    that were not measured at all sizes."""
    check_whole(results)
    designs: dict[str, SwitchDesign] = {}
    values: dict[tuple[str, str, int], dict[int, float]] = {}
    polled: dict[str, list[Mapping[str, Any]]] = {}
    rows = results.rows()
    if not rows or any(not row["series"] for row in rows):
        raise ExploreError(f"{results.folder} has no series; run the sweep design_search_front")
    largest = max(int(row["network.processing_elements"]) for row in rows)
    for row in rows:
        series, elements = str(row["series"]), int(row["network.processing_elements"])
        workload = workload_of(row)
        designs[series] = SwitchDesign.of(row)
        by_seed = values.setdefault((workload, series, elements), {})
        by_seed[int(row["seed"])] = value_of(row, workload)
        if workload == POLLING and elements == largest:
            polled.setdefault(series, []).append(row)
    step = SecondStep(
        designs,
        values,
        {
            series: tuple(
                _stage(own, designs[series], stage) for stage in range(round(math.log2(largest)))
            )
            for series, own in polled.items()
        },
    )
    _check_grid(results, step)
    return step


def _check_grid(results: Results, step: SecondStep) -> None:
    """Every workload has to have every design at the same sizes and seeds."""
    seeds = step.values.get((POLLING, AGGRESSIVE, step.largest), {}).keys()
    if not seeds:
        raise ExploreError(f"{results.folder} has no {AGGRESSIVE} under {POLLING} to compare with")
    for workload, series, size in product(step.workloads, step.designs, step.sizes):
        if step.values.get((workload, series, size), {}).keys() != seeds:
            raise ExploreError(
                f"{results.folder}: {series} under {workload} has not the sizes and seeds of "
                f"{AGGRESSIVE} under {POLLING}; give every experiment the same"
            )
    if len(seeds) < 2:
        raise ExploreError(
            f"{results.folder} has one seed, of which no interval is known; give the sweep several "
            'by "seeds"'
        )


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
