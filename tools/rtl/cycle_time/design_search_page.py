# SPDX-License-Identifier: Apache-2.0
"""The page docs/models/design-search-tables.md: tables and figures.

Conclusions are written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from .bands import Band
from .design_search_causes import cause_tables
from .first_step import LOAD, NAMES, FirstStep
from .markdown import stamped, table
from .search import Search
from .second_step import AGGRESSIVE, LIGHT, POLLING, UNIFORM, SecondStep, is_latency

_HEAD: Final = "<!-- Written by python -m cycle_time.design_search page; edits are lost. -->"
_TITLES: Final = {
    POLLING: "Busy-wait polling",
    UNIFORM: "Uniform traffic, saturated",
    LIGHT: "Uniform traffic, one request outstanding",
}
"""Of the workloads that are not mixed."""


def page_text(search: Search, figures: Mapping[str, str]) -> str:
    """The page's Markdown. `figures` are titles by name of the file in images."""
    second = search.second
    mixed = [each for each in second.workloads if each not in _TITLES]

    def pictures(words: str) -> list[str]:
        return [f"![{figures[name]}](../images/{name}.svg)" for name in figures if words in name]

    def titled(workload: str) -> list[str]:
        return [f"{_TITLES[workload]}: {_unit(workload)}.", _size_table(second, workload)]

    parts = [
        "## The designs",
        _design_table(search),
        f"## {_TITLES[POLLING]}",
        *pictures("polling"),
        _size_table(second, POLLING),
        "## Mixed traffic",
        *pictures("load"),
    ]
    for each in mixed:
        heading = f"{each[:1].upper()}{each[1:]}, 16 requests outstanding:"
        parts += [heading, _size_table(second, each)]
    parts += ["## When nothing is hot", *titled(UNIFORM), *titled(LIGHT)]
    parts += ["## Stages, single steps and axes", *cause_tables(search)]
    parts += ["## In FO4", clock_table(search)]
    parts += ["## The first step", _noise_table(search.first), _front_table(search)]
    return stamped(f"{_HEAD}\n# Design search: tables", parts)


# --- the second step ------------------------------------------------------------------------------


def _design_table(search: Search) -> str:
    second = search.second
    head = [
        "Design",
        "parameters",
        "bits of state",
        "comparators of addresses",
        "of identities",
        "better than aggressive in (at elements)",
        "worse in",
    ]
    usual = search.reference.flip_flops()
    rows = []
    for name, design in second.designs.items():
        flip_flops = design.flip_flops()
        percent = "" if name == AGGRESSIVE else f" ({_percent(flip_flops / usual)})"
        rows.append(
            (
                name,
                design.words if name in search.named else "",
                f"{flip_flops:,}{percent}",
                str(design.address_comparators()),
                str(design.identity_comparators()),
                _places(second, second.places(name, 1)),
                _places(second, second.places(name, -1)),
            )
        )
    return table(head, rows)


def _places(second: SecondStep, places: Sequence[tuple[str, int]]) -> str:
    """Workloads, each with the sizes if they are not all."""
    by_workload: dict[str, list[int]] = {}
    for workload, elements in places:
        by_workload.setdefault(workload, []).append(elements)
    return "; ".join(
        name if own == second.sizes else f"{name} ({', '.join(map(str, own))})"
        for name, own in by_workload.items()
    )


def _size_table(second: SecondStep, workload: str) -> str:
    scale = 1 if is_latency(workload) else 1000

    def interval(name: str, elements: int) -> str:
        measured = second.measured(workload, name, elements)
        half = scale * (measured.band.high - measured.mean)
        return f"{scale * measured.mean:.1f} ± {half:.1f}"

    head = [f"Elements: {_unit(workload)}", *map(str, second.sizes)]
    rows = [(name, *(interval(name, n) for n in second.sizes)) for name in second.designs]
    return table(head, rows)


def clock_table(search: Search) -> str:
    """A dash where nothing was synthesised."""
    second = search.second
    head = [
        "Design",
        "FO4 a cycle",
        f"polling at {second.largest}, cycles",
        "in FO4",
        f"{_TITLES[UNIFORM].lower()}: FO4 between two requests of an element",
    ]
    rows = []
    for name in second.designs:
        circuit = search.circuit(name)
        rows.append(
            (
                name,
                _band(circuit.fo4 if circuit else None),
                f"{second.measured(POLLING, name, second.largest).mean:.1f}",
                _band(search.fo4(name, POLLING)),
                _band(search.fo4(name, UNIFORM)),
            )
        )
    return table(head, rows)


# --- the first step -------------------------------------------------------------------------------


def _noise_table(first: FirstStep) -> str:
    """How far a seed lies from the mean, and the boxes in which designs are the same."""
    head = [f"{len(first.designs):,} designs, {first.points:,} runs", *NAMES]
    noise = [f"{100 * each:.1f} %" for each in first.noise]
    widths = [f"{100 * each:.0f} %" for each in first.widths]
    rows = [
        ("deviation of a seed", *noise, *["–"] * (len(NAMES) - len(noise))),
        ("width of a box", *widths),
    ]
    return table(head, rows)


def _front_table(search: Search) -> str:
    first = search.first
    head = [
        "The front of the first step",
        "polling, cycles",
        f"mixed, {LOAD}",
        f"uniform, {LOAD}",
        "bits of state",
        "measured",
    ]
    measured = set(search.second.designs.values())
    rows = [
        (
            each.words,
            *first.designs[each].texts(),
            f"{each.flip_flops():,}",
            "yes" if each in measured else "",
        )
        for each in sorted(first.front, key=lambda each: first.designs[each].polling)
    ]
    return table(head, rows)


# --- words and numbers ----------------------------------------------------------------------------


def _unit(workload: str) -> str:
    if is_latency(workload):
        return "mean latency, cycles"
    return f"{LOAD}, requests per element and 1000 cycles"


def _band(band: Band | None) -> str:
    return "—" if band is None else f"{band.low:,.0f} to {band.high:,.0f}"


def _percent(quotient: float) -> str:
    text = f"{100 * (quotient - 1):+.0f} %"
    return "±0 %" if text in ("+0 %", "-0 %") else text.replace("-", "−")
