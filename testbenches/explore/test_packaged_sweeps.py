# SPDX-License-Identifier: Apache-2.0
"""The sweeps that come with the package: what they run, and that their figures can be made."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tributary_explore import figures
from tributary_explore.configuration import flat
from tributary_explore.figures import theme
from tributary_explore.figures.figure import Figure
from tributary_explore.figures.save import svg_text
from tributary_explore.plan import Plan, Point, make_plan
from tributary_explore.published_file import read_published
from tributary_explore.results import open_results
from tributary_explore.simulator import Simulator
from tributary_explore.store import Store
from tributary_explore.sweep_file import load_sweep, packaged_sweeps, parse_sweep

pytestmark = pytest.mark.simulated

FIGURES = ("figure4", "figure5", "figure6", "figure7", "figure8")
COORDINATION = tuple(f"figure{number}" for number in range(9, 16))
VARIANTS = ("release_module", "turnaround", "posted_signals", "readers_writers_turnaround")
ELEMENTS = "network.processing_elements"


class Plans(dict[str, Plan]):
    """The plan of each packaged sweep, made when it is asked for."""

    def __missing__(self, name: str) -> Plan:
        self[name] = make_plan(load_sweep(name), Simulator.find())
        return self[name]


@pytest.fixture(scope="module")
def plans() -> Mapping[str, Plan]:
    return Plans()


@pytest.mark.parametrize("name", sorted(packaged_sweeps()))
def test_their_figures_can_be_made_of_their_points(name: str, plans: Mapping[str, Plan]) -> None:
    plan = plans[name]
    for experiment in plan.sweep.experiments:
        for figure in experiment.figures:
            figures.check(figure, experiment, plan)
    names = [figure["name"] for each in plan.sweep.experiments for figure in each.figures]
    assert len(set(names)) == len(names), "each figure has a name of its own"


def test_the_paper_has_the_timed_grid_with_three_seeds(plans: Mapping[str, Plan]) -> None:
    points = Counter(point.experiment for point in plans["paper"].points)
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


DESIGN = (
    "microarchitecture",
    "queue_type",
    "coupled",
    "adaptation",
    "adaptive_limit",
    "slots",
    "order",
    "wait_buffer_entries",
)


def design(configuration: Mapping[str, Any]) -> tuple[Any, ...]:
    """The parameters that the design search varies."""
    return tuple(configuration["network"][name] for name in DESIGN)


def test_the_design_search_measures_every_design_once(plans: Mapping[str, Plan]) -> None:
    polled = [
        design(point.configuration)
        for point in plans["design_search"].points
        if point.experiment.endswith("_polling") and not point.experiment.startswith("noise_")
    ]
    assert len(polled) == len(set(polled)) == 1320


def test_the_second_step_of_the_design_search_has_the_presets(
    plans: Mapping[str, Plan], simulator: Simulator
) -> None:
    found = {point.series: point.configuration for point in plans["design_search_front"].points}
    for preset in ("wait_buffer_100", "improved", "aggressive"):
        (point,) = simulator.validate(preset).points
        assert design(found[preset.replace("_", " ")]) == design(point.configuration)


@pytest.mark.parametrize("short", ["paper", "coordination"])
def test_the_full_grid_contains_the_timed_one(plans: Mapping[str, Plan], short: str) -> None:
    def coordinates(name: str) -> set[tuple[str, str, str]]:
        return {
            (point.experiment, point.series, json.dumps(dict(point.coordinates), sort_keys=True))
            for point in plans[name].points
        }

    timed, full = coordinates(short), coordinates(f"{short}_full")
    assert timed < full


def test_the_paper_runs_every_point_with_a_published_value(
    plans: Mapping[str, Plan], simulator: Simulator
) -> None:
    configurations = [dict(flat(point.configuration)) for point in plans["paper"].points]
    for value in read_published([simulator.published_of("ultracomputer")]):
        if value.value is None or not value.statistic:
            continue
        held = sum(value.holds_at(each) for each in configurations)
        assert held > 0


def test_a_single_figure_runs_what_the_paper_runs(plans: Mapping[str, Plan]) -> None:
    for name in FIGURES:
        own = {point.hash for point in plans[name].points}
        paper = {point.hash for point in plans["paper"].points if point.experiment == name}
        assert own == paper


def test_coordination_has_what_each_of_its_figures_has(plans: Mapping[str, Plan]) -> None:
    together = plans["coordination"]
    assert {each.name for each in together.sweep.experiments} == {*COORDINATION, *VARIANTS}
    seeds = {point.seed for point in together.points}
    for name in COORDINATION:
        own = {point.hash for point in plans[name].points if point.seed in seeds}
        found = {point.hash for point in together.points if point.experiment == name}
        assert found < own if name == "figure9" else found == own
        assert {point.seed for point in plans[name].points} == {1, 2, 3, 4, 5}


def test_coordination_compares_what_the_paper_does(plans: Mapping[str, Plan]) -> None:
    designs = {"NoComb", "Baseline", "Improved", "Aggressive"}
    lists = {"MCS", "MCS, improved", "MCS, aggressive"}
    for name in COORDINATION:
        series = {point.series for point in plans[name].points}
        assert series == designs | ({"MCS dissemination"} if name == "figure9" else lists)


def test_the_full_grid_of_coordination_is_the_papers(plans: Mapping[str, Plan]) -> None:
    full = plans["coordination_full"].points
    for name in COORDINATION:
        sizes = {each.coordinates[ELEMENTS] for each in full if each.experiment == name}
        assert sizes == {2**k for k in range(2, 12)}
    assert {each.seed for each in full} == {1, 2, 3, 4, 5}


def test_a_modern_memory_is_the_only_difference(plans: Mapping[str, Plan]) -> None:
    def rest(point: Point) -> str:
        configuration = {**point.configuration, "memory": None}
        return json.dumps([point.experiment, point.series, configuration], sort_keys=True)

    modern = plans["coordination_modern"].points
    assert {each.configuration["memory"]["interval"] for each in modern} == {40}
    assert {each.configuration["memory"]["latency"] for each in modern} == {38}
    usual = [each for each in plans["coordination"].points if each.experiment in COORDINATION]
    assert {rest(each) for each in modern} <= {rest(each) for each in usual}
    assert {each.experiment for each in modern} == set(COORDINATION)


def test_every_figure_of_coordination_is_drawn(
    simulate: Callable[[str, Path], Store], tmp_path: Path
) -> None:
    """Of machines and runs as small as they can be; hollow where they are too short."""
    text = """{"include": ["coordination"], "seeds": "1",
      "axes": {"network.processing_elements": [4, 8]},
      "set": {"run.maximum_cycles": 1500, "workload.program.supersteps.count": 2},
      "experiments": {"release_module": {"axes": {"network.processing_elements": [64, 128]}}}}"""
    small = parse_sweep(text, tmp_path / "small.json")
    store = simulate(text, tmp_path / "small.sweep")
    for made in figures.make_all(small, open_results(store.folder)):
        assert isinstance(made, Figure), f"{made.title}: {made.problem}"
        rows = [row for own in made.specification()["datasets"].values() for row in own]
        assert rows and all(row["y"] > 0 for row in rows)
        assert svg_text(made, theme.LIGHT).startswith("<svg")


def test_they_are_strict_json() -> None:
    for path in packaged_sweeps().values():
        json.loads(Path(path).read_text())
