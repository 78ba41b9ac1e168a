# SPDX-License-Identifier: Apache-2.0
"""The section "What the clock makes of it" of docs/models/design-search.md: the designs in FO4, by
the circuits that tributary-synthesis has made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .bands import Band, below
from .circuits import CLOCK, ON_ARRIVAL, Circuit
from .design_search_results import TITLES, Search, listed, mean_text
from .markdown import table
from .second_step import AGGRESSIVE, POLLING, UNIFORM, is_latency
from .switch_design import SwitchDesign


def clock_section(search: Search) -> list[str]:
    """Its paragraph and its table."""
    return [clock_text(search), _clock_table(search)]


def clock_text(search: Search) -> str:
    """What is known of the cycle."""
    structure = (
        "Cycles of different switches are of different length. By the structure of the RTL, the "
        "path of an arrival goes through the comparators of all slots at once, the choice of the "
        "oldest, and one adder; a type A queue has two choices in series, as the second arrival "
        "has to know whom the first has joined, and twice as many comparators a slot. More slots "
        "make the choice wider, not deeper by an adder. Coupled with the sum formed at the exit, "
        "the adder stands in series with the output driver; with the sum formed on arrival "
        "coupling adds nothing there. The limit is a comparison of two small registers before "
        "ready, and a smaller one a narrower comparison. The wait buffer's search is in the way "
        "back, and its comparators grow with its entries."
    )
    if search.library is None:
        return (
            f"{structure} FO4 stands in the table once results of the synthesis are given "
            "(`--synthesis`)."
        )
    lacking = [name for name, each in search.second.designs.items() if not _circuit(search, each)]
    said = (
        f"{structure} FO4 of {search.library.name}, two switches in series with the sum on "
        "arrival, from the fastest of each portfolio of recipes up by the noise of the flow "
        "([cycle time](../cycle-time.md)); products are bands, and two of them differ only if they "
        "have nothing in common."
    )
    if lacking:
        said += f" Not synthesised: {listed(lacking)}."
    return f"{said} {_clock_verdict(search)}"


def _clock_verdict(search: Search) -> str:
    second = search.second
    bands = {
        name: band
        for name in second.designs
        if (band := _fo4(search, name, POLLING, second.largest)) is not None
    }
    if AGGRESSIVE not in bands:
        return "The aggressive switch was not synthesised, so nothing can be said against it."
    ahead = [name for name, band in bands.items() if below(band, bands[AGGRESSIVE])]
    behind = [name for name, band in bands.items() if below(bands[AGGRESSIVE], band)]
    said = "In FO4 no design is certainly faster"
    if ahead:
        said = f"In FO4, too, {listed(ahead)} {_verb(ahead)} faster"
    said += f" than the aggressive one in polling at {second.largest} elements"
    return f"{said}; {listed(behind)} {_verb(behind)} slower." if behind else f"{said}."


def _clock_table(search: Search) -> str:
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


def _verb(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
