# SPDX-License-Identifier: Apache-2.0
"""The design search: what of a design is counted, which designs are chosen, and what tables show of
results that nobody measured."""

import itertools
import json
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from common.files import RTL, listed_sources
from common.yosys import new_design, read_command
from cycle_time import design_search
from cycle_time.circuits import Library
from cycle_time.design_search_causes import axis_rows
from cycle_time.design_search_page import clock_table, page_text
from cycle_time.first_step import FirstStep, Objectives
from cycle_time.front import box_of, dominates, front
from cycle_time.search import Search
from cycle_time.second_step import (
    AGGRESSIVE,
    LIGHT,
    POLLING,
    UNIFORM,
    SecondStep,
    Stage,
    read_second_step,
)
from cycle_time.switch_design import SwitchDesign, circuit_of
from cycle_time_sample import library
from synthesis.circuits import circuit
from synthesis.parameters import defaults

from tributary_explore.errors import ExploreError
from tributary_explore.overrides import Overrides, overridden
from tributary_explore.plan import make_plan
from tributary_explore.results import Results, open_results
from tributary_explore.simulator import Simulator
from tributary_explore.store import Store
from tributary_explore.sweep_file import Sweep, load_sweep

PAPERS = SwitchDesign("parallel", "A", True, "crude", 2, 4, "oldest", 100)
BETTER = replace(PAPERS, adaptive_limit=1, slots=8, wait_buffer_entries=16)
NAMED = {"improved": replace(PAPERS, queue_type="B", coupled=False), AGGRESSIVE: PAPERS}
MIXED = "10 % to one word"


# --- what is counted ------------------------------------------------------------------------------

# Small, so that yosys is quick.
NARROW = {
    "data_width": 4,
    "address_width": 3,
    "module_width": 4,
    "sequence_width": 1,
    "element_width": 4,
    "reverse_slots": 5,
}


@pytest.mark.parametrize(
    "design",
    [
        SwitchDesign("parallel", "B", True, "crude", 0, 3, "oldest", 3),
        SwitchDesign("parallel", "A", True, "crude", 1, 3, "ordered", 2),
        SwitchDesign("parallel", "B", False, "gradual", 2, 3, "ordered", 1),
        SwitchDesign("systolic", "B", False, "crude", 2, 3, "oldest", 2),
    ],
    ids=lambda design: design.words,
)
def test_state_is_what_yosys_counts(design: SwitchDesign) -> None:
    pytest.importorskip("pyosys", reason="pyosys is not installed")
    assert design.flip_flops(**NARROW) == counted(design)


def counted(design: SwitchDesign) -> int:
    narrow = {f"circuit.{name}": value for name, value in NARROW.items()}
    switch = circuit({**defaults(), **design.circuit, **narrow, "circuit.kind": "switch"})
    parameters = {name: each for name, each in switch.parameters.items() if name != "Switches"}
    sources = [str(RTL / name) for name in listed_sources()]
    read = read_command(sources, "combining_switch", parameters)
    # To single bits: a register of which a part is never read keeps that part before.
    commands = ["chformal -remove", "proc", "flatten", "opt -full", "simplemap", "opt -full"]
    made, run = new_design()
    for command in (read, *commands):
        run(f"tee -q -o /dev/null {command}")
    return sum("DFF" in cell.type.str() for cell in made.top_module().cells_.values())


def test_designs_have_words_of_their_own() -> None:
    some = [
        SwitchDesign(micro, kind, coupled, adaptation, limit, slots, order, entries)
        for micro, kind, coupled, (adaptation, limit), slots, order, entries in itertools.product(
            ("parallel", "systolic"),
            "AB",
            (False, True),
            (("crude", 0), ("crude", 1), ("gradual", 1)),
            (2, 4),
            ("oldest", "ordered"),
            (8, 100),
        )
    ]
    assert len({each.words for each in some}) == len(some)


def test_a_design_survives_its_parameters() -> None:
    assert SwitchDesign.of(BETTER.parameters) == BETTER


# --- the front ------------------------------------------------------------------------------------


def test_dominance_and_boxes() -> None:
    assert dominates((1, 2), (1, 3))
    assert not dominates((1, 2), (1, 2))
    assert not dominates((1, 3), (2, 2))
    assert box_of((100.0,), (0.1,)) == box_of((101.0,), (0.1,)) < box_of((120.0,), (0.1,))


def test_front_has_one_point_for_each_box_that_none_beats() -> None:
    points = {
        "quick": (10.0, 300.0),
        "quick too": (10.0, 301.0),
        "small": (30.0, 100.0),
        "beaten": (31.0, 310.0),
    }
    chosen = front(points, points.__getitem__, (0.05, 0.05), lambda each: (len(each),))
    assert chosen == ["quick", "small"]


# --- made-up steps --------------------------------------------------------------------------------


def first_step(designs: Mapping[SwitchDesign, Objectives] | None = None) -> FirstStep:
    default = {
        PAPERS: Objectives(60.0, {MIXED: 0.14}, 0.19),
        replace(PAPERS, adaptive_limit=1): Objectives(45.0, {MIXED: 0.13}, 0.19),
        replace(PAPERS, adaptive_limit=1, slots=8): Objectives(45.0, {MIXED: 0.2}, 0.22),
        BETTER: Objectives(45.0, {MIXED: 0.2}, 0.22),
    }
    return FirstStep(designs or default, (0.03, 0.05, 0.02, 0.05), (0.01,) * 3, 4)


def second_step(factors: Mapping[str, float], spread: float = 0.001) -> SecondStep:
    """The better design is so many times better than the others, by workload."""
    # In another order for each, or quotients would have no spread.
    seeds = {1: 1 - spread, 2: 1.0, 3: 1 + spread}
    other = {1: 1 + spread, 2: 1 - spread, 3: 1.0}
    values = {}
    for (workload, factor), n in itertools.product(factors.items(), (16, 32)):
        latency = workload in (POLLING, LIGHT)
        base = 60.0 if latency else 0.14
        better = base / factor if latency else base * factor
        values[workload, BETTER.words, n] = {seed: better * x for seed, x in other.items()}
        for name in NAMED:
            values[workload, name, n] = {seed: base * x for seed, x in seeds.items()}
    stages = (Stage(0.0, 1.0, 0.0), Stage(0.5, 7.0, 3.0))
    designs = {BETTER.words: BETTER, **NAMED}
    return SecondStep(designs, values, dict.fromkeys(designs, stages))


ALL_BETTER = {POLLING: 1.5, MIXED: 1.3, UNIFORM: 1.1, LIGHT: 1.0}


def text_of(factors: Mapping[str, float], spread: float = 0.001) -> str:
    search = Search(first_step(), second_step(factors, spread), NAMED)
    return page_text(search, {"design-search-polling": "Polling"})


def test_winners_are_nowhere_behind() -> None:
    first = first_step()
    assert first.winners(PAPERS) == [BETTER]
    slow = {**first.designs, BETTER: Objectives(45.0, {MIXED: 0.2}, 0.15)}
    assert BETTER not in first_step(slow).winners(PAPERS)


def test_what_is_better_is_named() -> None:
    everywhere = "; ".join(each for each in ALL_BETTER if each != LIGHT)
    row = re.search(rf"^\| {BETTER.words} \|.*$", text_of(ALL_BETTER), re.MULTILINE)
    assert row is not None
    cells = [each.strip() for each in row.group().split("|")][-3:-1]
    assert sorted(cells[0].split("; ")) == sorted(everywhere.split("; "))
    assert cells[1] == ""


def test_what_the_interval_hides_and_less_than_half_a_percent_are_not_claimed() -> None:
    second = second_step({POLLING: 1.01, MIXED: 1.02, UNIFORM: 1.0, LIGHT: 1.0}, spread=0.05)
    assert second.winners == []
    assert second.places(BETTER.words, 1) == []
    second = second_step({**ALL_BETTER, LIGHT: 1.003}, spread=0.0)
    assert second.verdict(LIGHT, BETTER.words, 32) == 0


def test_a_loss_anywhere_is_no_win_all_round() -> None:
    factors = {**ALL_BETTER, UNIFORM: 0.9}
    second = second_step(factors)
    assert second.winners == []
    assert second.places(BETTER.words, -1) == [(UNIFORM, 16), (UNIFORM, 32)]
    text = text_of(factors)
    assert re.search(rf"^\| {BETTER.words} \|.*\| {UNIFORM} \|$", text, re.MULTILINE)


def clock_row(circuits: Library | None) -> list[str]:
    """Of the better design."""
    lines = clock_table(Search(first_step(), second_step(ALL_BETTER), NAMED, circuits)).split("\n")
    (row,) = [line for line in lines if line.startswith(f"| {BETTER.words} |")]
    return [each.strip() for each in row.split("|")[2:-1]]


def test_cycles_become_bands_of_fo4_by_the_circuit_of_their_design() -> None:
    assert clock_row(None) == ["—", "40.0", "—", "—"]
    circuits = library({"aggressive": 100.0, "baseline": 100.0, "improved": 200.0})
    assert clock_row(circuits)[0] == "—"  # not of this design
    own = next(each for each in circuits.circuits if each.design == "improved")
    parameters = {**own.parameters, **circuit_of(vars(BETTER))}
    row = clock_row(
        replace(circuits, circuits=(*circuits.circuits, replace(own, parameters=parameters)))
    )
    low, high = (float(each.replace(",", "")) for each in row[2].split(" to "))
    assert row[0].startswith("200 to ")
    assert low < 200 * 40 < high


def test_an_axis_is_compared_all_else_the_same() -> None:
    limit = ("adaptation", "adaptive_limit")
    (row,) = axis_rows(first_step(), limit, PAPERS)
    assert row[1:] == ("limit 1 over limit 2", "75 %", "93 %", "100 %", "1")


# --- what is committed, and the way from it to the page -------------------------------------------


def test_every_design_of_the_first_step_is_measured_once(simulator: Simulator) -> None:
    plan = make_plan(load_sweep("design_search"), simulator)
    polled = [
        SwitchDesign.of({f"network.{k}": v for k, v in point.configuration["network"].items()})
        for point in plan.points
        if point.experiment.endswith("_polling") and not point.experiment.startswith("noise_")
    ]
    assert len(polled) == len(set(polled))
    assert PAPERS in polled
    assert {each.adaptive_limit for each in polled} == {0, 1, 2, 3, 4}
    assert {each.order for each in polled} == {"oldest", "ordered"}
    assert {each.microarchitecture for each in polled} == {"parallel", "systolic"}


def test_the_circuits_are_valid(sweeps: Path, fake: Simulator) -> None:
    plan = make_plan(load_sweep(sweeps / "design_search_circuits.json"), fake)
    assert len({point.series for point in plan.points}) >= len(design_search.NAMED)


def test_the_second_step_is_of_the_presets_and_its_circuits_are_the_same(
    simulator: Simulator,
) -> None:
    document = json.loads(design_search.RUN_FILE.read_text())
    series = {each["name"]: SwitchDesign.of(each) for each in document["series"]}
    named = design_search.named_designs(simulator)
    assert {name: series[name] for name in named} == named
    assert all(name in named or name == design.words for name, design in series.items())
    assert design_search.CIRCUITS_FILE.read_text() == design_search.circuits_file(series)


RunSweep = Callable[[Sweep], Results]


@pytest.fixture
def run_sweep(simulator: Simulator, tmp_path: Path) -> RunSweep:
    """Runs all points of a sweep, one after another."""

    def run(sweep: Sweep) -> Results:
        store = Store(tmp_path / f"{sweep.name}.sweep")
        plan = make_plan(sweep, simulator)
        store.write_plan(plan, simulator.version, "test")
        for point in plan.points:
            file = store.write_run_file(point)
            command = simulator.run_command(file, point.seed, store.point_folder(point))
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return open_results(store.folder)

    return run


SHORT = ("run.warmup=100", "run.cycles=200", "processor.start_window=20")


def test_from_sweeps_to_the_page(
    run_sweep: RunSweep,
    simulator: Simulator,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Both sweeps as they are, but of few, small and short points."""
    axes = (
        "network.processing_elements=4",
        "network.coupled=[true]",
        "network.slots=[4]",
        "network.wait_buffer_entries=[100]",
        "network.adaptive_limit=[1,2]",
    )
    every = load_sweep("design_search")
    kept = tuple(
        each.name
        for each in every.experiments
        if each.name.startswith(("type_a_", "noise_")) and "gradual" not in each.name
    )
    first = run_sweep(overridden(every, Overrides(only=kept, sets=(*SHORT, *axes))))
    sizes = "network.processing_elements=[4,8]"
    second = run_sweep(
        overridden(load_sweep("design_search_front"), Overrides(seeds="1..2", sets=(*SHORT, sizes)))
    )
    page = tmp_path / "docs/models/design-search-tables.md"
    given = ["page", str(first.folder), str(second.folder), "--page", str(page)]
    assert design_search.main(given) == 0
    text = page.read_text()
    print(text)
    pictures = re.findall(r"\]\((\.\./images/[^)]+)\)", text)
    assert len(pictures) == 2
    for picture in pictures:
        assert (page.parent / picture).read_text().startswith("<svg")

    chosen = tmp_path / "chosen.json"
    circuits = tmp_path / "circuits.json"
    files = ["--run-file", str(chosen), "--circuits-file", str(circuits)]
    assert design_search.main(["front", str(first.folder), *files]) == 0
    assert len(json.loads(circuits.read_text())["series"]) == len(simulator.validate(chosen).points)
    assert len(simulator.validate(chosen).points) >= len(design_search.NAMED)

    # A point without a result is named, and nothing is written.
    page.unlink()
    for results in (first, second):
        lost = results.store.points()[0]
        whole = results.store.result_file(lost)
        content = whole.read_bytes()
        whole.unlink()
        assert design_search.main(given) == 2
        assert lost.label in capsys.readouterr().err
        assert not page.exists()
        whole.write_bytes(content)


def test_one_seed_is_refused(run_sweep: RunSweep) -> None:
    polled = Overrides(("polling",), "1", (*SHORT, "network.processing_elements=[4]"))
    results = run_sweep(overridden(load_sweep("design_search_front"), polled))
    with pytest.raises(ExploreError, match="one seed"):
        read_second_step(results)


def test_noise_alone_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        design_search.main(["page", "first", "second", "--noise", "somewhere"])
    assert ended.value.code == 2
    assert "--noise is of the results of --synthesis: give both" in capsys.readouterr().err
