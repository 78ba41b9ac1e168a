# SPDX-License-Identifier: Apache-2.0
"""The committed point lists: valid, and of the switches that everything else names."""

import contextlib
import io
import json
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from checks import full
from cycle_time.circuits import NOISE
from synthesis import cli

from tributary_explore.checked_plan import checked_plan
from tributary_explore.configuration import flat
from tributary_explore.overrides import Overrides
from tributary_explore.plan import Plan, Point
from tributary_explore.simulator import Simulator

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tools/rtl/synthesis/tributary-synthesis"
# Fewer recipes than this say nothing of the noise, and so nothing can be claimed.
LEAST_PORTFOLIO = 3
# Names in cmake/switch_variants.cmake of the parameters of a circuit.
VARIANT_NAMES = {
    "DualInput": "dual_input",
    "Coupled": "coupled",
    "AdaptiveLimit": "adaptive_limit",
    "WaitBufferEntries": "wait_buffer_entries",
}


@dataclass(frozen=True)
class InThisProcess(Simulator):
    """tributary-synthesis, called as a function: it is asked hundreds of times."""

    def _call(self, arguments: list[str]) -> "subprocess.CompletedProcess[str]":
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            status = cli.main(arguments)
        return subprocess.CompletedProcess(arguments, status, out.getvalue(), errors.getvalue())


@pytest.fixture(scope="module")
def synthesis() -> Simulator:
    return InThisProcess(PROGRAM)


@cache
def plan_of(name: str, sweeps: Path, program: Simulator) -> Plan:
    plan = checked_plan(str(sweeps / f"{name}.json"), Overrides(), program, lambda count: True)
    print(name, Counter(point.experiment for point in plan.points))
    return plan


def circuit(point: Point) -> dict[str, Any]:
    return {name: value for name, value in flat(point.configuration) if "recipe" not in name}


@pytest.mark.parametrize("name", ["circuits", "circuits_short"])
def test_every_circuit_has_a_portfolio(name: str, sweeps: Path, synthesis: Simulator) -> None:
    points = plan_of(name, sweeps, synthesis).points
    recipes = Counter(
        (
            point.experiment,
            point.series,
            point.configuration["recipe"]["hierarchy"],
            json.dumps(circuit(point), sort_keys=True),
        )
        for point in points
    )
    if name == "circuits":
        larger = {count for (which, *_), count in recipes.items() if which in ("designs", NOISE)}
        assert min(larger) > LEAST_PORTFOLIO
    assert min(recipes.values()) >= LEAST_PORTFOLIO


@pytest.mark.simulated
@pytest.mark.parametrize("name", ["circuits_short", pytest.param("circuits", marks=full)])
def test_the_real_program_accepts_the_circuits(name: str, sweeps: Path) -> None:
    real = Simulator(PROGRAM)
    assert "switch_synthesis" in real.platforms
    assert plan_of(name, sweeps, real).warnings == ()


def test_every_axis_that_is_asked_for_is_there(sweeps: Path, synthesis: Simulator) -> None:
    circuits = [circuit(point) for point in plan_of("circuits", sweeps, synthesis).points]

    def values(name: str) -> set[Any]:
        return {
            each[f"circuit.{name}"] for each in circuits if each["circuit.kind"] == "two_switches"
        }

    assert values("dual_input") == values("coupled") == values("ordered") == {False, True}
    assert values("sum") == {"on_arrival", "at_exit"}
    assert values("microarchitecture") == {"parallel", "systolic"}
    assert {2, 8} <= values("slots")
    assert {8, 100} <= values("wait_buffer_entries")
    assert {32, 64} <= values("data_width")
    assert values("forms") == {"none", "identity_and_add", "all"}
    assert {each["circuit.kind"] for each in circuits} >= {"switch", "queue", "wait_buffer"}


@pytest.mark.parametrize("kind", ["circuits", "networks"])
def test_the_short_list_is_part_of_the_long_one(
    kind: str, sweeps: Path, synthesis: Simulator, simulator: Simulator
) -> None:
    program = synthesis if kind == "circuits" else simulator

    def hashes(name: str) -> set[str]:
        return {point.hash for point in plan_of(name, sweeps, program).points}

    assert hashes(f"{kind}_short") < hashes(kind)


def test_networks_are_of_the_sizes_that_are_asked_for(sweeps: Path, simulator: Simulator) -> None:
    points = plan_of("networks", sweeps, simulator).points
    sizes = {point.configuration["network"]["processing_elements"] for point in points}
    assert sizes == {2**k for k in range(4, 12)}
    hot_spots = {
        point.experiment: point.configuration["workload"]["traffic"]["hot_spot"] for point in points
    }
    print(hot_spots)
    assert hot_spots["hot_spot"] == 0.1
    assert hot_spots["polling"] == hot_spots["polling_serially"] == 1
    assert hot_spots["uniform"] == hot_spots["saturation"] == 0


def test_designs_are_those_of_the_verilated_variants(sweeps: Path, synthesis: Simulator) -> None:
    text = (ROOT / "cmake/switch_variants.cmake").read_text()
    circuits = {
        point.series: circuit(point)
        for point in plan_of("circuits", sweeps, synthesis).points
        if point.experiment == "designs"
    }
    for design, own in circuits.items():
        if design == "no combining":
            continue
        line = re.search(rf"_variant\({design.replace(' ', '_')} ([^)]*)\)", text)
        assert line is not None, design
        wanted = dict(each.split("=") for each in line[1].split())
        print(design, wanted)
        for name, value in wanted.items():
            assert own[f"circuit.{VARIANT_NAMES[name]}"] == int(value)
        for name, parameter in VARIANT_NAMES.items():
            if name not in wanted:
                assert not own[f"circuit.{parameter}"], (design, name)


@pytest.mark.parametrize("length", ["", "_short"])
def test_cycles_and_clocks_are_of_the_same_switches(
    length: str, sweeps: Path, synthesis: Simulator, simulator: Simulator
) -> None:
    circuits = {
        point.series: point.configuration["circuit"]
        for point in plan_of(f"circuits{length}", sweeps, synthesis).points
        if point.experiment == "designs"
    }
    networks = {
        point.series: point.configuration["network"]
        for point in plan_of(f"networks{length}", sweeps, simulator).points
    }
    assert circuits.keys() == networks.keys() >= {"no combining", "aggressive"}
    for design, network in networks.items():
        expected = {name: network[name] for name in ("slots", "link_cycles", "reverse_slots")}
        expected |= {"dual_input": network["queue_type"] == "A", "forms": "none"}
        if network["combining"]:
            assert all(network["combine"].values())
            same = ("coupled", "microarchitecture", "adaptive_limit", "wait_buffer_entries")
            expected |= {name: network[name] for name in same}
            expected |= {
                "ordered": network["order"] == "ordered",
                "gradual": network["adaptation"] == "gradual",
                "forms": "all",
            }
        print(design, expected)
        assert expected == {name: circuits[design][name] for name in expected}
