# SPDX-License-Identifier: Apache-2.0
"""Processes that a killed run has left behind.

A run that is killed by SIGKILL cannot stop its children: they would go on to write into the folder
beside the next run. Each holds a lock below work/run-ID/locks/, its own or an inherited one.
"""

import contextlib
import shlex
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from .errors import ExploreError
from .run_lock import holder_of, is_held

# A killed process gives up its locks within milliseconds; more rounds only if children of children
# keep appearing.
_ROUNDS: Final = 20
_SECONDS_A_ROUND: Final = 0.1
# Of a command: enough to know it, in a line that can be read.
_SHOWN: Final = 160


@dataclass(frozen=True)
class Orphan:
    """A process that has been stopped."""

    pid: int
    command: str

    def __str__(self) -> str:
        return f"process {self.pid} ({textwrap.shorten(self.command, _SHOWN, placeholder=' ...')})"


def stop_orphans(sweep_folder: Path, run_folders: Iterable[Path], grace: float) -> list[Orphan]:
    """Ends every process that holds a lock of these runs, and returns them.

    Asks first and kills after `grace` seconds. Touches only processes of this host that work on
    this folder; raises `ExploreError` for others.
    """
    folders = list(run_folders)
    stopped: dict[int, Orphan] = {}
    for attempt in range(_ROUNDS):
        held = held_locks(folders)
        if not held:
            return list(stopped.values())
        _refuse_other_hosts(sweep_folder, held)
        processes = _holders(held)
        for process in processes:
            stopped.setdefault(process.pid, _named(process, sweep_folder))
        _end(processes, grace)
        if not processes and attempt:
            break
        psutil.wait_procs(processes, timeout=_SECONDS_A_ROUND)
    held = held_locks(folders)
    if not held:
        return list(stopped.values())
    raise ExploreError(
        f"{sweep_folder}: a killed run has left processes that hold {held[0]}, and they cannot be "
        "seen or stopped by this user; stop them, or choose another folder by --out"
    )


def held_locks(run_folders: Sequence[Path]) -> list[Path]:
    """Locks of these runs that a process holds."""
    return [
        lock
        for folder in run_folders
        for lock in sorted((folder / "locks").glob("*.lock"))
        if is_held(lock)
    ]


def _refuse_other_hosts(sweep_folder: Path, held: Iterable[Path]) -> None:
    for lock in held:
        holder = holder_of(lock)
        if holder is not None and not holder.here:
            raise ExploreError(
                f"{sweep_folder}: a killed run still works here on another host, by {holder}; stop "
                "it there, or wait until it has ended"
            )


def _holders(held: Iterable[Path]) -> list[psutil.Process]:
    """Processes that have one of the locks open.

    The lock's own text names only who took it; a simulator that outlived that one has inherited it.
    """
    paths = {str(lock.resolve()) for lock in held}
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if any(file.path in paths for file in process.open_files()):
                found.append(process)
    return found


def _named(process: psutil.Process, sweep_folder: Path) -> Orphan:
    """The process by its command. Raises `ExploreError` unless it works on the sweep's folder."""
    try:
        words = process.cmdline()
        # A simulator's own child may name nothing.
        places = [*words, process.cwd()]
    except psutil.Error:
        # It has just ended.
        return Orphan(process.pid, "ended by itself")
    if not any(str(sweep_folder) in place for place in places):
        raise ExploreError(
            f"{sweep_folder}: process {process.pid} ({shlex.join(words)}) holds a lock of a killed "
            "run, but is none of its own; stop it yourself, or choose another folder by --out"
        )
    return Orphan(process.pid, shlex.join(words))


def _end(processes: Sequence[psutil.Process], grace: float) -> None:
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    _, alive = psutil.wait_procs(processes, timeout=grace)
    for process in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(alive, timeout=grace)
