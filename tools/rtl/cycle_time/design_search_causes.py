# SPDX-License-Identifier: Apache-2.0
"""Tables of the design search on causes: the stages of the network, single changes of the
aggressive switch, and each axis of the search."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, Final

from .design_search_results import LOAD, Search, mixed_workloads, per_thousand
from .first_step import FirstStep
from .markdown import table
from .second_step import AGGRESSIVE, POLLING
from .switch_design import SwitchDesign

# Axes of the search; the limit and how it is come to are one.
_GROUPS: Final = (
    ("adaptation", "adaptive_limit"),
    ("slots",),
    ("wait_buffer_entries",),
    ("queue_type",),
    ("coupled",),
    ("order",),
    ("microarchitecture",),
)


def step_tables(search: Search) -> list[str]:
    """Empty where there is nothing to show."""
    return [_stage_table(search), _steps_table(search), _axes_table(search)]


# --- stages ---------------------------------------------------------------------------------------


def _stage_table(search: Search) -> str:
    second = search.second
    count = len(next(iter(second.stages.values())))
    head = [
        f"Polling, {second.largest} elements; stage (0 at the elements)",
        *map(str, range(count)),
    ]
    rows = []
    for name in _shown(search):
        stages = second.stages[name]
        rows.append((f"{name}: combining rate", *(f"{each.rate:.2f}" for each in stages)))
        rows.append(("cycles in a queue", *(f"{each.wait:.1f}" for each in stages)))
        rows.append(("most in a wait buffer", *(f"{each.peak:.0f}" for each in stages)))
    return table(head, rows)


def _shown(search: Search) -> list[str]:
    """Of which the stages are shown: the aggressive switch, the fastest in polling, the best, the
    expected, improved."""
    second, best = search.second, search.best
    names = [AGGRESSIVE, second.fastest(POLLING, second.largest)[0], *([best] if best else [])]
    names += search.names_of(search.expected)
    names += [name for name in ("improved",) if name in second.designs]
    return list(dict.fromkeys(names))


# --- single steps ---------------------------------------------------------------------------------


def _steps(search: Search) -> list[tuple[str, SwitchDesign]]:
    """From the aggressive switch to the best, axis by axis, then each change alone."""
    best = search.best
    if best is None:
        return []
    goal, now = search.second.designs[best], search.reference
    changed = [
        each.name
        for each in fields(SwitchDesign)
        if getattr(goal, each.name) != getattr(now, each.name)
    ]
    groups = [group for group in _GROUPS if any(name in changed for name in group)]
    steps = [(AGGRESSIVE, now)]
    for group in groups:
        now = replace(now, **{name: getattr(goal, name) for name in group})
        steps.append((f"and {now.words_of(group)}", now))
    # The first was made alone already.
    if len(groups) > 1:
        for group in groups[1:]:
            alone = replace(search.reference, **{name: getattr(goal, name) for name in group})
            steps.append((f"aggressive, only {alone.words_of(group)}", alone))
    return [(name, each) for name, each in steps if each in search.first.designs]


def _steps_table(search: Search) -> str:
    steps = _steps(search)
    if not steps:
        return ""
    first = search.first
    mixed = mixed_workloads(first)
    head = [
        "Step",
        "polling, cycles",
        *[f"{each}, {LOAD}" for each in mixed],
        f"uniform, {LOAD}",
        "bits of state",
    ]
    rows = []
    for name, design in steps:
        own = first.designs[design]
        rows.append(
            (
                name,
                f"{own.polling:.1f}",
                *(per_thousand(own.mixed[each]) for each in mixed),
                per_thousand(own.uniform),
                f"{design.flip_flops(first.rtl):,}",
            )
        )
    return table(head, rows)


# --- axes -----------------------------------------------------------------------------------------


def _axes_table(search: Search) -> str:
    rows = [row for group in _GROUPS for row in axis_rows(search.first, group, search.reference)]
    head = ["Axis", "value", "polling", f"mixed, {LOAD}", f"uniform, {LOAD}", "pairs"]
    return table(head, rows)


def axis_rows(
    first: FirstStep, group: Sequence[str], reference: SwitchDesign
) -> list[tuple[str, ...]]:
    """Of each value of an axis, or of several that are one, the mean quotient to the reference's
    value."""

    def value_of(design: SwitchDesign) -> tuple[Any, ...]:
        return tuple(getattr(design, name) for name in group)

    usual = dict(zip(group, value_of(reference), strict=True))
    rows = []
    for value in sorted({value_of(each) for each in first.designs} - {value_of(reference)}):
        designs = [each for each in first.designs if value_of(each) == value]
        pairs = [
            (first.designs[each], first.designs[other])
            for each in designs
            if (other := replace(each, **usual)) in first.designs
        ]
        if not pairs:
            continue
        quotients = (
            [own.polling / other.polling for own, other in pairs],
            [own.mean_mixed / other.mean_mixed for own, other in pairs],
            [own.uniform / other.uniform for own, other in pairs],
        )
        rows.append(
            (
                group[-1].replace("_", " "),
                f"{designs[0].words_of(group)} over {reference.words_of(group)}",
                *(f"{100 * statistics.geometric_mean(each):.0f} %" for each in quotients),
                str(len(pairs)),
            )
        )
    return rows
