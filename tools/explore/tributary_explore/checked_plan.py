# SPDX-License-Identifier: Apache-2.0
"""From a sweep file and the command line to a plan, with everything checked that can be."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from . import figures
from .errors import ExploreError
from .overrides import Overrides, overridden
from .plan import Plan, count_points, make_plan
from .simulator import Simulator
from .sweep_file import load_sweep

MOST_POINTS_UNASKED: Final = 10_000
"""So many take minutes to expand and check; beyond, one axis too many is the usual reason."""


def checked_plan(
    sweep: str,
    overrides: Overrides,
    simulator: Simulator,
    agrees: Callable[[int], bool],
) -> Plan:
    """All points of a sweep, each valid, and figures that can be made of them.

    A figure that can no longer be made because of `overrides` is a warning. `agrees` is asked with
    the number of points if there are more than 10,000, before they are expanded. Raises
    `ExploreError`.
    """
    wanted = overridden(load_sweep(sweep, lambda: simulator.presets), overrides)
    count = count_points(wanted, simulator)
    if count > MOST_POINTS_UNASKED and not agrees(count):
        raise ExploreError(
            f"{wanted.source} has {count:,} points, and more than {MOST_POINTS_UNASKED:,} are run "
            "only if --yes is given; shorten an axis, or run a part by --only or --set"
        )
    plan = make_plan(wanted, simulator)
    named: dict[str, str] = {}
    for experiment in plan.sweep.experiments:
        figures.check_statistics(experiment, plan)
        for figure in experiment.figures:
            try:
                name = figures.check(figure, experiment, plan)
            except ExploreError as problem:
                if not overrides.sets:
                    raise
                plan = replace(plan, warnings=(*plan.warnings, str(problem)))
                continue
            if name in named:
                raise ExploreError(
                    f"{plan.sweep.source}: two figures would be {name}.svg, of the experiments "
                    f'{named[name]} and {experiment.name}; give one another "name"'
                )
            named[name] = experiment.name
    return plan
