# SPDX-License-Identifier: Apache-2.0
"""What a figure is: a chart, what it says, where its numbers come from and what can be switched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import theme

if TYPE_CHECKING:
    import altair

    from ..errors import ExploreError


@dataclass(frozen=True)
class Source:
    """A statistic that a figure draws and the results files that it was read from."""

    statistic: str
    """Flat path, as in results.json: `interface.latency.mean`."""
    files: tuple[str, ...]
    """Relative to the sweep's folder: `points/ab/abcd.../results.json`."""


@dataclass(frozen=True)
class Control:
    """A field of the chart's data whose values a reader may switch on and off.

    The chart has a Vega parameter of the name `parameter` whose value is the list of the values
    shown, at first all of `values`; setting it (`view.signal(parameter, list).run()`) redraws the
    chart. Colours and shapes stay as they were, axes fit what is shown.
    """

    parameter: str
    """Name of the Vega parameter: `shown_series`."""
    title: str
    """What a reader calls the field: `Design`."""
    values: tuple[str, ...]
    """All values, in the order of the legend, as the parameter's list holds them."""


@dataclass(frozen=True)
class Figure:
    """One figure: the chart without a theme, and everything a page shows around it."""

    name: str
    """Unique in its sweep and usable as a file name and HTML id: `figure4-latency`."""
    title: str
    chart: altair.TopLevelMixin
    caption: str
    """A sentence or a few, plain text."""
    sources: tuple[Source, ...]
    controls: tuple[Control, ...]
    experiment: str
    kind: str
    statistic: str = ""
    """Flat path of one number that it shows of each point; empty if it shows none."""
    compared: tuple[str, ...] = ()
    """What tells its curves, panels and points apart, `series` or parameters, in this order."""
    key: bool = False
    """Whether the sweep file calls it the figure that answers the sweep's question."""

    def specification(self, colours: theme.Theme = theme.PAGE) -> dict[str, Any]:
        """The Vega-Lite specification with its data inside.

        The default theme draws text and axes in `currentColor`, for an SVG inside a page. A chart
        of one panel is as wide as its element (`"width": "container"`). One of several panels has
        `facet`: a narrow page may set its `columns` to 1, and `spec.width`, the width of a panel.
        """
        return {**theme.apply(self._drawn, colours), "description": self.title}

    @cached_property
    def _drawn(self) -> dict[str, Any]:
        """The chart without a theme; making it is the most that a specification takes."""
        drawn: dict[str, Any] = self.chart.to_dict()
        return drawn


@dataclass(frozen=True)
class Undrawn:
    """A figure of a sweep file that the results do not allow."""

    title: str
    problem: ExploreError
