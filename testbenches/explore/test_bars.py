# SPDX-License-Identifier: Apache-2.0
"""Figures of bars: statistics on top of each other, and published parts of them."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from checks import data_rows, draw_all, point_rows, published_rows, refusal

from tributary_explore import figures
from tributary_explore.engine import RunOptions, run_sweep
from tributary_explore.figures import theme
from tributary_explore.figures.figure import Figure
from tributary_explore.figures.save import svg_text
from tributary_explore.plan import make_plan
from tributary_explore.results import Results, open_results
from tributary_explore.simulator import Simulator
from tributary_explore.store import Store
from tributary_explore.sweep_file import Sweep, parse_sweep

pytestmark = pytest.mark.simulated

SWEEP = """{
  "experiments": {
    "states": {
      "base": "line_states",
      "series": ["source DR", "to U", "to 2"],
      "figures": [
        {"kind": "bars", "name": "parts", "axis": "Cycles a line",
         "y": {"receiving": "transfer.receive_cycles", "acknowledging": "transfer.dropped_cycles"}},
        {"kind": "bars", "name": "whole", "y": "transfer.send_cycles"},
        {"kind": "bars", "name": "plain", "y": "transfer.send_cycles", "published": false},
        {"kind": "bars", "name": "quotient", "y": "transfer.busy.sum / transfer.bytes"}
      ]
    },
    "speeds": {
      "base": "fbcopy",
      "axes": {"node.protocol_processor.speed": [1, 2]},
      "figures": [
        {"kind": "bars", "name": "speeds", "by": "node.protocol_processor.speed",
         "y": {"send": "transfer.send_cycles", "receive": "transfer.receive_cycles"}}
      ]
    }
  }
}"""
OPTIONS = RunOptions(command="tributary-explore run bars.json", cores=2)


@pytest.fixture(scope="module")
def sweep() -> Sweep:
    return parse_sweep(SWEEP, Path("bars.json"))


@pytest.fixture(scope="module")
def results(
    sweep: Sweep, simulator: Simulator, tmp_path_factory: pytest.TempPathFactory
) -> Results:
    folder = tmp_path_factory.mktemp("bars") / "bars.sweep"
    assert run_sweep(make_plan(sweep, simulator), Store(folder), simulator, OPTIONS).failed == ()
    return open_results(folder)


@pytest.fixture(scope="module")
def made(sweep: Sweep, results: Results, simulator: Simulator) -> Mapping[str, Figure]:
    return draw_all(sweep, results, simulator)


def test_parts_stand_on_top_of_each_other(made: Mapping[str, Figure], results: Results) -> None:
    drawn = {(row["series"], row["part"]): row for row in point_rows(made["parts"])}
    assert len(drawn) == 3 * 2
    told = results.sql(
        'SELECT series, "transfer.receive_cycles" AS a, "transfer.dropped_cycles" AS b FROM results'
        " WHERE experiment = 'states'"
    ).records()
    for row in told:
        low, high = drawn[row["series"], "receiving"], drawn[row["series"], "acknowledging"]
        assert (low["low"], low["high"]) == (0, pytest.approx(row["a"], rel=1e-5))
        assert (high["low"], high["y"]) == pytest.approx((row["a"], row["b"]), rel=1e-5)
        assert high["sum"] == low["sum"] == pytest.approx(row["a"] + row["b"], rel=1e-5)


def test_published_parts_stand_on_top_of_each_other(made: Mapping[str, Figure]) -> None:
    drawn = {(row["series"], row["id"]): row["high"] for row in published_rows(made["parts"])}
    assert drawn["to 2", "V29.two.receive"] == 95
    assert drawn["to 2", "V29.two.dropped"] == 95 + 44
    assert drawn["to U", "V28.U.page"] == 30
    assert "Hollow diamonds are published values (FLASH Figure 5.19)" in made["parts"].caption
    assert not published_rows(made["plain"])


def test_bars_have_their_sums_as_labels(made: Mapping[str, Figure]) -> None:
    svg = svg_text(made["parts"], theme.LIGHT)
    assert ">139<" in svg and ">to 2<" in svg and ">acknowledging<" in svg
    assert made["parts"].caption.startswith("Labels are the sums.")
    assert ">Cycles a line<" in svg
    assert "Labels are" not in made["whole"].caption


def test_a_statistic_alone_has_no_legend_of_parts(made: Mapping[str, Figure]) -> None:
    assert {row["part"] for row in point_rows(made["whole"])} == {"Send cycles (cycles/line)"}
    assert json.dumps(made["whole"].specification()).count('"legend": null') == 1


def test_a_bar_may_be_of_a_value_or_a_quotient(made: Mapping[str, Figure]) -> None:
    assert {row["series"] for row in data_rows(made["speeds"])} == {"1", "2"}
    assert {each.statistic for each in made["quotient"].sources} == {
        "transfer.busy.sum",
        "transfer.bytes",
    }
    (bars,) = made["parts"].controls
    assert bars.values == ("source DR", "to U", "to 2")


@pytest.mark.parametrize(
    ("figure", "named"),
    [
        ({}, '"y" is missing'),
        ({"y": {}}, "names no curve"),
        ({"y": "transfer.*.cycles"}, "is no statistic"),
        ({"y": "transfer.bytes", "x": "nodes"}, "is no key of a figure of kind bars"),
        ({"y": "transfer.bytes", "by": "nodes"}, "there are 10 series"),
    ],
)
def test_bars_that_cannot_be_are_refused(
    figure: Mapping[str, object], named: str, simulator: Simulator
) -> None:
    text = json.dumps({"base": "line_states", "figures": [{"kind": "bars", **figure}]})
    wanted = parse_sweep(text, Path("m.json"))
    (experiment,) = wanted.experiments
    plan = make_plan(wanted, simulator)
    assert named in refusal(figures.check, experiment.figures[0], experiment, plan)
