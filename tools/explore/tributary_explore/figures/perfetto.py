# SPDX-License-Identifier: Apache-2.0
"""Reads the Perfetto trace of a run (docs/formats/event-log.md), for which the simulator has chosen
tracks and cycles and paired beginnings and ends of stays, on every machine alike."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ExploreError

_FORMAT = "tributary-perfetto 2"


class Bar(NamedTuple):
    """An event that lasts, or a stay."""

    track: str
    row: str
    """The track without the member of a pool or lane of a link: two parts below the unit."""
    event: str
    title: str
    """What names it, such as the handler; empty if only the identity does."""
    identity: str
    first: int
    end: int
    """The cycle after the last."""


def read_bars(path: Path) -> tuple[list[Bar], bool]:
    """The bars by track, and whether the run was interrupted. Raises `ExploreError`."""
    try:
        content = path.read_bytes()
        trace = json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)
        if trace["otherData"]["format"] != _FORMAT:
            raise ValueError("another format")
        # Names and places of the viewer's processes, which are units, and of its threads.
        told = {
            (each["name"], each.get("tid", each["pid"])): next(iter(each["args"].values()))
            for each in trace["traceEvents"]
            if each["ph"] == "M"
        }
        slices = [each for each in trace["traceEvents"] if each["ph"] == "X"]
        slices.sort(key=lambda each: told["thread_sort_index", each["tid"]])
        return [_bar(each, told) for each in slices], trace["otherData"]["partial"]
    except (OSError, EOFError, zlib.error) as problem:
        raise ExploreError(f"{path} cannot be read: {problem}; run again") from problem
    except (ValueError, KeyError, TypeError) as problem:
        raise ExploreError(
            f"{path} is no trace as of tributary run fbcopy --perfetto FILE.json ({_FORMAT})"
        ) from problem


def _bar(event: Mapping[str, Any], told: Mapping[tuple[str, int], Any]) -> Bar:
    kind, name, first = event["cat"], event["name"], event["ts"]
    unit, thread = told["process_name", event["pid"]], told["thread_name", event["tid"]]
    # A thread has the rest of the track's name, the kind, and a number where several overlap.
    rest = thread.rpartition(kind)[0].strip().split(".")
    track, row = (".".join([unit, *parts]).rstrip(".") for parts in (rest, rest[:2]))
    identity = event["args"].get("identity", name)
    title = "" if name == kind or name.endswith(identity) else name
    return Bar(track, row, kind, title, identity, first, first + event["dur"])
