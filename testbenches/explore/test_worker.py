# SPDX-License-Identifier: Apache-2.0
"""One job: each point whole or failed, and no other point stopped by a failing one."""

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tributary_explore import worker
from tributary_explore.batches import read_journal
from tributary_explore.errors import ExploreError
from tributary_explore.plan import Point, make_plan
from tributary_explore.run_folder import DONE, FAILED, Job, RunFolder
from tributary_explore.run_lock import is_held, take_lock
from tributary_explore.simulator import Simulator
from tributary_explore.store import PointState, Store
from tributary_explore.sweep_file import parse_sweep

SWEEP = """{"base": "improved", "axes": {"network.processing_elements": [4, 8]},
            "set": {"run.warmup": 10, "run.cycles": 50}, "seeds": "1..2"}"""
# The name of a point's run file is all that tells the points apart here.
FAILS = 'grep -q "processing_elements = 4, seed 2" "$2" && { echo out of luck; exit 3; }'


@pytest.fixture(scope="module")
def points(simulator: Simulator) -> tuple[Point, ...]:
    return make_plan(parse_sweep(SWEEP, Path("tiny.json")), simulator).points


@pytest.fixture
def job(tmp_path: Path, simulator: Simulator, points: tuple[Point, ...]) -> Job:
    store = Store(tmp_path / "tiny.sweep")
    folder = RunFolder(store.work_folder / "run-1")
    take_lock(store.work_folder / "run.lock", "run-1").close()
    return Job(folder, "0000", store, simulator.program, simulator.version, points)


def states(job: Job) -> list[PointState]:
    return [job.store.state(point, job.version) for point in job.points]


def told(job: Job) -> list[str]:
    return [entry["state"] for entry in read_journal(job.run_folder.progress_file(job.batch))]


def test_a_failing_point_leaves_command_and_log(job: Job, in_front: Callable[[str], Path]) -> None:
    failing = replace(job, program=in_front(FAILS))
    worker.run_job(failing)
    assert sorted(told(job)) == [DONE] * 3 + [FAILED]
    (bad,) = (point for point in job.points if job.store.failure(point))
    assert bad.label.endswith("processing_elements = 4, seed 2")
    failure = job.store.failure(bad)
    assert failure is not None
    print(failure)
    assert (failure.exit_status, failure.log) == (3, "out of luck\n")
    assert f"{job.store.point_folder(bad)}/run.json --seed 2" in failure.command
    assert (job.store.point_folder(bad) / "run.log").read_text() == "out of luck\n"
    worker.run_job(replace(job, program=job.program))
    assert job.store.state(bad, job.version) is PointState.FAILED, "repeated within one run"


@pytest.mark.parametrize(
    ("lines", "status", "words"),
    [
        ("exit 0", 0, "without results.json"),
        ("shift 8; mkdir -p out; echo '{}' > out/results.json; exit 0", 0, "is not whole"),
        ("kill -9 $$", -signal.SIGKILL, ""),
        ('"$0" --version >/dev/null; set -- "$@" --bad-option', 2, "--bad-option"),
    ],
)
def test_what_is_no_whole_result_is_a_failure(
    job: Job, in_front: Callable[[str], Path], lines: str, status: int, words: str
) -> None:
    one = replace(job, program=in_front(lines), points=job.points[:1])
    worker.run_job(one)
    failure = job.store.failure(one.points[0])
    assert failure is not None
    print(failure)
    assert failure.exit_status == status or (status == 2 and (failure.exit_status or 0) > 0)
    assert words in failure.log
    assert states(one) == [PointState.FAILED]


def test_a_killed_job_is_told_from_its_folder(job: Job) -> None:
    worker.run_job(replace(job, points=job.points[:1]))
    assert not worker.record_killed(job), "it has ended"
    for point in job.points[:2]:  # in the first it came as far as the result
        (job.run_folder.scratch(job.batch) / point.hash / "out").mkdir(parents=True)
    assert worker.record_killed(job)
    assert states(job) == [PointState.WHOLE, PointState.FAILED, *[PointState.MISSING] * 2]
    failure = job.store.failure(job.points[1])
    assert failure is not None and failure.exit_status is None
    assert f"--seed {job.points[1].seed} " in failure.command
    assert told(job) == [DONE, FAILED]
    assert not worker.record_killed(job), "it is told once"


def test_a_program_that_was_rebuilt_meanwhile_is_noticed(job: Job) -> None:
    one = replace(job, version="0.0.1", points=job.points[:1])
    worker.run_job(one)
    failure = job.store.failure(one.points[0])
    assert failure is not None
    assert "no longer version 0.0.1" in failure.log


def test_a_missing_program_stops_the_job(job: Job, tmp_path: Path) -> None:
    with pytest.raises(ExploreError, match="nowhere does not run: No such file"):
        worker.run_job(replace(job, program=tmp_path / "nowhere"))


def test_a_simulator_without_room_stops_the_job(job: Job, in_front: Callable[[str], Path]) -> None:
    full = in_front(f"echo 'tributary: out: {os.strerror(errno.ENOSPC)}'; exit 1")
    with pytest.raises(ExploreError, match="No space left on device"):
        worker.run_job(replace(job, program=full))
    assert told(job) == []
    assert states(job) == [PointState.MISSING] * 4


def test_a_job_of_a_run_that_was_given_up_does_nothing(job: Job) -> None:
    take_lock(job.store.work_folder / "run.lock", "run-2").close()
    with pytest.raises(ExploreError, match="has been given up"):
        worker.run_job(job)
    assert states(job) == [PointState.MISSING] * 4


def test_a_batch_is_run_once_at_a_time(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_LOCK_SECONDS", 0.05)
    with ThreadPoolExecutor() as pool:
        with take_lock(job.run_folder.batch_lock(job.batch), "run-1"):
            waiting = pool.submit(worker.run_job, job)
            time.sleep(0.3)
            assert not waiting.done()
            assert states(job) == [PointState.MISSING] * 4
        waiting.result(60)
    assert states(job) == [PointState.WHOLE] * 4


def test_a_job_that_waits_for_its_batch_gives_up_with_the_run(job: Job) -> None:
    take_lock(job.store.work_folder / "run.lock", "run-2").close()
    with (
        take_lock(job.run_folder.batch_lock(job.batch), "run-1"),
        pytest.raises(ExploreError, match="has been given up"),
    ):
        worker.run_job(job)


def test_the_process_tells_its_trouble(job: Job, tmp_path: Path) -> None:
    replace(job, program=tmp_path / "nowhere").write()
    file = job.run_folder.batch_file(job.batch)
    command = [sys.executable, "-m", "tributary_explore.worker", str(job.store.folder), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stderr)
    assert done.returncode == 1
    assert job.run_folder.trouble() == done.stderr.removeprefix("tributary-explore: ").strip()


# What a signal meets between the start of the simulator and the return of `Popen`.
TERMINATED_WHILE_STARTING = """
import signal, subprocess
from tributary_explore import worker
print(subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL).pid, flush=True)
input()
worker._terminated(signal.SIGTERM, None)
"""


def test_sigterm_ends_a_simulator_that_is_just_being_started() -> None:
    command = [sys.executable, "-c", TERMINATED_WHILE_STARTING]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        simulator = psutil.Process(int(process.stdout.readline()))
        process.communicate("go on\n")
        assert process.returncode == 128 + signal.SIGTERM
    _, alive = psutil.wait_procs([simulator], timeout=10)
    assert alive == []


def test_sigterm_ends_job_and_simulator(job: Job, in_front: Callable[[str], Path]) -> None:
    replace(job, program=in_front("exec sleep 60")).write()
    file = job.run_folder.batch_file(job.batch)
    command = [sys.executable, "-m", "tributary_explore.worker", str(job.store.folder), str(file)]
    process = subprocess.Popen(command)
    children: list[psutil.Process] = []
    while not children and process.poll() is None:
        time.sleep(0.02)
        children = psutil.Process(process.pid).children()
    process.terminate()
    assert process.wait(60) == 128 + signal.SIGTERM
    _, alive = psutil.wait_procs(children, timeout=10)
    assert alive == []
    assert not is_held(job.run_folder.batch_lock(job.batch))
    assert states(job) == [PointState.MISSING] * 4
    assert told(job) == []
