# SPDX-License-Identifier: Apache-2.0
"""published.json, the numbers that publications report of a platform."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import ExploreError

SCHEMA = "tributary.published/1"


@dataclass(frozen=True)
class Published:
    """A number out of a publication and the machine that it holds for."""

    id: str
    value: float
    source: str
    """Report, section, figure."""
    calibrated: bool
    """An input of the model was fitted to it."""
    statistic: str
    at: Mapping[str, Any]
    """Parameters by dotted name."""

    def holds_at(self, parameters: Mapping[str, Any]) -> bool:
        """Whether it was published for a machine of these parameters."""
        return holds_at(self.at, parameters)


def read_published(file: Path) -> dict[str, Any]:
    """published.json of a platform. Raises `ExploreError` that names the file."""
    try:
        document = json.loads(file.read_bytes())
    except (OSError, ValueError) as problem:
        raise ExploreError(
            f"{file} cannot be read: {problem}; install the simulator again"
        ) from problem
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise ExploreError(
            f"{file} has not the schema {SCHEMA}; use a simulator and a tributary-explore of one "
            "version"
        )
    return document


def read_all_published(files: Iterable[Path]) -> dict[str, Any]:
    """The published numbers of several platforms as one. Raises `ExploreError`."""
    together: dict[str, Any] = {"schema": SCHEMA, "conditions": {}, "numbers": {}}
    for file in files:
        document = read_published(file)
        for part in ("conditions", "numbers"):
            own = document.get(part, {})
            if same := sorted(own.keys() & together[part].keys()):
                raise ExploreError(f"{file}: {same[0]} is a name of another platform too")
            together[part] |= own
    return together


def load_published(file: Path) -> tuple[Published, ...]:
    """The numbers that a figure can draw: with a value, at some machine.

    Raises `ExploreError` that names the file.
    """
    document = read_published(file)
    try:
        return tuple(
            Published(
                id=name,
                value=float(entry["value"]),
                source=str(entry.get("source", "")),
                calibrated=bool(entry.get("calibrated", False)),
                statistic=str(entry["statistic"]),
                at=parameters_of(entry["at"], document.get("conditions", {})),
            )
            for name, entry in document["numbers"].items()
            if entry.keys() >= {"value", "at", "statistic"}
        )
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise ExploreError(f"{file} is not laid out as {SCHEMA}: {problem}") from problem


def parameters_of(at: Mapping[str, Any], conditions: Mapping[str, Any]) -> dict[str, Any]:
    """Values by dotted name of the parameters for which a number was published.

    `at` is that of its entry, `conditions` those of the file, some of which it names.
    """
    own = {name: value for name, value in at.items() if name != "conditions"}
    for condition in at.get("conditions", ()):
        own = {**conditions[condition], **own}
    return own


def holds_at(parameters: Mapping[str, Any], configuration: Mapping[str, Any]) -> bool:
    """Whether a configuration, by dotted names, has all of the parameters' values."""
    return all(
        name in configuration and configuration[name] == value for name, value in parameters.items()
    )
