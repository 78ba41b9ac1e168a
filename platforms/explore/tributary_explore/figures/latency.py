# SPDX-License-Identifier: Apache-2.0
"""A statistic against a parameter: latency against processing elements for each design."""

from __future__ import annotations

import math
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

_ELEMENTS = "network.processing_elements"
_MEMORY = "memory.latency"
# What the least round trip is a bound of.
_LATENCIES = ("interface.latency.mean", "interface.latency.min")


@dataclass(frozen=True)
class _Axes:
    x: altair.X
    y: altair.Y

    def chart(self, points: Points) -> altair.Chart:
        return altair.Chart(data(points)).encode(x=self.x, y=self.y)


def draw(measured: Measured) -> Drawn:
    """One curve for each series, or each value of the parameter `by`."""
    request = measured.request
    x, y, by = request["x"], request["y"], request["by"]
    measured.need(y)
    values = measured.values(x)
    series = control("series", by_title(by), measured.names(by))
    size = control("size", measured.title(x), [value_text(each) for each in values])
    curves = _curves(measured, x, y, by)
    published = _published(measured, x, y, by)
    least = _least(measured) if x == _ELEMENTS and y in _LATENCIES else []
    axes = _Axes(
        parameter_axis([axis_value(each) for each in values], measured.title(x)),
        value_axis(measured, [each["y"] for each in (*curves, *published, *least)]),
    )
    layers = _curve_layers(axes, curves, measured) + _published_layers(axes, published, measured)
    layers = [
        *(only_shown(each, (series, size)) for each in layers),
        *(only_shown(each, (size,)) for each in _least_layers(axes, least)),
    ]
    chart = altair.layer(*layers).properties(width=theme.WIDTH, height=theme.HEIGHT)
    chart = chart.add_params(*parameters((series, size)))
    caption = interval_sentence(curves) + published_sentence(published)
    return Drawn(chart, caption, (series, size), (y,))


def _curves(measured: Measured, x: str, y: str, by: str) -> Points:
    text = text_of(by)
    return [
        {
            "series": text(mean.keys[by]),
            "size": value_text(mean.keys[x]),
            "x": axis_value(mean.keys[x]),
            "y": rounded(mean.value),
            **interval(mean),
        }
        for mean in measured.means((by, x), y)
    ]


def _curve_layers(axes: _Axes, curves: Points, measured: Measured) -> list[altair.Chart]:
    by, x, y = (measured.request[key] for key in ("by", "x", "y"))
    colour, dash, shape = looks("series", by_title(by), measured.names(by))
    shown = tooltips(
        ("series:N", by_title(by)), ("size:N", measured.title(x)), ("y:Q", measured.title(y))
    )
    lines = axes.chart(curves).mark_line(strokeWidth=1.75)
    marks = axes.chart(curves).mark_point(filled=True, size=42, opacity=1)
    layers = [
        lines.encode(color=colour, strokeDash=dash),
        marks.encode(color=colour, shape=shape, tooltip=shown),
    ]
    bars = interval_bars(curves, measured.title(y))
    return [*layers, *(each.encode(x=axes.x, color=colour) for each in bars)]


def _published(measured: Measured, x: str, y: str, by: str) -> Points:
    """Each published value that holds at a measured point."""
    return [
        {
            "series": text_of(by)(row[by]),
            "size": value_text(row[x]),
            "x": axis_value(row[x]),
            **published_point(value),
        }
        for value, row in measured.published_at(y, by)
    ]


def _published_layers(axes: _Axes, published: Points, measured: Measured) -> list[altair.Chart]:
    if not published:
        return []
    by, y = measured.request["by"], measured.request["y"]
    colour, _, _ = looks("series", by_title(by), measured.names(by))
    return [published_marks(axes.chart(published), measured.title(y)).encode(color=colour)]


def _least(measured: Measured) -> Points:
    """The round trip of a lone request: a cycle a stage and direction, and the memory's latency."""
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


def _least_layers(axes: _Axes, least: Points) -> list[altair.Chart]:
    if not least:
        return []
    line = axes.chart(least).mark_line(style=theme.REFERENCE)
    return [line.encode(strokeWidth=line_entry(least[0]["mark"]))]
