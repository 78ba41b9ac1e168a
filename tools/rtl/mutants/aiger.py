# SPDX-License-Identifier: Apache-2.0
"""And-inverter graphs in the binary AIGER format: reading, fixing inputs, writing."""

from dataclasses import dataclass
from pathlib import Path

FALSE = 0
TRUE = 1


@dataclass
class Graph:
    """Literals as in AIGER: 2 v, or 2 v + 1 for the complement; variables 1 to `inputs` are the
    inputs, the next are gates in order."""

    inputs: int
    gates: list[tuple[int, int]]
    outputs: list[int]
    names: dict[int, str]  # of inputs, from 0


def read(path: Path) -> Graph:
    """A graph without latches. Raises ValueError for another."""
    content = path.read_bytes()
    end = content.index(b"\n")
    kind, _, inputs, latches, outputs, gates = content[:end].decode().split()
    if kind != "aig" or latches != "0":
        raise ValueError(f"{path} is no binary AIGER file without latches")
    position = end + 1
    roots = []
    for _ in range(int(outputs)):
        end = content.index(b"\n", position)
        roots.append(int(content[position:end]))
        position = end + 1

    def number() -> int:
        nonlocal position
        value = shift = 0
        while True:
            byte = content[position]
            position += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    table = []
    for gate in range(int(gates)):
        left = 2 * (int(inputs) + 1 + gate) - number()
        table.append((left, left - number()))
    names = {}
    for line in content[position:].split(b"\n"):
        if line[:1] == b"c":
            break
        if line[:1] == b"i":
            index, _, name = line[1:].decode().partition(" ")
            names[int(index)] = name
    return Graph(int(inputs), table, roots, names)


def fixed(graph: Graph, values: dict[str, bool]) -> Graph:
    """The graph with these inputs at these values, equal gates merged."""
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
            result = known.get((a, b))
            if result is None:
                gates.append((a, b))
                result = 2 * (graph.inputs + len(gates))
                known[(a, b)] = result
            literal.append(result)
    outputs = [literal[root >> 1] ^ (root & 1) for root in graph.outputs]
    return Graph(graph.inputs, gates, outputs, graph.names)


def write(graph: Graph, path: Path) -> None:
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
