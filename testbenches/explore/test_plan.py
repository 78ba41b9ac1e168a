# SPDX-License-Identifier: Apache-2.0
"""From a sweep to its points, by the simulator's own reading of it."""

import shutil
from pathlib import Path

import pytest

from tributary_explore.errors import ExploreError
from tributary_explore.plan import Plan, configuration_hash, count_points, make_plan
from tributary_explore.simulator import Simulator
from tributary_explore.sweep_file import parse_sweep

SMALL = """{
  "base": "figure6", "series": ["baseline", "improved"],
  "axes": {"network.processing_elements": [4, 8], "network.slots": [2, 4]},
  "set": {"run.cycles": 200, "run.warmup": 100, "network.order": "ordered"}, "seeds": "1..3"
}"""


def plan_of(text: str) -> Plan:
    return make_plan(parse_sweep(text, Path("my.json")), Simulator.find())


def test_points_are_series_by_axes_by_seeds() -> None:
    plan = plan_of(SMALL)
    assert count_points(plan.sweep, Simulator.find()) == len(plan.points) == 2 * 2 * 2 * 3
    first = plan.points[0]
    assert first.coordinates == {"network.processing_elements": 4, "network.slots": 2}
    assert first.configuration["network"]["order"] == "ordered"
    assert first.label == (
        "my, baseline, network.processing_elements = 4, network.slots = 2, seed 1"
    )
    assert first.switch_cycles == 4 / 2 * 2 * 300
    assert len({point.hash for point in plan.points}) == len(plan.points)


def test_what_the_base_varies_is_a_coordinate_too() -> None:
    plan = plan_of('{"base": "figure7", "axes": {"interface.outstanding": [1]}}')
    assert list(plan.points[0].coordinates) == [
        "interface.outstanding",
        "workload.traffic.hot_spot",
    ]


def test_series_that_an_axis_makes_equal_share_a_result() -> None:
    plan = plan_of('{"base": "figure7", "axes": {"network.adaptive_limit": [0, 2]}}')
    assert len(plan.points) == 2 * 2 * 12
    assert len({point.hash for point in plan.points}) == 2 * 12
    assert {point.series for point in plan.points} == {"wait buffer 100", "improved"}


def test_a_whole_number_hashes_like_itself_as_a_float() -> None:
    whole = configuration_hash("p", {"a": {"b": [1, 2]}, "c": 0}, 1)
    assert whole == configuration_hash("p", {"c": 0.0, "a": {"b": [1.0, 2]}}, 1)
    assert whole != configuration_hash("p", {"a": {"b": [1, 2]}, "c": 0}, 2)
    assert whole != configuration_hash("p", {"a": {"b": [1, 2]}, "c": 1}, 1)


@pytest.mark.parametrize("program", ["true", "echo"])
def test_another_program(program: str) -> None:
    simulator = Simulator(Path(str(shutil.which(program))))
    for ask in (lambda: simulator.description, lambda: simulator.validate("improved")):
        with pytest.raises(ExploreError, match="does not answer as the simulator does"):
            ask()


def test_a_preset_is_meant_wherever_the_program_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "improved").mkdir()
    (tmp_path / "here.json").write_text('{"extends": "improved"}')
    monkeypatch.chdir(tmp_path)
    assert plan_of('{"base": "improved"}').points
    with pytest.raises(ExploreError, match=r"here\.json: there is no such run file"):
        make_plan(parse_sweep('{"base": "here.json"}', tmp_path / "a" / "s.json"), Simulator.find())
