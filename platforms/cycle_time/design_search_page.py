# SPDX-License-Identifier: Apache-2.0
"""The page docs/models/design-search.md: every sentence with a number is made from results."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from tributary_explore.errors import ExploreError

from .bands import Band, below
from .circuits import CLOCK, Circuit, Library
from .first_step import AREA_WIDTH, LEAST_NOISE, NAMES, TIMES_NOISE, FirstStep
from .front import dominates
from .markdown import table
from .networks import Measured
from .second_step import (
    AGGRESSIVE,
    LEAST_GAIN,
    LIGHT,
    POLLING,
    UNIFORM,
    SecondStep,
    is_latency,
)
from .switch_design import SwitchDesign

HEAD: Final = "<!-- Written by python -m cycle_time.design_search page; edits are lost. -->"

_TITLES: Final = {
    POLLING: "Busy-wait polling",
    UNIFORM: "Uniform traffic, saturated",
    LIGHT: "Uniform traffic, one request outstanding",
}
_LOAD: Final = "accepted load"
# Widths of boxes, in times of the noise, under which the front is looked at.
_TIMES: Final = range(1, 7)

_REPRODUCE: Final = """```
./dev explore run design_search --out build/design_search/first.sweep --no-report
./dev explore run design_search_front --out build/design_search/second.sweep
cd platforms
../build/venv/bin/python -m cycle_time.design_search page \\
  ../build/design_search/first.sweep ../build/design_search/second.sweep [--synthesis FOLDER]
```

`design_search front FOLDER` chooses the designs of the second step from the first's results anew.
`FOLDER` of `--synthesis` is that of

```
./dev explore --program rtl/synthesis/tributary-synthesis run \\
  platforms/cycle_time/sweeps/design_search_circuits.json --out FOLDER --no-report
```"""


@dataclass(frozen=True)
class Search:
    """Everything that the page is of."""

    first: FirstStep
    second: SecondStep
    named: Mapping[str, SwitchDesign]
    library: Library | None = None
    """Results of the synthesis, if there are any."""

    @property
    def reference(self) -> SwitchDesign:
        return self.second.designs[AGGRESSIVE]

    def circuit(self, design: SwitchDesign) -> Circuit | None:
        """The fastest circuit of a design in the widths of the RTL: its sum on arrival or at the
        exit, which is the same at the ports."""
        if self.library is None:
            return None
        rtl = self.first.rtl
        wanted = {
            **circuit_parameters(design),
            "data_width": rtl.data,
            "link_cycles": rtl.link_cycles,
            "reverse_slots": rtl.reverse_slots,
        }
        found = [
            each
            for each in self.library.circuits
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


def page_text(search: Search, figures: Mapping[str, str]) -> str:
    """The page's Markdown. `figures` are titles by name of the file beside the page."""
    mixed = [each for each in search.second.workloads if each not in _TITLES]
    parts = [
        f"{HEAD}\n# Design search: switches beyond the paper's",
        verdict(search),
        _limits(search),
        "## The designs",
        _design_table(search),
        f"## {_TITLES[POLLING]}",
        *[_picture(name, title) for name, title in figures.items() if "polling" in name],
        _size_table(search, POLLING),
        winning(search, POLLING),
        "## Mixed traffic",
        *[_picture(name, title) for name, title in figures.items() if "load" in name],
        *[part for each in mixed for part in _load_part(search, each)],
        "## When nothing is hot",
        nothing_hot(search),
        f"{_TITLES[UNIFORM]}: {_unit(UNIFORM)}.",
        _size_table(search, UNIFORM),
        f"{_TITLES[LIGHT]}: {_unit(LIGHT)}.",
        _size_table(search, LIGHT),
        "## Why",
        why(search),
        _stage_table(search),
        steps_text(search),
        _steps_table(search),
        _axes_text(),
        _axes_table(search),
        "## What the clock makes of it",
        clock_text(search),
        _clock_table(search),
        "## How they were found",
        _found(search),
        _thresholds(search),
        _front_table(search),
        "## How to reproduce",
        _REPRODUCE,
    ]
    return "\n\n".join(each for each in parts if each) + "\n"


# --- sentences ------------------------------------------------------------------------------------


def verdict(search: Search) -> str:
    """The first paragraph."""
    second = search.second
    sizes = f"{second.sizes[0]} to {second.largest} elements"
    found = [each for each in second.designs if each not in search.named]
    ahead = [each for each in second.winners if each in found]
    if not ahead:
        opening = (
            f"No switch of the {len(search.first.designs):,} that were searched is better than the "
            f"paper's aggressive one in something and worse in nothing, from {sizes}."
        )
        return f"{opening} {_fastest(search)}"
    best = ahead[0]
    parts = [
        f"Of {len(search.first.designs):,} switches {_count(len(ahead), 'is', 'are')} better than "
        f"the paper's aggressive one in something and worse in nothing, measured with "
        f"{second.seeds} seeds from {sizes}.",
        f"The best of them all round is **{best}**: at {second.largest} elements "
        + _list(_gain_words(search, each, best) for each in second.workloads)
        + ". What is no latency in cycles is the load that the network accepts, in requests per "
        "element and 1000 cycles.",
        _state_words(search, best),
        _fastest(search),
        _candidate(search),
    ]
    return " ".join(filter(None, parts))


def _limits(search: Search) -> str:
    second = search.second
    return (
        "Cycles of the model, in which every request reads a word, with memory modules that take a "
        f"request every 4 cycles. Means and 0.95 confidence intervals over {second.seeds} seeds; "
        "designs are compared seed by seed, and neither what the interval of the quotient does not "
        f"tell from 1 nor what differs by less than {100 * LEAST_GAIN:.1f} % is called better or "
        "worse. There are many comparisons, of which one in twenty may come out by chance. Runs "
        "under mixed traffic are short beside the time in which trees of full queues come and go: "
        "what differs between seeds is in the intervals, what a longer run would change is not. "
        "The designs were chosen at one size, where a larger network may want more, above all of "
        "its wait buffers. Order was searched for its speed only; what it promises is in "
        "[combining_queue](combining_queue.md)."
    )


def winning(search: Search, workload: str) -> str:
    """Where each design found is ahead of the aggressive one, and where behind."""
    second = search.second
    found = [each for each in second.designs if each not in search.named]
    lines = [f"- {each}: {_compared(second, workload, each)}" for each in found]
    return "\n".join(["Beside the aggressive switch:", "", *lines]) if lines else ""


def _compared(second: SecondStep, workload: str, series: str) -> str:
    """ "better from 32 elements on, worse at 16 elements"."""
    better = [n for n in second.sizes if second.is_better(workload, series, n)]
    worse = [n for n in second.sizes if second.is_worse(workload, series, n)]
    said = [
        _range_words(sizes, second.sizes, what)
        for sizes, what in ((better, "better"), (worse, "worse"))
        if sizes
    ]
    return ", ".join(said) or "not told apart at any size"


def nothing_hot(search: Search) -> str:
    """What the best costs a machine without hot words."""
    second = search.second
    best = _best(search)
    if best is None:
        return "No design was better all round; the tables show what each costs."
    parts = []
    for workload in (UNIFORM, LIGHT):
        said = _compared(second, workload, best)
        if _differs(second, workload, best):
            said += f" ({_change(second, workload, best)} at {second.largest})"
        parts.append(f"{_TITLES[workload].lower()}: {said}")
    return (
        f"What does **{best}** cost when nothing is hot? In cycles, beside the aggressive switch: "
        f"{'; '.join(parts)}. {_against_single_input(search, best)}"
    ).rstrip()


def _against_single_input(search: Search, best: str) -> str:
    """Beside the paper's improved switch, whose queues take one input each."""
    second = search.second
    if "improved" not in second.designs:
        return ""
    gain = second.gain(UNIFORM, best, second.largest, over="improved")
    said = f"is {_percent(gain.mean)}"
    if second.same(UNIFORM, best, "improved", second.largest):
        said = "is not told apart"
    return (
        "Beside the improved switch, of two single-input queues of "
        f"{second.designs['improved'].slots} slots a port, its accepted load {said} under "
        f"saturated uniform traffic at {second.largest} elements."
    )


def why(search: Search) -> str:
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
    stages = [f"- {_stage_words(search, name)}" for name in [AGGRESSIVE, *_shown(search)]]
    more = " ".join([*_candidate_slots(search), *_mechanisms(search)])
    return "\n\n".join(filter(None, [*sentences, "\n".join(stages), more]))


def _stage_words(search: Search, name: str) -> str:
    second = search.second
    stages, wait = _full_stages(second, name)
    of = len(second.stages[name])
    if stages == 0:
        return f"{_capital(name)}: no stage combines nearly all it can."
    return (
        f"{_capital(name)}: {stages} of {of} stages combine nearly all they can, and an entry "
        f"waits {wait:.1f} cycles in each."
    )


def _candidate_slots(search: Search) -> list[str]:
    """Whether slots matter to the switch that was expected to be best."""
    first = search.first
    expected = _expected(search)
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
    best = _best(search)
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


def steps_text(search: Search) -> str:
    """Of the table of single steps."""
    if not _steps(search):
        return ""
    return (
        "From the aggressive switch to the best one, a change at a time, and each change alone, as "
        f"the first step has measured them (one seed, {search.first.elements} elements; a change "
        "in the boxes of noise, "
        + _list(
            f"{100 * width:.0f} % in {name}"
            for name, width in zip(NAMES[:3], search.first.widths, strict=False)
        )
        + ", says nothing):"
    )


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
    lacking = [name for name, each in search.second.designs.items() if not search.circuit(each)]
    said = (
        f"{structure} FO4 of {search.library.name}, two switches in series: the fastest of each "
        "portfolio of recipes to the slowest; products are bands, and two of them differ only if "
        "they have nothing in common."
    )
    if lacking:
        said += f" Not synthesised: {_list(lacking)}."
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
        said = f"In FO4, too, {_list(ahead)} {_verb(ahead)} faster"
    said += f" than the aggressive one in polling at {second.largest} elements"
    return f"{said}; {_list(behind)} {_verb(behind)} slower." if behind else f"{said}."


def _candidate(search: Search) -> str:
    """What was expected to be best before the search."""
    second = search.second
    expected = _expected(search)
    name = next((name for name, each in second.designs.items() if each == expected), None)
    if name is None:
        return ""
    said = f"The switch that looked promising before, {name}, is in polling "
    said += _compared(second, POLLING, name)
    if second.is_better(POLLING, name, second.largest):
        said += f" ({_change(second, POLLING, name)} at {second.largest})"
    lost = dict.fromkeys(workload for workload, _ in second.losses(name) if workload != POLLING)
    return f"{said}; at some size it loses in {_list(lost)}." if lost else f"{said}."


def _fastest(search: Search) -> str:
    """In polling."""
    second = search.second
    best, *same = second.fastest(POLLING, second.largest)
    value = second.measured(POLLING, best, second.largest)
    reference = second.measured(POLLING, AGGRESSIVE, second.largest)
    others = f" (nothing tells {_list(same)} from it)" if same else ""
    return (
        f"The fastest in polling at {second.largest} elements is {best}{others}: "
        f"{_number(value, POLLING)} against {_number(reference, POLLING)} cycles."
    )


def _gain_words(search: Search, workload: str, series: str) -> str:
    second = search.second
    what = {POLLING: "polling", UNIFORM: "uniform traffic", LIGHT: "light uniform traffic"}
    name = what.get(workload, workload)
    unit = " cycles" if is_latency(workload) else ""
    if not _differs(second, workload, series):
        return f"{name} the same within the interval"
    own, other = (
        _number(second.measured(workload, each, second.largest), workload)
        for each in (series, AGGRESSIVE)
    )
    return f"{name} {own} against {other}{unit} ({_change(second, workload, series)})"


def _differs(second: SecondStep, workload: str, series: str) -> bool:
    """Whether a design is certainly another one than the aggressive, at the greatest size."""
    return second.is_better(workload, series, second.largest) or second.is_worse(
        workload, series, second.largest
    )


def _change(second: SecondStep, workload: str, series: str) -> str:
    """From the aggressive switch's mean to the design's, at the greatest size."""
    own = second.measured(workload, series, second.largest).mean
    return _percent(own / second.measured(workload, AGGRESSIVE, second.largest).mean)


def _state_words(search: Search, series: str) -> str:
    own = search.second.designs[series].flip_flops(search.first.rtl)
    other = search.reference.flip_flops(search.first.rtl)
    return f"It has {own:,} bits of state against {other:,} ({_percent(own / other)})."


def _found(search: Search) -> str:
    first = search.first
    noise = _list(
        f"{100 * each:.1f} % in {name}" for name, each in zip(NAMES, first.noise, strict=False)
    )
    widths = _list(
        f"{100 * each:.0f} % in {name}" for name, each in zip(NAMES, first.widths, strict=True)
    )
    return (
        f"The first step, sweep `design_search`, has run all {len(first.designs):,} combinations "
        f"of queue type, coupling, limit (none, 1 to 4, gradual from 1 and 2), slots, order, wait "
        "buffer and microarchitecture that the simulator accepts, with one seed at "
        f"{first.elements} elements, under polling, uniform traffic, and mixed traffic "
        f"({_list(_mixed(first))}; 16 requests outstanding): {first.points:,} runs. "
        "Objectives are the latency of polling, the geometric mean of the loads accepted under "
        "mixed traffic, the load accepted under uniform traffic, and the bits of state of a "
        f"switch. One seed lies up to {noise} from the mean (standard deviation over five seeds of "
        f"four designs), so that values are compared in boxes of {widths} (Laumanns and others "
        f"2002). {len(first.front)} boxes are beaten by no other; of each the design with least "
        "state stands for it. Measured in the second step, sweep `design_search_front`, are those "
        "that are in no box behind the aggressive switch but maybe in state, and in one ahead, as "
        "well as single steps from the aggressive switch that the explanation needs."
    )


def _thresholds(search: Search) -> str:
    """What is arbitrary in the choice, and what the best one owes to it."""
    chosen = (
        "The thresholds of the front were chosen after the data had been seen: boxes "
        f"{TIMES_NOISE} times as wide as that deviation, of which {100 * LEAST_NOISE:.0f} % at "
        f"least is taken, and {100 * AREA_WIDTH:.0f} % wide in state. They decide which designs "
        "the second step measures, not what it finds of them; a better one may have been left out."
    )
    best = _best(search)
    if best is None:
        return chosen
    design = search.second.designs[best]
    inside, ahead = [], []
    for times in _TIMES:
        first = search.first.with_boxes(times)
        if design in first.front:
            inside.append(times)
            continue
        box = first.box(design)
        ahead += [each.words for each in first.front if dominates(first.box(each), box)]
    said = (
        f"{chosen} With boxes of {_list(map(str, _TIMES))} times the deviation, **{best}** is on "
        f"the front with {_list(map(str, inside)) or 'none'}"
    )
    if ahead:
        said += f"; with the others {_list(dict.fromkeys(ahead))} stands before it"
    return f"{said}."


# --- tables ---------------------------------------------------------------------------------------


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
        f"{_capital(workload)}, 16 requests outstanding:",
        _size_table(search, workload),
        winning(search, workload),
    ]


def _stage_table(search: Search) -> str:
    second = search.second
    count = len(next(iter(second.stages.values())))
    head = [
        f"Polling, {second.largest} elements; stage (0 at the elements)",
        *map(str, range(count)),
    ]
    rows = []
    for name in [AGGRESSIVE, *_shown(search)]:
        stages = second.stages[name]
        rows.append((f"{name}: combining rate", *(f"{each.rate:.2f}" for each in stages)))
        rows.append(("cycles in a queue", *(f"{each.wait:.1f}" for each in stages)))
        rows.append(("most in a wait buffer", *(f"{each.peak:.0f}" for each in stages)))
    return table(head, rows)


def _steps(search: Search) -> list[tuple[str, SwitchDesign]]:
    """From the aggressive switch to the best, axis by axis, then each change alone."""
    best = _best(search)
    if best is None:
        return []
    goal, now = search.second.designs[best], search.reference
    changed = [
        each.name
        for each in fields(SwitchDesign)
        if getattr(goal, each.name) != getattr(now, each.name)
    ]
    # The limit and how it is come to are one thing.
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


_GROUPS: Final = (
    ("adaptation", "adaptive_limit"),
    ("slots",),
    ("wait_buffer_entries",),
    ("queue_type",),
    ("coupled",),
    ("order",),
    ("microarchitecture",),
)


def _steps_table(search: Search) -> str:
    steps = _steps(search)
    if not steps:
        return ""
    first = search.first
    mixed = _mixed(first)
    head = [
        "Step",
        "polling, cycles",
        *[f"{each}, {_LOAD}" for each in mixed],
        f"uniform, {_LOAD}",
        "bits of state",
    ]
    rows = []
    for name, design in steps:
        own = first.designs[design]
        rows.append(
            (
                name,
                f"{own.polling:.1f}",
                *(_per_thousand(own.mixed[each]) for each in mixed),
                _per_thousand(own.uniform),
                f"{design.flip_flops(first.rtl):,}",
            )
        )
    return table(head, rows)


def _axes_text() -> str:
    return (
        "What each axis does on average over the whole first step: geometric means of the quotient "
        "to the aggressive switch's value of it, all else the same. Below 100 % polling is faster; "
        "above, more load is accepted. An average hides that axes need each other: slots do little "
        "for a queue in which nothing can combine."
    )


def _axes_table(search: Search) -> str:
    rows = [row for group in _GROUPS for row in axis_rows(search.first, group, search.reference)]
    head = ["Axis", "value", "polling", f"mixed, {_LOAD}", f"uniform, {_LOAD}", "pairs"]
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


def _clock_table(search: Search) -> str:
    second = search.second
    head = [
        "Design",
        "FO4 a cycle",
        f"polling at {second.largest}, cycles",
        "in FO4",
        f"{_TITLES[UNIFORM].lower()}: FO4 between two requests of an element",
    ]
    rows = []
    for name, design in second.designs.items():
        circuit = search.circuit(design)
        rows.append(
            (
                name,
                _band(None if circuit is None else circuit.fo4),
                _number(second.measured(POLLING, name, second.largest), POLLING),
                _band(_fo4(search, name, POLLING, second.largest)),
                _band(_fo4(search, name, UNIFORM, second.largest)),
            )
        )
    return table(head, rows)


def _front_table(search: Search) -> str:
    first = search.first
    head = [
        "The front of the first step",
        "polling, cycles",
        f"mixed, {_LOAD}",
        f"uniform, {_LOAD}",
        "bits of state",
        "measured",
    ]
    designs = sorted(first.front, key=lambda each: first.designs[each].polling)
    measured = set(search.second.designs.values())
    rows = [
        (
            each.words,
            f"{first.designs[each].polling:.1f}",
            _per_thousand(first.designs[each].mean_mixed),
            _per_thousand(first.designs[each].uniform),
            f"{each.flip_flops(first.rtl):,}",
            "yes" if each in measured else "",
        )
        for each in designs
    ]
    return table(head, rows)


# --- words and numbers ----------------------------------------------------------------------------


def _fo4(search: Search, series: str, workload: str, elements: int) -> Band | None:
    """A latency, or the time between two requests, in FO4."""
    circuit = search.circuit(search.second.designs[series])
    if circuit is None:
        return None
    cycles = search.second.measured(workload, series, elements).band
    return (cycles if is_latency(workload) else Band(1, 1) / cycles) * circuit.fo4


def _best(search: Search) -> str | None:
    """The best all round of those that were found."""
    return next((each for each in search.second.winners if each not in search.named), None)


def _expected(search: Search) -> SwitchDesign:
    """What looked promising before the search: coupled type B with a limit of 1."""
    return replace(search.reference, queue_type="B", adaptive_limit=1)


def _shown(search: Search) -> list[str]:
    """Of which the stages are shown: the fastest in polling, the best, the expected, improved."""
    second = search.second
    best, expected = _best(search), _expected(search)
    names = [second.fastest(POLLING, second.largest)[0], *([best] if best else [])]
    names += [name for name, each in second.designs.items() if each == expected]
    names += [name for name in ("improved",) if name in second.designs]
    return [each for each in dict.fromkeys(names) if each != AGGRESSIVE]


def _full_stages(second: SecondStep, series: str) -> tuple[int, float]:
    """Stages that combine nine tenths of what pairs allow, and the mean wait in them."""
    full = [each for each in second.stages[series] if each.rate >= 0.45]
    return len(full), statistics.fmean(each.wait for each in full) if full else 0.0


def _mixed(first: FirstStep) -> list[str]:
    return sorted(next(iter(first.designs.values())).mixed)


def _places(second: SecondStep, places: Sequence[tuple[str, int]]) -> str:
    """Workloads, each with the sizes if they are not all."""
    by_workload: dict[str, list[int]] = {}
    for workload, elements in places:
        by_workload.setdefault(workload, []).append(elements)
    return "; ".join(
        name if own == second.sizes else f"{name} ({_sizes(own)})"
        for name, own in by_workload.items()
    )


def _range_words(found: Sequence[int], sizes: Sequence[int], what: str) -> str:
    """ "better from 64 elements on"."""
    if list(found) == list(sizes):
        return f"{what} at all sizes"
    if len(found) > 1 and list(found) == list(sizes[-len(found) :]):
        return f"{what} from {found[0]} elements on"
    return f"{what} at {_sizes(found)} elements"


def _sizes(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes))


def _unit(workload: str) -> str:
    if is_latency(workload):
        return "mean latency, cycles"
    return f"{_LOAD}, requests per element and 1000 cycles"


def _per_thousand(load: float) -> str:
    """A load of the first step, whose one seed tells three digits at most."""
    return f"{1000 * load:.0f}"


def _number(measured: Measured, workload: str) -> str:
    return f"{measured.mean:.1f}" if is_latency(workload) else f"{1000 * measured.mean:.1f}"


def _interval(measured: Measured, workload: str) -> str:
    scale = 1 if is_latency(workload) else 1000
    half = scale * (measured.band.high - measured.mean)
    return f"{scale * measured.mean:.1f} ± {half:.1f}"


def _band(band: Band | None) -> str:
    return "—" if band is None else f"{band.low:,.0f} to {band.high:,.0f}"


def _percent(quotient: float) -> str:
    text = f"{100 * (quotient - 1):+.0f} %"
    return "±0 %" if text in ("+0 %", "-0 %") else text.replace("-", "−")


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def _verb(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _list(parts: Iterable[str]) -> str:
    """ "a, b and c"; by semicolons where a part has commas."""
    words = list(parts)
    if len(words) < 2:
        return "".join(words)
    comma = ";" if any("," in each for each in words) else ","
    return f"{f'{comma} '.join(words[:-1])}{';' if comma == ';' else ''} and {words[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _picture(name: str, title: str) -> str:
    return f"![{title}](../images/{name}.svg)"


def check_named(search: Search) -> None:
    """Raises `ExploreError` if the second step has not the named designs as they are."""
    for name, design in search.named.items():
        if search.second.designs.get(name) != design:
            raise ExploreError(
                f"the second step has not the preset {name} as it is; write its run file again by "
                "python -m cycle_time.design_search front"
            )
