# SPDX-License-Identifier: Apache-2.0
"""Coverage points as Verilator counts them: read, merged over runs, sorted by kind."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from common.errors import ToolError

# What is counted, by Verilator's page names: a statement, or one side of a branch that has no
# other; one of two sides; a bit that has risen or fallen; a cover statement.
LINES = ("v_line", "v_branch")
TOGGLES = ("v_toggle",)
COVERS = ("v_user",)


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


@cache
def _resolved(path: str) -> Path:
    return Path(path).resolve()


def _read_file(path: Path, sources: dict[Path, str], hits: Hits) -> None:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("#"):
            continue
        found = _RECORD.match(line)
        if found is None:
            raise ToolError(
                f"{path}, line {number} is no record of Verilator's coverage: {line[:60]!r}"
            )
        fields = dict(part.split(_VALUE, 1) for part in found[1].split(_FIELD) if part)
        name = sources.get(_resolved(fields["f"]))
        if name is not None:
            place = int(fields["l"]), int(fields["n"])
            kind = fields["page"].split("/")[0]
            hits[Point(name, *place, kind, fields["o"])] += int(found[2])


def read_files(folder: Path, sources: dict[Path, str]) -> tuple[Hits, int]:
    """The merged points of all files of a folder that lie in `sources` (by resolved path: the name
    to show), and how many files there are."""
    files = sorted(folder.glob("*.dat"))
    if not files:
        raise ToolError(
            f"{folder} holds no coverage (*.dat): run the tests of the preset rtl-coverage first, "
            "which ./dev coverage does"
        )
    hits: Hits = Counter()
    for path in files:
        _read_file(path, sources, hits)
    return hits, len(files)


def no_hardware(text: str) -> set[int]:
    """Lines between `ifndef SYNTHESIS and `endif, the cover statements' own, and of statements that
    are reached only as an assertion fails: else $error, $fatal."""
    lines, inside = set(), False
    for number, line in enumerate(text.splitlines(), 1):
        inside = inside or line.strip() == "`ifndef SYNTHESIS"
        if inside or re.search(r"\belse\s+\$error\b|\$fatal\b", line):
            lines.add(number)
        inside = inside and line.strip() != "`endif"
    return lines


def without(hits: Hits, excluded: dict[str, set[int]]) -> tuple[Hits, int]:
    """Without the points of lines and toggles on excluded lines (by file), and how many these are.

    Cover statements stay, wherever they are.
    """
    kept = Counter(
        {
            point: count
            for point, count in hits.items()
            if point.kind in COVERS or point.line not in excluded[point.file]
        }
    )
    return kept, len(hits) - len(kept)


def covered(hits: Hits, kinds: Sequence[str], file: str = "") -> tuple[int, int]:
    """How many points of these kinds are reached, and how many there are, in one file or in all."""
    counts = [
        count for point, count in hits.items() if point.kind in kinds and file in ("", point.file)
    ]
    return sum(count > 0 for count in counts), len(counts)


def missed(hits: Hits, kinds: Sequence[str]) -> list[Point]:
    return sorted(point for point, count in hits.items() if point.kind in kinds and not count)
