# SPDX-License-Identifier: Apache-2.0
"""The clocks of circuits, by parameters of the simulator, for `tributary-explore advise`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tributary_explore.bands import Band
from tributary_explore.clocks import Clock, Clocks
from tributary_explore.errors import ExploreError
from tributary_explore.results import Results

from .circuits import Circuit, Library, read_library

_WIDTH: Final = 64
"""Bits of the operands of the simulated machine."""
_SWITCHES: Final = 2
"""In a circuit that sets a clock."""
_SAME: Final = (
    "slots",
    "wait_buffer_entries",
    "link_cycles",
    "reverse_slots",
    "arrival_registers",
)
"""Parameters of every circuit that the simulator has under the same names."""
_SAME_IF_COMBINING: Final = ("coupled", "microarchitecture", "adaptive_limit")
_FORMS: Final = ("identity", "constant", "add", "logic", "clamp_signed", "clamp_unsigned")
_COMBINING_FORMS: Final[Mapping[Any, tuple[str, ...]]] = {
    "all": _FORMS,
    "identity_and_add": ("identity", "add"),
}


def read_clocks_of(results: Results) -> Clocks:
    """The clocks of the circuits of which every recipe has its result.

    Raises `ExploreError` if there is none.
    """
    library = read_library(results, whole_only=True)
    versions = sorted({str(row["version"]) for row in results.rows()})
    days = [record.started.partition("T")[0] for record in results.store.runs()]
    return clocks_of(library, " ".join(versions), max(days, default=""))


def clocks_of(library: Library, version: str, day: str) -> Clocks:
    """The clocks of a library's circuits, each once. Raises `ExploreError` if it has none."""
    found: dict[str, Clock] = {}
    for circuit in library.clocks:
        if circuit.parameters["data_width"] == _WIDTH and not circuit.is_flat:
            clock = _clock(circuit)
            found.setdefault(repr((clock.parameters, clock.sum)), clock)
    if not found:
        raise ExploreError(
            f"{library.name}: of no circuit of two switches and {_WIDTH} bits every recipe has its "
            "result; run ./dev cycle-time longer"
        )
    made = Clocks(library.name, library.fo4_ps, version, day, "", tuple(found.values()))
    digest = hashlib.sha256(made.text().encode()).hexdigest()[:12]
    return replace(made, results=digest)


def _clock(circuit: Circuit) -> Clock:
    area = Band(circuit.nand2.low / _SWITCHES, circuit.nand2.high / _SWITCHES)
    return Clock(
        parameters=simulated(circuit.parameters),
        sum=str(circuit.parameters["sum"]),
        fo4=_rounded(circuit.fo4),
        ns=_rounded(circuit.ns),
        nand2=_rounded(area),
    )


def simulated(circuit: Mapping[str, Any]) -> dict[str, Any]:
    """A circuit's parameters as the simulator's, by dotted name.

    A switch that does not combine has none of those that say how.
    """
    combining = circuit["forms"] != "none"
    parameters = {
        "combining": combining,
        "queue_type": "A" if circuit["dual_input"] else "B",
        **{name: circuit[name] for name in _SAME},
    }
    if combining:
        forms = _COMBINING_FORMS[circuit["forms"]]
        parameters |= {name: circuit[name] for name in _SAME_IF_COMBINING}
        parameters |= {
            "order": "ordered" if circuit["ordered"] else "oldest",
            "adaptation": "gradual" if circuit["gradual"] else "crude",
            **{f"combine.{form}": form in forms for form in _FORMS},
        }
    return {f"network.{name}": value for name, value in parameters.items()}


def _rounded(band: Band) -> Band:
    """To the six digits that the results have."""
    return Band(float(f"{band.low:.6g}"), float(f"{band.high:.6g}"))
