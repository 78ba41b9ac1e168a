# SPDX-License-Identifier: Apache-2.0
"""Results that nobody measured, for tests of what is made of results."""

from collections.abc import Mapping

from cycle_time.circuits import Circuit, Library, Synthesis
from cycle_time.networks import HOT_SPOT, POLLING, REGISTERED, SATURATION, UNIFORM, Networks
from cycle_time.study import Study

from tributary_explore.bands import Measured

SIZES = (16, 32, 64)
DESIGNS = ("no combining", "baseline", "wait buffer 100", "improved", "aggressive")
_WAIT_BUFFERS = {"baseline": 8, "no combining": 8}
_LIMITS = {"improved": 2, "aggressive": 2}


def parameters(design: str, **changed: object) -> dict[str, object]:
    """Of a named design's circuit, or one derived from it."""
    aggressive = design == "aggressive"
    return {
        "kind": "two_switches",
        "dual_input": aggressive,
        "coupled": aggressive,
        "sum": "on_arrival",
        "ordered": False,
        "microarchitecture": "parallel",
        "arrival_registers": False,
        "slots": 4,
        "adaptive_limit": _LIMITS.get(design, 0),
        "gradual": False,
        "wait_buffer_entries": _WAIT_BUFFERS.get(design, 100),
        "link_cycles": 2,
        "reverse_slots": 16,
        "forms": "none" if design == "no combining" else "all",
        "data_width": 64,
        **changed,
    }


def circuit(
    design: str, fo4: float, noise: float, experiment: str = "designs", **changed: object
) -> Circuit:
    """Three recipes, the slowest slower by the noise than the fastest, which takes `fo4`."""
    runs = tuple(
        Synthesis(
            recipe={"adder": adder},
            fo4=fo4 * (1 + noise * share),
            ns=fo4 * (1 + noise * share) / 10,
            nand2=1000 * fo4 * (1 + noise * share),
            path=("first.gen_queue[0].u_queue.head_q", "second.entry_q"),
            blocks={"combining_queue": fo4 * 0.6, "arbiter": fo4 * 0.4},
        )
        for adder, share in (("kogge-stone", 0.0), ("han-carlson", 0.5), ("sklansky", 1.0))
    )
    return Circuit(experiment, design, parameters(design, **changed), runs)


def library(
    clocks: Mapping[str, float],
    noise: float = 0.05,
    name: str = "osu018",
    at_exit: float = 0.8,
) -> Library:
    """The named designs with these cycles, the aggressive one with its sum at the exit, which has
    that part of its cycle, and some other circuits."""
    circuits = [circuit(design, clocks[design], noise) for design in clocks]
    circuits += [
        circuit(
            "baseline", clocks["baseline"] * 1.01, noise, "wait_buffer", wait_buffer_entries=100
        ),
        circuit("aggressive", clocks["aggressive"] * 2, noise, "order", ordered=True),
        circuit("aggressive", clocks["aggressive"] * at_exit, noise, "sum", sum="at_exit"),
        circuit("baseline", 12.0, noise, "wait_buffers", kind="wait_buffer"),
    ]
    return Library(name, 104.5, tuple(circuits))


def networks(polling: Mapping[str, float], spread: float = 0.01) -> Networks:
    """Every load takes the cycles of `polling` at 16 elements, and more at larger sizes."""
    latencies = {
        design: {n: Measured.of(cycles * n / 16, cycles * spread) for n in SIZES}
        for design, cycles in polling.items()
    }
    throughput = {design: {n: Measured.of(0.2, 0.2 * spread) for n in SIZES} for design in polling}
    loads = (POLLING, REGISTERED, HOT_SPOT, UNIFORM)
    return Networks({**dict.fromkeys(loads, latencies), SATURATION: throughput})


SAME_CLOCKS = dict.fromkeys(DESIGNS, 30.0)
FEWER_CYCLES = {
    "no combining": 60.0,
    "baseline": 50.0,
    "wait buffer 100": 40.0,
    "improved": 30.0,
    "aggressive": 20.0,
}


def study(
    clocks: Mapping[str, float] | None = None,
    cycles: Mapping[str, float] | None = None,
    noise: float = 0.05,
) -> Study:
    """By default the aggressive switch has as short a cycle as the others and takes fewer."""
    return Study(library(clocks or SAME_CLOCKS, noise), networks(cycles or FEWER_CYCLES))
