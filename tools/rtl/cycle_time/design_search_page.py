# SPDX-License-Identifier: Apache-2.0
"""The page docs/models/design-search-tables.md: tables and figures.

Conclusions are written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from .design_search_clock import clock_table
from .design_search_results import (
    LOAD,
    TITLES,
    Search,
    capital,
    per_thousand,
)
from .design_search_steps import step_tables
from .first_step import NAMES, FirstStep
from .markdown import stamped, table
from .networks import Measured
from .second_step import AGGRESSIVE, LIGHT, POLLING, UNIFORM, SecondStep, is_latency

_HEAD: Final = "<!-- Written by python -m cycle_time.design_search page; edits are lost. -->"


def page_text(search: Search, figures: Mapping[str, str]) -> str:
    """The page's Markdown. `figures` are titles by name of the file in images."""
    mixed = [each for each in search.second.workloads if each not in TITLES]
    parts = [
        "## The designs",
        _design_table(search),
        f"## {TITLES[POLLING]}",
        *[_picture(name, title) for name, title in figures.items() if "polling" in name],
        _size_table(search, POLLING),
        "## Mixed traffic",
        *[_picture(name, title) for name, title in figures.items() if "load" in name],
        *[part for each in mixed for part in _load_part(search, each)],
        "## When nothing is hot",
        f"{TITLES[UNIFORM]}: {_unit(UNIFORM)}.",
        _size_table(search, UNIFORM),
        f"{TITLES[LIGHT]}: {_unit(LIGHT)}.",
        _size_table(search, LIGHT),
        "## Stages, single steps and axes",
        *step_tables(search),
        "## In FO4",
        clock_table(search),
        "## The first step",
        _noise_table(search.first),
        _front_table(search),
    ]
    return stamped(f"{_HEAD}\n# Design search: tables", parts)


def _picture(name: str, title: str) -> str:
    return f"![{title}](../images/{name}.svg)"


# --- the second step ------------------------------------------------------------------------------


def _design_table(search: Search) -> str:
    second, first = search.second, search.first
    head = [
        "Design",
        "parameters",
        "bits of state",
        "comparators of addresses",
        "of identities",
        "better than aggressive in (at elements)",
        "worse in",
    ]
    rows = []
    for name, design in second.designs.items():
        flip_flops = design.flip_flops(first.rtl)
        of = search.reference.flip_flops(first.rtl)
        rows.append(
            (
                name,
                design.words if name in search.named else "",
                f"{flip_flops:,}"
                + ("" if name == AGGRESSIVE else f" ({_percent(flip_flops / of)})"),
                str(design.address_comparators()),
                str(design.identity_comparators()),
                _places(second, second.wins(name)),
                _places(second, second.losses(name)),
            )
        )
    return table(head, rows)


def _places(second: SecondStep, places: Sequence[tuple[str, int]]) -> str:
    """Workloads, each with the sizes if they are not all."""
    by_workload: dict[str, list[int]] = {}
    for workload, elements in places:
        by_workload.setdefault(workload, []).append(elements)
    return "; ".join(
        name if own == second.sizes else f"{name} ({_sizes(own)})"
        for name, own in by_workload.items()
    )


def _size_table(search: Search, workload: str) -> str:
    second = search.second
    head = [f"Elements: {_unit(workload)}", *map(str, second.sizes)]
    rows = [
        (name, *(_interval(second.measured(workload, name, n), workload) for n in second.sizes))
        for name in second.designs
    ]
    return table(head, rows)


def _load_part(search: Search, workload: str) -> list[str]:
    return [
        f"{capital(workload)}, 16 requests outstanding:",
        _size_table(search, workload),
    ]


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
    designs = sorted(first.front, key=lambda each: first.designs[each].polling)
    measured = set(search.second.designs.values())
    rows = [
        (
            each.words,
            f"{first.designs[each].polling:.1f}",
            per_thousand(first.designs[each].mean_mixed),
            per_thousand(first.designs[each].uniform),
            f"{each.flip_flops(first.rtl):,}",
            "yes" if each in measured else "",
        )
        for each in designs
    ]
    return table(head, rows)


# --- words and numbers ----------------------------------------------------------------------------


def _sizes(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes))


def _unit(workload: str) -> str:
    if is_latency(workload):
        return "mean latency, cycles"
    return f"{LOAD}, requests per element and 1000 cycles"


def _interval(measured: Measured, workload: str) -> str:
    scale = 1 if is_latency(workload) else 1000
    half = scale * (measured.band.high - measured.mean)
    return f"{scale * measured.mean:.1f} ± {half:.1f}"


def _percent(quotient: float) -> str:
    text = f"{100 * (quotient - 1):+.0f} %"
    return "±0 %" if text in ("+0 %", "-0 %") else text.replace("-", "−")
