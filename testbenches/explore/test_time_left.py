# SPDX-License-Identifier: Apache-2.0
"""The time left of a run, against times that were measured: recorded_times.json."""

import heapq
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tributary_explore.batches import (
    SECONDS_TO_START_BATCH,
    SECONDS_TO_START_RUN,
    Batch,
    CostModel,
    journal_entry,
    make_batches,
    makespan,
    run_seconds,
)
from tributary_explore.plan import Point
from tributary_explore.run_folder import DONE, FAILED, RunFolder
from tributary_explore.time_left import TimeLeft

CORES = 2
RECORDED = json.loads((Path(__file__).parent / "recorded_times.json").read_text())


def recorded() -> Iterator[tuple[Point, float]]:
    """The points of a sweep that was run, with their seconds."""
    for experiment, series, coordinates, switch_cycles, seconds in RECORDED["points"]:
        for seed, each in enumerate(seconds, 1):
            configuration = {
                "network": {"processing_elements": 4},  # of as many switch-cycles
                "run": {"warmup": 0, "cycles": switch_cycles // 4},
                "of": [experiment, series, coordinates],
            }
            point = Point(
                experiment=experiment,
                series=series,
                coordinates=coordinates,
                platform="ultracomputer",
                configuration=configuration,
                seed=seed,
            )
            yield point, each


POINTS = [point for point, _ in recorded()]
SECONDS = {point.hash: seconds for point, seconds in recorded()}


def intervals(batches: list[Batch]) -> list[tuple[float, float, Point]]:
    """When each point begins and ends, if the batches run side by side."""
    free = [SECONDS_TO_START_RUN] * CORES
    spans = []
    for batch in batches:
        at = heapq.heappop(free) + SECONDS_TO_START_BATCH
        for point in batch.points:
            spans.append((at, at + SECONDS[point.hash], point))
            at += SECONDS[point.hash]
        heapq.heappush(free, at)
    return sorted(spans, key=lambda span: span[1])


def estimates(cost: CostModel) -> Iterator[tuple[float, float]]:
    """At each hundredth of a run: the time left, and what was expected of it."""
    batches = make_batches(POINTS, cost, 30, CORES)
    spans = intervals(batches)
    whole = spans[-1][1]
    time_left = TimeLeft(batches, cost, CORES)
    for hundredth in range(10, 96):
        now = whole * hundredth / 100
        while spans[0][1] <= now:
            point = spans.pop(0)[2]
            time_left.learn({**journal_entry(point, SECONDS[point.hash]), "state": DONE})
        at_work = {point.hash: now - begun for begun, _, point in spans if begun <= now}
        expected = time_left.seconds(at_work)
        assert expected is not None
        yield whole - now, expected


def test_the_times_are_of_all_sizes() -> None:
    assert len(POINTS) == len(SECONDS)
    assert max(SECONDS.values()) > 50 * min(SECONDS.values())


def test_the_time_left_is_within_a_factor_of_two() -> None:
    for left, expected in estimates(CostModel()):
        assert left / 2 < expected < left * 2, f"{left:.1f} s left, expected {expected:.1f} s"


def test_a_journal_makes_the_first_estimate_better() -> None:
    entries = [journal_entry(point, SECONDS[point.hash]) for point in POINTS]
    whole = intervals(make_batches(POINTS, CostModel(), 30, CORES))[-1][1]
    for cost, factor in ((CostModel(), 2), (CostModel(entries), 1.2)):
        expected = run_seconds(make_batches(POINTS, cost, 30, CORES), CORES)
        assert whole / factor < expected < whole * factor


def test_before_the_first_point_has_ended_nothing_is_known() -> None:
    time_left = TimeLeft(make_batches(POINTS, CostModel(), 30, CORES), CostModel(), CORES)
    assert time_left.seconds({}) is None
    # A failed point has ended, and tells nothing of the others.
    time_left.learn({**journal_entry(POINTS[0], 1000.0), "state": FAILED})
    first = time_left.seconds({})
    assert first is not None and first < 500


def test_a_long_point_under_way_is_waited_for() -> None:
    long, *others = POINTS[:3]
    batches = [Batch("0000", (long,), 1.0), Batch("0001", tuple(others), 1.0)]
    time_left = TimeLeft(batches, CostModel(), CORES)
    time_left.learn({**journal_entry(others[0], 1.0), "state": DONE})
    assert time_left.seconds({long.hash: 1000.0}) == pytest.approx(500)


def test_batches_that_begin_anew_after_a_killed_job_wait_for_a_core() -> None:
    batches = [Batch(f"{i:04}", tuple(POINTS[2 * i : 2 * i + 2]), 1.0) for i in range(8)]
    time_left = TimeLeft(batches, CostModel(), CORES)
    for batch in batches:
        time_left.learn({**journal_entry(batch.points[0], 30.0), "state": FAILED})
    left = [CostModel().seconds(batch.points[1]) for batch in batches]
    assert time_left.seconds({}) == pytest.approx(makespan((), left, CORES))
    # More than there are cores for cannot be at work.
    everything = {batch.points[1].hash: 0.0 for batch in batches}
    expected = time_left.seconds(everything)
    assert expected is not None and expected > sum(left) / CORES
    assert expected == pytest.approx(makespan(left[:CORES], left[CORES:], CORES))


def test_what_is_at_work_is_looked_up_as_seldom_as_the_estimate_is_made() -> None:
    looked: list[int] = []

    def at_work() -> dict[str, float]:
        looked.append(1)
        return {}

    time_left = TimeLeft(make_batches(POINTS, CostModel(), 30, CORES), CostModel(), CORES)
    for _ in range(5):
        time_left.told(at_work)
    assert len(looked) == 1


def test_batches_follow_on_the_core_that_is_free_first() -> None:
    start = SECONDS_TO_START_BATCH
    assert makespan([5, 1], [2, 1], 2) == pytest.approx(5)
    assert makespan([5, 1], [2, 3], 2) == pytest.approx(6 + 2 * start)
    assert makespan([], [4], 3) == pytest.approx(4 + start)
    assert makespan([7, 8, 9], [], 1) == 9
    assert run_seconds([], 2) == 0


def test_the_folders_of_a_run_tell_what_is_under_way(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run-1")
    assert folder.at_work() == {}
    (folder.scratch("0003") / "abc" / "out").mkdir(parents=True)
    begun = time.time() - 7
    os.utime(folder.scratch("0003") / "abc", (begun, begun))
    assert folder.at_work() == {"abc": pytest.approx(7, abs=5)}


def test_a_batch_may_end_while_its_folder_is_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = RunFolder(tmp_path / "run-1")
    for batch, point in (("0001", "ends"), ("0002", "stays")):
        (folder.scratch(batch) / point).mkdir(parents=True)
    for name in ("scandir", "listdir"):
        plain = getattr(os, name)

        def ending(path: Any, plain: Callable[[Any], Any] = plain) -> Any:
            if str(path) == str(folder.scratch("0001")):  # else a descriptor, of rmtree itself
                shutil.rmtree(path)
            return plain(path)

        monkeypatch.setattr(os, name, ending)
    assert set(folder.at_work()) == {"stays"}
