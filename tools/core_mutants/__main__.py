# SPDX-License-Identifier: Apache-2.0
"""Runs faults of the C++ cores through the tests; ends with 0 if every one is found."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from common import markdown
from common.errors import ToolError
from common.files import ROOT, write_whole
from common.programs import run_main, say

from . import ways
from .faults import fitted, read_faults
from .trial import Trial, Verdict


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="core_mutants", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only whether each fits its file")
    parser.add_argument(
        "--ways",
        action="store_true",
        help="only faults of coherence, by each way to look for them; writes their page",
    )
    parser.add_argument("--work", type=Path, default=Path("build/core_mutants"), help="a folder")
    parser.add_argument(
        "--page", type=Path, help="the page to write; takes all faults, and is not for --ways"
    )
    parser.add_argument(
        "--only",
        metavar="TEXT",
        action="append",
        default=[],
        help="faults with this in their file or name; repeatable",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def page(verdicts: Sequence[Verdict]) -> str:
    killed = sum(bool(each.killer) for each in verdicts)
    own = sum(each.is_by_own_test for each in verdicts)
    parts = [
        "# Mutants of the cores",
        "Written by `./dev mutants --core`; do not edit.",
        "Do the tests find a fault in the C++ cores? Each fault below is a mistake that somebody "
        "could make, a change of one expression or statement (`tools/core_mutants/faults.toml`), "
        "and the suites `unit`, `property` and `exploration` and the golden traces run with it, "
        f"as in `./dev test`. {killed} of {len(verdicts)} are killed, {own} by the test that is "
        "called as the file is. It is asked first, then those of its area, then all; named is one "
        "that fails.",
        markdown.table(
            "File | Fault | Killed by",
            ((each.fault.file, each.fault.name, each.killer or "**nothing**") for each in verdicts),
        ),
    ]
    return markdown.page(parts)


def main() -> int:
    given = arguments()
    faults = read_faults()
    if given.check:
        fitted(ROOT, faults)
        ways.check(faults)
        say(f"{len(faults)} faults fit their files")
        return 0
    if given.ways and given.page is not None:
        raise ToolError(f"--page {given.page}: --ways writes a page of its own, {ways.PAGE.name}")
    asked = [f for f in faults if f.ways] if given.ways else faults
    named = {text: [f for f in asked if text in f"{f.file} {f.name}"] for text in given.only}
    for text, found in named.items():
        if not found:
            kind = "fault of coherence" if given.ways else "fault"
            raise ToolError(f"--only {text}: no {kind} has this in its file or name")
    chosen = [f for f in asked if not named or any(f in found for found in named.values())]
    trial = Trial(given.work.resolve(), given.jobs)
    if given.ways:
        return ways.run(trial, faults, chosen)
    trial.build(faults)
    verdicts = []
    for place, fault in enumerate(chosen, 1):
        verdicts.append(trial.verdict(fault))
        killer = verdicts[-1].killer or "NOTHING FINDS IT"
        say(f"{place:3}/{len(chosen)} {fault.file}: {fault.name}: {killer}")
    killed = sum(bool(each.killer) for each in verdicts)
    say(f"{killed} of {len(verdicts)} faults killed")
    if given.page is not None and len(chosen) == len(faults):
        write_whole(given.page, page(verdicts))
    return 0 if killed == len(verdicts) else 1


if __name__ == "__main__":
    run_main("core_mutants", main)
