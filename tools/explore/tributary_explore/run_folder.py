# SPDX-License-Identifier: Apache-2.0
"""What one run shares with its jobs: the folder work/run-ID and the batches in it."""

import contextlib
import json
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Self

from .batches import Batch, parse_entry, read_journal
from .errors import ExploreError
from .files import write_whole
from .plan import Point
from .simulator import Simulator
from .store import Store

DONE: Final = "done"
FAILED: Final = "failed"


@dataclass(frozen=True)
class RunFolder:
    """A fresh one for each run: what Snakemake remembers of an earlier one never matters."""

    path: Path

    @property
    def run(self) -> str:
        """Identity of the run."""
        return self.path.name

    @property
    def configuration_file(self) -> Path:
        """What the Snakefile reads."""
        return self.path / "run.json"

    def executor(self) -> str:
        """Of Snakemake, which runs the jobs; empty before Snakemake has been started."""
        try:
            configuration = json.loads(self.configuration_file.read_bytes())
        except (OSError, ValueError):
            return ""
        return str(configuration.get("executor", ""))

    def batch_file(self, batch: str) -> Path:
        return self.path / "batches" / f"{batch}.json"

    def batch_lock(self, batch: str) -> Path:
        return self.path / "locks" / f"batch-{batch}.lock"

    def scratch(self, batch: str) -> Path:
        """Has a folder, named by its hash, for the point that the batch is at. The simulator runs
        there, and writes what may turn out not to be whole."""
        return self.path / "scratch" / batch

    def at_work(self) -> dict[str, float]:
        """For how many seconds each point that is being run has been, by its hash."""
        seconds: dict[str, float] = {}
        for batch in self.scratch("").glob("*"):
            # Point and batch may end meanwhile. Not glob("*/*"), which fails if a batch does.
            with contextlib.suppress(FileNotFoundError):
                for folder in batch.iterdir():
                    seconds[folder.name] = max(0.0, time.time() - folder.stat().st_mtime)
        return seconds

    @property
    def progress(self) -> Path:
        """A file a batch, a line a point that has ended."""
        return self.path / "progress"

    def progress_file(self, batch: str) -> Path:
        return self.progress / f"{batch}.jsonl"

    def trouble_file(self, batch: str) -> Path:
        """What a batch has met that would stop every point."""
        return self.path / "trouble" / batch

    def trouble(self) -> str:
        """The message of the first batch in trouble; empty if none is."""
        for file in sorted((self.path / "trouble").glob("[0-9]*")):
            return file.read_text(encoding="utf-8")
        return ""

    def retire(self, journal: Path) -> None:
        """Keeps what the cost model learns from the run, and deletes the folder."""
        learnt = [
            json.dumps(entry) + "\n"
            for file in sorted(self.progress.glob("*.jsonl"))
            for entry in read_journal(file)
            if entry.get("state") == DONE
        ]
        # Without room for it the estimate stays as it was, and the folder goes all the more.
        with contextlib.suppress(OSError), journal.open("a", encoding="utf-8") as file:
            file.writelines(learnt)
        # What cannot be deleted, as a job of a cluster still ends, the next run deletes.
        shutil.rmtree(self.path, ignore_errors=True)


class ProgressReader:
    """Reads what the jobs of a run add to their progress."""

    def __init__(self, run_folder: RunFolder) -> None:
        self._folder = run_folder.progress
        self._read: dict[Path, int] = {}

    def new_entries(self) -> list[dict[str, Any]]:
        """Entries added since the last call."""
        return [entry for file in self._folder.glob("*.jsonl") for entry in self._new_of(file)]

    def _new_of(self, file: Path) -> list[dict[str, Any]]:
        start = self._read.get(file, 0)
        if file.stat().st_size == start:
            return []
        with file.open("rb") as stream:
            stream.seek(start)
            text = stream.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._read[file] = start + len(whole)
        lines = whole.decode(errors="replace").splitlines()
        return [entry for line in lines if (entry := parse_entry(line)) is not None]


@dataclass(frozen=True)
class Job:
    """A batch with what it takes to run it."""

    run_folder: RunFolder
    batch: str
    store: Store
    program: Path
    """The simulator."""
    version: str
    """Its version when the run began."""
    points: tuple[Point, ...]

    @classmethod
    def of(cls, batch: Batch, run_folder: RunFolder, store: Store, simulator: Simulator) -> Self:
        """The job of a batch in a sweep's folder."""
        return cls(
            run_folder, batch.name, store, simulator.program, simulator.version, batch.points
        )

    def write(self) -> None:
        """Writes the batch's file, for `read` in another process."""
        document = {
            "program": str(self.program),
            "version": self.version,
            "points": [asdict(point) for point in self.points],
        }
        write_whole(self.run_folder.batch_file(self.batch), json.dumps(document))

    @classmethod
    def read(cls, sweep_folder: Path, batch_file: Path) -> Self:
        """The job of a batch's file. Raises `ExploreError` if that is gone, as the run was given
        up."""
        try:
            document = json.loads(batch_file.read_bytes())
        except (OSError, ValueError) as problem:
            raise ExploreError(f"{batch_file} cannot be read: {problem}; run again") from problem
        return cls(
            RunFolder(batch_file.parent.parent),
            batch_file.stem,
            Store(sweep_folder),
            Path(document["program"]),
            document["version"],
            tuple(Point(**point) for point in document["points"]),
        )
