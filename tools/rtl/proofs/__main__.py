# SPDX-License-Identifier: Apache-2.0
"""Proves properties of the RTL and puts faults before the proofs. Ends with 0 if all is as it must
be. Without names: all proofs, all faults, and the page."""

import argparse
import os
from pathlib import Path

from common.files import ROOT, RTL, write_whole
from common.programs import run_main, say
from mutants.faults import FAULTS

from .faulty import FaultBench, run_faults
from .page import page_of
from .proof_lists import Proof, choose, read_lists
from .properties import Catalogue
from .proving import Bench, Result, run_proofs
from .report import Report, read_lockstep
from .sources import Rtl
from .tools import Tools


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev prove", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="a proof, a block for all of its proofs, or with --faults a fault",
    )
    parser.add_argument("--short", action="store_true", help="the short ones, as the tests do")
    parser.add_argument("--faults", action="store_true", help="only faults, before the proofs")
    parser.add_argument("--list", action="store_true", help="only say which proofs there are")
    parser.add_argument("--fresh", action="store_true", help="prove again what did not change")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="at once")
    parser.add_argument("--rtl", type=Path, default=RTL, help="a folder laid out as rtl/")
    parser.add_argument(
        "--work", type=Path, default=ROOT / "build/proofs", help="for what it makes"
    )
    parser.add_argument("--mutants", type=Path, help="what ./dev mutants found, mutants.json")
    parser.add_argument("--page", type=Path, help="the page to write once everything is proved")
    return parser.parse_args()


def list_proofs(proofs: list[Proof]) -> None:
    for proof in proofs:
        short = ", short" if proof.short else ""
        say(f"{proof.block}: {proof.name}: without bound{short}\n    {proof.says}")


def prove(bench: Bench, proofs: list[Proof], jobs: int) -> dict[str, Result]:
    """The results by the names of the proofs."""
    results = run_proofs(bench, proofs, jobs, say)
    bad = [result.name for result in results if not result.good]
    seconds = sum(result.cpu_seconds for result in results)
    say(f"{len(results) - len(bad)} of {len(results)} proofs are good ({seconds:.0f} CPU s)")
    if bad:
        say(f"prove: not proved: {', '.join(bad)}")
    return {result.name: result for result in results}


def prove_everything(bench: Bench, proofs: list[Proof], given: argparse.Namespace) -> bool:
    """Proofs, faults and the page, which is written only if nothing is wrong."""
    lockstep = read_lockstep(given.mutants)
    results = prove(bench, proofs, given.jobs)
    if not all(each.good for each in results.values()):
        return False
    faulty = FaultBench.of(bench, list(FAULTS), proofs)
    run_faults(faulty, given.jobs, say)
    report = Report(proofs, results, faulty, lockstep)
    problems = report.problems()
    for problem in problems:
        say(f"prove: {problem}")
    if problems:
        return False
    say(
        f"{len(report.bench.faults)} faults: {len(report.killed_by_proof())} found by proof, "
        f"{len(report.killed_by_lockstep())} by lockstep, none by neither"
    )
    if given.page:
        write_whole(given.page, page_of(report, bench.rtl))
    return True


def main() -> int:
    given = arguments()
    rtl = Rtl.at(given.rtl)
    proofs = read_lists(rtl.formal)
    faults = [each for each in FAULTS if given.faults and each.name in given.names]
    names = [name for name in given.names if name not in {each.name for each in faults}]
    chosen = choose(proofs, names, given.short)
    if given.list:
        list_proofs(chosen)
        return 0
    Catalogue.of(rtl, chosen)  # what is wrong with the sources is said first
    work = given.work.resolve()
    bench = Bench(Tools.made_in(work / "tools"), rtl, work, given.fresh)
    if given.faults:
        faulty = FaultBench.of(bench, faults or list(FAULTS), chosen)
        return 0 if run_faults(faulty, given.jobs, say) else 1
    if not given.names and not given.short:
        return 0 if prove_everything(bench, proofs, given) else 1
    return 0 if all(each.good for each in prove(bench, chosen, given.jobs).values()) else 1


if __name__ == "__main__":
    run_main("prove", main)
