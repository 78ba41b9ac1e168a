# SPDX-License-Identifier: Apache-2.0
"""The table against the results files that it is made from, and what keeps it from being made."""

import json
import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from checks import refusal

from tributary_explore.configuration import flat
from tributary_explore.errors import ExploreError
from tributary_explore.flatten import common_type, flatten, matcher, type_of
from tributary_explore.store import Store
from tributary_explore.table import build_table, columns_of, metadata


def rows_of(store: Store) -> list[dict[str, Any]]:
    relation = duckdb.read_parquet(str(build_table(store)))
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def edit_result(store: Store, position: int, **keys: Any) -> Path:
    """Changes keys of one point's results.json."""
    file = store.result_file(store.points()[position])
    file.write_text(json.dumps({**json.loads(file.read_text()), **keys}))
    return file


def test_every_value_of_every_result(sample: Store) -> None:
    """Each scalar of configuration and summary stands in the row under its own name."""
    compared = 0
    for planned, row in zip(sample.points(), rows_of(sample), strict=True):
        result = sample.result(planned)
        point = result["points"][0]
        assert (row["hash"], row["experiment"], row["series"], row["seed"]) == (
            planned.hash,
            planned.experiment,
            planned.series,
            planned.seed,
        )
        assert row["file"] == f"points/{planned.hash[:2]}/{planned.hash}/results.json"
        assert (row["platform"], row["version"]) == (result["platform"], result["version"])
        for name, value in flat(point["configuration"]):
            assert row[name] == (json.dumps(value) if isinstance(value, list) else value), name
            compared += 1
        for path, entry in point["summary"].items():
            if planned.experiment == "sizes" or path == "interface.latency.mean":
                assert row[path] == entry["mean"], path
                compared += 1
    assert compared > 500


def test_points_of_several_experiments_in_one_table(sample: Store) -> None:
    """Columns are the union; what an experiment or a size does not have is NULL."""
    sizes, load = rows_of(sample)[:6], rows_of(sample)[6:]
    assert [row["series"] for row in load] == ["wait buffer 100"] * 2 + ["improved"] * 2
    assert all(row["memory.served"] is None for row in load)
    assert all(row["memory.served"] is not None for row in sizes)
    assert [row["network.stage.3.combining_rate"] is None for row in sizes] == [True] * 3 + [
        False
    ] * 3
    filled = {name for row in load for name, value in row.items() if value is not None}
    statistics = {each.name for each in columns_of(sample.table_file) if each.kind == "statistic"}
    rates = {f"network.stage.{stage}.combining_rate" for stage in range(4)}
    assert filled & statistics == {"interface.latency.mean", *rates, "run.settled"}


def test_stages_stand_in_order(simulate: Callable[[str, Path], Store], tmp_path: Path) -> None:
    """Stage 9 before 10, also where a small network comes first."""
    text = """{"base": "improved", "axes": {"network.processing_elements": [4, 2048]},
               "set": {"run.cycles": 10, "run.warmup": 1},
               "statistics": ["network.stage.*.arrived", "memory"]}"""
    store = simulate(text, tmp_path / "deep.sweep")
    build_table(store)
    names = [each.name for each in columns_of(store.table_file) if each.kind == "statistic"]
    assert names == [
        *(f"network.stage.{stage}.arrived" for stage in range(11)),
        "memory.served",
        "memory.served_locally",
        "run.settled",
    ]


def test_units_and_descriptions_are_in_the_file(sample: Store) -> None:
    """Any reader of Parquet finds them in the metadata."""
    columns = {each.name: each for each in columns_of(build_table(sample))}
    latency = columns["interface.latency.mean"]
    assert (latency.unit, latency.type, latency.kind) == ("cycles", "DOUBLE", "statistic")
    assert latency.description.startswith("From the first switch accepting")
    assert columns["network.stage.0.combining_rate"].unit == "1"
    assert columns["interface.latency.count"].unit == "samples"
    assert columns["interface.latency_distribution.bins"].unit == "samples"
    assert columns["network.processing_elements"].unit == "elements"
    assert columns["hash"].unit == ""
    for path, entry in sample.result(sample.points()[0])["points"][0]["summary"].items():
        assert columns[path].unit == entry["unit"], path
    told = metadata(sample.table_file)
    assert (told["schema"], told["version"]) == ("tributary.table/1", "0.1.0")


def test_histograms_are_lists(sample: Store) -> None:
    """All samples are in the bins, and the empty end is left out."""
    for row in rows_of(sample)[:6]:
        bins = row["interface.latency_distribution.bins"]
        overflow = row["interface.latency_distribution.overflow"]
        assert sum(bins) + overflow == row["interface.latency_distribution.count"]
        assert bins[-1] > 0
        assert row["interface.latency_distribution.scale"] == "fixed_width"
        assert row["interface.latency_distribution.bin_width"] == 8


def test_a_leaf_of_any_kind(sample: Store) -> None:
    """Numbers, lists and texts of a kind that this version has not heard of."""
    planned = sample.points()[0]
    result = sample.result(planned)
    result["points"][0]["runs"][0]["statistics"] = {
        "queue": {
            "kind": "series",
            "unit": "requests",
            "description": "Entries over time.",
            "window": 16,
            "values": [0, 1.5, None, 0],
            "by_stage": [[1, 2], [3]],
            "label": "mean",
        },
        "empty": {"kind": "histogram", "unit": "cycles", "description": "", "bins": [0] * 5},
    }
    row, columns = flatten(result, planned, "results.json")
    assert (row["queue.values"], columns["queue.values"].type) == ([0, 1.5, None, 0], "DOUBLE[]")
    assert (columns["queue.values"].unit, columns["queue.window"].unit) == ("requests", "cycles")
    assert columns["queue.by_stage"].type == "BIGINT[][]"
    assert (row["queue.window"], row["queue.label"]) == (16, "mean")
    assert columns["queue.label"].unit == ""
    assert row["empty.bins"] == []


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("a.mean", ["a.mean"]),
        ("a", ["a.mean", "a.count"]),
        ("s.*.rate", ["s.0.rate", "s.11.rate"]),
        ("s.*", ["s.0.rate", "s.11.rate", "s.0.rated"]),
        ("*", ["a.mean", "a.count", "ab.mean", "s.0.rate", "s.11.rate", "s.0.rated"]),
        ("a*.mean", ["a.mean", "ab.mean"]),
    ],
)
def test_patterns(pattern: str, names: list[str]) -> None:
    """`*` is one name or a part of it; a pattern stands for all below it."""
    wanted = matcher((pattern,))
    every = ["a.mean", "a.count", "ab.mean", "s.0.rate", "s.11.rate", "s.0.rated"]
    assert [each for each in every if wanted(each)] == names


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (1, 2.5, "DOUBLE"),
        (None, 3, "BIGINT"),
        (True, True, "BOOLEAN"),
        (True, 1, "VARCHAR"),
        ("barrier", 1, "VARCHAR"),
        ([], [1], "BIGINT[]"),
        ([1], [2.5], "DOUBLE[]"),
        ([[1]], [[], [2.5]], "DOUBLE[][]"),
        (2**63, 1, "DOUBLE"),
    ],
)
def test_types(one: Any, other: Any, both: str) -> None:
    assert common_type(type_of(one), type_of(other)) == both
    assert common_type(type_of(other), type_of(one)) == both


def test_made_again_only_when_a_file_has_changed(sample: Store) -> None:
    def made() -> tuple[int, int]:
        return build_table(sample).stat().st_mtime_ns, len(rows_of(sample))

    first = made()
    assert made() == first
    file = sample.result_file(sample.points()[0])
    os.utime(file, (0, 0))  # put back from an archive: older than the table, and yet another
    second = made()
    assert second[0] > first[0]
    shutil.rmtree(file.parent)
    third = made()
    assert third[1] == first[1] - 1
    sample.sweep_file.write_text(sample.sweep_file.read_text().replace('"interface.latency', '"i*'))
    sample.sweep_file.write_text(sample.sweep_file.read_text().replace("i*.mean", "interface"))
    assert made()[0] > third[0]
    sample.table_file.write_bytes(sample.table_file.read_bytes()[:1000])
    assert made()[1] == third[1]


def refused(store: Store) -> str:
    message = refusal(build_table, store)
    assert not store.table_file.exists()
    return message


def copy_result(store: Store) -> None:
    """Of one point to another."""
    first, second, *_ = map(store.result_file, store.points())
    shutil.copy(first, second)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (
            lambda store: edit_result(store, 3, schema="tributary.results/2"),
            ["results.json lacks the schema tributary.results/1", "run the sweep again"],
        ),
        (copy_result, ["results.json is of another configuration"]),
        (lambda store: store.plan_file.unlink(), ["sample.sweep is no folder of a sweep"]),
        (
            lambda store: store.sweep_file.unlink(),
            ["sweep.json cannot be read", "run the sweep again"],
        ),
        (
            lambda store: shutil.rmtree(store.folder / "points"),
            ["sample.sweep has no result yet of 10 points planned", "tributary-explore run"],
        ),
    ],
    ids=["schema", "configuration", "plan", "sweep", "results"],
)
def test_no_table(sample: Store, spoil: Callable[[Store], object], words: list[str]) -> None:
    spoil(sample)
    message = refused(sample)
    assert all(each in message for each in words)


def test_a_pattern_that_names_nothing(sample: Store) -> None:
    """Told with the nearest name once all points are there; a deeper network may have had it."""
    text = sample.sweep_file.read_text().replace("interface.latency.mean", "interface.latncy.mean")
    sample.sweep_file.write_text(text)
    message = refused(sample)
    assert '"statistics" has interface.latncy.mean' in message
    assert "did you mean interface.latency.mean?" in message
    shutil.rmtree(sample.point_folder(sample.points()[9]))
    assert len(rows_of(sample)) == 9


@pytest.mark.parametrize("room", [2_000, 30_000])
def test_no_room(
    sample: Store, little_room: Callable[[int], AbstractContextManager[None]], room: int
) -> None:
    """Neither for the rows on their way nor for the table: the old one stays as it was."""
    before = build_table(sample).read_bytes()
    file = sample.result_file(sample.points()[0])
    os.utime(file, (0, 0))
    with little_room(room), pytest.raises(ExploreError) as raised:
        build_table(sample)
    assert "cannot be written: File too large; make room" in str(raised.value)
    assert sample.table_file.read_bytes() == before
    assert list(sample.folder.glob(".*")) == []


def test_the_page_names_every_key_column_and_view(sample: Store) -> None:
    page = (Path(__file__).parents[2] / "docs/formats/results.md").read_text()
    section = page.split("## A sweep's table")[1].split("\n## ")[0]
    build_table(sample)
    keys = [each.name for each in columns_of(sample.table_file) if each.kind == "key"]
    for name in [*keys, *(f"tributary.{key}" for key in metadata(sample.table_file))]:
        assert f"`{name}`" in section, name
