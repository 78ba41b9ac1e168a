# SPDX-License-Identifier: Apache-2.0
"""What a report tells of: the points of a sweep with their numbers, and those without."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .flatten import MARKS, STEADY, Column
from .intervals import mean_and_half_width
from .results import Results
from .store import Failure, PlannedPoint, PointState, Store
from .table import identifier
from .text import value_text


@dataclass(frozen=True)
class Run:
    """A point with one seed and what its results.json holds."""

    point: PlannedPoint
    file: str
    """Relative to the sweep's folder."""
    values: Mapping[str, float | None]
    """By flat path; None where nothing was counted."""


@dataclass(frozen=True)
class Setting:
    """A point with all its seeds that have a result."""

    configuration: Mapping[str, Any]
    """Every parameter by dotted name."""
    runs: tuple[Run, ...]
    anchor: str = ""
    """Id of the row of a report that lists its files."""

    @property
    def experiment(self) -> str:
        return self.runs[0].point.experiment

    @property
    def series(self) -> str:
        return self.runs[0].point.series

    @property
    def coordinates(self) -> Mapping[str, Any]:
        return self.runs[0].point.coordinates

    @property
    def label(self) -> str:
        """Such as "improved, network.processing_elements = 64"."""
        varied = [f"{name} = {value_text(value)}" for name, value in self.coordinates.items()]
        return ", ".join(filter(None, [self.series, *varied])) or self.experiment

    @property
    def unsteady(self) -> tuple[int, ...]:
        """The seeds whose run was not steady, or not settled, in its time: hollow in figures."""
        return tuple(
            run.point.seed for run in self.runs if any(run.values.get(mark) == 0 for mark in MARKS)
        )

    @property
    def gave_up(self) -> bool:
        """Whether a run ended before what it waits for: it decides nothing.

        A paper's runs of fixed length are compared with it even if they have not settled.
        """
        return any(run.values.get(STEADY) == 0 for run in self.runs)

    def mean(self, statistic: str) -> tuple[float, float | None] | None:
        """Mean over seeds and half-width of its confidence interval; None if nothing is known.

        The half-width is None for a single seed.
        """
        known = [value for run in self.runs if (value := run.values.get(statistic)) is not None]
        return mean_and_half_width(known) if known else None


@dataclass(frozen=True)
class Lacking:
    """A point of the plan without a result."""

    point: PlannedPoint
    state: PointState
    failure: Failure | None


@dataclass(frozen=True)
class Measurements:
    """Everything that a sweep's folder holds by now."""

    settings: tuple[Setting, ...]
    lacking: tuple[Lacking, ...]
    statistics: Mapping[str, Column]
    """Those that are one number, by flat path."""
    platforms: tuple[str, ...]
    """What was simulated; none while there is no result."""

    @property
    def platform(self) -> str:
        """The same for people."""
        return ", ".join(self.platforms)

    def of(self, experiment: str, files: Iterable[str]) -> list[Setting]:
        """The settings of an experiment with a result among `files`."""
        wanted = set(files)
        return [
            setting
            for setting in self.settings
            if setting.experiment == experiment and any(run.file in wanted for run in setting.runs)
        ]


def read_measurements(store: Store, results: Results | None) -> Measurements:
    """Joins the plan with the table and the failures; `results` is None if there is none yet.

    Raises `ExploreError` if there is no plan.
    """
    version = str(store.plan()["version"])
    statistics = _statistics(results)
    parameters = results.parameters if results else ()
    rows = _rows(results, statistics)
    lacking: list[Lacking] = []
    runs: dict[Hashable, list[Run]] = {}
    configurations: dict[Hashable, dict[str, Any]] = {}
    for point in store.points():
        row = rows.get((point.experiment, point.hash))
        if row is None:
            lacking.append(Lacking(point, store.state(point, version), store.failure(point)))
            continue
        setting = (point.experiment, point.series, row["point"])
        values = {path: row[path] for path in statistics}
        runs.setdefault(setting, []).append(Run(point, row["file"], values))
        configurations.setdefault(setting, {name: row[name] for name in parameters})
    settings = tuple(
        Setting(configurations[each], tuple(runs[each]), f"point-{number}")
        for number, each in enumerate(runs, start=1)
    )
    platforms = tuple(sorted({str(row["platform"]) for row in rows.values()}))
    return Measurements(settings, tuple(lacking), statistics, platforms)


def _statistics(results: Results | None) -> dict[str, Column]:
    """Those that are one number: no lists, no texts."""
    columns = results.columns if results else ()
    return {
        each.name: each
        for each in columns
        if each.kind == "statistic" and each.type in ("BIGINT", "DOUBLE")
    }


def _rows(
    results: Results | None, statistics: Iterable[str]
) -> dict[tuple[str, str], dict[str, Any]]:
    """Rows of the table by experiment and hash."""
    if results is None:
        return {}
    names = ("experiment", "hash", "point", "file", "platform", *results.parameters, *statistics)
    rows = results.sql(f"SELECT {', '.join(map(identifier, names))} FROM results").records()
    return {(row["experiment"], row["hash"]): row for row in rows}


def varied_names(settings: Sequence[Setting]) -> list[str]:
    """The coordinates that differ between settings, in the order of the sweep."""
    names = dict.fromkeys(name for each in settings for name in each.coordinates)
    return [
        name for name in names if len({repr(each.coordinates.get(name)) for each in settings}) > 1
    ]
