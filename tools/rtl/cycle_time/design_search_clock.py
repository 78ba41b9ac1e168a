# SPDX-License-Identifier: Apache-2.0
"""The designs of the search in FO4, by the circuits that tributary-synthesis has made of them."""

from __future__ import annotations

from typing import Any

from .bands import Band
from .circuits import CLOCK, ON_ARRIVAL, Circuit
from .design_search_results import TITLES, Search, mean_text
from .markdown import table
from .second_step import POLLING, UNIFORM, is_latency
from .switch_design import SwitchDesign


def clock_table(search: Search) -> str:
    """A dash where nothing was synthesised."""
    second = search.second
    head = [
        "Design",
        "FO4 a cycle",
        f"polling at {second.largest}, cycles",
        "in FO4",
        f"{TITLES[UNIFORM].lower()}: FO4 between two requests of an element",
    ]
    rows = []
    for name, design in second.designs.items():
        circuit = _circuit(search, design)
        rows.append(
            (
                name,
                _band(None if circuit is None else circuit.fo4),
                mean_text(second.measured(POLLING, name, second.largest), POLLING),
                _band(_fo4(search, name, POLLING, second.largest)),
                _band(_fo4(search, name, UNIFORM, second.largest)),
            )
        )
    return table(head, rows)


def _circuit(search: Search, design: SwitchDesign) -> Circuit | None:
    """The circuit of a design in the widths of the RTL, with its sum on arrival."""
    if search.library is None:
        return None
    rtl = search.first.rtl
    wanted = {
        **circuit_parameters(design),
        "sum": ON_ARRIVAL,
        "data_width": rtl.data,
        "link_cycles": rtl.link_cycles,
        "reverse_slots": rtl.reverse_slots,
    }
    found = [
        each
        for each in search.library.circuits
        if each.kind == CLOCK
        and not each.is_flat
        and all(each.parameters.get(name) == value for name, value in wanted.items())
    ]
    return min(found, key=lambda each: each.fo4.low, default=None)


def circuit_parameters(design: SwitchDesign) -> dict[str, Any]:
    """What tributary-synthesis calls it."""
    return {
        "forms": "all",
        "dual_input": design.queue_type == "A",
        "coupled": design.coupled,
        "ordered": design.order == "ordered",
        "microarchitecture": design.microarchitecture,
        "slots": design.slots,
        "adaptive_limit": design.adaptive_limit,
        "gradual": design.adaptation == "gradual",
        "wait_buffer_entries": design.wait_buffer_entries,
    }


def _fo4(search: Search, series: str, workload: str, elements: int) -> Band | None:
    """A latency, or the time between two requests, in FO4."""
    circuit = _circuit(search, search.second.designs[series])
    if circuit is None:
        return None
    cycles = search.second.measured(workload, series, elements).band
    return (cycles if is_latency(workload) else Band(1, 1) / cycles) * circuit.fo4


def _band(band: Band | None) -> str:
    return "—" if band is None else f"{band.low:,.0f} to {band.high:,.0f}"
