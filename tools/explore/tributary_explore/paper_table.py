# SPDX-License-Identifier: Apache-2.0
"""Published numbers beside measured ones, with pass and fail.

The form of published.json and the rules to judge by are those of `./dev validate`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any

from .errors import ExploreError
from .measurements import Setting
from .published_file import SCHEMA, holds_at, parameters_of

_ENDS = {
    "at_least": ("≥", operator.ge),
    "from": ("≥", operator.ge),
    "at_most": ("≤", operator.le),
    "to": ("≤", operator.le),
    "above": (">", operator.gt),
    "below": ("<", operator.lt),
}


class Verdict(Enum):
    """What became of a published number."""

    PASS = "pass"
    FAIL = "fail"
    CALIBRATED = "calibrated"
    """An input was fitted to it, so that agreement is no success; it is within its tolerance."""
    CALIBRATION_FAILED = "calibration off"
    """An input was fitted to it, and yet it is outside its tolerance."""
    UNDECIDED = "undecided"
    """A point that it is made of was not steady in its time, and decides nothing."""
    NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Operand:
    """A published number that a derived one is made of, as measured."""

    id: str
    setting: Setting
    statistic: str


@dataclass(frozen=True)
class PaperRow:
    """A published number and what was measured for it."""

    id: str
    description: str
    source: str
    """Publication, section, figure."""
    unit: str
    value: float | None
    """As published; None where the text gives a bound only."""
    accepted: str
    """What counts as agreement: `± 8 %`."""
    measured: float | None
    deviation: float | None
    """From the published value, as a fraction of it."""
    calibrated: bool
    """An input of the model was fitted to it."""
    verdict: Verdict
    rule: str
    """How a derived number is made: `1 − C3 / C2`; empty if it is a statistic."""
    operands: tuple[Operand, ...]
    """One for a statistic itself; none if it was not measured."""


def paper_table(published: Mapping[str, Any], settings: Sequence[Setting]) -> list[PaperRow]:
    """A row for each published number, in the order of the file.

    Raises `ExploreError` that names the number if an entry lacks what it needs.
    """
    numbers: dict[str, dict[str, Any]] = published["numbers"]
    conditions = published.get("conditions", {})
    measured: dict[str, Operand] = {}
    for id_, entry in numbers.items():
        with _named(id_):
            setting = _setting_of(entry, conditions, settings) if "at" in entry else None
            if setting is not None:
                measured[id_] = Operand(id_, setting, entry["statistic"])
    rows = []
    for id_, entry in numbers.items():
        with _named(id_):
            rows.append(_row(id_, entry, numbers, measured))
    return rows


@contextmanager
def _named(id_: str) -> Iterator[None]:
    """Says which entry lacks something."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as problem:
        raise ExploreError(
            f"published number {id_}: {problem} is missing or not as the schema {SCHEMA} has it; "
            "install the simulator again"
        ) from problem


def _setting_of(
    entry: Mapping[str, Any], conditions: Mapping[str, Any], settings: Sequence[Setting]
) -> Setting | None:
    """The first point of the sweep at which the number holds and was measured.

    One that was steady if there is such.
    """
    parameters = parameters_of(entry["at"], conditions)
    found = [
        setting
        for setting in settings
        if setting.mean(entry["statistic"]) and holds_at(parameters, setting.configuration)
    ]
    return min(found, key=lambda setting: bool(setting.unsteady), default=None)


def _row(
    id_: str,
    entry: Mapping[str, Any],
    numbers: Mapping[str, Mapping[str, Any]],
    measured: Mapping[str, Operand],
) -> PaperRow:
    rule, value, operands = _measured(id_, entry, numbers, measured)
    published = entry.get("value")
    return PaperRow(
        id=id_,
        description=entry["description"],
        source=entry["source"],
        unit=entry["unit"],
        value=published,
        accepted=_accepted(entry),
        measured=value,
        deviation=value / published - 1 if value is not None and published else None,
        calibrated=bool(entry.get("calibrated")),
        verdict=_verdict(value, entry, any(each.setting.unsteady for each in operands)),
        rule=rule,
        operands=operands,
    )


def _measured(
    id_: str,
    entry: Mapping[str, Any],
    numbers: Mapping[str, Mapping[str, Any]],
    measured: Mapping[str, Operand],
) -> tuple[str, float | None, tuple[Operand, ...]]:
    """How the number is made, what it is here, and of what."""
    if "rule" not in entry:
        operand = measured.get(id_)
        if operand is None:
            return "", None, ()
        return "", _mean(operand), (operand,)
    ((rule, (first, second)),) = entry["rule"].items()
    words = _RULES[rule].format(first, second)
    wanted = (first,) if rule == "ratio_to_published" else (first, second)
    operands = tuple(measured[each] for each in wanted if each in measured)
    if len(operands) < len(wanted):
        return words, None, ()
    left, *rest = map(_mean, operands)
    right = rest[0] if rest else float(numbers[second]["value"])
    return words, 1 - right / left if rule == "reduction" else left / right, operands


_RULES = {
    "reduction": "1 − {1} / {0}",
    "ratio": "{0} / {1}",
    "ratio_to_published": "{0} / published {1}",
}


def _mean(operand: Operand) -> float:
    measured = operand.setting.mean(operand.statistic)
    assert measured is not None, "only settings that have it become operands"
    return measured[0]


def _verdict(measured: float | None, entry: Mapping[str, Any], unsteady: bool) -> Verdict:
    if measured is None:
        return Verdict.NOT_MEASURED
    if unsteady:
        return Verdict.UNDECIDED
    agrees = _agrees(measured, entry)
    if entry.get("calibrated"):
        return Verdict.CALIBRATED if agrees else Verdict.CALIBRATION_FAILED
    return Verdict.PASS if agrees else Verdict.FAIL


def _agrees(measured: float, entry: Mapping[str, Any]) -> bool:
    if "accepted" in entry:
        return all(_ENDS[end][1](measured, bound) for end, bound in entry["accepted"].items())
    ((kind, width),) = entry["tolerance"].items()
    allowed = width * abs(entry["value"]) if kind == "relative" else width
    return bool(abs(measured - entry["value"]) <= allowed)


def _accepted(entry: Mapping[str, Any]) -> str:
    if "accepted" in entry:
        return ", ".join(f"{_ENDS[end][0]} {bound}" for end, bound in entry["accepted"].items())
    ((kind, width),) = entry["tolerance"].items()
    return f"± {100 * width:g} %" if kind == "relative" else f"± {width:g}"
