# SPDX-License-Identifier: Apache-2.0
"""Everything that the tables of the design search are of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from synthesis.parameters import defaults

from tributary_explore.errors import ExploreError

from .bands import ONE, Band
from .circuits import CLOCK, Circuit, Library
from .first_step import FirstStep
from .second_step import AGGRESSIVE, SecondStep, is_latency
from .switch_design import SwitchDesign

# What the search leaves as it is usual.
_USUAL: Final = (
    "circuit.sum",
    "circuit.data_width",
    "circuit.link_cycles",
    "circuit.reverse_slots",
)


@dataclass(frozen=True)
class Search:
    """Both steps, the presets, and results of the synthesis if there are any."""

    first: FirstStep
    second: SecondStep
    named: Mapping[str, SwitchDesign]
    library: Library | None = None

    @property
    def reference(self) -> SwitchDesign:
        return self.second.designs[AGGRESSIVE]

    @property
    def best(self) -> str | None:
        """The best all round of those that were found."""
        return next((each for each in self.second.winners if each not in self.named), None)

    def check_named(self) -> None:
        """Raises `ExploreError` if the second step has not the named designs as they are."""
        for name, design in self.named.items():
            if self.second.designs.get(name) != design:
                raise ExploreError(
                    f"the second step has not the preset {name} as it is; write its run file again "
                    "by python -m cycle_time.design_search front"
                )

    def circuit(self, series: str) -> Circuit | None:
        """The circuit of a design of the second step in the widths of the RTL, with its sum on
        arrival."""
        usual = defaults()
        wanted = {name: usual[name] for name in _USUAL} | self.second.designs[series].circuit
        found = [
            each
            for each in (self.library.circuits if self.library else ())
            if each.kind == CLOCK
            and not each.is_flat
            and all(
                each.parameters.get(name.removeprefix("circuit.")) == value
                for name, value in wanted.items()
            )
        ]
        return min(found, key=lambda each: each.fo4.low, default=None)

    def fo4(self, series: str, workload: str) -> Band | None:
        """A latency, or the time between two requests, at the greatest size."""
        circuit = self.circuit(series)
        if circuit is None:
            return None
        cycles = self.second.measured(workload, series, self.second.largest).band
        return (cycles if is_latency(workload) else ONE / cycles) * circuit.fo4


def expected_of(aggressive: SwitchDesign) -> SwitchDesign:
    """What looked promising before the search: coupled type B with a limit of 1."""
    return replace(aggressive, queue_type="B", adaptive_limit=1)
