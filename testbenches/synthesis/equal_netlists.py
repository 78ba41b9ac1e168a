# SPDX-License-Identifier: Apache-2.0
"""Proves by SAT that a netlist of cells does what its RTL does: every register and output gets the
same value from the same registers and inputs.

A program of its own, because yosys prints what it does:
  python3 equal_netlists.py FOLDER
reads what synthesis.netlist left in FOLDER, and ends with 0 if all are proved.
"""

import json
import re
import sys
from pathlib import Path

from common.yosys import new_design, read_command

_FLIP_FLOP = re.compile(
    r"^  \w+ \\(\S+)_reg  \($.*?^    \.Q\((.*?)\)\n  \);$", re.DOTALL | re.MULTILINE
)


def with_registers(netlist: str) -> str:
    """The netlist with a wire for each flip-flop's output, named as the bit of the register."""

    def add(found: re.Match[str]) -> str:
        name, output = f"\\{found[1]} ", found[2]
        keep = f"(* keep *) wire {name};"
        if output == name:
            return found[0]
        return f"{found[0]}\n  {keep}\n  assign {name} = {output};"

    marked = re.sub(
        r"^  wire (\\\S+_q\[\d+\] );$", r"  (* keep *) wire \1;", netlist, flags=re.MULTILINE
    )
    return _FLIP_FLOP.sub(add, marked)


def main(folder: Path) -> None:
    _, run = new_design()
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    top = request["top"]
    run(read_command(request["sources"], top, request["parameters"], "--ignore-assertions"))
    # The names of registers, by which the two are matched, must survive those of equal wires.
    run("setattr -set keep 1 w:*_q")
    run(f"prep -flatten -top {top}")
    run("memory_map")
    run("dffunmap")
    run("splitnets -ports")
    run("opt_clean")
    run(f"rename {top} gold")
    run("design -stash gold")

    # The cells as Liberty says what they do.
    for file in request["liberty"]:
        run(f"read_liberty -ignore_miss_func {file}")
    named = folder / "named.v"
    named.write_text(with_registers((folder / "netlist.v").read_text(encoding="utf-8")))
    run(f"read_verilog {named}")
    run(f"prep -flatten -top {top}")
    run("splitnets -ports")
    run("opt_clean")
    run(f"rename {top} gate")
    run("design -stash gate")

    run("design -copy-from gold -as gold gold")
    run("design -copy-from gate -as gate gate")
    run("equiv_make gold gate equal")
    run("hierarchy -top equal")
    run("opt_clean")
    run("equiv_induct -seq 1")
    run("equiv_status -assert")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
