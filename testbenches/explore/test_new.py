# SPDX-License-Identifier: Apache-2.0
"""The sweep file that `new` writes: complete, true and ready to run."""

import re
from pathlib import Path
from typing import Any

import pytest
from checks import full

from tributary_explore.checked_plan import checked_plan
from tributary_explore.errors import ExploreError
from tributary_explore.new import new_sweep
from tributary_explore.overrides import Overrides
from tributary_explore.plan import Plan
from tributary_explore.simulator import Simulator

MIXED = (
    "meet",
    "meet_equal",
    "reductions",
    "protocol_engine",
    "protocol_engine_blocks",
    "protocol_engine_em3d",
    "protocol_engine_stache",
    "protocol_engine_transfers",
)
PRESETS = {
    name: path.parent.parent.name
    for name, path in sorted(Simulator.find().presets.items())
    if name not in MIXED
}


def of_each_platform() -> list[Any]:
    """The presets, of which all but each platform's first and last are for the long form."""
    by_platform: dict[str, list[str]] = {}
    for name, platform in PRESETS.items():
        by_platform.setdefault(platform, []).append(name)
    short = {name for names in by_platform.values() for name in (names[0], names[-1])}
    return [name if name in short else pytest.param(name, marks=full) for name in PRESETS]


def plan_of(text: str, folder: Path, simulator: Simulator) -> Plan:
    path = folder / "new.json"
    path.write_text(text)
    return checked_plan(str(path), Overrides(), simulator, lambda count: count < 1000)


def own_parameters(platform: str, simulator: Simulator) -> set[str]:
    """Those that have a line of their own; the number of threads changes no result."""
    return {
        each["name"]
        for each in simulator.describe(platform)["parameters"]
        if each["type"] != "list" and "[]" not in each["name"] and each["name"] != "run.threads"
    }


@pytest.mark.parametrize("preset", of_each_platform())
def test_it_is_valid_as_it_is_and_with_every_line_switched_on(
    preset: str, tmp_path: Path, simulator: Simulator
) -> None:
    text = new_sweep(simulator, preset)
    plan = plan_of(text, tmp_path, simulator)
    (experiment,) = plan.sweep.experiments
    assert len(experiment.axes) == 2
    assert 36 <= len(plan.points) <= 400
    on = re.sub(r'^( *)// ("[a-z0-9_.]+": )', r"\1\2", text, flags=re.MULTILINE)
    on_plan = plan_of(on, tmp_path, simulator)
    lines = set(re.findall(r'^ *"([a-z0-9_.]+)": ', on, flags=re.MULTILINE))
    assert lines >= own_parameters(PRESETS[preset], simulator)
    # Series are what they differ in, which is the same for all of them then.
    if len({each.series for each in plan.points}) == 1:
        assert {each.hash for each in on_plan.points} == {each.hash for each in plan.points}


def test_every_parameter_is_in_it(simulator: Simulator) -> None:
    text = new_sweep(simulator)
    words = re.sub(r"\s*\n\s*// ", " ", text)
    for parameter in simulator.description["parameters"]:
        # The number of threads changes no result.
        if "[]" in parameter["name"] or parameter["name"] == "run.threads":
            continue
        if parameter["type"] == "list":
            assert parameter["name"] in words
        else:
            assert f'"{parameter["name"]}": ' in text
            for part in ("description", "range", "default"):
                assert parameter[part] in words, parameter["name"]


def test_lines_fit(simulator: Simulator) -> None:
    for line in new_sweep(simulator).splitlines():
        assert len(line) <= 100 or "figures" not in line


def test_a_platform_is_its_usual_preset(simulator: Simulator) -> None:
    platform = simulator.description["platform"]
    assert (
        new_sweep(simulator, platform) == new_sweep(simulator) == new_sweep(simulator, "improved")
    )


def test_an_unknown_base_is_answered_with_the_nearest(simulator: Simulator) -> None:
    with pytest.raises(ExploreError, match="did you mean baseline"):
        new_sweep(simulator, "baselin")


@pytest.mark.parametrize("preset", MIXED)
def test_a_preset_of_several_platforms_is_refused(preset: str, simulator: Simulator) -> None:
    with pytest.raises(ExploreError, match=f'several platforms.*"base": "{preset}"'):
        new_sweep(simulator, preset)


@pytest.mark.simulated
def test_it_runs_as_it_is(explore: Any, tmp_path: Path) -> None:
    made = explore("new", "-o", "mine.json")
    assert made.stdout == "mine.json: run it by tributary-explore run mine.json\n"
    done = explore("run", "mine.json")
    assert done.returncode == 0
    assert "36 points run in " in done.stdout
    assert (tmp_path / "mine.sweep" / "report.html").is_file()


def test_a_terminal_gets_a_file_and_a_pipe_the_text(explore: Any, tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    piped = explore("new", "baseline").stdout
    assert not file.exists()
    assert explore("new", "baseline", terminal=80).stdout.startswith("baseline.json: run it by ")
    assert file.read_text() == piped == explore("new", "baseline", "-o", "-", terminal=80).stdout


def test_nothing_is_overwritten_unasked(explore: Any, tmp_path: Path) -> None:
    (tmp_path / "improved.json").write_text("mine")
    refused = explore("new", terminal=80)
    assert refused.returncode == 2
    assert "improved.json exists" in refused.stderr and "--force" in refused.stderr
    assert (tmp_path / "improved.json").read_text() == "mine"
    assert explore("new", "--force", terminal=80).returncode == 0
    assert (tmp_path / "improved.json").read_text() == explore("new").stdout
