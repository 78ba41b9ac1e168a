# SPDX-License-Identifier: Apache-2.0
"""Puts each seeded fault into a copy of the RTL and runs it beside the core."""

import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from common.files import listed_sources
from common.programs import in_parallel, say

from .faults import Fault, faulty_copy
from .parameters import SETS
from .toolchain import Toolchain, Verdict

CYCLES = 3200  # of each of the sixteen runs of a mutant: all phases of the traffic


@dataclass(frozen=True)
class SeededResult:
    fault: Fault
    verdict: Verdict


def run_faults(tools: Toolchain, faults: list[Fault], work: Path, jobs: int) -> list[SeededResult]:
    """All of them, in their order, `jobs` at once; says each as it ends. Raises ToolError if one
    does not fit or does not build."""
    folders = [work / fault.name for fault in faults]
    for fault, folder in zip(faults, folders, strict=True):
        shutil.rmtree(folder, ignore_errors=True)
        faulty_copy(fault, tools.rtl, folder / "rtl")

    def one(fault: Fault, folder: Path) -> SeededResult:
        sources = [folder / "rtl" / name for name in listed_sources(tools.rtl)]
        model = tools.build(sources, SETS[fault.parameters], folder)
        end = tools.lockstep_verdict(model, 0, CYCLES)
        if end.killed:
            shutil.rmtree(folder)
        fate = f"killed in cycle {end.cycle}: {end.symptom}" if end.killed else "SURVIVED"
        say(f"{fault.file}: {fault.name}: {fate}")
        return SeededResult(fault, end)

    return in_parallel([partial(one, *each) for each in zip(faults, folders, strict=True)], jobs)
