# SPDX-License-Identifier: Apache-2.0
"""Runs faults of the RTL beside the core; ends with 0 if every one is found or explained."""

import argparse
import json
import os
from pathlib import Path

from common.errors import ToolError
from common.programs import run_main, say

from . import report
from .drawn import LONG, DrawnResult, Mutation, run_mutation, run_mutations
from .faults import FAULTS, TESTED, by_name
from .parameters import DRAWN
from .proof import Prover
from .report import Results
from .seeded import run_faults
from .toolchain import Toolchain

EXPLANATIONS = Path(__file__).parent / "explanations.json"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument(
        "command",
        choices=("test", "seeded", "all"),
        help="test: a few seeded faults; seeded: those of --only, or every one; all: every seeded "
        "one, those drawn by yosys, and the report",
    )
    parser.add_argument("--only", nargs="+", metavar="FAULT", help="with seeded: these")
    parser.add_argument("--toolchain", type=Path, required=True, help="written by CMake")
    parser.add_argument("--work", type=Path, required=True, help="a folder for what is built")
    parser.add_argument("--page", type=Path, help="with all: the page to write")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def explain(results: Results) -> list[str]:
    """Takes what people wrote about survivors; returns explanations that are out of date, since
    what they explain does not survive."""
    texts: dict[str, dict[str, str]] = json.loads(EXPLANATIONS.read_text(encoding="utf-8"))
    known = {(each.parameters, each.text): each for each in results.open_drawn()}
    stale = []
    for name, mutations in texts.items():
        for text, why in mutations.items():
            mutation = known.get((name, text))
            if mutation is None:
                stale.append(text)
            else:
                results.explained[mutation] = why
    return stale


def run_drawn(
    tools: Toolchain, name: str, work: Path, jobs: int
) -> tuple[list[DrawnResult], set[Mutation]]:
    """What became of the mutations of one parameter set, and those proved equivalent. Survivors of
    the short runs that cannot be proved equivalent run for long."""
    short = run_mutations(tools, name, work, jobs)
    survivors = sum(not each.verdict.killed for each in short)
    say(f"parameter set {name}: proving {survivors} survivors equivalent")
    prover = Prover(tools, name, work)
    left = prover.unproved_slots(jobs)
    if left:
        raise ToolError(f"not shown that the switch ignores stale contents of {', '.join(left)}")
    results = []
    proved = set()
    for each in short:
        if not each.verdict.killed and prover.equivalent(each.mutation):
            proved.add(each.mutation)
        elif not each.verdict.killed:
            say(f"not proved, so run for long: {name} {each.mutation.number}")
            each = run_mutation(tools, each.mutation, work, LONG)
        results.append(each)
    return results, proved


def run_all(tools: Toolchain, work: Path, jobs: int) -> Results:
    results = Results(run_faults(tools, list(FAULTS), work / "seeded", jobs))
    for name in DRAWN:
        drawn, proved = run_drawn(tools, name, work / name, jobs)
        results.drawn += drawn
        results.proved |= proved
    return results


def main() -> int:
    given = arguments()
    tools = Toolchain.read(given.toolchain)
    stale = []
    if given.command == "all":
        results = run_all(tools, given.work, given.jobs)
        stale = explain(results)
        report.write(results, given.work / "mutants.json", given.page)
    else:
        names = TESTED if given.command == "test" else given.only or ()
        chosen = [by_name(name) for name in names] or list(FAULTS)
        results = Results(run_faults(tools, chosen, given.work / "seeded", given.jobs))
    seeded, drawn = results.open_seeded(), results.open_drawn()
    seen = len(results.seen_seeded())
    say(f"{seen - len(seeded)} of {seen} seeded faults killed")
    if seeded:
        say(
            f"mutants: lockstep does not find {', '.join(seeded)}; their builds are in {given.work}"
        )
    for mutation in drawn:
        say(
            f"mutants: {mutation.parameters} {mutation.number} survives and is not explained; make "
            f"the traffic find it, or say in {EXPLANATIONS.name} why nothing can:\n{mutation.text}"
        )
    for text in stale:
        say(f"mutants: {EXPLANATIONS.name} explains what does not survive; delete it:\n{text}")
    found = [each.fault.name for each in results.unseen_seeded() if each.verdict.killed]
    if found:
        say(f"mutants: faults.py says that lockstep cannot see what it found: {', '.join(found)}")
    return 1 if seeded or drawn or stale or found else 0


if __name__ == "__main__":
    run_main("mutants", main)
