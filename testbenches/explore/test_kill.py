# SPDX-License-Identifier: Apache-2.0
"""Runs killed by SIGKILL at random times, then run again: the results are those of a run that
nothing disturbed, and no process is left over."""

import contextlib
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from checks import FULL, full

from tributary_explore.plan import Plan, make_plan
from tributary_explore.simulator import Simulator
from tributary_explore.store import PointState, Store
from tributary_explore.sweep_file import parse_sweep

SWEEP = """{"base": "improved",
            "axes": {"network.processing_elements": [4, 8, 16],
                     "network.wait_buffer_entries": [8, 100]},
            "set": {"run.warmup": 10, "run.cycles": 50}, "seeds": "1..2"}"""
KILLS = 3 if FULL else 2
# The first kill comes while the run starts or after; the others once so many more points are whole,
# and so much later.
START_SECONDS = (0.2, 3.5)
POINTS = (0, 2)
POINT_SECONDS = 0.4


@pytest.fixture(scope="module")
def plan(simulator: Simulator) -> Plan:
    return make_plan(parse_sweep(SWEEP, Path("tiny.json")), simulator)


@pytest.fixture(scope="module")
def undisturbed(plan: Plan, simulator: Simulator, tmp_path_factory: Any) -> dict[str, bytes]:
    """The result files, straight from the simulator."""
    folder = tmp_path_factory.mktemp("undisturbed")
    store = Store(folder)
    made = {}
    for point in plan.points:
        command = simulator.run_command(store.write_run_file(point), point.seed, folder / "out")
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        made[point.hash] = (folder / "out" / "results.json").read_bytes()
    return made


def results(store: Store, plan: Plan) -> dict[str, bytes]:
    files = {point.hash: store.result_file(point) for point in plan.points}
    return {name: file.read_bytes() for name, file in files.items() if file.exists()}


def start(folder: Path, program: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tributary_explore", "--program", str(program)]
    return subprocess.Popen(
        [*command, "run", "tiny.json", "--cores", "2", "--no-report"],
        cwd=folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )


def kill(process: "subprocess.Popen[str]", whole_tree: bool) -> list[psutil.Process]:
    """Its descendants, killed as well or left behind."""
    try:
        family = psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        family = []
    process.kill()
    if whole_tree:
        for child in family:
            if child.is_running():
                child.kill()
    process.wait()
    return list(family)


def is_alive(process: psutil.Process) -> bool:
    return bool(process.is_running()) and process.status() != psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("whole_tree", [True, False], ids=["whole-tree", "main-process-only"])
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=full)])
def test_killed_at_random_times(
    seed: int,
    whole_tree: bool,
    tmp_path: Path,
    plan: Plan,
    simulator: Simulator,
    in_front: Callable[[str], Path],
    undisturbed: dict[str, bytes],
) -> None:
    random_times = random.Random(seed)
    (tmp_path / "tiny.json").write_text(SWEEP)
    store = Store(tmp_path / "tiny.sweep")
    program = in_front(f"sleep {POINT_SECONDS}")
    family: list[psutil.Process] = []
    for number in range(KILLS):
        process = start(tmp_path, program)
        if number == 0:
            time.sleep(random_times.uniform(*START_SECONDS))
        else:
            more = len(results(store, plan)) + random_times.randint(*POINTS)
            while process.poll() is None and len(results(store, plan)) < more:
                time.sleep(0.02)
            time.sleep(random_times.uniform(0, POINT_SECONDS))
        alive = process.poll() is None
        family += kill(process, whole_tree)
        states = [store.state(point, simulator.version) for point in plan.points]
        print(f"kill {number + 1}: alive {alive}, {states.count(PointState.WHOLE)} points whole")
        assert set(states) <= {PointState.WHOLE, PointState.MISSING}
    whole = {
        point.hash: store.result_file(point).stat().st_mtime_ns
        for point in plan.points
        if store.state(point, simulator.version) is PointState.WHOLE
    }
    left_behind = [child.pid for child in family if is_alive(child)]
    final = start(tmp_path, program)
    _, told = final.communicate(timeout=300)
    print(told, f"left behind before the last run: {left_behind}", sep="\n")
    assert final.returncode == 0
    assert results(store, plan) == undisturbed
    for point in plan.points:
        if point.hash in whole and not left_behind:
            assert store.result_file(point).stat().st_mtime_ns == whole[point.hash]
        names = sorted(file.name for file in store.point_folder(point).iterdir())
        assert names == ["results.json", "run.json"]
    assert sorted(each.name for each in store.work_folder.iterdir()) == [
        "journal.jsonl", "run.lock",
    ]  # fmt: skip
    _, alive_still = psutil.wait_procs(family, timeout=5)
    assert alive_still == []


def test_what_a_killed_run_leaves_behind_is_named_and_stopped(
    tmp_path: Path, plan: Plan, simulator: Simulator, in_front: Callable[[str], Path]
) -> None:
    (tmp_path / "tiny.json").write_text(SWEEP)
    process = start(tmp_path, in_front("sleep 60"))
    family: list[psutil.Process] = []
    while sum(child.name() == "sleep" for child in family) < 2:
        assert process.poll() is None
        time.sleep(0.05)
        with contextlib.suppress(psutil.NoSuchProcess):
            family = psutil.Process(process.pid).children(recursive=True)
    kill(process, whole_tree=False)
    assert all(is_alive(child) for child in family)
    final = start(tmp_path, simulator.program)
    _, told = final.communicate(timeout=300)
    print(told)
    assert final.returncode == 0
    stopped = {int(pid) for pid in re.findall(r"Stopped process (\d+) \(", told)}
    assert stopped == {child.pid for child in family}
    for name in ("snakemake", "tributary_explore.worker", "sleep 60"):
        assert re.search(rf"Stopped process \d+ \([^)]*{re.escape(name)}", told), name
    _, alive = psutil.wait_procs(family, timeout=5)
    assert alive == []
    assert len(results(Store(tmp_path / "tiny.sweep"), plan)) == len(plan.points)
