# SPDX-License-Identifier: Apache-2.0
"""Processes and jobs that a killed run has left behind.

A run that is killed by SIGKILL cannot stop its children: they would go on to write into the folder
while the next run does. All of them have inherited a variable of the environment that names their
run's folder. Jobs of Slurm on other hosts are cancelled in its queue.
"""

import contextlib
import shlex
import textwrap
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from . import slurm
from .errors import ExploreError
from .run_folder import RunFolder
from .run_lock import holder_of, is_held

RUN_VARIABLE: Final = "TRIBUTARY_EXPLORE_RUN"
"""Names the folder of the run that a process belongs to."""

# More rounds only if children of children keep appearing.
_ROUNDS: Final = 20
# Of a command: enough to know it, in a line that can be read.
_SHOWN: Final = 160
# Slurm kills what has not ended 30 s after it was asked to (KillWait).
_CANCEL_SECONDS: Final = 45.0
_POLL_SECONDS: Final = 0.2


@dataclass(frozen=True)
class Orphan:
    """A process that has been stopped."""

    pid: int
    command: str

    def __str__(self) -> str:
        return f"process {self.pid} ({textwrap.shorten(self.command, _SHOWN, placeholder=' ...')})"


def stop_orphans(run_folders: Collection[Path], grace: float) -> list[Orphan | slurm.SlurmJob]:
    """Ends every process of these runs on this host and their jobs of Slurm, and returns them.

    Asks first and kills after `grace` seconds. Raises `ExploreError` if a job still runs, of
    another user, or of another host where Slurm has not ended it.
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
    # After Snakemake has ended, as it would submit more.
    cancelled = _cancel(run_folders)
    if held := held_locks(run_folders):
        raise ExploreError(
            f"{held[0]}: a job of a killed run still works here, by {holder_of(held[0]).process}; "
            "stop it there, or wait until it has ended"
        )
    return [*stopped.values(), *cancelled]


def held_locks(run_folders: Collection[Path]) -> list[Path]:
    """Locks of these runs' jobs that a process holds, on whatever host."""
    locks = (lock for folder in run_folders for lock in sorted((folder / "locks").glob("*.lock")))
    return [lock for lock in locks if is_held(lock)]


def _cancel(run_folders: Collection[Path]) -> list[slurm.SlurmJob]:
    """Cancels jobs of Slurm, and waits until those that run have ended."""
    runs = [RunFolder(path) for path in run_folders]
    submitted = [each.run for each in runs if each.executor() == slurm.EXECUTOR]
    cancelled = slurm.cancel_jobs(submitted) if submitted else []
    end = time.monotonic() + _CANCEL_SECONDS
    while cancelled and held_locks(run_folders) and time.monotonic() < end:
        time.sleep(_POLL_SECONDS)
    return cancelled


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
