# SPDX-License-Identifier: Apache-2.0
"""The page docs/models/design-search-tables.md: tables and figures.

Conclusions are written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from common.markdown import row

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
    usual = search.reference.flip_flops()
    rows = []
    for name, design in second.designs.items():
        words = design.words if name in search.named else ""
        flip_flops = design.flip_flops()
        percent = "" if name == AGGRESSIVE else f" ({_percent(flip_flops / usual)})"
        comparators = f"{design.address_comparators()} | {design.identity_comparators()}"
        places = [_places(second, second.places(name, verdict)) for verdict in (1, -1)]
        rows.append(row(name, words, f"{flip_flops:,}{percent}", comparators, *places))
    counts = "bits of state | comparators of addresses | of identities"
    better = "better than aggressive in (at elements) | worse in"
    return table(f"Design | parameters | {counts} | {better}", rows)


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

    rows = [row(name, *(interval(name, n) for n in second.sizes)) for name in second.designs]
    return table(row(f"Elements: {_unit(workload)}", *second.sizes), rows)


def clock_table(search: Search) -> str:
    """A dash where nothing was synthesised."""
    second = search.second
    rows = []
    for name in second.designs:
        circuit = search.circuit(name)
        cycle = _band(circuit.fo4 if circuit else None)
        polling = second.measured(POLLING, name, second.largest).mean
        bands = [_band(search.fo4(name, workload)) for workload in (POLLING, UNIFORM)]
        rows.append(row(name, cycle, f"{polling:.1f}", *bands))
    head = f"Design | FO4 a cycle | polling at {second.largest}, cycles | in FO4"
    uniform = f"{_TITLES[UNIFORM].lower()}: FO4 between two requests of an element"
    return table(f"{head} | {uniform}", rows)


# --- the first step -------------------------------------------------------------------------------


def _noise_table(first: FirstStep) -> str:
    """How far a seed lies from the mean, and the boxes in which designs are the same."""
    noise = [f"{100 * each:.1f} %" for each in first.noise]
    widths = [f"{100 * each:.0f} %" for each in first.widths]
    rows = [
        row("deviation of a seed", *noise, *["–"] * (len(NAMES) - len(noise))),
        row("width of a box", *widths),
    ]
    return table(row(f"{len(first.designs):,} designs, {first.points:,} runs", *NAMES), rows)


def _front_table(search: Search) -> str:
    first = search.first
    measured = set(search.second.designs.values())
    rows = [
        row(
            each.words,
            *first.designs[each].texts(),
            f"{each.flip_flops():,}",
            "yes" if each in measured else "",
        )
        for each in sorted(first.front, key=lambda each: first.designs[each].polling)
    ]
    head = f"The front of the first step | polling, cycles | mixed, {LOAD} | uniform, {LOAD}"
    return table(f"{head} | bits of state | measured", rows)


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
