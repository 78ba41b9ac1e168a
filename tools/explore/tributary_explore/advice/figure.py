# SPDX-License-Identifier: Apache-2.0
"""The one figure of an answer: how long a request takes with each design."""

from __future__ import annotations

from typing import Final

import altair

from ..figures import theme
from ..figures.figure import Figure
from .answer import Answer

_ROW: Final = 18
"""Height of a design's line, in pixels."""
# Names may be wider in the font of a page than where the figure is laid out.
_PADDING: Final = {"left": 70, "top": 8, "right": 8, "bottom": 8}
_KINDS: Final = {True: "combines", False: "does not combine"}


def latency_figure(answer: Answer) -> Figure:
    """A band for each design, the best on top; hollow where a run was not steady."""
    rows = [
        {
            "design": each.design.name,
            "kind": _KINDS[each.design.combines],
            "low": each.time.low,
            "high": each.time.high,
            "steady": each.steady,
        }
        for each in answer.rated
    ]
    kinds = [each for each in _KINDS.values() if any(row["kind"] == each for row in rows)]
    colour, _, shape = theme.series_scales(kinds)
    legend = altair.Legend(title=None)
    base = altair.Chart(altair.InlineData(values=rows)).encode(
        y=altair.Y(
            "design:N",
            sort=[each.design.name for each in answer.rated],
            title=None,
            axis=altair.Axis(labelLimit=560, labelFontSize=12),
        ),
        color=altair.Color("kind:N", scale=colour, sort=kinds, legend=legend),
    )
    x = altair.X("low:Q", title=f"Mean latency, {answer.unit}", scale=altair.Scale(zero=True))
    bands = base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q")
    marks = base.encode(
        x="low:Q", shape=altair.Shape("kind:N", scale=shape, sort=kinds, legend=legend)
    )
    steady = marks.mark_point(filled=True, size=42, opacity=1).transform_filter("datum.steady")
    others = marks.mark_point(filled=False, size=42, opacity=1).transform_filter("!datum.steady")
    chart = altair.layer(bands, steady, others).properties(
        width=theme.WIDTH, height=altair.Step(_ROW), padding=_PADDING
    )
    return Figure(
        "advice", "Mean latency of each design", chart, _caption(answer), (), (), "", "advice"
    )


def _caption(answer: Answer) -> str:
    caption = "Mark: the lower end of the band; line: the band. The best is on top."
    return caption + (" Hollow: not steady." if answer.unsteady else "")
