# SPDX-License-Identifier: Apache-2.0
"""Which statistics there are and the figures can draw, known before anything has run.

docs/formats/results.md is generated from the program and lists the machine's; a test compares.
Those of a workload, `workload.marks.superstep.interval.mean`, and their times depend on the program
and are found only when the figure is drawn. Of a platform other than the Ultracomputer only the
groups are known before: how many nodes and handlers there are depends on the configuration.
"""

from __future__ import annotations

import re

from ..simulator import USUAL_PLATFORM

_AVERAGE = ("mean", "count", "sum", "min", "max")
_HISTOGRAM = ("count", "p50", "p95", "p99")
_MEMBERS: dict[str, tuple[str, ...]] = {
    "value": (),
    "counter": (),
    "average": _AVERAGE,
    "histogram": (*_HISTOGRAM, "bins", "bin_width", "overflow", "scale"),
    "series": ("values", "window", "first_cycle", "last_cycle"),
}

# Of a class of requests.
_OF_CLASS = {
    "latency": "average",
    "latency_p50": "value",
    "latency_p95": "value",
    "latency_p99": "value",
}

# `*` stands for a stage.
MACHINE: dict[str, str] = {
    "machine.cycles": "value",
    "interface.accepted": "counter",
    "interface.latency": "average",
    "interface.latency_distribution": "histogram",
    **{
        f"interface.{each}.{name}": form
        for each in ("hot", "cold", "loads", "atomics")
        for name, form in _OF_CLASS.items()
    },
    "interface.source_wait": "average",
    "interface.accepted_load": "value",
    "network.transit": "average",
    "network.stage.*.arrived": "counter",
    "network.stage.*.combined": "counter",
    "network.stage.*.combining_rate": "value",
    "network.stage.*.departed": "counter",
    "network.stage.*.decombined": "counter",
    "network.stage.*.queue_occupancy": "value",
    "network.stage.*.wait_buffer_occupancy": "value",
    "network.stage.*.wait_buffer_peak": "value",
    "network.stage.*.queue_occupancy_over_time": "series",
    "network.stage.*.wait_buffer_occupancy_over_time": "series",
    "network.stage.*.fullest_queue_over_time": "series",
    "network.stage.*.fullest_wait_buffer_over_time": "series",
    "memory.served": "counter",
    "memory.served_locally": "counter",
}

# Of runs until something is steady; `run.steady` of those until all is finished too.
STEADY_RUN: dict[str, str] = {
    "run.steady": "value",
    "run.batches": "value",
    "run.batch_length": "value",
    "run.rate": "value",
    "run.reached_half_width": "value",
}

# Of runs of a fixed length.
FIXED_RUN: dict[str, str] = {
    "run.settled": "value",
    "run.latency_drift": "value",
    "run.backlog_drift": "value",
}

# First words of those that depend on the program.
_OF_PROGRAM = ("workload", "time")

# First words of the statistics of the other platforms.
GROUPS: dict[str, tuple[str, ...]] = {
    "cluster": ("machine", "network", "run", "traffic"),
    "data_parallel": ("account", "machine", "network", "node", "run", *_OF_PROGRAM),
    "flash": ("machine", "network", "node", "run", "transfer", *_OF_PROGRAM),
    "reflective": ("machine", "node", "operation", "ring", "run", *_OF_PROGRAM),
    "smp": ("machine", "network", "node", "run", *_OF_PROGRAM),
    "switch_synthesis": ("synthesis",),
}

_QUOTIENT = " / "


def parts_of(expression: str) -> tuple[str, ...]:
    """The paths of a statistic, or of the quotient of two: `transfer.busy.sum / transfer.bytes`."""
    return tuple(each.strip() for each in expression.split(_QUOTIENT))


def all_statistics(platform: str = USUAL_PLATFORM) -> tuple[str, ...]:
    """The machine's statistics and their members, `*` for a stage; of some platforms the groups."""
    if platform in GROUPS:
        return tuple(f"{group}.*" for group in GROUPS[platform])
    return tuple(
        path
        for name, form in (MACHINE | STEADY_RUN | FIXED_RUN).items()
        for path in (name, *(f"{name}.{member}" for member in _MEMBERS[form]))
    )


def is_named(pattern: str, platform: str = USUAL_PLATFORM) -> bool:
    """Whether a pattern of a sweep file's "statistics" names one, as far as is known by now."""
    words = pattern.split(".")
    if platform in GROUPS:
        return any(_matches(words[0], group) for group in GROUPS[platform])
    return any(_matches(words[0], group) for group in _OF_PROGRAM) or any(
        len(words) <= len(names) and all(map(_matches, words, names))
        for names in (path.split(".") for path in all_statistics())
    )


def _matches(word: str, name: str) -> bool:
    if name == "*":
        return word.isdecimal() or "*" in word
    return re.fullmatch(re.escape(word).replace(r"\*", ".*"), name) is not None


def describe_statistics(kind: str, platform: str = USUAL_PLATFORM) -> tuple[str, ...]:
    """The machine's statistics that a figure of a kind can draw, `*` for a stage."""
    if platform in GROUPS:
        return all_statistics(platform)
    names: list[str] = []
    for name, form in (MACHINE | STEADY_RUN | FIXED_RUN).items():
        if kind == "distribution":
            names += [name] if form == "histogram" else []
        elif kind == "occupancy":
            names += [name] if form == "series" else []
        elif kind == "combining":
            names += [name] if ".*." in name and form in ("value", "counter") else []
        elif form in ("value", "counter"):
            names.append(name)
        elif form in ("average", "histogram"):
            names += [f"{name}.{leaf}" for leaf in (_AVERAGE if form == "average" else _HISTOGRAM)]
    return tuple(names)


def allowed_statistic(path: str, kind: str, platform: str = USUAL_PLATFORM) -> bool:
    """Whether a figure of a kind can draw the statistic, as far as is known before a run."""
    if kind in ("latency", "load", "curves", "bars") and "*" in path:
        return False
    if platform in GROUPS:
        group, _, rest = path.partition(".")
        return group in GROUPS[platform] and rest != ""
    if path.partition(".")[0] in _OF_PROGRAM and kind in (
        "latency",
        "load",
        "curves",
        "bars",
        "distribution",
    ):
        return True
    stage = re.sub(r"\.stage\.\d+\.", ".stage.*.", path)
    return (path if kind in ("combining", "occupancy") else stage) in describe_statistics(kind)
