# SPDX-License-Identifier: Apache-2.0
"""published.json, the numbers that publications report of a platform.

Its form and the rules to judge by are those of `./dev validate`.
"""

import json
import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import ExploreError

SCHEMA = "tributary.published/1"

_BOUNDS = {
    "at_least": ("≥", operator.ge),
    "from": ("≥", operator.ge),
    "at_most": ("≤", operator.le),
    "to": ("≤", operator.le),
    "above": (">", operator.gt),
    "below": ("<", operator.lt),
}


@dataclass(frozen=True)
class Published:
    """A number out of a publication."""

    id: str
    description: str
    source: str
    """Publication, section, figure."""
    unit: str
    value: float | None
    """None where the text gives a bound only."""
    calibrated: bool
    """An input of the model was fitted to it."""
    statistic: str
    """Its flat path; empty if the number is made of others."""
    at: Mapping[str, Any]
    """Parameters, by dotted name, of the machines that it holds for."""
    rule: str
    """`ratio`, `reduction` or `ratio_to_published`; empty for a statistic."""
    operands: tuple[str, ...]
    """Identifiers of the two numbers that the rule takes."""
    bounds: Mapping[str, float]
    """What counts as agreement, as `{"at_least": 90}`; or else there is a tolerance."""
    tolerance: tuple[str, float]
    """From the value: `relative` or `absolute`, and how much."""
    judged: bool = True
    """Whether agreement is asked for; figures show the other numbers too."""

    def holds_at(self, parameters: Mapping[str, Any]) -> bool:
        """Whether it was published for a machine of these parameters."""
        return bool(self.statistic) and self.at.items() <= parameters.items()

    def agrees_with(self, measured: float) -> bool:
        """Whether a measured number is as good as the published one."""
        if self.bounds:
            return all(_BOUNDS[end][1](measured, bound) for end, bound in self.bounds.items())
        assert self.value is not None, "of a number with a tolerance"
        kind, width = self.tolerance
        allowed = width * abs(self.value) if kind == "relative" else width
        return abs(measured - self.value) <= allowed

    @property
    def accepted(self) -> str:
        """What counts as agreement: `± 8 %`."""
        if self.bounds:
            return ", ".join(f"{_BOUNDS[end][0]} {bound}" for end, bound in self.bounds.items())
        kind, width = self.tolerance
        return f"± {100 * width:g} %" if kind == "relative" else f"± {width:g}"


def read_published(files: Iterable[Path]) -> tuple[Published, ...]:
    """The numbers of several platforms. Raises `ExploreError` that names the file."""
    numbers: dict[str, Published] = {}
    for file in files:
        try:
            document = json.loads(file.read_bytes())
        except (OSError, ValueError) as problem:
            raise ExploreError(
                f"{file} cannot be read: {problem}; install the simulator again"
            ) from problem
        for number in parse_published(document, file):
            if number.id in numbers:
                raise ExploreError(f"{file}: {number.id} is a name of another platform too")
            numbers[number.id] = number
    return tuple(numbers.values())


def parse_published(document: Any, file: Path) -> Iterator[Published]:
    """The numbers of one file. Raises `ExploreError`."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise ExploreError(
            f"{file} lacks the schema {SCHEMA}; use a simulator and a tributary-explore of one "
            "version"
        )
    for name, entry in document.get("numbers", {}).items():
        try:
            yield _number(name, entry, document.get("conditions", {}))
        except (KeyError, TypeError, ValueError) as problem:
            raise ExploreError(
                f"{file}: {name}: {problem} is missing or not as {SCHEMA} has it; install the "
                "simulator again"
            ) from problem


def _number(name: str, entry: Mapping[str, Any], conditions: Mapping[str, Any]) -> Published:
    at = dict(entry.get("at", {}))
    for condition in at.pop("conditions", ()):
        at = {**conditions[condition], **at}
    ((rule, operands),) = entry.get("rule", {"": ()}).items()
    judged = entry.get("judged", True)
    has_tolerance = judged and "accepted" not in entry
    ((kind, width),) = (entry["tolerance"] if has_tolerance else {"": 0.0}).items()
    return Published(
        id=name,
        description=entry["description"],
        source=entry["source"],
        unit=entry["unit"],
        value=entry.get("value"),
        calibrated=bool(entry.get("calibrated")),
        statistic=entry["statistic"] if "at" in entry else "",
        at=at,
        rule=rule,
        operands=tuple(operands),
        bounds=entry.get("accepted", {}),
        tolerance=(kind, width),
        judged=judged,
    )
