# SPDX-License-Identifier: Apache-2.0
"""From SystemVerilog to a verdict: Verilator, the C++ compiler, and the lockstep program."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from common.errors import ToolError
from common.files import ROOT
from common.programs import run

from .parameters import Parameters

# The program that runs a mutant beside the core.
LOCKSTEP = ROOT / "testbenches/mutants"
TIMEOUT = 600  # seconds of a processor; a run takes less than one


@dataclass(frozen=True)
class Verdict:
    """What lockstep found. Of a mutant that it did not find, `symptom` is empty."""

    symptom: str = ""
    cycle: int = 0

    @property
    def killed(self) -> bool:
        return bool(self.symptom)


@dataclass(frozen=True)
class Toolchain:
    """What CMake knows; written by testbenches/mutants/CMakeLists.txt."""

    rtl: Path
    verilator: str
    verilator_root: str
    compiler: str
    launcher: str
    includes: list[str]
    definitions: list[str]
    lockstep: Path

    @classmethod
    def read(cls, path: Path) -> "Toolchain":
        """Raises ToolError if the file is not there."""
        if not path.exists():
            raise ToolError(f"{path} is missing; it is written when CMake configures with the RTL")
        known = json.loads(path.read_text(encoding="utf-8"))
        known["rtl"] = Path(known["rtl"])
        known["lockstep"] = Path(known["lockstep"])
        return cls(**known)

    def build(
        self, sources: list[Path], parameters: Parameters, folder: Path, netlist: bool = False
    ) -> Path:
        """The shared object of a mutant; a netlist has no parameters any more."""
        generated = folder / "verilated"
        arguments = ["--cc", "--assert", "--prefix", "Vmutant", "--top-module", "combining_switch"]
        arguments += ["--x-assign", "unique", "--x-initial", "unique", "-Mdir", str(generated)]
        arguments += ["-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-UNOPTFLAT"]
        if not netlist:
            arguments += [f"-G{name}={value}" for name, value in parameters.items()]
        _build([self.verilator, *arguments, *sources], {"VERILATOR_ROOT": self.verilator_root})
        # In one piece: the runtime's headers cost more than the code.
        model = folder / "model.cpp"
        parts = [LOCKSTEP / "mutant_model.cpp", *sorted(generated.glob("*.cpp"))]
        model.write_text("".join(f'#include "{part}"\n' for part in parts), encoding="utf-8")
        assignments = " ".join(f"p.{name} = {value};" for name, value in parameters.items())
        command = [self.compiler, "-std=c++17", "-O1", "-w", "-fPIC", "-shared"]
        command += [f"-I{generated}", f"-I{LOCKSTEP}"]
        command += [f"-I{include}" for include in self.includes]
        command += [f"-D{definition}" for definition in self.definitions]
        command += [f"-DMUTANT_PARAMETERS={assignments}", "-o", str(folder / "model.so")]
        _build([*filter(None, [self.launcher]), *command, model])
        return folder / "model.so"

    def lockstep_verdict(self, model: Path, selected: int, cycles: int) -> Verdict:
        """Runs mutation `selected` of a shared object beside the core."""
        command = [str(self.lockstep), str(model), str(selected), str(cycles)]
        ran = run(command, limit=TIMEOUT)
        if ran.limited:
            raise ToolError(f"mutant {selected} of {model} ran for {TIMEOUT} s without an end")
        if ran.status == 0:
            return Verdict()
        if ran.status != 1:
            raise ToolError(f"{' '.join(command)} ended with {ran.status}:\n{ran.output}")
        return verdict_of(ran.output)


def verdict_of(output: str) -> Verdict:
    """What the lockstep program printed; raises ToolError if it is not understood."""
    failed = re.search(r"Assertion failed in [^:]*: *(.*)", output)
    cycle = re.search(r"in cycle (\d+)", output)
    if failed and cycle:
        return Verdict(f"assertion: {failed[1]}", int(cycle[1]))
    where = r"^.*(?:: the implementation differs .* in cycle|, cycle) (\d+): (.*)$"
    if found := re.search(where, output, re.MULTILINE):
        return Verdict(found[2], int(found[1]))
    raise ToolError(f"the lockstep program said what nobody understands:\n{output}")


def _build(command: list[str | Path], environment: dict[str, str] | None = None) -> None:
    """Raises ToolError with what the program said if it fails."""
    ran = run(command, limit=TIMEOUT, environment=environment or {})
    if ran.status != 0:
        words = " ".join(map(str, command))
        raise ToolError(f"{words} ended with {ran.status}:\n{ran.output[-4000:]}")
