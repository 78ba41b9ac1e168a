# SPDX-License-Identifier: Apache-2.0
"""Points in batches of about the same time: one batch is one job of Snakemake."""

import heapq
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from .errors import ExploreError
from .plan import Point

# What the sweeps that come with the program make: 48 to 96 million switch-cycles per second of a
# core, as idle ports cost little. Networks with a request at every port make 28 to 37 million
# (docs/performance.md, G1.rate).
SWITCH_CYCLES_A_SECOND: Final = 60e6
# Starting the program, and checking and moving its result: 0.02 s for 4 elements.
SECONDS_TO_START: Final = 0.02
# Starting Snakemake, and a batch.
SECONDS_TO_START_RUN: Final = 1.5
SECONDS_TO_START_BATCH: Final = 0.3

# Above this Snakemake's own time begins to count: 58 s before the first of 20,000 jobs starts.
MOST_BATCHES: Final = 2000
# Several batches a core even out what the estimate gets wrong, unless they become so short that
# starting them (0.3 s) counts.
_BATCHES_A_CORE: Final = 4
_SHORT_BATCH_SECONDS: Final = 3.0

# As many seconds of the estimate as weigh as much as the same time measured: of the whole sweep, of
# a curve, and of points that differ in their seeds only, which are much alike.
_TRUST_SECONDS: Final = (1.0, 1.0, 0.1)


@dataclass(frozen=True)
class Batch:
    """Points that one job runs, one after another."""

    name: str
    points: tuple[Point, ...]
    seconds: float
    """Expected on one core."""


class CostModel:
    """Expects the seconds that a point takes.

    From its switch-cycles and from how long points have taken: those of the sweep, those of its
    curve, and those that differ in their seeds only. The longer the points of one of these groups
    took, the less the wider ones count.
    """

    def __init__(self, journal: Iterable[Mapping[str, Any]] = ()) -> None:
        self._expected: dict[str, float] = defaultdict(float)
        self._measured: dict[str, float] = defaultdict(float)
        for entry in journal:
            self.learn(entry)

    def learn(self, entry: Mapping[str, Any]) -> None:
        """Takes in how long a point took, an entry of a journal."""
        # An older journal has no twins.
        for group in dict.fromkeys(("", entry["curve"], entry.get("twins", ""))):
            self._expected[group] += entry["switch_cycles"] / SWITCH_CYCLES_A_SECOND
            self._measured[group] += max(0.0, entry["seconds"] - SECONDS_TO_START)

    def seconds(self, point: Point) -> float:
        """Expected on one core, starting and checking included."""
        factor = 1.0
        for group, trust in zip(("", curve(point), twins(point)), _TRUST_SECONDS, strict=True):
            measured, expected = self._measured.get(group, 0.0), self._expected.get(group, 0.0)
            factor = (measured + trust * factor) / (expected + trust)
        return SECONDS_TO_START + factor * point.switch_cycles / SWITCH_CYCLES_A_SECOND


def curve(point: Point) -> str:
    """Names the points that the cost model takes to be alike."""
    return f"{point.experiment}/{point.series}"


def twins(point: Point) -> str:
    """Names the points that differ from this one in their seeds only."""
    coordinates = json.dumps(point.coordinates, sort_keys=True)
    return f"{curve(point)}/{coordinates}/{point.switch_cycles:.0f}"


def journal_entry(point: Point, seconds: float) -> dict[str, Any]:
    """What the cost model learns from a point that has been run."""
    return {
        "hash": point.hash,
        "curve": curve(point),
        "twins": twins(point),
        "switch_cycles": point.switch_cycles,
        "seconds": round(seconds, 3),
    }


def read_journal(path: Path) -> list[dict[str, Any]]:
    """Entries of a journal or of a batch's progress; a line cut off by a kill is left out."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []
    return [entry for line in lines if (entry := parse_entry(line)) is not None]


def parse_entry(line: str) -> dict[str, Any] | None:
    """One line of a journal, None if it is not whole."""
    try:
        entry = json.loads(line)
        float(entry["seconds"]), float(entry["switch_cycles"]), str(entry["curve"]), entry["hash"]
    except (ValueError, KeyError, TypeError):
        return None
    return dict(entry)


def make_batches(
    points: Sequence[Point], cost: CostModel, batch_seconds: float, cores: int
) -> list[Batch]:
    """Spreads points over batches, none of which takes much longer than `batch_seconds` unless one
    point alone does; the longest batch comes first.

    There are enough for all `cores`, and never more than 2,000, whose batches are as much longer.
    Within a batch the order is as good as random, so that what has ended tells of what is left.
    """
    if not batch_seconds > 0 or math.isinf(batch_seconds):
        raise ExploreError(f"--batch-seconds: {batch_seconds:g} is no positive number of seconds")
    if not points:
        return []
    seconds = {point.hash: cost.seconds(point) for point in points}
    total = sum(seconds.values())
    count = _batch_count(len(points), total, batch_seconds, cores)
    return _packed(points, seconds, count)


def _batch_count(points: int, total: float, batch_seconds: float, cores: int) -> int:
    by_time = math.ceil(total / batch_seconds)
    for_all_cores = max(cores, min(_BATCHES_A_CORE * cores, int(total / _SHORT_BATCH_SECONDS)))
    return min(max(by_time, for_all_cores), points, MOST_BATCHES)


def _packed(points: Sequence[Point], seconds: Mapping[str, float], count: int) -> list[Batch]:
    """Longest first, each to the batch that has least so far (Graham 1969: at most a third over
    the best)."""
    contents: list[list[Point]] = [[] for _ in range(count)]
    heap = [(0.0, index) for index in range(count)]
    for point in sorted(points, key=lambda each: -seconds[each.hash]):
        least, index = heapq.heappop(heap)
        contents[index].append(point)
        heapq.heappush(heap, (least + seconds[point.hash], index))
    lengths = {index: length for length, index in heap}
    order = sorted(range(count), key=lambda index: -lengths[index])
    return [
        Batch(
            f"{number:04}",
            tuple(sorted(contents[index], key=lambda point: point.hash)),
            lengths[index],
        )
        for number, index in enumerate(order)
    ]


def makespan(running: Iterable[float], waiting: Iterable[float], cores: int) -> float:
    """Seconds until the last batch has ended, if those that wait follow in order on whichever core
    is free first. `running`: what is left of those under way."""
    free = list(running)
    free += [0.0] * (cores - len(free))
    heapq.heapify(free)
    for seconds in waiting:
        heapq.heapreplace(free, free[0] + SECONDS_TO_START_BATCH + seconds)
    return max(free)


def run_seconds(batches: Sequence[Batch], cores: int) -> float:
    """How long a run of these batches is expected to take; 0 if there are none."""
    if not batches:
        return 0.0
    return SECONDS_TO_START_RUN + makespan((), (batch.seconds for batch in batches), cores)
