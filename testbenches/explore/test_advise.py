# SPDX-License-Identifier: Apache-2.0
"""tributary-explore advise: from numbers of a machine to an answer that claims no more than was
measured."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from checks import refusal
from cycle_time.clocks import clocks_of
from cycle_time_sample import SAME_CLOCKS, library

from tributary_explore import clocks as clocks_module
from tributary_explore.advice.answer import Answer, Rated
from tributary_explore.advice.designs import Design, design_name, designs_with_clocks
from tributary_explore.advice.figure import latency_figure
from tributary_explore.advice.machine import Machine
from tributary_explore.advice.page import notes, write_page
from tributary_explore.advice.question import Question
from tributary_explore.bands import Band, Measured
from tributary_explore.simulator import Simulator

CLOCKS = clocks_of(library(SAME_CLOCKS), "0.1.0+abc", "2026-11-25")
DESIGNS = designs_with_clocks(CLOCKS)
NONE = next(each for each in DESIGNS if not each.combines)
COMBINING = [each for each in DESIGNS if each.combines]
SMALL = ("--elements", 16, "--hot-share", 1, "--seeds", "1..2", "--cores", 1)


def rated(design: Design, cycles: float, steady: bool = True) -> Rated:
    """Known to a cycle; the clocks of the sample are known to 5 %."""
    return Rated(design, Measured.of(cycles, 1.0), Measured.of(0.1, 0.0), steady)


def answer(*designs: Rated) -> Answer:
    question = Question(Machine(), [each.design for each in designs], "1..2")
    return Answer(question, sorted(designs, key=lambda each: each.rank))


def without_clock(design: Design) -> Design:
    return replace(design, clock=None)


# --- the machine ----------------------------------------------------------------------------------


def test_runs_are_until_steady_with_random_placement_and_a_warm_up_of_two_latencies() -> None:
    settings = Machine(elements=512, hot_share=1, memory_interval=40).settings
    assert settings["run.until"] == "steady"
    assert settings["workload.traffic.hot_placement"] == "random"
    # A module that serves 512 polls one after another takes 20,480 cycles for a round.
    assert settings["run.warmup"] >= 2 * 20_480
    assert settings["run.maximum_cycles"] >= 10 * settings["run.warmup"]
    assert Machine(hot_share=0).settings["run.warmup"] == 3000


def test_a_fixed_cycle_keeps_the_times_of_memory_and_elements() -> None:
    machine = Machine(memory_latency=40, memory_interval=4, turnaround=10)
    slow = machine.in_cycles_of(31 / 77)
    assert (slow.memory_latency, slow.memory_interval, slow.turnaround) == (17, 2, 5)
    assert machine.in_cycles_of(1.0) == machine
    question = Question(machine, DESIGNS, "1..2", cycle=15.0)
    assert {question.machine_of(each).memory_latency for each in COMBINING} >= {20}


@pytest.mark.simulated
def test_runs_last_as_long_as_the_slowest_memory_needs(
    simulator: Simulator, tmp_path: Path
) -> None:
    machine = Machine(elements=16, hot_share=1, memory_interval=1000)
    question = Question(machine, DESIGNS, "1..2", cycle=60.0)
    plan = question.plan(simulator, tmp_path)
    longest = max(question.machine_of(each).memory_interval for each in DESIGNS)
    assert longest > 2 * machine.memory_interval
    run = plan.points[0].configuration["run"]
    assert run["warmup"] >= 2 * 16 * longest
    assert run["maximum_cycles"] >= 10 * run["warmup"]


def test_what_the_simulator_refuses_names_options_and_leaves_the_folder(
    explore: Any, tmp_path: Path
) -> None:
    clocks = tmp_path / "clocks.json"
    clocks.write_text(CLOCKS.text())
    sweep = tmp_path / "advice.sweep" / "advice.json"
    sweep.parent.mkdir()
    sweep.write_text("as it was")
    words = ("--elements", 16, "--memory-latency", 60000, "--cycle", 1000, "--clocks", clocks)
    refused = explore("advise", *words)
    assert refused.returncode == 2
    assert "--memory-latency, --cycle" in refused.stderr
    assert "memory.latency" in refused.stderr
    assert [each.name for each in sweep.parent.iterdir()] == ["advice.json"]
    assert sweep.read_text() == "as it was"


def test_wrong_numbers_name_their_option() -> None:
    assert "--elements: 48" in refusal(Machine, 48)
    assert "--seeds" in refusal(Question, Machine(), DESIGNS, "3")
    unclocked = [without_clock(NONE)]
    assert "--cycle" in refusal(Question, Machine(), unclocked, "1..2", 30.0)


def test_designs_are_named_by_queue_and_wait_buffer() -> None:
    names = [each.name for each in DESIGNS]
    assert names[0] == "no combining"
    assert "A coupled, 4 slots, wait buffer 100, limit 2, sum at exit" in names
    changed = {
        "network.order": "ordered",
        "network.adaptation": "gradual",
        "network.link_cycles": 3,
    }
    parameters = {**COMBINING[-1].parameters, **changed, "network.combine.logic": False}
    for word in ("ordered", "gradual limit 2", "link cycles 3", "loads and adds only"):
        assert word in design_name(parameters)


# --- the answer -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("combining", "other", "pays"), [(50, 100, True), (100, 50, False), (100, 103, None)]
)
def test_only_bands_that_do_not_overlap_decide(
    combining: float, other: float, pays: bool | None
) -> None:
    given = answer(rated(COMBINING[0], combining), rated(NONE, other))
    print(given.verdict, given.choice)
    assert given.pays is pays
    assert given.best.design is (COMBINING[0] if combining < other else NONE)
    assert all(given.may_be_best(each) for each in given.rated) is (pays is None)


def test_each_rival_is_compared_not_only_the_best_by_its_mean() -> None:
    # Its mean is worse than that of the other without combining, its interval far wider.
    unsure = Rated(replace(NONE, name="unsure"), Measured.of(101, 60), Measured.of(0.1, 0), True)
    given = answer(rated(COMBINING[0], 50), rated(NONE, 100), unsure)
    assert given.pays is None
    assert "overlap" in given.verdict
    assert given.may_be_best(unsure)
    certain = answer(rated(COMBINING[0], 50), rated(NONE, 100), rated(COMBINING[1], 500))
    assert certain.pays is True


def test_the_best_by_its_mean_is_not_the_only_measure() -> None:
    unsure = Rated(NONE, Measured.of(50, 45), Measured.of(0.1, 0), True)
    given = answer(unsure, rated(COMBINING[0], 51), rated(COMBINING[1], 80))
    assert given.best is unsure
    assert not given.may_be_best(given.rated[-1])


@pytest.mark.parametrize(
    ("cycles", "times"), [(1.05, "1.05 times"), (2.44, "2.4 times"), (123.4, "123 times")]
)
def test_ratios_have_the_digits_that_matter(cycles: float, times: str) -> None:
    pair = [
        Rated(without_clock(design), Measured.of(value, 0.0), Measured.of(0.1, 0.0), True)
        for design, value in ((COMBINING[0], 100.0), (NONE, 100 * cycles))
    ]
    assert f"{times} as long" in answer(*pair).verdict


def test_seeds_that_differ_much_leave_no_upper_end() -> None:
    unsure = Rated(COMBINING[0], Measured.of(10, 12), Measured.of(0.1, 0), True)
    assert "at least" in answer(unsure, rated(NONE, 100)).verdict


def test_clocks_turn_the_order_of_cycles_around() -> None:
    slow = designs_with_clocks(clocks_of(library({**SAME_CLOCKS, "improved": 90.0}), "", ""))
    improved = next(each for each in slow if each.clock is not None and each.clock.fo4.low == 90)
    other = next(each for each in slow if not each.combines)
    assert answer(rated(improved, 50), rated(other, 100)).pays is False
    assert answer(rated(without_clock(improved), 50), rated(without_clock(other), 100)).pays is True


def test_what_is_not_steady_decides_nothing() -> None:
    unsteady = rated(COMBINING[0], 10, steady=False)
    given = answer(unsteady, rated(COMBINING[1], 50), rated(NONE, 100))
    assert given.best.design is COMBINING[1]
    assert given.rated[-1] is unsteady
    assert "Every other steady design" in given.choice
    assert not given.may_be_best(unsteady)
    assert any("○" in each for each in notes(given, CLOCKS))
    undecided = answer(rated(COMBINING[1], 50), rated(NONE, 100, steady=False))
    assert undecided.pays is None
    nothing = answer(unsteady, rated(NONE, 100, steady=False))
    assert nothing.pays is None
    assert not any(map(nothing.may_be_best, nothing.rated))
    assert nothing.choice


def test_the_smallest_of_the_best_is_named() -> None:
    # The sample's area grows with the clock: that of 24 FO4 is smaller than that of 30.
    small = next(each for each in COMBINING if each.clock and each.clock.fo4.low == 24)
    given = answer(rated(COMBINING[0], 50), rated(small, 63), rated(NONE, 100))
    assert given.best.design is COMBINING[0]
    assert small.name in given.choice
    assert small.clock is not None and f"{small.clock.nand2.high:,.0f} NAND2" in given.choice


def test_no_design_is_called_smaller_within_the_noise() -> None:
    alike = []
    for low, design in enumerate(COMBINING[:2], start=1000):
        assert design.clock is not None
        alike.append(replace(design, clock=replace(design.clock, nand2=Band(low, 1100))))
    given = answer(*(rated(each, 50) for each in alike))
    assert all(each.name in given.choice.partition("any of these")[2] for each in alike)


def test_the_best_of_the_other_kind_is_shown_too() -> None:
    given = answer(*(rated(each, 50 + i) for i, each in enumerate(COMBINING)), rated(NONE, 500))
    assert len(given.rated) == 7
    assert given.shown == [*given.rated[:5], given.rated[-1]]
    assert given.rated[-1].design is NONE


def figure_rows(given: Answer) -> Sequence[dict[str, Any]]:
    (rows,) = latency_figure(given).specification()["datasets"].values()
    return list(rows)


def test_the_figure_shows_each_band() -> None:
    given = answer(rated(COMBINING[0], 10, steady=False), rated(NONE, 100))
    rows = {row["design"]: row for row in figure_rows(given)}
    assert rows[NONE.name]["low"] == pytest.approx(99 * 30)
    assert rows[NONE.name]["high"] == pytest.approx(101 * 30 * 1.05)
    assert [row["steady"] for row in rows.values()] == [True, False]


def test_the_same_answer_gives_the_same_page(tmp_path: Path) -> None:
    given = answer(rated(COMBINING[0], 50), rated(NONE, 100))
    for name in ("one.html", "two.html"):
        write_page(given, CLOCKS, tmp_path / name, "tributary-explore advise")
    page = (tmp_path / "one.html").read_text()
    assert page == (tmp_path / "two.html").read_text()
    for text in (given.verdict, given.choice, CLOCKS.results, "<svg ", "--cycle FO4"):
        assert text in page


def test_no_throughput_is_better_than_its_clock_allows() -> None:
    rate = rated(NONE, 100).rate
    assert rate.low == pytest.approx(100 / (30 * 1.05))
    assert rate.high == pytest.approx(100 / 30)


# --- the command ----------------------------------------------------------------------------------


@pytest.mark.simulated
def test_from_question_to_page(
    explore: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "clocks.json"
    file.write_text(CLOCKS.text())
    asked = explore("advise", *SMALL, "--clocks", file)
    assert asked.returncode == 0
    # The sum at the exit changes the clock, and no cycle.
    assert "12 points run in" in asked.stdout
    table = [line for line in asked.stdout.splitlines() if line.startswith(("A ", "B ", "no "))]
    # Everybody polls one word: switches that combine come first, and one that does not is shown.
    assert len(table) == 6
    assert table[-1].startswith("no combining")
    # One module serves 16 polls, one every 4 cycles; an element waits 10 of them by itself.
    assert " 54.0 ± 0.0 " in table[-1]
    assert all(each.name in (tmp_path / "advice.sweep/advice.html").read_text() for each in DESIGNS)
    again = explore("advise", *SMALL, "--clocks", file)
    assert "0 points run, 12 had a result" in again.stdout
    assert again.stdout.partition("\n")[2] == asked.stdout.partition("\n")[2]
    assert explore("query", "advice", "SELECT count(*) FROM summary").returncode == 0
    assert explore("status", "advice").returncode == 0

    # The same switches without clocks have their results already.
    monkeypatch.setattr(clocks_module, "PACKAGED", tmp_path / "nothing.json")
    unclocked = explore("advise", *SMALL)
    assert "0 points run, 10 had a result" in unclocked.stdout
    assert "clocks.json" in unclocked.stdout
    assert "./dev cycle-time --clocks-only" in unclocked.stdout
    assert "NAND2" not in unclocked.stdout


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--elements", 1), "--elements"),
        (("--elements", 48), "--elements"),
        (("--hot-share", 1.5), "--hot-share"),
        (("--memory-interval", 0), "--memory-interval"),
        (("--seeds", "4"), "--seeds"),
        (("--seeds", "x"), "--seeds"),
        (("--clocks", "missing.json"), "missing.json"),
    ],
)
def test_what_is_refused_leaves_nothing(
    explore: Any, tmp_path: Path, words: tuple[Any, ...], named: str
) -> None:
    done = explore("advise", *words)
    assert done.returncode == 2
    assert named in done.stderr
    assert not list(tmp_path.iterdir())
