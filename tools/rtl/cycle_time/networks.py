# SPDX-License-Identifier: Apache-2.0
"""What the network's simulator says of a machine: cycles, and requests per cycle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tributary_explore.bands import Measured
from tributary_explore.results import Results

POLLING: Final = "polling"
REGISTERED: Final = "polling_with_registers"
HOT_SPOT: Final = "hot_spot"
UNIFORM: Final = "uniform"
SATURATION: Final = "saturation"

_LATENCY: Final = "interface.latency.mean"
_THROUGHPUT: Final = "interface.accepted_load"
_ELEMENTS: Final = "network.processing_elements"
# What each load measures. Of polling, the experiment whose name says so is of the switch that does
# not combine, which serves one poll after the other and so takes longer to be steady.
_LOADS: Final = {
    POLLING: (POLLING, _LATENCY),
    "polling_serially": (POLLING, _LATENCY),
    REGISTERED: (REGISTERED, _LATENCY),
    HOT_SPOT: (HOT_SPOT, _LATENCY),
    UNIFORM: (UNIFORM, _LATENCY),
    SATURATION: (SATURATION, _THROUGHPUT),
}

Sizes = Mapping[int, Measured]
"""By number of processing elements."""


@dataclass(frozen=True)
class Networks:
    """By load, design and size."""

    loads: Mapping[str, Mapping[str, Sizes]]

    def sizes(self, load: str) -> list[int]:
        """That every design of the load was measured at."""
        common = [set(sizes) for sizes in self.loads[load].values()]
        return sorted(set.intersection(*common))


def read_networks(results: Results) -> Networks:
    """All loads of a sweep's folder that has every result."""
    loads: dict[str, dict[str, dict[int, Measured]]] = {}
    for row in results.summary():
        load, statistic = _LOADS[row["experiment"]]
        measured = Measured.of(float(row[statistic]), float(row[f"{statistic}.half_width"]))
        loads.setdefault(load, {}).setdefault(row["series"], {})[int(row[_ELEMENTS])] = measured
    return Networks(loads)
