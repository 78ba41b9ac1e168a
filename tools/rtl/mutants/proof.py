# SPDX-License-Identifier: Apache-2.0
"""Proves by SAT that a mutation is equivalent: that no traffic can tell it from the switch."""

import json
from functools import partial
from pathlib import Path

from common import aiger
from common.errors import ToolError
from common.programs import abc_program, in_parallel, run, say

from .cut import cut
from .drawn import COUNT, Mutation, run_yosys
from .harness import Alike, statement
from .netlist import selection_width
from .parameters import SETS
from .toolchain import Toolchain

LIMIT = 300  # CPU seconds for one statement; most take two
# Merges what is equal in both copies, then proves the rest.
SOLVE = "strash; &get; &fraig -C 1000; &put; iprove"


class Prover:
    """The statements of one parameter set, of which `folder` has the netlists (drawn.draw)."""

    def __init__(self, tools: Toolchain, name: str, folder: Path) -> None:
        self.folder = folder.resolve()
        plain = json.loads((folder / "plain.json").read_text(encoding="utf-8"))
        netlist = json.loads((folder / "netlist.json").read_text(encoding="utf-8"))
        alike = Alike(cut(plain, netlist), SETS[name], tools.rtl)
        self.slots = alike.slots()
        (folder / "cut.json").write_text(json.dumps(netlist), encoding="utf-8")
        (folder / "harness.v").write_text(statement(netlist, alike, COUNT), encoding="utf-8")
        run_yosys(["map", str(self.folder)], folder / "map.log")
        self.graph = aiger.read(folder / "harness.aig")

    def holds(self, label: str, number: int, stale: int | None) -> bool:
        """Whether `bad` is constant 0 with mutation `number` and other contents in slot `stale`;
        false if that is not decided in time."""
        values = {
            f"selected[{bit}]": bool(number >> bit & 1) for bit in range(selection_width(COUNT))
        }
        values |= {f"stale[{slot}]": slot == stale for slot in range(len(self.slots))}
        missing = values.keys() - set(self.graph.names.values())
        if missing:
            raise ToolError(f"the statement has no input {min(missing)}")
        graph = aiger.fixed(self.graph, values)
        if graph.outputs[0] in (aiger.FALSE, aiger.TRUE):
            return graph.outputs[0] == aiger.FALSE
        path = self.folder / f"{label}.aig"
        aiger.write(graph, path)
        ran = run([abc_program(), "-c", f"read_aiger {path}; {SOLVE}"], limit=LIMIT)
        path.unlink()
        return "\nUNSATISFIABLE" in ran.output

    def unproved_slots(self, jobs: int) -> list[str]:
        """Slots whose stale contents the switch itself may not ignore; none if all is well."""

        def one(slot: int) -> bool:
            holds = self.holds(f"slot{slot}", 0, slot)
            say(f"stale contents of {self.slots[slot]} are {'' if holds else 'NOT SHOWN '}unseen")
            return holds

        shown = in_parallel([partial(one, slot) for slot in range(len(self.slots))], jobs)
        return [name for name, holds in zip(self.slots, shown, strict=True) if not holds]

    def equivalent(self, mutation: Mutation) -> bool:
        return self.holds(f"mutation{mutation.number}", mutation.number, None)
