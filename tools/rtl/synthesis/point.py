# SPDX-License-Identifier: Apache-2.0
"""One point: from a configuration to its statistics."""

import resource
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from common.errors import ToolError

from .blocks import area_blocks, path_blocks, register
from .circuits import circuit
from .libraries import cells
from .netlist import synthesise
from .parameters import Configuration
from .recipes import Recipe
from .results import leaf
from .timing import fo4_ns, time_netlist


def measure(configuration: Configuration, folder: Path) -> tuple[Mapping[str, Any], str]:
    """Statistics of a point, and a log of what took how long. Raises `ToolError`.

    Netlists, scripts and reports are left in the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    design = circuit(configuration)
    recipe = Recipe.of(configuration)
    library = cells(str(configuration["library"]))
    started = _processor_seconds()
    netlist = synthesise(
        design.top,
        design.parameters,
        recipe,
        library,
        folder,
        simplify=design.simplify,
    )
    synthesised = _processor_seconds()
    timing = time_netlist(netlist, library, folder)
    fo4 = fo4_ns(library, folder)
    timed = _processor_seconds()
    if timing.registers != design.flip_flops:
        raise ToolError(
            f"{design.top}: {timing.registers} flip-flops, but its parameters make "
            f"{design.flip_flops}: the flow has removed some that count, or circuits.py counts "
            "wrong"
        )
    areas = {
        module: sum(library.areas[kind] * count for kind, count in counts.items())
        for module, counts in netlist.modules.items()
    }
    area = sum(areas.values())
    path = timing.path
    number = sum(sum(counts.values()) for counts in netlist.modules.values())

    def nand2(value: float) -> float:
        return value / library.nand2_area

    synthesis: dict[str, Any] = {
        "delay_ns": leaf(path.delay_ns, "ns", "Slowest path from register to register, setup too."),
        "delay_fo4": leaf(path.delay_ns / fo4, "FO4", "The same in FO4 of the library."),
        "fo4_ps": leaf(fo4 * 1000, "ps", "An inverter of the library that drives four like it."),
        "area_um2": leaf(area, "µm²", "Of all cells."),
        "area_nand2": leaf(nand2(area), "NAND2", "The same in NAND gates of two inputs."),
        "cells": leaf(number, "cells", "Flip-flops and gates."),
        "flip_flops": leaf(timing.registers, "flip-flops", "Bits of registers."),
        "library": leaf(library.digest, "", "Digest of the library's files."),
        "path": {
            "from": leaf(register(path.steps[0].cell, design.switches), "", "Where it starts."),
            "to": leaf(register(path.end, design.switches), "", "Where it ends."),
        },
    }
    if recipe.hierarchy != "flat":
        # Of a flat netlist only the registers keep the names of their blocks.
        synthesis["path"]["blocks"] = {
            block: leaf(each / fo4, "FO4", f"Of the path, in {block}.")
            for block, each in path_blocks(path, design.switches).items()
        }
        synthesis["area"] = {
            block: leaf(nand2(each), "NAND2", f"Of all of {block}.")
            for block, each in area_blocks(areas).items()
        }
    log = (
        f"yosys and ABC {synthesised - started:.1f} s, OpenSTA {timed - synthesised:.1f} s of a "
        "processor\n"
    )
    return {"synthesis": synthesis}, log


def _processor_seconds() -> float:
    """Of the programs that have been run."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
