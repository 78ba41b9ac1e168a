# SPDX-License-Identifier: Apache-2.0
"""How long the point lists take, as measured: expected_hours.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, NamedTuple

from tributary_explore.batches import read_journal
from tributary_explore.errors import ExploreError
from tributary_explore.files import write_whole
from tributary_explore.plan import Plan
from tributary_explore.store import Store

FILE: Final = Path(__file__).parent / "expected_hours.json"
_SECONDS: Final = 3600.0


class ListHours(NamedTuple):
    """What a point list takes."""

    points: int
    """Different ones, each run once."""
    hours: float
    """Of one core."""


Hours = dict[str, ListHours]
"""Of every list that has been measured, by name."""


def read_hours(file: Path = FILE) -> Hours:
    """What is written down. Raises `ExploreError` that names the file."""
    if not file.exists():
        return {}
    try:
        lists = json.loads(file.read_bytes())["lists"]
        return {each["name"]: ListHours(each["points"], each["hours"]) for each in lists}
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise ExploreError(
            f"{file} cannot be read: {problem}; delete it, and write it again by --record-hours"
        ) from problem


def write_hours(hours: Hours, file: Path = FILE) -> None:
    """Writes it, whole or not at all."""
    lists = [{"name": name, **hours[name]._asdict()} for name in sorted(hours)]
    write_whole(file, json.dumps({"lists": lists}, indent=2) + "\n")


def measured(plan: Plan, store: Store) -> ListHours:
    """What the points of a plan took when they were run.

    Raises `ExploreError` if that is not known of all.
    """
    took = {entry["hash"]: float(entry["seconds"]) for entry in read_journal(store.journal_file)}
    points = {point.hash: point.label for point in plan.points}
    unknown = [label for each, label in points.items() if each not in took]
    if unknown:
        raise ExploreError(
            f"{store.journal_file} does not know how long {unknown[0]} took; delete {store.folder} "
            "and run again with --record-hours"
        )
    return ListHours(len(points), round(sum(took[each] for each in points) / _SECONDS, 2))
