# SPDX-License-Identifier: Apache-2.0
"""Static timing by OpenSTA: the slowest path from register to register, and the FO4 of a library.

What OpenSTA prints is read strictly: whatever is not as expected is an error, never a number.
"""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common.errors import ToolError
from common.programs import run

from .libraries import Cells
from .netlist import Netlist

CLOCK = "clk_i"

# Of the inverter chain: the slew of the ideal input is gone after the first stages, and the last
# stage has no other behind it; an even number has as many rising edges as falling ones.
_SETTLING, _MEASURED, _ENDING = 6, 6, 2
_FANOUT = 4


@dataclass(frozen=True)
class Step:
    """An output pin on a path, and when its edge is there."""

    cell: str
    kind: str
    """The library's cell."""
    arrival_ns: float


@dataclass(frozen=True)
class SlowestPath:
    """From the clock's edge at one register until the data must be at another."""

    delay_ns: float
    """Arrival and setup: the shortest clock period."""
    steps: tuple[Step, ...]
    """The first is the register that it starts from."""
    end: str


@dataclass(frozen=True)
class Timing:
    """What a netlist takes."""

    path: SlowestPath
    registers: int


def version() -> str:
    """OpenSTA's; "none" if it is missing."""
    if shutil.which("sta") is None:
        return "none"
    return subprocess.run(
        ["sta", "-version"], capture_output=True, text=True, check=True
    ).stdout.strip()


def time_netlist(netlist: Netlist, cells: Cells, folder: Path) -> Timing:
    """The slowest path of a netlist from register to register. Raises `ToolError`.

    Ports have no time, so nothing starts or ends there.
    """
    script = [
        f"read_verilog {netlist.file}",
        f"link_design {netlist.top}",
        f"if {{[llength [get_ports -quiet {CLOCK}]] != 1}} {{ error {{no clock {CLOCK}}} }}",
        f"create_clock -name clock -period 0 [get_ports {CLOCK}]",
        # Each prints what it finds, and the report below has no place for that.
        "check_setup -no_clock -multiple_clock -loops -generated_clocks",
        'puts "registers [llength [all_registers -cells]]"',
        "report_checks -path_delay max -from [all_registers -clock_pins] "
        "-to [all_registers -data_pins] -digits 9",
    ]
    said = _sta(script, cells, folder / "timing")
    found = re.fullmatch(r"registers (\d+)\n(Startpoint: .*)", said, re.DOTALL)
    if found is None:
        raise _unexpected(netlist.top, said)
    return Timing(path_of(netlist.top, found[2]), int(found[1]))


def fo4_ns(cells: Cells, folder: Path) -> float:
    """Delay of an inverter that drives four like it, the mean of some in a chain."""
    stages = _SETTLING + _MEASURED + _ENDING
    inverter, source, sink = cells.library.inverter
    lines = ["module chain (input in, output out);", f"  wire [{stages}:0] n;"]
    lines += ["  assign n[0] = in;", f"  assign out = n[{stages}];"]
    for i in range(stages):
        lines.append(f"  {inverter} stage{i} (.{source}(n[{i}]), .{sink}(n[{i + 1}]));")
        lines += [f"  {inverter} load{i}_{j} (.{source}(n[{i + 1}]));" for j in range(_FANOUT - 1)]
    file = folder / "chain.v"
    file.write_text("\n".join([*lines, "endmodule", ""]))
    script = [
        f"read_verilog {file}",
        "link_design chain",
        "create_clock -name clock -period 0",
        "set_input_delay 0 -clock clock [get_ports in]",
        "set_output_delay 0 -clock clock [get_ports out]",
        "report_checks -path_delay max -digits 9",
    ]
    said = _sta(script, cells, folder / "fo4")
    arrivals = {step.cell: step.arrival_ns for step in _steps("chain", said)}
    try:
        first, last = (
            arrivals[f"stage{_SETTLING - 1}"],
            arrivals[f"stage{_SETTLING + _MEASURED - 1}"],
        )
    except KeyError as problem:
        raise _unexpected("chain", said) from problem
    return (last - first) / _MEASURED


def _sta(script: Sequence[str], cells: Cells, stem: Path) -> str:
    """Runs OpenSTA on a script; what it prints."""
    program = shutil.which("sta")
    if program is None:
        raise ToolError("OpenSTA, program sta, is missing; install Debian's package opensta")
    file = stem.with_suffix(".tcl")
    lines = [*(f"read_liberty {each}" for each in cells.files), "set_cmd_units -time ns"]
    lines += [
        f'if {{[catch {{{each}}} problem]}} {{ puts "Error: $problem"; exit 1 }}' for each in script
    ]
    file.write_text("\n".join([*lines, "exit 0", ""]))
    command = [program, "-no_splash", "-exit", str(file)]
    ran = run(command, stem.parent, stem.with_suffix(".log"))
    said = ran.output
    if ran.status != 0 or re.search(r"\b(warning|error)\b", said, re.IGNORECASE):
        raise ToolError(f"OpenSTA complains, so nothing is measured: {said.strip()}")
    return said


_STEP = re.compile(r"^ +-?[\d.]+ +(-?[\d.]+) [v^] (\S+)/(\S+) \((\S+)\)$", re.MULTILINE)
_REGISTER = r"(\S+)\n? *\(rising edge-triggered flip-flop clocked by clock\)"


def _steps(top: str, said: str) -> list[Step]:
    """The pins on the data's way."""
    data, arrival, _ = said.partition("data arrival time")
    if not arrival:
        raise _unexpected(top, said)
    return [Step(m[2], m[4], float(m[1])) for m in _STEP.finditer(data)]


def path_of(top: str, said: str) -> SlowestPath:
    """The one path of a report. Raises `ToolError`."""
    ends = re.match(rf"Startpoint: {_REGISTER}\nEndpoint: {_REGISTER}\n", said)
    slack = re.findall(r"^ +(-[\d.]+) +slack \(VIOLATED\)$", said, re.MULTILINE)
    if ends is None or len(slack) != 1:
        raise _unexpected(top, said)
    steps = _steps(top, said)
    # The clock pin of the first register, its output, ..., the data pin of the last.
    if len(steps) < 3 or steps[0].cell != ends[1] or steps[-1].cell != ends[2]:
        raise _unexpected(top, said)
    return SlowestPath(-float(slack[0]), tuple(steps[1:-1]), ends[2])


def _unexpected(top: str, said: str) -> ToolError:
    return ToolError(
        f"{top}: OpenSTA reports no path from register to register, or not in the form of version "
        f"2.0: {said.strip() or 'it says nothing'}"
    )
