# SPDX-License-Identifier: Apache-2.0
"""Published values that a figure draws beside its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ExploreError
from ..sweep_file import nearest

SCHEMA = "tributary.published/1"


@dataclass(frozen=True)
class Published:
    """A number out of a publication and the machine that it holds for."""

    id: str
    value: float
    unit: str
    source: str
    """Report, section, figure."""
    description: str
    calibrated: bool
    """An input of the model was fitted to it."""
    statistic: str
    at: Mapping[str, Any]
    """Parameters by dotted name."""

    def holds_at(self, parameters: Mapping[str, Any]) -> bool:
        """Whether it was published for a machine of these parameters."""
        return all(
            name in parameters and parameters[name] == value for name, value in self.at.items()
        )


def load_published(path: Path) -> tuple[Published, ...]:
    """The numbers of a published.json that a figure can draw: with a value, at some machine.

    Raises `ExploreError` that names the file.
    """
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError) as problem:
        raise ExploreError(f"{path} cannot be read: {problem}; install it again") from problem
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise ExploreError(f"{path} has not the schema {SCHEMA}; it is of another version")
    try:
        conditions = document.get("conditions", {})
        return tuple(
            _read(name, entry, conditions)
            for name, entry in document["numbers"].items()
            if "value" in entry and "at" in entry and "statistic" in entry
        )
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise ExploreError(f"{path} is not laid out as {SCHEMA}: {problem}") from problem


def select(
    published: tuple[Published, ...], wanted: bool | list[str], where: str
) -> list[Published]:
    """Those that a figure wants: all, none, or by name. Raises `ExploreError` for another name."""
    if isinstance(wanted, bool):
        return list(published) if wanted else []
    by_name = {each.id: each for each in published}
    for name in wanted:
        if name not in by_name:
            raise ExploreError(
                f'{where}: published: there is no value "{name}" that can be drawn'
                f"{nearest(name, by_name)} (there are: {', '.join(by_name)})"
            )
    return [by_name[name] for name in wanted]


def _read(name: str, entry: Mapping[str, Any], conditions: Mapping[str, Any]) -> Published:
    at = dict(entry["at"])
    for condition in at.pop("conditions", ()):
        at = {**conditions[condition], **at}
    return Published(
        id=name,
        value=float(entry["value"]),
        unit=str(entry.get("unit", "")),
        source=str(entry.get("source", "")),
        description=str(entry.get("description", "")),
        calibrated=bool(entry.get("calibrated", False)),
        statistic=str(entry["statistic"]),
        at=at,
    )
