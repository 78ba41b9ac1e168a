# SPDX-License-Identifier: Apache-2.0
"""How long the point lists take, as measured: expected_hours.json."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from tributary_explore.batches import read_journal
from tributary_explore.errors import ExploreError
from tributary_explore.files import write_whole
from tributary_explore.plan import Plan
from tributary_explore.store import Store

FILE: Final = Path(__file__).parent / "expected_hours.json"
_SECONDS: Final = 3600.0


@dataclass(frozen=True)
class ListHours:
    """A point list and what it takes."""

    name: str
    points: int
    """Different ones, each run once."""
    hours: float
    """Of one core."""


@dataclass(frozen=True)
class Hours:
    """Of every list that has been measured, by name."""

    lists: tuple[ListHours, ...]

    def of(self, name: str) -> ListHours | None:
        return next((each for each in self.lists if each.name == name), None)

    def only(self, names: Collection[str]) -> Hours:
        """Of some lists."""
        return Hours(tuple(each for each in self.lists if each.name in names))

    def replaced(self, now: ListHours) -> Hours:
        """With what a list takes now in place of what it took."""
        others = [each for each in self.lists if each.name != now.name]
        return Hours(tuple(sorted([*others, now], key=lambda each: each.name)))


def read_hours(file: Path = FILE) -> Hours:
    """What is written down. Raises `ExploreError` that names the file."""
    if not file.exists():
        return Hours(())
    try:
        return Hours(tuple(ListHours(**each) for each in json.loads(file.read_bytes())["lists"]))
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise ExploreError(
            f"{file} cannot be read: {problem}; delete it, and write it again by --record-hours"
        ) from problem


def write_hours(hours: Hours, file: Path = FILE) -> None:
    """Writes it, whole or not at all."""
    document = {"lists": [asdict(each) for each in hours.lists]}
    write_whole(file, json.dumps(document, indent=2) + "\n")


def measured(name: str, plan: Plan, store: Store) -> ListHours:
    """What the points of a plan took when they were run.

    Raises `ExploreError` if that is not known of all.
    """
    took: Mapping[str, float] = {
        entry["hash"]: float(entry["seconds"]) for entry in read_journal(store.journal_file)
    }
    points = {point.hash: point.label for point in plan.points}
    unknown = [label for each, label in points.items() if each not in took]
    if unknown:
        raise ExploreError(
            f"{store.journal_file} does not know how long {unknown[0]} took; delete {store.folder} "
            "and run again with --record-hours"
        )
    return ListHours(name, len(points), round(sum(took[each] for each in points) / _SECONDS, 2))
