# SPDX-License-Identifier: Apache-2.0
"""From a sweep to its points, each checked by the simulator before anything runs."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from .configuration import parameters_of
from .errors import ExploreError
from .simulator import ResolvedPoint, Simulator, set_argument
from .sweep_file import Experiment, Sweep
from .text import value_text

# Of a point in which no cycles run: a second's work of the simulator, until the points of its curve
# have been measured.
_UNKNOWN_COST: Final = 60e6


@dataclass(frozen=True, kw_only=True)
class PointName:
    """What a point is called, and how it is listed."""

    experiment: str
    series: str
    """A curve of a figure; empty if the base has none."""
    coordinates: Mapping[str, Any]
    """The varied parameters with their values here."""
    seed: int
    traces: Sequence[Sequence[str]] = ()
    """Tracks and window of each trace that stays next to its result."""

    @property
    def label(self) -> str:
        """Such as "figure4, improved, network.processing_elements = 64, seed 1"."""
        varied = [f"{name} = {value_text(value)}" for name, value in self.coordinates.items()]
        parts = (self.experiment, self.series, *varied, f"seed {self.seed}")
        return ", ".join(filter(None, parts))


@dataclass(frozen=True, kw_only=True)
class Point(PointName):
    """One run of the simulator: a configuration and a seed."""

    platform: str
    configuration: Mapping[str, Any]
    """Every parameter with its value, as nested objects."""
    processors_parameter: str | None = None
    """As of `ResolvedPoint`."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter by its name in the sweep."""
        return parameters_of(self.configuration, self.processors_parameter)

    @cached_property
    def hash(self) -> str:
        """Names the point's folder: 64 hexadecimal digits."""
        return configuration_hash(self.platform, self.configuration, self.seed)

    @cached_property
    def switch_cycles(self) -> float:
        """Switches times cycles, by which the cost of a run grows.

        A run until its mean is steady may be longer than is taken here.
        """
        run = self.configuration.get("run")
        if run is None:
            return _UNKNOWN_COST
        cycles = run["warmup"] + run["cycles"]
        elements = self.configuration["network"].get("processing_elements")
        if elements is not None:
            return float(elements / 2 * math.log2(elements) * cycles)
        # A node is about as much as a switch; of a cluster only its graph knows how many there are.
        nodes = self.configuration.get("nodes")
        return _UNKNOWN_COST if nodes is None else float(nodes * cycles)


@dataclass(frozen=True)
class Plan:
    """All points of a sweep, in the order of the file."""

    sweep: Sweep
    points: tuple[Point, ...]
    """Each once; two of different experiments or series may have one hash and so one result."""
    warnings: tuple[str, ...]
    """Settings that work but can hardly be meant, in the simulator's words."""


def configuration_hash(platform: str, configuration: Mapping[str, Any], seed: int) -> str:
    """SHA-256 over everything that decides what a run simulates, but the program's version."""
    document = {"platform": platform, "configuration": _canonical(configuration), "seed": seed}
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def count_points(sweep: Sweep, simulator: Simulator) -> int:
    """How many points the sweep has, without expanding them: quick for a million too.

    Checks bases and the first value of each axis on the way. Raises `ExploreError`.
    """
    return sum(_count(each, sweep, simulator) for each in sweep.experiments)


def make_plan(sweep: Sweep, simulator: Simulator | None = None) -> Plan:
    """Expands all points, each checked by the simulator; the one that is found if not given.

    Runs nothing. Raises `ExploreError` for unknown parameters (with the nearest name), values out
    of range and combinations that the simulator refuses.
    """
    simulator = simulator or Simulator.find()
    points: dict[tuple[str, str, str], Point] = {}
    warnings: dict[str, None] = {}
    for experiment in sweep.experiments:
        resolved = _validated(experiment, sweep, simulator, _sets(experiment, whole=True))
        warnings.update(dict.fromkeys(resolved.warnings))
        varied = _varied(resolved.points, experiment)
        for each in resolved.points:
            for point in _with_seeds(each, experiment, varied):
                points.setdefault((point.experiment, point.series, point.hash), point)
    # One run is for all experiments that have the point.
    traces: dict[str, dict[Sequence[str], None]] = {}
    for point in points.values():
        traces.setdefault(point.hash, {}).update(dict.fromkeys(point.traces))
    whole = [
        replace(point, traces=tuple(own)) if (own := traces[point.hash]) else point
        for point in points.values()
    ]
    return Plan(sweep, tuple(whole), tuple(warnings))


def _canonical(value: Any) -> Any:
    """The same for 1.0 and 1, which mean the same."""
    if isinstance(value, Mapping):
        return {name: _canonical(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_canonical(each) for each in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _count(experiment: Experiment, sweep: Sweep, simulator: Simulator) -> int:
    others = _validated(experiment, sweep, simulator, _sets(experiment, whole=False))
    combinations = math.prod(len(values) for values in experiment.axes.values())
    return len(others.points) * combinations * len(experiment.seeds)


def _sets(experiment: Experiment, whole: bool) -> list[str]:
    """Arguments of --set; unless `whole`, only the first value of each axis."""
    fixed = [set_argument(name, value) for name, value in experiment.fixed.items()]
    axes = [
        set_argument(name, list(values if whole else values[:1]))
        for name, values in experiment.axes.items()
    ]
    return fixed + axes


def _validated(experiment: Experiment, sweep: Sweep, simulator: Simulator, sets: list[str]) -> Any:
    try:
        return simulator.validate(experiment.base, sets, experiment.series)
    except ExploreError as problem:
        words = str(problem).removeprefix("--set: ").removeprefix("--set ")
        raise ExploreError(f"{sweep.source}: experiment {experiment.name}: {words}") from problem


def _varied(points: Sequence[ResolvedPoint], experiment: Experiment) -> list[str]:
    """The axes, and what the base itself varies: differs between points of one series."""
    first: dict[str, dict[str, Any]] = {}
    names = dict.fromkeys(experiment.axes)
    for point in points:
        values = point.parameters
        reference = first.setdefault(point.series, values)
        names.update(dict.fromkeys(name for name in values if values[name] != reference[name]))
    return list(names)


def _with_seeds(
    resolved: ResolvedPoint, experiment: Experiment, varied: list[str]
) -> Iterator[Point]:
    parameters = resolved.parameters
    coordinates = {name: parameters[name] for name in varied}
    for seed in experiment.seeds:
        yield Point(
            experiment=experiment.name,
            series=resolved.series,
            coordinates=coordinates,
            platform=resolved.platform,
            configuration=resolved.configuration,
            processors_parameter=resolved.processors_parameter,
            seed=seed,
            traces=experiment.traces,
        )
