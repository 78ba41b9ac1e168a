# SPDX-License-Identifier: Apache-2.0
"""From a machine and the designs to a sweep, which anyone can run again or change."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from ..checked_plan import checked_plan
from ..errors import ExploreError
from ..files import write_whole
from ..overrides import Overrides
from ..plan import Plan
from ..simulator import Simulator
from ..sweep_file import parse_seeds
from .designs import Design
from .machine import Machine

_DESIGNS: Final = "designs.json"
_SWEEP: Final = "advice.json"
LATENCY: Final = "interface.latency.mean"
"""Cycles from a request's entry into the network to its response."""
LOAD: Final = "interface.accepted_load"
"""Requests that the network takes of an element in a cycle."""
_STATISTICS: Final = ("interface.latency", "interface.hot", "interface.cold", LOAD)
_OPTIONS: Final[Mapping[str, str]] = {
    "network.processing_elements": "--elements",
    "memory.latency": "--memory-latency",
    "memory.interval": "--memory-interval",
    "workload.traffic.hot_spot": "--hot-share",
    "workload.traffic.hot_words": "--hot-words",
    "interface.outstanding": "--outstanding",
    "processor.turnaround": "--turnaround",
}
"""Of the command, by the parameter that they set."""


@dataclass(frozen=True)
class Question:
    """What is asked."""

    machine: Machine
    designs: Sequence[Design]
    seeds: str
    cycle: float | None = None
    """Length in FO4 of the cycle in which the machine's times count; None: each switch's own."""

    def __post_init__(self) -> None:
        """Raises `ExploreError` for seeds that no interval can be made of."""
        if len(parse_seeds(self.seeds, "--seeds")) < 2:
            raise ExploreError(
                f'--seeds: "{self.seeds}" is one seed, which tells no confidence interval and one '
                'placement of hot words (allowed: two seeds or more); give "1..5"'
            )
        if self.cycle is not None and any(each.clock is None for each in self.designs):
            raise ExploreError(
                "--cycle needs clocks, and there are none; leave it out, or write them by "
                "./dev cycle-time"
            )

    def plan(self, simulator: Simulator, folder: Path) -> Plan:
        """The sweep's points, all checked; writes it and its run file into the folder.

        Raises `ExploreError` that names the option, with the folder as it was.
        """
        with TemporaryDirectory() as elsewhere:
            try:
                self._planned(simulator, Path(elsewhere))
            except ExploreError as problem:
                raise self._refusal(str(problem).replace(elsewhere, str(folder))) from problem
        return self._planned(simulator, folder)

    def _planned(self, simulator: Simulator, folder: Path) -> Plan:
        write_whole(folder / _DESIGNS, json.dumps(self._run_file(), indent=1) + "\n")
        sweep = folder / _SWEEP
        write_whole(sweep, json.dumps(self._sweep_file(), indent=1) + "\n")
        return checked_plan(str(sweep), Overrides(), simulator, lambda count: True)

    def _refusal(self, text: str) -> ExploreError:
        """Names the options that the refused parameter comes from."""
        options = [option for name, option in _OPTIONS.items() if name in text]
        if self.cycle is not None and any(name in text for name in self.machine.times):
            options.append("--cycle")
        return ExploreError(": ".join(filter(None, (", ".join(options), text))))

    def machine_of(self, design: Design) -> Machine:
        """The machine in cycles of a design."""
        if self.cycle is None or design.clock is None:
            return self.machine
        return self.machine.in_cycles_of(self.cycle / design.clock.fo4.low)

    def _run_file(self) -> dict[str, Any]:
        series = [
            {"name": each.name, **each.parameters, **self.machine_of(each).times}
            for each in self.designs
        ]
        return {"platform": "ultracomputer", "title": "Switch designs", "series": series}

    def _sweep_file(self) -> dict[str, Any]:
        # Its times are the only ones that differ, and each design needs its warm-up.
        longest = max(map(self.machine_of, self.designs), key=lambda each: each.warmup)
        return {
            "title": "Is combining worth it?",
            "description": f"{self.machine.text}.",
            "base": _DESIGNS,
            "set": dict(longest.settings),
            "seeds": self.seeds,
            "statistics": list(_STATISTICS),
        }
