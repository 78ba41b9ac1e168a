# SPDX-License-Identifier: Apache-2.0
"""Puts each seeded fault into a copy of the RTL and runs it beside the core."""

import shutil
from collections.abc import Callable
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


def prepare(tools: Toolchain, fault: Fault, work: Path) -> Path:
    """A folder with a copy of the RTL that has the fault. Raises FaultError if it does not fit."""
    folder = work / fault.name
    shutil.rmtree(folder, ignore_errors=True)
    rtl = folder / "rtl"
    rtl.mkdir(parents=True)
    for name in tools.sources():
        shutil.copyfile(tools.rtl / name, rtl / name)
    put_into(fault, rtl)
    return folder


def run_fault(tools: Toolchain, fault: Fault, folder: Path) -> SeededResult:
    """Builds and runs a prepared fault. Raises ToolError if it does not build."""
    sources = [folder / "rtl" / name for name in tools.sources()]
    model = tools.build(sources, SETS[fault.parameters], folder)
    verdict = tools.lockstep_verdict(model, 0, CYCLES)
    if verdict.killed:
        shutil.rmtree(folder)
    return SeededResult(fault, verdict)


def run_faults(
    tools: Toolchain, faults: list[Fault], work: Path, jobs: int, say: Callable[[str], None]
) -> list[SeededResult]:
    """All of them, in their order, `jobs` at once; says each as it ends."""
    folders = [prepare(tools, fault, work) for fault in faults]

    def one(fault: Fault, folder: Path) -> SeededResult:
        result = run_fault(tools, fault, folder)
        end = result.verdict
        say(
            f"{fault.file}: {fault.name}: "
            + (f"killed in cycle {end.cycle}: {end.what}" if end.killed else "SURVIVED")
        )
        return result

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, faults, folders))
