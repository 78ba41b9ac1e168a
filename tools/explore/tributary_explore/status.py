# SPDX-License-Identifier: Apache-2.0
"""What a sweep's folder holds."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .store import Failure, PlannedPoint, PointState, Store


@dataclass(frozen=True)
class Status:
    """The points of a folder by state, and why some failed."""

    version: str
    """Of the simulator, at the last run."""
    command: str
    """Of the last run."""
    counts: Mapping[tuple[str, PointState], int]
    """Points by experiment and state."""
    failures: Sequence[tuple[PlannedPoint, Failure]]

    def of_state(self, state: PointState) -> int:
        return sum(count for (_, each), count in self.counts.items() if each is state)

    @property
    def experiments(self) -> list[str]:
        return list(dict.fromkeys(experiment for experiment, _ in self.counts))


def status_of(store: Store) -> Status:
    """Looks at every point that was planned. Raises `ExploreError` if the folder is of no sweep."""
    plan = store.plan()
    points = store.points()
    states = [(point, store.state(point, plan["version"])) for point in points]
    failures = [
        (point, failure)
        for point, state in states
        if state is PointState.FAILED and (failure := store.failure(point)) is not None
    ]
    counts = Counter((point.experiment, state) for point, state in states)
    return Status(plan["version"], plan["command"], counts, failures)
