# SPDX-License-Identifier: Apache-2.0
"""The parameter sets of the switch that mutants are made of: small, every mechanism in one."""

from collections.abc import Mapping

Parameters = dict[str, int]

_NAMES = (
    "DualInput", "Coupled", "Ordered", "Slots", "AdaptiveLimit", "WaitBufferEntries", "LinkCycles",
    "ReverseSlots",
)  # fmt: skip


def _set(*values: int) -> Parameters:
    return dict(zip(_NAMES, values, strict=True))


def _with(base: Parameters, after: str, **more: int) -> Parameters:
    """The set with more parameters, which stand after one of its own."""
    place = [*base].index(after) + 1
    return dict([*base.items()][:place]) | more | base


# Type A, coupled, ordered, adaptive; a wait buffer and reverse queues that fill.
_A = _set(1, 1, 1, 4, 2, 2, 2, 5)
# Type B, decoupled, oldest first, adaptive.
_B = _set(0, 0, 0, 4, 2, 3, 2, 6)

SETS: dict[str, Parameters] = {
    "A": _A,
    "B": _B,
    # A, of which a pair is composed as it leaves.
    "E": _with(_A, "Ordered", SumAtExit=1),
    # B with gradual adaptive queues, of as many slots as give the limit several steps.
    "G": _with(_set(0, 0, 0, 6, 1, 8, 2, 6), "AdaptiveLimit", Gradual=1),
    # The same of type A, whose queues may have two arrivals in a cycle.
    "D": _with(_set(1, 1, 0, 6, 1, 8, 2, 6), "AdaptiveLimit", Gradual=1),
    # B with a register behind each link.
    "R": _with(_B, "Ordered", ArrivalRegisters=1),
    # B with systolic queues.
    "S": {"Microarchitecture": 1, **_B},
    # S, of which the exit cell still takes partners.
    "C": {"Microarchitecture": 1, **_B, "Coupled": 1},
}

# Of these yosys draws; the proof of equivalence knows the parallel queue.
DRAWN = ("A", "B")


def text_of(parameters: Mapping[str, object]) -> str:
    """The parameters as in the RTL, in one line."""
    return ", ".join(f"{name} {value}" for name, value in parameters.items())
