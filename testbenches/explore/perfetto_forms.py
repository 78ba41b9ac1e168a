# SPDX-License-Identifier: Apache-2.0
"""The two forms of a Perfetto trace, read to what a viewer shows of them."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

NANOSECONDS = 1000  # of a cycle, which both forms call a microsecond


class Thread(NamedTuple):
    """A row of the viewer: its process and itself, each with its place among the others."""

    process: str
    process_place: int
    name: str
    place: int


class Slice(NamedTuple):
    begin: int
    end: int
    name: str
    kind: str
    arguments: str
    """As JSON with sorted keys."""


class Shown(NamedTuple):
    slices: dict[Thread, list[Slice]]
    arrows: dict[int, list[tuple[Thread, Slice]]]
    """By number, the slices that the arrow meets, in its order."""
    other: dict[str, str]
    graphs: dict[tuple[str, str], list[tuple[int, int]]]
    """By process and name, cycles and the values from there on."""


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def _text(arguments: dict[str, Any]) -> str:
    return json.dumps(arguments, sort_keys=True)


def _sorted(slices: dict[Thread, list[Slice]]) -> dict[Thread, list[Slice]]:
    return {thread: sorted(each) for thread, each in slices.items()}


def read_json(path: Path) -> Shown:
    """An arrow meets the slice that is there in its cycle."""
    document = json.loads(_content(path))
    events = document["traceEvents"]
    told = {
        (each["name"], each["pid"], each.get("tid")): next(iter(each["args"].values()))
        for each in events
        if each["ph"] == "M"
    }

    def thread_of(event: dict[str, Any]) -> Thread:
        process, thread = event["pid"], event["tid"]
        return Thread(
            told["process_name", process, None],
            told["process_sort_index", process, None],
            told["thread_name", process, thread],
            told["thread_sort_index", process, thread],
        )

    slices: dict[Thread, list[Slice]] = defaultdict(list)
    for each in events:
        if each["ph"] == "X":
            end = each["ts"] + each["dur"]
            arguments = _text(each["args"])
            slices[thread_of(each)].append(
                Slice(each["ts"], end, each["name"], each["cat"], arguments)
            )
    points: dict[int, list[tuple[str, int, Thread, Slice]]] = defaultdict(list)
    for each in events:
        if each["ph"] in "stf":
            thread = thread_of(each)
            around = [at for at in slices[thread] if at.begin <= each["ts"] < at.end]
            assert len(around) <= 1, (each, around)
            order = {"s": "begin", "t": "on the way", "f": "z"}[each["ph"]]
            points[each["id"]] += [(order, each["ts"], thread, at) for at in around]
    arrows = {}
    for number, met in points.items():
        met.sort(key=lambda point: (point[0] != "begin", point[0] == "z", point[1]))
        arrows[number] = [(thread, at) for _, _, thread, at in met]
    other = {key: str(value).lower() for key, value in document["otherData"].items()}
    graphs: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for each in events:
        if each["ph"] == "C":
            graph = told["process_name", each["pid"], None], each["name"]
            graphs[graph].append((each["ts"], each["args"]["value"]))
    return Shown(_sorted(slices), arrows, other, graphs)


class _Reader:
    """Reads packets as Perfetto's trace processor does: events in the order of time and, in a
    cycle, of the file; arrows lead from slice to slice in this order."""

    def __init__(self) -> None:
        self.texts: dict[str, dict[int, str]] = defaultdict(dict)
        self.processes: dict[int, tuple[int, str, int]] = {}
        self.threads: dict[int, Thread] = {}
        self.graphs: dict[int, tuple[str, str]] = {}
        self.events: list[tuple[int, TrackEvent]] = []
        self.other: dict[str, str] = {}

    def take(self, packet: Any) -> None:
        assert packet.trusted_packet_sequence_id == 1
        for field, added in packet.interned_data.ListFields():
            for each in added:
                text = each.str.decode() if field.name.endswith("values") else each.name
                known = self.texts[field.name]
                assert each.iid != 0 and each.iid not in known, (field.name, each)
                known[each.iid] = text
        if packet.HasField("track_descriptor"):
            self.describe(packet.track_descriptor)
        if packet.HasField("track_event"):
            assert packet.sequence_flags == 2, packet  # texts are named by numbers
            self.events.append((packet.timestamp, packet.track_event))
        for each in packet.trace_attributes.attribute:
            self.other[each.key] = each.string_value.lower()

    def describe(self, track: Any) -> None:
        if track.uuid == 0:
            assert (track.process_ordering, track.thread_ordering) == (1, 1)
        elif track.HasField("process"):
            its = track.process
            assert track.uuid not in self.processes
            assert track.sibling_order_rank == its.legacy_sort_index
            self.processes[track.uuid] = (its.pid, its.process_name, its.legacy_sort_index)
        elif track.HasField("counter"):
            assert track.uuid not in self.graphs
            self.graphs[track.uuid] = self.processes[track.parent_uuid][1], track.name
        else:
            its = track.thread
            pid, name, place = self.processes[track.parent_uuid]
            assert track.uuid not in self.threads
            assert track.sibling_order_rank == its.legacy_sort_index
            assert its.pid == pid
            self.threads[track.uuid] = Thread(name, place, its.thread_name, its.legacy_sort_index)

    def arguments_of(self, event: TrackEvent) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        for each in event.debug_annotations:
            kind = each.WhichOneof("value")
            assert kind is not None, each
            value = getattr(each, kind)
            if kind == "string_value_iid":
                value = self.texts["debug_annotation_string_values"][value]
            elif kind == "pointer_value":
                value = hex(value)
            arguments[self.texts["debug_annotation_names"][each.name_iid]] = value
        return arguments

    def shown(self) -> Shown:
        slices: dict[Thread, list[Slice]] = defaultdict(list)
        arrows: dict[int, list[tuple[Thread, int]]] = defaultdict(list)
        graphs: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        open_: dict[int, int] = {}  # by track, which of its slices
        for time, event in sorted(self.events, key=lambda each: each[0]):
            assert time % NANOSECONDS == 0
            cycle, track = time // NANOSECONDS, event.track_uuid
            if event.type == TrackEvent.TYPE_COUNTER:
                graphs[self.graphs[track]].append((cycle, event.counter_value))
                continue
            its = slices[self.threads[track]]
            if event.type == TrackEvent.TYPE_SLICE_BEGIN:
                assert track not in open_, event
                open_[track] = at = len(its)
                name = self.texts["event_names"][event.name_iid]
                (kind,) = (self.texts["event_categories"][each] for each in event.category_iids)
                its.append(Slice(cycle, -1, name, kind, _text(self.arguments_of(event))))
            else:
                assert event.type == TrackEvent.TYPE_SLICE_END
                at = open_.pop(track)
                its[at] = its[at]._replace(end=cycle)
            for arrow in event.flow_ids:
                arrows[arrow].append((self.threads[track], at))
            for arrow in event.terminating_flow_ids:
                assert arrow in arrows, event
                arrows[arrow].append((self.threads[track], at))
        assert not open_
        found = {
            number: [(thread, slices[thread][at]) for thread, at in met]
            for number, met in arrows.items()
        }
        return Shown(_sorted(slices), found, self.other, graphs)


def read_protobuf(path: Path) -> Shown:
    trace = Trace()
    trace.ParseFromString(_content(path))
    reader = _Reader()
    for packet in trace.packet:
        reader.take(packet)
    return reader.shown()
