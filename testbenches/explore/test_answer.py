# SPDX-License-Identifier: Apache-2.0
"""The answer of a sweep: which designs are compared, under which conditions, and what is said."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair
import pytest

from tributary_explore.answer import Answer, answer_of, key_figure
from tributary_explore.errors import ExploreError
from tributary_explore.figures.figure import Figure, Source, Undrawn
from tributary_explore.flatten import STEADY, Column
from tributary_explore.measurements import Measurements, Run, Setting
from tributary_explore.report_page import answer_facts
from tributary_explore.store import PlannedPoint

LATENCY = "interface.latency.mean"
LOAD = "interface.accepted_load"
SIZE = "network.processing_elements"
ENTRIES = "network.wait_buffer_entries"
HOT = "workload.traffic.hot_spot"
UNITS = {LATENCY: "cycles", LOAD: "requests/element/cycle", "memory.served": "requests"}


def setting(
    series: str,
    coordinates: Mapping[str, Any],
    values: Sequence[float],
    steady: int = 1,
    more: Mapping[str, Any] | None = None,
) -> Setting:
    runs = tuple(
        Run(
            PlannedPoint(
                hash=f"{seed:064}",
                experiment="experiment",
                series=series,
                coordinates=dict(coordinates),
                seed=seed,
            ),
            "points/results.json",
            {**dict.fromkeys(UNITS, value), STEADY: steady},
        )
        for seed, value in enumerate(values, start=1)
    )
    return Setting({**coordinates, **(more or {})}, runs, "point-1")


def answer(
    *settings: Setting, compared: tuple[str, ...] = ("series", SIZE), of: str = LATENCY
) -> Answer | None:
    columns = {name: Column(name, "statistic", "DOUBLE", unit) for name, unit in UNITS.items()}
    measurements = Measurements(settings, (), columns, ("ultracomputer",))
    found = answer_of(figure(statistic=of, compared=compared), measurements)
    print(found and found.sentence)
    return found


def figure(statistic: str = LATENCY, **more: Any) -> Figure:
    return Figure(
        name="figure",
        title="Figure",
        chart=altair.Chart(),
        caption="",
        sources=(Source(statistic, ("points/results.json",)),),
        controls=(),
        experiment="experiment",
        kind="latency",
        statistic=statistic,
        **more,
    )


def certain(found: Answer | None) -> Answer:
    assert found is not None
    return found


def by_size(series: str, small: float, large: float) -> list[Setting]:
    return [setting(series, {SIZE: 4}, [small]), setting(series, {SIZE: 64}, [large])]


def test_designs_are_compared_at_the_last_size_best_first() -> None:
    found = certain(answer(*by_size("a", 6, 120), *by_size("b", 8, 40), *by_size("c", 9, 60)))
    assert [each.design for each in found.candidates] == ["b", "c", "a"]
    assert [round(each.ratio or 0, 2) for each in found.candidates] == [1, 1.5, 3]
    assert (found.wins, found.of) == (1, 2)
    like = certain(answer(*by_size("a", 6, 120), *by_size("b", 6, 40)))
    assert (like.best.design, like.wins, like.of) == ("b", 2, 2)
    for part in ("b has the least mean latency", "processing elements = 64", "40.0 cycles", "3.00"):
        assert part in found.sentence


def test_of_a_rate_more_is_better() -> None:
    found = certain(answer(*by_size("a", 1, 0.25), *by_size("b", 1, 0.5), of=LOAD))
    assert found.best.design == "b" and found.worst.ratio == 2
    assert "b has the greatest accepted load" in found.sentence


def test_a_parameter_of_the_design_is_compared_under_the_last_traffic() -> None:
    points = [
        setting("", {ENTRIES: entries, HOT: hot}, [latency])
        for entries, hot, latency in ((1, 0, 10), (1, 1, 90), (8, 0, 10), (8, 1, 30))
    ]
    # Traffic is no design, though it tells the curves apart.
    found = certain(answer(*points, compared=(HOT, ENTRIES)))
    assert (found.compared, found.best.design) == (ENTRIES, "8")
    assert found.conditions == ((HOT, "1"),)
    assert found.noun == "Wait buffer entries"


def test_series_under_different_traffic_are_not_compared() -> None:
    light = [
        setting("a, 10 %", {}, [10], more={HOT: 0.1}),
        setting("b, 10 %", {}, [12], more={HOT: 0.1}),
    ]
    heavy = [setting("a", {}, [300], more={HOT: 1}), setting("b", {}, [100], more={HOT: 1})]
    found = certain(answer(*light, *heavy))
    assert [each.design for each in found.candidates] == ["b", "a"]
    assert answer(light[0], heavy[0]) is None


def test_what_was_not_steady_decides_nothing() -> None:
    points = [
        setting("a", {}, [10], steady=0),
        setting("b", {}, [20]),
        setting("c", {}, [30]),
    ]
    found = certain(answer(*points))
    assert [each.design for each in found.candidates] == ["b", "c", "a"]
    assert (found.best.design, found.worst.design) == ("b", "c")
    assert answer(*points[:2]) is None


def test_intervals_that_meet_are_told() -> None:
    a, b = setting("a", {}, [10, 12, 14]), setting("b", {}, [11, 13, 15])
    far = setting("c", {}, [99, 100, 101])
    found = certain(answer(a, b, far))
    assert found.equals == ["b"]
    assert "a, like b, has the least" in found.sentence
    assert "The designs cannot be told apart" in certain(answer(a, b)).sentence


def test_a_wide_interval_does_not_hide_what_is_told() -> None:
    """The worst by its mean equals the best; one between them does not."""
    found = certain(
        answer(
            setting("best", {}, [10, 10.1, 10.2]),
            setting("told", {}, [20, 20.1, 20.2]),
            setting("wide", {}, [1, 30, 60]),
        )
    )
    assert found.tells and found.equals == ["wide"]
    assert found.worst.design == "told"
    assert "best, like wide, has the least" in found.sentence
    assert [name for name, _, _ in answer_facts(found)][::2] == ["Best design", "Ratio to told"]
    equal = certain(answer(setting("a", {}, [1, 3]), setting("b", {}, [2, 4])))
    assert not equal.tells and answer_facts(equal) == []


def test_one_seed_is_said_to_show_no_noise() -> None:
    assert "One seed" in certain(answer(*by_size("a", 6, 120), *by_size("b", 8, 40))).sentence
    several = certain(answer(setting("a", {}, [1, 2]), setting("b", {}, [98, 99])))
    assert "One seed" not in several.sentence


def test_a_value_of_zero_has_no_ratio() -> None:
    for statistic in (LATENCY, LOAD):
        found = certain(answer(setting("a", {}, [0]), setting("b", {}, [8]), of=statistic))
        assert found.worst.ratio is None
        assert not any(name.startswith("Ratio") for name, _, _ in answer_facts(found))
        assert "times" not in found.sentence and found.written(found.worst) in found.sentence


@pytest.mark.parametrize(
    "condition",
    [
        "workload.kind",
        "workload.program.supersteps.references",
        "workload.trace.file",
        "workload.initiator",
        "workload.poll",
    ],
)
def test_workloads_are_conditions(condition: str) -> None:
    one, other = setting("a", {}, [10], more={condition: 1}), setting("b", {}, [20])
    assert answer(one, other) is None
    assert answer(other, one) is None


@pytest.mark.parametrize("part", ["supersteps.barrier", "readers_writers.lock"])
def test_algorithms_of_a_program_are_designs(part: str) -> None:
    name = f"workload.program.{part}"
    found = certain(
        answer(setting("", {name: 1}, [10]), setting("", {name: 2}, [20]), compared=(name,))
    )
    assert (found.compared, found.best.design) == (name, "1")


@pytest.mark.parametrize("statistic", ["memory.served", "no.statistic", ""])
def test_where_no_end_is_better_there_is_no_answer(statistic: str) -> None:
    assert answer(*by_size("a", 1, 2), *by_size("b", 3, 4), of=statistic) is None


def test_the_key_figure_is_the_one_that_is_called_so_or_the_first() -> None:
    first, second, key = figure(), figure(LOAD), figure(LOAD, key=True)
    undrawn = Undrawn("none", ExploreError("no result"))
    assert key_figure([undrawn, first, second]) is first
    assert key_figure([first, undrawn, key]) is key
    assert key_figure([undrawn]) is None
