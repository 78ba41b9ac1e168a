# SPDX-License-Identifier: Apache-2.0
"""A sweep file to begin with: every parameter of the machine in it, and what it means."""

import json
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jinja2

from .configuration import flat
from .errors import ExploreError
from .figures.request import KINDS, SERIES, Space
from .simulator import ResolvedPoint, Simulator
from .sweep_file import nearest


@dataclass(frozen=True)
class _Usual:
    """What is most asked of a platform."""

    preset: str
    axes: Mapping[str, tuple[Any, list[Any]]]
    """What to vary first, the most asked first: as written, and the values."""
    y: str
    """Path of the statistic that a figure shows."""
    statistics: Sequence[str]


_USUAL: Mapping[str, _Usual] = {
    "ultracomputer": _Usual(
        "improved",
        {  # size, wait buffers, traffic, memory
            "network.processing_elements": ({"from": 4, "to": 256, "times": 4}, [4, 16, 64, 256]),
            "network.wait_buffer_entries": ([2, 8, 100], [2, 8, 100]),
            "workload.traffic.hot_spot": ([0.1, 1], [0.1, 1]),
            "memory.interval": ([4, 40], [4, 40]),
        },
        "interface.latency.mean",
        ("interface.latency.mean", "network.stage.*.combining_rate"),
    ),
    "flash": _Usual(
        "fbcopy",
        {
            "workload.bytes": ({"from": 1024, "to": 8192, "times": 2}, [1024, 2048, 4096, 8192]),
            "block_transfer.chunk": ([1, 2, 4, 6], [1, 2, 4, 6]),
            "node.protocol_processor.speed": ([1, 2], [1, 2]),
            "network.bandwidth": ([200, 400, 800], [200, 400, 800]),
        },
        "transfer.time.mean",
        ("transfer.time.mean", "node.*.protocol_processor.occupancy"),
    ),
    "cluster": _Usual(
        "gige_fan_in",
        {
            "traffic.bytes": ([256, 512, 1024, 2048], [256, 512, 1024, 2048]),
            "network.graph.edges": ([2, 4, 8], [2, 4, 8]),
            "network.bandwidth": ([125, 1250], [125, 1250]),
            "traffic.stagger": ([0, 10000], [0, 10000]),
        },
        "traffic.packets.mean",
        ("traffic.packets.mean", "traffic.completion"),
    ),
    "reflective": _Usual(
        "rm70_broadcast",
        {
            "nodes": ([8, 16, 32], [8, 16, 32]),
            "program.radix": ([2, 3, 4], [2, 3, 4]),
            "ring.slot": ([58, 571], [58, 571]),
            "program.words": ([0, 4, 16, 64], [0, 4, 16, 64]),
        },
        "operation.mean",
        ("operation.mean", "ring.occupancy"),
    ),
    "data_parallel": _Usual(
        "interfaces",
        {
            "nodes": ([8, 16, 32], [8, 16, 32]),
            "arity": ([2, 4], [2, 4]),
            "messages.interface.packet_bytes": ([16, 32, 64], [16, 32, 64]),
            "network.base_latency": ([49, 490], [49, 490]),
        },
        "account.interrupts.all",
        ("account.interrupts.all", "account.processors.interface.bytes"),
    ),
    "smp": _Usual(
        "null_overheads",
        {
            "workload.requests.utilisation": ([0.1, 0.3, 0.7, 0.9], [0.1, 0.3, 0.7, 0.9]),
            "node.costs.interrupt": ([200, 2000, 20000], [200, 2000, 20000]),
            "nodes": ([2, 4, 8], [2, 4, 8]),
            "node.costs.activation": ([0, 50, 100], [0, 50, 100]),
        },
        "machine.cycles",
        ("machine.cycles", "node.*.role.interrupts"),
    ),
}
_ACTIVE_AXES = 2
_SEEDS = 3
_MOST_POINTS = 400
"""A base that would have more gets only the ends of each axis that is added."""
_FIXED_GROUP = "run."
_ALWAYS_SET = ("run.warmup", "run.cycles")
_WIDTH = 100


def new_sweep(simulator: Simulator, base: str | None = None) -> str:
    """The text of a sweep file over a preset, or over the platform's most usual one.

    It runs as it is. Raises `ExploreError` for a name that is neither platform nor preset, and for
    a preset of several platforms.
    """
    preset = preset_of(simulator, base)
    validation = simulator.validate(preset)
    platform = validation.platform
    if any(point.platform != platform for point in validation.points):
        raise ExploreError(
            f"{preset} has machines of several platforms, whose parameters differ; name a preset "
            'of one platform, or write a sweep file with "base": ' + json.dumps(preset)
        )
    usual = _USUAL[platform]
    first = dict(flat(validation.points[0].configuration))
    parameters_there = simulator.describe(platform)["parameters"]
    # What changes no result, as the number of threads, is in no configuration.
    described = [
        each
        for each in parameters_there
        if "[]" not in each["name"] and (each["type"] == "list" or each["name"] in first)
    ]
    parameters = [each for each in described if each["type"] != "list"]
    fixed = [each for each in parameters if each["name"].startswith(_FIXED_GROUP)]
    space = Space.of(
        (point.series, 1, dict(flat(point.configuration))) for point in validation.points
    )
    varied = {name: list(values) for name, values in space.varied.items()}
    axes = _axes(validation.points, varied, usual)
    usual = _shortened(usual, len(validation.points), [each for each in axes if each not in varied])
    series = list(dict.fromkeys(each.series for each in validation.points if each.series))
    text = (
        _environment()
        .get_template("new_sweep.json.jinja")
        .render(
            preset=preset,
            platform=platform,
            version=simulator.version,
            title=f"My sweep over {preset}",
            series=series,
            kept=[name for name in varied if name not in axes],
            active=[each for each in parameters if each["name"] in axes],
            inactive=[
                each for each in parameters if each["name"] not in axes and each not in fixed
            ],
            fixed=fixed,
            # Those that the base varies a parameter over, or that of its first point.
            values={name: varied.get(name, [value]) for name, value in first.items()},
            axes=usual.axes,
            seeds=_SEEDS,
            always=_ALWAYS_SET,
            lists=[each["name"] for each in described if each["type"] == "list"],
            kinds=[
                (name, kind.description) for name, kind in KINDS.items() if kind.is_of(platform)
            ],
            statistics=usual.statistics,
            figure=_figure(axes, varied, series, usual),
        )
    )
    return text.rstrip() + "\n"


def preset_of(simulator: Simulator, base: str | None) -> str:
    """The preset that is meant. Raises `ExploreError` for neither platform nor preset."""
    platforms = simulator.platforms
    presets = simulator.presets
    if base is None or base in platforms:
        platform = base or platforms[0]
        if platform not in _USUAL:
            raise ExploreError(
                f"{simulator.program} has no presets of platform {platform} to begin with; write a "
                "run file, and a sweep file that names it as its base"
            )
        return _USUAL[platform].preset
    if base not in presets:
        raise ExploreError(
            f"{base} is neither a platform nor a preset{nearest(base, [*platforms, *presets])} "
            f"(platforms: {', '.join(platforms)}; presets: {', '.join(presets)})"
        )
    return base


def _facts(parameter: Mapping[str, str]) -> str:
    """Type, range, unit and default."""
    unit = f" {parameter['unit']}" if parameter["unit"] not in ("", "1") else ""
    return f"{parameter['type']}: {parameter['range']}{unit}; default {parameter['default']}"


def _axes(points: Sequence[ResolvedPoint], varied: Mapping[str, Any], usual: _Usual) -> list[str]:
    """Names of the axes: first what the base varies, nothing by which its series differ."""
    flat_points = [dict(flat(point.configuration)) for point in points]
    program = flat_points[0].get("workload.kind") == "program"

    def is_useful(name: str) -> bool:
        if name in varied:
            return True
        if program and name.startswith(("workload.traffic.", "workload.bytes")):
            return False
        return len({json.dumps(each[name]) for each in flat_points}) == 1

    useful = [name for name in usual.axes if is_useful(name)]
    return sorted(useful, key=lambda name: name not in varied)[:_ACTIVE_AXES]


def _shortened(usual: _Usual, points: int, added: Sequence[str]) -> _Usual:
    """With the ends of its axes, if those that are added to so many points made too many."""
    if points * math.prod(len(usual.axes[name][1]) for name in added) * _SEEDS <= _MOST_POINTS:
        return usual
    ends = {name: [values[0], values[-1]] for name, (_, values) in usual.axes.items()}
    return replace(usual, axes={name: (both, both) for name, both in ends.items()})


def _figure(
    axes: Sequence[str], varied: Mapping[str, list[Any]], series: Sequence[str], usual: _Usual
) -> dict[str, Any]:
    x, other = sorted(axes, key=list(usual.axes).index)
    by = SERIES if len(series) > 1 else other
    values = {**varied, **{name: usual.axes[name][1] for name in axes}}
    at = {name: each[-1] for name, each in values.items() if name not in (x, by)}
    figure = {"kind": "latency", "x": x, "y": usual.y, "by": by}
    return {**figure, "at": at} if at else figure


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("tributary_explore"),
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["comment"] = _comment
    environment.filters["facts"] = _facts
    environment.filters["tojson"] = json.dumps  # jinja2's own escapes for HTML
    return environment


def _comment(text: str, indent: int) -> str:
    lead = " " * indent + "// "
    return textwrap.fill(
        text, _WIDTH, initial_indent=lead, subsequent_indent=lead, break_long_words=False
    )
