# SPDX-License-Identifier: Apache-2.0
"""Latency against accepted load: one curve a series, one point for each number outstanding."""

from __future__ import annotations

from typing import Any

import altair

from ..text import value_text
from . import theme
from .charts import (
    Drawn,
    Points,
    by_title,
    control,
    data,
    for_scale,
    hollow_sentence,
    interval_sentence,
    looks,
    point_marks,
    side_by_side,
    switched,
    tooltips,
    value_axis,
)
from .data import Measured, interval, rounded, text_of


def draw(measured: Measured) -> Drawn:
    """A panel for each value of the parameter `panels`, side by side."""
    request = measured.request
    x, y, along, by, panels = (request[key] for key in ("x", "y", "along", "by", "panels"))
    measured.need(x)
    measured.need(y)
    names = measured.names(by)
    points, left_out = for_scale(measured, _points(measured))
    switches = [
        control("series", by_title(by), names),
        control("size", measured.title(along), measured.names(along)),
    ]
    if panels:
        switches.append(control("panel", measured.title(panels), measured.panel_titles))
    whole = altair.layer(*_layers(measured, points, names)).properties(
        width=theme.PANEL if panels else theme.WIDTH,
        height=theme.PANEL_HEIGHT if panels else theme.HEIGHT,
    )
    chart: Any = whole.properties(data=data(points))
    if panels:
        chart = side_by_side(whole, points, measured.panel_titles)
        chart = chart.resolve_scale(x="independent", y="independent")
    caption = f"Numbers at the points: {measured.title(along).lower()}. "
    caption += interval_sentence(points) + hollow_sentence(points) + left_out
    return Drawn(switched(chart, switches), caption, tuple(switches), (x, y))


def _points(measured: Measured) -> Points:
    request = measured.request
    along, by, panels = request["along"], request["by"], request["panels"]
    keys = tuple(dict.fromkeys(key for key in (panels, by, along) if key))
    loads = {tuple(mean.keys.values()): mean for mean in measured.means(keys, request["x"])}
    found = []
    for mean in measured.means(keys, request["y"]):
        load = loads[tuple(mean.keys.values())]
        point = {
            "series": text_of(by)(mean.keys[by]),
            "size": value_text(mean.keys[along]),
            "order": mean.keys[along],
            "x": rounded(load.value),
            "y": rounded(mean.value),
            **interval(mean),
        }
        point |= {f"x_{key}": value for key, value in interval(load).items()}
        if panels:
            point["panel"] = measured.panel_title(mean.keys[panels])
        found.append(point)
    return found


def _layers(measured: Measured, points: Points, names: list[str]) -> list[altair.Chart]:
    request = measured.request
    by, along = request["by"], request["along"]
    colour, dash, shape = looks("series", by_title(by), names)
    horizontal = altair.X(
        "x:Q",
        title=measured.title(request["x"]),
        scale=altair.Scale(zero=True),
        axis=altair.Axis(tickCount=4, labelFlush=False),
    )
    vertical = value_axis(measured, [each["y"] for each in points])
    shown = tooltips(
        ("series:N", by_title(by)),
        ("size:N", measured.title(along)),
        ("x:Q", measured.title(request["x"])),
        ("y:Q", measured.title(request["y"])),
    )
    base = altair.Chart().encode(x=horizontal, y=vertical, color=colour)
    layers = [
        base.mark_line(strokeWidth=2).encode(strokeDash=dash, order="order:Q"),
        *point_marks(base, shape, shown, points),
        *_labels(base, names),
    ]
    if any("low" in each for each in points):
        up = base.mark_rule(strokeWidth=1.25, clip=True).encode(y="low:Q", y2="high:Q")
        along_x = base.mark_rule(strokeWidth=1.25, clip=True).encode(x="x_low:Q", x2="x_high:Q")
        layers += [up.transform_filter("isValid(datum.low)")]
        layers += [along_x.transform_filter("isValid(datum.x_low)")]
    return layers


def _labels(base: altair.Chart, names: list[str]) -> list[altair.Chart]:
    """How many are outstanding at each point: above every other series, below the rest."""
    above = base.mark_text(align="right", dx=-5, dy=-7, fontSize=12).encode(text="size:N")
    below = base.mark_text(align="left", dx=5, dy=8, fontSize=12).encode(text="size:N")
    return [
        chart.transform_filter(altair.FieldOneOfPredicate(field="series", oneOf=own))
        for chart, own in ((above, names[::2]), (below, names[1::2]))
        if own
    ]
