# SPDX-License-Identifier: Apache-2.0
"""Distribution of latency: a histogram for each series, its percentiles marked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import altair

from . import theme
from .charts import (
    Drawn,
    by_title,
    control,
    stacked,
    switched,
    tooltips,
    unsteady_sentence,
)
from .data import Measured, is_unsteady, rounded, text_of, title_of

_PERCENTILES = (("median", 0.5), ("95th percentile", 0.95), ("99th", 0.99))
_MOST_BARS = 110  # more cannot be told apart
_LEAST_SHARE = 1e-4  # per cent; where a logarithmic axis begins, below are single requests
_PANEL_HEIGHT = 96


@dataclass(frozen=True)
class _Histogram:
    """Counts by bin over all seeds of a series."""

    counts: tuple[int, ...]
    bin_width: int
    """0 if the widths double."""
    overflow: int

    @property
    def total(self) -> int:
        return sum(self.counts) + self.overflow

    def low(self, position: int) -> int:
        """Least value in a bin; of widths that double, bin b > 0 begins at 2^(b - 1)."""
        if self.bin_width:
            return position * self.bin_width
        return 0 if position == 0 else 1 << (position - 1)

    def percentile(self, fraction: float) -> int:
        """The greatest value of the bin in which a fraction of all values is reached."""
        reached = 0
        for position, count in enumerate(self.counts):
            reached += count
            if reached >= fraction * self.total:
                return self.low(position + 1) - 1
        return self.low(len(self.counts))

    def merged(self, times: int) -> _Histogram:
        """With so many neighbouring bins in one; bins of widths that double stay."""
        if not self.bin_width:
            return self
        counts = tuple(
            sum(self.counts[first : first + times]) for first in range(0, len(self.counts), times)
        )
        return _Histogram(counts, self.bin_width * times, self.overflow)


def draw(measured: Measured) -> Drawn:
    """A panel for each series, or each value of the parameter `panels`, one below the other."""
    request = measured.request
    y, panels = request["y"], request["panels"]
    measured.need(f"{y}.bins")
    names = measured.names(panels)
    series = control("series", by_title(panels), names)
    found = {name: _histogram(measured, y, panels, name) for name in names}
    longest = max(len(each.counts) for each in found.values())
    times = -(-longest // _MOST_BARS)
    titles = {name: _panel_title(name, whole) for name, whole in found.items()}
    points = [
        {"series": name, "panel": titles[name], **each}
        for name, whole in found.items()
        for each in [*_bars(whole.merged(times)), *_marks(whole)]
    ]
    layers = _layers(measured, names, request["scale"])
    panel = altair.layer(*layers).properties(width=theme.WIDTH, height=_PANEL_HEIGHT)
    chart = stacked(panel, points, "panel", list(titles.values()), 12)
    return Drawn(switched(chart, (series,)), _caption(measured, found), (series,), (y,))


def _histogram(measured: Measured, y: str, panels: str, name: str) -> _Histogram:
    rows = [row for row in measured.rows if text_of(panels)(row[panels]) == name]
    rows = [row for row in rows if row.get(f"{y}.bins")]
    counts = zip_longest(*(row[f"{y}.bins"] for row in rows), fillvalue=0)
    return _Histogram(
        tuple(sum(each) for each in counts),
        max((int(row[f"{y}.bin_width"]) for row in rows), default=1),
        sum(int(row[f"{y}.overflow"]) for row in rows),
    )


def _bars(histogram: _Histogram) -> Iterable[dict[str, Any]]:
    for position, count in enumerate(histogram.counts):
        if count:
            yield {
                "low": histogram.low(position),
                "high": histogram.low(position + 1),
                "share": rounded(100 * count / histogram.total),
            }


def _marks(histogram: _Histogram) -> Iterable[dict[str, Any]]:
    for name, fraction in _PERCENTILES:
        yield {"at": histogram.percentile(fraction), "percentile": name}


def _panel_title(name: str, histogram: _Histogram) -> str:
    """The series with its percentiles, which beside their lines would stand in each other's way."""
    listed = ", ".join(f"{label} {histogram.percentile(p)}" for label, p in _PERCENTILES)
    return f"{name}\n{listed}"


def _layers(measured: Measured, names: list[str], scale: str) -> list[altair.Chart]:
    y = measured.request["y"]
    unit = measured.units.get(f"{y}.p50", "")
    words = f"{title_of(y)} ({unit})" if unit else title_of(y)
    x = altair.X("low:Q", title=words, scale=altair.Scale(zero=False, nice=True))
    kind = altair.Scale(type="log", domainMin=_LEAST_SHARE) if scale == "log" else altair.Scale()
    axis = altair.Axis(tickCount=4, labelExpr="format(datum.value, '.4~f')")
    share = altair.Y("share:Q", title="Share (%)", scale=kind, axis=axis)
    colours, _, _ = theme.series_scales(names)
    bars = altair.Chart().transform_filter("isValid(datum.share)").mark_bar(opacity=1)
    foot = altair.Y2Datum(_LEAST_SHARE if scale == "log" else 0)
    marks = altair.Chart().transform_filter("isValid(datum.at)")
    rule = marks.mark_rule(style=theme.REFERENCE, strokeWidth=1.25)
    dash = altair.Scale(domain=[name for name, _ in _PERCENTILES], range=[[1, 0], [5, 3], [2, 2]])
    shown = tooltips(
        ("low:Q", f"from ({unit})"), ("high:Q", f"below ({unit})"), ("share:Q", "Share")
    )
    return [
        bars.encode(
            x=x,
            x2="high:Q",
            y=share,
            y2=foot,
            color=altair.Color("series:N", scale=colours, sort=names, legend=None),
            tooltip=shown,
        ),
        rule.encode(
            x=altair.X("at:Q", title=words),
            strokeDash=altair.StrokeDash("percentile:N", scale=dash, legend=None),
            tooltip=tooltips(("percentile:N", "Percentile"), ("at:Q", words)),
        ),
    ]


def _caption(measured: Measured, found: dict[str, _Histogram]) -> str:
    seeds = len(measured.values("seed"))
    beyond = [name for name, each in found.items() if each.overflow]
    sentences = [
        "All requests of one seed." if seeds == 1 else f"All requests of {seeds} seeds together.",
        "Lines mark the median (solid), the 95th (dashed) and the 99th percentile (dotted).",
    ]
    if beyond:
        last = max(each.low(len(each.counts)) for each in found.values())
        sentences.append(f"Latencies from {last} on are not drawn ({', '.join(beyond)}).")
    panels = measured.request["panels"]
    unsteady = {text_of(panels)(row[panels]) for row in measured.rows if is_unsteady(row)}
    told = unsteady_sentence([name for name in found if name in unsteady])
    return " ".join(sentences) + told
