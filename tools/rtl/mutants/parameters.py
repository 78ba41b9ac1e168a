# SPDX-License-Identifier: Apache-2.0
"""The parameter sets of the switch that mutants are made of: small, every mechanism in one."""

Parameters = dict[str, int]

SETS: dict[str, Parameters] = {
    # Type A, coupled, ordered, adaptive; a wait buffer and reverse queues that fill.
    "A": {
        "DualInput": 1,
        "Coupled": 1,
        "Ordered": 1,
        "Slots": 4,
        "AdaptiveLimit": 2,
        "WaitBufferEntries": 2,
        "LinkCycles": 2,
        "ReverseSlots": 5,
    },
    # Type B, decoupled, oldest first, adaptive.
    "B": {
        "DualInput": 0,
        "Coupled": 0,
        "Ordered": 0,
        "Slots": 4,
        "AdaptiveLimit": 2,
        "WaitBufferEntries": 3,
        "LinkCycles": 2,
        "ReverseSlots": 6,
    },
    # A, of which a pair is composed as it leaves.
    "E": {
        "DualInput": 1,
        "Coupled": 1,
        "Ordered": 1,
        "SumAtExit": 1,
        "Slots": 4,
        "AdaptiveLimit": 2,
        "WaitBufferEntries": 2,
        "LinkCycles": 2,
        "ReverseSlots": 5,
    },
    # B with gradual adaptive queues, of as many slots as give the limit several steps.
    "G": {
        "DualInput": 0,
        "Coupled": 0,
        "Ordered": 0,
        "Slots": 6,
        "AdaptiveLimit": 1,
        "Gradual": 1,
        "WaitBufferEntries": 8,
        "LinkCycles": 2,
        "ReverseSlots": 6,
    },
    # The same of type A, whose queues may have two arrivals in a cycle.
    "D": {
        "DualInput": 1,
        "Coupled": 1,
        "Ordered": 0,
        "Slots": 6,
        "AdaptiveLimit": 1,
        "Gradual": 1,
        "WaitBufferEntries": 8,
        "LinkCycles": 2,
        "ReverseSlots": 6,
    },
    # B with systolic queues.
    "S": {
        "Microarchitecture": 1,
        "DualInput": 0,
        "Coupled": 0,
        "Ordered": 0,
        "Slots": 4,
        "AdaptiveLimit": 2,
        "WaitBufferEntries": 3,
        "LinkCycles": 2,
        "ReverseSlots": 6,
    },
    # S, of which the exit cell still takes partners.
    "C": {
        "Microarchitecture": 1,
        "DualInput": 0,
        "Coupled": 1,
        "Ordered": 0,
        "Slots": 4,
        "AdaptiveLimit": 2,
        "WaitBufferEntries": 3,
        "LinkCycles": 2,
        "ReverseSlots": 6,
    },
}

# Of these yosys draws; the proof of equivalence knows the parallel queue.
DRAWN = ("A", "B")


def text_of(parameters: Parameters) -> str:
    """The parameters as in the RTL, in one line."""
    return ", ".join(f"{name} {value}" for name, value in parameters.items())
