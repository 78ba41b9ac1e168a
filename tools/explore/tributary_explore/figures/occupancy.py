# SPDX-License-Identifier: Apache-2.0
"""Occupancy of queues by stage and cycle, as a heat map of one run."""

from __future__ import annotations

from typing import Any

import altair

from . import theme
from .charts import (
    Drawn,
    Points,
    by_title,
    control,
    only_shown,
    parameters,
    stacked,
    tooltips,
    unsteady_sentence,
)
from .data import Measured, Row, is_unsteady, rounded, stages, text_of

_MOST_COLUMNS = 160  # more cannot be told apart
_CELL_HEIGHT = 14
# Smoothed edges would leave a seam between neighbours that only touch.
_OVERLAPPING = altair.RelativeBandSize(band=1.05)


def draw(measured: Measured) -> Drawn:
    """A panel for each series, or each value of the parameter `panels`, one below the other."""
    request = measured.request
    y, panels = request["y"], request["panels"]
    found = stages(measured, f"{y}.values")
    names = measured.names(panels)
    rows = _one_run_each(measured, panels)
    switches = (control("series", by_title(panels), names),)
    points = [
        {"series": name, "stage": stage, **_cells(row, y.replace("*", str(stage)))}
        for name, row in rows.items()
        for stage in found
        if row.get(f"{y.replace('*', str(stage))}.values")
    ]
    greatest = max(max(point["values"], default=0.0) for point in points)
    panel = altair.layer(*_layers(measured, found, greatest)).properties(
        width=theme.WIDTH, height=_CELL_HEIGHT * len(found)
    )
    chart = _unpacked(only_shown(stacked(panel, points, "series", names, 16), switches))
    chart = chart.add_params(*parameters(switches))
    caption = _caption(measured, y.replace("*", str(found[0])), points, rows)
    statistics = tuple(f"{y.replace('*', str(stage))}" for stage in found)
    return Drawn(chart, caption, switches, statistics)


def _caption(measured: Measured, path: str, points: Points, rows: dict[str, Row]) -> str:
    seed = next(iter(rows.values()))["seed"]
    windows = sorted({point["recorded"] for point in points})
    sentences = [
        measured.descriptions.get(f"{path}.values", ""),
        f"A window is {' or '.join(map(str, windows))} cycles; seed {seed}.",
    ]
    if any(point["window"] != point["recorded"] for point in points):
        sentences.append("Neighbouring windows are averaged.")
    if any(point["warmup"] > 0 for point in points):
        sentences.append("The dashed line is the end of the warm-up.")
    unsteady = [name for name, row in rows.items() if is_unsteady(row)]
    return " ".join(filter(None, sentences)) + unsteady_sentence(unsteady)


def _one_run_each(measured: Measured, panels: str) -> dict[str, Row]:
    """Of each panel the run of the seed asked for, or of the first."""
    seed = measured.request["seed"]
    found: dict[str, Row] = {}
    for row in measured.rows:
        if seed is None or row["seed"] == seed:
            found.setdefault(text_of(panels)(row[panels]), row)
    return found


def _cells(row: Row, path: str) -> dict[str, Any]:
    """Values by window, neighbouring windows averaged if there are more than can be seen."""
    values, window = row[f"{path}.values"], int(row[f"{path}.window"])
    times = -(-len(values) // _MOST_COLUMNS)
    groups = [values[first : first + times] for first in range(0, len(values), times)]
    return {
        "first": int(row[f"{path}.first_cycle"]),
        "last": int(row[f"{path}.last_cycle"]),
        "recorded": window,
        "window": window * times,
        "warmup": row.get("run.warmup", 0),
        "values": [float(f"{sum(group) / len(group):.3g}") for group in groups],
    }


def _unpacked(chart: Any) -> Any:
    """A row for each cell, made by the chart itself: lists are a tenth of the size in a page."""
    return (
        chart.transform_flatten(["values"], ["value"])
        .transform_window(frame=[None, 0], groupby=["series", "stage"], number="row_number()")
        .transform_calculate(
            begin="datum.first - 1 + (datum.number - 1) * datum.window",
            # Reaches under the next, for the same reason as _OVERLAPPING.
            end="min(datum.last, datum.first - 1 + (datum.number + 0.5) * datum.window)",
        )
    )


def _layers(measured: Measured, found: list[int], greatest: float) -> list[altair.Chart]:
    path = measured.request["y"]
    title = measured.title(f"{path}.values")
    colours = altair.Scale(scheme="viridis", domain=[0, rounded(greatest) or 1])
    x = altair.X(
        "begin:Q", title="Cycle", scale=altair.Scale(nice=False), axis=altair.Axis(grid=False)
    )
    y = altair.Y(
        "stage:O",
        title=f"Stage ({found[-1]} at the memory)",
        sort=list(reversed(found)),
        axis=altair.Axis(grid=False),
        scale=altair.Scale(padding=0),
    )
    shown = tooltips(("stage:O", "Stage"), ("begin:Q", "after cycle"), ("value:Q", title))
    colour = altair.Color(
        "value:Q",
        title=title,
        scale=colours,
        legend=altair.Legend(type="gradient", gradientLength=220),
    )
    heat = (
        altair.Chart()
        .mark_rect(height=_OVERLAPPING)
        .encode(x=x, x2="end:Q", y=y, color=colour, tooltip=shown)
    )
    begin = altair.Chart().transform_filter("datum.number == 1 && datum.warmup > 0")
    rule = begin.mark_rule(stroke="white", strokeDash=[4, 3], strokeWidth=1.5)
    return [heat, rule.encode(x=altair.X("warmup:Q"))]
