# SPDX-License-Identifier: Apache-2.0
"""Figures of a sweep: curves, timelines, latency, combining, load, occupancy and distribution.

`make` draws a figure that a sweep file asks for, `make_all` all of them; `save_svg` writes one for
print or for a dark ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ExploreError
from ..sweep_file import nearest

if TYPE_CHECKING:
    from ..plan import Plan
    from ..results import Results
    from ..simulator import Simulator
    from ..sweep_file import Experiment, Sweep
    from .figure import Figure, Undrawn

# Modules are imported in the functions, as checking a sweep file needs no drawing library.


def check(figure: Mapping[str, Any], experiment: Experiment, plan: Plan) -> str:
    """Checks one figure against the points of a plan, before anything runs, and returns its name.

    Raises `ExploreError` that names sweep file, figure and key, and what is allowed.
    """
    from .request import read_request, space_of_plan

    points = (point for point in plan.points if point.experiment == experiment.name)
    return read_request(figure, experiment, space_of_plan(points), plan.sweep.source).name


def check_statistics(experiment: Experiment, plan: Plan) -> None:
    """Checks that each of "statistics" names one, before anything runs. Raises `ExploreError`."""
    from .statistics import all_statistics, is_named

    points = (point for point in plan.points if point.experiment == experiment.name)
    platforms = dict.fromkeys(point.platform for point in points)
    for platform in platforms:
        for pattern in experiment.statistics:
            if not is_named(pattern, platform):
                raise ExploreError(
                    f'{plan.sweep.source}: experiment {experiment.name}: "statistics" has '
                    f"{pattern}, which is none{nearest(pattern, all_statistics(platform))} "
                    "(docs/formats/results.md lists all)"
                )


def make(
    figure: Mapping[str, Any],
    experiment: Experiment,
    results: Results,
    simulator: Simulator | None = None,
) -> Figure:
    """Draws a figure of a sweep file from the results of its experiment.

    The simulator, found if not given, knows units of parameters and published values; without one
    there are none. Raises `ExploreError` if the figure asks for what the results do not have.
    """
    from .drawing import make as made

    return made(figure, experiment, results, simulator)


def make_all(sweep: Sweep, results: Results) -> list[Figure | Undrawn]:
    """Every figure of a sweep in the order of its file, or why it cannot be drawn."""
    from ..errors import ExploreError
    from .figure import Undrawn

    figures: list[Figure | Undrawn] = []
    for experiment in sweep.experiments:
        for wanted in experiment.figures:
            try:
                figures.append(make(wanted, experiment, results))
            except ExploreError as problem:
                figures.append(Undrawn(str(wanted.get("title", experiment.title)), problem))
    return figures


def save_svg(figure: Figure, path: Path, dark: bool = False) -> None:
    """Writes a figure as SVG, whole or not at all: on white for print, or on a dark ground."""
    from .save import save_svg as saved

    saved(figure, path, dark)


def save_page(figure: Figure, path: Path, dark: bool = False) -> None:
    """Writes a figure as a page that needs no network, whole or not at all."""
    from .save import save_page as saved

    saved(figure, path, dark)
