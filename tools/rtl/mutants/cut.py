# SPDX-License-Identifier: Apache-2.0
"""A netlist of the switch without its registers: their outputs become an input, `state_i`, their
inputs an output, `state_o`; and which bit of these is which register."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common.errors import ToolError

from .netlist import TOP
from .parameters import Parameters

# Widths that no parameter set changes, and form_e.
WIDTHS = {"LocationWidth": 64, "DataWidth": 64, "IdWidth": 48, "form_e": 3}


@dataclass
class State:
    """Positions of the bits of each register in `state_i`, by the register's name."""

    bits: dict[str, dict[int, int]] = field(default_factory=dict)
    width: int = 0


def name_bits(module: dict[str, Any]) -> dict[int, tuple[str, int]]:
    """The register (a name that ends in _q) and the bit that a net carries."""
    names: dict[int, tuple[str, int]] = {}
    for name, net in sorted(module["netnames"].items()):
        if name.endswith("_q"):
            for index, bit in enumerate(net["bits"]):
                if isinstance(bit, int):
                    names.setdefault(bit, (name, index))
    return names


def cut(plain: dict[str, Any], netlist: dict[str, Any]) -> State:
    """Cuts `netlist` in place; the names come from the netlist before its mutations. Raises
    ToolError for a flip-flop that is not a plain one, or has no name."""
    before = plain["modules"][TOP]
    module = netlist["modules"][TOP]
    names = name_bits(before)
    state = State()
    inputs: list[Any] = []
    outputs: list[Any] = []
    for name, cell in before["cells"].items():
        if "ff" not in cell["type"]:
            continue
        if cell["type"] != "$dff" or int(cell["parameters"]["CLK_POLARITY"], 2) != 1:
            raise ToolError(f"{name} is a {cell['type']}, not a plain flip-flop")
        mutated = module["cells"].pop(name)
        for index, bit in enumerate(cell["connections"]["Q"]):
            if bit not in names:
                raise ToolError(f"{name} has an output without the name of a register")
            register, position = names[bit]
            state.bits.setdefault(register, {})[position] = len(inputs)
            inputs.append(mutated["connections"]["Q"][index])
            outputs.append(mutated["connections"]["D"][index])
    state.width = len(inputs)
    module["ports"]["state_i"] = {"direction": "input", "bits": inputs}
    module["ports"]["state_o"] = {"direction": "output", "bits": outputs}
    for name, bits in (("state_i", inputs), ("state_o", outputs)):
        module["netnames"][name] = {"hide_name": 0, "bits": bits, "attributes": {}}
    return state


def struct_fields(rtl: Path, parameters: Parameters) -> dict[str, tuple[int, int]]:
    """Offset and width of each field of the entry_t of a file. Raises ToolError if it cannot be
    read."""
    text = rtl.read_text(encoding="utf-8")
    found = re.search(r"typedef struct packed \{(.*?)\} entry_t;", text, re.S)
    if not found:
        raise ToolError(f"{rtl.name} has no struct entry_t")
    widths = {**WIDTHS, "Writers": 1 + parameters["DualInput"]}
    fields: dict[str, tuple[int, int]] = {}
    offset = 0
    declarations = re.findall(r"(\w+)\s*(?:\[(\w+)-1:0\])?\s+(\w+);", found.group(1))
    for kind, width_name, name in reversed(declarations):
        width = widths[width_name] if width_name else widths.get(kind, 1)
        fields[name] = (offset, width)
        offset += width
    fields[""] = (0, offset)  # the whole
    return fields
