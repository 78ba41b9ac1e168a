# SPDX-License-Identifier: Apache-2.0
"""Runs the mutations that yosys draws from the netlist beside the core."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from .parameters import SETS
from .toolchain import Toolchain, ToolError, Verdict

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
    with log.open("w") as out:
        ran = subprocess.run(
            command, cwd=Path(__file__).parent.parent, stdout=out, stderr=out, check=False
        )
    if ran.returncode != 0:
        raise ToolError(f"yosys failed; its last words are in {log} (it needs pyosys)")


def draw(tools: Toolchain, name: str, folder: Path) -> list[Mutation]:
    """Draws the mutations of a parameter set and writes their netlist. Raises ToolError."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    request = {
        "rtl": str(tools.rtl),
        "sources": tools.sources(),
        "parameters": SETS[name],
        "count": COUNT,
        "seed": SEED,
        "folder": str(folder.resolve()),
    }
    path = folder / "request.json"
    path.write_text(json.dumps(request), encoding="utf-8")
    run_yosys(["draw", str(path.resolve())], folder / "yosys.log")
    lines = (folder / "mutations.txt").read_text(encoding="utf-8").splitlines()
    if len(lines) != COUNT:
        raise ToolError(f"yosys drew {len(lines)} mutations, not {COUNT}")
    return [Mutation(name, number, line) for number, line in enumerate(lines, start=1)]


def run_mutations(
    tools: Toolchain, name: str, folder: Path, jobs: int, say: Callable[[str], None]
) -> list[DrawnResult]:
    """Draws and runs those of one parameter set; says how it goes on."""
    mutations = draw(tools, name, folder)
    model = tools.build([folder / "netlist.v"], SETS[name], folder, netlist=True)
    if tools.lockstep_verdict(model, 0, SHORT).killed:
        raise ToolError(f"the netlist of parameter set {name} without mutation is not the core")

    def one(mutation: Mutation) -> DrawnResult:
        return DrawnResult(mutation, tools.lockstep_verdict(model, mutation.number, SHORT))

    with ThreadPoolExecutor(jobs) as pool:
        results = []
        for result in pool.map(one, mutations):
            results.append(result)
            if len(results) % 20 == 0:
                killed = sum(each.verdict.killed for each in results)
                say(f"parameter set {name}: {len(results)} mutations run, {killed} killed")
    return results


def run_long(tools: Toolchain, mutation: Mutation, folder: Path) -> DrawnResult:
    """Runs one of them for long, after run_mutations."""
    model = folder / "model.so"
    return DrawnResult(mutation, tools.lockstep_verdict(model, mutation.number, LONG))
