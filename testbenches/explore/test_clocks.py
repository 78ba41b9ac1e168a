# SPDX-License-Identifier: Apache-2.0
"""Clocks of circuits as a file that says them by the simulator's parameters."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from checks import refusal
from cycle_time.circuits import Library
from cycle_time.clocks import clocks_of
from cycle_time_sample import SAME_CLOCKS, circuit, library

from tributary_explore.advice.designs import designs_with_clocks
from tributary_explore.clocks import AT_EXIT, PACKAGED, Clocks, read_clocks
from tributary_explore.configuration import flat
from tributary_explore.simulator import Simulator

CLOCKS = clocks_of(library({**SAME_CLOCKS, "aggressive": 40.0}), "0.1.0+abc", "2026-11-25")


def test_a_file_of_clocks_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "clocks.json"
    file.write_text(CLOCKS.text())
    assert read_clocks(file) == CLOCKS
    assert (CLOCKS.library, CLOCKS.version, CLOCKS.date) == ("osu018", "0.1.0+abc", "2026-11-25")


def test_the_digest_is_of_the_numbers() -> None:
    other = clocks_of(library({**SAME_CLOCKS, "aggressive": 40.1}), "0.1.0+abc", "2026-11-25")
    assert len({CLOCKS.results, other.results, ""}) == 3


def test_each_circuit_has_one_clock_and_half_the_area() -> None:
    names = [each.name for each in designs_with_clocks(CLOCKS)]
    # Two experiments of the sample have the switch with a wait buffer of 100.
    assert len(names) == len(set(names)) == 7
    sums = [each.sum for each in CLOCKS.circuits if each.parameters["network.queue_type"] == "A"]
    assert sorted(sums) == [AT_EXIT, "on_arrival", "on_arrival"]
    aggressive = next(each for each in CLOCKS.circuits if each.fo4.low == 40)
    assert aggressive.nand2.low == 40_000 / 2
    assert aggressive.fo4.high > 40


@pytest.mark.parametrize("preset", ["no_combining", "baseline", "improved", "aggressive"])
def test_parameters_are_those_of_the_simulator(preset: str, simulator: Simulator) -> None:
    of_design = library(SAME_CLOCKS).named()[preset.replace("_", " ")]
    (clock,) = clocks_of(Library("osu018", 104.5, (of_design,)), "", "").circuits
    configuration = simulator.validate(preset).points[0].configuration
    assert clock.parameters == {name: dict(flat(configuration))[name] for name in clock.parameters}
    assert len(clock.parameters) >= 6


def test_other_circuits_set_no_clock_of_a_simulated_switch() -> None:
    narrow = circuit("baseline", 30.0, 0.05, "operands", data_width=32)
    alone = circuit("baseline", 12.0, 0.05, "wait_buffers", kind="wait_buffer")
    flat = replace(circuit("baseline", 30.0, 0.05, "designs"), is_flat=True)
    refused = refusal(clocks_of, Library("osu018", 104.5, (narrow, alone, flat)), "", "")
    assert "osu018" in refused
    assert "./dev cycle-time" in refused


def test_what_is_no_file_of_clocks_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "clocks.json"
    assert f"{file} cannot be read" in refusal(read_clocks, file)
    document = json.loads(CLOCKS.text())
    for key, value in (
        ("schema", "tributary.clocks/0"),
        ("circuits", []),
        ("circuits", [{**document["circuits"][0], "fo4": 3}]),
        ("circuits", [{"fo4": {"low": 1, "high": 2}}]),
        ("circuits", [{**document["circuits"][0], "parameters": 3}]),
        ("unknown", 1),
    ):
        file.write_text(json.dumps({**document, key: value}))
        assert str(file) in refusal(read_clocks, file)
    file.write_text("[]")
    assert str(file) in refusal(read_clocks, file)


@pytest.mark.parametrize("lacking", ["network.combining", "network.slots", "network.order"])
def test_a_circuit_without_a_parameter_is_refused_by_its_name(tmp_path: Path, lacking: str) -> None:
    document = json.loads(CLOCKS.text())
    for each in document["circuits"]:
        each["parameters"].pop(lacking, None)
    file = tmp_path / "clocks.json"
    file.write_text(json.dumps(document))
    refused = refusal(read_clocks, file)
    assert str(file) in refused and lacking in refused and "./dev cycle-time" in refused


def test_queues_tell_designs_apart_that_do_not_combine() -> None:
    plain = next(each for each in CLOCKS.circuits if not each.parameters["network.combining"])
    other = {"A": "B", "B": "A"}[plain.parameters["network.queue_type"]]
    changed = replace(plain, parameters={**plain.parameters, "network.queue_type": other})
    names = [each.name for each in designs_with_clocks(replace(CLOCKS, circuits=(plain, changed)))]
    assert sorted(names) == ["no combining, A", "no combining, B"]


def test_two_circuits_of_one_design_are_refused() -> None:
    twice = replace(CLOCKS, circuits=(CLOCKS.circuits[0], CLOCKS.circuits[0]))
    assert "no combining" in refusal(designs_with_clocks, twice)


def test_the_simulator_has_every_design_of_the_package(simulator: Simulator) -> None:
    clocks: Clocks = read_clocks(PACKAGED)
    for each in designs_with_clocks(clocks):
        sets = [f"{name}={json.dumps(value)}" for name, value in each.parameters.items()]
        simulator.validate("baseline", [text.replace('"', "") for text in sets])
