# SPDX-License-Identifier: Apache-2.0
"""Runs the mutations that yosys draws from the netlist beside the core."""

import re
import shutil
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from common.errors import ToolError
from common.files import listed_sources, write_json
from common.programs import in_parallel, run, say

from .parameters import SETS
from .toolchain import Toolchain, Verdict

COUNT = 100  # of each parameter set
SEED = 1
SHORT = 3200  # cycles of each of the sixteen runs of a mutant
LONG = 500_000  # of one that is neither found by these nor proved equivalent


@dataclass(frozen=True)
class Mutation:
    """One line of yosys' list."""

    parameters: str
    number: int
    text: str

    def option(self, name: str) -> str:
        """The value of an option of the line, empty without."""
        found = re.search(rf" -{name} (\S+)", self.text)
        return found.group(1) if found else ""

    @property
    def mode(self) -> str:
        return self.option("mode")

    @property
    def source(self) -> str:
        """Where in the RTL, as file:line; empty for what yosys made itself."""
        places = re.findall(r" -src (\S+?:\d+)\.", self.text)
        return places[-1] if places else ""

    @property
    def file(self) -> str:
        return self.source.split(":")[0] or "(made by yosys)"


@dataclass(frozen=True)
class DrawnResult:
    mutation: Mutation
    verdict: Verdict


def run_yosys(arguments: list[str], log: Path) -> None:
    """Runs mutants.netlist. Raises ToolError."""
    command = [sys.executable, "-m", "mutants.netlist", *arguments]
    if run(command, Path(__file__).parents[1], log).status != 0:
        raise ToolError(f"yosys failed; its last words are in {log} (it needs pyosys)")


def draw(tools: Toolchain, name: str, folder: Path) -> list[Mutation]:
    """Draws the mutations of a parameter set and writes their netlist. Raises ToolError."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    request = {
        "rtl": str(tools.rtl),
        "sources": listed_sources(tools.rtl),
        "parameters": SETS[name],
        "count": COUNT,
        "seed": SEED,
        "folder": str(folder.resolve()),
    }
    path = folder / "request.json"
    write_json(path, request)
    run_yosys(["draw", str(path.resolve())], folder / "yosys.log")
    lines = (folder / "mutations.txt").read_text(encoding="utf-8").splitlines()
    if len(lines) != COUNT:
        raise ToolError(f"yosys drew {len(lines)} mutations, not {COUNT}")
    return [Mutation(name, number, line) for number, line in enumerate(lines, start=1)]


def run_mutations(tools: Toolchain, name: str, folder: Path, jobs: int) -> list[DrawnResult]:
    """Draws and runs those of one parameter set."""
    mutations = draw(tools, name, folder)
    model = tools.build([folder / "netlist.v"], SETS[name], folder, netlist=True)
    if tools.lockstep_verdict(model, 0, SHORT).killed:
        raise ToolError(f"the netlist of parameter set {name} without mutation is not the core")
    work = [partial(run_mutation, tools, each, folder, SHORT) for each in mutations]
    results = in_parallel(work, jobs)
    killed = sum(each.verdict.killed for each in results)
    say(f"parameter set {name}: {len(results)} mutations run, {killed} killed")
    return results


def run_mutation(tools: Toolchain, mutation: Mutation, folder: Path, cycles: int) -> DrawnResult:
    """Runs one of those that were drawn."""
    verdict = tools.lockstep_verdict(folder / "model.so", mutation.number, cycles)
    return DrawnResult(mutation, verdict)
