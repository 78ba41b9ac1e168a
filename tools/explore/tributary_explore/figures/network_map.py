# SPDX-License-Identifier: Apache-2.0
"""How busy the links of a network were: its switches as they are joined, each link in the colour of
its use. Reads what `tributary run --network-map` writes (docs/models/network-graph.md)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import altair
import networkx

from ..errors import ExploreError
from . import theme
from .charts import Points, data, tooltips
from .figure import Figure

_FORMAT = "tributary-network-map 1"
_MOST_SWITCHES = 1024  # more cannot be told apart
# Idle, in the middle, and as busy as the busiest; to be seen on white and on a dark ground.
_COLOURS = ("#8fb8d8", "#e0982f", "#c1121f")
_SIZE = 560
_MARGIN = 24
_APART = 7.0  # pixels between cables next to each other
_LABELLED = 40  # up to so many switches have their names in them


class Place(NamedTuple):
    """In pixels, from the lower left corner."""

    x: float
    y: float


def of_file(path: Path, title: str) -> Figure:
    """The figure of a file of `tributary run --network-map`. Raises `ExploreError`."""
    graph = read(path)
    switches = [name for name, told in graph.nodes(data=True) if told.get("kind") != "host"]
    if not 0 < len(switches) <= _MOST_SWITCHES:
        raise ExploreError(
            f"{path}: {len(switches):,} switches, and a map shows 1 to {_MOST_SWITCHES:,}"
        )
    links = _links_between(graph, switches)
    places = _places(links)
    halves = _halves(links, places)
    chart = _chart(halves, _points_of(graph, places))
    return Figure(path.stem, title, chart, _caption(graph, halves), (), (), "", "network map")


def read(path: Path) -> networkx.MultiGraph[str]:
    """The network with what was measured of it. Raises `ExploreError`."""
    try:
        told = json.loads(path.read_bytes())
        if told["graph"]["format"] != _FORMAT:
            raise ValueError("another format")
        for edge in told["edges"]:
            edge["sender"] = edge["source"]  # which a graph without directions forgets
            edge["used"] = float(edge["utilisation"]), float(edge["utilisation_back"])
        graph = networkx.node_link_graph(told, multigraph=True, edges="edges")
    except OSError as problem:
        raise ExploreError(f"{path} cannot be read: {problem}; run again") from problem
    except (ValueError, KeyError, TypeError, AttributeError, networkx.NetworkXError) as problem:
        raise ExploreError(
            f"{path} is no map as of tributary run gige_mesh --network-map FILE.json ({_FORMAT})"
        ) from problem
    return graph


def _links_between(
    graph: networkx.MultiGraph[str], switches: list[str]
) -> networkx.MultiGraph[str]:
    """In the order of the file, which a view of the graph does not keep."""
    links: networkx.MultiGraph[str] = networkx.MultiGraph()
    links.add_nodes_from((name, graph.nodes[name]) for name in switches)
    links.add_edges_from(each for each in graph.edges(data=True) if {*each[:2]} <= links.nodes)
    return links


def _places(links: networkx.MultiGraph[str]) -> dict[str, Place]:
    """Where switches are drawn: where the file says, or else near their neighbours."""
    told = links.nodes(data=True)
    if all("x" in each and "y" in each for _, each in told):
        raw = {name: (float(each["x"]), float(each["y"])) for name, each in told}
    else:
        found = networkx.kamada_kawai_layout(networkx.Graph(links))
        raw = {name: (float(x), float(y)) for name, (x, y) in found.items()}
    xs, ys = zip(*raw.values(), strict=True)
    span = max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0
    scale = (_SIZE - 2 * _MARGIN) / span
    return {
        name: Place(_MARGIN + (x - min(xs)) * scale, _MARGIN + (y - min(ys)) * scale)
        for name, (x, y) in raw.items()
    }


def _halves(links: networkx.MultiGraph[str], places: Mapping[str, Place]) -> Points:
    """Each direction of each link, from the middle of its sender to the middle of the link."""
    points: Points = []
    for source, target in networkx.Graph(links).edges():
        cables = list(_cables(links, source, target))
        for place, (there, back) in enumerate(cables):
            aside = (place - (len(cables) - 1) / 2) * _APART
            begin, end = _moved(places[source], places[target], aside)
            middle = Place((begin.x + end.x) / 2, (begin.y + end.y) / 2)
            points.append(_half(begin, middle, f"{source} to {target}", there))
            points.append(_half(end, middle, f"{target} to {source}", back))
    # The busiest last, so that they lie on top.
    return sorted(points, key=lambda each: float(each["utilisation"]))


def _cables(
    links: networkx.MultiGraph[str], source: str, target: str
) -> Iterator[tuple[float, float]]:
    for cable in links.get_edge_data(source, target).values():
        there, back = cable["used"]
        yield (there, back) if cable["sender"] == source else (back, there)


def _moved(a: Place, b: Place, aside: float) -> tuple[Place, Place]:
    """Both ends so many pixels to the left, seen from `a`."""
    length = math.hypot(b.x - a.x, b.y - a.y) or 1.0
    x, y = -(b.y - a.y) / length * aside, (b.x - a.x) / length * aside
    return Place(a.x + x, a.y + y), Place(b.x + x, b.y + y)


def _half(begin: Place, end: Place, link: str, utilisation: float) -> dict[str, Any]:
    at = {"x": begin.x, "y": begin.y, "x2": end.x, "y2": end.y}
    return {**at, "link": link, "utilisation": utilisation}


def _points_of(graph: networkx.MultiGraph[str], places: Mapping[str, Place]) -> Points:
    """Switches, with how busy the links of their hosts were."""
    points: Points = []
    for name, place in places.items():
        hosts = [each for each in graph[name] if graph.nodes[each].get("kind") == "host"]
        cables = [each for host in hosts for each in graph.get_edge_data(name, host).values()]
        used = [part for cable in cables for part in cable["used"]]
        mean = sum(used) / len(used) if used else 0.0
        label = name if len(places) <= _LABELLED else ""
        told = {"switch": name, "label": label, "hosts": len(hosts), "links of hosts": mean}
        points.append({**told, "x": place.x, "y": place.y})
    return points


def _caption(graph: networkx.MultiGraph[str], halves: Points) -> str:
    cycles = f"{graph.graph['cycles']:,} cycles of {graph.graph.get('name') or 'the network'}."
    if not halves:
        return f"{cycles} It has one switch."
    busiest = halves[-1]
    mean = sum(float(each["utilisation"]) for each in halves) / len(halves)
    told = f"{busiest['link']}, was busy for {float(busiest['utilisation']):.1%} of the time"
    partial = " The run was interrupted." if graph.graph.get("partial") else ""
    return (
        f"{cycles} Each half of a link is what its nearer switch sends. The busiest, {told}; the "
        f"mean is {mean:.1%}.{partial}"
    )


def _chart(halves: Points, switches: Points) -> altair.TopLevelMixin:
    square = altair.Scale(domain=[0, _SIZE], nice=False)
    x, y = altair.X("x:Q", scale=square, axis=None), altair.Y("y:Q", scale=square, axis=None)
    used = [0.0, max((float(each["utilisation"]) for each in halves), default=0.0) or 1.0]
    busy = "Part of the time that a link was busy"
    legend = altair.Legend(title=busy, format=".0%", type="gradient", gradientLength=240)
    colours = altair.Scale(
        interpolate="rgb", range=list(_COLOURS), domain=[used[0], used[1] / 2, used[1]]
    )
    colour = altair.Color("utilisation:Q", scale=colours, legend=legend)
    width = altair.StrokeWidth(
        "utilisation:Q", scale=altair.Scale(domain=used, range=[1.5, 5.5]), legend=None
    )
    told = tooltips(("link:N", "Link"), ("utilisation:Q", "Utilisation"))
    lines = (
        altair.Chart(data(halves))
        .mark_rule(strokeCap="butt")
        .encode(x=x, y=y, x2="x2:Q", y2="y2:Q", color=colour, strokeWidth=width, tooltip=told)
    )
    nodes = altair.Chart(data(switches))
    shown = tooltips(
        ("switch:N", "Switch"), ("hosts:Q", "Hosts"), ("links of hosts:Q", "Links of hosts")
    )
    size = 380 if switches[0]["label"] else 60
    circles = nodes.mark_point(size=size, filled=True, opacity=1, style=theme.REFERENCE)
    names = nodes.mark_text(color="#888888", fontSize=11, fontWeight="bold")
    return altair.layer(
        lines, circles.encode(x=x, y=y, tooltip=shown), names.encode(x=x, y=y, text="label:N")
    ).properties(width=_SIZE, height=_SIZE)
