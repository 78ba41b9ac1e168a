# SPDX-License-Identifier: Apache-2.0
"""Configurations that take a second to synthesise."""

import json
from pathlib import Path

from synthesis.parameters import Configuration
from synthesis.run_file import read_run_file

ROOT = Path(__file__).resolve().parents[2]

NARROW = {
    "data_width": 4,
    "address_width": 4,
    "module_width": 2,
    "element_width": 2,
    "sequence_width": 2,
    "wait_buffer_entries": 2,
    "reverse_slots": 5,
}


def write_run_file(folder: Path, **circuit: object) -> Path:
    """A run file of a narrow circuit."""
    document = {
        "platform": "switch_synthesis",
        "title": "narrow",
        "circuit": {"kind": "queue", **NARROW, **circuit},
    }
    file = folder / "run.json"
    file.write_text(json.dumps(document))
    return file


def narrow(folder: Path, *sets: str, **circuit: object) -> Configuration:
    """Its configuration."""
    (point,) = read_run_file(write_run_file(folder, **circuit), sets).points
    return point.configuration
