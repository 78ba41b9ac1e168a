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

# Of the types of tributary_pkg that are no structures.
WIDTHS = {"word_t": 64, "id_t": 48, "form_e": 3}
STRUCTURE = re.compile(r"typedef struct packed \{(.*?)\} (\w+);", re.S)
DECLARATION = re.compile(r"(\w+)\s*(?:\[(?:(\d+)|(\w+)-1):0\])?\s+(\w+);")


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
    """Offset and width of each field of the entry_t of a file; those of a structure in it by
    `request.id`. Raises ToolError if it cannot be read."""
    text = (rtl.parent / "tributary_pkg.sv").read_text(encoding="utf-8") + rtl.read_text("utf-8")
    structures = {name: body for body, name in STRUCTURE.findall(text)}
    if "entry_t" not in structures:
        raise ToolError(f"{rtl.name} has no struct entry_t")
    widths = {**WIDTHS, "Writers": 1 + parameters["DualInput"]}
    fields: dict[str, tuple[int, int]] = {}

    def place(structure: str, path: str, offset: int) -> int:
        for kind, last, bound, name in reversed(DECLARATION.findall(structures[structure])):
            if kind in structures:
                end = place(kind, f"{path}{name}.", offset)
            elif last:
                end = offset + int(last) + 1
            else:
                end = offset + widths.get(bound or kind, 1)
            fields[path + name] = (offset, end - offset)
            offset = end
        return offset

    fields[""] = (0, place("entry_t", "", 0))  # the whole
    return fields
