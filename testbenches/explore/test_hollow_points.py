# SPDX-License-Identifier: Apache-2.0
"""Points that were not steady in their time: drawn hollow, told of, and deciding nothing.

What a run says of itself is written into its result here, so that a test chooses which are hollow;
the last test takes the simulator's own word.
"""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import vl_convert
from checks import data_rows, draw_all, point_rows, published, with_shown
from report_sample import record_run

from tributary_explore import figures
from tributary_explore.figures import theme
from tributary_explore.figures.figure import Figure
from tributary_explore.figures.save import svg_text
from tributary_explore.figures.statistics import STEADY_RUN
from tributary_explore.flatten import SETTLED, STEADY
from tributary_explore.measurements import Run, Setting, read_measurements
from tributary_explore.outputs import unsteady_text
from tributary_explore.paper_table import Verdict, paper_table
from tributary_explore.plan import make_plan
from tributary_explore.report import write_report
from tributary_explore.results import Results, open_results
from tributary_explore.simulator import Simulator
from tributary_explore.store import PlannedPoint, Store
from tributary_explore.sweep_file import parse_sweep
from tributary_explore.text import TOO_SHORT

ELEMENTS = "network.processing_elements"
SWEEP = """{
  "set": {"run.cycles": 300, "run.warmup": 100},
  "experiments": {
    "sizes": {
      "base": "figure6", "series": ["baseline", "improved"], "seeds": "1..3",
      "statistics": ["interface", "memory.served"],
      "axes": {"network.processing_elements": [4, 16, 64]},
      "figures": [
        {"kind": "latency", "name": "sizes", "published": false},
        {"kind": "curves", "name": "logarithmic", "x": "network.processing_elements",
         "y": "interface.accepted", "scale": "log"},
        {"kind": "curves", "name": "wide", "x": "network.processing_elements",
         "y": "memory.served", "scale": "log"}
      ]
    },
    "panels": {
      "base": "figure6", "series": ["baseline", "improved"], "seeds": "1..2",
      "set": {"run.cycles": 310},
      "axes": {"network.processing_elements": [4, 16], "network.queue_type": ["A", "B"]},
      "figures": [{"kind": "latency", "name": "panels", "panels": "network.queue_type"}]
    },
    "load": {
      "base": "figure7",
      "set": {"network.processing_elements": 16, "run.occupancy_window": 50},
      "axes": {"workload.traffic.hot_spot": [0.2], "interface.outstanding": [1, 4]},
      "figures": [
        {"kind": "load", "name": "load"},
        {"kind": "combining", "name": "stages", "by": "interface.outstanding",
         "at": {"series": "improved"}},
        {"kind": "occupancy", "name": "cells", "panels": "interface.outstanding",
         "at": {"series": "improved"}},
        {"kind": "distribution", "name": "histogram", "panels": "interface.outstanding",
         "at": {"series": "improved"}}
      ]
    }
  }
}"""


def is_hollow(point: PlannedPoint) -> bool:
    """Seeds 2 and 3 of the baseline at 64; 16 elements in panel B; 4 requests outstanding."""
    of = point.coordinates
    return (
        (of.get(ELEMENTS) == 64 and point.series == "baseline" and point.seed > 1)
        or (of.get(ELEMENTS) == 16 and of.get("network.queue_type") == "B")
        or of.get("interface.outstanding") == 4
    )


def say_steady(store: Store, hollow: Callable[[PlannedPoint], bool]) -> None:
    """Writes into each result whether its run was steady, or settled, as `tributary run` does."""
    for point in store.points():
        mark = SETTLED if point.coordinates.get("interface.outstanding") == 4 else STEADY
        change(store, point, SETTLED, 1)
        change(store, point, STEADY, 1)
        change(store, point, mark, int(not hollow(point)))


def change(store: Store, point: PlannedPoint, path: str, value: float) -> None:
    """A statistic of one value in a result, whatever it was."""
    file = store.result_file(point)
    document = json.loads(file.read_text())
    (run,) = document["points"][0]["runs"]
    group = run["statistics"]
    *groups, leaf = path.split(".")
    for name in groups:
        group = group.setdefault(name, {})
    group[leaf] = {"kind": "value", "unit": "1", "description": "Said by a test.", "value": value}
    file.write_text(json.dumps(document))


@pytest.fixture(scope="module")
def results(
    simulate: Callable[[str, Path], Store], tmp_path_factory: pytest.TempPathFactory
) -> Results:
    store = simulate(SWEEP, tmp_path_factory.mktemp("hollow") / "hollow.sweep")
    say_steady(store, is_hollow)
    for point in store.points():
        if (point.series, point.coordinates.get(ELEMENTS)) == ("baseline", 64):
            change(store, point, "interface.accepted", 0)
        if (point.series, point.coordinates.get(ELEMENTS)) == ("improved", 4):
            change(store, point, "memory.served", 10 ** (point.seed - 1) if point.seed < 3 else 49)
    return open_results(store.folder)


@pytest.fixture(scope="module")
def made(results: Results, simulator: Simulator) -> Mapping[str, Figure]:
    return draw_all(parse_sweep(SWEEP, Path("hollow.json")), results, simulator)


# --- figures --------------------------------------------------------------------------------------


def test_a_point_is_hollow_if_one_seed_was_not_steady(made: Mapping[str, Figure]) -> None:
    drawn = {(row["series"], row["x"]): row for row in point_rows(made["sizes"])}
    assert len(drawn) == 2 * 3
    for key, row in drawn.items():
        assert row.get("state") == ("not steady" if key == ("baseline", 64) else None)
    assert drawn["baseline", 64]["unsteady"] == "2 of 3"


def test_a_figure_that_is_not_of_points_names_the_runs_that_decide_nothing(
    made: Mapping[str, Figure], results: Results, simulator: Simulator
) -> None:
    told = f"Runs {TOO_SHORT}: 4."
    for name in ("cells", "histogram"):
        assert told in made[name].caption
    experiment = parse_sweep(SWEEP, Path("hollow.json")).experiment("load")
    wanted = {"kind": "distribution", "at": {"interface.outstanding": 1}}
    steady = figures.make(wanted, experiment, results, simulator)
    assert TOO_SHORT not in steady.caption


def test_a_hollow_mark_is_its_series_own_without_a_filling(made: Mapping[str, Figure]) -> None:
    for name in ("sizes", "load", "stages"):
        svg = svg_text(made[name], theme.LIGHT)
        marks = re.findall(r'<path [^>]*aria-roledescription="point"[^>]*>', svg)
        hollow = [mark for mark in marks if 'fill="#' not in mark]
        expected = sum("state" in row for row in point_rows(made[name]))
        assert 0 < len(hollow) == expected < len(marks) == len(point_rows(made[name]))
        for mark in hollow:
            assert re.search(rf'stroke="({"|".join(theme.COLOURS)})"', mark)
            assert "not steady" in mark, "what a screen reader says"


def test_caption_and_legend_tell_of_hollow_points_where_there_are_some(
    made: Mapping[str, Figure], results: Results, simulator: Simulator
) -> None:
    told = f"Points drawn hollow were {TOO_SHORT}."
    for name in ("sizes", "panels", "load", "stages"):
        assert told in made[name].caption
        assert ">not steady<" in svg_text(made[name], theme.LIGHT)
    wanted = {"kind": "latency", "at": {"series": "improved"}, "published": False}
    experiment = parse_sweep(SWEEP, Path("hollow.json")).experiment("sizes")
    steady = figures.make(wanted, experiment, results, simulator)
    assert "hollow" not in steady.caption
    assert ">not steady<" not in svg_text(steady, theme.LIGHT)


def test_hollow_points_that_counted_nothing_are_left_out_of_a_logarithmic_axis(
    made: Mapping[str, Figure],
) -> None:
    drawn = {(row["series"], row["x"]) for row in point_rows(made["logarithmic"])}
    assert len(drawn) == 2 * 3 - 1
    assert ("baseline", 64) not in drawn
    assert "1 point that was not steady and had counted nothing" in made["logarithmic"].caption


def test_an_interval_down_to_zero_ends_at_the_foot_of_a_logarithmic_axis(
    made: Mapping[str, Figure],
) -> None:
    """Nothing below zero has a place there; drawn all the same, it would point upwards."""
    drawn = {row["x"]: row for row in point_rows(made["wide"]) if row["series"] == "improved"}
    assert (drawn[4]["y"], drawn[4]["low"]) == (20, 10), "the least mean is 20"
    assert drawn[16]["low"] > 1
    assert "NaN" not in svg_text(made["wide"], theme.LIGHT)


# --- panels ---------------------------------------------------------------------------------------


def test_each_panel_has_its_own_points(made: Mapping[str, Figure], results: Results) -> None:
    drawn = {(row["panel"], row["series"], row["x"]): row for row in point_rows(made["panels"])}
    assert {panel for panel, _, _ in drawn} == {"Queue type A", "Queue type B"}
    assert len(drawn) == 2 * 2 * 2
    for (panel, series, elements), row in drawn.items():
        (expected,) = results.sql(
            "SELECT \"interface.latency.mean\" FROM summary WHERE experiment = 'panels' "
            f"AND series = '{series}' AND \"{ELEMENTS}\" = {elements} "
            f"AND \"network.queue_type\" = '{panel[-1]}'"
        ).column("interface.latency.mean")
        assert row["y"] == pytest.approx(expected, rel=1e-5)
        assert ("state" in row) == ((panel, elements) == ("Queue type B", 16))


def test_panels_stand_side_by_side_and_can_be_switched(made: Mapping[str, Figure]) -> None:
    figure = made["panels"]
    specification = figure.specification()
    assert specification["facet"]["sort"] == ["Queue type A", "Queue type B"]
    assert specification["spec"]["width"] * 2 < 800
    switches = {each.parameter: each for each in figure.controls}
    assert switches["shown_panel"].values == ("Queue type A", "Queue type B")
    svg = svg_text(figure, theme.LIGHT)
    least = [row for row in data_rows(figure) if str(row.get("mark")).startswith("least")]
    assert {row["panel"] for row in least} == set(switches["shown_panel"].values)
    assert all(f">{title}<" in svg for title in switches["shown_panel"].values)
    for parameter in switches:
        first = switches[parameter].values[:1]
        changed = with_shown(figure.specification(theme.LIGHT), parameter, first)
        other = vl_convert.vegalite_to_svg(changed)
        assert len(other) < len(svg) and "NaN" not in other


def test_panels_may_have_titles(results: Results, simulator: Simulator) -> None:
    wanted = {
        "kind": "latency",
        "panels": "network.queue_type",
        "panel_titles": {"A": "One queue a port", "B": "Two queues a port"},
    }
    experiment = parse_sweep(SWEEP, Path("hollow.json")).experiment("panels")
    figure = figures.make(wanted, experiment, results, simulator)
    assert {row["panel"] for row in point_rows(figure)} == {"One queue a port", "Two queues a port"}
    svg = svg_text(figure, theme.LIGHT)
    assert ">One queue a port<" in svg and "Queue type" not in svg


# --- tables and verdicts --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page(results: Results, tmp_path_factory: pytest.TempPathFactory) -> str:
    numbers = tmp_path_factory.mktemp("published") / "published.json"
    numbers.write_text(json.dumps({"schema": "tributary.published/1", "numbers": NUMBERS}))
    path = write_report(results.store, results, results.store.report_file, "report", numbers)
    text = path.read_text()
    return " ".join(re.sub(r"<(?:style|script).*?</(?:style|script)>|<[^>]*>", " ", text,
                           flags=re.DOTALL).split())  # fmt: skip


def polling(elements: int, value: float) -> dict[str, Any]:
    return {
        "value": value, "unit": "cycles", "source": "A report", "description": f"at {elements}",
        "statistic": "interface.latency.mean", "tolerance": {"relative": 0.9},
        "at": {ELEMENTS: elements, "network.wait_buffer_entries": 8,
               "network.queue_type": "B", "workload.traffic.hot_spot": 1},
    }  # fmt: skip


NUMBERS = {
    "steady": polling(4, 6),
    "hollow": polling(64, 40),
    "growth": {
        "unit": "1", "source": "A report", "description": "it grows",
        "rule": {"ratio": ["hollow", "steady"]}, "accepted": {"above": 1},
    },
}  # fmt: skip


def test_nothing_published_is_decided_by_a_hollow_point(results: Results) -> None:
    settings = read_measurements(results.store, results).settings
    table = {row.number.id: row for row in paper_table(published(NUMBERS), settings)}
    for row in table.values():
        print(row.number.id, row.measured, row.verdict)
    assert table["steady"].verdict is Verdict.PASS
    assert table["hollow"].verdict is table["growth"].verdict is Verdict.UNDECIDED
    assert table["hollow"].measured is not None


def test_a_run_that_has_not_settled_is_hollow_and_still_decides() -> None:
    point = PlannedPoint(hash="0" * 64, experiment="one", series="", coordinates={}, seed=1)
    values = {SETTLED: 0.0, "interface.latency.mean": 6.0}
    setting = Setting({"size": 4}, (Run(point, "points/0/results.json", values),))
    assert setting.unsteady == (1,)
    assert not setting.gave_up
    table = paper_table(published({"n": {**polling(4, 6), "at": {"size": 4}}}), [setting])
    assert table[0].verdict is Verdict.PASS


def test_a_steady_point_is_taken_before_a_hollow_one() -> None:
    def setting(steady: int, latency: float) -> Setting:
        point = PlannedPoint(
            hash="0" * 64, experiment="experiment", series="", coordinates={}, seed=1
        )
        values = {STEADY: float(steady), "interface.latency.mean": latency}
        return Setting({"size": 4}, (Run(point, "points/0/results.json", values),))

    number = {**polling(4, 6), "at": {"size": 4}}
    table = paper_table(published({"n": number}), [setting(0, 60), setting(1, 6), setting(1, 7)])
    assert (table[0].measured, table[0].verdict) == (6, Verdict.PASS)


def test_the_report_lists_hollow_points(page: str) -> None:
    for expected in (
        "5 points",
        "baseline, network.processing_elements = 64 2 to 3 of 3",
        "1 of 1",
        "2 more",
    ):
        assert expected in page, expected
    marked = re.findall(r"\d ○", page)
    assert len(marked) >= 4


def test_the_terminal_is_told_how_many_there_are(results: Results) -> None:
    assert unsteady_text(results).startswith("5 points were not steady")


def test_a_report_without_hollow_points_says_nothing_of_them(
    simulate: Callable[[str, Path], Store], tmp_path: Path
) -> None:
    text = """{"base": "polling", "series": ["improved"],
      "axes": {"network.processing_elements": [4, 8]},
      "set": {"run.warmup": 2000, "run.cycles": 1000}, "figures": [{"kind": "latency"}]}"""
    store = simulate(text, tmp_path / "settled.sweep")
    record_run(store)
    settled = open_results(store.folder)
    assert unsteady_text(settled) == ""
    path = write_report(store, settled, tmp_path / "r.html", "report")
    assert "not steady" not in path.read_text()


def test_every_table_says_what_was_steady(results: Results) -> None:
    """Whatever "statistics" a sweep file asks for."""
    found = results.sql(
        f"SELECT seed, \"{STEADY}\" AS steady FROM results WHERE experiment = 'sizes' "
        f"AND series = 'baseline' AND \"{ELEMENTS}\" = 64 ORDER BY seed"
    ).column("steady")
    assert found == [1, 0, 0]
    left_out = "SELECT count(\"machine.cycles\") AS n FROM results WHERE experiment = 'sizes'"
    assert results.sql(left_out).column("n") == [0]


@pytest.mark.simulated
@pytest.mark.parametrize(
    "text",
    [
        """{
          "base": "improved", "axes": {"network.processing_elements": [4, 64]}, "seeds": "1",
          "set": {"run.until": "steady", "run.warmup": 0, "run.maximum_cycles": 4000,
                  "run.batch": 100, "workload.traffic.hot_spot": 0.5},
          "statistics": ["interface.latency"], "figures": [{"kind": "latency"}]
        }""",
        # Figure 9 cut off between two of its points.
        """{
          "base": "figure9", "series": ["NoComb"], "set": {"run.maximum_cycles": 3000},
          "axes": {"network.processing_elements": [4, 64],
                   "workload.program.supersteps.body": ["intense"]},
          "statistics": ["workload"],
          "figures": [{"kind": "curves", "x": "network.processing_elements",
                       "y": "workload.marks.superstep.interval.mean"}]
        }""",
    ],
    ids=["not steady", "not finished"],
)
def test_the_simulator_says_that_a_run_decides_nothing(
    simulate: Callable[[str, Path], Store], tmp_path: Path, text: str
) -> None:
    found = open_results(simulate(text, tmp_path / "real.sweep").folder)
    steady = dict(found.sql(f'SELECT "{ELEMENTS}", "{STEADY}" FROM results').rows)
    assert steady == {4: 1, 64: 0}
    (experiment,) = parse_sweep(text, Path("real.json")).experiments
    drawn = point_rows(figures.make(experiment.figures[0], experiment, found))
    assert {row["x"]: int("state" not in row) for row in drawn} == steady


@pytest.mark.simulated
def test_what_a_steady_run_tells_of_itself_is_known_before_it(
    simulate: Callable[[str, Path], Store], tmp_path: Path
) -> None:
    text = """{
      "base": "readers_writers", "series": ["Improved"],
      "axes": {"network.processing_elements": [4, 8]},
      "set": {"run.maximum_cycles": 2000, "run.warmup": 100, "run.batch": 50},
      "statistics": ["run", "workload.marks.*.rate"],
      "figures": [{"kind": "curves", "x": "network.processing_elements", "y": "run.rate"}]
    }"""
    found = open_results(simulate(text, tmp_path / "rate.sweep").folder)
    own = [name for name in found.statistics if name.startswith("run.")]
    assert set(own) == set(STEADY_RUN)
    plan = make_plan(parse_sweep(text, Path("rate.json")), Simulator.find())
    (experiment,) = plan.sweep.experiments
    figures.check_statistics(experiment, plan)
    figures.check(experiment.figures[0], experiment, plan)
    assert "State: not steady" in svg_text(
        figures.make(experiment.figures[0], experiment, found), theme.LIGHT
    )
