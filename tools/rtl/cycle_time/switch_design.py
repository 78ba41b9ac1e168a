# SPDX-License-Identifier: Apache-2.0
"""One design of the combining switch: its parameters, its circuit, and what of it can be counted
without synthesis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from synthesis.circuits import PORTS, request_bits, switch_flip_flops
from synthesis.parameters import Configuration, defaults

from .words import words


def circuit_of(network: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a circuit by those of a network's switches, both by the last part of their
    names."""
    return {
        "dual_input": network["queue_type"] == "A",
        "coupled": network["coupled"],
        "ordered": network["order"] == "ordered",
        "microarchitecture": network["microarchitecture"],
        "slots": network["slots"],
        "adaptive_limit": network["adaptive_limit"],
        "gradual": network["adaptation"] == "gradual",
        "wait_buffer_entries": network["wait_buffer_entries"],
    }


@dataclass(frozen=True, order=True)
class SwitchDesign:
    """What the search varies; the words are the simulator's."""

    microarchitecture: str
    queue_type: str
    coupled: bool
    adaptation: str
    adaptive_limit: int
    slots: int
    order: str
    wait_buffer_entries: int

    @staticmethod
    def of(row: Mapping[str, Any]) -> "SwitchDesign":
        """Of a row of a sweep's table, or of other parameters by dotted name."""
        return SwitchDesign(
            **{name: row[f"network.{name}"] for name in SwitchDesign.__dataclass_fields__}
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """By dotted name, as a run file sets them."""
        return {f"network.{name}": getattr(self, name) for name in self.__dataclass_fields__}

    @property
    def circuit(self) -> dict[str, Any]:
        """What tributary-synthesis calls it, by dotted name."""
        own = {"forms": "all", **circuit_of(vars(self))}
        return {f"circuit.{name}": value for name, value in own.items()}

    def words_of(self, names: Sequence[str]) -> str:
        """What some of its parameters are, as `words` has them."""
        circuit = circuit_of(vars(self))
        known = {
            **{name: words(name, circuit[name]) for name in circuit if name in vars(self)},
            "queue_type": words("dual_input", circuit["dual_input"]),
            "order": self.order,
        }
        if self.adaptation == "gradual" and self.adaptive_limit:
            known["adaptive_limit"] = f"gradual {known['adaptive_limit']}"
        return ", ".join(known[name] for name in names if name in known)

    @property
    def words(self) -> str:
        """What tables and curves call it: "A coupled, limit 1, 4 slots, wait buffer 16"."""
        type_and_coupling = f"{self.queue_type} {words('coupled', self.coupled)}"
        parts = [
            f"{type_and_coupling}{' systolic' if self.microarchitecture == 'systolic' else ''}",
            self.words_of(("adaptive_limit", "slots", "wait_buffer_entries")),
        ]
        return ", ".join([*parts, *(["ordered"] if self.order == "ordered" else [])])

    @property
    def queues(self) -> int:
        """Of a memory-side port."""
        return 1 if self.queue_type == "A" else 2

    def flip_flops(self, **widths: int) -> int:
        """Bits of state of the whole switch in the RTL, in its usual widths or others, which a test
        counts with yosys.

        Logic is not in it: the proxy of area that the search can have for each of its points.
        """
        others = {f"circuit.{name}": value for name, value in widths.items()}
        configuration: Configuration = {**defaults(), **self.circuit, **others}
        state = switch_flip_flops(configuration)
        if self.microarchitecture == "systolic":
            # IN moves up whatever is in it, so that the queues of one input for both outputs hold
            # the same there but for the bit that says whose it is, and share it.
            state -= PORTS * (self.queues - 1) * (self.slots - 1) * request_bits(configuration)
        return state

    def address_comparators(self) -> int:
        """Equality comparators of two locations in the switch; those that seals share are counted
        once."""
        if self.microarchitecture == "systolic":
            # Each row of IN with the cell beside it and, in the crossing, the one above.
            each = 2 * (self.slots - 1)
        else:
            each = (3 - self.queues) * self.slots  # of all inputs that write the queue
        return PORTS * self.queues * each

    def identity_comparators(self) -> int:
        """Of the wait buffers' search."""
        return PORTS * self.wait_buffer_entries
