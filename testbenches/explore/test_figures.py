# SPDX-License-Identifier: Apache-2.0
"""Figures: what they draw against results.json, how they look, and what is refused."""

import json
import re
import statistics
import xml.etree.ElementTree
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import vl_convert
from checks import data_rows, draw_all, point_rows, published_rows, refusal, with_shown

from tributary_explore import figures
from tributary_explore.figures import theme
from tributary_explore.figures.charts import _apart
from tributary_explore.figures.figure import Figure
from tributary_explore.figures.request import KINDS
from tributary_explore.figures.save import svg_text
from tributary_explore.figures.statistics import FIXED_RUN, MACHINE, is_named
from tributary_explore.intervals import mean_and_half_width
from tributary_explore.plan import make_plan
from tributary_explore.results import Results, open_results
from tributary_explore.simulator import Simulator
from tributary_explore.store import Store
from tributary_explore.sweep_file import Sweep, parse_sweep

# Every kind on machines as small as they can be; `published` needs 2048 elements, and few cycles.
SWEEP = """{
  "set": {"run.cycles": 400, "run.warmup": 200, "processor.start_window": 50},
  "experiments": {
    "sizes": {
      "base": "figure6", "seeds": "1..3",
      "axes": {"network.processing_elements": [4, 16, 64]},
      "figures": [{"kind": "latency", "name": "sizes"}]
    },
    "modern": {
      "base": "figure8", "series": ["improved"],
      "axes": {"network.processing_elements": [4, 8]},
      "figures": [{"kind": "latency", "name": "modern", "scale": "log"}]
    },
    "buffers": {
      "base": "baseline", "set": {"network.processing_elements": 16},
      "axes": {"network.wait_buffer_entries": [1, 2, 8], "network.order": ["oldest", "ordered"]},
      "figures": [
        {"kind": "latency", "name": "buffers", "x": "network.wait_buffer_entries",
         "y": "interface.latency_distribution.p95", "by": "network.order"},
        {"kind": "latency", "name": "orders", "x": "network.order",
         "at": {"network.wait_buffer_entries": 8}},
        {"kind": "distribution", "name": "spread", "panels": "network.order",
         "at": {"network.wait_buffer_entries": 8}, "scale": "log"}
      ]
    },
    "large": {
      "base": "figure6", "set": {"run.cycles": 300, "run.warmup": 600},
      "axes": {"network.processing_elements": [1024, 2048]},
      "series": ["baseline", "improved"],
      "figures": [{"kind": "latency", "name": "large"}]
    },
    "stages": {
      "base": "figure5", "seeds": "1..2", "set": {"run.occupancy_window": 7},
      "axes": {"network.processing_elements": [16]},
      "figures": [
        {"kind": "combining", "name": "stages"},
        {"kind": "occupancy", "name": "occupancy", "seed": 2},
        {"kind": "distribution", "name": "distribution"}
      ]
    },
    "load": {
      "base": "figure7", "set": {"network.processing_elements": 16},
      "axes": {"workload.traffic.hot_spot": [0.2, 1], "interface.outstanding": [1, 4]},
      "figures": [{"kind": "load", "name": "load"}]
    }
  }
}"""


@pytest.fixture(scope="module")
def results(
    simulate: Callable[[str, Path], Store], tmp_path_factory: pytest.TempPathFactory
) -> Results:
    folder = tmp_path_factory.mktemp("figures") / "kinds.sweep"
    return open_results(simulate(SWEEP, folder).folder)


@pytest.fixture(scope="module")
def sweep() -> Sweep:
    return parse_sweep(SWEEP, Path("kinds.json"))


@pytest.fixture(scope="module")
def made(sweep: Sweep, results: Results, simulator: Simulator) -> Mapping[str, Figure]:
    return draw_all(sweep, results, simulator)


# --- what is drawn --------------------------------------------------------------------------------


def test_latency_is_the_mean_over_seeds_with_its_interval(
    made: Mapping[str, Figure], results: Results
) -> None:
    drawn = point_rows(made["sizes"])
    assert len({(row["series"], row["x"]) for row in drawn}) == 4 * 3
    for row in drawn:
        samples = latencies(results, "sizes", row["series"], row["x"])
        mean, half_width = mean_and_half_width(samples)
        assert half_width is not None
        assert row["seeds"] == 3
        assert row["y"] == pytest.approx(mean, rel=1e-5)
        assert row["low"] == pytest.approx(mean - half_width, rel=1e-5, abs=1e-5)
        assert row["high"] == pytest.approx(mean + half_width, rel=1e-5)


@pytest.mark.simulated
def test_least_latency_follows_the_memory(made: Mapping[str, Figure]) -> None:
    for name, expected in (("sizes", {4: 6, 16: 10, 64: 14}), ("modern", {4: 42, 8: 44})):
        rows = [r for r in data_rows(made[name]) if str(r.get("mark")).startswith("least")]
        assert {row["x"]: row["y"] for row in rows} == expected


def test_one_seed_has_no_bars(made: Mapping[str, Figure]) -> None:
    assert made["modern"].caption.startswith("One seed.")
    assert "errorbar" not in json.dumps(made["modern"].specification())
    assert "errorbar" in json.dumps(made["sizes"].specification())


def test_published_values_stand_where_they_hold(made: Mapping[str, Figure]) -> None:
    drawn = published_rows(made["large"])
    found = {(row["id"], row["series"], row["x"], row["y"]) for row in drawn}
    assert found == {("C2", "baseline", 2048, 306), ("C4", "improved", 2048, 118)}
    assert "FG 3.1" in made["large"].caption
    assert "The model was fitted to C4." in made["large"].caption
    assert not published_rows(made["sizes"])


def test_axes_can_be_any_parameter_and_statistic(
    made: Mapping[str, Figure], results: Results
) -> None:
    specification = json.dumps(made["buffers"].specification())
    titles = set(re.findall(r'"title": "([^"]+)"', specification))
    assert {"Wait buffer entries (requests)", "95th percentile of latency (cycles)"} <= titles
    p95 = results.sql(
        'SELECT "interface.latency_distribution.p95" AS p95 FROM results '
        "WHERE experiment = 'buffers' AND \"network.wait_buffer_entries\" = 2 "
        "AND \"network.order\" = 'ordered'"
    ).column("p95")
    drawn = [
        row["y"]
        for row in data_rows(made["buffers"])
        if (row["series"], row["x"]) == ("ordered", 2)
    ]
    assert drawn == p95
    assert '"x:O"' in specification or '"type": "ordinal"' in json.dumps(
        made["orders"].specification()
    )


def test_combining_is_the_rate_of_each_stage(made: Mapping[str, Figure], results: Results) -> None:
    drawn = point_rows(made["stages"])
    assert {row["stage"] for row in drawn} == {"0", "1", "2", "3"}
    for row in drawn:
        path = f"network.stage.{row['stage']}.combining_rate"
        samples = column(results, path, "stages", row["series"])
        assert row["y"] == pytest.approx(statistics.fmean(samples), rel=1e-5)


def test_load_has_both_axes_of_every_point(made: Mapping[str, Figure], results: Results) -> None:
    drawn = [row for row in data_rows(made["load"]) if "panel" in row]
    assert {row["panel"] for row in drawn} == {"Hot spot 20 %", "Hot spot 100 %"}
    assert {row["size"] for row in drawn} == {"1", "4"}
    expected = results.sql(
        'SELECT "interface.accepted_load", "interface.latency.mean" FROM results '
        "WHERE experiment = 'load'"
    ).rows
    assert sorted((row["x"], row["y"]) for row in drawn) == [
        pytest.approx(each, rel=1e-5) for each in sorted(expected)
    ]


def test_occupancy_is_the_series_of_one_run(made: Mapping[str, Figure], results: Results) -> None:
    path = "network.stage.2.queue_occupancy_over_time.values"
    (expected,) = (
        values
        for seed, values in results.sql(
            f"SELECT seed, \"{path}\" FROM results WHERE experiment = 'stages' "
            "AND series = 'improved'"
        ).rows
        if seed == 2
    )
    (drawn,) = (
        row
        for row in data_rows(made["occupancy"])
        if (row["series"], row["stage"]) == ("improved", 2)
    )
    assert drawn["values"] == pytest.approx(expected, rel=1e-2)
    assert drawn["window"] == 7
    assert drawn["warmup"] == 200
    assert "seed 2" in made["occupancy"].caption


def test_many_windows_are_averaged_to_as_many_as_can_be_seen() -> None:
    from tributary_explore.figures.occupancy import _cells

    values = [float(i) for i in range(1000)]
    row = {"s.values": values, "s.window": 10, "s.first_cycle": 1, "s.last_cycle": 9995}
    cells = _cells(row, "s")
    assert cells["window"] == 70
    assert cells["values"][0] == 3
    assert len(cells["values"]) == 143


def test_distribution_has_shares_and_percentiles_of_all_requests(
    made: Mapping[str, Figure], results: Results
) -> None:
    for series in ("wait buffer 100", "improved"):
        rows = [row for row in data_rows(made["distribution"]) if row["series"] == series]
        shares = [row["share"] for row in rows if "share" in row]
        bins = column(results, "interface.latency_distribution.bins", "stages", series)
        count = sum(column(results, "interface.latency_distribution.count", "stages", series))
        assert sum(shares) == pytest.approx(100, abs=1e-3)
        together = [sum(each) for each in zip(*pad(bins), strict=True)]
        assert shares == pytest.approx([100 * n / count for n in together if n], rel=1e-5)
        assert {row["percentile"] for row in rows if "at" in row} == {
            "median",
            "95th percentile",
            "99th",
        }


@pytest.mark.simulated
def test_percentiles_are_the_simulators(made: Mapping[str, Figure], results: Results) -> None:
    rows = [row for row in data_rows(made["spread"]) if row["series"] == "oldest" and "at" in row]
    (expected,) = results.sql(
        'SELECT "interface.latency_distribution.p50", "interface.latency_distribution.p95", '
        "\"interface.latency_distribution.p99\" FROM results WHERE experiment = 'buffers' "
        'AND "network.order" = \'oldest\' AND "network.wait_buffer_entries" = 8'
    ).rows
    assert tuple(row["at"] for row in rows) == expected


def test_sources_are_the_files_of_what_is_drawn(
    made: Mapping[str, Figure], results: Results
) -> None:
    for figure in made.values():
        for source in figure.sources:
            assert source.files
            assert all((results.folder / file).is_file() for file in source.files)
    (source,) = made["sizes"].sources
    assert (source.statistic, len(source.files)) == ("interface.latency.mean", 4 * 3 * 3)


def test_data_inside_is_small(made: Mapping[str, Figure]) -> None:
    for figure in made.values():
        size = len(json.dumps(figure.specification()))
        assert size < 40_000


# --- how it looks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True])
def test_svg_is_whole_and_readable_on_its_ground(
    made: Mapping[str, Figure], tmp_path: Path, dark: bool
) -> None:
    ground, ink = (
        (theme.DARK if dark else theme.LIGHT).background,
        (theme.DARK if dark else theme.LIGHT).ink,
    )
    for figure in made.values():
        path = tmp_path / f"{figure.name}.svg"
        figures.save_svg(figure, path, dark=dark)
        text = path.read_text()
        assert "NaN" not in text and "Infinity" not in text
        assert f'fill="{ground}"' in text and f'fill="{ink}"' in text
        assert xml.etree.ElementTree.fromstring(text).get("aria-label") == figure.title
        assert "<image" not in text, "vectors only"
        assert contrast(str(ground), ink) > 12
        for colour in theme.COLOURS:
            assert contrast(str(ground), colour) >= 3
        for size in map(float, re.findall(r'font-size="([\d.]+)px"', text)):
            assert size >= 12


def test_svg_is_the_same_bytes_each_time(made: Mapping[str, Figure]) -> None:
    first = {name: svg_text(figure, theme.LIGHT) for name, figure in made.items()}
    again = {name: svg_text(figure, theme.LIGHT) for name, figure in reversed(list(made.items()))}
    for name, svg in first.items():
        identifiers = set(re.findall(r'id="([^"]+)"', svg))
        used = set(re.findall(r"url\(#([^)]+)\)", svg))
        assert svg == again[name]
        assert used <= identifiers


def test_in_a_page_text_and_axes_take_the_pages_colour(made: Mapping[str, Figure]) -> None:
    for figure in made.values():
        svg = rendered(figure.specification())
        inks = set(re.findall(r'(?:fill|stroke)="([^"]+)"', svg))
        assert "currentColor" in inks
        assert not inks & {theme.LIGHT.ink, theme.DARK.ink, "#000", "#000000", "black", "#888"}


def test_series_differ_without_colour() -> None:
    names = [f"series {i}" for i in range(12)]
    colours, dashes, shapes = (each.to_dict() for each in theme.series_scales(names))
    looks = {
        (colour, tuple(dash), shape)
        for colour, dash, shape in zip(
            colours["range"], dashes["range"], shapes["range"], strict=True
        )
    }
    in_grey = {look[1:] for look in looks}
    assert len(looks) == 12
    assert len(in_grey) == min(12, len(theme.SHAPES))


def test_a_design_looks_the_same_in_every_figure() -> None:
    alone = theme.series_scales(["improved"])[0].to_dict()
    beside = theme.series_scales(["baseline, 10 %", "improved", "baseline"])[0].to_dict()
    look = dict(zip(beside["domain"], beside["range"], strict=True))
    assert look["improved"] == alone["range"][0]
    assert len(set(look.values())) == 3


def test_few_curves_have_their_names_at_their_ends(made: Mapping[str, Figure]) -> None:
    names = ["baseline", "wait buffer 100", "improved", "aggressive"]
    svg = rendered(made["sizes"].specification())
    assert svg.count(">Design<") == 0, "no legend"
    places = {
        name: [float(y) for y in re.findall(rf'translate\([\d.]+,([\d.]+)\)"[^>]*>{name}<', svg)]
        for name in names
    }
    assert all(len(each) == 1 for each in places.values()), places
    ordered = sorted(y for each in places.values() for y in each)
    assert all(below - above >= 13 for above, below in pairwise(ordered)), "none on another"
    # A parameter's values say nothing alone; bars and panels have a legend.
    assert ">Order oldest<" in rendered(made["buffers"].specification())
    for name in ("stages", "load"):
        assert rendered(made[name].specification()).count(">Design<") > 0


def test_labels_are_moved_apart_and_stay_near() -> None:
    moved = _apart({"a": 100, "b": 101, "c": 102, "d": 200})
    assert moved["d"] == 200
    gaps = [moved["b"] - moved["a"], moved["c"] - moved["b"]]
    assert gaps == pytest.approx([18, 18], abs=0.1)
    assert moved["b"] == pytest.approx(101, abs=0.1), "a crowd stays in its middle"


def test_what_is_no_number_is_joined_to_nothing(
    simulate: Callable[[str, Path], Store], tmp_path: Path
) -> None:
    text = """{"base": "improved", "set": {"run.cycles": 100, "network.processing_elements": 4},
      "axes": {"network.order": ["oldest", "ordered"]},
      "figures": [{"kind": "latency", "x": "network.order"}]}"""
    results = open_results(simulate(text, tmp_path / "texts.sweep").folder)
    (experiment,) = parse_sweep(text, tmp_path / "texts.json").experiments
    svg = rendered(figures.make(experiment.figures[0], experiment, results).specification())
    lines = re.findall(r'aria-roledescription="line mark"[^>]*', svg)
    assert lines == [], "two orders are no course of anything"
    assert len(re.findall(r'aria-roledescription="point"[^>]*', svg)) == 2


def test_a_panel_is_wide_enough(made: Mapping[str, Figure]) -> None:
    widths = [spec["width"] for each in made.values() if (spec := each.specification().get("spec"))]
    assert widths and min(widths) >= 320


def test_axes_have_titles_with_units(made: Mapping[str, Figure]) -> None:
    expected = {
        "sizes": ("Processing elements", "Mean latency (cycles)"),
        "load": ("Accepted load (requests/element/cycle)", "Mean latency (cycles)"),
        "stages": ("Combining rate", "Stage (0: elements, 3: memory)"),
        "occupancy": ("Cycle", "Queue occupancy (requests)"),
        "distribution": ("Latency (cycles)", "Share (%)"),
    }
    for name, titles in expected.items():
        svg = rendered(made[name].specification())
        assert all(f">{title}<" in svg for title in titles)


def test_sizes_are_ticks_of_a_doubling_axis(made: Mapping[str, Figure]) -> None:
    x = made["sizes"].specification()["layer"][0]["encoding"]["x"]
    assert (x["scale"]["type"], x["scale"]["base"]) == ("log", 2)
    assert x["axis"]["values"] == [4, 16, 64]


# --- switches -------------------------------------------------------------------------------------


def test_switches_name_what_the_data_has(made: Mapping[str, Figure]) -> None:
    for figure in made.values():
        specification = figure.specification()
        values = {each["name"]: each["value"] for each in specification["params"]}
        for control in figure.controls:
            field = control.parameter.removeprefix("shown_")
            present = {row[field] for row in data_rows(figure) if field in row}
            assert values[control.parameter] == list(control.values)
            assert present == set(control.values)


def test_switching_off_removes_marks_and_nothing_breaks(made: Mapping[str, Figure]) -> None:
    for figure in made.values():
        whole = rendered(figure.specification())
        for control in figure.controls:
            for shown in (control.values[:1], ()):
                svg = rendered(with_shown(figure.specification(), control.parameter, shown))
                assert "NaN" not in svg and "Infinity" not in svg
                assert len(svg) < len(whole)


# --- what is refused ------------------------------------------------------------------------------

REFUSED = [
    ({"kind": "latencies"}, ["kind: latencies", "did you mean latency?", *KINDS]),
    ({}, ['"kind" is missing', *KINDS]),
    ({"kind": "latency", "Y": 1}, ['"Y" is no key', "published"]),
    (
        {"kind": "latency", "x": "network.procesing_elements"},
        ["network.procesing_elements", "did you mean network.processing_elements?"],
    ),
    (
        {"kind": "latency", "x": "network.slots"},
        ['"network.slots" has one value', "make it an axis", "network.processing_elements"],
    ),
    (
        {"kind": "latency", "y": "interface.latency.meen"},
        ["interface.latency.meen", "did you mean interface.latency.mean?"],
    ),
    ({"kind": "latency", "y": "interface.latency"}, ["did you mean interface.latency.mean"]),
    ({"kind": "latency", "y": "memory.served"}, ['left out by "statistics"']),
    ({"kind": "latency", "by": "serie"}, ['by: there is no parameter "serie"']),
    ({"kind": "latency", "scale": "lin"}, ["scale: lin", "linear, log"]),
    ({"kind": "latency", "published": "C2"}, ["published: C2", "true, false"]),
    ({"kind": "latency", "key": "yes"}, ["key: yes", "true, false"]),
    ({"kind": "latency", "at": {"series": "improve"}}, ["at: series: improve", "mean improved?"]),
    ({"kind": "latency", "at": {"network.slot": 4}}, ['"network.slot"', "mean network.slots?"]),
    ({"kind": "latency", "at": [4]}, ['"at" is an object']),
    ({"kind": "latency", "panels": "serie"}, ['panels: there is no parameter "serie"']),
    (
        {"kind": "latency", "panels": "series", "panel_titles": {"improve": "I"}},
        ["panel_titles: improve", "did you mean improved?"],
    ),
    ({"kind": "latency", "panels": "series", "panel_titles": ["I"]}, ["panel_titles: ['I']"]),
    ({"kind": "latency", "panel_titles": {"improved": "I"}}, ["panel_titles", "no panels"]),
    (
        {"kind": "latency", "panels": "series", "panel_titles": {"improved": "baseline"}},
        ["panel_titles", '"baseline" stands for', "a title of its own"],
    ),
    ({"kind": "latency", "name": "a/b"}, ["name: a/b"]),
    ({"kind": "latency", "title": 4}, ["title: 4"]),
    (
        {"kind": "combining"},
        ['"network.processing_elements" has 2 values', '"at": {"network.processing_elements": 8}'],
    ),
    (
        {"kind": "combining", "at": {"network.processing_elements": 16}},
        ["at: network.processing_elements: 16", "4, 8"],
    ),
    (
        {"kind": "combining", "y": "network.stage.3.combined", "by": "series"},
        ["network.stage.3.combined", "did you mean network.stage.*.combined?"],
    ),
    ({"kind": "load"}, ['along: "interface.outstanding" has one value']),
    ({"kind": "occupancy", "y": "network.stage.*.arrived"}, ["queue_occupancy_over_time"]),
    (
        {"kind": "occupancy", "at": {"network.processing_elements": 4}, "seed": 9},
        ["seed: 9", "1, 2"],
    ),
    ({"kind": "distribution", "y": "interface.latency.mean"}, ["interface.latency_distribution"]),
    (
        {"kind": "latency", "by": "network.processing_elements"},
        ["there are 4 series", '"at": {"series": "aggressive"}'],
    ),
]


@pytest.mark.parametrize(("figure", "words"), REFUSED, ids=lambda each: json.dumps(each)[:60])
def test_a_wrong_figure_is_refused_before_anything_runs(
    figure: dict[str, Any], words: list[str], simulator: Simulator
) -> None:
    kept = ["interface.latency", "interface.latency_distribution", "network.stage"]
    text = {
        "base": "polling",
        "axes": {"network.processing_elements": [4, 8]},
        "set": {"run.occupancy_window": 50},
        "seeds": "1..2",
        "statistics": kept,
        "figures": [{"kind": "latency"}, figure],
    }
    plan = make_plan(parse_sweep(json.dumps(text), Path("mine.json")), simulator)
    (experiment,) = plan.sweep.experiments
    figures.check(experiment.figures[0], experiment, plan)
    message = refusal(figures.check, experiment.figures[1], experiment, plan)
    for word in ("mine.json: experiment mine: figure 2: ", *words):
        assert word in message


def test_occupancy_that_was_not_recorded_is_refused_before_anything_runs(
    simulator: Simulator,
) -> None:
    text = '{"base": "improved", "figures": [{"kind": "occupancy"}]}'
    plan = make_plan(parse_sweep(text, Path("mine.json")), simulator)
    (experiment,) = plan.sweep.experiments
    assert "run.occupancy_window" in refusal(figures.check, experiment.figures[0], experiment, plan)


@pytest.mark.parametrize(
    ("experiment", "figure", "words"),
    [
        (
            "modern",
            {"y": "workload.marks.superstep.interval.mean"},
            "the results have no statistic",
        ),
        ("sizes", {"y": "network.stage.0.combining_rate", "scale": "log"}, 'write "linear"'),
    ],
)
def test_what_is_found_when_it_is_drawn(
    experiment: str,
    figure: dict[str, Any],
    words: str,
    sweep: Sweep,
    results: Results,
    simulator: Simulator,
) -> None:
    wanted = {"kind": "latency", **figure}
    assert words in refusal(figures.make, wanted, sweep.experiment(experiment), results, simulator)


def test_an_experiment_without_results_is_refused(results: Results) -> None:
    other = parse_sweep(
        '{"base": "improved", "figures": [{"kind": "distribution"}]}', Path("o.json")
    )
    (experiment,) = other.experiments
    assert "no result yet" in refusal(figures.make, experiment.figures[0], experiment, results)


def test_a_figure_of_a_part_of_the_points_is_drawn(
    simulate: Callable[[str, Path], Store], tmp_path: Path
) -> None:
    text = """{"base": "polling", "series": ["improved"], "set": {"run.cycles": 100},
      "axes": {"network.processing_elements": [4, 8]}, "figures": [{"kind": "latency"}]}"""
    store = simulate(text, tmp_path / "part.sweep")
    store.result_file(store.points()[1]).unlink()
    (experiment,) = parse_sweep(text, tmp_path / "part.json").experiments
    figure = figures.make(experiment.figures[0], experiment, open_results(store.folder))
    assert {row["x"] for row in point_rows(figure)} == {4}
    assert "NaN" not in svg_text(figure, theme.LIGHT)


def test_known_statistics_are_those_that_the_pages_list() -> None:
    page = Path(__file__).parents[2] / "docs" / "formats" / "results.md"
    section = (
        page.read_text().partition("<!-- generated: statistics -->")[2].partition("<!-- end")[0]
    )
    listed = {
        name.replace(".S.", ".*."): kind
        for name, kind in re.findall(r"^\| `([^`]+)` \| (\w+) \|", section, re.MULTILINE)
    }
    assert listed == MACHINE | FIXED_RUN


@pytest.mark.simulated
def test_every_statistic_of_a_result_is_known_before_it(results: Results) -> None:
    unknown = [name for name in results.statistics if not is_named(name)]
    assert results.statistics and not unknown, unknown


@pytest.mark.parametrize(
    ("pattern", "named"),
    [
        ("interface.latency", True),
        ("interface.*.mean", True),
        ("network.stage.3.arrived", True),
        ("network.stage.*.*_over_time.values", True),
        ("workload.marks.superstep", True),
        ("*", True),
        ("interface.latncy.mean", False),
        ("interface.latency.men", False),
        ("machine.cycles.mean", False),
        ("network.stage.last.arrived", False),
        ("", False),
    ],
)
def test_a_pattern_of_statistics(pattern: str, named: bool) -> None:
    assert is_named(pattern) is named


# --- helpers --------------------------------------------------------------------------------------


def rendered(specification: dict[str, Any]) -> str:
    svg: str = vl_convert.vegalite_to_svg(specification)
    return svg


def latencies(results: Results, experiment: str, series: str, elements: int) -> list[float]:
    """Straight from the results files."""
    return [
        run["statistics"]["interface"]["latency"]["mean"]
        for point, run in runs(results, experiment, series)
        if point["configuration"]["network"]["processing_elements"] == elements
    ]


def runs(results: Results, experiment: str, series: str) -> Iterator[tuple[Any, Any]]:
    for planned in results.store.points():
        if (planned.experiment, planned.series) == (experiment, series):
            (point,) = json.loads(results.store.result_file(planned).read_text())["points"]
            yield point, point["runs"][0]


def column(results: Results, path: str, experiment: str, series: str) -> list[Any]:
    return results.sql(
        f'SELECT "{path}" AS it FROM results '
        f"WHERE experiment = '{experiment}' AND series = '{series}'"
    ).column("it")


def pad(lists: list[list[int]]) -> list[list[int]]:
    longest = max(map(len, lists))
    return [each + [0] * (longest - len(each)) for each in lists]


def contrast(one: str, other: str) -> float:
    """Ratio of luminances after WCAG 2."""

    def luminance(colour: str) -> float:
        digits = "ffffff" if colour == "white" else colour.lstrip("#")
        parts = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
