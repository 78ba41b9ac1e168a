# SPDX-License-Identifier: Apache-2.0
"""Sweeps of a machine of nodes: curves by chunk size, timelines, and what is refused."""

import gzip
import itertools
import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from checks import data_rows, draw_all, point_rows, published_rows, refusal

from tributary_explore import figures
from tributary_explore.configuration import flat
from tributary_explore.engine import RunOptions, run_sweep
from tributary_explore.errors import ExploreError
from tributary_explore.figures.figure import Figure
from tributary_explore.figures.perfetto import read_bars
from tributary_explore.figures.statistics import is_named, parts_of
from tributary_explore.figures.timeline import of_file
from tributary_explore.plan import make_plan
from tributary_explore.published_file import read_published
from tributary_explore.report import write_report
from tributary_explore.results import Results, open_results
from tributary_explore.simulator import Simulator
from tributary_explore.store import PointState, Store
from tributary_explore.sweep_file import Sweep, load_sweep, packaged_sweeps, parse_sweep

pytestmark = pytest.mark.simulated

SWEEP = """{
  "experiments": {
    "chunks": {
      "base": "chunk_sizes",
      "axes": {"block_transfer.chunk": [1, 4]},
      "figures": [
        {"kind": "curves", "name": "lines", "x": "block_transfer.chunk", "axis": "Cycles a line",
         "y": {"processor": "transfer.send_cycles", "delivered": "transfer.delivered_cycles"}},
        {"kind": "curves", "name": "quotient", "x": "block_transfer.chunk",
         "y": "transfer.busy.sum / transfer.bytes"},
        {"kind": "latency", "name": "time", "x": "block_transfer.chunk", "y": "transfer.time.mean"}
      ]
    },
    "speeds": {
      "base": "fbcopy",
      "axes": {"network.bandwidth": [200, 400], "node.protocol_processor.speed": [1, 2]},
      "figures": [
        {"kind": "curves", "name": "speeds", "x": "network.bandwidth",
         "by": "node.protocol_processor.speed",
         "y": {"whole": "transfer.bandwidth", "peak": "transfer.peak_bandwidth"}}
      ]
    },
    "page": {
      "base": "fbcopy",
      "figures": [
        {"kind": "timeline", "name": "page"},
        {"kind": "timeline", "name": "part", "tracks": "node.1", "window": "500..800"}
      ]
    }
  }
}"""
OPTIONS = RunOptions(command="tributary-explore run mine.json", cores=2)


@pytest.fixture(scope="module")
def sweep() -> Sweep:
    return parse_sweep(SWEEP, Path("mine.json"))


@pytest.fixture(scope="module")
def results(
    sweep: Sweep, simulator: Simulator, tmp_path_factory: pytest.TempPathFactory
) -> Results:
    folder = tmp_path_factory.mktemp("flash") / "mine.sweep"
    summary = run_sweep(make_plan(sweep, simulator), Store(folder), simulator, OPTIONS)
    assert summary.failed == ()
    return open_results(folder)


@pytest.fixture(scope="module")
def made(sweep: Sweep, results: Results, simulator: Simulator) -> Mapping[str, Figure]:
    return draw_all(sweep, results, simulator)


# --- curves ---------------------------------------------------------------------------------------


def test_curves_are_the_statistics_of_the_results(
    made: Mapping[str, Figure], results: Results
) -> None:
    drawn = {(row["series"], row["x"]): row["y"] for row in point_rows(made["lines"])}
    for chunk in (1, 4):
        told = statistics(results, "chunks", {"block_transfer.chunk": chunk})["transfer"]
        assert drawn["processor", chunk] == pytest.approx(told["send_cycles"]["value"], rel=1e-5)
        delivered = told["delivered_cycles"]["value"]
        assert drawn["delivered", chunk] == pytest.approx(delivered, rel=1e-5)
    assert len(drawn) == 4


def test_no_line_is_delivered_faster_than_the_link_is(made: Mapping[str, Figure]) -> None:
    delivered = [row["y"] for row in data_rows(made["lines"]) if row.get("series") == "delivered"]
    assert all(each >= 40 for each in delivered)


def test_published_values_stand_at_their_curve(made: Mapping[str, Figure]) -> None:
    drawn = published_rows(made["lines"])
    assert ("aligned_4", "processor", 4, 41) in {
        (row["id"], row["series"], row["x"], row["y"]) for row in drawn
    }
    assert {row["series"] for row in drawn} == {"processor"}
    assert "Hollow diamonds are published values (FLASH Figure 5.8)" in made["lines"].caption


def test_a_quotient_is_made_of_two_statistics(made: Mapping[str, Figure], results: Results) -> None:
    figure = made["quotient"]
    drawn = {row["x"]: row["y"] for row in point_rows(figure)}
    told = statistics(results, "chunks", {"block_transfer.chunk": 4})["transfer"]
    expected = told["busy"]["sum"] / told["bytes"]["value"]
    assert drawn[4] == pytest.approx(expected, rel=1e-5)
    assert {each.statistic for each in figure.sources} == {"transfer.busy.sum", "transfer.bytes"}
    assert "Sum of busy (cycles) / bytes" in json.dumps(figure.specification())


def test_several_statistics_by_a_parameter_have_a_curve_each(made: Mapping[str, Figure]) -> None:
    drawn = {row["series"] for row in point_rows(made["speeds"])}
    assert drawn == {"whole, speed 1", "whole, speed 2", "peak, speed 1", "peak, speed 2"}
    (curves, _) = made["speeds"].controls
    assert curves.title == "Curve" and set(curves.values) == drawn


def test_a_statistic_alone_is_called_by_the_parameter(made: Mapping[str, Figure]) -> None:
    assert {row["series"] for row in point_rows(made["time"])} == {"all"}


def test_parts_of_a_quotient() -> None:
    assert parts_of("a.b") == ("a.b",)
    assert parts_of("a.b / c") == ("a.b", "c")


# --- timelines ------------------------------------------------------------------------------------


def test_bars_are_the_occupancies_of_the_results(
    made: Mapping[str, Figure], results: Results
) -> None:
    told = statistics(results, "page", {})
    drawn = [row for row in data_rows(made["page"]) if row["event"] == "handled"]
    for node in ("0", "1"):
        processor = told["node"][node]["protocol_processor"]
        track = f"node.{node}.protocol_processor"
        own = [row["cycles"] for row in drawn if row["track"] == track]
        assert sum(own) == processor["busy"]["value"]
        assert len(own) == processor["dispatches"]["value"]
    sent = [row["cycles"] for row in drawn if row["title"] == "block_transfer.transfer"]
    assert sum(sent) == told["transfer"]["busy"]["sum"] == 1484


def test_rows_are_the_tracks_of_each_node(made: Mapping[str, Figure]) -> None:
    drawn = data_rows(made["page"])
    for node, unit in itertools.product((0, 1), ("protocol_processor", "inbox", "memory")):
        assert f"node.{node}.{unit}" in {row["row"] for row in drawn}
    for lane, bars in itertools.groupby(sorted(drawn, key=lane_and_cycle), lambda row: row["lane"]):
        assert all(one["end"] <= other["first"] for one, other in itertools.pairwise(bars)), lane
    lanes = {row["lane"] for row in drawn}
    assert "node.0.data_buffers.buffer 5" in lanes and len(lanes) < 25
    assert not any("network_interface.out 1" in lane for lane in lanes)  # one message at a time
    handlers = {row["colour"] for row in drawn if row["event"] == "handled"}
    assert {"block_transfer.setup", "block_transfer.receive", "others"} < handlers


def test_a_part_of_a_timeline(made: Mapping[str, Figure]) -> None:
    drawn = data_rows(made["part"])
    assert drawn and all(row["track"].startswith("node.1.") for row in drawn)
    assert all(row["first"] <= 800 and row["end"] >= 500 for row in drawn)
    assert '"domain": [500, 801]' in json.dumps(made["part"].specification())


def test_a_point_without_a_trace_that_it_should_have_is_run_again(
    sweep: Sweep, results: Results, simulator: Simulator
) -> None:
    """The page is a point of two experiments, and is run once."""
    store, plan = results.store, make_plan(sweep, simulator)
    having = [point for point in plan.points if store.trace_files(point)]
    assert {point.experiment for point in having} == {"page", "speeds"}
    assert len({point.hash for point in having}) == 1
    files = store.trace_files(having[0])
    assert [file.name for file in files] == ["trace.json.gz", "trace-node.1-500..800.json.gz"]
    before = files[1].read_bytes()
    files[1].unlink()
    assert store.state(having[0], simulator.version) is PointState.MISSING
    assert run_sweep(plan, store, simulator, OPTIONS).done == 1
    assert files[1].read_bytes() == before


def test_the_command_draws_a_trace_of_any_platform(
    explore: Callable[..., Any], simulator: Simulator, tmp_path: Path
) -> None:
    run = [str(simulator.program), "run", "improved", "--set", "network.processing_elements=4"]
    options = ["--set", "interface.outstanding=8", "--window", "20..60", "--perfetto", "o.json"]
    subprocess.run([*run, *options], check=True, cwd=tmp_path)
    assert explore("timeline", "o.json", "--title", "Four").returncode == 0
    svg = (tmp_path / "o.svg").read_text()
    for text in ('aria-label="Four"', ">element.0<", ">stage.0.switch.0.output.", ">waiting<"):
        assert text in svg
    file = tmp_path / "o.json"
    file.write_text(file.read_text().replace('"partial":false', '"partial":true'))
    assert "The run was interrupted" in of_file(file, "Four").caption


@pytest.mark.parametrize(
    ("name", "content", "named"),
    [
        ("t.json", None, "cannot be read"),
        ("t.json.gz", gzip.compress(b"{}", mtime=0)[:-4], "cannot be read"),
        ("t.json", b"{}", "is no trace"),
        ("t.json", b'{"otherData": {"format": "tributary-perfetto 1"}}', "is no trace"),
    ],
)
def test_what_is_no_trace_is_refused(
    name: str, content: bytes | None, named: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert named in refusal(read_bars, tmp_path / name)


def test_the_report_shows_them(results: Results) -> None:
    page = write_report(
        results.store, results, results.store.report_file, "tributary-explore report"
    ).read_text()
    assert "exploration of the flash machine" in page
    for name in ("figure-lines", "figure-page", "paper-V20", "paper-V17.4"):
        assert f'id="{name}"' in page
    assert "could not be drawn" not in page
    assert "Drawn from <code>trace-node.<wbr>1-500." in page


# --- what is refused before anything runs ---------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "figure", "named"),
    [
        ("fbcopy", {"kind": "latency"}, '"x" is missing, as the usual one, network.processing_'),
        (
            "chunk_sizes",
            {"kind": "latency", "x": "block_transfer.chunk"},
            '"y" is missing, as the usual one, interface.latency.mean, is no statistic of platform',
        ),
        ("fbcopy", {"kind": "combining"}, "platform flash has none such (allowed: latency, curves"),
        ("fbcopy", {"kind": "occupancy"}, "platform flash has none such"),
        ("fbcopy", {"kind": "load"}, "platform flash has none such"),
        ("fbcopy", {"kind": "distribution"}, '"y" is missing, as the usual one'),
        ("chunk_sizes", {"kind": "timeline"}, '"block_transfer.chunk" has 7 values'),
        ("fbcopy", {"kind": "timeline", "window": "9"}, "window: 9 is not allowed"),
        ("fbcopy", {"kind": "timeline", "tracks": "a/b"}, "tracks: a/b is not allowed"),
        ("fbcopy", {"kind": "timeline", "seed": 3}, "seed: 3 is not allowed"),
        ("chunk_sizes", {"kind": "curves"}, '"x" is missing'),
        ("chunk_sizes", {"kind": "curves", "x": "block_transfer.chunk"}, '"y" is missing'),
        ("chunk_sizes", {"y": "trnsfer.bytes"}, "did you mean transfer"),
        ("chunk_sizes", {"y": "transfer.a / transfer.b / transfer.c"}, "is not allowed"),
        ("chunk_sizes", {"y": {}}, "names no curve"),
        ("chunk_sizes", {"y": ["transfer.bytes"]}, "is no statistic"),
        ("chunk_sizes", {"y": "transfer.bytes", "axis": 7}, "axis: 7 is not allowed"),
        ("chunk_sizes", {"x": "nodes", "y": "transfer.bytes"}, '"nodes" has one value'),
    ],
)
def test_figures_that_cannot_be_are_refused(
    base: str, figure: Mapping[str, Any], named: str, simulator: Simulator
) -> None:
    usual = {} if "kind" in figure else {"kind": "curves", "x": "block_transfer.chunk"}
    wanted = parse_sweep(
        json.dumps({"base": base, "figures": [{**usual, **figure}]}), Path("m.json")
    )
    plan = make_plan(wanted, simulator)
    assert named in refusal(
        figures.check, wanted.experiments[0].figures[0], wanted.experiments[0], plan
    )


def test_an_unknown_statistic_is_refused_when_it_is_drawn(
    results: Results, sweep: Sweep, simulator: Simulator
) -> None:
    figure = {"kind": "curves", "x": "block_transfer.chunk", "y": "transfer.snd_cycles"}
    with pytest.raises(ExploreError, match=r"did you mean transfer\.send_cycles"):
        figures.make(figure, sweep.experiment("chunks"), results, simulator)


def test_every_statistic_of_a_result_is_known_before_it(results: Results) -> None:
    unknown = [name for name in results.statistics if not is_named(name, "flash")]
    assert results.statistics and not unknown, unknown
    assert not is_named("interface.latency", "flash")


# --- packaged sweeps ------------------------------------------------------------------------------


def test_one_sweep_has_all_figures() -> None:
    single = {
        figure["name"]
        for name in packaged_sweeps()
        if name.startswith("flash_")
        for each in load_sweep(name).experiments
        for figure in each.figures
    }
    together = {figure["name"] for e in load_sweep("flash").experiments for figure in e.figures}
    chapter = ("58", "59", "511", "516", "517", "518", "519-source", "519-destination", "520")
    assert single == {f"figure{each}" for each in chapter} <= together


def test_it_runs_every_point_with_a_published_value(simulator: Simulator) -> None:
    plan = make_plan(load_sweep("flash"), simulator)
    configurations = [dict(flat(point.configuration)) for point in plan.points]
    for value in read_published([simulator.published_of("flash")]):
        if value.value is None or not value.statistic:
            continue
        held = sum(value.holds_at(each) for each in configurations)
        assert held > 0


# --- helpers --------------------------------------------------------------------------------------


def lane_and_cycle(row: Mapping[str, Any]) -> tuple[str, int]:
    return row["lane"], row["first"]


def statistics(results: Results, experiment: str, at: Mapping[str, Any]) -> Any:
    """Of the point of an experiment at these coordinates, straight from its results file."""
    for planned in results.store.points():
        if planned.experiment == experiment and planned.coordinates == at:
            (point,) = results.store.result(planned)["points"]
            return point["runs"][0]["statistics"]
    raise AssertionError(f"{experiment} has no point at {at}")
