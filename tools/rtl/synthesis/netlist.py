# SPDX-License-Identifier: Apache-2.0
"""From the RTL to a netlist of a library's cells, by yosys and ABC.

A program of its own, because yosys prints what it does and keeps its memory:
  python3 -m synthesis.netlist FOLDER
reads FOLDER/request.json and writes FOLDER/netlist.v and FOLDER/cells.json, the number of cells of
each type.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import programs
from common.errors import ToolError
from common.files import RTL, listed_sources, write_json
from common.yosys import Run, new_design, read_command

from . import CACHE, TOPS
from .libraries import Cells
from .map_block import to_gates
from .mapped_blocks import Block, content, mapped_block
from .recipes import FANOUT, Recipe

BLOCKS = CACHE / "blocks"


@dataclass(frozen=True)
class Netlist:
    """A netlist in the library's cells."""

    file: Path
    top: str
    modules: Mapping[str, Mapping[str, int]]
    """Of each module that is in it, the library's cells by type, over all its instances."""


def synthesise(
    top: str,
    parameters: Mapping[str, int],
    recipe: Recipe,
    cells: Cells,
    folder: Path,
    simplify: bool = False,
) -> Netlist:
    """Makes the netlist in a folder that is there, by this program. Raises `ToolError`."""
    library = cells.library
    request = {
        "sources": [*(str(RTL / name) for name in listed_sources()), str(TOPS / f"{top}.sv")],
        "top": top,
        "parameters": parameters,
        "kept_modules": recipe.kept_modules,
        "techmap": recipe.techmap,
        "abc": recipe.abc_options(folder),
        "liberty": [str(file) for file in cells.files],
        "driver": library.driver,
        "load": cells.load,
        "dont_use": library.dont_use,
        "tie_high": library.tie_high,
        "tie_low": library.tie_low,
        # Whether to look for what can be shown to be constant, which takes a while.
        "simplify": simplify,
        # Folder of blocks that have been mapped before.
        "blocks": str(BLOCKS),
    }
    write_json(folder / "request.json", request)
    log = folder / "yosys.log"
    # With its own TMPDIR, so that ABC's scratch is found and goes with the folder.
    ran = programs.run(
        [sys.executable, "-B", "-m", "synthesis.netlist", folder],
        Path(__file__).parents[1],
        log,
        environment={"TMPDIR": str(folder), "LC_ALL": "C.UTF-8"},
    )
    if ran.status != 0:
        raise ToolError(f"yosys failed on {top}:\n{_last_words(log)}")
    modules = _modules(json.loads((folder / "cells.json").read_text()), top)
    unknown = {kind for counts in modules.values() for kind in counts} - cells.areas.keys()
    if unknown:
        raise ToolError(
            f"{top}: not mapped to library {library.name}: {', '.join(sorted(unknown))}; a latch "
            "or an unusual flip-flop in the RTL is the usual cause"
        )
    return Netlist(folder / "netlist.v", top, modules)


def _modules(stat: Mapping[str, Any], top: str) -> dict[str, dict[str, int]]:
    """Cells of each module times its instances, from what `stat -json` says of one instance."""
    counts: dict[str, dict[str, int]] = {
        name.removeprefix("\\"): each["num_cells_by_type"] for name, each in stat["modules"].items()
    }
    found: dict[str, dict[str, int]] = {}

    def add(module: str, instances: int) -> None:
        own = found.setdefault(module, {})
        for kind, count in sorted(counts[module].items()):
            if kind in counts:
                add(kind, instances * count)
            else:
                own[kind] = own.get(kind, 0) + instances * count

    add(top, 1)
    return found


def _last_words(log: Path) -> str:
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    wrong = [line for line in lines if "ERROR" in line or "error:" in line]
    return "\n".join(wrong or lines[-5:] or ["it says nothing"])


def _make(folder: Path) -> None:
    request = json.loads((folder / "request.json").read_text())
    design, run = new_design()
    sources, top = request["sources"], request["top"]
    options = "--keep-hierarchy --ignore-assertions"
    run(read_command(sources, top, request["parameters"], options))
    run(f"hierarchy -check -top {top}")
    run("proc")
    for pattern in request["kept_modules"]:
        run(f"setattr -mod -set keep_hierarchy 1 {pattern}")
    run("flatten")
    _merge_instances(design, run)
    run("select -assert-none t:$dlatch t:$adlatch t:$dlatchsr t:$sr t:$mem_v2")
    run("check -assert")  # no loop, one driver each
    # Blocks are brought to gates one by one, but for what looks beyond the boundary of one.
    if request["simplify"]:
        to_gates(run, request["techmap"])
        _simplify(design, run)
    _map(design, run, request, folder)
    for file in request["liberty"]:
        run(f"read_liberty -lib -ignore_miss_func {file}")
    run("clean")
    run("setundef -zero")
    if request["tie_high"] and request["tie_low"]:
        high, low = " ".join(request["tie_high"]), " ".join(request["tie_low"])
        run(f"hilomap -singleton -hicell {high} -locell {low}")
    # Ports of blocks too: OpenSTA reads no assignment to several ranges of one.
    run("splitnets")
    run(f"splitnets -ports * {top} %d")
    run("opt_clean -purge")
    run("check -mapped -assert")
    run(f"write_verilog -noattr -noexpr -nohex -nodec {folder / 'netlist.v'}")
    run(f"tee -q -o {folder / 'cells.json'} stat -json")


def _map(design: Any, run: Run, request: Mapping[str, Any], folder: Path) -> None:
    """Puts in the place of each module what `map_block` makes of it.

    What drives an input is as strong as a large buffer. An output of the top drives a flip-flop,
    one of a block as many pins as an output may.
    """
    inside = {
        each.name.str().removeprefix("\\"): {
            cell.type.str().removeprefix("\\") for cell in each.cells_.values()
        }
        for each in design.modules_.values()
    }
    modules = sorted(inside)

    def written(module: str) -> str:
        file = folder / "module.il"
        run(f"select ={module}")  # a black box too
        run(f"write_rtlil -selected {file}")
        run("select -clear")
        return content(file.read_text())

    texts = {module: written(module) for module in modules}
    run("blackbox *")
    ports = {module: written(module) for module in modules}
    for module in modules:
        pins = 1 if module == request["top"] else FANOUT
        kept = mapped_block(
            Block(
                rtlil=texts[module],
                ports=[ports[each] for each in modules if each in inside[module]],
                techmap=None if request["simplify"] else request["techmap"],
                abc=request["abc"],
                constraint=f"set_driving_cell {request['driver']}\n"
                f"set_load {pins * request['load']:g} [all_outputs]\n",
                liberty=request["liberty"],
                dont_use=request["dont_use"],
            ),
            Path(request["blocks"]),
            folder,
        )
        run(f"delete ={module}")
        run(f"read_rtlil {kept}")


def _merge_instances(design: Any, run: Run) -> None:
    """One module for all instances of one, which in our tops have the same parameters: slang makes
    one for each, named MODULE$PATH."""
    modules = sorted(name.str().removeprefix("\\") for name in design.modules_)
    first = {
        base: name
        for name in reversed(modules)
        for base, dollar, _ in [name.partition("$")]
        if dollar
    }
    for base, name in sorted(first.items()):
        run(f"rename {name} {base}")
        run(f"chtype -set {base} t:{base}$*")
        run(f"delete {base}$*")
    # Ports that no instance uses, such as those of events.
    run("opt_clean")
    run("opt_hier")


def _simplify(design: Any, run: Run) -> None:
    """Takes constants for gates and flip-flops that can be shown to be constant, until no more go.

    A flip-flop is, if it stays 0 whatever the others do. Reset makes only counters and flags 0, and
    yet the others start from 0 here: that is right where nothing looks at a register before it is
    written, as in all blocks of the switch.
    """
    run("setundef -init -zero")
    left = _flip_flops(design)
    while True:
        run(f"abc -g AND,XOR,MUX -script +strash;dch;ifraig;map {_MAY_BE_IDLE}")
        run("opt -full -nodffe -nosdff")
        run(f"opt_dff -sat -nodffe -nosdff {_MAY_BE_IDLE}")
        # From a block to its parent, and from there to another block.
        for _ in range(2):
            run("opt_clean")
            run("opt_hier")
            run("opt_expr -full")
        run("opt_clean")
        before, left = left, _flip_flops(design)
        if left == before:
            break
    run("setattr -unset init w:*")


# All but the reverse queues, in which every register works, and of which there are many.
_MAY_BE_IDLE = "* reverse_queue %d"


def _flip_flops(design: Any) -> int:
    return sum(
        cell.type.str().startswith("$_DFF_")
        for module in design.modules_.values()
        for cell in module.cells_.values()
    )


if __name__ == "__main__":
    _make(Path(sys.argv[1]))
