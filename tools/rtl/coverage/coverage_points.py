# SPDX-License-Identifier: Apache-2.0
"""Coverage points as Verilator counts them: read, merged over runs, sorted by kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class CoverageError(Exception):
    """What stands in the way of a report, and what to do."""


class Kind(Enum):
    """What is counted; the values are Verilator's page names."""

    LINE = "v_line"  # a statement, or one side of a branch that has no other
    BRANCH = "v_branch"  # one of two sides
    TOGGLE = "v_toggle"  # a bit that has risen or fallen
    COVER = "v_user"  # a cover statement


@dataclass(frozen=True, order=True)
class Point:
    """One point of the source, whichever instances and parameter sets have it."""

    file: str
    line: int
    column: int
    kind: str
    name: str


Hits = Counter[Point]

# "C '<fields>' <hits>"; a field is a key and a value, with these separators.
_RECORD = re.compile(r"C '(.*)' (\d+)$")
_FIELD, _VALUE = "\x01", "\x02"


def _record(line: str, where: str) -> tuple[dict[str, str], int]:
    found = _RECORD.match(line)
    if found is None:
        raise CoverageError(f"{where} is no record of Verilator's coverage: {line[:60]!r}")
    fields = {}
    for part in filter(None, found[1].split(_FIELD)):
        key, _, value = part.partition(_VALUE)
        fields[key] = value
    return fields, int(found[2])


def read_file(path: Path, sources: dict[Path, str], hits: Hits) -> None:
    """Adds the points of a file that lie in `sources` (by resolved path: the name to show)."""
    names: dict[str, str | None] = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("#"):
            continue
        fields, count = _record(line, f"{path}, line {number}")
        source = fields["f"]
        if source not in names:
            names[source] = sources.get(Path(source).resolve())
        name = names[source]
        if name is None:
            continue
        kind = fields["page"].split("/")[0]
        hits[Point(name, int(fields["l"]), int(fields["n"]), kind, fields["o"])] += count


def read_files(folder: Path, sources: dict[Path, str]) -> tuple[Hits, int]:
    """The merged points of all files of a folder, and how many files there are."""
    files = sorted(folder.glob("*.dat"))
    if not files:
        raise CoverageError(
            f"{folder} holds no coverage (*.dat): run the tests of the preset rtl-coverage first, "
            "which ./dev coverage does"
        )
    hits: Hits = Counter()
    for path in files:
        read_file(path, sources, hits)
    return hits, len(files)


def simulation_only(text: str) -> set[int]:
    """Lines between `ifndef SYNTHESIS and `endif: the cover statements' own, no hardware."""
    lines, inside = set(), False
    for number, line in enumerate(text.splitlines(), 1):
        inside = inside or line.strip() == "`ifndef SYNTHESIS"
        if inside:
            lines.add(number)
        inside = inside and line.strip() != "`endif"
    return lines


def failure_branches(text: str) -> set[int]:
    """Lines of statements that are reached only as an assertion fails: else $error, $fatal."""
    return {
        number
        for number, line in enumerate(text.splitlines(), 1)
        if re.search(r"\belse\s+\$error\b|\$fatal\b", line)
    }


@dataclass
class Coverage:
    """Points of one kind."""

    points: int = 0
    covered: int = 0

    @property
    def percent(self) -> float:
        return 100 * self.covered / self.points if self.points else 100.0

    def add(self, count: int) -> None:
        self.points += 1
        self.covered += count > 0


def coverage(hits: Hits, kinds: Iterable[Kind], file: str = "") -> Coverage:
    """Of these kinds, in one file or in all."""
    wanted = {kind.value for kind in kinds}
    total = Coverage()
    for point, count in hits.items():
        if point.kind in wanted and file in ("", point.file):
            total.add(count)
    return total


def without(hits: Hits, excluded: dict[str, set[int]]) -> tuple[Hits, int]:
    """Without the points of lines and toggles on excluded lines (by file), and how many these are.

    Cover statements stay, wherever they are.
    """
    kept: Hits = Counter()
    for point, count in hits.items():
        if point.kind == Kind.COVER.value or point.line not in excluded[point.file]:
            kept[point] = count
    return kept, len(hits) - len(kept)
