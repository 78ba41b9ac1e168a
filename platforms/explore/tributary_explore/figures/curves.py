# SPDX-License-Identifier: Apache-2.0
"""Statistics, or quotients of two, against a parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair

from ..text import value_text
from . import theme
from .charts import (
    Drawn,
    Points,
    axis_value,
    by_title,
    control,
    data,
    interval_bars,
    interval_sentence,
    line_entry,
    looks,
    only_shown,
    parameter_axis,
    parameters,
    published_marks,
    published_point,
    published_sentence,
    tooltips,
    value_axis,
)
from .data import Measured, interval, rounded, text_of
from .request import SERIES
from .statistics import parts_of


@dataclass(frozen=True)
class _Curves:
    """What the curves are of, and what they are called."""

    measured: Measured
    statistics: Mapping[str, str]
    """By name, which is empty for one statistic without any."""
    title: str
    """Of the y axis."""

    @staticmethod
    def of(measured: Measured) -> _Curves:
        y = measured.request["y"]
        statistics = y if isinstance(y, Mapping) else {"": y}
        axis = measured.request.options.get("axis")
        titles = dict.fromkeys(measured.title(each) for each in statistics.values())
        return _Curves(measured, statistics, ", ".join(titles) if axis is None else axis)

    @property
    def paths(self) -> tuple[str, ...]:
        """Of all statistics, each once."""
        parts = (path for each in self.statistics.values() for path in parts_of(each))
        return tuple(dict.fromkeys(parts))

    @property
    def by(self) -> str:
        return str(self.measured.request["by"])

    @property
    def by_title(self) -> str:
        """What the legend is called."""
        return by_title(self.by) if self.is_by_alone else "Curve"

    @property
    def is_by_alone(self) -> bool:
        return list(self.statistics) == [""]

    @property
    def names(self) -> list[str]:
        """Of all curves."""
        values = self.measured.names(self.by)
        return [self._joined(name, value) for name in self.statistics for value in values]

    def name(self, statistic: str, value: object) -> str:
        """Of the curve of a statistic, by its name, at a value of `by`."""
        return self._joined(statistic, text_of(self.by)(value))

    def _joined(self, statistic: str, value: str) -> str:
        if statistic == "":
            return value
        if len(self.measured.names(self.by)) == 1:
            return statistic
        parameter = "" if self.by == SERIES else f"{by_title(self.by).lower()} "
        return f"{statistic}, {parameter}{value}"


@dataclass(frozen=True)
class _Axes:
    x: altair.X
    y: altair.Y

    def chart(self, points: Points) -> altair.Chart:
        return altair.Chart(data(points)).encode(x=self.x, y=self.y)


def draw(measured: Measured) -> Drawn:
    """One curve for each statistic and each series, or each value of the parameter `by`."""
    return draw_with(measured, [])


def draw_with(measured: Measured, reference: Points) -> Drawn:
    """The same with a line of reference, whose points have the fields size, x, y and mark."""
    curves = _Curves.of(measured)
    for path in curves.paths:
        measured.need(path)
    x = measured.request["x"]
    values = measured.values(x)
    series = control("series", curves.by_title, curves.names)
    size = control("size", measured.title(x), [value_text(each) for each in values])
    points = _points(curves, x)
    published = _published(curves, x)
    axes = _Axes(
        parameter_axis([axis_value(each) for each in values], measured.title(x)),
        value_axis(measured, [each["y"] for each in (*points, *published, *reference)],
                   curves.title),
    )  # fmt: skip
    layers = _curve_layers(axes, points, curves) + _published_layers(axes, published, curves)
    layers = [
        *(only_shown(each, (series, size)) for each in layers),
        *(only_shown(each, (size,)) for each in _reference_layers(axes, reference)),
    ]
    chart = altair.layer(*layers).properties(width=theme.WIDTH, height=theme.HEIGHT)
    chart = chart.add_params(*parameters((series, size)))
    caption = interval_sentence(points) + published_sentence(published)
    return Drawn(chart, caption, (series, size), curves.paths)


def _points(curves: _Curves, x: str) -> Points:
    return [
        {
            "series": curves.name(name, mean.keys[curves.by]),
            "size": value_text(mean.keys[x]),
            "x": axis_value(mean.keys[x]),
            "y": rounded(mean.value),
            **interval(mean),
        }
        for name, statistic in curves.statistics.items()
        for mean in curves.measured.means((curves.by, x), statistic)
    ]


def _curve_layers(axes: _Axes, points: Points, curves: _Curves) -> list[altair.Chart]:
    x = curves.measured.request["x"]
    colour, dash, shape = looks("series", curves.by_title, curves.names)
    shown = tooltips(
        ("series:N", curves.by_title), ("size:N", curves.measured.title(x)), ("y:Q", curves.title)
    )
    lines = axes.chart(points).mark_line(strokeWidth=1.75)
    marks = axes.chart(points).mark_point(filled=True, size=42, opacity=1)
    layers = [
        lines.encode(color=colour, strokeDash=dash),
        marks.encode(color=colour, shape=shape, tooltip=shown),
    ]
    bars = interval_bars(points, curves.title)
    return [*layers, *(each.encode(x=axes.x, color=colour) for each in bars)]


def _published(curves: _Curves, x: str) -> Points:
    """Each published value that holds at a measured point; none is of a quotient."""
    return [
        {
            "series": curves.name(name, row[curves.by]),
            "size": value_text(row[x]),
            "x": axis_value(row[x]),
            **published_point(value),
        }
        for name, statistic in curves.statistics.items()
        for value, row in curves.measured.published_at(statistic, curves.by)
    ]


def _published_layers(axes: _Axes, published: Points, curves: _Curves) -> list[altair.Chart]:
    if not published:
        return []
    colour, _, _ = looks("series", curves.by_title, curves.names)
    return [published_marks(axes.chart(published), curves.title).encode(color=colour)]


def _reference_layers(axes: _Axes, reference: Sequence[dict[str, object]]) -> list[altair.Chart]:
    if not reference:
        return []
    line = axes.chart(list(reference)).mark_line(style=theme.REFERENCE)
    return [line.encode(strokeWidth=line_entry(str(reference[0]["mark"])))]
