# SPDX-License-Identifier: Apache-2.0
"""One block from words to a library's cells, by yosys and ABC, without the rest of its circuit.

A program of its own:
  python3 -m synthesis.map_block FOLDER
reads FOLDER/block.json, a `mapped_blocks.Block`, and writes FOLDER/mapped.il.
"""

import json
import sys
from pathlib import Path

from common.yosys import Run, new_design

REGISTER_SUFFIX = "_reg"
"""Of the name of a flip-flop's cell, after that of the register and its bit."""


def to_gates(run: Run, techmap: str) -> None:
    """Brings all modules to gates of one bit; `techmap` is the pass that replaces words."""
    # One flip-flop a bit, named by the register that it is a bit of, before names are merged.
    run("simplemap t:$dff t:$sdff t:$dffe t:$sdffe")
    run(f"rename -wire -suffix {REGISTER_SUFFIX} t:$_*DFF*_")
    for command in ("opt_expr", "opt_clean", "wreduce", "peepopt", "opt_clean", "alumacc"):
        run(command)
    run(f"{_OPTIMISE} -full")
    run(techmap)
    run(f"{_OPTIMISE} -full")


# Enables and resets stay in the logic: flip-flops are plain ones in these libraries, and keep the
# names that they get above.
_OPTIMISE = "opt -nodffe -nosdff"


def _map(folder: Path) -> None:
    block = json.loads((folder / "block.json").read_text())
    design, run = new_design()
    for text in [block["rtlil"], *block["ports"]]:
        file = folder / "part.il"
        file.write_text(text)
        run(f"read_rtlil {file}")
    (module,) = (
        each.name.str().removeprefix("\\")
        for each in design.modules_.values()
        if not each.get_blackbox_attribute()
    )
    if block["techmap"] is not None:
        to_gates(run, block["techmap"])

    liberty = " ".join(f"-liberty {file}" for file in block["liberty"])
    dont_use = " ".join(f"-dont_use {cell}" for cell in block["dont_use"])
    for file in block["liberty"]:
        run(f"read_liberty -lib -ignore_miss_func {file}")
    run(f"dfflibmap {dont_use} {liberty}")
    run(_OPTIMISE)
    constraint = folder / "abc.constr"
    constraint.write_text(block["constraint"])
    run(f"abc {block['abc']} -constr {constraint} {dont_use} {liberty} {module}")
    run(f"select {module}")
    run(f"write_rtlil -selected {folder / 'mapped.il'}")


if __name__ == "__main__":
    _map(Path(sys.argv[1]))
