# SPDX-License-Identifier: Apache-2.0
"""SQL over a sweep's table: means over seeds, and what is answered to mistakes."""

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from checks import refusal

from tributary_explore.errors import ExploreError
from tributary_explore.intervals import mean_and_half_width
from tributary_explore.query import Rows, json_values
from tributary_explore.results import open_results
from tributary_explore.simulator import Simulator
from tributary_explore.store import Store


@pytest.fixture(scope="module")
def sample(simulated_sample: Store, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """One copy for all tests, as a question changes nothing."""
    folder = tmp_path_factory.mktemp("asked") / "sample.sweep"
    shutil.copytree(simulated_sample.folder, folder)
    return Store(folder)


def query(store: Store, sql: str) -> Rows:
    return open_results(store.folder).sql(sql)


def wrong(store: Store, sql: str) -> str:
    return refusal(query, store, sql)


@pytest.mark.simulated
def test_means_and_half_widths_are_the_simulators(
    simulate: Callable[[str, Path], Store], simulator: Simulator, tmp_path: Path
) -> None:
    """Every statistic of three runs with a seed each, against one run of three seeds."""
    text = '{"base": "improved", "set": {"network.processing_elements": 64}, "seeds": "1..3"}'
    store = simulate(text, tmp_path / "three.sweep")
    command = [str(simulator.program), "run", "improved", "--seeds", "1..3", "--quiet"]
    options = ["--set", "network.processing_elements=64", "--out", str(tmp_path)]
    subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)
    summary = json.loads((tmp_path / "results.json").read_text())["points"][0]["summary"]
    (row,) = query(store, "FROM summary").records()
    assert row["seeds"] == 3
    # Every request is a load of the hot word; the other classes have no latency.
    measured = {path: entry for path, entry in summary.items() if entry["mean"] is not None}
    empty = {path.split(".latency")[0] for path in summary.keys() - measured.keys()}
    assert empty == {"interface.cold", "interface.atomics"}
    for path, entry in measured.items():
        assert row[path] == pytest.approx(entry["mean"], rel=1e-12), path
        half_width = row[f"{path}.half_width"]
        assert half_width == pytest.approx(entry["half_width"], rel=1e-9, abs=1e-12), path
    widths = sum(entry["half_width"] > 0 for entry in measured.values())
    assert widths > 10


@pytest.mark.simulated
def test_summary_has_what_machines_of_several_platforms_share(
    simulate: Callable[[str, Path], Store], tmp_path: Path
) -> None:
    text = """{"base": "meet", "seeds": "1..2", "statistics": ["time.operation.rate"], "set": {
        "processors": 4, "workload.program.coordination.work": "counter"}}"""
    store = simulate(text, tmp_path / "meet.sweep")
    rows = query(store, "SELECT platform, processors, seeds FROM summary").records()
    assert [(row["processors"], row["seeds"]) for row in rows] == [(4, 2)] * 5
    assert {row["platform"] for row in rows} == {"ultracomputer", "flash"}


def test_summary_of_each_point(sample: Store) -> None:
    """In the order of the sweep; over the seeds that there are; no half width of one seed."""
    rows = query(sample, "FROM summary").records()
    assert [(row["experiment"], row["seeds"]) for row in rows] == [("sizes", 3)] * 2 + [
        ("load", 1)
    ] * 4
    assert [row["network.processing_elements"] for row in rows] == [4] + [16] * 5
    assert [row["interface.latency.mean.half_width"] is None for row in rows] == [
        False, False, True, True, True, True,
    ]  # fmt: skip
    samples = query(
        sample, """SELECT "interface.latency.mean" FROM results
                   WHERE experiment = 'sizes' AND "network.processing_elements" = 4""",
    ).column("interface.latency.mean")  # fmt: skip
    mean, half_width = mean_and_half_width(samples)
    assert rows[0]["interface.latency.mean"] == pytest.approx(mean)
    assert rows[0]["interface.latency.mean.half_width"] == pytest.approx(half_width)


def test_units_of_each_column(sample: Store) -> None:
    rows = query(sample, "SELECT * FROM units WHERE name LIKE 'interface.latency.%'")
    assert rows.columns == ("name", "unit", "description", "kind", "type")
    assert {row["name"]: row["unit"] for row in rows.records()} == {
        "interface.latency.mean": "cycles",
        "interface.latency.count": "samples",
        "interface.latency.sum": "cycles",
        "interface.latency.min": "cycles",
        "interface.latency.max": "cycles",
    }


@pytest.mark.parametrize(
    ("sql", "count"),
    [
        ("SELECT hash FROM results -- all of them\n;", 10),
        ("SELECT hash FROM results; -- all of them", 10),
        ("WITH two AS (FROM results LIMIT 2) FROM two", 2),
        ("DESCRIBE units", 5),
        ("PIVOT (SELECT experiment, seed FROM results) ON experiment", 3),
        ("SELECT unnest(\"interface.latency_distribution.bins\") FROM results LIMIT 2", 2),
    ],
)  # fmt: skip
def test_what_may_be_asked(sample: Store, sql: str, count: int) -> None:
    assert len(query(sample, sql).rows) == count


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT latency FROM results", ['column "latency" not found', '"interface.latency.mean"',
                                         "SELECT latency FROM results"]),
        ('SELECT "interface.latncy.mean" FROM summary', ['"interface.latency.mean"']),
        # The commonest slip, also made by a shell that takes the quotes away.
        ("SELECT interface.latency.mean FROM results",
         ['double quotes: "interface.latency.mean"']),
        ("SELECT network.stage.3.combining_rate FROM results",
         ['double quotes: "network.stage.3.combining_rate"']),
        ('FROM results WHERE series = "improved"', ["text is written in single quotes"]),
        ("SELEC 1", ['syntax error at or near "SELEC"']),
        ("SELECT * FROM result", ['Did you mean "results"']),
        ("SELECT avg(series) FROM results", ["avg(VARCHAR)"]),
        ("SELECT series::INTEGER FROM results WHERE series <> ''", ["wait buffer 100"]),
        ("", ["one statement that reads"]),
        ("SELECT 1; SELECT 2", ["one statement that reads"]),
    ],
)  # fmt: skip
def test_wrong_sql(sample: Store, sql: str, words: list[str]) -> None:
    message = wrong(sample, sql)
    assert all(each in message for each in words)


@pytest.mark.parametrize(
    "sql",
    [
        "COPY (SELECT 1) TO 'FOLDER/results.parquet'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO 'FOLDER/results.parquet' (USE_TMP_FILE false)",
        "COPY (SELECT 1 AS a) TO 'FOLDER/new.csv'",
        "DROP VIEW results",
        "CREATE TABLE t AS FROM results",
        "ATTACH 'FOLDER/new.db'",
        "SET enable_external_access = true",
        "SELECT * FROM read_text('FOLDER/plan.json')",
        "FROM 'FOLDER/plan.json'",
        "SELECT 1) TO 'FOLDER/results.parquet' (USE_TMP_FILE false); --",
    ],
)
def test_a_query_changes_nothing(sample: Store, sql: str) -> None:
    """Nor does it see any file but the table."""

    def content() -> str:
        digest = hashlib.sha256()
        for file in sorted(sample.folder.rglob("*")):
            digest.update(str(file).encode())
            digest.update(file.read_bytes() if file.is_file() else b"")
        return digest.hexdigest()

    query(sample, "FROM results")
    before = content()
    sql = sql.replace("FOLDER", str(sample.folder))
    wrong(sample, sql)
    assert content() == before


def test_rows(sample: Store) -> None:
    rows = query(sample, "SELECT seed, experiment FROM results ORDER BY ALL LIMIT 2")
    assert rows == Rows(("seed", "experiment"), ((1, "load"), (1, "load")))
    assert rows.column("seed") == [1, 1]
    with pytest.raises(ExploreError, match="there are seed, experiment"):
        rows.column("seeds")


def test_rows_in_a_notebook(sample: Store) -> None:
    rows = query(sample, "SELECT 1 AS n, '<b>' AS text")
    assert rows._repr_html_() == (
        "<table><tr><th>n</th><th>text</th></tr><tr><td>1</td><td>&lt;b&gt;</td></tr></table>"
    )


def test_results_know_their_columns(sample: Store) -> None:
    results = open_results(sample.folder)
    assert results.units["network.processing_elements"] == "elements"
    assert "network.slots" in results.parameters
    assert "interface.latency.mean" in results.statistics
    assert (len(results.rows()), len(results.summary())) == (10, 6)
    assert results.failures == []
    sample.table_file.unlink()
    with pytest.raises(ExploreError, match="open the results again"):
        results.sql("FROM results")


def test_what_json_cannot_say() -> None:
    rows = {"a": [float("nan"), 1.5, float("-inf")], "b": Decimal("0.25"), "c": (1, None)}
    assert json_values(rows) == {"a": [None, 1.5, None], "b": 0.25, "c": [1, None]}
