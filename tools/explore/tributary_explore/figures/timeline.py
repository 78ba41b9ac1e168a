# SPDX-License-Identifier: Apache-2.0
"""What the units of the nodes do, cycle by cycle: the event log of one run as a chart of bars."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair

from ..errors import ExploreError
from ..store import EVENTS_FILE
from . import theme
from .charts import Drawn, Points, data, tooltips, unsteady_sentence
from .data import Measured, is_unsteady
from .event_log import HANDLERS, LINK_IN, LINK_OUT, MEMORY, NodeLog, Span, read_node_log
from .figure import Figure, Source
from .request import parse_window

_BUFFERS = "data buffers"
_UNITS = (HANDLERS, _BUFFERS, MEMORY, LINK_OUT, LINK_IN)
_MOST_NODES = 8  # more cannot be told apart
_MOST_BARS = 20_000  # more make a page slow
_WIDTH = 660
_ROW = 19
_GAP = 0.5  # between nodes, in rows
_OTHERS = "other handlers"
_OTHERS_COLOUR = "#8c8c8c"
_LABEL_WIDTH = 20  # of an occupancy of three digits, in pixels


@dataclass(frozen=True)
class _Shown:
    """The part of a log that a figure shows."""

    log: NodeLog
    nodes: Sequence[int]
    first: int
    end: int

    @property
    def spans(self) -> list[Span]:
        return [
            each
            for each in self.log.spans
            if each.node in self.nodes and each.first < self.end and each.end > self.first
        ]

    def top(self, node: int, unit: str) -> float:
        """Of the row of a unit, in rows from above."""
        place = self.nodes.index(node)
        return place * (len(_UNITS) + _GAP) + _UNITS.index(unit)

    @property
    def rows(self) -> float:
        """Height of all."""
        return len(self.nodes) * (len(_UNITS) + _GAP) - _GAP

    def clipped(self, first: int, end: int) -> dict[str, int]:
        """The part of a bar within the window."""
        return {"from": max(first, self.first), "to": min(end, self.end)}


def draw(measured: Measured) -> Drawn:
    """The units of each node, one below the other, of the first run that the figure is of."""
    request = measured.request
    measured.need_rows()
    seed = request["seed"]
    row = next((each for each in measured.rows if seed in (None, each["seed"])), None)
    if row is None:
        raise ExploreError(f"{request.where}: the point of seed {seed} has no result")
    file = Path(row["file"]).with_name(EVENTS_FILE)
    log = read_node_log(measured.folder / file)
    shown = _shown(log, request["nodes"], request["window"], request.where)
    told = unsteady_sentence([f"this, of seed {row['seed']}"] if is_unsteady(row) else [])
    caption = f"One run, seed {row['seed']}. {_caption(shown)}{told}"
    return Drawn(_chart(shown), caption, (), (), (Source("event log", (file.as_posix(),)),))


def of_file(path: Path, title: str, nodes: list[int] | None, window: str | None) -> Figure:
    """The figure of an event log that `tributary run --log` wrote. Raises `ExploreError`."""
    shown = _shown(read_node_log(path), nodes, window, str(path))
    return Figure(path.stem, title, _chart(shown), _caption(shown), (), (), "", "timeline")


def _shown(log: NodeLog, nodes: list[int] | None, window: str | None, where: str) -> _Shown:
    there = log.nodes
    wanted = there if nodes is None else list(dict.fromkeys(nodes))
    for node in wanted:
        if node not in there:
            raise ExploreError(
                f"{where}: nodes: in node {node} nothing happens (something does in: "
                f"{', '.join(map(str, there)) or 'none'})"
            )
    if len(wanted) > _MOST_NODES:
        raise ExploreError(
            f"{where}: {len(wanted)} nodes do something, and a timeline shows {_MOST_NODES} at "
            f'most; choose by "nodes", such as {wanted[:2]}'
        )
    first, last = parse_window(window) if window is not None else (0, None)
    shown = _Shown(log, wanted, first, log.end if last is None else min(last + 1, log.end))
    bars = len(shown.spans)
    if bars == 0:
        raise ExploreError(f"{where}: nothing happens in the cycles and nodes that are shown")
    if bars > _MOST_BARS:
        raise ExploreError(
            f"{where}: {bars:,} bars, and {_MOST_BARS:,} are drawn at most; show fewer cycles by "
            f'"window", such as "{first}..{first + 1000}"'
        )
    return shown


def _chart(shown: _Shown) -> altair.TopLevelMixin:
    x = altair.X(
        "from:Q",
        title="Cycle",
        scale=altair.Scale(domain=[shown.first, shown.end], nice=False),
        axis=altair.Axis(tickCount=8, format="~d"),
    )
    place = [x, altair.X2("to:Q"), _rows_axis(shown), altair.Y2("bottom:Q")]
    handlers = _handlers(shown)
    names = _legend(handlers)
    shown_handlers = [("name:N", "Handler"), ("node:O", "Node"), ("cycles:Q", "Cycles")]
    times = [("first:Q", "From cycle"), ("last:Q", "To cycle")]
    bars = altair.Chart(data(handlers)).mark_rect().encode(
        *place,
        color=altair.Color(
            "colour:N",
            title="Handler",
            scale=altair.Scale(
                domain=names,
                range=[
                    _OTHERS_COLOUR if name == _OTHERS else theme.COLOURS[i]
                    for i, name in enumerate(names)
                ],
            ),
            legend=altair.Legend(columns=2),  # for a phone
        ),
        tooltip=tooltips(*shown_handlers, *times),
    )  # fmt: skip
    layers: list[Any] = [bars]
    told = tooltips(("name:N", "What"), ("node:O", "Node"), *times)
    # With edges, so that one message or access ends where the next begins.
    for points, edge in ((_units(shown), 0.5), (_buffers(shown), 0)):
        if points:
            chart = altair.Chart(data(points))
            grey = chart.mark_rect(style=theme.REFERENCE, opacity=0.55, strokeWidth=edge)
            layers.append(grey.encode(*place, tooltip=told))
    layers += _labels(handlers, shown)
    height = round(_ROW * shown.rows)
    return altair.layer(*layers).properties(width=_WIDTH, height=height)


def _rows_axis(shown: _Shown) -> altair.Y:
    """The rows by what they are; of a node the first says which."""
    names = {
        shown.top(node, unit) + 0.5: f"node {node}: {unit}" if unit == _UNITS[0] else unit
        for node in shown.nodes
        for unit in _UNITS
    }
    listed = ", ".join(f"'{place:g}': '{name}'" for place, name in names.items())
    axis = altair.Axis(
        values=list(names),
        labelExpr=f"({{{listed}}})[format(datum.value, '~g')]",
        labelLimit=200,
        grid=False,
        ticks=False,
        domain=False,
        minExtent=110,
    )
    scale = altair.Scale(domain=[0, shown.rows], reverse=True, nice=False)
    return altair.Y("top:Q", title=None, scale=scale, axis=axis)


def _handlers(shown: _Shown) -> Points:
    spans = [each for each in shown.spans if each.unit == HANDLERS]
    short = _short_names(each.name for each in spans)
    total: Counter[str] = Counter()
    for each in spans:
        total[each.name] += each.cycles
    count = len(theme.COLOURS)
    coloured = {name for name, _ in total.most_common(count)}
    return [
        {
            "name": short[each.name],
            "colour": short[each.name] if each.name in coloured else _OTHERS,
            "cycles": each.cycles,
            **_bar(shown, each, shown.top(each.node, HANDLERS)),
        }
        for each in spans
    ]


def _bar(shown: _Shown, span: Span, top: float) -> dict[str, Any]:
    return {
        "node": span.node,
        "first": span.first,
        "last": span.end - 1,
        **shown.clipped(span.first, span.end),
        "top": top + 0.1,
        "bottom": top + 0.9,
    }


def _short_names(names: Iterable[str]) -> dict[str, str]:
    """Without the protocol, if there is only one."""
    different = list(dict.fromkeys(names))
    protocols = {name.partition(".")[0] for name in different}
    if len(protocols) != 1:
        return {name: name for name in different}
    return {name: name.partition(".")[2] or name for name in different}


def _legend(handlers: Points) -> list[str]:
    """The handlers with a colour of their own, as they come."""
    names = list(dict.fromkeys(str(each["colour"]) for each in handlers))
    return sorted(names, key=lambda name: name == _OTHERS)


def _units(shown: _Shown) -> Points:
    """Links and memory as they are busy."""
    return [
        {"name": each.name, **_bar(shown, each, shown.top(each.node, each.unit))}
        for each in shown.spans
        if each.unit != HANDLERS
    ]


def _buffers(shown: _Shown) -> Points:
    """As high as there are data buffers in use."""
    bars: Points = []
    most = max((each.count for each in shown.log.buffers), default=1)
    for each in shown.log.buffers:
        if each.node in shown.nodes and each.first < shown.end and each.end > shown.first:
            bottom = shown.top(each.node, _BUFFERS) + 0.95
            bars.append(
                {
                    "name": f"{each.count} data buffers in use",
                    "node": each.node,
                    "first": each.first,
                    "last": each.end - 1,
                    **shown.clipped(each.first, each.end),
                    "top": round(bottom - 0.9 * each.count / most, 3),
                    "bottom": bottom,
                }
            )
    return bars


def _labels(handlers: Points, shown: _Shown) -> list[altair.Chart]:
    """Occupancies in the bars that have room for them."""
    room = _LABEL_WIDTH * (shown.end - shown.first) / _WIDTH
    wide = [
        {"at": (each["from"] + each["to"]) / 2, "top": each["top"] + 0.4, "text": each["cycles"]}
        for each in handlers
        if each["to"] - each["from"] >= room and each["cycles"] == each["to"] - each["from"]
    ]
    if not wide:
        return []
    text = altair.Chart(data(wide)).mark_text(fontSize=9, color="#111111")
    return [text.encode(x="at:Q", y=_rows_axis(shown), text="text:Q")]


def _caption(shown: _Shown) -> str:
    handlers = [each for each in shown.spans if each.unit == HANDLERS]
    sentences = ["Numbers in the bars: occupancies of the protocol processor in cycles."]
    if handlers:
        total: Counter[tuple[int, str]] = Counter()
        for each in handlers:
            total[each.node, each.name] += each.cycles
        (node, name), cycles = total.most_common(1)[0]
        times = sum((each.node, each.name) == (node, name) for each in handlers)
        ran = "once" if times == 1 else f"{times} times"
        sentences.append(f"In node {node} {name} runs {ran}, {cycles:,} cycles together.")
    used = [
        f"{max(own)} of node {node}"
        for node in shown.nodes
        if (own := [each.count for each in shown.log.buffers if each.node == node])
    ]
    if used:
        sentences.append(f"Most data buffers in use: {', '.join(used)}.")
    if shown.log.partial:
        sentences.append("The run was interrupted; this is what had happened by then.")
    return " ".join(sentences)
