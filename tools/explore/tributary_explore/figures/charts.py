# SPDX-License-Identifier: Apache-2.0
"""What the charts of several kinds share: axes, legends, and switches."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair

from ..errors import ExploreError
from ..intervals import CONFIDENCE
from ..published_file import Published
from ..text import TOO_SHORT, value_text
from . import theme
from .data import NO_SERIES, NOT_STEADY, Measured, is_number, title_of
from .figure import Control
from .request import SERIES

Points = list[dict[str, Any]]
"""Rows of a chart's data."""


@dataclass(frozen=True)
class Drawn:
    """A chart and what is said about it."""

    chart: altair.TopLevelMixin
    caption: str
    controls: tuple[Control, ...]
    statistics: tuple[str, ...]


def data(rows: Points) -> altair.InlineData:
    """Rows as data inside the chart."""
    return altair.InlineData(values=list(rows))


def by_title(by: str) -> str:
    """What a legend of a parameter, or the series, is called."""
    return "Design" if by == SERIES else title_of(by)


def control(name: str, title: str, values: Sequence[str]) -> Control:
    """A switch for the values of the field `name` of the chart's data."""
    return Control(f"shown_{name}", title, tuple(values))


def parameters(controls: Sequence[Control]) -> list[altair.Parameter]:
    """What the switches set: the values that are shown, at first all."""
    return [altair.param(name=each.parameter, value=list(each.values)) for each in controls]


def only_shown(chart: altair.Chart, controls: Sequence[Control]) -> altair.Chart:
    """The chart with only what is switched on."""
    for each in controls:
        field = each.parameter.removeprefix("shown_")
        chart = chart.transform_filter(f"indexof({each.parameter}, datum.{field}) >= 0")
    return chart


def switched(chart: Any, controls: Sequence[Control]) -> Any:
    """The chart with its switches."""
    return only_shown(chart, controls).add_params(*parameters(controls))


def stacked(panel: Any, rows: Points, field: str, titles: Sequence[str], spacing: int) -> Any:
    """A panel for each title, one below the other."""
    header = altair.Header(labelAnchor="start", labelExpr="split(datum.value, '\\n')")
    facet = altair.Facet(f"{field}:N", title=None, sort=list(titles), header=header)
    return panel.facet(facet=facet, columns=1, spacing=spacing, data=data(rows))


def side_by_side(panel: Any, rows: Points, titles: Sequence[str]) -> Any:
    """A panel for each title, two next to each other on paper, in a page as many as have room."""
    facet = altair.Facet("panel:N", title=None, sort=list(titles))
    return panel.facet(facet=facet, columns=2, data=data(rows))


def wide(values: Sequence[Any]) -> bool:
    """Whether numbers span so much that they are better shown by doublings."""
    return bool(min(values) > 0 and max(values) / min(values) >= 8)


def parameter_axis(values: Sequence[Any], title: str) -> altair.X:
    """The x axis of a parameter, with ticks at its values and no others."""
    if len(values) == 1 or not all(is_number(each) for each in values):
        return altair.X("x:O", title=title, sort=list(values), axis=altair.Axis(labelAngle=0))
    # A domain that is taken from what is shown would be none if nothing is.
    span: dict[str, Any] = {"domain": [min(values), max(values)], "nice": False, "padding": 14}
    by_doublings = {"type": "log", "base": 2} if wide(values) else {"type": "linear"}
    shown_as = "~d" if whole(values) else "~g"
    axis = altair.Axis(values=list(values), format=shown_as, labelOverlap="greedy")
    return altair.X("x:Q", title=title, scale=altair.Scale(**by_doublings, **span), axis=axis)


def value_axis(
    measured: Measured, values: Sequence[float], title: str = "", of_panels: bool = False
) -> altair.Y:
    """The y axis of the statistic `y`, from zero unless logarithmic; its title is that of the
    statistic if none is given. Of panels, each has the domain of what it shows.

    Raises `ExploreError` if a value has no logarithm.
    """
    request = measured.request
    scale = altair.Scale(domainMin=0, nice=6)
    axis = altair.Axis(tickCount=6)
    if request["scale"] == "log":
        if min(values) <= 0:
            raise ExploreError(
                f'{request.where}: scale: "log" cannot show that {_named(request["y"])} is '
                f'{min(values):g} at a point; write "linear"'
            )
        # A domain that is taken from what is shown would be none if nothing is; then there is no
        # panel either.
        domain: dict[str, Any] = {} if of_panels else {"domain": [min(values), max(values)]}
        scale = altair.Scale(type="log", nice=True, **domain)
        axis = altair.Axis(tickCount=6, format=",~g")
    title = title or measured.title(request["y"])
    return altair.Y("y:Q", title=title, scale=scale, axis=axis)


def for_scale(measured: Measured, points: Points) -> tuple[Points, str]:
    """The points as the axis of the statistic `y` can show them, and a sentence about those left
    out.

    On a logarithmic one an interval that reaches down to zero ends at the foot of the axis, and
    what counted nothing in the time that it had, which decides nothing, is left out. Raises
    `ExploreError` if nothing else is there.
    """
    if measured.request["scale"] != "log":
        return points, ""
    shown = [each for each in points if each["y"] > 0 or "state" not in each]
    if not shown:
        raise ExploreError(
            f"{measured.request.where}: nothing was counted in the time that its points had; let "
            "them run longer by run.maximum_cycles"
        )
    least: dict[Any, float] = {}
    for each in shown:
        least[each.get("panel")] = min(each["y"], least.get(each.get("panel"), math.inf))
    feet = {panel: 10 ** math.floor(math.log10(y)) for panel, y in least.items() if y > 0}
    shown = [
        {**each, "low": feet.get(each.get("panel"), 0)} if each.get("low", 1) <= 0 else each
        for each in shown
    ]
    left_out = len(points) - len(shown)
    if left_out == 0:
        return shown, ""
    subject = "1 point that was" if left_out == 1 else f"{left_out} points that were"
    return shown, f" {subject} not steady and had counted nothing could not be drawn."


def _named(y: Any) -> str:
    """A statistic, or those of several curves."""
    return " or ".join(y.values()) if isinstance(y, Mapping) else str(y)


def whole(values: Sequence[Any]) -> bool:
    """Whether all are whole numbers."""
    return all(float(each).is_integer() for each in values)


def axis_value(value: Any) -> Any:
    """A value as the chart's data has it: numbers as numbers, anything else as text."""
    return value if is_number(value) else value_text(value)


def looks(
    field: str, title: str, names: list[str], direct: bool = False
) -> tuple[altair.Color, altair.StrokeDash, altair.Shape]:
    """Colour, dash and shape of a field, with one legend for colour and shape.

    There is none for points of no series, of which there is nothing to say, and none for curves
    that are labelled directly.
    """
    colours, dashes, shapes = theme.series_scales(names)
    legend = None
    if names != [NO_SERIES] and not direct:
        legend = altair.Legend(title=title, columns=theme.legend_columns(names))
    encoding = f"{field}:N"
    return (
        altair.Color(encoding, title=title, scale=colours, sort=names, legend=legend),
        altair.StrokeDash(encoding, title=title, scale=dashes, sort=names, legend=None),
        altair.Shape(encoding, title=title, scale=shapes, sort=names, legend=legend),
    )


_MOST_LABELS = 6  # more stand in each other's way
_LABEL_HEIGHT = 18
_ROUNDS = 100  # after which six labels in one place are apart


def label_directly(names: Sequence[str], panels: Any, along: Sequence[Any]) -> bool:
    """Whether curves have their names at their ends instead of a legend."""
    return (
        not panels
        and 1 < len(names) <= _MOST_LABELS
        and len(along) > 1
        and all(is_number(each) for each in along)
    )


def end_labels(
    chart: altair.Chart, ends: Mapping[str, float], order: str, title: str
) -> list[altair.Chart]:
    """The name of each curve at its last point that is shown: the one that is greatest in the field
    `order`.

    `ends` says by curve how far from the top of the chart it ends, in pixels; labels that would
    meet are moved apart. `title` stands before each name; empty for none.
    """
    text = f"'{title} ' + datum.series" if title else "datum.series"
    return [
        chart.mark_text(align="left", dx=9, dy=round(place - ends[name]), aria=False)
        .encode(text="label:N")
        .transform_filter("isValid(datum.seeds)")
        .transform_filter(altair.FieldEqualPredicate(field="series", equal=name))
        .transform_joinaggregate(end=f"max({order})")
        .transform_filter(f"datum.{order} == datum.end")
        .transform_calculate(label=text)
        for name, place in _apart(ends).items()
    ]


def _apart(places: Mapping[str, float]) -> dict[str, float]:
    """Places that are a label's height from each other, near those given, in their order."""
    ordered = sorted(places, key=lambda name: places[name])
    moved = [places[name] for name in ordered]
    for _ in range(_ROUNDS):
        for i in range(len(moved) - 1):
            lacking = max(0.0, _LABEL_HEIGHT - (moved[i + 1] - moved[i]))
            moved[i] -= lacking / 2
            moved[i + 1] += lacking / 2
    return dict(zip(ordered, moved, strict=True))


def point_marks(
    chart: altair.Chart, shape: altair.Shape, shown: list[altair.Tooltip], points: Points
) -> list[altair.Chart]:
    """Marks of measured points: filled, or hollow where a run was not steady or settled."""
    # Of any other mark of the chart's data there is no number of seeds.
    filled = chart.mark_point(filled=True, size=42, opacity=1).encode(shape=shape, tooltip=shown)
    filled = filled.transform_filter("isValid(datum.seeds) && !isValid(datum.state)")
    if not any("state" in each for each in points):
        return [filled]
    hollow: altair.Chart = chart.mark_point(
        filled=False, fill="transparent", size=50, strokeWidth=1.6
    )
    told = [*shown, *tooltips(("state:N", "State"), ("unsteady:N", "Seeds not steady"))]
    entry = legend_entry(altair.Opacity, "state", NOT_STEADY, 1, "circle")
    hollow = hollow.encode(shape=shape, tooltip=told, opacity=entry.title("State"))
    return [filled, hollow.transform_filter("isValid(datum.state)")]


def legend_entry(channel: Any, field: str, label: str, value: float, symbol: str) -> Any:
    """The entry of the legend for marks that are no series, hollow unless it is a stroke.

    Vega-Lite draws legends for scales only, so these marks have a scale of one value, on a channel
    that no series uses.
    """
    hollow: dict[str, Any] = {"symbolFillColor": "transparent", "symbolStrokeWidth": 1.5}
    return channel(
        f"{field}:O",
        scale=altair.Scale(type="ordinal", domain=[label], range=[value]),
        legend=altair.Legend(
            title=None, symbolType=symbol, **(hollow if symbol != "stroke" else {})
        ),
    )


def line_entry(label: str) -> altair.StrokeWidth:
    """Width of a line that is no series, and its entry in the legend."""
    entry: altair.StrokeWidth = legend_entry(altair.StrokeWidth, "mark", label, 0.8, "stroke")
    return entry


def hollow_sentence(points: Points) -> str:
    """What a hollow mark means, if there is one."""
    if not any("state" in each for each in points):
        return ""
    return f" Points drawn hollow were {TOO_SHORT}."


def unsteady_sentence(names: Sequence[str]) -> str:
    """Of a figure that is not of points: which of what it shows was not steady or settled."""
    if not names:
        return ""
    return f" Runs {TOO_SHORT}: {', '.join(names)}."


PUBLISHED = "published value"


def published_point(value: Published) -> dict[str, Any]:
    """What the data of a published mark has in addition to its place on the x axis."""
    point = {"y": value.value, "id": value.id, "source": value.source, "mark": PUBLISHED}
    return {**point, "calibrated": True} if value.calibrated else point


def published_marks(chart: altair.Chart, title: str) -> altair.Chart:
    """Hollow diamonds on a chart of published points."""
    shown = tooltips(("id:N", "Published value"), ("y:Q", title), ("source:N", "Source"))
    marks: altair.Chart = chart.mark_point(
        filled=False, shape="diamond", strokeWidth=1.5, opacity=1
    )
    entry = legend_entry(altair.Size, "mark", PUBLISHED, 110, "diamond")
    return marks.encode(size=entry, tooltip=shown)


def interval_bars(chart: altair.Chart, points: Points, title: str) -> list[altair.Chart]:
    """Bars over the confidence intervals on a chart of points, as far as some can be seen."""
    if all(each.get("low") == each.get("high") for each in points):
        return []
    bars: altair.Chart = chart.mark_errorbar(ticks=True, thickness=1.25, clip=True)
    bars = bars.encode(y=altair.Y("low:Q", title=title), y2="high:Q")
    return [bars.transform_filter("isValid(datum.low) && datum.low != datum.high")]


def tooltips(*shown: tuple[str, str]) -> list[altair.Tooltip]:
    """What a reader sees who points at a mark: fields and their titles."""
    return [altair.Tooltip(field, title=title) for field, title in shown]


def interval_sentence(points: Points) -> str:
    """What the bars of an error mean, and over how many seeds."""
    seeds = sorted({each["seeds"] for each in points})
    if seeds[-1] < 2:
        return "One seed."
    count = f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
    return f"Means over {count} seeds; bars span the {CONFIDENCE * 100:g} % confidence interval."


def published_sentence(published: Points) -> str:
    """Which published values are drawn, where they were published, and which is no prediction."""
    if not published:
        return ""
    sources = dict.fromkeys(each["source"] for each in published)
    text = f" Hollow diamonds are published values ({'; '.join(sources)})."
    fitted = dict.fromkeys(each["id"] for each in published if each.get("calibrated"))
    return f"{text} The model was fitted to {', '.join(fitted)}." if fitted else text
