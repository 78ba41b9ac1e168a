# SPDX-License-Identifier: Apache-2.0
"""Published numbers beside measured ones: where they hold, what agrees, what is never a success."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from checks import published

from tributary_explore.errors import ExploreError
from tributary_explore.measurements import Run, Setting
from tributary_explore.paper_table import PaperRow, Verdict, paper_groups, paper_table
from tributary_explore.published_file import read_published
from tributary_explore.simulator import Simulator
from tributary_explore.store import PlannedPoint

LATENCY = "interface.latency.mean"


def setting(parameters: Mapping[str, Any], *latencies: float | None) -> Setting:
    runs = tuple(
        Run(
            PlannedPoint(
                hash=f"{seed:064}",
                experiment="experiment",
                series="any name",
                coordinates={},
                seed=seed,
            ),
            f"points/{seed}/results.json",
            {LATENCY: latency},
        )
        for seed, latency in enumerate(latencies, start=1)
    )
    return Setting(parameters, runs)


def entry(**keys: Any) -> dict[str, Any]:
    return {"unit": "cycles", "source": "Somewhere", "description": "a number", **keys}


def rows_of(numbers: Mapping[str, Any], *settings: Setting) -> dict[str, PaperRow]:
    rows = {row.number.id: row for row in paper_table(published(numbers), settings)}
    for row in rows.values():
        print(row.number, row.measured, row.deviation, row.verdict)
    return rows


def latency(value: float, **keys: Any) -> dict[str, Any]:
    return entry(value=value, statistic=LATENCY, at={"size": 64}, **keys)


def test_a_number_holds_where_all_parameters_and_conditions_do() -> None:
    conditions = {"polling": {"hot_spot": 1}, "slow": {"memory.interval": 40}}
    keys = {"value": 1, "statistic": LATENCY, "tolerance": {"absolute": 1}}
    fast, slow = published(
        {
            "fast": entry(at={"conditions": ["polling"], "size": 64}, **keys),
            "slow": entry(at={"conditions": ["polling", "slow"], "size": 64}, **keys),
        },
        conditions,
    )
    assert fast.holds_at({"size": 64, "hot_spot": 1.0, "memory.interval": 4})
    assert not fast.holds_at({"size": 32, "hot_spot": 1.0})
    assert not fast.holds_at({"size": 64, "hot_spot": 0.1})
    assert not fast.holds_at({"size": 64})
    assert not slow.holds_at({"size": 64, "hot_spot": 1, "memory.interval": 4})


def test_the_mean_over_seeds_is_what_is_measured() -> None:
    rows = rows_of(
        {"A": latency(100, tolerance={"relative": 0.05})}, setting({"size": 64}, 103, 105, 107)
    )
    assert rows["A"].measured == pytest.approx(105)
    assert rows["A"].deviation == pytest.approx(0.05)
    assert rows["A"].verdict is Verdict.PASS
    assert rows["A"].number.accepted == "± 5 %"


@pytest.mark.parametrize(
    ("keys", "measured", "verdict", "accepted"),
    [
        ({"tolerance": {"relative": 0.02}}, 101.9, Verdict.PASS, "± 2 %"),
        ({"tolerance": {"relative": 0.02}}, 97.9, Verdict.FAIL, "± 2 %"),
        ({"tolerance": {"absolute": 1}}, 99, Verdict.PASS, "± 1"),
        ({"tolerance": {"absolute": 1}}, 98.9, Verdict.FAIL, "± 1"),
        ({"accepted": {"at_least": 90}}, 90, Verdict.PASS, "≥ 90"),
        ({"accepted": {"at_least": 90}}, 89.9, Verdict.FAIL, "≥ 90"),
        ({"accepted": {"at_most": 90}}, 90, Verdict.PASS, "≤ 90"),
        ({"accepted": {"above": 90}}, 90, Verdict.FAIL, "> 90"),
        ({"accepted": {"below": 90}}, 89.9, Verdict.PASS, "< 90"),
        ({"accepted": {"from": 90, "to": 95}}, 96, Verdict.FAIL, "≥ 90, ≤ 95"),
        ({"accepted": {"from": 90, "to": 95}}, 92, Verdict.PASS, "≥ 90, ≤ 95"),
        ({"tolerance": {"absolute": 1}, "calibrated": True}, 100, Verdict.CALIBRATED, "± 1"),
        ({"tolerance": {"absolute": 1}, "calibrated": True}, 90, Verdict.CALIBRATION_FAILED, "± 1"),
    ],
)
def test_verdicts(keys: dict[str, Any], measured: float, verdict: Verdict, accepted: str) -> None:
    row = rows_of({"A": latency(100, **keys)}, setting({"size": 64}, measured))["A"]
    assert (row.verdict, row.number.accepted) == (verdict, accepted)


def test_numbers_made_of_others() -> None:
    tolerance = {"tolerance": {"absolute": 0.01}}
    numbers = {
        "A": latency(300, **tolerance),
        "B": entry(value=150, statistic=LATENCY, at={"size": 8}, **tolerance),
        "Far": entry(value=1, statistic=LATENCY, at={"size": 9}, **tolerance),
        "Reduction": entry(value=0.5, rule={"reduction": ["A", "B"]}, **tolerance),
        "Ratio": entry(value=2.5, rule={"ratio": ["A", "B"]}, **tolerance),
        "Published": entry(accepted={"at_least": 3}, rule={"ratio_to_published": ["A", "B"]}),
        "Unknown": entry(value=1, rule={"ratio": ["A", "Far"]}, **tolerance),
    }
    rows = rows_of(numbers, setting({"size": 64}, 310), setting({"size": 8}, 124))
    assert rows["Reduction"].measured == pytest.approx(1 - 124 / 310)
    assert rows["Reduction"].verdict is Verdict.FAIL
    assert rows["Reduction"].rule == "1 − B / A"
    assert [each.number.id for each in rows["Reduction"].operands] == ["A", "B"]
    assert rows["Ratio"].measured == pytest.approx(2.5)
    assert rows["Ratio"].verdict is Verdict.PASS
    assert rows["Published"].measured == pytest.approx(310 / 150)
    assert (rows["Published"].number.value, rows["Published"].deviation) == (None, None)
    assert rows["Published"].verdict is Verdict.FAIL
    assert rows["Unknown"].verdict is Verdict.NOT_MEASURED
    assert rows["Unknown"].operands == ()


def test_what_was_not_run_neither_passes_nor_fails() -> None:
    numbers = {"A": latency(100, tolerance={"relative": 0.1})}
    elsewhere = rows_of(numbers, setting({"size": 32}, 100))["A"]
    nothing_counted = rows_of(numbers, setting({"size": 64}, None))["A"]
    assert elsewhere.verdict is nothing_counted.verdict is Verdict.NOT_MEASURED
    assert elsewhere.measured is None


def test_repeats_are_one_group() -> None:
    tolerance = {"tolerance": {"absolute": 1}}
    rate = "network.stage.{}.combining_rate"

    def at_stage(stage: int, **keys: Any) -> dict[str, Any]:
        statistic = rate.format(stage)
        return entry(value=1, statistic=statistic, at={"size": 64}, **tolerance, **keys)

    numbers = {
        "A": latency(100, **tolerance),
        **{f"S{stage}": at_stage(stage) for stage in range(3)},
        "B": latency(300, **tolerance),
        **{f"F{stage}": at_stage(stage, calibrated=True) for stage in range(2)},
        "Ratio": entry(value=1, rule={"ratio": ["A", "B"]}, **tolerance),
    }
    groups = paper_groups(list(rows_of(numbers, setting({"size": 64}, 100)).values()))
    found = [[row.number.id for row in group.rows] for group in groups]
    assert found == [["A"], ["B"], ["S0", "S1", "S2"], ["F0"], ["F1"], ["Ratio"]]
    assert groups[2].statistic == rate.format("S")


def test_of_a_group_those_that_agree_are_counted() -> None:
    keys = {"tolerance": {"absolute": 1}}
    numbers = {
        each: latency(value, **keys) for each, value in zip("ABC", (100, 99, 50), strict=True)
    }
    (group,) = paper_groups(list(rows_of(numbers, setting({"size": 64}, 100)).values()))
    assert (group.agreeing, group.deviates) == (2, True)


def test_a_published_zero_has_no_relative_deviation() -> None:
    row = rows_of({"A": latency(0, accepted={"below": 1})}, setting({"size": 64}, 0.5))["A"]
    assert (row.verdict, row.deviation) == (Verdict.PASS, None)


@pytest.mark.simulated
def test_the_platforms_published_numbers_can_all_be_judged(simulator: Simulator) -> None:
    table = paper_table(read_published([simulator.published_of("ultracomputer")]), [])
    assert {"C1", "C2", "C3", "C4", "C3.reduction"} <= {row.number.id for row in table}
    assert all(row.verdict is Verdict.NOT_MEASURED and row.number.accepted for row in table)
    calibrated = {row.number.id for row in table if row.number.calibrated}
    assert "C4" in calibrated and "C2" not in calibrated


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "cannot be read"),
        ("[]", "lacks the schema tributary.published/1"),
        (json.dumps({"schema": "tributary.published/2"}), "lacks the schema"),
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: str, words: str) -> None:
    file = tmp_path / "published.json"
    file.write_text(content)
    with pytest.raises(ExploreError, match=words) as refused:
        read_published([file])
    assert str(file) in str(refused.value)


def test_an_entry_without_what_it_needs_is_named() -> None:
    with pytest.raises(ExploreError, match=r"A: .*tolerance"):
        published({"A": latency(100)})
