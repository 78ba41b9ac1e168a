# SPDX-License-Identifier: Apache-2.0
"""Snakemake as a child process, which runs the batches of one run.

The command line, not the Python API: only the command line reads profiles, which clusters need;
the API changes this process's working folder, signal handlers and logging; and a child can be
stopped, and may crash, without this process.
"""

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final, Self

import psutil

from . import slurm
from .batches import Batch
from .errors import ExploreError
from .files import write_whole
from .orphans import RUN_VARIABLE
from .run_folder import RunFolder

_PACKAGE: Final = Path(__file__).resolve().parent
_PROFILES: Final = _PACKAGE / "profiles"
_PROFILE_FILES: Final = ("config.yaml", "profile.yaml")
_LOCAL: Final = "local"
_BUILT_IN: Final = (_LOCAL, "dryrun", "touch")

# Snakemake cancels what it has submitted to a cluster, one call a job.
_CANCEL_ROUNDS: Final = 120
_SECONDS_A_ROUND: Final = 0.5

# Batches longer than this times the mean are started first, so that none runs alone at the end; of
# these at most so many, as they are arguments of a command.
_LONG: Final = 1.2
_MOST_LONG: Final = 500


def profile_folder(profile: str) -> Path:
    """The folder of a profile by path, or by name of those that come with the package.

    Raises `ExploreError` if there is none.
    """
    for folder in (Path(profile), _PROFILES / profile):
        if any((folder / name).is_file() for name in _PROFILE_FILES):
            return folder.resolve()
    names = ", ".join(sorted(path.name for path in _PROFILES.iterdir()))
    raise ExploreError(
        f"--profile: {profile} is neither a folder with a config.yaml nor one of {names}"
    )


def executor_of(folder: Path) -> str:
    """The executor that a profile names."""
    import yaml

    file = next(each for name in _PROFILE_FILES if (each := folder / name).is_file())
    try:
        profile = yaml.safe_load(file.read_bytes())
    except (OSError, yaml.YAMLError) as problem:
        raise ExploreError(f"--profile: {file} cannot be read: {problem}") from problem
    if not isinstance(profile, dict):
        raise ExploreError(f"--profile: {file} has no options of Snakemake; see docs/explore.md")
    return str(profile.get("executor", _LOCAL))


def check_executor(profile: str, executor: str) -> None:
    """Raises `ExploreError` if Snakemake cannot run jobs by this executor of a profile."""
    plugin = f"snakemake-executor-plugin-{executor}"
    if executor not in _BUILT_IN and importlib.util.find_spec(plugin.replace("-", "_")) is None:
        raise ExploreError(
            f"--profile {profile}: Snakemake has no executor {executor} here; install it by "
            f"pip install {plugin}"
        )
    if executor == slurm.EXECUTOR and not slurm.is_here():
        raise ExploreError(
            f"--profile {profile}: there is no sbatch on the PATH; run this where jobs of Slurm "
            "are submitted"
        )


class Scheduler:
    """Snakemake at work on a run's batches."""

    def __init__(
        self,
        run_folder: RunFolder,
        sweep_folder: Path,
        batches: Sequence[Batch],
        cores: int | None,
        profile: Path | None,
    ) -> None:
        self._executor = executor_of(profile) if profile else _LOCAL
        configuration = {
            "executor": self._executor,
            "batches": {batch.name: round(batch.seconds, 1) for batch in batches},
            "python": sys.executable,
            "run_folder": str(run_folder.path),
            "sweep_folder": str(sweep_folder),
        }
        write_whole(run_folder.configuration_file, json.dumps(configuration, indent=1))
        # Beside it, as Snakemake takes along only what is below its working folder to machines that
        # share no files with this one.
        write_whole(run_folder.path / "Snakefile", (_PACKAGE / "Snakefile").read_text())
        # Not in the run's folder: what went wrong must be readable where the disk is full. Not a
        # pipe: who writes into it must not be stopped by this process's end.
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [
                *_command(run_folder.path, batches, cores, profile),
                *_options_of(self._executor, run_folder.run),
            ],
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            env=_environment(run_folder.path),
            # Ctrl-C reaches this process only, which then stops the others in order.
            start_new_session=True,
        )

    def wait(self, seconds: float) -> int | None:
        """Its exit status once it has ended, None if that takes longer."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def output(self) -> str:
        """All that it has written."""
        self._output.seek(0)
        return self._output.read().decode(errors="replace")

    def stop(self) -> None:
        """Ends it, its jobs of this host, and those that it has submitted to a cluster."""
        try:
            if self._executor == slurm.EXECUTOR:
                # It would sleep for minutes, and forget jobs whose state it is just asking for:
                # they are found by the name of their run (orphans.py).
                return
            if self.wait(0) is None:
                # Not SIGTERM, on which it waits for jobs instead of cancelling them.
                self._process.send_signal(signal.SIGINT)
            for _ in range(_CANCEL_ROUNDS):
                self._end_jobs()
                if self.wait(_SECONDS_A_ROUND) is not None:
                    return
        finally:
            # Also on a second Ctrl-C.
            self._process.kill()
            self._process.wait()

    def _end_jobs(self) -> None:
        # Elsewhere its children are no jobs: they submit, ask or cancel.
        if self._executor != _LOCAL:
            return
        # Children only: a job stops its simulator itself, and must not take it to have failed.
        with contextlib.suppress(psutil.NoSuchProcess):
            for child in psutil.Process(self._process.pid).children():
                with contextlib.suppress(psutil.NoSuchProcess):
                    child.terminate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.stop()
        self._output.close()


def _command(
    folder: Path, batches: Sequence[Batch], cores: int | None, profile: Path | None
) -> list[str]:
    mean = sum(batch.seconds for batch in batches) / len(batches)
    long = [f"{folder.name}/{batch.name}" for batch in batches if batch.seconds > _LONG * mean]
    where = ["--profile", str(profile)] if profile else ["--profile", "none"]
    if profile is None:
        where += ["--cores", str(cores)]
    elif cores is not None:
        where += ["--jobs", str(cores)]
    return [
        *(sys.executable, "-m", "snakemake"),
        *("--snakefile", str(folder / "Snakefile")),
        *("--directory", str(folder)),
        *("--configfile", str(folder / "run.json")),
        *where,
        *("--workflow-profile", "none"),
        "--keep-going",
        "--nolock",
        "--drop-metadata",
        "--nocolor",
        # The other scheduler of Snakemake solves a linear programme for what is one queue here.
        *("--scheduler", "greedy"),
        *("--rerun-triggers", "mtime"),
        *("--quiet", "progress", "rules", "host", "reason"),
        *("--runtime-source-cache-path", str(folder / "sources")),
        *(["--prioritize", *long[:_MOST_LONG]] if long else []),
    ]


def _options_of(executor: str, run: str) -> list[str]:
    """Lets jobs of Slurm be found by the name of their run."""
    return ["--slurm-jobname-prefix", run] if executor == slurm.EXECUTOR else []


def _environment(folder: Path) -> dict[str, str]:
    """Without the user's default profile, nothing written to the home folder, with the name of the
    run, and with this package in the jobs' reach however it was found here."""
    kept = {name: value for name, value in os.environ.items() if name != "SNAKEMAKE_PROFILE"}
    paths = [str(_PACKAGE.parent), *filter(None, [kept.get("PYTHONPATH")])]
    return {
        **kept,
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join(paths),
        RUN_VARIABLE: str(folder),
    }
