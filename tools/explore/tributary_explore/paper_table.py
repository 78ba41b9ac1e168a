# SPDX-License-Identifier: Apache-2.0
"""Published numbers next to measured ones, with pass and fail."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from .flatten import any_stage
from .measurements import Setting
from .published_file import Published

_LEAST_REPEATS = 3  # fewer are as easily read one by one


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
    """A published number, as measured, that a derived one is made of."""

    number: Published
    setting: Setting

    @property
    def mean(self) -> float:
        measured = self.setting.mean(self.number.statistic)
        assert measured is not None, "only settings that have it become operands"
        return measured[0]


@dataclass(frozen=True)
class PaperRow:
    """A published number and what was measured for it."""

    number: Published
    measured: float | None
    rule: str
    """How a derived number is made: `1 − C3 / C2`; empty if it is a statistic."""
    operands: tuple[Operand, ...]
    """One for a statistic itself; none if it was not measured."""

    @property
    def deviation(self) -> float | None:
        """From the published value, as a fraction of it."""
        published = self.number.value
        return self.measured / published - 1 if self.measured is not None and published else None

    @property
    def verdict(self) -> Verdict:
        if self.measured is None:
            return Verdict.NOT_MEASURED
        if any(each.setting.gave_up for each in self.operands):
            return Verdict.UNDECIDED
        agrees = self.number.agrees_with(self.measured)
        if self.number.calibrated:
            return Verdict.CALIBRATED if agrees else Verdict.CALIBRATION_FAILED
        return Verdict.PASS if agrees else Verdict.FAIL


def paper_table(published: Sequence[Published], settings: Sequence[Setting]) -> list[PaperRow]:
    """A row for each published number that is judged, in their order."""
    measured = {
        number.id: Operand(number, setting)
        for number in published
        if (setting := _setting_of(number, settings)) is not None
    }
    numbers = {number.id: number for number in published}
    return [
        _derived(number, numbers, measured) if number.rule else _direct(number, measured)
        for number in published
        if number.judged
    ]


def score(rows: Iterable[PaperRow]) -> tuple[int, int]:
    """How many predictions agree, of how many."""
    verdicts = [row.verdict for row in rows]
    agreeing = verdicts.count(Verdict.PASS)
    return agreeing, agreeing + verdicts.count(Verdict.FAIL)


@dataclass(frozen=True)
class PaperGroup:
    """Rows that a reader takes as one: a number alone, or repeats of one."""

    rows: tuple[PaperRow, ...]

    @property
    def statistic(self) -> str:
        """Of all rows, with `S` for a stage; empty if the number is made of others."""
        return any_stage(self.rows[0].number.statistic)

    @property
    def agreeing(self) -> int:
        """How many are within what is accepted."""
        return sum(row.verdict in (Verdict.PASS, Verdict.CALIBRATED) for row in self.rows)

    @property
    def deviates(self) -> bool:
        """Whether one is not within what is accepted."""
        verdicts = {row.verdict for row in self.rows}
        return bool(verdicts & {Verdict.FAIL, Verdict.CALIBRATION_FAILED})


def paper_groups(rows: Sequence[PaperRow]) -> list[PaperGroup]:
    """The rows in their order, repeats as one: one statistic from one source at several stages, or
    on machines that differ in the value of a parameter only."""
    groups: dict[Hashable, list[PaperRow]] = {}
    for row in rows:
        groups.setdefault(_repeated(row.number), []).append(row)
    found: list[PaperGroup] = []
    for group in groups.values():
        parts = [group] if len(group) >= _LEAST_REPEATS else [[row] for row in group]
        found += [PaperGroup(tuple(part)) for part in parts]
    return found


def _repeated(number: Published) -> Hashable:
    """The same for repeats."""
    if not number.statistic:
        return number.id
    return any_stage(number.statistic), number.source, number.calibrated, tuple(sorted(number.at))


def paper_summary(rows: Sequence[PaperRow]) -> str:
    """How many published numbers agree, of those that were measured; empty if none was."""
    if all(row.verdict is Verdict.NOT_MEASURED for row in rows):
        return ""
    agreeing, predictions = score(rows)
    fitted = sum(row.verdict in (Verdict.CALIBRATED, Verdict.CALIBRATION_FAILED) for row in rows)
    text = f"{agreeing} of {predictions} published numbers agree with what was measured."
    undecided = sum(row.verdict is Verdict.UNDECIDED for row in rows)
    if undecided:
        verb = "are" if undecided > 1 else "is"
        text += (
            f" {undecided} more {verb} undecided, for want of a point that was steady in its time."
        )
    if fitted:
        text += (
            f" {fitted} more {'are calibrations' if fitted > 1 else 'is a calibration'}: an input "
            "of the model was fitted to it, so agreement is no prediction and counts as none."
        )
    return text


def _setting_of(number: Published, settings: Sequence[Setting]) -> Setting | None:
    """The first point of the sweep at which the number holds and was measured.

    One that was steady if there is such.
    """
    found = [
        setting
        for setting in settings
        if number.holds_at(setting.configuration) and setting.mean(number.statistic)
    ]
    return min(found, key=lambda setting: setting.gave_up, default=None)


def _direct(number: Published, measured: dict[str, Operand]) -> PaperRow:
    operand = measured.get(number.id)
    if operand is None:
        return PaperRow(number, None, "", ())
    return PaperRow(number, operand.mean, "", (operand,))


_RULES = {
    "reduction": "1 − {1} / {0}",
    "ratio": "{0} / {1}",
    "ratio_to_published": "{0} / published {1}",
}


def _derived(
    number: Published, numbers: dict[str, Published], measured: dict[str, Operand]
) -> PaperRow:
    first, second = number.operands
    words = _RULES[number.rule].format(first, second)
    wanted = (first,) if number.rule == "ratio_to_published" else (first, second)
    operands = tuple(measured[each] for each in wanted if each in measured)
    if len(operands) < len(wanted):
        return PaperRow(number, None, words, ())
    left, right = operands[0].mean, numbers[second].value
    if number.rule != "ratio_to_published":
        right = operands[1].mean
    assert right is not None, "a bound is no operand"
    value = 1 - right / left if number.rule == "reduction" else left / right
    return PaperRow(number, value, words, operands)
