# SPDX-License-Identifier: Apache-2.0
"""A sweep through a real controller of Slurm, of which jobs, a node and the submitting host are
killed: nothing is lost and nothing is done twice."""

import importlib.util
import json
import shlex
import subprocess
import sys
import time
from collections import Counter
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
POINT_SECONDS = 0.3
# About ten batches, of which four run at a time.
OPTIONS = ("--profile", "slurm", "--batch-seconds", "0.4", "--no-report")
AT_WORK = CPUS * len(NODES)
TIMEOUT_SECONDS = 120


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    if missing := what_is_missing():
        pytest.skip(missing)
    with Cluster() as started:
        yield started


@dataclass(frozen=True)
class Attempt:
    """What the log says of one simulation."""

    point: str
    run: str
    job: str
    node: str
    ended: bool


class Sweep:
    """The sweep in a folder, and the log of each simulation's start and end."""

    def __init__(self, folder: Path, cluster: Cluster, simulator: Simulator) -> None:
        self.folder = folder
        self.store = Store(folder / "tiny.sweep")
        self.plan: Plan = make_plan(parse_sweep(SWEEP, Path("tiny.json")), simulator)
        self.told = folder / "told"
        self._cluster = cluster
        self._log = folder / "log"
        (folder / "tiny.json").write_text(SWEEP)
        self._program = folder / "logging"
        log, real = shlex.quote(str(self._log)), shlex.quote(str(simulator.program))
        self._program.write_text(
            f"""#!/bin/sh
[ "$1" = run ] || exec {real} "$@"
who="$(basename "$(dirname "$2")") $(basename "$TRIBUTARY_EXPLORE_RUN") $SLURM_JOB_ID $SLURMD_NODENAME"
echo "start $who" >>{log}
sleep {POINT_SECONDS}
{real} "$@" || exit
echo "end $who" >>{log}
"""  # noqa: E501
        )
        self._program.chmod(0o755)

    def start(self) -> tuple["subprocess.Popen[bytes]", psutil.Process]:
        command = [sys.executable, "-m", "tributary_explore", "run", "tiny.json", *OPTIONS]
        program = {"TRIBUTARY_PROGRAM": str(self._program)}
        return self._cluster.submit_from_host(command, self.folder, self.told, program)

    def wait_for(self, condition: Callable[[], bool], process: psutil.Process) -> None:
        end = time.monotonic() + TIMEOUT_SECONDS
        while not condition():
            assert process.is_running() and time.monotonic() < end, self.told.read_text()
            time.sleep(0.05)

    def ended(self) -> int:
        return sum(attempt.ended for attempt in self.attempts())

    def lines(self) -> list[list[str]]:
        return [line.split() for line in self._log.read_text().splitlines()] if (
            self._log.exists()
        ) else []  # fmt: skip

    def attempts(self) -> list[Attempt]:
        """In the order in which they began."""
        lines = self.lines()
        ended = Counter(tuple(rest) for what, *rest in lines if what == "end")
        return [
            Attempt(*rest, ended=ended[tuple(rest)] > 0) for what, *rest in lines if what == "start"
        ]

    def interrupted(self) -> list[Attempt]:
        return [attempt for attempt in self.attempts() if not attempt.ended]

    def runs(self) -> list[str]:
        return list(dict.fromkeys(attempt.run for attempt in self.attempts()))


def test_200_points_while_a_job_a_node_and_the_submitting_host_are_killed(
    cluster: Cluster, simulator: Simulator, tmp_path: Path
) -> None:
    sweep = Sweep(tmp_path, cluster, simulator)
    assert len(sweep.plan.points) == POINTS
    begun = time.monotonic()

    def tell(what: str) -> None:
        print(f"{time.monotonic() - begun:5.1f} s: {what}; {sweep.ended()} points ended")

    # Its job is submitted again by Snakemake.
    waiting, program = sweep.start()
    sweep.wait_for(lambda: sweep.ended() >= 10, program)
    victim = sweep.lines()[-1][3]
    cluster.kill_job(victim)
    tell(f"killed job {victim}")
    sweep.wait_for(lambda: sweep.ended() >= 30, program)

    # Its jobs are started again by Slurm, on the other node.
    lost = {job for job, node in cluster.jobs("RUNNING").items() if node == "n1"}
    cluster.kill_node("n1")
    tell(f"killed n1 with jobs {', '.join(sorted(lost))}")
    assert lost

    def started_again() -> bool:
        return any(each.job in lost and each.node == "n2" for each in sweep.attempts())

    sweep.wait_for(started_again, program)
    tell("a job of n1 runs on n2")
    cluster.start_node("n1")
    sweep.wait_for(lambda: len({each.node for each in sweep.attempts()[-4:]}) == 2, program)

    # Snakemake and the jobs survive the program.
    program.kill()
    waiting.wait()
    tell("killed the program")
    waiting, program = sweep.start()
    sweep.wait_for(lambda: len(sweep.runs()) == 2, program)
    sweep.wait_for(lambda: sweep.ended() >= 120, program)

    # The jobs survive all processes of the host.
    cluster.kill_host()
    waiting.wait()
    tell("killed the host")
    cluster.start_host()
    waiting, program = sweep.start()
    status = waiting.wait(TIMEOUT_SECONDS)
    tell(f"exit status {status}")
    print(sweep.told.read_text(), *sweep.interrupted(), sep="\n")
    assert status == cli.DONE
    check_nothing_lost_and_nothing_twice(sweep, victim)
    assert cluster.jobs("PENDING", "RUNNING") == {}
    told = sweep.told.read_text()
    assert "of Slurm, which a killed run had left behind" in told


def check_nothing_lost_and_nothing_twice(sweep: Sweep, victim: str) -> None:
    hashes = sorted(point.hash for point in sweep.plan.points)
    states = {sweep.store.state(point, sweep.store.plan()["version"]) for point in sweep.plan.points}
    assert states == {PointState.WHOLE}
    assert sorted(each["hash"] for each in read_journal(sweep.store.journal_file)) == hashes
    # Each point was simulated to its end once, but for those whose result a kill kept from its place.
    attempts = sweep.attempts()
    assert {attempt.point for attempt in attempts} == set(hashes)
    repeated = Counter(attempt.point for attempt in attempts)
    assert attempts
    print(f"{len(attempts)} simulations of {len(hashes)} points")
    assert repeated


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
