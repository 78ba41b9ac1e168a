# SPDX-License-Identifier: Apache-2.0
"""The three figures of the page, in the colours of the other figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import altair

from tributary_explore.bands import Band
from tributary_explore.figures import theme
from tributary_explore.figures.figure import Figure

from .circuits import Circuit, Library
from .networks import HOT_SPOT, POLLING, SATURATION, UNIFORM
from .study import Study

_Rows = list[dict[str, Any]]
_Panels = Mapping[str, tuple[str, Callable[[int], Mapping[str, Band]]]]
"""By title the load, and what is shown of each design at a size."""
_PANEL: Final = 270
"""Width and height of one of several panels, in pixels."""
_ROW: Final = 17
"""Height of a line of a list, in pixels."""


def all_figures(studies: Sequence[Study]) -> list[Figure]:
    """Of the first library, but for the clocks, which are of all."""
    return [
        clock_figure([each.library for each in studies]),
        polling_figure(studies[0]),
        traffic_figure(studies[0]),
    ]


def clock_figure(libraries: Sequence[Library]) -> Figure:
    """What a cycle is, of every circuit that sets it."""
    rows: _Rows = []
    labels: dict[str, None] = {}
    for library in libraries:
        for label, circuit in clock_rows(library):
            labels[label] = None
            rows.append({"circuit": label, "library": library.name, **_band(circuit)})
    names = [each.name for each in libraries]
    colour, _, shape = theme.series_scales(names)
    legend = altair.Legend(title="Library of cells")
    base = altair.Chart(altair.InlineData(values=rows)).encode(
        y=altair.Y("circuit:N", sort=list(labels), title=None, axis=altair.Axis(labelLimit=360)),
        yOffset=altair.YOffset("library:N", sort=names),
        color=altair.Color("library:N", scale=colour, sort=names, legend=legend),
    )
    x = altair.X("low:Q", title="Cycle time, FO4", scale=altair.Scale(zero=False))
    spans = base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q")
    medians = base.mark_tick(thickness=2, size=9).encode(x=altair.X("median:Q"))
    least = base.mark_point(filled=True, size=40, opacity=1).encode(
        x="low:Q", shape=altair.Shape("library:N", scale=shape, sort=names, legend=legend)
    )
    chart = altair.layer(spans, medians, least).properties(
        width=theme.WIDTH, height=altair.Step(_ROW if len(names) == 1 else 9)
    )
    return _figure("clock", "Cycle time of two switches in series", chart)


def clock_rows(library: Library) -> list[tuple[str, Circuit]]:
    """Each circuit that sets a clock, once, by what it is called: the named designs, and under each
    what is changed of it."""
    named = library.named()
    rows: list[tuple[str, Circuit]] = []
    for design, circuit in named.items():
        rows.append((design, circuit))
        seen = {""}
        for each in library.clocks:
            if each.design != design:
                continue
            change = each.difference(circuit)
            if change not in seen:
                seen.add(change)
                rows.append((f"{design}: {change}", each))
    return rows


def polling_figure(study: Study) -> Figure:
    """Latency of polling in cycles and in FO4."""
    panels: _Panels = {
        "Polling latency, cycles": (POLLING, partial(study.latency, POLLING, cycles=True)),
        "Polling latency, FO4": (POLLING, partial(study.latency, POLLING)),
    }
    chart = _panels(study, panels, log=True)
    return _figure("polling", "Busy-wait polling in cycles and in FO4", chart)


def traffic_figure(study: Study) -> Figure:
    """What hot-spot and uniform traffic take."""
    panels: _Panels = {
        "Latency at 10 % hot spot, FO4": (HOT_SPOT, partial(study.latency, HOT_SPOT)),
        "Latency of uniform traffic, FO4": (UNIFORM, partial(study.latency, UNIFORM)),
        "Saturated: FO4 between requests": (SATURATION, study.slowness),
    }
    chart = _panels(study, panels, log=False)
    return _figure("traffic", "Hot-spot and uniform traffic in FO4", chart)


def _panels(study: Study, panels: _Panels, log: bool) -> altair.TopLevelMixin:
    """A chart for each panel, side by side."""
    rows: _Rows = [
        {"series": name, "panel": panel, "x": elements, "low": band.low, "high": band.high}
        for panel, (load, bands_at) in panels.items()
        for elements in study.networks.sizes(load)
        for name, band in bands_at(elements).items()
    ]
    names = list(dict.fromkeys(row["series"] for row in rows))
    charts = [
        _lines([row for row in rows if row["panel"] == panel], names, panel, log)
        for panel in panels
    ]
    return altair.hconcat(*charts)


def _lines(
    rows: _Rows, names: list[str], y: str, log: bool
) -> altair.LayerChart | altair.FacetChart:
    """A line through the lower ends of bands, and a bar over each."""
    colours, dashes, shapes = theme.series_scales(names)
    values = sorted({row["x"] for row in rows})
    legend = altair.Legend(title=None, columns=theme.legend_columns(names))
    top = max(row["high"] for row in rows)
    scale = altair.Scale(domain=[0, top], nice=6)
    if log:
        scale = altair.Scale(type="log", domain=[min(row["low"] for row in rows), top], nice=True)
    base = altair.Chart(altair.InlineData(values=rows)).encode(
        x=altair.X(
            "x:Q",
            title="Processing elements",
            scale=altair.Scale(type="log", base=2, nice=False, padding=14),
            axis=altair.Axis(values=values, format="~d", labelOverlap="greedy"),
        ),
        color=altair.Color("series:N", scale=colours, sort=names, legend=legend),
    )
    low = altair.Y("low:Q", title=y, scale=scale, axis=altair.Axis(tickCount=6, format=",~r"))
    chart = altair.layer(
        base.mark_line(strokeWidth=1.6).encode(
            y=low, strokeDash=altair.StrokeDash("series:N", scale=dashes, sort=names, legend=None)
        ),
        base.mark_rule(strokeWidth=1.25).encode(y=low, y2="high:Q"),
        base.mark_point(filled=True, size=42, opacity=1).encode(
            y=low, shape=altair.Shape("series:N", scale=shapes, sort=names, legend=legend)
        ),
    )
    return chart.properties(width=_PANEL, height=_PANEL)


def _band(circuit: Circuit) -> dict[str, float]:
    band = circuit.fo4
    return {"low": band.low, "high": band.high, "median": band.median}


def _figure(name: str, title: str, chart: altair.TopLevelMixin) -> Figure:
    return Figure(name, title, chart, "", (), (), "", "curves")
