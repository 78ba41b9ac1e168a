# SPDX-License-Identifier: Apache-2.0
"""Published values that a figure draws beside its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ExploreError
from ..published_file import SCHEMA, holds_at, parameters_of, read_published
from ..sweep_file import nearest


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


def load_published(path: Path) -> tuple[Published, ...]:
    """The numbers of a published.json that a figure can draw: with a value, at some machine.

    Raises `ExploreError` that names the file.
    """
    document = read_published(path)
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
    return Published(
        id=name,
        value=float(entry["value"]),
        source=str(entry.get("source", "")),
        calibrated=bool(entry.get("calibrated", False)),
        statistic=str(entry["statistic"]),
        at=parameters_of(entry["at"], conditions),
    )
