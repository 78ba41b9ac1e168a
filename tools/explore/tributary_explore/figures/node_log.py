# SPDX-License-Identifier: Apache-2.0
"""Reads the event log of a machine of nodes (docs/formats/event-log.md)."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import ExploreError

_FIRST_LINE = "# tributary-node-log 1"
_FIELDS = 13

HANDLERS = "handlers"
MEMORY = "memory"
LINK_OUT = "link out"
LINK_IN = "link in"


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
    """What happened in one run."""

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


def read_node_log(path: Path) -> NodeLog:
    """The log of a file, compressed if its name ends in .gz. Raises `ExploreError`."""
    try:
        lines = _text(path).splitlines()
    except (OSError, EOFError, UnicodeDecodeError) as problem:
        raise ExploreError(
            f"{path} cannot be read: {problem}; delete it and run again"
        ) from problem
    if not lines or lines[0] != _FIRST_LINE:
        raise ExploreError(
            f"{path} is no event log of a machine of nodes, as its first line is not "
            f'"{_FIRST_LINE}"; make one by tributary run fbcopy --log FILE'
        )
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    words = lines[-1].split()
    if len(words) != 3 or words[1] not in ("end", "partial") or words[2] != str(len(rows)):
        raise ExploreError(f"{path} is cut off; delete it and run again")
    try:
        spans = tuple(_spans(rows))
        return NodeLog(spans, tuple(_buffers(rows, _last(rows))), words[1] == "partial")
    except (ValueError, IndexError) as problem:
        raise ExploreError(f"{path} is not laid out as {_FIRST_LINE[2:]}: {problem}") from problem


def _text(path: Path) -> str:
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


def _last(rows: Iterable[Sequence[str]]) -> int:
    return max((int(row[1]) for row in rows), default=0)


def _spans(rows: Iterable[Sequence[str]]) -> Iterator[Span]:
    for row in rows:
        if len(row) != _FIELDS:
            raise ValueError(f"an event has {len(row)} fields in place of {_FIELDS}")
        first, last, node, event, handler = int(row[0]), int(row[1]), int(row[2]), row[3], row[4]
        if event == "handled":
            yield Span(node, HANDLERS, handler, first, last)
        elif event == "departed":
            yield Span(node, LINK_OUT, f"{row[11]} bytes to node {row[9]}", first, last)
        elif event == "arrived":
            yield Span(node, LINK_IN, f"{row[11]} bytes from node {row[8]}", first, last)
        elif event in ("memory_read", "memory_written"):
            what = "read" if event == "memory_read" else "write"
            yield Span(node, MEMORY, f"{what} at {row[6]}", first, last + 1)


def _buffers(rows: Iterable[Sequence[str]], last: int) -> Iterator[BufferUse]:
    """Runs of cycles with the same number in use, those with none left out."""
    changes: dict[int, dict[int, int]] = {}
    for row in rows:
        if row[3] in ("buffer_taken", "buffer_freed"):
            own = changes.setdefault(int(row[2]), {})
            cycle = int(row[0])
            own[cycle] = own.get(cycle, 0) + (1 if row[3] == "buffer_taken" else -1)
    for node, own in sorted(changes.items()):
        count = 0
        cycles = sorted(cycle for cycle, change in own.items() if change != 0)
        for first, end in zip(cycles, [*cycles[1:], last + 1], strict=True):
            count += own[first]
            if count > 0:
                yield BufferUse(node, count, first, end)
