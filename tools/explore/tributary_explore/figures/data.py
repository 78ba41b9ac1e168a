# SPDX-License-Identifier: Apache-2.0
"""The rows of the table that a figure draws, with means over seeds and where they come from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ExploreError
from ..flatten import MARKS
from ..intervals import mean_and_half_width
from ..published_file import Published
from ..sweep_file import nearest
from ..text import value_text
from .figure import Source
from .request import SERIES, Request
from .statistics import parts_of

Row = Mapping[str, Any]

NO_SERIES = "all"
"""What stands for the points of a base without series."""


@dataclass(frozen=True)
class Mean:
    """A mean over seeds."""

    keys: Mapping[str, Any]
    """What all of its rows have in common."""
    value: float
    half_width: float | None
    """Of the confidence interval; None for a single seed."""
    seeds: int
    unsteady: int = 0
    """Of these seeds those whose run was not steady or settled in its time."""


@dataclass(frozen=True)
class Measured:
    """The rows of one figure: the points of its experiment that it is of."""

    request: Request
    rows: tuple[Row, ...]
    units: Mapping[str, str]
    descriptions: Mapping[str, str]
    """What each column means, in a sentence."""
    published: tuple[Published, ...]
    series: tuple[str, ...]
    """All series of the experiment, in their order."""
    folder: Path = Path()
    """Of the sweep, which the files of the rows are relative to."""

    def names(self, by: str) -> list[str]:
        """The values of a parameter or the series, as texts in their order."""
        if by == SERIES:
            present = {row[SERIES] for row in self.rows}
            return [series_text(each) for each in self.series if each in present]
        return [value_text(each) for each in self.values(by)]

    def values(self, column: str) -> list[Any]:
        """The different values of a column: numbers ascending, others as they come."""
        different = {repr(row[column]): row[column] for row in self.rows}.values()
        if all(is_number(each) for each in different):
            return sorted(different)
        return list(different)

    def title(self, path: str) -> str:
        """A title of an axis with its unit: `Mean latency (cycles)`."""
        parts = parts_of(path)
        if len(parts) == 2:
            over, under = (self.title(each) for each in parts)
            return f"{over} / {under[0].lower()}{under[1:]}"
        words = title_of(path)
        unit = self.units.get(path) or self.units.get(re.sub(r"\*", "0", path), "")
        told = unit in ("", "1") or words.lower().endswith(unit)
        return words if told else f"{words} ({unit})"

    @property
    def panel_titles(self) -> list[str]:
        """What stands above the panels; none if there is one only."""
        panels = self.request["panels"]
        return [self.panel_title(each) for each in self.values(panels)] if panels else []

    def panel_title(self, value: Any) -> str:
        """`Hot spot 20 %`, `Body intense`, the series' name, or what the figure calls the panel."""
        panels = self.request["panels"]
        titles = self.request.options.get("panel_titles") or {}
        if value_text(value) in titles:
            return str(titles[value_text(value)])
        if panels == SERIES:
            return series_text(value)
        if not is_number(value):
            return f"{title_of(panels)} {value_text(value).replace('_', ' ')}"
        unit = self.units.get(panels, "")
        if unit == "1":
            return f"{title_of(panels)} {value * 100:.6g} %"
        return f"{title_of(panels)} {value_text(value)} {unit}".rstrip()

    def need(self, path: str) -> None:
        """Raises `ExploreError` if no row has a value of the statistic."""
        if any(row.get(path) is not None for row in self.rows):
            return
        self.need_rows()
        if path in self.units:
            raise ExploreError(
                f'{self.request.where}: the statistic "{path}" has no value in any result, as '
                "nothing of it was measured; make the runs longer by run.cycles"
            )
        known = sorted({name for row in self.rows for name in row if name in self.units})
        raise ExploreError(
            f'{self.request.where}: the results have no statistic "{path}"'
            f"{nearest(path, known)} (tributary-explore query lists the columns by "
            '"DESCRIBE results")'
        )

    def need_rows(self) -> None:
        """Raises `ExploreError` if there is no row."""
        if not self.rows:
            raise ExploreError(
                f"{self.request.where}: none of the points that it shows has a result; "
                "tributary-explore status tells which have failed or are missing"
            )

    def sources(self, statistics: Iterable[str]) -> tuple[Source, ...]:
        """Where each statistic, all of its members if it has some, was read from."""
        return tuple(Source(each, self._files(each)) for each in statistics)

    def _files(self, statistic: str) -> tuple[str, ...]:
        columns = [
            name for name in self.rows[0] if name == statistic or name.startswith(f"{statistic}.")
        ]
        having = (row for row in self.rows if any(row[column] is not None for column in columns))
        return tuple(dict.fromkeys(row["file"] for row in having))

    def means(self, keys: Sequence[str], path: str) -> list[Mean]:
        """Mean and interval of a statistic, or of the quotient of two, over the seeds of each
        combination of the keys."""
        samples: dict[tuple[Any, ...], list[float]] = {}
        unsteady: Counter[tuple[Any, ...]] = Counter()
        for row in self.rows:
            value = _value(row, path)
            if value is not None:
                group = tuple(row[key] for key in keys)
                samples.setdefault(group, []).append(value)
                unsteady[group] += is_unsteady(row)
        return [
            Mean(
                dict(zip(keys, group, strict=True)),
                *mean_and_half_width(values),
                seeds=len(values),
                unsteady=unsteady[group],
            )
            for group, values in samples.items()
        ]

    def published_at(self, path: str, keys: Sequence[str]) -> list[tuple[Published, Row]]:
        """The published values of a statistic, `*` for any name, if the figure wants any.

        Each with a row that it holds for, one for each combination of the keys.
        """
        if not self.request["published"]:
            return []
        pattern = re.compile(re.escape(path).replace(r"\*", r"[^.]+"))
        found = {
            (value.id, *(row[key] for key in keys)): (value, row)
            for value in self.published
            for row in self.rows
            if pattern.fullmatch(value.statistic)
            and value.holds_at(row)
            and value.value is not None
        }
        return list(found.values())


def _value(row: Row, path: str) -> float | None:
    """Of a statistic, or of the quotient of two; None where nothing was measured."""
    values = [row.get(each) for each in parts_of(path)]
    if any(each is None for each in values) or 0 in values[1:]:
        return None
    over, *under = (float(each) for each in values if each is not None)
    return over / under[0] if under else over


def is_unsteady(row: Row) -> bool:
    """Whether the run of a row was not steady, not settled or not finished in its time."""
    return any(row.get(mark) == 0 for mark in MARKS)


NOT_STEADY = "not steady"
"""State of a point that is drawn hollow."""


def interval(mean: Mean) -> dict[str, Any]:
    """A mean's seeds, the ends of its interval, and its state if it is drawn hollow, as the chart's
    data has them."""
    point: dict[str, Any] = {"seeds": mean.seeds}
    if mean.half_width is not None:
        low, high = mean.value - mean.half_width, mean.value + mean.half_width
        point |= {"low": rounded(low), "high": rounded(high)}
    if mean.unsteady:
        point |= {"state": NOT_STEADY, "unsteady": f"{mean.unsteady} of {mean.seeds}"}
    return point


def stages(measured: Measured, path: str) -> list[int]:
    """The stages that have a statistic, in their order; `*` in its path stands for the stage."""
    pattern = re.compile(re.escape(path).replace(r"\*", r"(\d+)"))
    found = {
        int(match[1])
        for row in measured.rows
        for name, value in row.items()
        if value is not None and (match := pattern.fullmatch(name))
    }
    if not found:
        measured.need(path)
    return sorted(found)


def text_of(by: str) -> Callable[[Any], str]:
    """How a value of a parameter, or a series, is written."""
    return series_text if by == SERIES else value_text


def series_text(series: str) -> str:
    """A series' name; a base without series has one of no name."""
    return series or NO_SERIES


def is_number(value: Any) -> bool:
    """Whether a parameter's value can stand on an axis of numbers."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def rounded(value: float) -> float:
    """To six digits, which no figure resolves and which keep a page small."""
    return float(f"{value:.6g}")


_LEAVES = {
    "mean": "mean {}",
    "p50": "median of {}",
    "p95": "95th percentile of {}",
    "p99": "99th percentile of {}",
    "min": "least {}",
    "max": "greatest {}",
    "count": "count of {}",
    "sum": "sum of {}",
}


def title_of(path: str) -> str:
    """A path in words: `Mean latency` for interface.latency.mean, `Queue occupancy`."""
    parts = path.removesuffix(".values").split(".")
    pattern = _LEAVES.get(parts[-1])
    words = parts[-2 if pattern and len(parts) > 1 else -1].replace("_", " ")
    words = words.removesuffix(" distribution").removesuffix(" over time")
    text = pattern.format(words) if pattern else words
    return text[0].upper() + text[1:]
