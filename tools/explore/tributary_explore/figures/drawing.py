# SPDX-License-Identifier: Apache-2.0
"""A figure from what a sweep file asks and the results of its experiment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import ExploreError
from ..published_file import Published, read_published
from ..results import Results
from ..simulator import Simulator
from ..sweep_file import Experiment, Sweep
from ..table import literal
from . import bars, combining, curves, distribution, load, occupancy, timeline
from .charts import Drawn
from .data import Measured, Row
from .figure import Figure, Undrawn
from .request import Request, Space, read_request

_DRAW: Mapping[str, Callable[[Measured], Drawn]] = {
    "latency": curves.draw,
    "curves": curves.draw,
    "bars": bars.draw,
    "combining": combining.draw,
    "load": load.draw,
    "occupancy": occupancy.draw,
    "distribution": distribution.draw,
    "timeline": timeline.draw,
}


@dataclass(frozen=True)
class _Known:
    """What the simulator's installation knows in addition to the results."""

    units: Mapping[str, str]
    """Of parameters."""
    published: tuple[Published, ...]


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
    rows = results.sql(f"FROM results WHERE experiment = {literal(experiment.name)}").records()
    if not rows:
        raise ExploreError(
            f"{results.folder}: experiment {experiment.name} has no result yet, so there is "
            "nothing to draw; run the sweep first"
        )
    planned = (each for each in results.store.points() if each.experiment == experiment.name)
    platforms = sorted({str(row["platform"]) for row in rows})
    space = Space.of(((each.series, each.seed, each.coordinates) for each in planned), platforms[0])
    unknown: dict[str, tuple[Any, ...]] = dict.fromkeys(results.parameters, ())
    space = replace(space, values={**unknown, **space.values})
    request = read_request(figure, experiment, space, str(results.folder / "sweep.json"))
    known = _known(simulator, platforms)
    measured = Measured(
        request=request,
        rows=tuple(row for row in rows if _holds(request, row)),
        units={**results.units, **known.units},
        descriptions={each.name: each.description for each in results.columns},
        published=known.published,
        series=space.series,
        folder=results.folder,
    )
    drawn = _DRAW[request.kind](measured)
    return Figure(
        name=request.name,
        title=request.title,
        chart=drawn.chart,
        caption=" ".join(part for part in (request.caption, drawn.caption) if part),
        sources=measured.sources(drawn.statistics),
        controls=tuple(each for each in drawn.controls if len(each.values) > 1),
        experiment=experiment.name,
        kind=request.kind,
        statistic=request.statistic,
        compared=request.compared,
        key=request.key,
    )


def make_all(sweep: Sweep, results: Results) -> list[Figure | Undrawn]:
    """Every figure of a sweep in the order of its file, or why it cannot be drawn."""
    figures: list[Figure | Undrawn] = []
    for experiment in sweep.experiments:
        for wanted in experiment.figures:
            try:
                figures.append(make(wanted, experiment, results))
            except ExploreError as problem:
                figures.append(Undrawn(str(wanted.get("title", experiment.title)), problem))
    return figures


def _holds(request: Request, row: Row) -> bool:
    return all(row[name] == value for name, value in request.at.items())


def _known(simulator: Simulator | None, platforms: Sequence[str]) -> _Known:
    try:
        program = simulator or Simulator.find()
    except ExploreError:  # results may be looked at where the simulator is not installed
        return _Known({}, ())
    known = [name for name in platforms if name in program.platforms]
    described = [each for name in known for each in program.describe(name)["parameters"]]
    units = {each["name"]: each["unit"] for each in described}
    return _Known(units, read_published(program.published_files(known)))
