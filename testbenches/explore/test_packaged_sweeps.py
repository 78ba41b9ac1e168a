# SPDX-License-Identifier: Apache-2.0
"""The sweeps that come with the package: what they run, and that their figures can be made."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from tributary_explore import figures
from tributary_explore.figures.published import load_published
from tributary_explore.plan import Plan, make_plan
from tributary_explore.simulator import Simulator
from tributary_explore.sweep_file import load_sweep, packaged_sweeps

FIGURES = ("figure4", "figure5", "figure6", "figure7", "figure8")


@pytest.fixture(scope="module")
def plans(simulator: Simulator) -> Mapping[str, Plan]:
    return {name: make_plan(load_sweep(name), simulator) for name in packaged_sweeps()}


def test_there_is_one_for_each_figure_and_for_the_paper(plans: Mapping[str, Plan]) -> None:
    print(sorted(plans))
    assert set(FIGURES) | {"paper", "paper_full"} <= set(plans)


def test_their_figures_can_be_made_of_their_points(plans: Mapping[str, Plan]) -> None:
    for plan in plans.values():
        for experiment in plan.sweep.experiments:
            for figure in experiment.figures:
                print(plan.sweep.name, experiment.name, figure["kind"])
                figures.check(figure, experiment, plan)


def test_figures_have_names_of_their_own(plans: Mapping[str, Plan]) -> None:
    for name, plan in plans.items():
        names = [figure["name"] for each in plan.sweep.experiments for figure in each.figures]
        print(name, names)
        assert len(set(names)) == len(names)


def test_the_paper_has_the_timed_grid_with_three_seeds(plans: Mapping[str, Plan]) -> None:
    points = Counter(point.experiment for point in plans["paper"].points)
    print(points)
    sizes, designs, seeds = 10, 4, 3
    assert points["figure4"] == points["figure6"] == points["figure8"] == sizes * designs * seeds
    assert points["figure5"] == 2 * seeds
    hot_spots, outstanding = 3, 4
    assert points["figure7"] == 2 * hot_spots * outstanding * seeds
    lengths = {
        point.configuration["run"]["cycles"]
        for point in plans["paper"].points
        if point.experiment in FIGURES
    }
    assert lengths == {10_000}


def test_the_full_grid_contains_the_timed_one(plans: Mapping[str, Plan]) -> None:
    def coordinates(name: str) -> set[tuple[str, str, str]]:
        return {
            (point.experiment, point.series, json.dumps(dict(point.coordinates), sort_keys=True))
            for point in plans[name].points
        }

    timed, full = coordinates("paper"), coordinates("paper_full")
    print(len(timed), "of", len(full))
    assert timed < full


def test_the_paper_runs_every_point_with_a_published_value(
    plans: Mapping[str, Plan], simulator: Simulator
) -> None:
    from tributary_explore.plan import flat

    configurations = [dict(flat(point.configuration)) for point in plans["paper"].points]
    for value in load_published(simulator.published_file):
        held = sum(value.holds_at(each) for each in configurations)
        print(f"{value.id}: {held} points")
        assert held > 0


def test_a_single_figure_runs_what_the_paper_runs(plans: Mapping[str, Plan]) -> None:
    for name in FIGURES:
        own = {point.hash for point in plans[name].points}
        paper = {point.hash for point in plans["paper"].points if point.experiment == name}
        print(f"{name}: {len(own)} points, {len(own & paper)} of them in the paper")
        assert own == paper


def test_they_are_strict_json(plans: Mapping[str, Plan]) -> None:
    for name, path in packaged_sweeps().items():
        print(name, Path(path).stat().st_size, "bytes")
        json.loads(Path(path).read_text())
