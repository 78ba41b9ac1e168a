# SPDX-License-Identifier: Apache-2.0
"""How figures look: on white paper, on a dark ground, and in a page that has colours of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

import altair

# After Okabe and Ito, Color Universal Design (2008); the last three are darker than theirs, so that
# each has a contrast of 3 to white and to the dark ground.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#C2679B", "#8A6FD1", "#947A00")
# Told apart without colour. Lengths that share no divisor with the colours' make 42 pairs.
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [10, 4], [4, 2, 1, 2, 1, 2], [1, 3])
# Without the diamond, which hollow stands for published values.
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)

WIDTH = 560
"""Of the drawing area of a figure of one panel, in pixels, on paper."""
HEIGHT = 280
PANEL = 320
"""The same of one of several panels."""
PANEL_HEIGHT = 150

_FONT_SIZE = 13  # still 12 where a column is a little narrower than a drawing for paper

_PADDING = {"left": 8, "top": 8, "bottom": 8}

REFERENCE = "reference"
"""Style of marks that are no series: least values, published values, percentiles."""


@dataclass(frozen=True)
class Theme:
    """Colours of everything but the series."""

    background: str | None
    """None leaves the page's own."""
    ink: str
    faint: float
    """Opacity of grid lines, drawn in ink."""


LIGHT = Theme(background="white", ink="#1a1a1a", faint=0.13)
DARK = Theme(background="#14171a", ink="#e6e6e6", faint=0.17)
PAGE = Theme(background=None, ink="currentColor", faint=0.15)


def apply(chart: Mapping[str, Any], colours: Theme) -> dict[str, Any]:
    """The specification of a chart in the colours of a theme."""
    specification = {
        **chart,
        "config": _config(colours),
        "background": colours.background or "transparent",
    }
    if colours.background is None and "layer" in specification:
        specification["width"] = "container"
        specification["autosize"] = {"type": "fit-x", "contains": "padding"}
    return specification


# The designs that the reports' figures share look the same in all of them, in whatever case.
_DESIGNS = ("baseline", "wait buffer 100", "improved", "aggressive")


def series_scales(names: list[str]) -> tuple[altair.Scale, altair.Scale, altair.Scale]:
    """Colour, dash and shape of each series: a known design's own, or the next that is free."""
    known = {name: _DESIGNS.index(name.lower()) for name in names if name.lower() in _DESIGNS}
    others = [name for name in names if name not in known]
    # Looks of designs that are not there are taken before a colour comes again.
    absent = [i for i in range(len(_DESIGNS)) if i not in known.values()]
    first = range(len(_DESIGNS), len(COLOURS))
    free = chain(first, absent, count(len(COLOURS))) if known else count()
    look = known | dict(zip(others, free, strict=False))

    def each(values: tuple[Any, ...]) -> altair.Scale:
        chosen = [values[look[name] % len(values)] for name in names]
        return altair.Scale(domain=names, range=chosen)

    return each(COLOURS), each(DASHES), each(SHAPES)


def legend_columns(names: list[str]) -> int:
    """How many entries of a legend fit next to each other below a figure of one panel."""
    longest = max((len(name) for name in names), default=1)
    return max(1, min(len(names), math.floor(WIDTH / (40 + 7.5 * longest))))


def _config(colours: Theme) -> dict[str, Any]:
    ink = colours.ink
    return {
        "font": "sans-serif",
        # In a file the names at the ends of curves may be set in a wider font than was measured.
        "padding": 8 if colours.background is None else {**_PADDING, "right": 30},
        "axis": {
            "labelColor": ink,
            "titleColor": ink,
            "domainColor": ink,
            "tickColor": ink,
            "gridColor": ink,
            "gridOpacity": colours.faint,
            "labelFontSize": _FONT_SIZE,
            "titleFontSize": _FONT_SIZE,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "labelSeparation": 6,
        },
        "legend": {
            "labelColor": ink,
            "titleColor": ink,
            "labelFontSize": _FONT_SIZE,
            "titleFontSize": _FONT_SIZE,
            "titleFontWeight": "normal",
            "labelLimit": 320,
            "titleLimit": 320,
            "symbolBaseStrokeColor": ink,
            "symbolSize": 70,
            "orient": "bottom",
            "direction": "horizontal",
            "columnPadding": 16,
            "symbolOpacity": 1,
            "symbolStrokeWidth": 0,
            "rowPadding": 5,
            "layout": {"bottom": {"anchor": "start", "direction": "vertical", "margin": 4}},
        },
        "header": {"labelColor": ink, "titleColor": ink, "labelFontSize": _FONT_SIZE},
        "text": {"fontSize": _FONT_SIZE},
        "view": {"stroke": None},
        "style": {
            REFERENCE: {"color": ink, "stroke": ink},
        },
        "aria": True,
    }
