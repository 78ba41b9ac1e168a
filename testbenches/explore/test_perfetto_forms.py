# SPDX-License-Identifier: Apache-2.0
"""A Perfetto trace says the same in both forms, as Perfetto's own description reads them."""

import json
import subprocess
from pathlib import Path

import pytest
from perfetto_forms import Shown, read_json, read_protobuf

from tributary_explore.simulator import Simulator

pytestmark = pytest.mark.simulated

SMALL = {
    "network.processing_elements": 16,
    "network.wait_buffer_entries": 100,
    "workload.traffic.hot_spot": 0.4,
    "run.cycles": 600,
}
LOCKS = {
    "platform": "flash",
    "nodes": 8,
    "network": {"topology": "hypercube"},
    "node": {
        "processor_caches": {"present": True},
        "addresses": {"space_bits": 3},
        "jump_table": {"candidates": 5},
    },
    "locks": {"count": 4},
    "run": {"until": "finished"},
    "workload": {
        "kind": "program",
        "program": {
            "name": "critical_sections",
            "critical_sections": {
                "lock": "flash",
                "locks": 1,
                "count": 4,
                "held": 50,
                "idle": 300,
            },
        },
    },
}


class Runner:
    """Runs the program in the test's folder."""

    def __init__(self, simulator: Simulator, folder: Path) -> None:
        self.program = str(simulator.program)
        self.folder = folder
        (folder / "small.json").write_text(json.dumps(SMALL))
        (folder / "locks.json").write_text(json.dumps(LOCKS))

    def run(self, words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, *words.split()],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )

    def succeed(self, words: str) -> None:
        done = self.run(words)
        assert done.returncode == 0, done.stderr

    def read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def expect_same(self, least: tuple[int, int], json_name: str, protobuf_name: str) -> None:
        as_json = read_json(self.folder / json_name)
        as_protobuf = read_protobuf(self.folder / protobuf_name)
        print("slices, arrows:", count(as_json), count(as_protobuf), as_json.other)
        assert as_json.other == as_protobuf.other
        assert as_json.slices == as_protobuf.slices
        assert as_json.arrows == as_protobuf.arrows
        assert as_json.graphs == as_protobuf.graphs
        shown = count(as_json)
        assert shown[0] >= least[0], "the run shows too little to compare"
        assert shown[1] >= least[1], "the run shows too little to compare"


@pytest.fixture
def runner(simulator: Simulator, tmp_path: Path) -> Runner:
    return Runner(simulator, tmp_path)


def count(shown: Shown) -> tuple[int, int]:
    return sum(map(len, shown.slices.values())), len(shown.arrows)


@pytest.mark.parametrize(
    ("case", "least"),
    [
        ("small.json", (10_000, 100)),
        ("small.json --set network.microarchitecture=systolic", (10_000, 100)),
        ("small.json --window 100..200 --trace stage.1,element --origins 0..7", (10, 0)),
        ("small.json --origins 3", (1000, 20)),
        ("barrier --series improved --set network.processing_elements=16", (5000, 100)),
        ("fbcopy", (300, 30)),
        ("fbcopy --window 900..1400 --trace node.1", (20, 0)),
        ("locks.json", (4000, 1000)),
        ("locks.json --window 500..900 --origins 2", (30, 5)),
    ],
)
def test_forms_say_the_same(case: str, least: tuple[int, int], runner: Runner) -> None:
    for name in ("t.json", "t.pftrace"):
        runner.succeed(f"run {case} --quiet --perfetto {name}")
    runner.expect_same(least, "t.json", "t.pftrace")


@pytest.mark.parametrize("case", ["small.json", "fbcopy", "locks.json"])
def test_forms_of_a_recording_are_those_of_its_run(case: str, runner: Runner) -> None:
    runner.succeed(f"run {case} --quiet --events run.tbe --perfetto direct.perfetto-trace")
    for name in ("t.json", "t.perfetto-trace"):
        runner.succeed(f"trace run.tbe --perfetto {name}")
    runner.expect_same((300, 30), "t.json", "t.perfetto-trace")
    direct = runner.read("direct.perfetto-trace")
    assert direct == runner.read("t.perfetto-trace")


def test_counters_of_interfaces_are_graphs_in_both_forms(runner: Runner) -> None:
    case = "interfaces --series NEW --set program.name=evsim --set program.evsim.phases=1"
    for name in ("t.json", "t.pftrace"):
        runner.succeed(f"run {case} --quiet --perfetto {name}")
    runner.expect_same((100, 10), "t.json", "t.pftrace")
    graphs = read_json(runner.folder / "t.json").graphs
    counters = [name for _, name in graphs]
    print("graphs:", sorted(graphs))
    assert all(name.startswith("interface.engine.") for name in counters)
    assert any("remote_counter" in name for name in counters)
    for values in graphs.values():
        assert values[-1][1] == 0, "every counter has come to 0 at the end"


def test_compressed_forms_are_the_same(runner: Runner) -> None:
    for name in ("t.json.gz", "t.pftrace.gz"):
        runner.succeed(f"run fbcopy --quiet --perfetto {name}")
        assert runner.read(name)[:2] == b"\x1f\x8b"
    runner.expect_same((300, 30), "t.json.gz", "t.pftrace.gz")


def test_an_interrupted_run_says_so_in_both_forms(runner: Runner) -> None:
    for name in ("t.json", "t.pftrace"):
        stuck = runner.run(
            "run barrier --quiet --series improved --set network.processing_elements=16"
            f" --set workload.program.patience=3 --perfetto {name}"
        )
        assert stuck.returncode == 1, stuck.stderr
    runner.expect_same((10, 0), "t.json", "t.pftrace")
    shown = read_protobuf(runner.folder / "t.pftrace")
    assert shown.other["partial"] == "true"
    arguments = [json.loads(at.arguments) for its in shown.slices.values() for at in its]
    assert any(each.get("open") is True for each in arguments)


@pytest.mark.parametrize("name", ["trace", "trace.txt", "trace.pb", "pftrace"])
def test_other_names_give_json(name: str, runner: Runner) -> None:
    runner.succeed(f"run fbcopy --quiet --perfetto {name}")
    assert runner.read(name).startswith(b'{"traceEvents":[')


def test_the_same_run_gives_the_same_bytes(runner: Runner) -> None:
    for name in ("a.pftrace", "b.pftrace"):
        runner.succeed(f"run small.json --quiet --perfetto {name}")
    assert runner.read("a.pftrace") == runner.read("b.pftrace")


def test_a_damaged_trace_is_noticed(runner: Runner) -> None:
    """That the comparison finds what differs: an argument, a slice's end, an arrow."""
    runner.succeed("run fbcopy --quiet --perfetto t.json")
    runner.succeed("run fbcopy --quiet --perfetto t.pftrace")
    whole = read_protobuf(runner.folder / "t.pftrace")
    document = json.loads((runner.folder / "t.json").read_text())
    for phase, key, value in (("X", "dur", 1), ("X", "args", {}), ("s", "id", 7)):
        events = [dict(each) for each in document["traceEvents"]]
        changed = next(each for each in events if each["ph"] == phase and each.get(key) != value)
        changed[key] = value
        (runner.folder / "changed.json").write_text(json.dumps({**document, "traceEvents": events}))
        assert read_json(runner.folder / "changed.json") != whole, key
