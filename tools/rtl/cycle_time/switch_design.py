# SPDX-License-Identifier: Apache-2.0
"""One design of the combining switch: its parameters, and what of it can be counted without
synthesis."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tributary_explore.errors import ExploreError

PORTS = 2
"""Memory-side ports of a switch, and as many processor-side ones."""
FORM_BITS = 3
"""Of `form_e` in rtl/tributary_pkg.sv."""
RATE_BITS = 8
"""Of the combining rate that a gradual limit follows (cycle contract, rule 12)."""


@dataclass(frozen=True)
class Widths:
    """Widths in bits, and the depth of what all designs share, as rtl/combining_switch.sv has
    them."""

    data: int
    location: int
    """Module and word address."""
    identity: int
    status: int
    reverse_slots: int
    link_cycles: int

    @staticmethod
    def of_rtl(file: Path) -> "Widths":
        """The defaults of the switch's parameters. Raises `ExploreError` if one is not there."""
        try:
            text = file.read_text(encoding="utf-8")
        except OSError as problem:
            raise ExploreError(
                f"{file} cannot be read: {problem.strerror}; name the RTL's folder by --rtl"
            ) from problem
        found = {
            name: int(value)
            for name, value in re.findall(r"parameter int unsigned\s+(\w+)\s*=\s*(\d+)", text)
        }
        try:
            return Widths(
                data=found["DataWidth"],
                location=found["ModuleWidth"] + found["AddressWidth"],
                identity=found["SequenceWidth"] + found["ElementWidth"],
                status=found["StatusWidth"],
                reverse_slots=found["ReverseSlots"],
                link_cycles=found["LinkCycles"],
            )
        except KeyError as problem:
            raise ExploreError(
                f"{file} has no parameter {problem} with a number as default; "
                "give --rtl the folder of combining_switch.sv"
            ) from problem


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

    def words_of(self, names: Sequence[str]) -> str:
        """What some of its parameters are, as `words` has them."""
        limit = f"{'gradual ' if self.adaptation == 'gradual' else ''}limit {self.adaptive_limit}"
        known = {
            "microarchitecture": self.microarchitecture,
            "queue_type": f"type {self.queue_type}",
            "coupled": "coupled" if self.coupled else "decoupled",
            "adaptive_limit": limit if self.adaptive_limit else "no limit",
            "slots": f"{self.slots} slots",
            "order": self.order,
            "wait_buffer_entries": f"wait buffer {self.wait_buffer_entries}",
        }
        return ", ".join(known[name] for name in names if name in known)

    @property
    def words(self) -> str:
        """What tables and curves call it: "A coupled, limit 1, 4 slots, wait buffer 16"."""
        type_and_coupling = f"{self.queue_type} {'coupled' if self.coupled else 'decoupled'}"
        parts = [
            f"{type_and_coupling}{' systolic' if self.microarchitecture == 'systolic' else ''}",
            self.words_of(("adaptive_limit", "slots", "wait_buffer_entries")),
        ]
        return ", ".join([*parts, *(["ordered"] if self.order == "ordered" else [])])

    @property
    def writers(self) -> int:
        """Inputs that write one queue."""
        return 2 if self.queue_type == "A" else 1

    @property
    def queues(self) -> int:
        """Of a memory-side port."""
        return 1 if self.queue_type == "A" else 2

    def flip_flops(self, widths: Widths) -> int:
        """Bits of state of the whole switch in the RTL, which a test counts with yosys.

        Logic is not in it: the proxy of area that the search can have for each of its points.
        """
        arbiter = 1 if self.queues == 2 else 0
        timer = max(1, (widths.link_cycles - 1).bit_length())
        to_memory = self._queues_bits(widths) + self._buffer_bits(widths) + arbiter
        to_processors = widths.reverse_slots * (widths.status + widths.data + widths.identity)
        to_processors += widths.reverse_slots.bit_length()
        return PORTS * (to_memory + timer + to_processors + timer)

    def address_comparators(self) -> int:
        """Equality comparators of two locations in the switch; those that seals share are counted
        once."""
        if self.microarchitecture == "systolic":
            # Each row of IN with the cell beside it and, in the crossing, the one above.
            each = 2 * (self.slots - 1)
        else:
            each = self.writers * self.slots
        return PORTS * self.queues * each

    def identity_comparators(self) -> int:
        """Of the wait buffers' search."""
        return PORTS * self.wait_buffer_entries

    def _operation_bits(self, widths: Widths) -> int:
        return FORM_BITS + 2 * widths.data

    def _queues_bits(self, widths: Widths) -> int:
        """Of the queues of one port."""
        request = widths.location + self._operation_bits(widths) + widths.identity + 1  # combinable
        partner = widths.identity + self._operation_bits(widths)
        count = (self.slots + self.writers).bit_length()
        counts = count if self.adaptive_limit == 0 else 2 * count  # of all, and of combined ones
        if self.microarchitecture == "systolic":
            # IN moves up whatever is in it, so that the queues of one input for both outputs hold
            # the same there but for the bit that says whose it is, and share it.
            climbing = self.slots - 1
            waiting = self.slots * (request + 1 + partner + 1)
            return climbing * request + self.queues * (climbing + waiting + counts)
        entry = request + partner + 1  # combined
        # Nothing joins the head of a decoupled queue, so it needs no seals.
        sealed = self.slots if self.coupled else self.slots - 1
        seals = sealed * self.writers if self.order == "ordered" else 0
        rate = RATE_BITS if self.adaptation == "gradual" else 0
        return self.queues * (self.slots * entry + seals + counts + rate)

    def _buffer_bits(self, widths: Widths) -> int:
        entry = 2 * widths.identity + self._operation_bits(widths) + 1  # used
        full = 1 if self.wait_buffer_entries > 1 else 0  # of one, it is the same as used
        return self.wait_buffer_entries * entry + full
