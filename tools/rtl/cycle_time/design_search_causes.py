# SPDX-License-Identifier: Apache-2.0
"""Tables of the design search on causes: the stages of the network, single changes of the
aggressive switch, and each axis of the search."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from common.markdown import row

from .first_step import LOAD, FirstStep
from .markdown import table
from .search import Search, expected_of
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


def cause_tables(search: Search) -> list[str]:
    """Empty where there is nothing to show."""
    return [_stage_table(search), _steps_table(search), _axes_table(search)]


# --- stages ---------------------------------------------------------------------------------------


def _stage_table(search: Search) -> str:
    second = search.second
    count = len(next(iter(second.stages.values())))
    rows = []
    for name in _shown(search):
        stages = second.stages[name]
        rows.append(row(f"{name}: combining rate", *(f"{each.rate:.2f}" for each in stages)))
        rows.append(row("cycles in a queue", *(f"{each.wait:.1f}" for each in stages)))
        rows.append(row("most in a wait buffer", *(f"{each.peak:.0f}" for each in stages)))
    head = f"Polling, {second.largest} elements; stage (0 at the elements)"
    return table(row(head, *range(count)), rows)


def _shown(search: Search) -> list[str]:
    """Of which the stages are shown: the aggressive switch, the fastest in polling, the best, the
    expected, improved."""
    second, best = search.second, search.best
    expected = expected_of(search.reference)
    names = [AGGRESSIVE, second.fastest(POLLING, second.largest), *([best] if best else [])]
    names += [name for name, each in second.designs.items() if each == expected]
    names += [name for name in second.designs if name == "improved"]
    return list(dict.fromkeys(names))


# --- single steps ---------------------------------------------------------------------------------


def _changed(design: SwitchDesign, goal: SwitchDesign, group: Sequence[str]) -> SwitchDesign:
    """With a group of the goal's parameters."""
    return replace(design, **{name: getattr(goal, name) for name in group})


def _steps(search: Search) -> list[tuple[str, SwitchDesign]]:
    """From the aggressive switch to the best, axis by axis, then each change alone."""
    best = search.best
    if best is None:
        return []
    goal, now = search.second.designs[best], search.reference
    groups = [group for group in _GROUPS if _changed(now, goal, group) != now]
    steps = [(AGGRESSIVE, now)]
    for group in groups:
        now = _changed(now, goal, group)
        steps.append((f"and {now.words_of(group)}", now))
    # The first was made alone already.
    for group in groups[1:]:
        alone = _changed(search.reference, goal, group)
        steps.append((f"aggressive, only {alone.words_of(group)}", alone))
    return [(name, each) for name, each in steps if each in search.first.designs]


def _steps_table(search: Search) -> str:
    first, steps = search.first, _steps(search)
    if not steps:
        return ""
    mixed = sorted(first.designs[steps[0][1]].mixed)
    rows = [
        row(name, *first.designs[each].texts(mixed), f"{each.flip_flops():,}")
        for name, each in steps
    ]
    loads = [f"{each}, {LOAD}" for each in (*mixed, "uniform")]
    return table(row("Step", "polling, cycles", *loads, "bits of state"), rows)


# --- axes -----------------------------------------------------------------------------------------


def _axes_table(search: Search) -> str:
    groups = [axis_rows(search.first, group, search.reference) for group in _GROUPS]
    rows = [row(*cells) for cells in chain(*groups)]
    return table(f"Axis | value | polling | mixed, {LOAD} | uniform, {LOAD} | pairs", rows)


def axis_rows(
    first: FirstStep, group: Sequence[str], reference: SwitchDesign
) -> list[tuple[str, ...]]:
    """Of each value of an axis, or of several that are one, the mean quotient to the reference's
    value."""

    def value_of(design: SwitchDesign) -> tuple[Any, ...]:
        return tuple(getattr(design, name) for name in group)

    rows = []
    for value in sorted({value_of(each) for each in first.designs} - {value_of(reference)}):
        designs = [each for each in first.designs if value_of(each) == value]
        pairs = [
            (first.designs[each], first.designs[other])
            for each in designs
            if (other := _changed(each, reference, group)) in first.designs
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
