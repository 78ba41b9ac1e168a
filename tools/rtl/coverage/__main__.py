# SPDX-License-Identifier: Apache-2.0
"""Reports the coverage of the RTL by the co-simulation: a page, and numbers for validation.

Fails unless enough line points and all cover points are reached.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from common.errors import ToolError
from common.files import listed_sources, write_whole
from common.markdown import page, table
from common.programs import run_main

from .points import COVERS, LINES, TOGGLES, Hits, covered, missed, no_hardware, read_files, without

REQUIRED_PERCENT = 95


def require_modules(hits: Hits, texts: dict[str, str]) -> None:
    """A module that no test simulates has no points, and must not pass for that."""
    present = {point.file for point in hits}
    lacking = [name for name, text in texts.items() if "\nmodule " in text and name not in present]
    if lacking:
        raise ToolError(f"no test simulates {', '.join(lacking)}; add one to testbenches/cosim")


def share(hits: Hits, kinds: Sequence[str], file: str = "") -> str:
    reached, points = covered(hits, kinds, file)
    return f"{reached} of {points} ({100 * reached / points:.1f} %)" if points else "none"


def file_table(hits: Hits, names: list[str]) -> str:
    rows = [
        (shown, *(share(hits, kinds, name) for kinds in (LINES, TOGGLES, COVERS)))
        for name, shown in [*((name, f"`{name}`") for name in names), ("", "all")]
    ]
    return table("File | Line points | Toggle points | Cover points", rows)


def line_table(hits: Hits, texts: dict[str, str]) -> str:
    rows = []
    for point in missed(hits, LINES):
        source = texts[point.file].splitlines()[point.line - 1].strip().replace("|", "\\|")
        rows.append((f"`{point.file}`:{point.line}", point.name, f"`{source}`"))
    return table("Place | Point | Source", rows) if rows else "Every line point is reached."


def cover_table(hits: Hits) -> str:
    merged: Counter[tuple[str, int, str]] = Counter()
    for point, count in hits.items():
        if point.kind in COVERS:
            merged[point.file, point.line, point.name] += count
    places = sorted(merged.items())
    rows = [(f"`{file}`", name, f"{count:,}") for (file, _, name), count in places]
    return table("File | Cover point | Cycles", rows)


def page_of(hits: Hits, texts: dict[str, str], runs: int, excluded: int) -> str:
    names = [name for name in texts if any(point.file == name for point in hits)]
    parts = [
        "# Coverage of the RTL",
        "<!-- Written by ./dev coverage; do not edit. -->",
        f"What the co-simulation of `testbenches/cosim` reaches of `rtl/`, by Verilator's counts, "
        f"merged over {runs} simulations at the parameter sets of the preset rtl-coverage. "
        f"Required: {REQUIRED_PERCENT} % of the line points, and every cover point; toggles are "
        "reported.",
        "A point is reached if any instance in any simulation reaches it. Line points are "
        "statements and the sides of branches. Not counted are the branches in which an assertion "
        "fails (`else $error`, `$fatal`; Verilator leaves out most of them itself) and the "
        f"lines of the cover points (`ifndef SYNTHESIS`): {excluded} points. Verilator counts the "
        "toggles of signals of at most 256 bits, so of ports but not of the arrays of entries.",
        file_table(hits, names),
        "## Line points not reached",
        line_table(hits, texts),
        "## Cover points",
        "`cover` statements next to the code, with the cycles in which they held, over all "
        "instances.",
        cover_table(hits),
    ]
    return page(parts)


def numbers_of(hits: Hits) -> str:
    document: dict[str, object] = {"schema": "tributary.rtl_coverage/1"}
    for name, kinds in (("line", LINES), ("toggle", TOGGLES), ("functional", COVERS)):
        document[name] = dict(zip(("covered", "points"), covered(hits, kinds), strict=True))
    return json.dumps(document, indent=2) + "\n"


def shortfalls(hits: Hits) -> list[str]:
    reached, points = covered(hits, LINES)
    short = []
    if reached * 100 < points * REQUIRED_PERCENT:
        short.append(f"line points: {share(hits, LINES)}, {REQUIRED_PERCENT} % are required")
    return short + [
        f"cover point never held: rtl/{point.file}:{point.line} {point.name}"
        for point in missed(hits, COVERS)
    ]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="rtl_coverage", description=__doc__)
    parser.add_argument("folder", type=Path, help="with the counts of the tests, *.dat")
    parser.add_argument("--rtl", type=Path, required=True, help="the folder of the RTL")
    parser.add_argument("--page", type=Path, help="the report")
    parser.add_argument("--json", type=Path, help="its numbers")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    sources = {(given.rtl / name).resolve(): name for name in listed_sources(given.rtl)}
    texts = {name: path.read_text() for path, name in sources.items()}
    all_hits, runs = read_files(given.folder, sources)
    require_modules(all_hits, texts)
    excluded = {name: no_hardware(text) for name, text in texts.items()}
    hits, left_out = without(all_hits, excluded)
    if given.page:
        write_whole(given.page, page_of(hits, texts, runs, left_out))
    if given.json:
        write_whole(given.json, numbers_of(hits))
    for name, kinds in (("line", LINES), ("toggle", TOGGLES), ("cover", COVERS)):
        print(f"{name + ' points':<13} {share(hits, kinds)}")
    short = shortfalls(hits)
    for line in short:
        print(f"rtl_coverage: {line}", file=sys.stderr)
    return 1 if short else 0


if __name__ == "__main__":
    run_main("rtl_coverage", main)
