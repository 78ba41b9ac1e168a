# SPDX-License-Identifier: Apache-2.0
"""tributary-explore with a program that is not the simulator: no presets, nothing published, no
cycles."""

from pathlib import Path

import pytest
from conftest import Explore

from tributary_explore.plan import make_plan
from tributary_explore.simulator import Simulator
from tributary_explore.sweep_file import parse_sweep

_SWEEP = """{
  "base": "designs.json",
  "axes": {"circuit.slots": [2, 4], "recipe.adder": ["sklansky", "kogge-stone"]},
  "statistics": ["synthesis.delay_fo4", "synthesis.path"],
  "figures": [{"kind": "curves", "x": "circuit.slots", "y": "synthesis.delay_fo4",
               "by": "recipe.adder"}]
}"""
_DESIGNS = '{"platform": "switch_synthesis", "title": "A queue", "circuit": {"kind": "queue"}}'


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    (tmp_path / "designs.json").write_text(_DESIGNS)
    file = tmp_path / "queues.json"
    file.write_text(_SWEEP)
    return file


def test_points_are_run_drawn_and_reported(
    explore: Explore, sweep: Path, fake: Simulator, simulator: Simulator
) -> None:
    folder = sweep.with_suffix(".sweep")
    done = explore("run", sweep, "--out", folder, program=fake.program)
    assert done.returncode == 0
    assert "4 points run" in done.stdout
    assert (folder / "figures/queues-curves.svg").exists()
    assert "no table against the paper" not in (folder / "report.html").read_text()
    asked = "SELECT unit, description FROM units WHERE name = 'circuit.slots'"
    found = explore("query", folder, asked, program=fake.program).stdout
    assert "requests  Slots of each combining queue." in found
    texts = explore("query", folder, 'SELECT DISTINCT "synthesis.path.from" FROM results')
    assert "first.queue.head_q" in texts.stdout
    # Results can be read where the simulator is found instead.
    assert explore("report", folder).returncode == 0
    assert simulator.published_files(["switch_synthesis"]) == []
    assert simulator.published_files(["ultracomputer"]) == [simulator.published_of("ultracomputer")]


def test_a_statistic_that_it_has_not_is_refused(
    explore: Explore, sweep: Path, fake: Simulator
) -> None:
    sweep.write_text(_SWEEP.replace('"synthesis.path"', '"interface.latency"'))
    done = explore("plan", sweep, program=fake.program)
    assert done.returncode == 2
    assert "interface.latency, which is none" in done.stderr


def test_it_has_no_presets(explore: Explore, fake: Simulator) -> None:
    assert fake.platforms == ("switch_synthesis",)
    assert fake.presets == {}
    assert fake.published_files(["switch_synthesis", "ultracomputer"]) == []
    assert explore("list", program=fake.program).returncode == 0
    done = explore("new", program=fake.program)
    assert done.returncode == 2
    assert "has no presets of platform switch_synthesis to begin with" in done.stderr


def test_points_without_cycles_are_taken_to_cost_the_same(fake: Simulator, sweep: Path) -> None:
    plan = make_plan(parse_sweep(_SWEEP, sweep), fake)
    assert len({point.switch_cycles for point in plan.points}) == 1
