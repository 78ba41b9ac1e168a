# SPDX-License-Identifier: Apache-2.0
"""What a killed run has left behind: found by its locks, named and stopped, or refused."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import psutil
import pytest

from tributary_explore.errors import ExploreError
from tributary_explore.orphans import stop_orphans
from tributary_explore.run_lock import FileLock, Holder, is_held

GRACE_SECONDS = 0.5
WAITS = "import time; print('ready', flush=True); time.sleep(60)"
IGNORES_SIGTERM = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + WAITS

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a process that inherits a lock of an earlier run, which itself is gone."""
    children: list[subprocess.Popen[bytes]] = []

    def started(code: str, *arguments: str, cwd: Path | None = None) -> subprocess.Popen[bytes]:
        with FileLock(tmp_path / "work/run-1/locks/a.lock", Holder("run-1")) as lock:
            child = subprocess.Popen(
                [sys.executable, "-c", code, *arguments],
                stdout=subprocess.PIPE,
                pass_fds=(lock.descriptor,),
                cwd=cwd,
            )
        children.append(child)
        assert child.stdout is not None
        child.stdout.readline()
        return child

    yield started
    for child in children:
        child.kill()
        child.communicate()


def test_no_orphans_without_held_locks(tmp_path: Path) -> None:
    FileLock(tmp_path / "work/run-1/locks/a.lock", Holder("run-1")).close()
    assert stop_orphans(tmp_path, [tmp_path / "work/run-1", tmp_path / "none"], 1) == []


@pytest.mark.parametrize("code", [WAITS, IGNORES_SIGTERM])
def test_an_orphan_is_named_and_stopped(start: Start, tmp_path: Path, code: str) -> None:
    child = start(code, str(tmp_path / "points"))
    (orphan,) = stop_orphans(tmp_path, [tmp_path / "work/run-1"], GRACE_SECONDS)
    print(orphan)
    assert orphan.pid == child.pid
    assert str(tmp_path / "points") in orphan.command
    assert not psutil.pid_exists(child.pid)
    assert not is_held(tmp_path / "work/run-1/locks/a.lock")


def test_a_child_of_the_simulator_is_known_by_where_it_works(start: Start, tmp_path: Path) -> None:
    child = start(WAITS, cwd=tmp_path / "work")
    (orphan,) = stop_orphans(tmp_path, [tmp_path / "work/run-1"], GRACE_SECONDS)
    assert orphan.pid == child.pid


def test_a_process_that_is_not_ours_is_left_alone(start: Start, tmp_path: Path) -> None:
    child = start(WAITS)
    with pytest.raises(ExploreError) as refused:
        stop_orphans(tmp_path, [tmp_path / "work/run-1"], GRACE_SECONDS)
    print(refused.value)
    assert f"process {child.pid}" in str(refused.value)
    assert child.poll() is None


def test_orphans_of_another_host_are_refused(start: Start, tmp_path: Path) -> None:
    child = start(WAITS, str(tmp_path))
    holder = {**asdict(Holder("run-1")), "host": "node17", "pid": 4321}
    (tmp_path / "work/run-1/locks/a.lock").write_text(json.dumps(holder))
    with pytest.raises(ExploreError) as refused:
        stop_orphans(tmp_path, [tmp_path / "work/run-1"], GRACE_SECONDS)
    print(refused.value)
    assert "process 4321 on node17" in str(refused.value)
    assert child.poll() is None
