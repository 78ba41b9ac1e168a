# SPDX-License-Identifier: Apache-2.0
"""What synthesis says of a circuit: one result for each recipe of a portfolio."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from typing import Any, Final

from tributary_explore.bands import Band
from tributary_explore.errors import ExploreError
from tributary_explore.results import Results

from .words import words

FLAT: Final = "flat"
"""Synthesised as a whole; of the others each block by itself."""
HIERARCHY: Final = "hierarchy"
"""Experiment that compares the two, of a circuit that is none of the others."""
DESIGNS: Final = "designs"
"""Experiment of the named designs as they are."""
NOISE: Final = "noise"
"""Experiment that repeats circuits of others with more recipes."""
CLOCK: Final = "two_switches"
"""The kind of circuit that sets the clock: register to register through both links."""
ON_ARRIVAL: Final = "on_arrival"
AT_EXIT: Final = "at_exit"
"""Where a queue forms the sum: the two values of the parameter sum."""
_PARTS: Final = ("data_width", "slots", "wait_buffer_entries")
"""A circuit that has less of these, all else the same, is part of one that has more."""

_PREFIX: Final = "circuit."
_HIERARCHY: Final = "recipe.hierarchy"
_BLOCKS: Final = "synthesis.path.blocks."
_OF_PORTFOLIO: Final = ("recipe.adder", "recipe.script", "recipe.lut")
"""What the recipes of one circuit differ in."""
_DIGEST: Final = "synthesis.library"


@dataclass(frozen=True)
class Spread(Band):
    """What the recipes of a portfolio have shown. `high` may be above the most, by the noise of
    others."""

    median: float
    most: float


@dataclass(frozen=True)
class Synthesis:
    """One circuit by one recipe."""

    recipe: Mapping[str, Any]
    """Parameters by the last part of their names."""
    fo4: float
    """Delay of the critical path."""
    ns: float
    nand2: float
    """Area."""
    path: tuple[str, str]
    """Registers where the critical path begins and ends."""
    blocks: Mapping[str, float]
    """FO4 of it in each block that it passes."""

    @property
    def recipe_text(self) -> str:
        """As the page writes it: `kogge-stone, K 6`."""
        return ", ".join(
            f"K {value}" if name == "lut" else str(value) for name, value in self.recipe.items()
        )


@dataclass(frozen=True)
class Circuit:
    """A circuit by every recipe of the portfolio."""

    experiment: str
    design: str
    """The named design that it is, or is derived from."""
    parameters: Mapping[str, Any]
    """Those of the circuit, by the last part of their names."""
    runs: tuple[Synthesis, ...]
    is_flat: bool = False
    """Synthesised as a whole, so that nothing is known of blocks."""
    delay_noise: float = 0.0
    area_noise: float = 0.0
    """Its bands are at least as wide, as a fraction of the lower end."""

    @property
    def kind(self) -> str:
        return str(self.parameters["kind"])

    @cached_property
    def fastest(self) -> Synthesis:
        """That a designer would take; of equals the smallest."""
        return min(self.runs, key=lambda each: (each.fo4, each.nand2))

    @cached_property
    def fo4(self) -> Spread:
        return _spread([each.fo4 for each in self.runs], self.delay_noise)

    @cached_property
    def ns(self) -> Spread:
        return _spread([each.ns for each in self.runs], self.delay_noise)

    @cached_property
    def nand2(self) -> Spread:
        return _spread([each.nand2 for each in self.runs], self.area_noise)

    @property
    def critical_block(self) -> str:
        """That takes most of the fastest one's critical path."""
        return max(self.fastest.blocks, key=lambda name: self.fastest.blocks[name])

    def difference(self, other: Circuit) -> str:
        """In what it is another one than `other`, in words; empty if in nothing."""
        return ", ".join(
            words(name, value)
            for name, value in self.parameters.items()
            if value != other.parameters[name]
        )


@dataclass(frozen=True)
class Library:
    """Everything synthesised with one library of cells."""

    name: str
    fo4_ps: float
    circuits: tuple[Circuit, ...]

    def named(self, kind: str = CLOCK) -> dict[str, Circuit]:
        """The named designs as they are, by name."""
        return {
            each.design: each
            for each in self.circuits
            if each.experiment == DESIGNS and each.kind == kind
        }

    @property
    def clocks(self) -> list[Circuit]:
        """Those that set a clock, each once."""
        return [
            each
            for each in self.circuits
            if each.kind == CLOCK and each.experiment not in (HIERARCHY, NOISE)
        ]

    def of(self, experiment: str) -> list[Circuit]:
        """The circuits of an experiment."""
        return [each for each in self.circuits if each.experiment == experiment]


def read_library(results: Results, whole_only: bool = False) -> Library:
    """All circuits of a sweep's folder that has every result, of one library.

    If `whole_only`, the folder may lack results, and only circuits of which every recipe has its
    result are read. Raises `ExploreError` if the library's files changed meanwhile, or if no
    circuit is whole.
    """
    rows = results.rows()
    name, unit = str(rows[0]["library"]), float(rows[0]["synthesis.fo4_ps"])
    if len({row.get(_DIGEST) for row in rows}) != 1:
        raise ExploreError(
            f"{results.folder}: the files of library {name} changed between its points; delete the "
            "folder and run again"
        )
    parameters = [name for name in results.parameters if name.startswith(_PREFIX)]
    recipes = [
        name for name in results.parameters if name.startswith("recipe.") and name != _HIERARCHY
    ]
    varied = [name for name in recipes if len({row[name] for row in rows}) > 1]
    if whole_only:
        rows = _of_whole_circuits(rows, parameters, results)
    # A circuit that several experiments have is known by the recipes of all of them.
    portfolios: dict[Any, dict[str, Synthesis]] = {}
    found: dict[Any, None] = {}
    for row in rows:
        configuration = _configuration(row, parameters)
        portfolios.setdefault(configuration, {})[row["hash"]] = _synthesis(row, varied)
        found[(row["experiment"], row["series"], *configuration)] = None
    circuits = []
    for key in found:
        circuit = Circuit(
            experiment=key[0],
            design=key[1],
            parameters={
                name.removeprefix(_PREFIX): value
                for name, value in zip(parameters, key[3:], strict=True)
            },
            runs=tuple(portfolios[key[2:]].values()),
            is_flat=key[2] == FLAT,
        )
        circuits.append(circuit)
    return Library(name, unit, with_noise(circuits))


def _configuration(row: Mapping[str, Any], parameters: Sequence[str]) -> tuple[Any, ...]:
    """By which a circuit is known, whatever its recipe is."""
    return (row[_HIERARCHY], *(row[name] for name in parameters))


def _of_whole_circuits(
    rows: Sequence[dict[str, Any]], parameters: Sequence[str], results: Results
) -> list[dict[str, Any]]:
    """The rows of circuits of which no planned recipe lacks its result."""
    configurations = {row["hash"]: _configuration(row, parameters) for row in rows}
    portfolios: dict[str, list[str]] = {}
    for point in results.store.points():
        circuit = {
            name: value for name, value in point.coordinates.items() if name not in _OF_PORTFOLIO
        }
        key = repr((point.experiment, point.series, circuit))
        portfolios.setdefault(key, []).append(point.hash)
    # A circuit of several experiments is whole if it is so in each.
    partial = {
        configurations[each]
        for hashes in portfolios.values()
        if any(each not in configurations for each in hashes)
        for each in hashes
        if each in configurations
    }
    whole = [row for row in rows if configurations[row["hash"]] not in partial]
    if not whole:
        raise ExploreError(
            f"{results.folder}: of no circuit every recipe has its result; run ./dev cycle-time "
            "longer"
        )
    return whole


def with_noise(circuits: Sequence[Circuit]) -> tuple[Circuit, ...]:
    """No circuit is taken to be better known than the one that recipes move most: few recipes
    spread less than many, by chance. What all recipes get wrong alike, `excess` tells."""
    delay = max(spread(circuits), excess(circuits))
    area = max(each.nand2.noise for each in circuits)
    return tuple(replace(each, delay_noise=delay, area_noise=area) for each in circuits)


def spread(circuits: Sequence[Circuit]) -> float:
    """How much longer the delay of the slowest recipe is than that of the fastest, at most."""
    return max(each.fo4.most / each.fo4.low for each in circuits) - 1


def excess(circuits: Sequence[Circuit]) -> float:
    """How much longer the delay of a circuit came out than that of one that it is part of, at most.
    No circuit has cause for that: ABC has buffered the one less well than the other."""
    ratios = (
        part.fo4.low / whole.fo4.low
        for part, whole in permutations(circuits, 2)
        if _is_part(part, whole)
    )
    return max(0.0, max(ratios, default=1.0) - 1)


def _is_part(part: Circuit, whole: Circuit) -> bool:
    if part.is_flat != whole.is_flat or part.parameters == whole.parameters:
        return False
    return all(
        value <= whole.parameters[name] if name in _PARTS else value == whole.parameters[name]
        for name, value in part.parameters.items()
    )


def _synthesis(row: Mapping[str, Any], recipes: Sequence[str]) -> Synthesis:
    blocks = {
        name.removeprefix(_BLOCKS): float(value)
        for name, value in row.items()
        if name.startswith(_BLOCKS) and value is not None
    }
    return Synthesis(
        recipe={name.rpartition(".")[2]: row[name] for name in recipes},
        fo4=float(row["synthesis.delay_fo4"]),
        ns=float(row["synthesis.delay_ns"]),
        nand2=float(row["synthesis.area_nand2"]),
        path=(str(row["synthesis.path.from"]), str(row["synthesis.path.to"])),
        blocks=blocks,
    )


def _spread(values: Sequence[float], noise: float) -> Spread:
    least, most = min(values), max(values)
    return Spread(least, max(most, least * (1 + noise)), statistics.median(values), most)
