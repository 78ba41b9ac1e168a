# SPDX-License-Identifier: Apache-2.0
"""One run at a time: its lock, and the processes that a killed run has left behind."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from checks import refusal

from tributary_explore.errors import ExploreError
from tributary_explore.orphans import RUN_VARIABLE, Orphan, stop_orphans
from tributary_explore.run_lock import (
    LockHeldError,
    holder_of,
    is_held,
    lock_run,
    take_lock,
)

LOCK_AND_WAIT = """
import sys, time
from pathlib import Path
from tributary_explore.run_lock import lock_run
lock = lock_run(Path(sys.argv[1]), "run-other")
print("locked", flush=True)
time.sleep(60)
"""


def test_another_run_is_refused_and_told_who_runs(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LOCK_AND_WAIT, str(tmp_path / "work")], stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        message = refusal(lock_run, tmp_path / "work", "run-mine")
        for part in (str(tmp_path), f"process {other.pid}", socket.gethostname(), "since 20"):
            assert part in message
        other.send_signal(signal.SIGKILL)
        other.wait()
    lock_run(tmp_path / "work", "run-mine").close()
    holder = holder_of(tmp_path / "work" / "run.lock")
    assert holder.run == "run-mine"
    assert holder.process.startswith(f"process {os.getpid()} on ")


def test_a_child_does_not_hold_the_lock(tmp_path: Path) -> None:
    with take_lock(tmp_path / "a.lock", "run"):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        assert is_held(tmp_path / "a.lock")
    assert not is_held(tmp_path / "a.lock")
    child.communicate()


def test_a_shorter_text_replaces_a_longer_one(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    for run in ("r" * 500, "short"):
        take_lock(path, run).close()
    assert holder_of(path).run == "short"


def test_a_lock_of_a_deleted_file_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with take_lock(path, "first"):
        path.unlink()
        with take_lock(path, "second"), pytest.raises(LockHeldError):
            take_lock(path, "third")
    assert not is_held(tmp_path / "none.lock")


# --- what a killed run has left behind ------------------------------------------------------------

GRACE_SECONDS = 0.5
WAITS = "import time; print('ready', flush=True); time.sleep(60)"
IGNORES_SIGTERM = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + WAITS
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {WAITS!r}])"

Start = Callable[[str, str], "subprocess.Popen[bytes]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a process of a run, which itself is gone."""
    children: list[subprocess.Popen[bytes]] = []

    def started(code: str, run: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, RUN_VARIABLE: str(tmp_path / run)}
        command = [sys.executable, "-c", code]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
        children.append(child)
        assert child.stdout is not None
        child.stdout.readline()
        return child

    yield started
    for child in children:
        child.kill()
        child.communicate()


@pytest.mark.parametrize(
    ("code", "count"), [(WAITS, 1), (IGNORES_SIGTERM, 1), (PARENT, 2)], ids=["", "deaf", "parent"]
)
def test_orphans_are_named_and_stopped(start: Start, tmp_path: Path, code: str, count: int) -> None:
    child = start(code, "run-1")
    parent = psutil.Process(child.pid)
    family = [parent, *parent.children()]
    stopped = stop_orphans([tmp_path / "run-1", tmp_path / "none"], GRACE_SECONDS)
    print(*stopped, sep="\n")
    processes = [each for each in stopped if isinstance(each, Orphan)]
    assert {each.pid for each in processes} == {each.pid for each in family}
    assert len(family) == count
    assert all("time.sleep(60)" in each.command for each in processes)
    # A container may have nobody who reaps a child of a child.
    assert all(not each.is_running() or each.status() == psutil.STATUS_ZOMBIE for each in family)


def test_a_process_of_another_run_is_left_alone(start: Start, tmp_path: Path) -> None:
    take_lock(tmp_path / "run-1/locks/a.lock", "run-1").close()
    child = start(WAITS, "run-2")
    assert stop_orphans([tmp_path / "run-1"], GRACE_SECONDS) == []
    assert child.poll() is None


def test_jobs_of_another_host_are_refused(tmp_path: Path) -> None:
    with (
        take_lock(tmp_path / "run-1/locks/a.lock", "run-1"),
        pytest.raises(ExploreError, match=f"process {os.getpid()} on {socket.gethostname()}"),
    ):
        stop_orphans([tmp_path / "run-1"], GRACE_SECONDS)


def test_jobs_of_slurm_are_cancelled_by_the_name_of_their_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs of Slurm that tell of three jobs, and write down what is cancelled."""
    programs = {"squeue": "echo '7|run-1_ab-c'; echo '8|run-2_ab-c'; echo '9|run-1_d'",
                "scancel": f'echo "$@" >>{tmp_path}/cancelled'}  # fmt: skip
    for name, line in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for run, executor in (("run-1", "slurm"), ("run-2", "local")):
        (tmp_path / run).mkdir()
        (tmp_path / run / "run.json").write_text(f'{{"executor": "{executor}"}}')
    stopped = stop_orphans([tmp_path / "run-1", tmp_path / "run-2"], GRACE_SECONDS)
    assert [str(each) for each in stopped] == ["job 7 of Slurm", "job 9 of Slurm"]
    assert (tmp_path / "cancelled").read_text() == "7 9\n"
