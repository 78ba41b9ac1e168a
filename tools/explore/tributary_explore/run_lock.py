# SPDX-License-Identifier: Apache-2.0
"""Locks that the kernel releases when the last process that inherited them has ended.

flock, not a file whose presence is the lock: SIGKILL leaves nothing to clear up. A child that
inherits the descriptor holds the lock as well, so a free lock means that no process is left.
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
from types import TracebackType
from typing import Self

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

    @property
    def here(self) -> bool:
        """Whether the process is one of this host."""
        return self.host == socket.gethostname()

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host} since {self.since} ({self.command})"


class LockHeldError(Exception):
    """Another process has the lock."""

    def __init__(self, path: Path, holder: Holder | None) -> None:
        super().__init__(f"{path} is locked by {holder or 'another process'}")
        self.holder = holder


class FileLock:
    """An exclusive lock on a file, held until closed and inherited by children if asked."""

    def __init__(self, path: Path, holder: Holder) -> None:
        """Takes the lock and says who has it. Raises `LockHeldError` at once if another has, and
        `ExploreError` if the file cannot be written or its file system has no locks."""
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.descriptor = _locked(path)
        except OSError as problem:
            raise _no_lock(path, problem) from problem
        try:
            text = json.dumps(asdict(holder)).encode()
            os.truncate(self.descriptor, 0)
            os.pwrite(self.descriptor, text, 0)
        except OSError as problem:
            self.close()
            raise not_written(path, problem) from problem

    def close(self) -> None:
        """Frees the lock, unless a child has inherited it."""
        os.close(self.descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def is_held(path: Path) -> bool:
    """Whether any process has the lock. Only for who may not be in the way of another taking it."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError as problem:
        raise _no_lock(path, problem) from problem
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError as problem:
        raise _no_lock(path, problem) from problem
    finally:
        os.close(descriptor)
    return False


def holder_of(path: Path) -> Holder | None:
    """Who took the lock last; None if the file does not say."""
    try:
        return Holder(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def lock_run(work_folder: Path, run: str) -> FileLock:
    """The lock of a sweep's folder. Raises `ExploreError` if another run is in progress."""
    path = work_folder / "run.lock"
    try:
        return FileLock(path, Holder(run))
    except LockHeldError as problem:
        who = problem.holder or "a process that has not said who it is"
        raise ExploreError(
            f"{work_folder.parent}: another run is in progress, by {who}; wait for it, interrupt "
            "it, or choose another folder by --out"
        ) from problem


def _locked(path: Path) -> int:
    """An open descriptor with the lock, of the file that has the name now."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Another may have deleted the file between the two calls; then the lock is of nothing.
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            raise LockHeldError(path, holder_of(path)) from None
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _no_lock(path: Path, problem: OSError) -> ExploreError:
    if problem.errno in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
        return ExploreError(
            f"{path} cannot be locked: {problem.strerror}; its file system must offer flock, so "
            "choose a folder on another by --out"
        )
    return not_written(path, problem)
