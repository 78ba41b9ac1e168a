# SPDX-License-Identifier: Apache-2.0
"""The page docs/models/design-search.md: every sentence with a number is made from results.

Its frame, what is compared with the aggressive switch, and how the designs were found; the sections
on causes and on the clock are in design_search_why and design_search_clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from .design_search_clock import clock_section
from .design_search_results import (
    LOAD,
    TITLES,
    Search,
    capital,
    listed,
    mean_text,
    mixed_workloads,
    per_thousand,
)
from .design_search_why import why_section
from .first_step import AREA_WIDTH, LEAST_NOISE, NAMES, TIMES_NOISE
from .front import dominates
from .markdown import table
from .networks import Measured
from .second_step import AGGRESSIVE, LEAST_GAIN, LIGHT, POLLING, UNIFORM, SecondStep, is_latency

_HEAD: Final = "<!-- Written by python -m cycle_time.design_search page; edits are lost. -->"

# Widths of boxes, in times of the noise, under which the front is looked at.
_TIMES: Final = range(1, 7)

_REPRODUCE: Final = """```
./dev explore run design_search --out build/design_search/first.sweep --no-report
./dev explore run design_search_front --out build/design_search/second.sweep
cd platforms
../build/venv/bin/python -m cycle_time.design_search page \\
  ../build/design_search/first.sweep ../build/design_search/second.sweep \\
  [--synthesis FOLDER --noise ../build/cycle_time/osu018]
```

`design_search front FOLDER` chooses the designs of the second step from the first's results anew.
The noise is what `./dev cycle-time` has measured; `FOLDER` of `--synthesis` is that of

```
./dev explore --program rtl/synthesis/tributary-synthesis run \\
  platforms/cycle_time/sweeps/design_search_circuits.json --out FOLDER --no-report
```"""


def page_text(search: Search, figures: Mapping[str, str]) -> str:
    """The page's Markdown. `figures` are titles by name of the file beside the page."""
    mixed = [each for each in search.second.workloads if each not in TITLES]
    parts = [
        f"{_HEAD}\n# Design search: switches beyond the paper's",
        verdict(search),
        _limits(search),
        "## The designs",
        _design_table(search),
        f"## {TITLES[POLLING]}",
        *[_picture(name, title) for name, title in figures.items() if "polling" in name],
        _size_table(search, POLLING),
        winning(search, POLLING),
        "## Mixed traffic",
        *[_picture(name, title) for name, title in figures.items() if "load" in name],
        *[part for each in mixed for part in _load_part(search, each)],
        "## When nothing is hot",
        nothing_hot(search),
        f"{TITLES[UNIFORM]}: {_unit(UNIFORM)}.",
        _size_table(search, UNIFORM),
        f"{TITLES[LIGHT]}: {_unit(LIGHT)}.",
        _size_table(search, LIGHT),
        "## Why",
        *why_section(search),
        "## What the clock makes of it",
        *clock_section(search),
        "## How they were found",
        _found(search),
        _thresholds(search),
        _front_table(search),
        "## How to reproduce",
        _REPRODUCE,
    ]
    return "\n\n".join(each for each in parts if each) + "\n"


def _picture(name: str, title: str) -> str:
    return f"![{title}](../images/{name}.svg)"


# --- the answer, and what limits it ---------------------------------------------------------------


def verdict(search: Search) -> str:
    """The first paragraph."""
    second = search.second
    sizes = f"{second.sizes[0]} to {second.largest} elements"
    ahead = search.ahead
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
        + listed(_gain_words(search, each, best) for each in second.workloads)
        + ". What is no latency in cycles is the load that the network accepts, in requests per "
        "element and 1000 cycles.",
        _state_words(search, best),
        _fastest(search),
        _candidate(search),
    ]
    return " ".join(filter(None, parts))


def _gain_words(search: Search, workload: str, series: str) -> str:
    second = search.second
    what = {POLLING: "polling", UNIFORM: "uniform traffic", LIGHT: "light uniform traffic"}
    name = what.get(workload, workload)
    unit = " cycles" if is_latency(workload) else ""
    if not _differs(second, workload, series):
        return f"{name} the same within the interval"
    own, other = (
        mean_text(second.measured(workload, each, second.largest), workload)
        for each in (series, AGGRESSIVE)
    )
    return f"{name} {own} against {other}{unit} ({_change(second, workload, series)})"


def _state_words(search: Search, series: str) -> str:
    own = search.second.designs[series].flip_flops(search.first.rtl)
    other = search.reference.flip_flops(search.first.rtl)
    return f"It has {own:,} bits of state against {other:,} ({_percent(own / other)})."


def _fastest(search: Search) -> str:
    """In polling."""
    second = search.second
    best, *same = second.fastest(POLLING, second.largest)
    value = second.measured(POLLING, best, second.largest)
    reference = second.measured(POLLING, AGGRESSIVE, second.largest)
    others = f" (nothing tells {listed(same)} from it)" if same else ""
    return (
        f"The fastest in polling at {second.largest} elements is {best}{others}: "
        f"{mean_text(value, POLLING)} against {mean_text(reference, POLLING)} cycles."
    )


def _candidate(search: Search) -> str:
    """What was expected to be best before the search."""
    second = search.second
    name = next(iter(search.names_of(search.expected)), None)
    if name is None:
        return ""
    said = f"The switch that looked promising before, {name}, is in polling "
    said += _compared(second, POLLING, name)
    if second.is_better(POLLING, name, second.largest):
        said += f" ({_change(second, POLLING, name)} at {second.largest})"
    lost = dict.fromkeys(workload for workload, _ in second.losses(name) if workload != POLLING)
    return f"{said}; at some size it loses in {listed(lost)}." if lost else f"{said}."


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


# --- beside the aggressive switch -----------------------------------------------------------------


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
        winning(search, workload),
    ]


def winning(search: Search, workload: str) -> str:
    """Where each design found is ahead of the aggressive one, and where behind."""
    lines = [f"- {each}: {_compared(search.second, workload, each)}" for each in search.found]
    return "\n".join(["Beside the aggressive switch:", "", *lines]) if lines else ""


def nothing_hot(search: Search) -> str:
    """What the best costs a machine without hot words."""
    second = search.second
    best = search.best
    if best is None:
        return "No design was better all round; the tables show what each costs."
    parts = []
    for workload in (UNIFORM, LIGHT):
        said = _compared(second, workload, best)
        if _differs(second, workload, best):
            said += f" ({_change(second, workload, best)} at {second.largest})"
        parts.append(f"{TITLES[workload].lower()}: {said}")
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


def _range_words(found: Sequence[int], sizes: Sequence[int], what: str) -> str:
    """ "better from 64 elements on"."""
    if list(found) == list(sizes):
        return f"{what} at all sizes"
    if len(found) > 1 and list(found) == list(sizes[-len(found) :]):
        return f"{what} from {found[0]} elements on"
    return f"{what} at {_sizes(found)} elements"


def _differs(second: SecondStep, workload: str, series: str) -> bool:
    """Whether a design is certainly another one than the aggressive, at the greatest size."""
    return second.is_better(workload, series, second.largest) or second.is_worse(
        workload, series, second.largest
    )


def _change(second: SecondStep, workload: str, series: str) -> str:
    """From the aggressive switch's mean to the design's, at the greatest size."""
    own = second.measured(workload, series, second.largest).mean
    return _percent(own / second.measured(workload, AGGRESSIVE, second.largest).mean)


# --- how they were found --------------------------------------------------------------------------


def _found(search: Search) -> str:
    first = search.first
    noise = listed(
        f"{100 * each:.1f} % in {name}" for name, each in zip(NAMES, first.noise, strict=False)
    )
    widths = listed(
        f"{100 * each:.0f} % in {name}" for name, each in zip(NAMES, first.widths, strict=True)
    )
    return (
        f"The first step, sweep `design_search`, has run all {len(first.designs):,} combinations "
        f"of queue type, coupling, limit (none, 1 to 4, gradual from 1 and 2), slots, order, wait "
        "buffer and microarchitecture that the simulator accepts, with one seed at "
        f"{first.elements} elements, under polling, uniform traffic, and mixed traffic "
        f"({listed(mixed_workloads(first))}; 16 requests outstanding): {first.points:,} runs. "
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
    best = search.best
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
        f"{chosen} With boxes of {listed(map(str, _TIMES))} times the deviation, **{best}** is on "
        f"the front with {listed(map(str, inside)) or 'none'}"
    )
    if ahead:
        said += f"; with the others {listed(dict.fromkeys(ahead))} stands before it"
    return f"{said}."


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


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
