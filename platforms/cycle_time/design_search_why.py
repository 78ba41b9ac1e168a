# SPDX-License-Identifier: Apache-2.0
"""The section "Why" of docs/models/design-search.md: what the stages of the network, single changes
of the aggressive switch, and each axis of the search show."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, Final

from .design_search_results import LOAD, Search, capital, listed, mixed_workloads, per_thousand
from .first_step import NAMES, FirstStep
from .markdown import table
from .second_step import AGGRESSIVE, POLLING, SecondStep
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


def why_section(search: Search) -> list[str]:
    """Its paragraphs and tables; empty where there is nothing to say."""
    return [
        _explanation(search),
        _stage_table(search),
        _steps_text(search),
        _steps_table(search),
        _axes_text(),
        _axes_table(search),
    ]


# --- stages ---------------------------------------------------------------------------------------


def _explanation(search: Search) -> str:
    """What the stages show."""
    sentences = [
        "Polling is bound by memory, which takes a request every 4 cycles; a request stands for as "
        "many reads as have joined on the way. Each stage in which all find a partner halves the "
        "time between two reads of one element, until latency is too short for more to join. What "
        "a stage costs is the time that an entry waits in it, and that grows with the pairs that a "
        "queue keeps before it refuses: one is enough to have something ready whenever the link "
        "is. With a limit of 1, or so few slots that there is no room for more pairs, the others "
        "wait a stage earlier, where they still find each other."
    ]
    stages = [f"- {_stage_words(search, name)}" for name in _shown(search)]
    more = " ".join([*_candidate_slots(search), *_mechanisms(search)])
    return "\n\n".join(filter(None, [*sentences, "\n".join(stages), more]))


def _stage_words(search: Search, name: str) -> str:
    second = search.second
    stages, wait = _full_stages(second, name)
    of = len(second.stages[name])
    if stages == 0:
        return f"{capital(name)}: no stage combines nearly all it can."
    return (
        f"{capital(name)}: {stages} of {of} stages combine nearly all they can, and an entry "
        f"waits {wait:.1f} cycles in each."
    )


def _candidate_slots(search: Search) -> list[str]:
    """Whether slots matter to the switch that was expected to be best."""
    first = search.first
    expected = search.expected
    latencies = [
        first.designs[each].polling
        for each in first.designs
        if replace(each, slots=expected.slots) == expected
    ]
    if len(latencies) < 2:
        return []
    spread = max(latencies) / min(latencies) - 1
    if spread > first.widths[0]:
        return []
    return [
        "Type B, coupled, with a limit of 1 keeps a single entry a queue while all ask for one "
        "word: a request that waits alone is joined by the next, and then the queue refuses until "
        "the pair has left. So slots beyond two are never used: with "
        f"{len(latencies)} numbers of slots its latency differs by {100 * spread:.1f} %."
    ]


def _mechanisms(search: Search) -> list[str]:
    """What each way in which the best one is another than the aggressive one is good for."""
    best = search.best
    if best is None:
        return []
    own, paper = search.second.designs[best], search.reference
    said = []
    if own.slots > paper.slots:
        said.append(
            "Slots are for the rest of the traffic: a queue that two inputs write is ready only "
            f"with two free ones, and of {paper.slots} it can rarely use the last."
            if own.writers == 2
            else "Slots are for the rest of the traffic, which waits behind the hot requests."
        )
    if own.adaptation == "gradual":
        said.append(
            "The gradual limit keeps both apart: it comes down where nearly every second request "
            "joins, as in polling, and leaves the slots to a queue of mixed traffic, which the "
            "crude limit stops for one pair."
        )
    if own.wait_buffer_entries < paper.wait_buffer_entries:
        peak = max(each.peak for each in search.second.stages[best])
        said.append(
            f"Requests that wait less are fewer on the way: at {search.second.largest} elements "
            f"polling takes {peak:.0f} entries at most of its wait buffers of "
            f"{own.wait_buffer_entries}, where the aggressive switch takes "
            f"{max(each.peak for each in search.second.stages[AGGRESSIVE]):.0f} of "
            f"{paper.wait_buffer_entries}."
        )
    most = max(each.slots for each in search.first.designs)
    if own.slots == most:
        said.append(f"It has the most slots that were searched, {most}; more were not.")
    return said


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


def _full_stages(second: SecondStep, series: str) -> tuple[int, float]:
    """Stages that combine nine tenths of what pairs allow, and the mean wait in them."""
    full = [each for each in second.stages[series] if each.rate >= 0.45]
    return len(full), statistics.fmean(each.wait for each in full) if full else 0.0


# --- single steps ---------------------------------------------------------------------------------


def _steps_text(search: Search) -> str:
    """Of the table of single steps."""
    if not _steps(search):
        return ""
    return (
        "From the aggressive switch to the best one, a change at a time, and each change alone, as "
        f"the first step has measured them (one seed, {search.first.elements} elements; a change "
        "in the boxes of noise, "
        + listed(
            f"{100 * width:.0f} % in {name}"
            for name, width in zip(NAMES[:3], search.first.widths, strict=False)
        )
        + ", says nothing):"
    )


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


def _axes_text() -> str:
    return (
        "What each axis does on average over the whole first step: geometric means of the quotient "
        "to the aggressive switch's value of it, all else the same. Below 100 % polling is faster; "
        "above, more load is accepted. An average hides that axes need each other: slots do little "
        "for a queue in which nothing can combine."
    )


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
                f"{designs[0].words_of(group)}, beside {reference.words_of(group)}",
                *(f"{100 * statistics.geometric_mean(each):.0f} %" for each in quotients),
                str(len(pairs)),
            )
        )
    return rows
