# SPDX-License-Identifier: Apache-2.0
"""Cycle time and area of the switch designs that were synthesised: docs/cycle-time.md.

`./dev cycle-time` writes them into clocks.json of this package; docs/formats/results.md has the
keys.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from .bands import Band
from .errors import ExploreError

SCHEMA: Final = "tributary.clocks/1"
PACKAGED: Final = Path(__file__).parent / "clocks.json"
ON_ARRIVAL: Final = "on_arrival"
AT_EXIT: Final = "at_exit"
"""Where a queue forms the sum, which no cycle of the simulator shows."""
# What a design is named by, in `network.`.
_OF_ALL: Final = (
    "combining",
    "queue_type",
    "slots",
    "arrival_registers",
    "link_cycles",
    "reverse_slots",
)
_OF_COMBINING: Final = (
    "coupled",
    "wait_buffer_entries",
    "adaptive_limit",
    "adaptation",
    "microarchitecture",
    "order",
    "combine.logic",
)


@dataclass(frozen=True)
class Clock:
    """What one design costs."""

    parameters: Mapping[str, Any]
    """Those of the simulator, by dotted name: `network.slots`."""
    sum: str
    """`ON_ARRIVAL` or `AT_EXIT`."""
    fo4: Band
    """Cycle time, in delays of an inverter that drives four like it."""
    ns: Band
    """The same in nanoseconds of the library."""
    nand2: Band
    """Area of one switch, in NAND gates of two inputs."""


@dataclass(frozen=True)
class Clocks:
    """What was measured with one library of cells, with operands of 64 bits."""

    library: str
    fo4_ps: float
    version: str
    """Of the RTL and the tools, as results of the synthesis have it."""
    date: str
    """Day of the last synthesis."""
    results: str
    """Digest of the numbers."""
    circuits: tuple[Clock, ...]

    def text(self) -> str:
        """The file."""
        return json.dumps({"schema": SCHEMA, **asdict(self)}, indent=1) + "\n"


def read_clocks(file: Path) -> Clocks:
    """The clocks of a file that `./dev cycle-time` wrote.

    Raises `ExploreError` that names the file if it cannot be read or is none.
    """
    again = "write it again by ./dev cycle-time --clocks-only"
    try:
        document = json.loads(file.read_bytes())
        if not isinstance(document, dict) or document.pop("schema", None) != SCHEMA:
            raise ExploreError(f"{file} lacks the schema {SCHEMA}; {again}")
        circuits = tuple(map(_clock, document.pop("circuits")))
        if not circuits:
            raise ExploreError(f"{file}: circuits is empty (allowed: one circuit or more); {again}")
        return Clocks(**document, circuits=circuits)
    except OSError as problem:
        raise ExploreError(f"{file} cannot be read: {problem.strerror}; {again}") from problem
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise ExploreError(f"{file} is no file of clocks: {problem}; {again}") from problem


def _clock(document: Mapping[str, Any]) -> Clock:
    parameters = document["parameters"]
    needed = _OF_ALL + (_OF_COMBINING if parameters.get("network.combining") else ())
    if missing := [name for name in needed if f"network.{name}" not in parameters]:
        raise ValueError(f"parameters of a circuit lack network.{missing[0]}")
    bands = {name: Band(**document[name]) for name in ("fo4", "ns", "nand2")}
    return Clock(**{**document, **bands})
