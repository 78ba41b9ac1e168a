# SPDX-License-Identifier: Apache-2.0
"""What the units of a machine do, cycle by cycle: the trace of one run as a chart of bars."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import altair

from ..errors import ExploreError
from ..simulator import trace_file
from . import theme
from .charts import Drawn, Points, data, tooltips, unsteady_sentence
from .data import Measured, is_unsteady
from .figure import Figure
from .perfetto import Bar, read_bars

_MOST_BARS = 20_000  # more make a page slow
_MOST_LANES = 200
_WIDTH = 600
_LANE = 16
_LABEL_WIDTH = 26  # of a number of three digits, in pixels
_OTHERS = "others"
_OTHERS_COLOUR = "#8c8c8c"


def draw(measured: Measured) -> Drawn:
    """The tracks of each unit, one below the other, of the first run that the figure is of."""
    request = measured.request
    measured.need_rows()
    seed = request["seed"]
    row = next((each for each in measured.rows if seed in (None, each["seed"])), None)
    if row is None:
        raise ExploreError(f"{request.where}: the point of seed {seed} has no result")
    tracks, window = request["tracks"], request["window"]
    file = trace_file((measured.folder / row["file"]).parent, (tracks, window))
    chart, caption = _drawn(file, window)
    told = unsteady_sentence([f"this, of seed {row['seed']}"] if is_unsteady(row) else [])
    return Drawn(chart, f"One run, seed {row['seed']}. {caption}{told}", (), (file.name,))


def of_file(path: Path, title: str) -> Figure:
    """The figure of a file of `tributary run --perfetto`. Raises `ExploreError`."""
    chart, caption = _drawn(path, "")
    return Figure(path.stem, title, chart, caption, (), (), "", "timeline")


def _drawn(file: Path, window: str) -> tuple[altair.TopLevelMixin, str]:
    bars, partial = read_bars(file)
    points, lanes = _points(bars)
    if not 0 < len(points) <= _MOST_BARS or len(lanes) > _MOST_LANES:
        raise ExploreError(
            f"{file}: {len(points):,} bars in {len(lanes)} lanes, and a timeline shows 1 to "
            f"{_MOST_BARS:,} in up to {_MOST_LANES}; choose other cycles or tracks"
        )
    low, _, high = window.partition("..")
    first = int(low or min(each.first for each in bars))
    end = int(high) + 1 if high else max(each.end for each in bars)
    interrupted = " The run was interrupted; this is what had happened by then." if partial else ""
    return _chart(points, lanes, first, end), f"Numbers in bars are their cycles.{interrupted}"


def _points(bars: Sequence[Bar]) -> tuple[Points, list[str]]:
    """Each bar in the first lane of its row that is free; and all lanes."""
    points: Points = []
    busy: dict[str, list[int]] = {each.row: [] for each in bars}
    for bar in sorted(bars, key=lambda each: each.first):
        lanes = busy[bar.row]
        number = next((i for i, until in enumerate(lanes) if until <= bar.first), len(lanes))
        lanes[number : number + 1] = [bar.end]
        cycles = bar.end - bar.first
        points.append({**bar._asdict(), "lane": f"{bar.row} {number}", "cycles": cycles})
    return points, [f"{row} {number}" for row in busy for number in range(len(busy[row]))]


def _colour(points: Points) -> altair.Color:
    """Titles, or events if nothing has a title, that take most cycles; then all others."""
    total: Counter[str] = Counter()
    for each in [each for each in points if each["title"]] or points:
        total[each["title"] or each["event"]] += each["cycles"]
    names = [name for name, _ in total.most_common()]
    colours = dict(zip(names, theme.COLOURS, strict=False))
    for each in points:
        name = each["title"] or each["event"]
        each["colour"] = name if name in colours else _OTHERS
        colours.setdefault(each["colour"], _OTHERS_COLOUR)
    scale = altair.Scale(domain=list(colours), range=list(colours.values()))
    return altair.Color("colour:N", title=None, scale=scale, legend=altair.Legend(columns=3))


def _chart(points: Points, lanes: list[str], first: int, end: int) -> altair.TopLevelMixin:
    cycles = altair.Axis(format="~d", tickMinStep=1)
    window = altair.Scale(domain=[first, end], nice=False)
    # Of several lanes the first has the name.
    name = "replace(datum.label, / 0$|.* [1-9].*/, '')"
    rows = altair.Axis(labelExpr=name, labelLimit=240, ticks=False)
    y = altair.Y("lane:N", title=None, sort=lanes, axis=rows, scale=altair.Scale(padding=0.1))
    told = [(f"{key}:N", key.capitalize()) for key in ("track", "event", "title", "identity")]
    colour, chart = _colour(points), altair.Chart(data(points))
    bars = chart.mark_rect(style=theme.REFERENCE, strokeWidth=0.3, clip=True).encode(
        x=altair.X("first:Q", title="Cycle", scale=window, axis=cycles),
        x2="end:Q",
        y=y,
        color=colour,
        tooltip=tooltips(*told, ("first:Q", "From cycle"), ("cycles:Q", "Cycles")),
    )
    room = _LABEL_WIDTH * (end - first) / _WIDTH
    wide = f"datum.cycles >= {room} && datum.first >= {first} && datum.end <= {end}"
    middle = chart.transform_filter(wide).transform_calculate(at="(datum.first + datum.end) / 2")
    text = middle.mark_text(fontSize=12, color="#111111").encode(x="at:Q", y=y, text="cycles:Q")
    return altair.layer(bars, text).properties(width=_WIDTH, height=altair.Step(_LANE))
