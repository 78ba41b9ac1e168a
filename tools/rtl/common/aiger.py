# SPDX-License-Identifier: Apache-2.0
"""And-inverter graphs in the binary AIGER format 1.9: reading, fixing inputs, writing."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .errors import ToolError

FALSE = 0
TRUE = 1


@dataclass(frozen=True)
class Graph:
    """Literals as in AIGER: twice the variable, and 1 more for its inverse. Variable 0 is false;
    inputs, registers and gates follow."""

    inputs: int
    gates: list[tuple[int, int]]
    outputs: list[int]
    names: dict[int, str] = field(default_factory=dict)  # of inputs, from 0
    next_states: list[int] = field(default_factory=list)  # of registers, which are 0 at first
    properties: list[int] = field(default_factory=list)  # of each, what is true where it fails
    constraints: list[int] = field(default_factory=list)


def _numbers(data: Iterator[int]) -> Iterator[int]:
    """Seven bits a byte, the lowest first; the eighth bit says that more follow."""
    number = shift = 0
    for byte in data:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield number
            number = shift = 0


def read(path: Path) -> Graph:
    """What write_aiger of Yosys makes, with -B and -zinit of properties. Raises `ToolError`."""
    head, _, rest = path.read_bytes().partition(b"\n")
    kind, *words = head.split()
    counts = [int(word) for word in words] + [0, 0]
    if kind != b"aig" or len(words) < 5 or any(counts[7:]):
        raise ToolError(f"{path}: not binary AIGER of properties and constraints: {head!r}")
    _, inputs, registers, outputs, gate_count, bad, constraints = counts[:7]
    *lines, tail = rest.split(b"\n", registers + outputs + bad + constraints)
    if any(line.split()[1:] not in ([], [b"0"]) for line in lines[:registers]):
        raise ToolError(f"{path}: a register is not 0 at first; write it with -zinit")
    literals = iter([int(line.split()[0]) for line in lines])
    data = iter(tail)
    numbers = _numbers(data)
    gates = []
    for gate in range(gate_count):
        left = 2 * (1 + inputs + registers + gate) - next(numbers)
        gates.append((left, left - next(numbers)))
    names = {}
    for line in bytes(data).partition(b"\nc\n")[0].splitlines():
        if line[:1] == b"i":
            index, _, name = line[1:].decode().partition(" ")
            names[int(index)] = name

    def section(count: int) -> list[int]:
        return [next(literals) for _ in range(count)]

    next_states, roots = section(registers), section(outputs)
    return Graph(inputs, gates, roots, names, next_states, section(bad), section(constraints))


def fixed(graph: Graph, values: dict[str, bool]) -> Graph:
    """A graph without registers, with these inputs at these values, equal gates merged."""
    literal = [FALSE] + [2 * (i + 1) for i in range(graph.inputs)]
    for index, name in graph.names.items():
        if name in values:
            literal[index + 1] = TRUE if values[name] else FALSE
    gates: list[tuple[int, int]] = []
    known: dict[tuple[int, int], int] = {}
    for first, second in graph.gates:
        a = literal[first >> 1] ^ (first & 1)
        b = literal[second >> 1] ^ (second & 1)
        if a < b:
            a, b = b, a
        if b == FALSE or a ^ b == 1:
            literal.append(FALSE)
        elif b == TRUE or a == b:
            literal.append(a)
        else:
            if (a, b) not in known:
                gates.append((a, b))
                known[a, b] = 2 * (graph.inputs + len(gates))
            literal.append(known[a, b])
    outputs = [literal[root >> 1] ^ (root & 1) for root in graph.outputs]
    return Graph(graph.inputs, gates, outputs, graph.names)


def write(graph: Graph, path: Path) -> None:
    """Writes a graph without registers."""
    count = len(graph.gates)
    head = f"aig {graph.inputs + count} {graph.inputs} 0 {len(graph.outputs)} {count}\n"
    content = bytearray(head.encode())
    for root in graph.outputs:
        content += f"{root}\n".encode()
    for gate, (a, b) in enumerate(graph.gates):
        own = 2 * (graph.inputs + 1 + gate)
        for value in (own - a, a - b):
            while value >= 0x80:
                content.append(value & 0x7F | 0x80)
                value >>= 7
            content.append(value)
    path.write_bytes(bytes(content))
