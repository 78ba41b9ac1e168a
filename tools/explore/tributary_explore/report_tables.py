# SPDX-License-Identifier: Apache-2.0
"""The numbers that a figure draws, as a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .figures.figure import Figure
from .flatten import Column, any_stage, stage_of
from .measurements import Measurements, Setting, varied_names
from .text import number_text, value_text

# What stands for a distribution or a course in time, which would be no table to read.
_OF_HISTOGRAM = ("count", "p50", "p95", "p99")
_SERIES = "_over_time"


@dataclass(frozen=True)
class Number:
    """A number in a table."""

    text: str
    error: str = ""
    """Half-width of its confidence interval over seeds; empty for one seed."""
    anchor: str = ""
    """Id of what it is made of on the page; empty for what was not measured."""
    hollow: str = ""
    """Why it decides nothing, `not steady in 2 of 5 seeds`; empty if it may."""


NOT_MEASURED = Number("–")


@dataclass(frozen=True)
class NumberColumn:
    """One statistic of one series."""

    series: str
    statistic: str
    """Its path, with `S` for a stage."""
    unit: str


@dataclass(frozen=True)
class NumberRow:
    """One combination of coordinates, and one stage."""

    heads: tuple[str, ...]
    numbers: tuple[Number, ...]
    """One a column."""


@dataclass(frozen=True)
class NumberTable:
    """A table of numbers, each with the point that it is of."""

    heads: tuple[str, ...]
    """Of the columns that say which point a row is of."""
    columns: tuple[NumberColumn, ...]
    rows: tuple[NumberRow, ...]

    @property
    def has_hollow(self) -> bool:
        return any(number.hollow for row in self.rows for number in row.numbers)

    @property
    def statistics(self) -> list[str]:
        return list(dict.fromkeys(each.statistic for each in self.columns))

    @property
    def series(self) -> list[str]:
        return list(dict.fromkeys(each.series for each in self.columns))


def number_of(setting: Setting, statistic: Column) -> Number:
    """The mean over seeds of a statistic."""
    measured = setting.mean(statistic.name)
    if measured is None:
        return NOT_MEASURED
    mean, error = measured
    return Number(
        text=number_text(mean, statistic.unit),
        error="" if error is None else number_text(error, statistic.unit),
        anchor=setting.anchor,
        hollow=_hollow_text(setting),
    )


def number_table(figure: Figure, measurements: Measurements) -> NumberTable:
    """Rows by coordinates and stage, columns by series and statistic."""
    files = [file for source in figure.sources for file in source.files]
    settings = measurements.of(figure.experiment, files)
    paths = _paths(figure, measurements)
    varied = varied_names(settings)
    stages = sorted({stage for path in paths if (stage := stage_of(path)) is not None})
    rows_of_each: Sequence[int | None] = stages or [None]
    units = {any_stage(path): measurements.statistics[path].unit for path in paths}
    columns = tuple(
        NumberColumn(series, statistic, unit)
        for series in dict.fromkeys(each.series for each in settings)
        for statistic, unit in units.items()
    )
    rows = [
        _row(group, stage, columns, varied, measurements)
        for group in _by_coordinates(settings, varied)
        for stage in rows_of_each
    ]
    filled = (row for row in rows if any(number.anchor for number in row.numbers))
    return NumberTable((*varied, "stage") if stages else tuple(varied), columns, tuple(filled))


def _hollow_text(setting: Setting) -> str:
    """Why a setting's numbers decide nothing; empty if they may."""
    if not setting.unsteady:
        return ""
    seeds = len(setting.runs)
    return "not steady" + (f" in {len(setting.unsteady)} of {seeds} seeds" if seeds > 1 else "")


def _paths(figure: Figure, measurements: Measurements) -> list[str]:
    """Flat paths of one number each, in place of statistics that are many numbers."""
    known = measurements.statistics
    found: dict[str, None] = {}
    for source in figure.sources:
        path = source.statistic
        pattern = re.compile(re.escape(path).replace(r"\*", r"[^.]+") + r"\Z")
        matching = [each for each in known if pattern.match(each)]
        instead = [f"{path}.{name}" for name in _OF_HISTOGRAM] + [path.removesuffix(_SERIES)]
        found.update(dict.fromkeys(matching or [each for each in instead if each in known]))
    return sorted(found, key=lambda path: stage_of(path) or 0)


def _row(
    group: Sequence[Setting],
    stage: int | None,
    columns: Sequence[NumberColumn],
    varied: Sequence[str],
    measurements: Measurements,
) -> NumberRow:
    by_series = {setting.series: setting for setting in group}

    def number(column: NumberColumn) -> Number:
        path = column.statistic.replace(".stage.S.", f".stage.{stage}.")
        known = measurements.statistics.get(path)
        if column.series not in by_series or known is None:
            return NOT_MEASURED
        return number_of(by_series[column.series], known)

    heads = [value_text(group[0].coordinates.get(name, "–")) for name in varied]
    stages = [] if stage is None else [str(stage)]
    return NumberRow((*heads, *stages), tuple(map(number, columns)))


def _by_coordinates(settings: Sequence[Setting], varied: Sequence[str]) -> list[list[Setting]]:
    groups: dict[str, list[Setting]] = {}
    for setting in settings:
        key = repr([setting.coordinates.get(name) for name in varied])
        groups.setdefault(key, []).append(setting)
    return list(groups.values())
