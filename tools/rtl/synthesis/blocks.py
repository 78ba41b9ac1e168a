# SPDX-License-Identifier: Apache-2.0
"""The names of blocks in results: by instance for paths, by module for areas."""

import re
from collections.abc import Mapping

from .map_block import REGISTER_SUFFIX
from .timing import SlowestPath

_OF_MODULE = {
    "switch_chain": "boundary",
    "queue_alone": "boundary",
    "wait_buffer_alone": "boundary",
    "receive_engine_alone": "boundary",
    "message_interface_receive": "receive_engine",
    "combining_switch": "switch",
    "combining_queue": "queue",
    "systolic_queue": "queue",
    "wait_buffer": "wait_buffer",
    "reverse_queue": "reverse_queue",
    "compose_unit": "compose",
    "apply_unit": "decombine",
}
_OF_INSTANCE = {
    f"u_{block}": block
    for block in (
        "switch",
        "queue",
        "wait_buffer",
        "reverse_queue",
        "compose",
        "decombine",
        "receive_engine",
    )
}
_PREFIXES = ("first", "second")


def path_blocks(path: SlowestPath, switches: int) -> dict[str, float]:
    """What each block has of a path in nanoseconds, in the order of the path; setup is of the last.

    Of two switches a block says whose it is: first_queue.
    """
    times: dict[str, float] = {}
    before = 0.0
    for step in path.steps:
        name = _block(step.cell, switches)
        times[name] = times.get(name, 0.0) + step.arrival_ns - before
        before = step.arrival_ns
    name = _block(path.end, switches)
    times[name] = times.get(name, 0.0) + path.delay_ns - before
    return times


def area_blocks(areas: Mapping[str, float]) -> dict[str, float]:
    """Areas by block of those by module; registers around the circuit are its boundary."""
    return {_OF_MODULE[module]: area for module, area in sorted(areas.items())}


def register(cell: str, switches: int) -> str:
    """The register that a flip-flop is a bit of, with its block: first_queue.entries_q."""
    name = cell.removesuffix(REGISTER_SUFFIX).replace("/", ".").rsplit(".", 1)[-1]
    whole = re.sub(r"(\[\d+\])+$", "", name)
    return f"{_block(cell, switches)}.{whole}"


def _block(cell: str, switches: int) -> str:
    path = cell.replace("/", ".").split(".")[:-1]
    found = [_OF_INSTANCE[name] for name in path if name in _OF_INSTANCE]
    if not found:
        return "boundary"
    number = re.search(r"gen_switch\[(\d)\]", cell)
    prefix = f"{_PREFIXES[int(number[1])]}_" if number and switches > 1 else ""
    return prefix + found[-1]
