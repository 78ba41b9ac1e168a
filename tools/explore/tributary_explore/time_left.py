# SPDX-License-Identifier: Apache-2.0
"""When a run will have ended, from its batches and what has ended of them."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .batches import Batch, CostModel, makespan
from .run_folder import DONE

# The estimate is made anew no oftener, and takes no more than this part of the time.
_LEAST_SECONDS: Final = 1.0
_MOST_SHARE: Final = 0.02


class TimeLeft:
    """What is left of a run.

    `cores`: batches that run at a time; the most that have been seen to if None.
    """

    def __init__(self, batches: Sequence[Batch], cost: CostModel, cores: int | None) -> None:
        self._batches = batches
        self._cost = cost
        self._cores = cores
        self._ended: set[str] = set()
        self._seen = 1
        self._told: float | None = None
        self._due = 0.0

    def learn(self, entry: Mapping[str, Any]) -> None:
        """A point has ended, an entry of a batch's progress."""
        self._ended.add(entry["hash"])
        if entry["state"] == DONE:
            self._cost.learn(entry)

    def seconds(self, at_work: Mapping[str, float]) -> float | None:
        """Expected until the run has ended; None before the first point has.

        `at_work`: for how many seconds each point that is being run has been, by its hash.
        """
        if not self._ended:
            return None
        running: list[float] = []
        waiting: list[float] = []
        for batch in self._batches:
            left = [point for point in batch.points if point.hash not in self._ended]
            # One that has ended points alone may wait: after a killed job all begin anew.
            begun = any(point.hash in at_work for point in left)
            seconds = 0.0
            for point in left:
                expected, spent = self._cost.seconds(point), at_work.get(point.hash, 0.0)
                # What takes longer than expected has been half as long again, on the average.
                seconds += max(expected - spent, spent / 2)
            if left:
                (running if begun else waiting).append(seconds)
        self._seen = max(self._seen, len(running))
        cores = self._cores or self._seen
        return makespan(running[:cores], running[cores:] + waiting, cores)

    def told(self, at_work: Callable[[], Mapping[str, float]]) -> float | None:
        """The same, as it was computed lately: with many points that takes a while, as does
        looking what is at work."""
        begun = time.monotonic()
        if begun >= self._due:
            self._told = self.seconds(at_work())
            spent = time.monotonic() - begun
            self._due = begun + max(_LEAST_SECONDS, spent / _MOST_SHARE)
        return self._told
