# SPDX-License-Identifier: Apache-2.0
"""Where the numbers of a report come from: each is a link to its statistic and files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .flatten import Column
from .measurements import Measurements, Setting
from .text import number_text, value_text

_STAGE = re.compile(r"\.stage\.(\d+)\.")


@dataclass(frozen=True)
class Place:
    """A part of the page that shows numbers."""

    id: str
    title: str


@dataclass(frozen=True)
class Number:
    """A number in a table."""

    text: str
    error: str = ""
    """Half-width of its confidence interval over seeds; empty for one seed."""
    anchor: str = ""
    """Id of its source on the page; empty for what was not measured."""
    hollow: str = ""
    """Why it decides nothing, `not steady in 2 of 5 seeds`; empty if it may."""


NOT_MEASURED = Number("–")


@dataclass(frozen=True)
class SourceLine:
    """A source: one statistic at one setting."""

    anchor: str
    setting: Setting
    path: str
    """Of the statistic."""
    place: Place
    """The first that shows it."""


@dataclass(frozen=True)
class SourceGroup:
    """The sources of one statistic, those of all stages together."""

    title: str
    """The statistic's path, with `S` for a stage."""
    column: Column
    lines: list[SourceLine] = field(default_factory=list)


class SourceBook:
    """Hands out numbers and keeps account of where each is from."""

    def __init__(self, measurements: Measurements) -> None:
        self._columns = measurements.statistics
        self._groups: dict[str, SourceGroup] = {}
        self._lines: dict[tuple[str, tuple[str, ...]], SourceLine] = {}

    @property
    def groups(self) -> list[SourceGroup]:
        """The sources of all numbers handed out so far."""
        return list(self._groups.values())

    def number(self, setting: Setting, path: str, place: Place) -> Number:
        """The mean over seeds of a statistic, to be shown at `place`."""
        measured = setting.mean(path)
        if measured is None:
            return NOT_MEASURED
        mean, error = measured
        unit = self._columns[path].unit
        return Number(
            text=number_text(mean, unit),
            error="" if error is None else number_text(error, unit),
            anchor=self._line(setting, path, place).anchor,
            hollow=hollow_text(setting),
        )

    def _line(self, setting: Setting, path: str, place: Place) -> SourceLine:
        key = (path, setting.hashes)
        line = self._lines.get(key)
        if line is None:
            line = SourceLine(f"source-{len(self._lines) + 1}", setting, path, place)
            self._lines[key] = line
            title = without_stage(path)
            group = self._groups.setdefault(title, SourceGroup(title, self._columns[path]))
            group.lines.append(line)
        return line


def hollow_text(setting: Setting) -> str:
    """Why a setting's numbers decide nothing; empty if they may."""
    if not setting.unsteady:
        return ""
    seeds = len(setting.runs)
    return "not steady" + (f" in {len(setting.unsteady)} of {seeds} seeds" if seeds > 1 else "")


def name_of(setting: Setting, path: str = "") -> str:
    """A setting and, if the statistic's path has one, a stage: `improved, ... = 64, stage 3`."""
    point = setting.runs[0].point
    parts = [point.series]
    parts += [f"{name} = {value_text(value)}" for name, value in point.coordinates.items()]
    stage = stage_of(path)
    if stage is not None:
        parts.append(f"stage {stage}")
    return ", ".join(filter(None, parts)) or point.experiment


def stage_of(path: str) -> int | None:
    """The stage that a statistic is of, if it is of one."""
    found = _STAGE.search(path)
    return int(found[1]) if found else None


def without_stage(path: str) -> str:
    """`network.stage.S.arrived` for every stage."""
    return _STAGE.sub(".stage.S.", path)


def with_stage(path: str, stage: int | None) -> str:
    """The path of a stage from one without."""
    return path.replace(".stage.S.", f".stage.{stage}.")
