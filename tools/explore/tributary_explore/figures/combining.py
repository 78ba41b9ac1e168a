# SPDX-License-Identifier: Apache-2.0
"""A statistic of each stage: where in the network requests combine."""

from __future__ import annotations

import re

import altair

from . import theme
from .charts import (
    Drawn,
    Points,
    by_title,
    control,
    data,
    hollow_sentence,
    interval_bars,
    interval_sentence,
    line_entry,
    looks,
    only_shown,
    parameters,
    point_marks,
    published_marks,
    published_point,
    published_sentence,
    tooltips,
)
from .data import Measured, interval, rounded, stages, text_of

_RATE = "network.stage.*.combining_rate"
_GREATEST_RATE = 0.5  # every arrival joins a waiting one or is joined by one (FG Figure 5)

_HEIGHT = 240


def draw(measured: Measured) -> Drawn:
    """Side by side at each stage a bar for each series, or each value of the parameter `by`."""
    request = measured.request
    y, by = request["y"], request["by"]
    found = stages(measured, y)
    switches = (
        control("series", by_title(by), measured.names(by)),
        control("stage", "Stage", [str(stage) for stage in found]),
    )
    points = _points(measured, y, by)
    published = _published(measured, y, by)
    layers = [only_shown(each, switches) for each in _layers(measured, found, points, published)]
    if y == _RATE:
        layers.append(_greatest_layer(measured))
    chart = altair.layer(*layers).properties(width=theme.WIDTH, height=_HEIGHT)
    chart = chart.add_params(*parameters(switches))
    caption = interval_sentence(points) + hollow_sentence(points) + published_sentence(published)
    return Drawn(chart, caption, switches, tuple(y.replace("*", str(each)) for each in found))


def _layers(
    measured: Measured, found: list[int], points: Points, published: Points
) -> list[altair.Chart]:
    by, title = measured.request["by"], measured.title(measured.request["y"])
    names = measured.names(by)
    colour, _, shape = looks("series", by_title(by), names)
    colours, _, _ = theme.series_scales(names)
    x = altair.X(
        "stage:O",
        title=f"Stage ({found[0]}: elements, {found[-1]}: memory)",
        sort=[str(stage) for stage in found],
        axis=altair.Axis(labelAngle=0, grid=False),
        scale=altair.Scale(paddingInner=0.25, paddingOuter=0.15),
    )
    offset = altair.XOffset("series:N", sort=names, scale=altair.Scale(domain=names))

    def chart(rows: Points) -> altair.Chart:
        return altair.Chart(data(rows)).encode(
            x=x, xOffset=offset, y=_vertical(measured), color=colour
        )

    shown = tooltips(("series:N", by_title(by)), ("stage:O", "Stage"), ("y:Q", title))
    layers = [
        # The outline stands out as much as the other marks.
        chart(points)
        .mark_bar(fillOpacity=0.35, strokeWidth=1.5)
        .encode(stroke=altair.Stroke("series:N", scale=colours, sort=names, legend=None))
        .encode(tooltip=shown),
        *point_marks(chart(points), shape, shown, points),
    ]
    layers += interval_bars(chart(points), points, title)
    if published:
        layers.append(published_marks(chart(published), title))
    return layers


def _points(measured: Measured, y: str, by: str) -> Points:
    text = text_of(by)
    return [
        {
            "series": text(mean.keys[by]),
            "stage": str(stage),
            "y": rounded(mean.value),
            **interval(mean),
        }
        for stage in stages(measured, y)
        for mean in measured.means((by,), y.replace("*", str(stage)))
    ]


def _published(measured: Measured, y: str, by: str) -> Points:
    stage = re.compile(re.escape(y).replace(r"\*", r"(\d+)"))
    return [
        {"series": text_of(by)(row[by]), "stage": match[1], **published_point(value)}
        for value, row in measured.published_at(y, (by,))
        if (match := stage.fullmatch(value.statistic))
    ]


def _vertical(measured: Measured) -> altair.Y:
    """From zero; for rates with room for the marks at the greatest."""
    scale = altair.Scale(zero=True)
    if measured.request["y"] == _RATE:
        scale = altair.Scale(domain=[0, 1.08 * _GREATEST_RATE], nice=False)
    return altair.Y("y:Q", title=measured.title(measured.request["y"]), scale=scale)


def _greatest_layer(measured: Measured) -> altair.Chart:
    label = f"greatest possible, {_GREATEST_RATE:g}"
    line = altair.Chart(data([{"y": _GREATEST_RATE, "mark": label}]))
    rule: altair.Chart = line.mark_rule(style=theme.REFERENCE)
    return rule.encode(y=_vertical(measured), strokeWidth=line_entry(label))
