# SPDX-License-Identifier: Apache-2.0
"""What the network's simulator says of a machine: cycles, and requests per cycle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tributary_explore.errors import ExploreError
from tributary_explore.results import Results

from .bands import Measured
from .circuits import Library
from .whole import check_whole

POLLING: Final = "polling"
HOT_SPOT: Final = "hot_spot"
UNIFORM: Final = "uniform"
SATURATION: Final = "saturation"

_LATENCY: Final = "interface.latency.mean"
_THROUGHPUT: Final = "interface.accepted_load"
_ELEMENTS: Final = "network.processing_elements"
# What each load measures. Of polling, the experiment whose name says so is of the switch that does
# not combine, which serves one poll after the other and so takes longer to be steady.
_LOADS: Final = {
    POLLING: (POLLING, _LATENCY),
    "polling_serially": (POLLING, _LATENCY),
    HOT_SPOT: (HOT_SPOT, _LATENCY),
    UNIFORM: (UNIFORM, _LATENCY),
    SATURATION: (SATURATION, _THROUGHPUT),
}
# Parameters that a circuit has by the same name, and only if it combines.
_OF_COMBINING: Final = ("coupled", "microarchitecture", "adaptive_limit", "wait_buffer_entries")

Sizes = Mapping[int, Measured]
"""By number of processing elements."""


@dataclass(frozen=True)
class Networks:
    """By load, design and size."""

    loads: Mapping[str, Mapping[str, Sizes]]
    configurations: Mapping[str, Mapping[str, Any]]
    """Of each design, its parameters by dotted name."""

    def sizes(self, load: str) -> list[int]:
        """That every design of the load was measured at."""
        common = [set(sizes) for sizes in self.loads[load].values()]
        return sorted(set.intersection(*common))


def read_networks(results: Results) -> Networks:
    """All loads of a sweep's folder.

    Raises `ExploreError` for points without a result, by name, for those of one seed, of which no
    interval is known, and for experiments that are no load.
    """
    check_whole(results)
    loads: dict[str, dict[str, dict[int, Measured]]] = {}
    configurations: dict[str, dict[str, Any]] = {}
    for row in results.summary():
        experiment, design, elements = row["experiment"], row["series"], row[_ELEMENTS]
        if experiment not in _LOADS:
            raise ExploreError(
                f"{results.folder}: experiment {experiment} is no load that the page knows "
                f"(allowed: {', '.join(_LOADS)})"
            )
        load, statistic = _LOADS[experiment]
        half_width = row[f"{statistic}.half_width"]
        if half_width is None:
            raise ExploreError(
                f"{results.folder}: {experiment}, {design} has one seed, of which no interval is "
                'known; give the sweep several by "seeds"'
            )
        sizes = loads.setdefault(load, {}).setdefault(design, {})
        if int(elements) in sizes:
            raise ExploreError(
                f"{results.folder}: {experiment}, {design} has {elements} elements twice; vary the "
                "size alone"
            )
        sizes[int(elements)] = Measured.of(float(row[statistic]), float(half_width))
        configurations.setdefault(design, {name: row[name] for name in results.parameters})
    if lacking := {load for load, _ in _LOADS.values()} - loads.keys():
        raise ExploreError(
            f"{results.folder} has no {', '.join(sorted(lacking))}; run the sweep without --only"
        )
    return Networks(loads, configurations)


def check_same_switches(networks: Networks, library: Library) -> None:
    """Whether a design's cycles and its circuit are of the same switch.

    Raises `ExploreError` that names design and parameter.
    """
    circuits = library.named()
    for design in sorted(networks.configurations.keys() | circuits.keys()):
        if design not in circuits or design not in networks.configurations:
            what = "circuit" if design not in circuits else "network"
            raise ExploreError(f"the design {design} has no {what}; name it in both point lists")
        of_network = _switch(networks.configurations[design])
        of_circuit = circuits[design].parameters
        for name, value in of_network.items():
            if of_circuit[name] != value:
                raise ExploreError(
                    f"the design {design} has {name} {of_circuit[name]} as a circuit and {value} "
                    "in the network; make the two point lists agree"
                )


def _forms(of: Mapping[str, Any]) -> str:
    """What a circuit calls the forms that combine; others than it knows by their names."""
    switches = {name: value for name, value in of.items() if name.startswith("combine.")}
    combine = {name for name, value in switches.items() if value}
    if combine == switches.keys():
        return "all"
    if combine == {"combine.identity", "combine.add"}:
        return "identity_and_add"
    return ", ".join(sorted(combine))


def _switch(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a circuit by those of a network."""
    network = {name.removeprefix("network."): value for name, value in configuration.items()}
    circuit = {name: network[name] for name in ("slots", "link_cycles", "reverse_slots")}
    circuit["dual_input"] = network["queue_type"] == "A"
    if not network["combining"]:
        # Nothing waits for a partner, and no register of a wait buffer is left.
        return {**circuit, "forms": "none"}
    return {
        **circuit,
        **{name: network[name] for name in _OF_COMBINING},
        "ordered": network["order"] == "ordered",
        "gradual": network["adaptation"] == "gradual",
        "forms": _forms(network),
    }
