# SPDX-License-Identifier: Apache-2.0
"""A netlist of the switch without its registers: their outputs become an input, `state_i`, their
inputs an output, `state_o`; and which bit of these is which register."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common.errors import ToolError
from common.files import listed_sources
from common.slang import module_body

from .netlist import TOP


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


def entry_fields(rtl: Path, module: str, *parameters: str) -> dict[str, tuple[int, int]]:
    """Offset and width of each field of a module's entry_t at parameters NAME=VALUE; those of a
    structure in it by `request.id`, the whole by an empty name."""
    options = [option for each in parameters for option in ("-G", each)]
    files = [str(rtl / name) for name in listed_sources(rtl)]
    entry = module_body(module, [*options, *files]).lookupName("entry_t")
    return dict(_fields(entry, "", 0))


def _fields(kind: Any, path: str, offset: int) -> Iterator[tuple[str, tuple[int, int]]]:
    yield path, (offset, kind.bitWidth)
    if kind.isStruct:
        for each in kind.canonicalType:
            name = f"{path}.{each.name}".lstrip(".")
            yield from _fields(each.type, name, offset + each.bitOffset)
