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

# docs/performance.md, G1.rate: 19 to 29 million switch-cycles per CPU second, the largest network
# slowest. Too low an estimate only makes smaller batches.
SWITCH_CYCLES_A_SECOND: Final = 20e6
# Starting the program, and checking and moving its result: 0.02 s for 4 elements.
SECONDS_TO_START: Final = 0.02

# Above this Snakemake's own time begins to count: 58 s before the first of 20,000 jobs starts.
MOST_BATCHES: Final = 2000
# Several batches a core even out what the estimate gets wrong, unless they become so short that
# starting them (0.3 s) counts.
_BATCHES_A_CORE: Final = 4
_SHORT_BATCH_SECONDS: Final = 3.0

# As many seconds of the estimate as weigh as much as the same time measured.
_TRUST_IN_RATE_SECONDS: Final = 1.0


@dataclass(frozen=True)
class Batch:
    """Points that one job runs, one after another."""

    name: str
    points: tuple[Point, ...]
    seconds: float
    """Expected on one core."""


class CostModel:
    """Expects the seconds that a point takes.

    From its switch-cycles and, where points of the same curve, or else of the same sweep, have been
    run, from how long these took.
    """

    def __init__(self, journal: Iterable[Mapping[str, Any]] = ()) -> None:
        expected: dict[str, float] = defaultdict(float)
        measured: dict[str, float] = defaultdict(float)
        for entry in journal:
            for key in (entry["curve"], ""):
                expected[key] += entry["switch_cycles"] / SWITCH_CYCLES_A_SECOND
                measured[key] += max(0.0, entry["seconds"] - SECONDS_TO_START)
        self._factors = {
            key: (measured[key] + _TRUST_IN_RATE_SECONDS) / (expected[key] + _TRUST_IN_RATE_SECONDS)
            for key in expected
        }

    def seconds(self, point: Point) -> float:
        """Expected on one core, starting and checking included."""
        factor = self._factors.get(curve(point), self._factors.get("", 1.0))
        return SECONDS_TO_START + factor * point.switch_cycles / SWITCH_CYCLES_A_SECOND


def curve(point: Point) -> str:
    """Names the points that the cost model takes to be alike."""
    return f"{point.experiment}/{point.series}"


def journal_entry(point: Point, seconds: float) -> dict[str, Any]:
    """What the cost model learns from a point that has been run."""
    return {
        "hash": point.hash,
        "curve": curve(point),
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
        Batch(f"{number:04}", tuple(contents[index]), lengths[index])
        for number, index in enumerate(order)
    ]
