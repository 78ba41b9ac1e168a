# SPDX-License-Identifier: Apache-2.0
"""Statistics, or quotients of two, against a parameter."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import altair

from ..text import value_text
from . import theme
from .charts import (
    PUBLISHED,
    Drawn,
    Points,
    axis_value,
    by_title,
    control,
    data,
    end_labels,
    for_scale,
    hollow_sentence,
    interval_bars,
    interval_sentence,
    label_directly,
    line_entry,
    looks,
    only_shown,
    parameter_axis,
    parameters,
    point_marks,
    published_marks,
    published_point,
    published_sentence,
    side_by_side,
    tooltips,
    value_axis,
)
from .data import Measured, interval, rounded, text_of
from .figure import Control
from .request import SERIES
from .statistics import parts_of

_ELEMENTS = "network.processing_elements"
_MEMORY = "memory.latency"
# What the least round trip is a bound of.
_LATENCIES = ("interface.latency.mean", "interface.latency.min")


@dataclass(frozen=True)
class _Curves:
    """What the curves are of, and what they are called."""

    measured: Measured
    statistics: Mapping[str, str]
    """By name, which is empty for one statistic without any."""
    title: str
    """Of the y axis."""
    x: str
    by: str
    panels: str | None
    """The parameter whose values have a panel each."""

    @staticmethod
    def of(measured: Measured) -> _Curves:
        x, y, by, panels = (measured.request[key] for key in ("x", "y", "by", "panels"))
        statistics = y if isinstance(y, Mapping) else {"": y}
        axis = measured.request.options.get("axis")
        titles = dict.fromkeys(measured.title(each) for each in statistics.values())
        title = ", ".join(titles) if axis is None else axis
        return _Curves(measured, statistics, title, x, by, panels)

    @property
    def paths(self) -> tuple[str, ...]:
        """Of all statistics, each once."""
        parts = (path for each in self.statistics.values() for path in parts_of(each))
        return tuple(dict.fromkeys(parts))

    @property
    def keys(self) -> tuple[str, ...]:
        """What the points of one curve's name have different, and the curves."""
        return tuple(dict.fromkeys(filter(None, (self.by, self.x, self.panels))))

    @property
    def by_title(self) -> str:
        """What the legend is called."""
        return by_title(self.by) if list(self.statistics) == [""] else "Curve"

    @property
    def direct(self) -> bool:
        """Whether the curves are labelled at their ends."""
        return label_directly(self.names, self.panels, self.measured.values(self.x))

    @property
    def names(self) -> list[str]:
        """Of all curves."""
        values = self.measured.names(self.by)
        return [self._joined(name, value) for name in self.statistics for value in values]

    def place(self, statistic: str, keys: Mapping[str, Any]) -> dict[str, Any]:
        """What the data of a mark has in addition to its y: curve, x and panel."""
        place = {
            "series": self._joined(statistic, text_of(self.by)(keys[self.by])),
            "size": value_text(keys[self.x]),
            "x": axis_value(keys[self.x]),
        }
        if self.panels is None:
            return place
        return place | {"panel": self.measured.panel_title(keys[self.panels])}

    def _joined(self, statistic: str, value: str) -> str:
        if statistic == "":
            return value
        if len(self.measured.names(self.by)) == 1:
            return statistic
        parameter = "" if self.by == SERIES else f"{by_title(self.by).lower()} "
        return f"{statistic}, {parameter}{value}"


def draw(measured: Measured) -> Drawn:
    """One curve for each statistic and each series, or each value of the parameter `by`."""
    curves = _Curves.of(measured)
    for path in curves.paths:
        measured.need(path)
    points, left_out = for_scale(measured, _points(curves))
    published = _published(curves)
    caption = interval_sentence(points) + hollow_sentence(points) + left_out
    return Drawn(
        _chart(curves, points, published, _in_each_panel(curves, _least(measured))),
        caption + published_sentence(published),
        _switches(curves),
        curves.paths,
    )


def _switches(curves: _Curves) -> tuple[Control, ...]:
    measured = curves.measured
    values = [value_text(each) for each in measured.values(curves.x)]
    switches = (
        control("series", curves.by_title, curves.names),
        control("size", measured.title(curves.x), values),
    )
    if curves.panels is None:
        return switches
    return (*switches, control("panel", measured.title(curves.panels), measured.panel_titles))


def _points(curves: _Curves) -> Points:
    return [
        {**curves.place(name, mean.keys), "y": rounded(mean.value), **interval(mean)}
        for name, statistic in curves.statistics.items()
        for mean in curves.measured.means(curves.keys, statistic)
    ]


def _published(curves: _Curves) -> Points:
    """Each published value that holds at a measured point; none is of a quotient."""
    return [
        {**curves.place(name, row), **published_point(value)}
        for name, statistic in curves.statistics.items()
        for value, row in curves.measured.published_at(statistic, curves.keys)
    ]


def _least(measured: Measured) -> Points:
    """The round trip of a lone request: a cycle a stage and direction, and the memory's latency.

    Empty if the figure is not of latency by size, or the memory's latency varies.
    """
    request = measured.request
    if request.kind != "latency" or request["x"] != _ELEMENTS or request["y"] not in _LATENCIES:
        return []
    memory = {int(row[_MEMORY]) for row in measured.rows}
    if len(memory) != 1:
        return []
    (latency,) = memory
    label = f"least possible, 2 log2 N + {latency}"
    return [
        {
            "size": value_text(elements),
            "x": elements,
            "y": 2 * math.log2(elements) + latency,
            "mark": label,
        }
        for elements in measured.values(_ELEMENTS)
    ]


def _in_each_panel(curves: _Curves, reference: Points) -> Points:
    if curves.panels is None:
        return reference
    titles = curves.measured.panel_titles
    return [{**point, "panel": title} for title in titles for point in reference]


def _chart(curves: _Curves, points: Points, published: Points, reference: Points) -> Any:
    """All marks have one table of data, as only such a chart can be had once for each panel."""
    measured = curves.measured
    rows = [*points, *published, *reference]
    values = [axis_value(each) for each in measured.values(curves.x)]
    titles = measured.panel_titles
    base = altair.Chart().encode(
        x=parameter_axis(values, measured.title(curves.x)),
        y=value_axis(measured, [each["y"] for each in rows], curves.title, bool(titles)),
    )
    layers = _curve_layers(base, points, curves, [each["y"] for each in rows])
    if published:
        layers.append(_published_layer(base, curves))
    series, *others = _switches(curves)
    layers = [only_shown(each, (series,)) for each in layers]
    if reference:
        layers.append(_reference_layer(base, str(reference[0]["mark"])))
    chart: Any = altair.layer(*layers)
    if titles:
        chart = chart.properties(width=theme.PANEL, height=theme.PANEL_HEIGHT)
        chart = side_by_side(chart, rows, titles).resolve_scale(y="independent")
    else:
        chart = chart.properties(width=theme.WIDTH, height=theme.HEIGHT, data=data(rows))
    return only_shown(chart, others).add_params(*parameters((series, *others)))


def _curve_layers(
    base: altair.Chart, points: Points, curves: _Curves, span: list[float]
) -> list[altair.Chart]:
    """`span`: all that the y axis shows."""
    x = curves.measured.title(curves.x)
    colour, dash, shape = looks("series", curves.by_title, curves.names, curves.direct)
    shown = tooltips(("series:N", curves.by_title), ("size:N", x), ("y:Q", curves.title))
    chart = base.encode(color=colour)
    lines = chart.mark_line(strokeWidth=2).encode(strokeDash=dash)
    layers = [
        # What is no number, such as "none", is joined to nothing.
        lines.transform_filter("isValid(datum.seeds) && isNumber(datum.x)"),
        *point_marks(chart, shape, shown, points),
        *interval_bars(chart, points, curves.title),
    ]
    if curves.direct:
        named = "" if curves.by == SERIES or curves.by_title == "Curve" else curves.by_title
        layers += end_labels(chart, _ends(curves, points, span), "x", named)
    return layers


def _ends(curves: _Curves, points: Points, span: list[float]) -> dict[str, float]:
    """How far from the top each curve ends, in pixels of a drawing of the usual height."""
    last: dict[str, float] = {}
    for point in sorted(points, key=lambda each: float(each["x"])):
        last[point["series"]] = point["y"]
    if curves.measured.request["scale"] == "log":
        low, high = math.log(min(span)), math.log(max(span))
        reached = {name: math.log(y) for name, y in last.items()}
    else:
        low, high, reached = 0.0, max(span), last
    pixels = theme.HEIGHT / (high - low or 1)
    return {name: (high - y) * pixels for name, y in reached.items()}


def _published_layer(base: altair.Chart, curves: _Curves) -> altair.Chart:
    colour, _, _ = looks("series", curves.by_title, curves.names, curves.direct)
    marks = published_marks(base, curves.title).encode(color=colour)
    return marks.transform_filter(altair.FieldEqualPredicate(field="mark", equal=PUBLISHED))


def _reference_layer(base: altair.Chart, label: str) -> altair.Chart:
    line: altair.Chart = base.mark_line(style=theme.REFERENCE)
    line = line.encode(strokeWidth=line_entry(label))
    return line.transform_filter(altair.FieldEqualPredicate(field="mark", equal=label))
