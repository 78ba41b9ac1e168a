#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Stands for tributary-synthesis in tests: the same program, with made-up measurements that take
milliseconds.

Its numbers follow from the parameters by a formula and a hash, and mean nothing. Where the
environment variable FAKE_SYNTHESIS_FAILS is a text, points whose parameters contain it fail.
"""

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "rtl"))
from common.errors import ToolError
from synthesis import cli
from synthesis.parameters import Configuration, nested
from synthesis.results import leaf

FO4_PS = {"osu018": 104.5, "sky130": 91.8, "ihp130": 92.1, "asap7": 27.2}


def measure(configuration: Configuration, folder: Path) -> tuple[Mapping[str, Any], str]:
    document = nested(configuration.items())
    text = json.dumps(document, sort_keys=True)
    fails = os.environ.get("FAKE_SYNTHESIS_FAILS")
    if fails and fails in text:
        raise ToolError("no path found")
    circuit = document["circuit"]
    blocks = delays(circuit)
    whole = sum(blocks.values())
    noise = 1 + 0.1 * share(text)
    fo4 = FO4_PS[document["library"]]
    area = 900.0 * circuit["slots"] + 1200.0 * circuit["wait_buffer_entries"]
    leaves: dict[str, Any] = {
        "delay_ns": made_up(whole * noise * fo4 / 1000, "ns"),
        "delay_fo4": made_up(whole * noise, "FO4"),
        "area_um2": made_up(area * 10 * noise, "um2"),
        "area_nand2": made_up(area * noise, "NAND2"),
        "fo4_ps": made_up(fo4, "ps"),
        "cells": made_up(int(area), "cells"),
        "flip_flops": made_up(int(area / 10), "cells"),
        "path": {
            "from": made_up("first.queue.head_q", ""),
            "to": made_up("second.queue.entry_q", ""),
            "blocks": {name: made_up(each * noise, "FO4") for name, each in blocks.items()},
        },
    }
    if document["recipe"]["hierarchy"] == "flat":
        del leaves["path"]["blocks"]
    return {"synthesis": leaves}, ""


def delays(circuit: Mapping[str, Any]) -> dict[str, float]:
    """Of each block on the critical path."""
    wait_buffer = 10 + 0.15 * circuit["wait_buffer_entries"]
    if circuit["kind"] == "wait_buffer":
        return {"first_wait_buffer": wait_buffer}
    match = 0.0 if circuit["forms"] == "none" else 8.0 + circuit["slots"]
    queue = {
        "combining_queue": 6 + match * (2 if circuit["dual_input"] else 1),
        "compose_unit": 0.0 if circuit["forms"] == "none" else circuit["data_width"] / 8,
        "arbiter": 3.0,
    }
    if circuit["kind"] != "queue" and wait_buffer > sum(queue.values()):
        return {"first_wait_buffer": wait_buffer}
    return queue


def share(text: str) -> float:
    """From 0 to 1, the same for the same text."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) / 0xFFFFFFFF


def made_up(value: float | str, unit: str) -> dict[str, Any]:
    return leaf(value, unit, "Made up.")


if __name__ == "__main__":
    vars(cli).update(version=lambda: "0.1.0", measure=measure)
    sys.exit(cli.main())
