# SPDX-License-Identifier: Apache-2.0
"""The machine that is asked about, in the few numbers that its architect knows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ..errors import ExploreError

_STEADY_CYCLES: Final = 200_000
"""Measured cycles after which a run gives up."""
_LEAST_WARMUP: Final = 3000
"""That of the simulator: the first requests are spread over 1000 cycles."""


@dataclass(frozen=True)
class Machine:
    """Times are in cycles. The defaults are the simulator's, but for size and traffic."""

    elements: int = 256
    """Processing elements, a power of two, and as many memory modules."""
    memory_latency: int = 2
    memory_interval: int = 4
    """From one request that a module accepts to the next."""
    hot_share: float = 0.1
    """Fraction of the requests that go to a hot word."""
    hot_words: int = 1
    outstanding: int = 1
    """Requests of one element in the network at a time."""
    turnaround: int = 10
    """From a response to the next request of its slot."""

    def __post_init__(self) -> None:
        """Raises `ExploreError` for what no single option can be refused for."""
        if self.elements & (self.elements - 1):
            raise ExploreError(
                f"--elements: {self.elements} is no power of two, which an omega network needs "
                f"(allowed: 2 to 65536); give {1 << self.elements.bit_length()}, or "
                f"{1 << self.elements.bit_length() - 1}"
            )

    @property
    def text(self) -> str:
        """In a sentence's words."""
        return ", ".join(
            (
                f"{self.elements} elements",
                f"memory of {self.memory_latency} cycles that accepts a request every "
                f"{self.memory_interval}",
                f"{100 * self.hot_share:g} % of the requests to {self.hot_words} hot "
                f"word{'s' if self.hot_words > 1 else ''}",
                f"{self.outstanding} outstanding",
                f"{self.turnaround} cycles from response to request",
            )
        )

    def in_cycles_of(self, ratio: float) -> Machine:
        """The same machine in the cycles of a switch, `ratio` of them in a cycle of the machine.

        Times end at an edge of the switch's clock, so they are rounded up.
        """

        def cycles(time: int) -> int:
            # A ratio of 1 must change nothing, whatever its last digit is.
            return max(1, math.ceil(round(time * ratio, 6)))

        return replace(
            self,
            memory_latency=cycles(self.memory_latency),
            memory_interval=cycles(self.memory_interval),
            turnaround=cycles(self.turnaround),
        )

    @property
    def times(self) -> Mapping[str, int]:
        """The parameters of the simulator that are counted in cycles of the machine."""
        return {
            "memory.latency": self.memory_latency,
            "memory.interval": self.memory_interval,
            # Responses under way in a pipelined module, and what the simulator keeps by default.
            "memory.pipeline": min(4096, 16 + self.memory_latency // self.memory_interval),
            "processor.turnaround": self.turnaround,
        }

    @property
    def settings(self) -> Mapping[str, Any]:
        """The other parameters of the simulator."""
        return {
            "network.processing_elements": self.elements,
            "interface.outstanding": self.outstanding,
            "workload.kind": "closed_loop",
            "workload.traffic.hot_spot": self.hot_share,
            "workload.traffic.hot_words": self.hot_words,
            "workload.traffic.hot_placement": "random",
            "run.until": "steady",
            "run.warmup": self.warmup,
            "run.maximum_cycles": max(_STEADY_CYCLES, 20 * self.warmup),
        }

    @property
    def warmup(self) -> int:
        """Cycles before the measurement."""
        return max(_LEAST_WARMUP, 2 * self._longest_latency)

    @property
    def _longest_latency(self) -> int:
        """About that of a hot request if a module serves all of them one after another: what a run
        must have seen before its mean is that of the machine at rest."""
        requests = self.elements * self.outstanding * self.hot_share / self.hot_words
        return self.memory_latency + math.ceil(requests * self.memory_interval)
