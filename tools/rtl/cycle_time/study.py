# SPDX-License-Identifier: Apache-2.0
"""What was measured of one library of cells, and the circuits that tables and figures set side by
side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tributary_explore.bands import ONE, Band

from .circuits import AT_EXIT, ON_ARRIVAL, Circuit, Library
from .networks import SATURATION, Networks

NO_COMBINING: Final = "no combining"


@dataclass(frozen=True)
class Study:
    """Everything measured that concerns one library."""

    library: Library
    networks: Networks

    def latency(self, load: str, elements: int, cycles: bool = False) -> dict[str, Band]:
        """Of each design, in FO4 or in its own cycles."""
        clocks = self.library.named()
        return {
            design: sizes[elements].band * (ONE if cycles else clocks[design].fo4)
            for design, sizes in self.networks.loads[load].items()
            if elements in sizes
        }

    def throughput(self, elements: int) -> dict[str, Band]:
        """Requests that the network takes of an element in an FO4, saturated by uniform traffic."""
        clocks = self.library.named()
        return {
            design: sizes[elements].band / clocks[design].fo4
            for design, sizes in self.networks.loads[SATURATION].items()
            if elements in sizes
        }

    def slowness(self, elements: int) -> dict[str, Band]:
        """FO4 between two of these requests."""
        return {design: ONE / each for design, each in self.throughput(elements).items()}


def at_exit(library: Library, registers: bool) -> dict[str, Circuit]:
    """The named designs that combine with their sum at the exit, by name; with a register behind
    each link, or without."""
    wanted = {
        name: {**each.parameters, "sum": AT_EXIT, "arrival_registers": registers}
        for name, each in library.named().items()
        if name != NO_COMBINING
    }
    return {
        each.design: each for each in library.clocks if each.parameters == wanted.get(each.design)
    }


def percent(now: float, before: float) -> str:
    """A change as `63 %`, without sign."""
    return f"{abs(now / before - 1) * 100:.0f} %"


def sums(library: Library) -> list[tuple[Circuit, Circuit]]:
    """Two switches with the sum formed on arrival, and the same with it formed at the exit; each
    circuit once, by the first name that it has."""
    pairs: list[tuple[Circuit, Circuit]] = []
    for late in library.clocks:
        if late.parameters["sum"] != AT_EXIT:
            continue
        wanted = {**late.parameters, "sum": ON_ARRIVAL}
        of_design = (each for each in library.clocks if each.design == late.design)
        early = next((each for each in of_design if each.parameters == wanted), None)
        if early is not None and all(early.parameters != each.parameters for each, _ in pairs):
            pairs.append((early, late))
    return pairs
