# SPDX-License-Identifier: Apache-2.0
"""From a point's results.json to its row of the table."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from .configuration import PROCESSORS, flat
from .errors import ExploreError
from .plan import configuration_hash
from .store import PlannedPoint

NO_TYPE = "NULL"
"""Of a column without a value yet."""
STEADY = "run.steady"
"""Of a run until something is steady or all is finished: 0 if that was not before
run.maximum_cycles, else 1. Whatever a sweep file asks for, a table has it of the runs that have it,
as a number of such a run decides nothing."""
SETTLED = "run.settled"
"""Of a run of fixed length: 0 if the machine had not come to rest, else 1. A table has it too."""
MARKS = (STEADY, SETTLED)
"""0 marks a run whose numbers are not those of a machine at rest: hollow in figures."""

_KEYS = {
    "hash": "Names the point's folder: SHA-256 of platform, configuration and seed.",
    "point": "The same for every seed: SHA-256 of platform and configuration.",
    "file": "The results file, relative to the folder of the sweep.",
    "experiment": "Experiment of the sweep.",
    "series": "Series of the base; empty if it has none.",
    "seed": "Seed of all randomness.",
    "platform": "What was simulated.",
    "version": "Version of the simulator.",
}
# Members of a leaf that are not in its own unit, by its kind.
_UNITS = {
    "average": {"count": "samples"},
    "histogram": {"count": "samples", "overflow": "samples", "bins": "samples"},
    "series": {"first_cycle": "cycles", "last_cycle": "cycles", "window": "cycles"},
}
# The figures of an average or a histogram.
_NUMBERS = (".mean", ".count", ".sum", ".min", ".max", ".p50", ".p95", ".p99")
_STAGE = re.compile(r"\.stage\.(\d+)\.")


def any_stage(path: str) -> str:
    """`network.stage.S.arrived` for every stage."""
    return _STAGE.sub(".stage.S.", path)


def stage_of(path: str) -> int | None:
    """The stage that a statistic is of, if it is of one."""
    found = _STAGE.search(path)
    return int(found[1]) if found else None


@dataclass(frozen=True)
class Column:
    """A column of the table."""

    name: str
    kind: str
    """ "key", "parameter" or "statistic"."""
    type: str
    """As DuckDB calls it: BIGINT, DOUBLE[]."""
    unit: str = ""
    """As the simulator gives it: "cycles"; "1" for ratios, empty for what is no quantity."""
    description: str = ""


Row = dict[str, Any]
Columns = dict[str, Column]


def flatten(
    result: Mapping[str, Any], planned: PlannedPoint, file: str, patterns: Iterable[str] = ()
) -> tuple[Row, Columns]:
    """The row of a whole result and the columns that it fills.

    Only statistics that a pattern names, all if there is no pattern: flat paths, in which `*`
    stands for a name or a part of one, and which stand for everything below them too. `MARKS` are
    there whatever the patterns are, if the run has them.
    """
    (point,) = result["points"]
    (run,) = point["runs"]
    keys = (
        planned.hash,
        configuration_hash(result["platform"], point["configuration"], 0),
        file,
        planned.experiment,
        planned.series,
        planned.seed,
        result["platform"],
        result["version"],
    )
    row: Row = dict(zip(_KEYS, keys, strict=True))
    columns = {
        name: Column(name, "key", type_of(row[name]), "", text) for name, text in _KEYS.items()
    }
    if PROCESSORS in point:  # older programs did not say
        row[PROCESSORS] = point[PROCESSORS]
        columns[PROCESSORS] = Column(PROCESSORS, "key", "BIGINT", "", "Processors of the machine.")
    for name, value in flat(point["configuration"]):
        row[name] = json.dumps(value) if isinstance(value, list) else value
        columns[name] = Column(name, "parameter", type_of(row[name]))
    wanted = matcher(tuple(patterns))
    for name, value, unit, description in _statistics(run["statistics"]):
        if not wanted(name) and name not in MARKS:
            continue
        if name in columns:
            raise ExploreError(f"{file}: {name} is a parameter and a statistic, which cannot be")
        if isinstance(value, str) and name.endswith(_NUMBERS):
            raise ExploreError(
                f'{file}: {name} is "{value}" and should be a number; run the sweep again, which '
                "repeats this point once its file is deleted"
            )
        row[name] = value
        columns[name] = Column(name, "statistic", type_of(value), unit, description)
    return row, columns


@cache
def matcher(patterns: tuple[str, ...]) -> Callable[[str], object]:
    """A function that says whether one of the patterns names a flat path."""
    parts = [re.escape(each).replace(r"\*", r"[^.]*") for each in patterns]
    if not parts:
        return lambda name: True
    return re.compile(rf"(?:{'|'.join(parts)})(?:\.|$)").match


def type_of(value: Any) -> str:
    """The type of a column for a value of JSON."""
    match value:
        case None:
            return NO_TYPE
        case bool():
            return "BOOLEAN"
        case int():
            return "BIGINT" if -(2**63) <= value < 2**63 else "DOUBLE"
        case float():
            return "DOUBLE"
        case list():
            inner = NO_TYPE
            for each in value:
                inner = common_type(inner, type_of(each))
            return inner + "[]"
        case _:
            return "VARCHAR"


def common_type(one: str, other: str) -> str:
    """The type that holds the values of both."""
    if one == other or other == NO_TYPE:
        return one
    if one == NO_TYPE:
        return other
    if {one, other} == {"BIGINT", "DOUBLE"}:
        return "DOUBLE"
    if one.endswith("[]") and other.endswith("[]"):
        return common_type(one[:-2], other[:-2]) + "[]"
    return "VARCHAR"


def merge(columns: Columns, more: Columns) -> None:
    """Adds columns to those there are, each with the type that holds all of its values."""
    for name, column in more.items():
        known = columns.setdefault(name, column)
        if known.type != column.type:
            columns[name] = replace(known, type=common_type(known.type, column.type))


def _statistics(group: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any, str, str]]:
    """Flat path, value, unit and description of each number and list of a statistics tree."""
    for group_or_leaf, node in group.items():
        path = prefix + group_or_leaf
        if "kind" not in node:
            yield from _statistics(node, path + ".")
            continue
        unit, description = node.get("unit", ""), node.get("description", "")
        others = _UNITS.get(node["kind"], {})
        for member, value in node.items():
            if member in ("kind", "unit", "description"):
                continue
            name = path if member == "value" else f"{path}.{member}"
            if isinstance(value, str):
                yield name, value, "", description
            elif member == "bins":
                yield name, _without_empty_end(value), others.get(member, unit), description
            else:
                yield name, value, others.get(member, unit), description


def _without_empty_end(bins: list[int]) -> list[int]:
    """The bins up to the last that is not empty: of 8192 most are at the empty end."""
    end = len(bins)
    while end and not any(bins[end // 2 : end]):
        end //= 2
    while end and not bins[end - 1]:
        end -= 1
    return bins[:end]
