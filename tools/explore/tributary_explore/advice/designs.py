# SPDX-License-Identifier: Apache-2.0
"""The switch designs that are advised on: those whose clock is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..clocks import AT_EXIT, Clock, Clocks
from ..configuration import flat
from ..errors import ExploreError
from ..simulator import Simulator

_NAMED: Final = ("no_combining", "baseline", "wait_buffer_100", "improved", "aggressive")
"""The presets that stand in for them while no clock is known."""
_COMBINING: Final = "network.combining"
# What most designs have, which their names leave out.
_USUAL: Final[Mapping[str, Any]] = {"link_cycles": 2, "reverse_slots": 16}


@dataclass(frozen=True)
class Design:
    """One switch."""

    name: str
    """Its queue and its wait buffer in words."""
    parameters: Mapping[str, Any]
    """Of the simulator, by dotted name."""
    clock: Clock | None
    """None if no clock is known at all."""

    @property
    def combines(self) -> bool:
        return bool(self.parameters[_COMBINING])


def designs_with_clocks(clocks: Clocks) -> tuple[Design, ...]:
    """A design for each clock. Raises `ExploreError` if two have the same parameters."""
    designs = {}
    plain = [each.parameters for each in clocks.circuits if not each.parameters[_COMBINING]]
    both_queues = len({each["network.queue_type"] for each in plain}) > 1
    for clock in clocks.circuits:
        name = design_name(clock.parameters, clock.sum, both_queues)
        if name in designs:
            raise ExploreError(
                f'the clocks of {clocks.library} have two circuits "{name}"; write them again by '
                "./dev cycle-time --clocks-only"
            )
        designs[name] = Design(name, clock.parameters, clock)
    return tuple(designs.values())


def named_designs(simulator: Simulator) -> tuple[Design, ...]:
    """The named designs of the simulator, without clocks."""
    designs = []
    for preset in _NAMED:
        point = simulator.validate(preset).points[0]
        parameters = {
            name: value
            for name, value in flat(point.configuration)
            if name.startswith("network.")
            and name not in ("network.processing_elements", "network.rtl")
        }
        designs.append(Design(design_name(parameters), parameters, None))
    return tuple(designs)


def design_name(
    parameters: Mapping[str, Any], sum_formed: str = "", both_queues: bool = False
) -> str:
    """A design in words: `A coupled, 4 slots, wait buffer 100, limit 2`.

    `both_queues`: queues tell designs that do not combine apart, too: `no combining, A`.
    """
    own = {name.removeprefix("network."): value for name, value in parameters.items()}
    parts = _combining_words(own) if own["combining"] else ["no combining"]
    if not own["combining"] and both_queues:
        parts.append(own["queue_type"])
    if not own["combining"] and own["slots"] != 4:
        parts.append(f"{own['slots']} slots")
    if sum_formed == AT_EXIT:
        parts.append("sum at exit")
    if own["arrival_registers"]:
        parts.append("registers")
    parts += [
        f"{name.replace('_', ' ')} {own[name]}" for name in _USUAL if own[name] != _USUAL[name]
    ]
    return ", ".join(parts)


def _combining_words(own: Mapping[str, Any]) -> list[str]:
    parts = [
        f"{own['queue_type']} {'coupled' if own['coupled'] else 'decoupled'}",
        f"{own['slots']} slots",
        f"wait buffer {own['wait_buffer_entries']}",
    ]
    if own["adaptive_limit"]:
        gradual = "gradual " if own["adaptation"] == "gradual" else ""
        parts.append(f"{gradual}limit {own['adaptive_limit']}")
    if own["microarchitecture"] != "parallel":
        parts.append(own["microarchitecture"])
    if own["order"] != "oldest":
        parts.append(own["order"])
    if not own["combine.logic"]:
        parts.append("loads and adds only")
    return parts
