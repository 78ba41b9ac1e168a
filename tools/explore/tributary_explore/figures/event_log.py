# SPDX-License-Identifier: Apache-2.0
"""Reads the event log of a run (docs/formats/event-log.md), and what units of nodes do in it."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import ExploreError

_FORMAT = "# tributary-event-log 2"
_FIELDS = 9

HANDLERS = "handlers"
MEMORY = "memory"
LINK_OUT = "link out"
LINK_IN = "link in"


@dataclass(frozen=True)
class Event:
    """A line."""

    cycle: int
    last: int
    track: tuple[str, ...]
    """The parts of its name."""
    kind: str
    identity: str
    parent: str
    address: str
    value: str
    details: Mapping[str, str]


@dataclass(frozen=True)
class EventLog:
    machine: str
    events: tuple[Event, ...]
    partial: bool
    """The run was interrupted, or failed."""


@dataclass(frozen=True)
class Span:
    """Something that a unit of a node does for a while."""

    node: int
    unit: str
    name: str
    """Of the handler; what else it is, in words."""
    first: int
    end: int
    """The cycle after the last."""

    @property
    def cycles(self) -> int:
        return self.end - self.first


@dataclass(frozen=True)
class BufferUse:
    """How many data buffers of a node are in use from a cycle to another."""

    node: int
    count: int
    first: int
    end: int


@dataclass(frozen=True)
class NodeLog:
    """What the units of nodes did in one run."""

    spans: tuple[Span, ...]
    buffers: tuple[BufferUse, ...]
    partial: bool
    """The run was interrupted, or failed."""

    @property
    def nodes(self) -> list[int]:
        """Those in which something happened."""
        return sorted({each.node for each in self.spans} | {each.node for each in self.buffers})

    @property
    def end(self) -> int:
        """The cycle after the last in which something happened."""
        ends = [each.end for each in self.spans] + [each.end for each in self.buffers]
        return max(ends, default=0)


def read_event_log(path: Path) -> EventLog:
    """The log of a file, compressed if its name ends in .gz. Raises `ExploreError`."""
    try:
        lines = _text(path).splitlines()
    except (OSError, EOFError, UnicodeDecodeError) as problem:
        raise ExploreError(
            f"{path} cannot be read: {problem}; delete it and run again"
        ) from problem
    head, _, machine = lines[0].rpartition(" ") if lines else ("", "", "")
    if head != _FORMAT:
        raise ExploreError(
            f'{path} is no event log, as its first line is not "{_FORMAT} MACHINE"; make one by '
            "tributary run fbcopy --log FILE"
        )
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    words = lines[-1].split()
    if len(words) != 3 or words[1] not in ("end", "partial") or words[2] != str(len(rows)):
        raise ExploreError(f"{path} is cut off; delete it and run again")
    try:
        return EventLog(machine, tuple(_event(row) for row in rows), words[1] == "partial")
    except ValueError as problem:
        raise ExploreError(f"{path} is not laid out as {_FORMAT[2:]}: {problem}") from problem


def read_node_log(path: Path) -> NodeLog:
    """What units of nodes do in a log. Raises `ExploreError`."""
    log = read_event_log(path)
    events = [each for each in log.events if each.track[0] == "node"]
    last = max((each.last for each in events), default=0)
    try:
        return NodeLog(tuple(_spans(events)), tuple(_buffers(events, last)), log.partial)
    except (ValueError, IndexError, KeyError) as problem:
        raise ExploreError(f"{path} is not laid out as {_FORMAT[2:]}: {problem}") from problem


def _text(path: Path) -> str:
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


def _event(row: Sequence[str]) -> Event:
    if len(row) != _FIELDS:
        raise ValueError(f"an event has {len(row)} fields in place of {_FIELDS}")
    cycle, last, track, kind, identity, parent, address, value, details = row
    named = () if details == "-" else (each.partition("=")[::2] for each in details.split(" "))
    return Event(
        int(cycle), int(last), tuple(track.split(".")), kind, identity, parent, address, value,
        dict(named),
    )  # fmt: skip


def _spans(events: Iterable[Event]) -> Iterator[Span]:
    for event in events:
        node, told = int(event.track[1]), event.details
        if event.kind == "handled":
            unit, name = HANDLERS, told["handler"]
        elif event.kind == "departed":
            unit, name = LINK_OUT, f"{told['bytes']} bytes to node {told['destination']}"
        elif event.kind == "arrived":
            unit, name = LINK_IN, f"{told['bytes']} bytes from node {told['source']}"
        elif event.kind in ("memory_read", "memory_written"):
            access = "read" if event.kind == "memory_read" else "write"
            unit, name = MEMORY, f"{access} at {event.address}"
        else:
            continue
        yield Span(node, unit, name, event.cycle, event.last + 1)


def _buffers(events: Iterable[Event], last: int) -> Iterator[BufferUse]:
    """Runs of cycles with the same number in use, those with none left out."""
    changes: dict[int, dict[int, int]] = {}
    for event in events:
        if event.kind in ("buffer_taken", "buffer_freed"):
            own = changes.setdefault(int(event.track[1]), {})
            change = 1 if event.kind == "buffer_taken" else -1
            own[event.cycle] = own.get(event.cycle, 0) + change
    for node, own in sorted(changes.items()):
        count = 0
        cycles = sorted(cycle for cycle, change in own.items() if change != 0)
        for first, end in zip(cycles, [*cycles[1:], last + 1], strict=True):
            count += own[first]
            if count > 0:
                yield BufferUse(node, count, first, end)
