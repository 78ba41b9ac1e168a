# SPDX-License-Identifier: Apache-2.0
"""Locks that the kernel releases when their holder has ended.

flock, not a file whose presence is the lock: SIGKILL leaves nothing to clear up.
"""

import errno
import fcntl
import json
import os
import shlex
import socket
import sys
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from .errors import ExploreError
from .files import not_written


def _now() -> str:
    return datetime.now().astimezone().isoformat(" ", "seconds")


def _command() -> str:
    return shlex.join(sys.orig_argv)


@dataclass(frozen=True)
class Holder:
    """Who took a lock."""

    run: str
    """Identity of the run."""
    pid: int = field(default_factory=os.getpid)
    host: str = field(default_factory=socket.gethostname)
    since: str = field(default_factory=_now)
    command: str = field(default_factory=_command)

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host} since {self.since} ({self.command})"


class LockHeldError(Exception):
    """Another process has the lock."""

    def __init__(self, path: Path) -> None:
        self.holder = holder_of(path) or "a process that has not said who it is"
        super().__init__(f"{path} is locked by {self.holder}")


def take_lock(path: Path, holder: Holder) -> BinaryIO:
    """Takes an exclusive lock, held until the file that is returned is closed, and says in the file
    who has it.

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
        file.write(json.dumps(asdict(holder)).encode())
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


def holder_of(path: Path) -> Holder | None:
    """Who took the lock last; None if the file does not say."""
    try:
        return Holder(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def lock_run(work_folder: Path, run: str) -> BinaryIO:
    """The lock of a sweep's folder. Raises `ExploreError` if another run is in progress."""
    try:
        return take_lock(work_folder / "run.lock", Holder(run))
    except LockHeldError as problem:
        raise ExploreError(
            f"{work_folder.parent}: another run is in progress, by {problem.holder}; wait for it, "
            "interrupt it, or choose another folder by --out"
        ) from problem


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
