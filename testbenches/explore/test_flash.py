# SPDX-License-Identifier: Apache-2.0
"""Sweeps of a machine of nodes: curves by chunk size, timelines, and what is refused."""

import gzip
import itertools
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from checks import data_rows, draw_all, point_rows, published_rows, refusal

from tributary_explore import figures
from tributary_explore.engine import RunOptions, run_sweep
from tributary_explore.errors import ExploreError
from tributary_explore.figures.event_log import HANDLERS, LINK_OUT, MEMORY, read_node_log
from tributary_explore.figures.figure import Figure
from tributary_explore.figures.request import parse_window
from tributary_explore.figures.statistics import is_named, parts_of
from tributary_explore.figures.timeline import of_file
from tributary_explore.plan import flat, make_plan
from tributary_explore.published_file import load_published
from tributary_explore.report import write_report
from tributary_explore.results import Results, open_results
from tributary_explore.simulator import Simulator
from tributary_explore.store import PointState, Store
from tributary_explore.sweep_file import Sweep, load_sweep, packaged_sweeps, parse_sweep

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
        {"kind": "timeline", "name": "part", "nodes": [1], "window": "500..800"}
      ]
    }
  }
}"""
OPTIONS = RunOptions(command="tributary-explore run mine.json", cores=2)
FIRST = "# tributary-event-log 2 flash"


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
    print(drawn)
    for chunk in (1, 4):
        told = statistics(results, "chunks", {"block_transfer.chunk": chunk})["transfer"]
        assert drawn["processor", chunk] == pytest.approx(told["send_cycles"]["value"], rel=1e-5)
        delivered = told["delivered_cycles"]["value"]
        assert drawn["delivered", chunk] == pytest.approx(delivered, rel=1e-5)
    assert len(drawn) == 4


def test_no_line_is_delivered_faster_than_the_link_is(made: Mapping[str, Figure]) -> None:
    delivered = [row["y"] for row in data_rows(made["lines"]) if row.get("series") == "delivered"]
    print(delivered)
    assert all(each >= 40 for each in delivered)


def test_published_values_stand_at_their_curve(made: Mapping[str, Figure]) -> None:
    drawn = published_rows(made["lines"])
    print(drawn)
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
    print(drawn, expected)
    assert drawn[4] == pytest.approx(expected, rel=1e-5)
    assert {each.statistic for each in figure.sources} == {"transfer.busy.sum", "transfer.bytes"}
    assert "Sum of busy (cycles) / bytes" in json.dumps(figure.specification())


def test_several_statistics_by_a_parameter_have_a_curve_each(made: Mapping[str, Figure]) -> None:
    drawn = {row["series"] for row in point_rows(made["speeds"])}
    print(drawn)
    assert drawn == {"whole, speed 1", "whole, speed 2", "peak, speed 1", "peak, speed 2"}
    (curves, _) = made["speeds"].controls
    assert curves.title == "Curve" and set(curves.values) == drawn


def test_a_statistic_alone_is_called_by_the_parameter(made: Mapping[str, Figure]) -> None:
    assert {row["series"] for row in point_rows(made["time"])} == {"all"}


def test_parts_of_a_quotient() -> None:
    assert parts_of("a.b") == ("a.b",)
    assert parts_of("a.b / c") == ("a.b", "c")


# --- the log of nodes -----------------------------------------------------------------------------


def test_a_log_becomes_bars(tmp_path: Path) -> None:
    log = read_node_log(written(tmp_path / "small.log", EVENTS))
    print(log)
    handler, out, memory = log.spans
    assert (handler.unit, handler.name, handler.first, handler.cycles) == (
        HANDLERS,
        "p.send",
        10,
        20,
    )
    assert (out.unit, out.name, out.node, out.cycles) == (LINK_OUT, "128 bytes to node 1", 0, 40)
    assert (memory.unit, memory.cycles) == (MEMORY, 16)
    assert [(each.count, each.first, each.end) for each in log.buffers] == [
        (2, 12, 30),
        (1, 30, 72),
    ]
    assert (log.nodes, log.end, log.partial) == ([0], 72, False)


def test_a_compressed_log_is_the_same(tmp_path: Path) -> None:
    plain = written(tmp_path / "small.log", EVENTS)
    packed = tmp_path / "small.log.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert read_node_log(packed) == read_node_log(plain)


def test_the_log_of_an_interrupted_run_says_so(tmp_path: Path) -> None:
    path = written(tmp_path / "small.log", EVENTS, "partial")
    assert read_node_log(path).partial
    assert "interrupted" in of_file(path, "Small", None, None).caption


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("# tributary-event-log 1\n# end 0\n", "no event log"),
        ("", "no event log"),
        (f"{FIRST}\n1\t2\n# end 2\n", "cut off"),
        (f"{FIRST}\n1\t2\n", "cut off"),
        (f"{FIRST}\n1\t2\n# end 1\n", "2 fields in place of 9"),
        (f"{FIRST}\nx\t2" + "\t-" * 7 + "\n# end 1\n", "not laid out as"),
        (f"{FIRST}\n# end 0\n", "nothing happens"),
    ],
)
def test_what_is_no_log_is_refused(text: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.log"
    path.write_text(text)
    message = refusal(of_file, path, "Bad", None, None)
    assert named in message and str(path) in message


@pytest.mark.parametrize(
    ("text", "window"), [("400..1200", (400, 1200)), ("400..", (400, None)), ("..5", (0, 5))]
)
def test_a_window(text: str, window: tuple[int, int | None]) -> None:
    assert parse_window(text) == window


@pytest.mark.parametrize("text", ["..", "5", "9..3", "a..b", 7, ""])
def test_what_is_no_window(text: Any) -> None:
    with pytest.raises(ExploreError):
        parse_window(text)


# --- timelines ------------------------------------------------------------------------------------


def test_bars_of_a_timeline_are_the_occupancies_of_the_results(
    made: Mapping[str, Figure], results: Results
) -> None:
    told = statistics(results, "page", {})
    drawn = [row for row in data_rows(made["page"]) if "cycles" in row]
    for node in (0, 1):
        processor = told["node"][str(node)]["protocol_processor"]
        own = [row["cycles"] for row in drawn if row["node"] == node]
        print(node, own)
        assert sum(own) == processor["busy"]["value"]
        assert len(own) == processor["dispatches"]["value"]
    sent = [row["cycles"] for row in drawn if row["name"] == "transfer"]
    assert sum(sent) == told["transfer"]["busy"]["sum"] == 1484
    assert "block_transfer.transfer runs 8 times, 1,484 cycles together" in made["page"].caption


def test_a_timeline_shows_each_unit_of_each_node(made: Mapping[str, Figure]) -> None:
    text = json.dumps(made["page"].specification())
    for name in ("node 0: handlers", "node 1: handlers", "data buffers", "link out", "link in"):
        assert name in text
    for handler in ("setup", "transfer", "receive", "flag_update", "other handlers"):
        assert f'"{handler}"' in text


def test_a_link_is_busy_with_one_message_at_a_time(results: Results) -> None:
    log = read_node_log(events_file(results))
    for node in (0, 1):
        own = [each for each in log.spans if (each.node, each.unit) == (node, LINK_OUT)]
        assert own
        for one, other in itertools.pairwise(own):
            assert one.end <= other.first
    assert max(each.count for each in log.buffers) <= 16


def test_a_part_of_a_timeline(made: Mapping[str, Figure]) -> None:
    drawn = [row for row in data_rows(made["part"]) if "node" in row]
    print(len(drawn))
    assert drawn and {row["node"] for row in drawn} == {1}
    assert all(500 <= row["from"] < row["to"] <= 801 for row in drawn)
    assert "node 0: handlers" not in json.dumps(made["part"].specification())


def test_only_points_that_are_drawn_so_leave_their_events(results: Results) -> None:
    """The page is a point of two experiments, and is run once."""
    having = [p for p in results.store.points() if results.store.events_file(p).exists()]
    print([each.label for each in having])
    assert {each.experiment for each in having} == {"page", "speeds"}
    assert len({each.hash for each in having}) == 1


def test_a_point_without_the_events_it_should_have_is_run_again(
    sweep: Sweep, results: Results, simulator: Simulator
) -> None:
    file = events_file(results)
    before = file.read_bytes()
    file.unlink()
    plan = make_plan(sweep, simulator)
    (point, *_) = [each for each in plan.points if each.experiment == "page"]
    assert results.store.state(point, simulator.version) is PointState.MISSING
    summary = run_sweep(plan, results.store, simulator, OPTIONS)
    assert (summary.done, summary.failed) == (1, ())
    assert file.read_bytes() == before


def test_the_report_shows_them(results: Results) -> None:
    page = write_report(
        results.store, results, results.store.report_file, "tributary-explore report"
    ).read_text()
    assert "exploration of the flash machine" in page
    for name in ("figure-lines", "figure-page", "paper-V20", "paper-V17.4"):
        assert f'id="{name}"' in page
    assert "could not be drawn" not in page
    assert "events.log.gz" in page


def test_the_command_draws_a_log(
    explore: Callable[..., Any], results: Results, tmp_path: Path
) -> None:
    log = events_file(results)
    assert explore("timeline", log, "-o", "page.svg", "--title", "A page").returncode == 0
    svg = (tmp_path / "page.svg").read_text()
    assert svg.startswith("<svg") and 'aria-label="A page"' in svg and ">184<" in svg
    assert explore("timeline", log, "-o", "page.html", "--window", "400..900").returncode == 0
    assert "vegaEmbed" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["-o", "page.pdf"], "neither .svg nor .html"),
        (["--nodes", "a"], "not as 0,1"),
        (["--nodes", "7"], "in node 7 nothing happens (something does in: 0, 1)"),
        (["--window", "9..3"], "ends where it begins"),
        (["--window", "90000.."], "nothing happens"),
    ],
)
def test_what_the_command_refuses(
    arguments: list[str], named: str, explore: Callable[..., Any], results: Results
) -> None:
    done = explore("timeline", events_file(results), *arguments)
    assert done.returncode == 2
    assert named in done.stderr


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
        ("improved", {"kind": "timeline"}, "platform ultracomputer has none such"),
        ("chunk_sizes", {"kind": "timeline"}, '"block_transfer.chunk" has 7 values'),
        ("fbcopy", {"kind": "timeline", "window": "9..3"}, "window: 9..3 ends"),
        ("fbcopy", {"kind": "timeline", "nodes": 0}, "nodes: 0 is not allowed"),
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
    with pytest.raises(ExploreError, match=r"did you mean transfer\.send_cycles") as refused:
        figures.make(figure, sweep.experiment("chunks"), results, simulator)
    print(refused.value)


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
    print(single, together)
    assert single == {"figure58", "figure59", "figure511", "figure516"} <= together


def test_it_runs_every_point_with_a_published_value(simulator: Simulator) -> None:
    plan = make_plan(load_sweep("flash"), simulator)
    configurations = [dict(flat(point.configuration)) for point in plan.points]
    for value in load_published(simulator.published_of("flash")):
        held = sum(value.holds_at(each) for each in configurations)
        print(f"{value.id}: {held} points")
        assert held > 0


# --- helpers --------------------------------------------------------------------------------------

EVENTS = """12	12	node.0.data_buffers.buffer.0	buffer_taken	-	-	-	-	-
12	12	node.0.data_buffers.buffer.1	buffer_taken	-	-	-	-	-
10	29	node.0.protocol_processor	handled	0.0	-	0x0	0x0	handler=p.send
30	30	node.0.data_buffers.buffer.1	buffer_freed	-	-	-	-	-
32	71	node.0.network_interface.out	departed	0.m0	-	0x80	0x0	destination=1 bytes=128
40	55	node.0.memory_controller	memory_read	0.0	-	0x1000	-	handler=p.send
"""


def written(path: Path, events: str, end: str = "end") -> Path:
    path.write_text(f"{FIRST}\n# cycle\tlast\n{events}# {end} {len(events.splitlines())}\n")
    return path


def statistics(results: Results, experiment: str, at: Mapping[str, Any]) -> Any:
    """Of the point of an experiment at these coordinates, straight from its results file."""
    for planned in results.store.points():
        if planned.experiment == experiment and planned.coordinates == at:
            (point,) = results.store.result(planned)["points"]
            return point["runs"][0]["statistics"]
    raise AssertionError(f"{experiment} has no point at {at}")


def events_file(results: Results) -> Path:
    (point,) = [each for each in results.store.points() if each.experiment == "page"]
    return results.store.events_file(point)
