# SPDX-License-Identifier: Apache-2.0
"""A sweep from nothing to whole results, again and again, and whatever comes in between."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from checks import full, refusal
from conftest import Explore

from tributary_explore import cli, engine
from tributary_explore.engine import RunOptions, RunSummary, ended, run_sweep
from tributary_explore.errors import ExploreError
from tributary_explore.plan import Plan, make_plan
from tributary_explore.progress import RunProgress
from tributary_explore.run_lock import is_held, take_lock
from tributary_explore.simulator import Simulator
from tributary_explore.store import PointState, Store
from tributary_explore.sweep_file import parse_sweep

SWEEP = """{"base": "improved", "axes": {"network.processing_elements": [4, 8]},
            "set": {"run.warmup": 10, "run.cycles": 50}, "seeds": "1..2"}"""
OPTIONS = RunOptions(command="tributary-explore run tiny.json", cores=2)


class Told(RunProgress):
    """Keeps what a run tells."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.total = 0
        self.last = (0, 0)

    def note(self, text: str) -> None:
        print(text)
        self.notes.append(text)

    def begin(self, total: int) -> None:
        self.total = total

    def update(self, done: int, failed: int, seconds_left: float | None) -> None:
        self.last = (done, failed)


@pytest.fixture(scope="module")
def plan(simulator: Simulator) -> Plan:
    return make_plan(parse_sweep(SWEEP, Path("tiny.json")), simulator)


@pytest.fixture(scope="module")
def whole(plan: Plan, simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """All results of the plan, as a run made them that nothing disturbed, in a folder of any
    name."""
    store = Store(tmp_path_factory.mktemp("whole") / "a b: #1 {x} 'q\" $HOME")
    summary = run_sweep(plan, store, simulator, OPTIONS)
    assert (summary.done, summary.skipped, summary.failed) == (4, 0, ())
    assert list(store.folder.parent.iterdir()) == [store.folder]
    return store


@pytest.fixture
def store(whole: Store, tmp_path: Path) -> Store:
    """A copy of them, to spoil."""
    subprocess.run(["cp", "-a", whole.folder, tmp_path / "tiny.sweep"], check=True)
    return Store(tmp_path / "tiny.sweep")


def results(store: Store) -> dict[str, bytes]:
    return {
        str(file.relative_to(store.folder)): file.read_bytes()
        for file in store.folder.glob("points/*/*/*")
    }


def counts(summary: RunSummary) -> tuple[int, int, int]:
    print(summary)
    return summary.done, summary.skipped, len(summary.failed)


def test_a_run_leaves_results_plan_and_record(whole: Store, plan: Plan) -> None:
    print(*sorted(results(whole)), sep="\n")
    assert [whole.state(point, whole.plan()["version"]) for point in plan.points] == [
        PointState.WHOLE
    ] * 4
    assert whole.plan()["command"] == OPTIONS.command
    assert {Path(name).name for name in results(whole)} == {"run.json", "results.json"}
    (record,) = whole.runs()
    assert (record.command, record.done, record.failed) == (OPTIONS.command, 4, 0)
    assert sorted(path.name for path in whole.work_folder.iterdir()) == [
        "journal.jsonl",
        "run.lock",
    ]


def test_a_part_of_the_plan_says_what_it_leaves_out(
    store: Store, plan: Plan, simulator: Simulator
) -> None:
    told = Told()
    part = replace(plan, points=plan.points[:1])
    assert counts(run_sweep(part, store, simulator, OPTIONS, told)) == (0, 1, 0)
    assert [note for note in told.notes if "3 points of the run before" in note], told.notes
    assert counts(run_sweep(plan, store, simulator, OPTIONS)) == (0, 4, 0)
    assert len(store.runs()) == 1, "nothing was run"


def test_only_what_is_not_whole_is_repeated(
    store: Store, plan: Plan, simulator: Simulator, whole: Store
) -> None:
    cut, missing, partial, kept = (store.result_file(point) for point in plan.points)
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size // 2])
    missing.unlink()
    document = json.loads(partial.read_text())
    partial.write_text(json.dumps({**document, "partial": True}))
    (kept.parent / "failure.json").write_text("{}")  # A result counts more.
    (cut.parent / ".results.json.a1b2c3").write_text("half")
    before = kept.stat().st_mtime_ns
    told = Told()
    assert counts(run_sweep(plan, store, simulator, OPTIONS, told)) == (3, 1, 0)
    assert (told.total, told.last) == (3, (3, 0))
    assert kept.stat().st_mtime_ns == before
    (kept.parent / "failure.json").unlink()
    assert results(store) == results(whole)


def test_a_failing_point_is_told_and_tried_again_next_time(
    explore: Explore,
    plan: Plan,
    simulator: Simulator,
    tmp_path: Path,
    in_front: Callable[[str], Path],
    whole: Store,
) -> None:
    fails = in_front('grep -q "elements = 8, seed 1" "$2" && { echo out of luck; exit 3; }')
    (tmp_path / "tiny.json").write_text(SWEEP)
    store = Store(tmp_path / "tiny.sweep")
    done = explore("run", "tiny.json", "--no-report", "--cores", "2", program=fails)
    assert done.returncode == cli.POINTS_FAILED
    assert "3 points run, 1 failed in " in done.stdout
    for part in ("processing_elements = 8, seed 1", "exit status 3", "out of luck", "run.json",
                 f"$ {fails} run "):  # fmt: skip
        assert part in done.stderr
    (command,) = (line[4:] for line in done.stderr.splitlines() if line.startswith("  $ "))
    again = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, check=False)
    assert again.returncode == 3, "the command shown does the same again"
    status = explore("status", "tiny")
    assert status.returncode == cli.POINTS_FAILED
    assert "out of luck" in status.stdout
    told = Told()
    assert counts(run_sweep(plan, store, Simulator(fails), OPTIONS, told)) == (0, 3, 1)
    assert told.last == (0, 1)
    assert counts(run_sweep(plan, store, simulator, OPTIONS)) == (1, 3, 0)
    assert results(store) == results(whole)
    assert [(record.done, record.failed) for record in store.runs()] == [(3, 1), (0, 1), (1, 0)]


def test_one_run_at_a_time(store: Store, plan: Plan, simulator: Simulator) -> None:
    with (
        take_lock(store.work_folder / "run.lock", "run-other"),
        pytest.raises(ExploreError, match=f"another run is in progress, by process {os.getpid()} "),
    ):
        run_sweep(plan, store, simulator, OPTIONS)


def test_the_work_folder_may_be_deleted_and_what_snakemake_has_left_there_never_matters(
    store: Store, plan: Plan, simulator: Simulator, whole: Store
) -> None:
    shutil.rmtree(store.work_folder)
    left = store.work_folder / "run-20000101-dead"
    for name in (".snakemake/locks/0.input.lock", ".snakemake/incomplete/Zm9v", "progress/0.jsonl"):
        (left / name).parent.mkdir(parents=True)
        (left / name).write_text("junk")
    store.result_file(plan.points[0]).unlink()
    assert counts(run_sweep(plan, store, simulator, OPTIONS)) == (1, 3, 0)
    assert results(store) == results(whole)
    assert not left.exists()


def test_a_profile_that_snakemake_refuses_is_told_in_its_words(
    plan: Plan, simulator: Simulator, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "config.yaml").write_text("jobs: 2\nretries: many\n")
    store = Store(tmp_path / "tiny.sweep")
    message = refusal(run_sweep, plan, store, simulator, RunOptions(profile=str(tmp_path / "mine")))
    assert message.startswith("--profile: Snakemake refuses it: argument --retries")
    assert "many" in message


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "executor: no-such\n",
            "has no executor no-such here; install it by pip install snakemake-",
        ),
        ("executor: [\n", "config.yaml cannot be read: "),
        ("only words\n", "config.yaml has no options of Snakemake"),
    ],
    ids=["executor", "broken", "words"],
)
def test_a_profile_that_cannot_be_run_is_refused_before_anything_is_written(
    plan: Plan, simulator: Simulator, tmp_path: Path, text: str, told: str
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "config.yaml").write_text(text)
    store = Store(tmp_path / "tiny.sweep")
    message = refusal(run_sweep, plan, store, simulator, RunOptions(profile=str(tmp_path / "mine")))
    assert told in message
    assert not store.folder.exists()


def test_jobs_of_another_executor_run_the_same_snakefile(
    plan: Plan, simulator: Simulator, tmp_path: Path, whole: Store
) -> None:
    """A shell stands for the cluster: what is submitted is a script, which a Snakemake runs."""
    submit = tmp_path / "submit"
    submit.write_text('#!/bin/sh\nsetsid sh "$1" >/dev/null 2>&1 &\necho $!\n')
    submit.chmod(0o755)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "config.yaml").write_text(
        "executor: cluster-generic\njobs: 2\nseconds-between-status-checks: 1\n"
        f"cluster-generic-submit-cmd: {submit}\n"
    )
    store = Store(tmp_path / "tiny.sweep")
    options = RunOptions(profile=str(tmp_path / "mine"), cores=2)
    assert counts(run_sweep(plan, store, simulator, options)) == (4, 0, 0)
    assert results(store) == results(whole)


@full
def test_a_run_ends_with_its_points_though_the_cluster_has_forgotten_its_jobs(
    plan: Plan,
    simulator: Simulator,
    tmp_path: Path,
    whole: Store,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "_END_SECONDS", 0.5)
    (tmp_path / "submit").write_text('#!/bin/sh\nsetsid sh "$1" >/dev/null 2>&1 &\necho $!\n')
    (tmp_path / "status").write_text("#!/bin/sh\necho running\n")
    (tmp_path / "mine").mkdir()
    for name in ("submit", "status"):
        (tmp_path / name).chmod(0o755)
    (tmp_path / "mine" / "config.yaml").write_text(
        "executor: cluster-generic\njobs: 2\nseconds-between-status-checks: 1\n"
        f"cluster-generic-submit-cmd: {tmp_path / 'submit'}\n"
        f"cluster-generic-status-cmd: {tmp_path / 'status'}\n"
    )
    store = Store(tmp_path / "tiny.sweep")
    options = RunOptions(profile=str(tmp_path / "mine"), cores=2)
    assert counts(run_sweep(plan, store, simulator, options)) == (4, 0, 0)
    assert results(store) == results(whole)


def test_a_folder_that_cannot_be_written(
    explore: Explore, read_only: Callable[[Path], None], store: Store, plan: Plan, tmp_path: Path
) -> None:
    (tmp_path / "tiny.json").write_text(SWEEP)
    for missing in (True, False):
        folder = tmp_path / "closed" if missing else store.folder
        if missing:
            folder.mkdir()
        else:
            store.result_file(plan.points[0]).unlink()
        for each in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
            read_only(each)
        before = sorted(folder.rglob("*"))
        for lock in folder.glob("work/run.lock"):
            lock.chmod(0o444)
        done = explore("run", "tiny.json", "--out", folder, "--no-report", wrapped=())
        assert done.returncode == 2
        assert done.stderr.startswith(f"tributary-explore: {folder}")
        assert "Permission denied" in done.stderr
        assert "Traceback" not in done.stderr
        assert sorted(folder.rglob("*")) == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"a small disk cannot be made here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_is_told_and_leaves_nothing_half_written(
    small_disk: Path, plan: Plan, simulator: Simulator, whole: Store
) -> None:
    larger = replace(plan, points=tuple(
        replace(point, seed=seed) for point in plan.points[::2] for seed in range(1, 9)
    ))  # fmt: skip
    store = Store(small_disk / "tiny.sweep")
    message = refusal(run_sweep, larger, store, simulator, OPTIONS)
    assert "No space left on device" in message
    states = {store.state(point, simulator.version) for point in larger.points}
    print(*sorted(str(state) for state in states))
    assert states <= {PointState.WHOLE, PointState.MISSING}
    assert [path for path in store.folder.rglob("*") if path.name.startswith(".")] == []
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    summary = run_sweep(larger, store, simulator, OPTIONS)
    assert summary.done + summary.skipped == 16
    name = str(store.result_file(plan.points[0]).relative_to(store.folder))
    assert results(store)[name] == results(whole)[name]


def descendants(process: "subprocess.Popen[Any]") -> list[psutil.Process]:
    try:
        return list(psutil.Process(process.pid).children(recursive=True))
    except psutil.NoSuchProcess:
        return []


def sleeping(process: "subprocess.Popen[Any]") -> int:
    """How many points wait; a process may end while it is asked."""
    count = 0
    for each in descendants(process):
        with contextlib.suppress(psutil.NoSuchProcess):
            count += each.name() == "sleep"
    return count


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=full), signal.SIGTERM])
def test_an_interrupted_run_stops_all_and_keeps_what_is_whole(
    number: signal.Signals,
    plan: Plan,
    simulator: Simulator,
    tmp_path: Path,
    in_front: Callable[[str], Path],
) -> None:
    # Two cores, so that two points are whole when two others wait.
    slow = in_front('grep -q "elements = 8" "$2" && sleep 60')
    (tmp_path / "tiny.json").write_text(SWEEP)
    store = Store(tmp_path / "tiny.sweep")
    command = [sys.executable, "-m", "tributary_explore", "--program", str(slow), "run"]
    options = ["tiny.json", "--cores", "4", "--no-report"]
    process = subprocess.Popen(
        [*command, *options],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs the tests in the background lets them ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while sleeping(process) < 2 or (
        sum(store.state(each, simulator.version) is PointState.WHOLE for each in plan.points) < 2
    ):
        assert process.poll() is None
        time.sleep(0.05)
    children = descendants(process)
    begun = time.monotonic()
    process.send_signal(number)
    _, told = process.communicate(timeout=60)
    print(told, f"ended after {time.monotonic() - begun:.1f} s, exit status {process.returncode}")
    assert process.returncode == 130
    assert "2 points done; run again to continue." in told
    _, alive = psutil.wait_procs(children, timeout=5)
    assert alive == []
    assert not is_held(store.work_folder / "run.lock")
    assert list(store.work_folder.glob("run-*")) == []
    assert counts(run_sweep(plan, store, simulator, OPTIONS)) == (2, 2, 0)


def test_a_killed_snakemake_is_told(
    plan: Plan, simulator: Simulator, tmp_path: Path, in_front: Callable[[str], Path]
) -> None:
    # The simulator's parent is the job, whose parent is Snakemake.
    kills = in_front("kill -9 $(ps -o ppid= -p $PPID); sleep 60")
    store = Store(tmp_path / "tiny.sweep")
    with pytest.raises(ExploreError, match="Snakemake, which runs the batches: ended by SIGKILL"):
        run_sweep(plan, store, Simulator(kills), replace(OPTIONS, cores=1))
    assert counts(run_sweep(plan, store, simulator, OPTIONS)) == (4, 0, 0)


def test_the_point_of_a_killed_job_has_failed_and_the_rest_of_its_batch_is_run(
    explore: Explore,
    plan: Plan,
    simulator: Simulator,
    tmp_path: Path,
    in_front: Callable[[str], Path],
    whole: Store,
) -> None:
    kills = in_front('grep -q "elements = 4, seed 1" "$2" && { kill -9 $PPID; sleep 60; }')
    (tmp_path / "tiny.json").write_text(SWEEP)
    done = explore("run", "tiny.json", "--no-report", "--cores", "1", program=kills)
    assert done.returncode == cli.POINTS_FAILED
    assert "3 points run, 1 failed in " in done.stdout
    for part in ("processing_elements = 4, seed 1", "killed", f"$ {kills} run ", "--seed 1"):
        assert part in done.stderr
    store = Store(tmp_path / "tiny.sweep")
    (failed,) = (each for each in plan.points if store.failure(each))
    assert failed.label.endswith("processing_elements = 4, seed 1")
    assert counts(run_sweep(plan, store, simulator, OPTIONS)) == (1, 3, 0)
    assert results(store) == results(whole)


def test_exit_statuses_in_words() -> None:
    assert ended(3) == "exit status 3"
    assert ended(-signal.SIGSEGV) == "ended by SIGSEGV"
    assert "too little memory" in ended(-signal.SIGKILL)
    assert "killed" in ended(None)
