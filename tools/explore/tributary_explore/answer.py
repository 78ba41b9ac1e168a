# SPDX-License-Identifier: Apache-2.0
"""The answer of a sweep: which design is best by the statistic of its key figure, and by how much.

Designs are compared under equal conditions only: machines of one size under one traffic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .figures.data import title_of
from .figures.figure import Figure, Undrawn
from .figures.request import SERIES
from .flatten import Column
from .measurements import Measurements, Setting, varied_names
from .report_tables import Number, number_of
from .text import value_text

# Parameters that say what a design is measured under.
_CONDITIONS = (
    "interface.outstanding",
    "memory.",
    "network.processing_elements",
    "processor.",
    "workload.",
)
# Parameters of the workload that say how a program does what it does: a design of software.
_ALGORITHMS = (
    "workload.program.readers_writers.lock",
    "workload.program.supersteps.barrier",
    "workload.program.supersteps.counter_module",
    "workload.program.supersteps.posted_signals",
    "workload.program.supersteps.release_module",
)

_Conditions = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Candidate:
    """A design and what was measured of it."""

    design: str
    number: Number
    value: float
    low: float
    """Ends of the confidence interval over seeds; the value itself for one seed."""
    high: float
    decides: bool
    """False if a run ended before what it waits for."""
    one_seed: bool
    ratio: float | None = None
    """How many times worse than the best it is; None if one of the two is 0."""

    def equals(self, other: Candidate) -> bool:
        """Whether their confidence intervals meet."""
        return self.decides and self.low <= other.high and other.low <= self.high


@dataclass(frozen=True)
class Answer:
    """The designs in order, best first, under the last conditions that most of them share."""

    statistic: Column
    least: bool
    """Whether less is better."""
    compared: str
    """What tells designs apart: `series`, or a parameter."""
    conditions: _Conditions
    """Parameters and values that all candidates share, of those that vary."""
    candidates: tuple[Candidate, ...]
    wins: int
    """Under how many conditions it is the best, or equals the best."""
    of: int
    """Under how many two designs or more can be compared."""

    @property
    def best(self) -> Candidate:
        return self.candidates[0]

    @property
    def worst(self) -> Candidate:
        """The last of those that are told from the best; of all that decide if none is."""
        deciding = [each for each in self.candidates if each.decides]
        apart = [each for each in deciding if not each.equals(self.best)]
        return (apart or deciding)[-1]

    @property
    def tells(self) -> bool:
        """Whether any design can be told from the best."""
        return not self.worst.equals(self.best)

    @property
    def equals(self) -> list[str]:
        """Designs whose confidence interval meets that of the best."""
        return [each.design for each in self.candidates[1:] if each.equals(self.best)]

    @property
    def noun(self) -> str:
        """What a candidate is called: `Design`, or the parameter in words."""
        return "Design" if self.compared == SERIES else title_of(self.compared)

    @property
    def words(self) -> str:
        """The statistic in words: `mean latency`."""
        title = title_of(self.statistic.name)
        return title[0].lower() + title[1:]

    @property
    def condition_text(self) -> str:
        """`processing elements = 2048, hot spot = 1`; empty if nothing else varies."""
        named = [f"{title_of(name).lower()} = {value}" for name, value in self.conditions]
        return ", ".join(named)

    @property
    def sentence(self) -> str:
        """The verdict."""
        if any(each.one_seed for each in self.candidates if each.decides):
            return f"{self._comparison} One seed shows no noise: a difference may be chance."
        return self._comparison

    @property
    def _comparison(self) -> str:
        best, worst = self.best, self.worst
        at = f" at {self.condition_text}" if self.conditions else ""
        like = f", like {', '.join(self.equals)}," if self.equals else ""
        if not self.tells:
            return (
                f"The designs cannot be told apart by their {self.words}{at}: "
                f"{best.number.text} to {self.written(worst)}."
            )
        end = "least" if self.least else "greatest"
        text = f"{self.called(best)}{like} has the {end} {self.words}{at}, {self.written(best)}"
        if worst.ratio is None:
            return f"{text}; {self.called(worst)} has {self.written(worst)}."
        if self.least:
            return f"{text}; {self.called(worst)} has {worst.ratio:.2f} times as much."
        return f"{text}: {worst.ratio:.2f} times that of {self.called(worst)}."

    def called(self, candidate: Candidate) -> str:
        """`improved`, or `wait buffer entries = 16`."""
        if self.compared == SERIES:
            return candidate.design
        return f"{title_of(self.compared)} = {candidate.design}"

    def written(self, candidate: Candidate) -> str:
        """The value with its unit."""
        unit = self.statistic.unit
        return candidate.number.text + ("" if unit in ("", "1") else f" {unit}")


def key_figure(figures: Sequence[Figure | Undrawn]) -> Figure | None:
    """The one that the sweep file calls so, or the first."""
    drawn = [each for each in figures if isinstance(each, Figure)]
    return next((each for each in drawn if each.key), drawn[0] if drawn else None)


def answer_of(figure: Figure, measurements: Measurements) -> Answer | None:
    """The answer by a figure; None if it compares no designs by what has a better end.

    Times have: less is better. Rates have: more is.
    """
    statistic = measurements.statistics.get(figure.statistic)
    if statistic is None or (least := _less_is_better(statistic.unit)) is None:
        return None
    files = [file for source in figure.sources for file in source.files]
    settings = [
        each
        for each in measurements.of(figure.experiment, files)
        if each.mean(statistic.name) is not None
    ]
    compared = next((each for each in figure.compared if _tells_designs(each, settings)), None)
    if compared is None:
        return None
    by_conditions = _by_conditions(settings, compared)
    ordered = {
        conditions: _ordered(group, statistic, compared, least)
        for conditions, group in by_conditions.items()
    }
    comparable = {
        conditions: group
        for conditions, group in ordered.items()
        if sum(each.decides for each in group) > 1
    }
    if not comparable:
        return None
    most = max(len(group) for group in comparable.values())
    chosen = [each for each, group in comparable.items() if len(group) == most][-1]
    best = comparable[chosen][0].design
    return Answer(
        statistic=statistic,
        least=least,
        compared=compared,
        conditions=_told(chosen, by_conditions),
        candidates=tuple(comparable[chosen]),
        wins=sum(
            any(each.design == best and each.equals(group[0]) for each in group)
            for group in comparable.values()
        ),
        of=len(comparable),
    )


def _less_is_better(unit: str) -> bool | None:
    """None where neither end is the better one."""
    if unit.startswith("cycles"):
        return True
    return False if unit.endswith(("/cycle", "/s")) else None


def _is_condition(name: str) -> bool:
    return name.startswith(_CONDITIONS) and name not in _ALGORITHMS


def _tells_designs(name: str, settings: Sequence[Setting]) -> bool:
    if _is_condition(name):
        return False
    return len({_design(each, name) for each in settings}) > 1


def _design(setting: Setting, compared: str) -> str:
    if compared == SERIES:
        return setting.series
    return value_text(setting.configuration.get(compared, ""))


def _by_conditions(
    settings: Sequence[Setting], compared: str
) -> Mapping[_Conditions, list[Setting]]:
    """Settings that may be compared, by what they have in common, in the order of the sweep."""
    varied = dict.fromkeys(varied_names(settings))
    # Parameters of one setting may be none of another, such as those of its kind of workload.
    for name in dict.fromkeys(name for each in settings for name in each.configuration):
        values = {repr(each.configuration.get(name)) for each in settings}
        if _is_condition(name) and len(values) > 1:
            varied[name] = None
    names = [name for name in varied if name != compared]
    groups: dict[_Conditions, list[Setting]] = {}
    for each in settings:
        own = [(name, value_text(each.configuration.get(name, ""))) for name in names]
        if compared != SERIES:
            own.append((SERIES, each.series))
        groups.setdefault(tuple(own), []).append(each)
    return groups


def _told(chosen: _Conditions, groups: Mapping[_Conditions, list[Setting]]) -> _Conditions:
    """Those of the chosen conditions that differ somewhere."""
    return tuple(
        (name, value)
        for position, (name, value) in enumerate(chosen)
        if len({each[position] for each in groups}) > 1
    )


def _ordered(
    group: Sequence[Setting], statistic: Column, compared: str, least: bool
) -> list[Candidate]:
    """Best first; behind them those that decide nothing."""
    found = [_candidate(each, statistic, compared) for each in group]
    found.sort(key=lambda each: (not each.decides, each.value if least else -each.value))
    best = found[0].value

    def ratio(value: float) -> float | None:
        over, under = (value, best) if least else (best, value)
        return over / under if over and under else None

    return [replace(each, ratio=ratio(each.value)) for each in found]


def _candidate(setting: Setting, statistic: Column, compared: str) -> Candidate:
    measured = setting.mean(statistic.name)
    assert measured is not None, "only settings that have it are compared"
    value, error = measured
    half = error or 0.0
    return Candidate(
        design=_design(setting, compared),
        number=number_of(setting, statistic),
        value=value,
        low=value - half,
        high=value + half,
        decides=not setting.gave_up,
        one_seed=error is None,
    )
