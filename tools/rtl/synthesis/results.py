# SPDX-License-Identifier: Apache-2.0
"""results.json of a point, in the simulator's schema (docs/formats/results.md)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .parameters import PLATFORM, Configuration, nested

SCHEMA = "tributary.results/1"
STATISTICS_SCHEMA = "tributary.statistics/1"


def leaf(value: float | str, unit: str, description: str) -> dict[str, Any]:
    """A leaf of the statistics tree; numbers to six digits, below which they mean nothing."""
    if isinstance(value, float):
        value = float(f"{value:.6g}")
    return {"kind": "value", "unit": unit, "description": description, "value": value}


def results(
    title: str,
    configuration: Configuration,
    seed: int,
    statistics: Mapping[str, Any],
    version: str,
) -> str:
    """The document. Without time, host or threads: the same point gives the same bytes."""
    document = {
        "schema": SCHEMA,
        "version": version,
        "platform": PLATFORM,
        "title": title,
        "partial": False,
        "seeds": [seed],
        "series": [],
        "varied": [],
        "points": [
            {
                "name": "the only point",
                "series": None,
                "point": {},
                "configuration": nested(configuration.items()),
                "warnings": [],
                "runs": [
                    {
                        "seed": seed,
                        "partial": False,
                        "warnings": [],
                        "statistics_schema": STATISTICS_SCHEMA,
                        "statistics": statistics,
                    }
                ],
                "summary": {
                    path: {"mean": value["value"], "half_width": None, "unit": value["unit"]}
                    for path, value in _leaves(statistics)
                    if not isinstance(value["value"], str)
                },
            }
        ],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _leaves(group: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, node in group.items():
        if "kind" in node:
            yield prefix + name, node
        else:
            yield from _leaves(node, f"{prefix}{name}.")
