# SPDX-License-Identifier: Apache-2.0
"""Locks that the kernel releases when their holder has ended.

flock, not a file whose presence is the lock: SIGKILL leaves nothing to clear up.
"""

import errno
import fcntl
import os
import shlex
import socket
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from .errors import ExploreError
from .files import not_written


@dataclass(frozen=True)
class Holder:
    """Who took a lock last, as its file says; empty texts if it does not."""

    run: str
    """Identity of the run."""
    process: str
    """`process 71 on node17 since 2026-01-31 12:00:00+00:00 (tributary-explore run mine.json)`."""


class LockHeldError(Exception):
    """Another process has the lock."""

    def __init__(self, path: Path) -> None:
        self.process = holder_of(path).process
        super().__init__(f"{path} is locked by {self.process}")


def take_lock(path: Path, run: str) -> BinaryIO:
    """Takes an exclusive lock, held until the file that is returned is closed, and says in the file
    which run and process have it.

    Raises `LockHeldError` at once if another process has the lock, and `ExploreError` if the file
    cannot be written or its file system has no locks.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = _locked(path)
    except OSError as problem:
        raise _no_lock(path, problem) from problem
    try:
        file.truncate()
        file.write(f"{run}\n{_this_process()}\n".encode())
    except OSError as problem:
        raise not_written(path, problem) from problem
    return file


def is_held(path: Path) -> bool:
    """Whether any process has the lock. Only for who may not be in the way of another taking it."""
    try:
        with path.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    except OSError as problem:
        raise _no_lock(path, problem) from problem
    return False


def holder_of(path: Path) -> Holder:
    """Who took the lock last."""
    text = path.read_text(errors="replace") if path.exists() else ""
    run, _, process = text.partition("\n")
    return Holder(run, process.strip())


def lock_run(work_folder: Path, run: str) -> BinaryIO:
    """The lock of a sweep's folder. Raises `ExploreError` if another run is in progress."""
    try:
        return take_lock(work_folder / "run.lock", run)
    except LockHeldError as problem:
        raise ExploreError(
            f"{work_folder.parent}: another run is in progress, by {problem.process}; wait for it, "
            "interrupt it, or choose another folder by --out"
        ) from problem


def _this_process() -> str:
    since = datetime.now().astimezone().isoformat(" ", "seconds")
    command = shlex.join(sys.orig_argv)
    return f"process {os.getpid()} on {socket.gethostname()} since {since} ({command})"


def _locked(path: Path) -> BinaryIO:
    """The file that has the name now, open and locked."""
    while True:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), "r+b", buffering=0)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise LockHeldError(path) from None
        # Another may have deleted the file between the two calls; then the lock is of nothing.
        if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
        file.close()


def _no_lock(path: Path, problem: OSError) -> ExploreError:
    if problem.errno in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
        return ExploreError(
            f"{path} cannot be locked: {problem.strerror}; its file system must offer flock, so "
            "choose a folder on another by --out"
        )
    return not_written(path, problem)
