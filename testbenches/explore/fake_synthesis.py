#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands for tributary-synthesis in tests: answers to the same commands, in milliseconds.

Its numbers follow from the parameters by a formula and a hash, and mean nothing. Where the
environment variable FAKE_SYNTHESIS_FAILS is a text, points whose parameters contain it fail.
"""

import argparse
import hashlib
import itertools
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PLATFORM = "switch_synthesis"
VERSION = "0.1.0"
FO4_PS = {"osu018": 104.5, "sky130": 91.8, "ihp130": 92.1, "asap7": 27.2}
# Name, type, unit, default, range.
PARAMETERS: tuple[tuple[str, str, str, Any, str], ...] = (
    ("circuit.kind", "choice", "", "two_switches", "two_switches | switch | queue | wait_buffer"),
    ("circuit.dual_input", "boolean", "", False, "true | false"),
    ("circuit.coupled", "boolean", "", False, "true | false"),
    ("circuit.sum", "choice", "", "on_arrival", "on_arrival | at_exit"),
    ("circuit.ordered", "boolean", "", False, "true | false"),
    ("circuit.microarchitecture", "choice", "", "parallel", "parallel | systolic"),
    ("circuit.slots", "integer", "requests", 4, "2 to 16"),
    ("circuit.adaptive_limit", "integer", "requests", 0, "0 to 16"),
    ("circuit.gradual", "boolean", "", False, "true | false"),
    ("circuit.wait_buffer_entries", "integer", "requests", 8, "1 to 300"),
    ("circuit.link_cycles", "integer", "cycles", 2, "1 to 4"),
    ("circuit.reverse_slots", "integer", "responses", 16, "5 to 64"),
    ("circuit.forms", "choice", "", "all", "all | identity_and_add | none"),
    ("circuit.data_width", "integer", "bits", 64, "8 to 64"),
    ("circuit.address_width", "integer", "bits", 48, "2 to 48"),
    ("circuit.module_width", "integer", "bits", 16, "2 to 16"),
    ("circuit.sequence_width", "integer", "bits", 32, "2 to 32"),
    ("circuit.element_width", "integer", "bits", 16, "2 to 16"),
    ("library", "choice", "", "osu018", " | ".join(FO4_PS)),
    ("recipe.adder", "choice", "", "default", "default | kogge-stone | han-carlson | sklansky"),
    ("recipe.script", "choice", "", "speed", "area | speed"),
    ("recipe.lut", "integer", "inputs", 6, "3 to 8"),
    ("recipe.hierarchy", "choice", "", "blocks", "flat | blocks | units"),
    ("recipe.target", "integer", "ps", 100, "1 to 100000"),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="tributary-synthesis")
    parser.add_argument("--version", action="version", version=f"tributary-synthesis {VERSION}")
    commands = parser.add_subparsers(dest="command", required=True)
    describe = commands.add_parser("describe")
    describe.add_argument("platform", nargs="?", default=PLATFORM)
    describe.add_argument("--json", action="store_true")
    check = commands.add_parser("validate-config")
    check.add_argument("file", type=Path)
    check.add_argument("--set", action="append", default=[])
    check.add_argument("--series", action="append", default=[])
    run = commands.add_parser("run")
    run.add_argument("file", type=Path)
    run.add_argument("--seed", type=int, default=1)
    run.add_argument("--threads", type=int)
    run.add_argument("--quiet", action="store_true")
    run.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    if given.command == "describe":
        if given.platform != PLATFORM:
            return refuse(f"there is no platform {given.platform}; there is {PLATFORM}")
        print(json.dumps(described(), indent=1))
        return 0
    if given.command == "validate-config":
        return validate(given.file, given.set, given.series)
    return synthesise(given.file, given.seed, given.out)


def refuse(message: str) -> int:
    print(f"tributary-synthesis: {message}", file=sys.stderr)
    return 2


def described() -> dict[str, Any]:
    parameters = [
        {
            "name": name,
            "type": kind,
            "unit": unit,
            "default": json.dumps(default),
            "range": allowed,
            "description": f"The {name.rpartition('.')[2]}.",
        }
        for name, kind, unit, default, allowed in PARAMETERS
    ]
    return {"schema": "tributary.parameters/1", "platform": PLATFORM, "parameters": parameters}


def validate(file: Path, sets: list[str], only: list[str]) -> int:
    document = json.loads(file.read_text())
    own = dict(flat(document))
    for key in ("platform", "title", "description"):
        own.pop(key, None)
    series = [(each["name"], dict(flat(each))) for each in own.pop("series", [])] or [("", {})]
    varied = own.pop("vary", {})
    for each in sets:
        name, _, text = each.partition("=")
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        own.pop(name, None)
        varied.pop(name, None)
        (varied if isinstance(value, list) else own)[name] = value
    points = []
    for title, parameters in series:
        if only and title not in only:
            continue
        parameters.pop("name", None)
        for values in itertools.product(*varied.values()):
            point = {**defaults(), **own, **parameters, **dict(zip(varied, values, strict=True))}
            if unknown := point.keys() - defaults().keys():
                return refuse(f"{file}: there is no parameter {min(unknown)}")
            points.append({**({"series": title} if title else {}), **point})
    told = {"platform": PLATFORM, "title": document.get("title", ""), "configuration": {}}
    print(json.dumps({**told, "points": points}))
    return 0


def flat(document: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in document.items():
        if isinstance(value, dict) and name != "vary":
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def defaults() -> dict[str, Any]:
    return {name: default for name, _, _, default, _ in PARAMETERS}


def synthesise(file: Path, seed: int, out: Path) -> int:
    if seed != 1:
        return refuse("--seed: only 1, as nothing is drawn")
    document = json.loads(file.read_text())
    platform, title = document.pop("platform"), document.pop("title", "")
    fails = os.environ.get("FAKE_SYNTHESIS_FAILS")
    if fails and fails in json.dumps(document):
        return refuse("no path found")
    run = {"seed": seed, "cycles": 0, "partial": False, "statistics": statistics(document)}
    result = {
        "schema": "tributary.results/1",
        "version": VERSION,
        "platform": platform,
        "title": title,
        "partial": False,
        "points": [{"configuration": document, "runs": [run]}],
    }
    out.mkdir(parents=True, exist_ok=True)
    passing = out / ".results.json"
    passing.write_text(json.dumps(result, indent=1) + "\n")
    passing.replace(out / "results.json")
    return 0


def statistics(document: Mapping[str, Any]) -> dict[str, Any]:
    circuit = document["circuit"]
    blocks = delays(circuit)
    whole = sum(blocks.values())
    noise = 1 + 0.1 * share(json.dumps(document, sort_keys=True))
    fo4 = FO4_PS[document["library"]]
    area = 900.0 * circuit["slots"] + 1200.0 * circuit["wait_buffer_entries"]
    leaves: dict[str, Any] = {
        "delay_ns": value(whole * noise * fo4 / 1000, "ns"),
        "delay_fo4": value(whole * noise, "FO4"),
        "area_um2": value(area * 10 * noise, "um2"),
        "area_nand2": value(area * noise, "NAND2"),
        "fo4_ps": value(fo4, "ps"),
        "cells": value(int(area), "cells"),
        "flip_flops": value(int(area / 10), "cells"),
        "path": {
            "from": value("first.queue.head_q", ""),
            "to": value("second.queue.entry_q", ""),
            "blocks": {name: value(each * noise, "FO4") for name, each in blocks.items()},
        },
    }
    if document["recipe"]["hierarchy"] == "flat":
        del leaves["path"]["blocks"]
    return {"synthesis": leaves}


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


def value(number: float | str, unit: str) -> dict[str, Any]:
    return {"kind": "value", "value": number, "unit": unit, "description": "Made up."}


if __name__ == "__main__":
    sys.exit(main())
