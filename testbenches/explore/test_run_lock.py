# SPDX-License-Identifier: Apache-2.0
"""Locks: one holder, named to others, free once no process is left."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tributary_explore.errors import ExploreError
from tributary_explore.run_lock import (
    FileLock,
    Holder,
    LockHeldError,
    holder_of,
    is_held,
    lock_run,
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
        with pytest.raises(ExploreError) as refused:
            lock_run(tmp_path / "work", "run-mine")
        print(refused.value)
        for part in (str(tmp_path), f"process {other.pid}", socket.gethostname(), "since 20"):
            assert part in str(refused.value)
        other.send_signal(signal.SIGKILL)
        other.wait()
    lock_run(tmp_path / "work", "run-mine").close()
    holder = holder_of(tmp_path / "work" / "run.lock")
    assert holder is not None
    assert (holder.run, holder.pid, holder.here) == ("run-mine", os.getpid(), True)


def test_a_child_that_inherits_a_lock_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with FileLock(path, Holder("run")) as lock:
        command = [sys.executable, "-c", "input()"]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=(lock.descriptor,))
        other = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert is_held(path)
    child.communicate()
    assert not is_held(path)
    other.communicate()


def test_a_shorter_text_replaces_a_longer_one(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    FileLock(path, Holder("r" * 500)).close()
    FileLock(path, Holder("short")).close()
    holder = holder_of(path)
    assert holder is not None
    assert holder.run == "short"


def test_a_lock_of_a_deleted_file_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with FileLock(path, Holder("first")):
        path.unlink()
        with FileLock(path, Holder("second")), pytest.raises(LockHeldError):
            FileLock(path, Holder("third"))
    assert not is_held(tmp_path / "none.lock")


def test_a_holder_that_is_not_readable_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    for text in ("", "{", "[]", '{"pid": 1}'):
        path.write_text(text)
        assert holder_of(path) is None
