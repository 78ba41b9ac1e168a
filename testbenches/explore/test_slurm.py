# SPDX-License-Identifier: Apache-2.0
"""A sweep through a real controller of Slurm, of which jobs, a node and the submitting host are
killed: nothing is lost and nothing is done twice."""

import importlib.util
import itertools
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from conftest import Explore
from slurm_cluster import CPUS, NODES, Cluster, what_is_missing

from tributary_explore import cli
from tributary_explore.batches import read_journal
from tributary_explore.plan import Plan, make_plan
from tributary_explore.simulator import Simulator
from tributary_explore.store import PointState, Store
from tributary_explore.sweep_file import parse_sweep

SWEEP = """{"base": "improved",
            "axes": {"network.processing_elements": [4, 8],
                     "network.wait_buffer_entries": [8, 16, 32, 64, 100]},
            "set": {"run.warmup": 10, "run.cycles": 50}, "seeds": "1..20"}"""
POINTS = 200
POINT_SECONDS = 0.1
AT_WORK = CPUS * len(NODES)
"""Jobs that run at a time."""
TIMEOUT_SECONDS = 120


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    if missing := what_is_missing():
        pytest.skip(missing)
    with Cluster() as started:
        yield started


@dataclass
class Attempt:
    """What the log says of one simulation."""

    point: str
    run: str
    job: str
    node: str
    worker: str
    """The process of the job, by number and start; a job that is started again has another."""
    begun: int
    """Line of the log."""
    ended: int | None = None


class Sweep:
    """The sweep in a folder, and the log of each simulation's start and end."""

    def __init__(self, folder: Path, cluster: Cluster, simulator: Simulator) -> None:
        self.folder = folder
        self.store = Store(folder / "tiny.sweep")
        self.plan: Plan = make_plan(parse_sweep(SWEEP, Path("tiny.json")), simulator)
        self.told = folder / "told"
        self.killed: list[Attempt] = []
        """Those that were under way when their job was killed."""
        self._cluster = cluster
        self._hold = folder / "hold"
        self._log = folder / "log"
        self._log.touch()
        self._program = folder / "logging"
        log, real = shlex.quote(str(self._log)), shlex.quote(str(simulator.program))
        self._program.write_text(
            f"""#!/bin/sh
[ "$1" = run ] || exec {real} "$@"
what="$(basename "$(dirname "$2")") $(basename "$TRIBUTARY_EXPLORE_RUN")"
who="$SLURM_JOB_ID $SLURMD_NODENAME $PPID.$(cut -d' ' -f22 /proc/$PPID/stat)"
echo "start $what $who" >>{log}
sleep {POINT_SECONDS}
while [ -e {shlex.quote(str(self._hold))} ]; do sleep {POINT_SECONDS}; done
{real} "$@" || exit
echo "end $what $who" >>{log}
"""
        )
        self._program.chmod(0o755)
        (folder / "tiny.json").write_text(SWEEP)

    def start(self, jobs: int = AT_WORK) -> tuple["subprocess.Popen[bytes]", psutil.Process]:
        """Runs the sweep in so many batches: who waits for the program, and the program."""
        options = ["--profile", "slurm", "--cores", str(jobs), "--no-report"]
        command = [sys.executable, "-m", "tributary_explore", "run", "tiny.json", *options]
        program = {"TRIBUTARY_PROGRAM": str(self._program)}
        return self._cluster.submit_from_host(command, self.folder, self.told, program)

    def wait_for(self, condition: Callable[[], bool], process: psutil.Process) -> None:
        end = time.monotonic() + TIMEOUT_SECONDS
        while not condition():
            assert is_alive(process) and time.monotonic() < end, self.told.read_text()
            time.sleep(0.02)

    def attempts(self) -> list[Attempt]:
        """In the order in which they began."""
        found: dict[tuple[str, str], Attempt] = {}
        for number, line in enumerate(self._log.read_text().splitlines()):
            what, point, run, job, node, worker = line.split()
            if what == "start":
                assert (point, worker) not in found, line
                found[point, worker] = Attempt(point, run, job, node, worker, number)
            else:
                found[point, worker].ended = number
        return list(found.values())

    def ended(self) -> int:
        return sum(attempt.ended is not None for attempt in self.attempts())

    def under_way(self) -> list[Attempt]:
        killed = [attempt.worker for attempt in self.killed]
        return [
            attempt
            for attempt in self.attempts()
            if attempt.ended is None and attempt.worker not in killed
        ]

    def hold(self, process: psutil.Process) -> None:
        """Lets simulations wait, and returns once there are as many as run at a time."""
        self._hold.touch()
        time.sleep(10 * POINT_SECONDS)  # For those that have waited already.
        self.wait_for(lambda: len(self.under_way()) == AT_WORK, process)

    def go_on(self, points: int, process: psutil.Process) -> None:
        """Lets them go on until so many more points have ended, and then wait again."""
        wanted = self.ended() + points
        self._hold.unlink()
        self.wait_for(lambda: self.ended() >= wanted, process)
        self.hold(process)

    def finish(self) -> None:
        """Lets them go on."""
        self._hold.unlink()

    def runs(self) -> list[str]:
        return list(dict.fromkeys(attempt.run for attempt in self.attempts()))


def is_alive(process: psutil.Process) -> bool:
    return bool(process.is_running()) and process.status() != psutil.STATUS_ZOMBIE


def test_200_points_while_a_job_a_node_and_the_submitting_host_are_killed(
    cluster: Cluster, simulator: Simulator, tmp_path: Path
) -> None:
    sweep = Sweep(tmp_path, cluster, simulator)
    assert len(sweep.plan.points) == POINTS
    begun = time.monotonic()

    def tell(what: str) -> None:
        print(f"{time.monotonic() - begun:5.1f} s: {what}; {sweep.ended()} points ended")

    waiting, program = sweep.start()
    sweep.hold(program)
    sweep.go_on(20, program)

    # Snakemake submits its job again; meanwhile a node goes, whose jobs Slurm starts again.
    victim = next(attempt for attempt in sweep.under_way() if attempt.node == "n2")
    lost = [attempt for attempt in sweep.under_way() if attempt.node == "n1"]
    sweep.killed += sorted([victim, *lost], key=lambda attempt: attempt.begun)
    assert len(lost) == CPUS
    cluster.kill_job(victim.job)
    tell(f"killed job {victim.job}")
    cluster.kill_node("n1")
    tell("killed n1")
    cluster.start_node("n1")
    sweep.hold(program)
    again = {attempt.job for attempt in sweep.under_way()}
    assert {attempt.job for attempt in lost} < again
    assert victim.job not in again
    sweep.go_on(40, program)

    # Snakemake and the jobs survive the program.
    sweep.killed += sweep.under_way()
    program.kill()
    waiting.wait()
    tell("killed the program")
    waiting, program = sweep.start(2 * AT_WORK)
    sweep.hold(program)
    sweep.go_on(20, program)

    # The jobs survive all processes of the host.
    sweep.killed += sweep.under_way()
    cluster.kill_host()
    waiting.wait()
    tell("killed the host")
    cluster.start_host()
    waiting, program = sweep.start()
    sweep.hold(program)
    sweep.finish()
    status = waiting.wait(TIMEOUT_SECONDS)
    tell(f"exit status {status}")
    told = sweep.told.read_text()
    print(told)
    assert status == cli.DONE
    assert cluster.jobs("PENDING", "RUNNING") == {}
    assert len(sweep.runs()) == 3
    assert re.search(r"Stopped process \d+ .* -m snakemake .*, which a killed run", told)
    assert re.search(r"Stopped job \d+ of Slurm, which a killed run had left behind", told)
    check_nothing_lost_and_nothing_twice(sweep)


def check_nothing_lost_and_nothing_twice(sweep: Sweep) -> None:
    store, hashes = sweep.store, sorted(point.hash for point in sweep.plan.points)
    version = store.plan()["version"]
    assert {store.state(point, version) for point in sweep.plan.points} == {PointState.WHOLE}
    assert {each.failed for each in store.runs()} == {0}
    assert sorted(each["hash"] for each in read_journal(store.journal_file)) == hashes

    # A point was simulated once, and once more for each time that a kill met it.
    attempts = sweep.attempts()
    print(
        f"{len(attempts)} simulations of {len(hashes)} points, {len(sweep.killed)} of them killed"
    )
    assert [attempt for attempt in attempts if attempt.ended is None] == sweep.killed
    assert sorted(attempt.point for attempt in attempts if attempt.ended is not None) == hashes

    # Once a run has begun, nothing of an earlier one goes on.
    begins = {run: min(a.begun for a in attempts if a.run == run) for run in sweep.runs()}
    for earlier, later in itertools.pairwise(begins):
        lines = [max(a.begun, a.ended or 0) for a in attempts if a.run == earlier]
        assert max(lines) < begins[later]


def test_an_interrupted_run_leaves_nothing_in_the_queue(
    cluster: Cluster, simulator: Simulator, tmp_path: Path
) -> None:
    sweep = Sweep(tmp_path, cluster, simulator)
    waiting, program = sweep.start(2 * AT_WORK)
    sweep.wait_for(lambda: sweep.ended() >= AT_WORK, program)
    assert len(cluster.jobs("PENDING", "RUNNING")) > AT_WORK
    begun = time.monotonic()
    program.send_signal(signal.SIGINT)
    waiting.wait(TIMEOUT_SECONDS)
    print(f"ended after {time.monotonic() - begun:.1f} s", sweep.told.read_text(), sep="\n")
    assert "points done; run again to continue." in sweep.told.read_text()
    assert cluster.jobs("PENDING", "RUNNING") == {}
    assert not list(sweep.store.work_folder.glob("run-*"))
    count = len(sweep.attempts())
    time.sleep(10 * POINT_SECONDS)
    assert len(sweep.attempts()) == count


def test_a_profile_without_its_plugin_is_refused_before_anything_is_written(
    explore: Explore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name.endswith("_slurm") else found(name, *rest),
    )
    (tmp_path / "tiny.json").write_text(SWEEP)
    done = explore("run", "tiny.json", "--profile", "slurm")
    assert done.returncode == cli.WRONG_INPUT
    assert done.stderr == (
        "tributary-explore: --profile slurm: Snakemake has no executor slurm here; install it by "
        "pip install snakemake-executor-plugin-slurm\n"
    )
    assert [each.name for each in tmp_path.iterdir()] == ["tiny.json"]


def test_slurm_is_refused_where_jobs_cannot_be_submitted(
    explore: Explore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = importlib.util.find_spec("json")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: there)
    (tmp_path / "tiny.json").write_text(SWEEP)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    done = explore("run", "tiny.json", "--profile", "slurm")
    assert done.returncode == cli.WRONG_INPUT
    assert "--profile slurm: there is no sbatch on the PATH" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["tiny.json"]
