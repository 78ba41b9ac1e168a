# SPDX-License-Identifier: Apache-2.0
"""Runs faults of the C++ cores through the tests; ends with 0 if every one is found."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from .faults import FaultError, fitted, read_faults
from .trial import ROOT, Trial, Verdict


def say(line: str) -> None:
    print(line, flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="core_mutants", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only whether each fits its file")
    parser.add_argument("--work", type=Path, default=Path("build/core_mutants"), help="a folder")
    parser.add_argument("--page", type=Path, help="the page to write; takes all faults")
    parser.add_argument("--only", metavar="TEXT", help="faults with this in their file or name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def page(verdicts: Sequence[Verdict]) -> str:
    killed = sum(each.killed for each in verdicts)
    lines = [
        "# Mutants of the cores",
        "",
        "Written by `./dev mutants --core`; do not edit.",
        "",
        "Do the tests find a fault in the C++ cores? Each fault below is a mistake that somebody "
        "could make, a change of one expression or statement (`tools/core_mutants/faults.toml`), "
        "and the suites `unit` and `property` and the golden traces run with it, as in "
        f"`./dev test`. {killed} of {len(verdicts)} are killed; named is one test that fails.",
        "",
        "| File | Fault | Killed by |",
        "|---|---|---|",
    ]
    lines += [
        f"| {each.fault.file} | {each.fault.name} | {each.killer or '**nothing**'} |"
        for each in verdicts
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    given = arguments()
    faults = read_faults()
    if given.check:
        fitted(ROOT, faults)
        say(f"{len(faults)} faults fit their files")
        return 0
    trial = Trial(given.work.resolve(), given.jobs)
    trial.build(faults, say)
    chosen = [f for f in faults if not given.only or given.only in f"{f.file} {f.name}"]
    verdicts = []
    for place, fault in enumerate(chosen, 1):
        verdicts.append(trial.verdict(fault))
        killer = verdicts[-1].killer or "NOTHING FINDS IT"
        say(f"{place:3}/{len(chosen)} {fault.file}: {fault.name}: {killer}")
    survivors = [each for each in verdicts if not each.killed]
    say(f"{len(verdicts) - len(survivors)} of {len(verdicts)} faults killed")
    if given.page is not None and len(chosen) == len(faults):
        given.page.write_text(page(verdicts), encoding="utf-8")
    return 1 if survivors else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except FaultError as problem:
        sys.exit(f"core_mutants: {problem}")
