# SPDX-License-Identifier: Apache-2.0
"""Reports the coverage of the RTL by the co-simulation: a page, and numbers for validation.

Fails unless enough line points and all cover points are reached.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from coverage_points import (
    Coverage,
    CoverageError,
    Hits,
    Kind,
    Point,
    coverage,
    failure_branches,
    read_files,
    simulation_only,
    without,
)

LINES = (Kind.LINE, Kind.BRANCH)
TOGGLES = (Kind.TOGGLE,)
COVERS = (Kind.COVER,)
REQUIRED_PERCENT = 95


def source_files(rtl: Path) -> dict[Path, str]:
    """The files of the RTL, as tributary.f lists them."""
    listed = (rtl / "tributary.f").read_text().splitlines()
    return {(rtl / name).resolve(): name for name in listed if name.endswith(".sv")}


def require_modules(hits: Hits, texts: dict[str, str]) -> None:
    """A module that no test simulates has no points, and must not pass for that."""
    present = {point.file for point in hits}
    missing = [name for name, text in texts.items() if "\nmodule " in text and name not in present]
    if missing:
        raise CoverageError(f"no test simulates {', '.join(missing)}; add one to testbenches/cosim")


def share(of: Coverage) -> str:
    return f"{of.covered} of {of.points} ({of.percent:.1f} %)" if of.points else "none"


def file_table(hits: Hits, names: list[str]) -> list[str]:
    rows = ["| File | Line points | Toggle points | Cover points |", "|---|---|---|---|"]
    for name, shown in [*((name, f"`{name}`") for name in names), ("", "all")]:
        cells = [
            share(coverage(hits, kinds, name)) for kinds in (LINES, [Kind.TOGGLE], [Kind.COVER])
        ]
        rows.append(f"| {shown} | {' | '.join(cells)} |")
    return rows


def missed_lines(hits: Hits, texts: dict[str, str]) -> list[str]:
    kinds = {kind.value for kind in LINES}
    missed = sorted(point for point, count in hits.items() if point.kind in kinds and not count)
    if not missed:
        return ["Every line point is reached."]
    rows = ["| Place | Point | Source |", "|---|---|---|"]
    for point in missed:
        source = texts[point.file].splitlines()[point.line - 1].strip().replace("|", "\\|")
        rows.append(f"| `{point.file}`:{point.line} | {point.name} | `{source}` |")
    return rows


def cover_table(hits: Hits) -> list[str]:
    rows = ["| File | Cover point | Cycles |", "|---|---|---|"]
    merged: dict[tuple[str, int, str], int] = {}
    for point, count in hits.items():
        if point.kind == Kind.COVER.value:
            place = (point.file, point.line, point.name)
            merged[place] = merged.get(place, 0) + count
    rows += [
        f"| `{file}` | {name} | {count:,} |" for (file, _, name), count in sorted(merged.items())
    ]
    return rows


def page_of(hits: Hits, texts: dict[str, str], runs: int, excluded: int) -> str:
    names = [name for name in texts if any(point.file == name for point in hits)]
    parts = [
        "# Coverage of the RTL",
        "",
        "<!-- Written by ./dev coverage; do not edit. -->",
        "",
        f"What the co-simulation of `testbenches/cosim` reaches of `rtl/`, by Verilator's counts, "
        f"merged over {runs} simulations at the parameter sets of the preset rtl-coverage. "
        f"Required: {REQUIRED_PERCENT} % of the line points, and every cover point; toggles are "
        "reported.",
        "",
        "A point is reached if any instance in any simulation reaches it. Line points are "
        "statements and the sides of branches. Not counted are the branches in which an assertion "
        "fails (`else $error`, `$fatal`; Verilator leaves out most of them itself) and the "
        f"lines of the cover points (`ifndef SYNTHESIS`): {excluded} points. Verilator counts the "
        "toggles of signals of at most 256 bits, so of ports but not of the arrays of entries.",
        "",
        *file_table(hits, names),
        "",
        "## Line points not reached",
        "",
        *missed_lines(hits, texts),
        "",
        "## Cover points",
        "",
        "`cover` statements beside the code, with the cycles in which they held, over all "
        "instances.",
        "",
        *cover_table(hits),
    ]
    return "\n".join(parts) + "\n"


def numbers_of(hits: Hits) -> str:
    def member(kinds: tuple[Kind, ...]) -> dict[str, int]:
        found = coverage(hits, kinds)
        return {"covered": found.covered, "points": found.points}

    document = {
        "schema": "tributary.rtl_coverage/1",
        "line": member(LINES),
        "toggle": member(TOGGLES),
        "functional": member(COVERS),
    }
    return json.dumps(document, indent=2) + "\n"


def write_whole(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".new")
    beside.write_text(text)
    os.replace(beside, path)


def shortfalls(hits: Hits) -> list[str]:
    lines = coverage(hits, LINES)
    short = []
    if lines.covered * 100 < lines.points * REQUIRED_PERCENT:
        short.append(f"line points: {share(lines)}, {REQUIRED_PERCENT} % are required")
    missed = sorted(p for p, count in hits.items() if p.kind == Kind.COVER.value and not count)
    short += [f"cover point never held: {place_of(point)} {point.name}" for point in missed]
    return short


def place_of(point: Point) -> str:
    return f"rtl/{point.file}:{point.line}"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="rtl_coverage", description=__doc__)
    parser.add_argument("folder", type=Path, help="with the counts of the tests, *.dat")
    parser.add_argument("--rtl", type=Path, required=True, help="the folder of the RTL")
    parser.add_argument("--page", type=Path, help="the report")
    parser.add_argument("--json", type=Path, help="its numbers")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    sources = source_files(given.rtl)
    texts = {name: path.read_text() for path, name in sources.items()}
    all_hits, runs = read_files(given.folder, sources)
    require_modules(all_hits, texts)
    excluded = {
        name: simulation_only(text) | failure_branches(text) for name, text in texts.items()
    }
    hits, left_out = without(all_hits, excluded)
    if given.page:
        write_whole(given.page, page_of(hits, texts, runs, left_out))
    if given.json:
        write_whole(given.json, numbers_of(hits))
    print(f"line points   {share(coverage(hits, LINES))}")
    print(f"toggle points {share(coverage(hits, TOGGLES))}")
    print(f"cover points  {share(coverage(hits, COVERS))}")
    short = shortfalls(hits)
    for line in short:
        print(f"rtl_coverage: {line}", file=sys.stderr)
    return 1 if short else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CoverageError as error:
        sys.exit(f"rtl_coverage: {error}")
