# SPDX-License-Identifier: Apache-2.0
"""Yosys: mutations drawn from the netlist of the switch, all of them in one netlist.

A program of its own, because yosys prints what it does:
  python3 -m mutants.netlist draw REQUEST
  python3 -m mutants.netlist map FOLDER
`map` makes cut.json and harness.v in FOLDER one and-inverter graph, harness.aig. `draw` reads
REQUEST, a JSON file with `rtl`, `sources`, `parameters`, `count`, `seed`, `folder`, and
writes into the folder:
  mutations.txt  the mutations, one a line, in yosys' words; number 1 is the first
  netlist.v      the switch with an input `mutant_i`: 0 for none, n for mutation n
  netlist.json   the same for the proof of equivalence
  plain.json     the netlist before the mutations
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from common.yosys import new_design, read_command

TOP = "combining_switch"


def selection_width(count: int) -> int:
    """Bits of `mutant_i`."""
    return count.bit_length()


def draw(request: dict[str, Any]) -> None:
    folder = Path(request["folder"])
    os.chdir(request["rtl"])  # so that sources are named without a path
    _, run = new_design()
    run(read_command(request["sources"], TOP, request["parameters"]))
    run(f"prep -flatten -top {TOP}")
    run("delete t:$check t:$print")
    run("opt -full")
    run("setundef -zero")  # constants that nothing looks at
    # Plain flip-flops: the proof of equivalence cuts the netlist at them.
    run("dffunmap")
    run("clean")
    run(f"write_json {folder}/plain.json")
    listed = folder / "mutations.txt"
    run(f"mutate -list {request['count']} -seed {request['seed']} -o {listed}")
    width = selection_width(request["count"])
    for number, line in enumerate(listed.read_text(encoding="utf-8").splitlines(), start=1):
        run(line.replace("mutate", f"mutate -ctrl mutant_i {width} {number}", 1))
    run(f"write_json {folder}/netlist.json")
    # Verilator (5.006) takes a vector whose parts have drivers that look at each other for a loop,
    # and settles it wrongly.
    run("splitnets -driver")
    run(f"write_verilog -noattr {folder}/netlist.v")


def map_harness(folder: Path) -> None:
    _, run = new_design()
    for command in (
        f"read_json {folder}/cut.json",
        f"read_verilog {folder}/harness.v",
        "hierarchy -top harness",
        "proc",
        "flatten",
        "opt -full",
        "techmap",
        "opt",
        "setundef -zero",  # what an index beyond its range gives, in both copies
        "aigmap",
        "opt_clean",
        f"write_aiger -symbols {folder}/harness.aig",
    ):
        run(command)


if __name__ == "__main__":
    if sys.argv[1] == "map":
        map_harness(Path(sys.argv[2]))
    else:
        draw(json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")))
