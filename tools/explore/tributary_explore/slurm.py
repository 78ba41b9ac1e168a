# SPDX-License-Identifier: Apache-2.0
"""Jobs in Slurm's queue, by the run that submitted them.

The plugin of Snakemake begins their names with that of the run (scheduler.py): a Snakemake that was
killed cannot cancel its jobs, and those of other hosts are no processes of this one.
"""

import os
import shutil
import subprocess
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

EXECUTOR: Final = "slurm"

# Jobs that run or may yet run; those that are just ending are neither.
_STATES: Final = "PENDING,CONFIGURING,RUNNING,SUSPENDED"
# Slurm's own programs give up after 10 to 20 s if the controller does not answer.
_TIMEOUT_SECONDS: Final = 60.0


@dataclass(frozen=True)
class SlurmJob:
    """A job that has been cancelled."""

    number: str

    def __str__(self) -> str:
        return f"job {self.number} of Slurm"


def is_here() -> bool:
    """Whether jobs can be submitted from this host."""
    return shutil.which("sbatch") is not None


def cancel_jobs(runs: Collection[str]) -> list[SlurmJob]:
    """Cancels this user's jobs of these runs, and returns them; they may still be ending.

    Without an answer of the controller there are none: what such jobs find when they start, they
    give up by themselves (worker.py).
    """
    told = _answer("squeue", "--noheader", f"--states={_STATES}", f"--user={os.getuid()}",
                   "--format=%i|%j")  # fmt: skip
    lines = (line.strip().partition("|") for line in told.splitlines())
    jobs = [SlurmJob(number) for number, _, name in lines if name.partition("_")[0] in runs]
    if jobs:
        _answer("scancel", *(job.number for job in jobs))
    return jobs


def _answer(*command: str) -> str:
    """What a program of Slurm prints; nothing if it fails or is not there."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
