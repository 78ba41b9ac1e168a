# SPDX-License-Identifier: Apache-2.0
"""Everything that the tables of the design search are of, and the numbers that they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from tributary_explore.errors import ExploreError

from .circuits import Library
from .first_step import FirstStep
from .networks import Measured
from .second_step import AGGRESSIVE, LIGHT, POLLING, UNIFORM, SecondStep, is_latency
from .switch_design import SwitchDesign

TITLES: Final = {
    POLLING: "Busy-wait polling",
    UNIFORM: "Uniform traffic, saturated",
    LIGHT: "Uniform traffic, one request outstanding",
}
"""Of the workloads that are not mixed."""
LOAD: Final = "accepted load"


@dataclass(frozen=True)
class Search:
    """Everything that the page is of."""

    first: FirstStep
    second: SecondStep
    named: Mapping[str, SwitchDesign]
    library: Library | None = None
    """Results of the synthesis, if there are any."""

    @property
    def reference(self) -> SwitchDesign:
        return self.second.designs[AGGRESSIVE]

    @property
    def found(self) -> list[str]:
        """Designs of the second step that are no presets."""
        return [each for each in self.second.designs if each not in self.named]

    @property
    def ahead(self) -> list[str]:
        """Of these, what is better than the aggressive one in something and worse in nothing, the
        best first."""
        return [each for each in self.second.winners if each not in self.named]

    @property
    def best(self) -> str | None:
        """The best all round of those that were found."""
        return next(iter(self.ahead), None)

    @property
    def expected(self) -> SwitchDesign:
        return expected_of(self.reference)

    def names_of(self, design: SwitchDesign) -> list[str]:
        """What the second step calls it; nothing if it was not measured."""
        return [name for name, each in self.second.designs.items() if each == design]


def expected_of(aggressive: SwitchDesign) -> SwitchDesign:
    """What looked promising before the search: coupled type B with a limit of 1."""
    return replace(aggressive, queue_type="B", adaptive_limit=1)


def check_named(search: Search) -> None:
    """Raises `ExploreError` if the second step has not the named designs as they are."""
    for name, design in search.named.items():
        if search.second.designs.get(name) != design:
            raise ExploreError(
                f"the second step has not the preset {name} as it is; write its run file again by "
                "python -m cycle_time.design_search front"
            )


def mixed_workloads(first: FirstStep) -> list[str]:
    return sorted(next(iter(first.designs.values())).mixed)


def mean_text(measured: Measured, workload: str) -> str:
    return f"{measured.mean:.1f}" if is_latency(workload) else f"{1000 * measured.mean:.1f}"


def per_thousand(load: float) -> str:
    """A load of the first step, whose one seed tells three digits at most."""
    return f"{1000 * load:.0f}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
