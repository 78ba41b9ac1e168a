# SPDX-License-Identifier: Apache-2.0
"""Statistics on top of each other: a bar for each series, or each value of a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import altair

from . import theme
from .charts import (
    Drawn,
    Points,
    by_title,
    control,
    data,
    published_marks,
    published_point,
    published_sentence,
    switched,
    tooltips,
    unsteady_sentence,
)
from .data import Measured, rounded, text_of
from .statistics import parts_of

_LINES: Final = "length(datum.label) > 12 ? split(datum.label, / |(?=[+])/) : datum.label"
"""The name of a bar below it; of a long one each word has a line, so that it stays whole."""


def draw(measured: Measured) -> Drawn:
    """Bars of the means over the seeds, and a diamond where a published part of a bar ends."""
    request = measured.request
    y, by = request["y"], request["by"]
    parts: Mapping[str, str] = y if isinstance(y, Mapping) else {measured.title(y): y}
    for path in parts.values():
        for each in parts_of(path):
            measured.need(each)
    points = _points(measured, parts, by)
    published = _published(measured, parts, by)
    names = measured.names(by)
    switches = (control("series", by_title(by), names),)
    title = request.options.get("axis") or measured.title(next(iter(parts.values())))
    chart = switched(_chart(list(parts), names, title, by, bool(published)), switches)
    chart = chart.properties(
        width=theme.WIDTH, height=theme.HEIGHT, data=data([*points, *published])
    )
    unsteady = list(dict.fromkeys(each["series"] for each in points if each["unsteady"]))
    caption = "Labels are the sums." if len(parts) > 1 else ""
    caption += unsteady_sentence(unsteady) + published_sentence(published)
    paths = [path for each in parts.values() for path in parts_of(each)]
    return Drawn(chart, caption.strip(), switches, tuple(dict.fromkeys(paths)))


def _points(measured: Measured, parts: Mapping[str, str], by: str) -> Points:
    """A part of a bar each, from `low` to `high`; what a run has nothing of has no height."""
    reached: dict[str, float] = {}
    points: Points = []
    for part, path in parts.items():
        for mean in measured.means([by], path):
            name = text_of(by)(mean.keys[by])
            low = reached.get(name, 0.0)
            reached[name] = low + mean.value
            points.append(
                {
                    "series": name,
                    "part": part,
                    "y": rounded(mean.value),
                    "low": rounded(low),
                    "high": rounded(reached[name]),
                    "seeds": mean.seeds,
                    "unsteady": mean.unsteady,
                }
            )
    for point in points:
        point["sum"] = rounded(reached[point["series"]])
    return points


def _published(measured: Measured, parts: Mapping[str, str], by: str) -> Points:
    """Where each published part ends on top of the published parts below it."""
    reached: dict[str, float] = {}
    found: Points = []
    for part, path in parts.items():
        for value, row in measured.published_at(path, [by]):
            name = text_of(by)(row[by])
            point = published_point(value)
            reached[name] = reached.get(name, 0.0) + point["y"]
            found.append({**point, "series": name, "part": part, "high": reached[name]})
    return found


def _chart(parts: list[str], names: list[str], title: str, by: str, with_published: bool) -> Any:
    of_bar = by_title(by)
    colours, _, _ = theme.series_scales(parts)
    legend = altair.Legend(title=None) if len(parts) > 1 else None
    shown = tooltips(("series:N", of_bar), ("part:N", "Part"), ("y:Q", title), ("sum:Q", "Sum"))
    base = altair.Chart().encode(
        x=altair.X(
            "series:N",
            title=None,
            sort=names,
            axis=altair.Axis(labelAngle=0, labelLimit=90, labelExpr=_LINES),
        ),
        y=altair.Y("high:Q", title=title, scale=altair.Scale(domainMin=0, nice=6)),
    )
    measured = base.transform_filter("isValid(datum.seeds)")
    bars = measured.mark_bar(width=altair.RelativeBandSize(band=0.6), clip=True).encode(
        y2="low:Q",
        color=altair.Color("part:N", scale=colours, sort=parts, legend=legend),
        tooltip=shown,
    )
    sums = (
        measured.mark_text(dy=-13, aria=False)
        .encode(text=altair.Text("sum:Q", format=".3~r"))
        .transform_filter(altair.FieldEqualPredicate(field="part", equal=parts[-1]))
    )
    layers = [bars, sums]
    if with_published:
        marks = published_marks(base, title).encode(stroke=altair.value(theme.LIGHT.ink))
        layers.append(marks.transform_filter("isValid(datum.mark)"))
    return altair.layer(*layers)
