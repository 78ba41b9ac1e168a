# SPDX-License-Identifier: Apache-2.0
"""What the first step of the design search has measured: every design, at one size, with one seed;
and which of them are worth more."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tributary_explore.errors import ExploreError
from tributary_explore.results import Results

from .front import Box, box_of, front
from .second_step import POLLING, UNIFORM, value_of, workload_of
from .switch_design import SwitchDesign
from .whole import check_whole

# Experiments of several seeds that tell how far one can be trusted.
_NOISE: Final = "noise_"
# The bits of state leave out all logic, so that they tell no smaller differences of area apart.
AREA_WIDTH: Final = 0.25
# Boxes are so many times as wide as one seed lies about the mean, of which so much at least is
# taken. Both were chosen after the data had been seen, as the page says, with what others show.
TIMES_NOISE: Final = 3
LEAST_NOISE: Final = 0.01


@dataclass(frozen=True)
class Objectives:
    """What one design does in the first step."""

    polling: float
    """Mean latency, cycles."""
    mixed: Mapping[str, float]
    """Accepted load by mixed workload, requests per element and cycle."""
    uniform: float
    """The same of uniform traffic."""

    @property
    def mean_mixed(self) -> float:
        """Geometric mean over the workloads, so that none counts more for its size."""
        return statistics.geometric_mean(self.mixed.values())

    @property
    def costs(self) -> tuple[float, float, float]:
        """The smaller the better."""
        return self.polling, 1 / self.mean_mixed, 1 / self.uniform

    def texts(self, mixed: Sequence[str] = ()) -> list[str]:
        """Cycles, and loads in thousandths, whose one seed tells three digits at most: those of
        some mixed workloads, or their mean, and of uniform traffic."""
        loads = [self.mixed[each] for each in mixed] or [self.mean_mixed]
        return [f"{self.polling:.1f}", *(f"{1000 * each:.0f}" for each in (*loads, self.uniform))]


LOAD: Final = "accepted load"
NAMES: Final = ("polling", "mixed", "uniform", "flip-flops")
"""Of the objectives, in their order."""


@dataclass(frozen=True)
class FirstStep:
    """The table of the first sweep."""

    designs: Mapping[SwitchDesign, Objectives]
    widths: tuple[float, ...]
    """Relative, of the boxes of each objective."""
    noise: tuple[float, ...]
    """Greatest relative standard deviation between seeds, of the objectives that are measured."""
    points: int

    def costs(self, design: SwitchDesign) -> tuple[float, ...]:
        """All objectives, the smaller the better."""
        return (*self.designs[design].costs, float(design.flip_flops()))

    def box(self, design: SwitchDesign) -> Box:
        return box_of(self.costs(design), self.widths)

    @cached_property
    def front(self) -> list[SwitchDesign]:
        """A design for each box that no other beats: the one with least state, then the fastest."""
        return front(
            self.designs,
            self.costs,
            self.widths,
            lambda each: (each.flip_flops(), *self.designs[each].costs, *_ranks(each)),
        )

    def winners(self, reference: SwitchDesign) -> list[SwitchDesign]:
        """Those of the front that are nowhere behind the reference but maybe in state, and ahead
        in one thing at least."""
        own = self.box(reference)[:-1]
        boxes = {each: self.box(each)[:-1] for each in self.front}
        return [
            each
            for each, box in boxes.items()
            if box != own and all(a <= b for a, b in zip(box, own, strict=True))
        ]


def read_first_step(results: Results) -> FirstStep:
    """Raises `ExploreError` for points without a result, and for designs that were not measured
    under every workload, or more than once."""
    check_whole(results)
    measured: dict[SwitchDesign, dict[str, float]] = {}
    repeated: dict[tuple[SwitchDesign, int], dict[str, float]] = {}
    elements = set()
    for row in results.rows():
        design, workload = SwitchDesign.of(row), workload_of(row)
        value = value_of(row, workload)
        elements.add(int(row["network.processing_elements"]))
        if row["experiment"].startswith(_NOISE):
            repeated.setdefault((design, row["seed"]), {})[workload] = value
        elif workload in measured.setdefault(design, {}):
            raise ExploreError(
                f"{results.folder}: {design.words} was measured twice under {workload}; the first "
                "step takes one seed of each design"
            )
        else:
            measured[design][workload] = value
    if len(elements) != 1:
        raise ExploreError(
            f"{results.folder} has networks of {', '.join(map(str, sorted(elements)))} elements; "
            "the first step compares designs at one size"
        )
    workloads = {POLLING, UNIFORM}.union(*measured.values())
    if len(workloads) == 2:
        raise ExploreError(f"{results.folder} has no mixed traffic; run the sweep without --only")
    of_seeds = [(design, values) for (design, _), values in repeated.items()]
    for each, values in [*measured.items(), *of_seeds]:
        if lacking := workloads - values.keys():
            raise ExploreError(
                f"{results.folder}: {each.words} was not measured under "
                f"{', '.join(sorted(lacking))}; give every experiment the same axes"
            )
    designs = {each: _objectives(values) for each, values in measured.items()}
    noise = _spread({key: _objectives(values) for key, values in repeated.items()})
    if not noise:
        raise ExploreError(
            f"{results.folder} has no experiment {_NOISE}... of several seeds, without which "
            "nobody knows how far one can be trusted"
        )
    widths = (*(TIMES_NOISE * max(each, LEAST_NOISE) for each in noise), AREA_WIDTH)
    return FirstStep(designs, widths, noise, len({row["hash"] for row in results.rows()}))


def _objectives(values: Mapping[str, float]) -> Objectives:
    mixed = {name: value for name, value in values.items() if name not in (POLLING, UNIFORM)}
    return Objectives(values[POLLING], mixed, values[UNIFORM])


def _spread(measured: Mapping[tuple[SwitchDesign, int], Objectives]) -> tuple[float, ...]:
    """Greatest relative standard deviation over seeds, by objective."""
    by_design: dict[SwitchDesign, list[tuple[float, ...]]] = {}
    for (design, _), objectives in measured.items():
        by_design.setdefault(design, []).append(objectives.costs)
    several = [each for each in by_design.values() if len(each) > 1]
    spreads = [
        [statistics.stdev(column) / statistics.fmean(column) for column in zip(*each, strict=True)]
        for each in several
    ]
    return tuple(max(column) for column in zip(*spreads, strict=True))


def _ranks(design: SwitchDesign) -> tuple[float, ...]:
    """Tells any two designs apart, the plainer first."""
    return (
        design.slots,
        design.wait_buffer_entries,
        design.coupled,
        design.adaptive_limit,
        design.order == "ordered",
        design.adaptation == "gradual",
        design.queue_type == "A",
        design.microarchitecture == "systolic",
    )
