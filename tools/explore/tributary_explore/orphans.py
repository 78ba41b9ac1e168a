# SPDX-License-Identifier: Apache-2.0
"""Processes that a killed run has left behind.

A run that is killed by SIGKILL cannot stop its children: they would go on to write into the folder
while the next run does. All of them have inherited a variable of the environment that names their
run's folder.
"""

import contextlib
import shlex
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from .errors import ExploreError
from .run_lock import holder_of, is_held

RUN_VARIABLE: Final = "TRIBUTARY_EXPLORE_RUN"
"""Names the folder of the run that a process belongs to."""

# More rounds only if children of children keep appearing.
_ROUNDS: Final = 20
# Of a command: enough to know it, in a line that can be read.
_SHOWN: Final = 160


@dataclass(frozen=True)
class Orphan:
    """A process that has been stopped."""

    pid: int
    command: str

    def __str__(self) -> str:
        return f"process {self.pid} ({textwrap.shorten(self.command, _SHOWN, placeholder=' ...')})"


def stop_orphans(run_folders: Collection[Path], grace: float) -> list[Orphan]:
    """Ends every process of these runs on this host, and returns them.

    Asks first and kills after `grace` seconds. Raises `ExploreError` if a job still runs that is
    not of this host or of this user.
    """
    stopped: dict[int, Orphan] = {}
    for _ in range(_ROUNDS):
        processes = _processes_of(run_folders)
        if not processes:
            break
        for process in processes:
            with contextlib.suppress(psutil.Error):
                command = shlex.join(process.cmdline())
                stopped.setdefault(process.pid, Orphan(process.pid, command))
        _end(processes, grace)
    if held := held_locks(run_folders):
        raise ExploreError(
            f"{held[0]}: a job of a killed run still works here, by {holder_of(held[0]).process}; "
            "stop it there, or wait until it has ended"
        )
    return list(stopped.values())


def held_locks(run_folders: Collection[Path]) -> list[Path]:
    """Locks of these runs' jobs that a process holds, on whatever host."""
    locks = (lock for folder in run_folders for lock in sorted((folder / "locks").glob("*.lock")))
    return [lock for lock in locks if is_held(lock)]


def _processes_of(run_folders: Collection[Path]) -> list[psutil.Process]:
    names = set(map(str, run_folders))
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get(RUN_VARIABLE) in names:
                found.append(process)
    return found


def _end(processes: Sequence[psutil.Process], grace: float) -> None:
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    _, alive = psutil.wait_procs(processes, timeout=grace)
    for process in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(alive, timeout=grace)
