# SPDX-License-Identifier: Apache-2.0
"""Puts each seeded fault into a copy of the RTL and runs it beside the core."""

import shutil
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from .faults import Fault, put_into
from .parameters import SETS
from .toolchain import Toolchain, Verdict

CYCLES = 3200  # of each of the sixteen runs of a mutant: all phases of the traffic


@dataclass(frozen=True)
class SeededResult:
    fault: Fault
    verdict: Verdict


def run_fault(tools: Toolchain, fault: Fault, work: Path) -> SeededResult:
    """Raises FaultError if the fault does not fit the RTL, ToolError if it does not build."""
    folder = work / fault.name
    shutil.rmtree(folder, ignore_errors=True)
    rtl = folder / "rtl"
    rtl.mkdir(parents=True)
    names = tools.sources()
    for name in names:
        shutil.copyfile(tools.rtl / name, rtl / name)
    put_into(fault, rtl)
    model = tools.build([rtl / name for name in names], SETS[fault.parameters], folder)
    verdict = tools.lockstep_verdict(model, 0, CYCLES)
    if verdict.killed:
        shutil.rmtree(folder)
    return SeededResult(fault, verdict)


def run_faults(
    tools: Toolchain, faults: Iterable[Fault], work: Path, jobs: int, say: Callable[[str], None]
) -> list[SeededResult]:
    """All of them, in their order, `jobs` at once; says each as it ends."""

    def one(fault: Fault) -> SeededResult:
        result = run_fault(tools, fault, work)
        end = result.verdict
        say(
            f"{fault.file}: {fault.name}: "
            + (f"killed in cycle {end.cycle}: {end.what}" if end.killed else "SURVIVED")
        )
        return result

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, faults))
