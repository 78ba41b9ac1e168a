# SPDX-License-Identifier: Apache-2.0
"""One job: runs the points of one batch, one after another.

`python -m tributary_explore.worker SWEEP_FOLDER BATCH_FILE`, by the Snakefile only. A point that
fails is recorded and does not end the job; the exit status is 1 only for what would stop every
point, such as a full disk, which the batch's file of trouble then names.
"""

import contextlib
import errno
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import BinaryIO, Final

import psutil

from .batches import journal_entry
from .errors import ExploreError
from .files import not_written, write_whole
from .plan import Point
from .run_folder import DONE, FAILED, Job, RunFolder
from .run_lock import LockHeldError, holder_of, take_lock
from .simulator import Simulator
from .store import Failure, PointState, read_result

# Of a failing point's output, in failure.json; run.log has all.
_LOG_CHARACTERS: Final = 20_000
# Between two attempts to take the lock of a batch.
_LOCK_SECONDS: Final = 1.0
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)


def run_job(job: Job) -> None:
    """Runs every point that has neither a whole result nor failed in this run.

    Waits while another process is at the batch: a cluster that has lost sight of a node starts its
    job elsewhere. Raises `ExploreError` for what would stop every point.
    """
    with _lock(job):
        # After the lock, not before: whoever takes over the folder writes its name first and then
        # looks for locks, so one of the two always sees the other.
        _refuse_given_up(job)
        for point in job.points:
            if _is_due(job, point):
                _run_point(job, point)


def _lock(job: Job) -> BinaryIO:
    while True:
        with contextlib.suppress(LockHeldError):
            return take_lock(job.run_folder.batch_lock(job.batch), job.run_folder.run)
        _refuse_given_up(job)
        time.sleep(_LOCK_SECONDS)


def _refuse_given_up(job: Job) -> None:
    current = holder_of(job.store.work_folder / "run.lock")
    if current.run != job.run_folder.run:
        raise ExploreError(f"{job.run_folder.path}: the run has been given up")


def _is_due(job: Job, point: Point) -> bool:
    """A cluster may start a job again that it has interrupted."""
    whole = job.store.state(point, job.version) is PointState.WHOLE
    return not whole and job.store.failure(point) is None


def _run_point(job: Job, point: Point) -> None:
    scratch = job.run_folder.scratch(job.batch) / point.hash
    out = scratch / "out"
    try:
        # Of a job that a cluster has killed, and started again.
        shutil.rmtree(scratch.parent, ignore_errors=True)
        out.mkdir(parents=True)
        run_file = job.store.write_run_file(point)
        # A relative folder, so that a user can give the command of a failure anywhere.
        simulator, started = Simulator(job.program), time.monotonic()
        # A run leaves one trace at most.
        for trace in point.traces or [()]:
            command = simulator.run_command(run_file, point.seed, Path(out.name), trace)
            status, log = _simulate(command, scratch)
            if status != 0:
                break
        seconds = time.monotonic() - started
        fault = _move(job, point, scratch) if status == 0 else ""
        if status == 0 and not fault:
            _record(job, point, seconds, DONE)
            return
        _refuse_full_disk(job, log)
        log += fault
        _record_failure(job, point, Failure(shlex.join(command), status, log, seconds))
    except OSError as problem:
        raise not_written(Path(problem.filename or scratch), problem) from problem
    finally:
        shutil.rmtree(scratch.parent, ignore_errors=True)


def record_killed(job: Job) -> bool:
    """Whether a job that has ended was killed in the middle of a point, which is recorded as
    failed."""
    scratch = job.run_folder.scratch(job.batch)
    if not scratch.is_dir():
        return False
    killed = {each.name for each in scratch.iterdir()}
    for point in job.points:
        if point.hash in killed and _is_due(job, point):
            trace = next(iter(point.traces), ())
            run_file = job.store.write_run_file(point)
            command = Simulator(job.program).run_command(run_file, point.seed, Path("out"), trace)
            _record_failure(job, point, Failure(shlex.join(command), None, "", 0.0))
    shutil.rmtree(scratch, ignore_errors=True)
    return bool(killed)


def _simulate(command: list[str], folder: Path) -> tuple[int, str]:
    """Exit status and output of the child, which is stopped with this process."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as problem:
        raise ExploreError(f"{command[0]} does not run: {problem.strerror}") from problem
    return done.returncode, done.stdout


def _move(job: Job, point: Point, scratch: Path) -> str:
    """Gives the result its place, if it is whole; else says what is wrong with it.

    No fsync: a result that a power failure has torn is seen by its content and repeated.
    """
    result_file = scratch / "out" / "results.json"
    traces = [scratch / "out" / each.name for each in job.store.trace_files(point)]
    for file in (result_file, *traces):
        if not file.exists():
            return f"\nThe program ended without an error, and without {file.name}.\n"
    try:
        result = read_result(result_file, point.hash)
    except ExploreError:
        return "\nThe program ended without an error, but its results.json is not whole.\n"
    if result["version"] != job.version:
        return f"\nThe program is no longer version {job.version}; run the sweep again.\n"
    for trace in traces:
        trace.replace(job.store.point_folder(point) / trace.name)
    # Last, as a result without the traces that it should have is none.
    result_file.replace(job.store.result_file(point))
    return ""


def _refuse_full_disk(job: Job, log: str) -> None:
    """A full disk fails every point: that is no property of this one. Raises `ExploreError`."""
    for reason in map(os.strerror, _FULL):
        if reason in log:
            raise not_written(job.store.folder, OSError(errno.ENOSPC, reason))


def _record_failure(job: Job, point: Point, failure: Failure) -> None:
    write_whole(job.store.log_file(point), failure.log)
    job.store.write_failure(point, replace(failure, log=failure.log[-_LOG_CHARACTERS:]))
    _record(job, point, failure.seconds, FAILED)


def _record(job: Job, point: Point, seconds: float, state: str) -> None:
    """One line, in one write, so that the reader sees it whole or not at all."""
    entry = {**journal_entry(point, seconds), "state": state}
    job.run_folder.progress.mkdir(exist_ok=True)
    with job.run_folder.progress_file(job.batch).open("ab", buffering=0) as file:
        file.write(json.dumps(entry).encode() + b"\n")


def _terminated(number: int, frame: FrameType | None) -> None:
    # Once: a second one must not interrupt the stopping of the simulator.
    signal.signal(number, signal.SIG_IGN)
    # Here, as `_simulate` does not know of a simulator that is just being started.
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):
            child.kill()
    raise SystemExit(128 + number)


def main(arguments: list[str]) -> int:
    """Runs the job of a sweep's folder and a batch's file; its exit status."""
    signal.signal(signal.SIGTERM, _terminated)
    sweep_folder, batch_file = (Path(each).absolute() for each in arguments)
    try:
        run_job(Job.read(sweep_folder, batch_file))
    except ExploreError as problem:
        print(f"tributary-explore: {problem}", file=sys.stderr)
        run_folder = RunFolder(batch_file.parent.parent)
        # Without room for it Snakemake's output still has the message.
        with contextlib.suppress(ExploreError):
            if run_folder.path.exists():
                write_whole(run_folder.trouble_file(batch_file.stem), str(problem))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
