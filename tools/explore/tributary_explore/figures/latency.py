# SPDX-License-Identifier: Apache-2.0
"""A statistic against a parameter: latency against processing elements for each design."""

from __future__ import annotations

import math

from ..text import value_text
from . import curves
from .charts import Drawn, Points
from .data import Measured

_ELEMENTS = "network.processing_elements"
_MEMORY = "memory.latency"
# What the least round trip is a bound of.
_LATENCIES = ("interface.latency.mean", "interface.latency.min")


def draw(measured: Measured) -> Drawn:
    """One curve for each series, or each value of the parameter `by`."""
    x, y = measured.request["x"], measured.request["y"]
    has_least = x == _ELEMENTS and y in _LATENCIES
    return curves.draw_with(measured, _least(measured) if has_least else [])


def _least(measured: Measured) -> Points:
    """The round trip of a lone request: a cycle a stage and direction, and the memory's latency.

    Empty if the memory's latency varies.
    """
    memory = {int(row[_MEMORY]) for row in measured.rows}
    if len(memory) != 1:
        return []
    (latency,) = memory
    label = f"least possible, 2 log2 N + {latency}"
    return [
        {
            "size": value_text(elements),
            "x": elements,
            "y": 2 * math.log2(elements) + latency,
            "mark": label,
        }
        for elements in measured.values(_ELEMENTS)
    ]
