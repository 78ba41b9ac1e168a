# SPDX-License-Identifier: Apache-2.0
"""Runs the points of a plan that have no whole result yet.

What is to be run is decided here by the results alone; Snakemake gets a fresh folder each time.
"""

import contextlib
import math
import os
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Final

from .batches import Batch, CostModel, make_batches, read_journal
from .errors import ExploreError
from .files import not_written
from .orphans import held_locks, stop_orphans
from .plan import Plan, Point
from .progress import RunProgress, counted
from .run_folder import DONE, Job, ProgressReader, RunFolder
from .run_lock import lock_run
from .scheduler import Scheduler, check_executor, executor_of, profile_folder
from .simulator import Simulator
from .store import Failure, PlannedPoint, PointState, RunRecord, Store
from .time_left import TimeLeft
from .worker import record_killed

_POLL_SECONDS: Final = 0.2
# A job ends within milliseconds of being asked to.
_GRACE_SECONDS: Final = 5.0
# For Snakemake to end once all points have. On a cluster it sees the end of a job minutes later, or
# never if the queue has forgotten the job.
_END_SECONDS: Final = 10.0
_INTERRUPTS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_JOBS_FAILED: Final = 1
_WRONG_USAGE: Final = 2
_LOG_LINES: Final = 8
_OUTPUT_LINES: Final = 20


@dataclass(frozen=True)
class RunOptions:
    """How to run, not what."""

    command: str = ""
    """What the user typed, for plan.json and runs.json."""
    cores: int | None = None
    """Jobs at a time; if None all cores of this machine, or what the profile says."""
    profile: str | None = None
    """Snakemake profile: "slurm", or a folder. Local cores if None."""
    batch_seconds: float = 30.0
    """Length of a job to aim at."""
    rerun_other_versions: bool = False
    """Repeat points whose results another version of the simulator wrote."""


@dataclass(frozen=True)
class RunSummary:
    """What a run came to. Points that several experiments share count once."""

    done: int
    """Simulated by this run."""
    skipped: int
    """Whole before it."""
    failed: tuple[str, ...]
    """Of each point that has no result its name, its command and the end of its log."""
    seconds: float


def run_sweep(
    plan: Plan,
    store: Store,
    simulator: Simulator,
    options: RunOptions,
    progress: RunProgress | None = None,
) -> RunSummary:
    """Runs what is missing, writes plan.json and runs.json, and returns what came of it.

    A point whose result is whole and of its configuration, seed and version is never repeated; one
    that failed before is tried again, and one that fails stops no other. Raises `ExploreError` if
    another run is in progress and for what would stop every point, such as a full disk, and
    `KeyboardInterrupt` once all children have been stopped; whole results stay in every case.
    """
    profile = None
    if options.profile is not None:
        profile = profile_folder(options.profile)
        check_executor(options.profile, executor_of(profile))
    # Commands name the folder, whatever the working folder of a job is.
    store = Store(store.folder.resolve())
    folder = RunFolder(store.work_folder / f"run-{datetime.now():%Y%m%d}-{secrets.token_hex(6)}")
    with _terminate_as_interrupt(), lock_run(store.work_folder, folder.run):
        run = _Run(plan, store, simulator, options, progress or RunProgress(), folder, profile)
        return run.result()


def failure_text(point: Point | PlannedPoint, failure: Failure) -> str:
    """A point that failed, its command and the end of its log."""
    lines = failure.log.strip().splitlines()[-_LOG_LINES:] or ["(no output)"]
    head = [f"{point.label}: {ended(failure.exit_status)}", f"$ {failure.command}"]
    return "\n  ".join([*head, *lines])


def ended(exit_status: int | None) -> str:
    """An exit status in words."""
    if exit_status is None:
        return "the job that ran it was killed; often too little memory"
    if exit_status >= 0:
        return f"exit status {exit_status}"
    try:
        name = signal.Signals(-exit_status).name
    except ValueError:
        name = f"signal {-exit_status}"
    return f"ended by {name}" + ("; often too little memory" if name == "SIGKILL" else "")


@dataclass
class _Run:
    """One run, while it has the lock of the sweep's folder."""

    plan: Plan
    store: Store
    simulator: Simulator
    options: RunOptions
    progress: RunProgress
    folder: RunFolder
    profile: Path | None

    def result(self) -> RunSummary:
        begun = time.monotonic()
        started = datetime.now(UTC).isoformat(timespec="seconds")
        self._clear_earlier_runs()
        points = list({point.hash: point for point in self.plan.points}.values())
        due = self._due(points)
        cost = CostModel(read_journal(self.store.journal_file))
        batches = make_batches(due, cost, self.options.batch_seconds, self._cores)
        self._tell_what_is_dropped()
        self.store.write_plan(self.plan, self.simulator.version, self.options.command)
        skipped = len(points) - len(due)
        if not due:
            return RunSummary(0, skipped, (), time.monotonic() - begun)
        for point in due:
            self._clear(point)
        try:
            self._simulate(batches, cost)
        except BaseException:
            with contextlib.suppress(ExploreError):  # Not in place of what went wrong first.
                done, _, _ = self._finish(due, started, begun)
                self.progress.note(f"{counted(done, 'point')} done; run again to continue.")
            raise
        done, failed, unfinished = self._finish(due, started, begun)
        if unfinished:
            raise ExploreError(
                f"{self.store.folder}: {counted(len(unfinished), 'point')} not run, the first "
                f"{unfinished[0].label}; run again to continue"
            )
        return RunSummary(done, skipped, tuple(failed), time.monotonic() - begun)

    @property
    def _cores(self) -> int:
        return self.options.cores or len(os.sched_getaffinity(0))

    @property
    def _jobs(self) -> int | None:
        """Jobs at a time; None if a profile says."""
        return self.options.cores if self.profile else self._cores

    def _clear_earlier_runs(self) -> None:
        """Every earlier run is dead, as this one has the lock; its children may not be."""
        others = [path for path in self.store.work_folder.glob("run-*") if path.is_dir()]
        for orphan in stop_orphans(others, _GRACE_SECONDS):
            self.progress.note(f"Stopped {orphan}, which a killed run had left behind.")
        for path in others:
            RunFolder(path).retire(self.store.journal_file)

    def _tell_what_is_dropped(self) -> None:
        """A plan replaces the one before, and with it what table and report are made of."""
        if not self.store.plan_file.exists():
            return
        planned = {point.hash for point in self.plan.points}
        dropped = {point.hash for point in self.store.points()} - planned
        if dropped:
            self.progress.note(
                f"{counted(len(dropped), 'point')} of the run before are not in this one: they "
                "leave table and report, and their results stay in the folder."
            )

    def _due(self, points: Sequence[Point]) -> list[Point]:
        """Points without a whole result. Raises `ExploreError` for those of another version."""
        version = self.simulator.version
        states = [self.store.state(point, version) for point in points]
        others = states.count(PointState.OTHER_VERSION)
        if others and not self.options.rerun_other_versions:
            raise ExploreError(
                f"{self.store.folder} has {counted(others, 'result')} of another version of the "
                f"simulator; version {version} must not be mixed with them: repeat them by "
                "--rerun-other-versions, or choose another folder by --out"
            )
        whole = PointState.WHOLE
        return [point for point, state in zip(points, states, strict=True) if state is not whole]

    def _clear(self, point: Point) -> None:
        """Takes away what says that the point has failed, and what a kill has left half-written."""
        folder = self.store.point_folder(point)
        try:
            told = (self.store.failure_file(point), self.store.log_file(point))
            for file in (*told, *folder.glob(".*")):
                file.unlink(missing_ok=True)
        except OSError as problem:
            raise not_written(folder, problem) from problem

    def _simulate(self, batches: Sequence[Batch], cost: CostModel) -> None:
        """Returns when no more points can be run. Raises `ExploreError` for a trouble of all."""
        tell = self._teller(batches, cost)
        try:
            jobs = [Job.of(batch, self.folder, self.store, self.simulator) for batch in batches]
            for job in jobs:
                job.write()
            while not self._scheduled(batches, jobs, tell):
                pass  # Again, for what the batches of killed jobs have not come to.
        except OSError as problem:
            raise not_written(Path(problem.filename or self.folder.path), problem) from problem
        finally:
            self.progress.end()
            # If Snakemake has been killed alone. On other hosts jobs may still be ending.
            with contextlib.suppress(ExploreError):
                stop_orphans([self.folder.path], _GRACE_SECONDS)

    def _teller(self, batches: Sequence[Batch], cost: CostModel) -> Callable[[], bool]:
        """Tells how far the run is, each time that it is called; whether all points have ended."""
        total = sum(len(batch.points) for batch in batches)
        self.progress.begin(total)
        reader = ProgressReader(self.folder)
        time_left = TimeLeft(batches, cost, self._jobs)
        states: dict[str, str] = {}

        def tell() -> bool:
            for entry in reader.new_entries():
                states[entry["hash"]] = entry["state"]
                time_left.learn(entry)
            done = sum(state == DONE for state in states.values())
            left = time_left.told(self.folder.at_work)
            self.progress.update(done, len(states) - done, left)
            return len(states) == total

        return tell

    def _scheduled(
        self, batches: Sequence[Batch], jobs: Sequence[Job], tell: Callable[[], bool]
    ) -> bool:
        """Lets Snakemake run what is left of the batches; False if that was cut short, as jobs were
        killed, whose points have failed now."""
        folder = self.store.folder
        with Scheduler(self.folder, folder, batches, self._jobs, self.profile) as scheduler:
            status = self._watch(scheduler, tell)
            if status == 0:
                return True
            # Snakemake that was killed itself has jobs which still run.
            if status == _JOBS_FAILED and self._any_killed(jobs):
                return False
            raise ExploreError(_broken_off(status, scheduler.output()))

    def _any_killed(self, jobs: Sequence[Job]) -> bool:
        # Simulators that killed jobs have left behind; raises if a job still runs.
        stop_orphans([self.folder.path], _GRACE_SECONDS)
        killed = [record_killed(job) for job in jobs]
        return any(killed)

    def _watch(self, scheduler: Scheduler, tell: Callable[[], bool]) -> int:
        """Tells how far the run is until Snakemake ends; its exit status. 0 as well if all points
        have ended and Snakemake has not."""
        end = math.inf
        try:
            while (status := scheduler.wait(_POLL_SECONDS)) is None and not self.folder.trouble():
                if not tell():
                    continue
                end = min(end, time.monotonic() + _END_SECONDS)
                if time.monotonic() > end:
                    return 0
        finally:
            tell()
        if trouble := self.folder.trouble():
            raise ExploreError(trouble)
        assert status is not None
        return status

    def _finish(
        self, due: Sequence[Point], started: str, begun: float
    ) -> tuple[int, list[str], list[Point]]:
        """Clears up, writes down that there was a run, and returns its outcome."""
        if not held_locks([self.folder.path]):
            self.folder.retire(self.store.journal_file)
        done, failed, unfinished = self._outcome(due)
        self.store.record_run(
            RunRecord(
                command=self.options.command,
                version=self.simulator.version,
                started=started,
                seconds=round(time.monotonic() - begun, 3),
                done=done,
                failed=len(failed),
            )
        )
        return done, failed, unfinished

    def _outcome(self, due: Sequence[Point]) -> tuple[int, list[str], list[Point]]:
        """Points done, failed, and neither."""
        done = 0
        failed: list[str] = []
        unfinished: list[Point] = []
        for point in due:
            if self.store.state(point, self.simulator.version) is PointState.WHOLE:
                done += 1
            elif (failure := self.store.failure(point)) is not None:
                log = self.store.log_file(point)
                failed.append(f"{failure_text(point, failure)}\n  whole log: {log}")
            else:
                unfinished.append(point)
        return done, failed, unfinished


def _broken_off(status: int, output: str) -> str:
    """What is told when Snakemake has ended with an error."""
    own = [line for line in output.splitlines() if line.startswith("tributary-explore: ")]
    if own:
        return own[0].removeprefix("tributary-explore: ")
    _, _, refused = output.rpartition(": error: ")
    if status == _WRONG_USAGE and refused:
        return f"--profile: Snakemake refuses it: {refused.strip()}"
    lines = "\n".join([line for line in output.splitlines() if line.strip()][-_OUTPUT_LINES:])
    return f"Snakemake, which runs the batches: {ended(status)}; run again to continue\n{lines}"


@contextlib.contextmanager
def _terminate_as_interrupt() -> Iterator[None]:
    """SIGTERM and SIGHUP stop the children as Ctrl-C does, unless they are ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    def ignore(number: int, frame: FrameType | None) -> None:
        """Like SIG_IGN, of nohup or a shell's &, but not inherited: Snakemake needs SIGINT."""

    before = {number: signal.getsignal(number) for number in _INTERRUPTS}
    for number, handler in before.items():
        signal.signal(number, ignore if handler is signal.SIG_IGN else interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            # None: of a library in C, which cannot be put back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
