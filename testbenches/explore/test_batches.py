# SPDX-License-Identifier: Apache-2.0
"""Points in batches: each once, about equally long, enough for all cores, not too many."""

from pathlib import Path

import pytest

from tributary_explore.batches import (
    MOST_BATCHES,
    SWITCH_CYCLES_A_SECOND,
    Batch,
    CostModel,
    journal_entry,
    make_batches,
    read_journal,
)
from tributary_explore.errors import ExploreError
from tributary_explore.plan import Point


def point(seed: int, seconds: float = 1.0, series: str = "") -> Point:
    """A point of four elements that is expected to take so long."""
    cycles = round(seconds * SWITCH_CYCLES_A_SECOND / 4)
    configuration = {
        "network": {"processing_elements": 4},
        "run": {"warmup": 0, "cycles": cycles},
    }
    return Point(
        experiment="test",
        series=series,
        coordinates={},
        platform="ultracomputer",
        configuration=configuration,
        seed=seed,
    )


def seeds_of(batches: list[Batch]) -> list[int]:
    return sorted(each.seed for batch in batches for each in batch.points)


def test_every_point_is_in_one_batch_and_batches_are_as_long_as_asked() -> None:
    points = [point(seed, seconds=1 + seed % 5) for seed in range(200)]
    batches = make_batches(points, CostModel(), 30, cores=2)
    lengths = [batch.seconds for batch in batches]
    assert seeds_of(batches) == list(range(200))
    assert len({batch.name for batch in batches}) == len(batches)
    assert 25 < min(lengths) <= max(lengths) < 32
    assert lengths == sorted(lengths, reverse=True)


def test_a_point_longer_than_a_batch_is_alone_and_first() -> None:
    batches = make_batches(
        [*(point(seed) for seed in range(60)), point(60, seconds=100)], CostModel(), 30, cores=2
    )
    assert [each.seed for each in batches[0].points] == [60]


def test_all_cores_have_work_however_short_it_is() -> None:
    for cores in (1, 2, 8, 64):
        points = [point(seed, seconds=0.001) for seed in range(40)]
        batches = make_batches(points, CostModel(), 30, cores)
        assert len(batches) == min(cores, 40)
        assert all(batch.points for batch in batches)


def test_no_points_make_no_batch() -> None:
    assert make_batches([], CostModel(), 30, cores=2) == []


def test_more_than_2000_batches_become_longer_ones() -> None:
    points = [point(seed) for seed in range(2 * MOST_BATCHES + 1)]
    batches = make_batches(points, CostModel(), 1, cores=2)
    assert len(batches) == MOST_BATCHES
    assert len(seeds_of(batches)) == len(points)
    assert batches[0].seconds < 3.5


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan")])
def test_a_length_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(ExploreError, match="--batch-seconds"):
        make_batches([point(1)], CostModel(), seconds, cores=2)


def test_the_estimate_learns_from_points_of_the_same_curve() -> None:
    journal = [journal_entry(point(1, 10, "slow"), 40), journal_entry(point(1, 10, "fast"), 5)]
    cost = CostModel(journal)
    slow, fast, unknown = (cost.seconds(point(2, 10, name)) for name in ("slow", "fast", "other"))
    assert slow == pytest.approx(40, rel=0.1)
    assert fast == pytest.approx(5, rel=0.1)
    assert fast < unknown < slow


def test_short_points_do_not_upset_the_estimate_of_long_ones() -> None:
    journal = [journal_entry(point(seed, 0.001), 0.05) for seed in range(5)]
    assert CostModel(journal).seconds(point(9, 100)) < 130


def test_a_journal_cut_off_by_a_kill_is_read_up_to_there(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    whole = '{"hash": "a", "curve": "b/", "switch_cycles": 1.0, "seconds": 2.0}\n'
    file.write_text(whole + whole[:30])
    assert [entry["hash"] for entry in read_journal(file)] == ["a"]
    file.write_text("[]\nnull\n{}\n" + whole)
    assert len(read_journal(file)) == 1
    assert read_journal(tmp_path / "none") == []
