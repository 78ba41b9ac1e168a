# SPDX-License-Identifier: Apache-2.0
"""The program as a user calls it."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tributary_explore import cli
from tributary_explore.version import VERSION

PACKAGE = Path(cli.__file__).parent.parent
RUNNING = ("run", "plan", "status", "advise")
COMMANDS = (*RUNNING, "query", "figures", "report", "new", "schema", "list")
SWEEP = """{
  // Two designs of a small machine.
  "title": "Small", "base": "figure6", "series": ["baseline", "improved"],
  "axes": {"network.processing_elements": [4, 8]},
  "set": {"run.cycles": 400, "run.warmup": 100}, "seeds": "1..2",
  "statistics": ["interface.latency.mean"],
  "figures": [{"kind": "latency", "x": "network.processing_elements",
               "y": "interface.latency.mean", "by": "series"}]
}
"""


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    path = tmp_path / "small.json"
    path.write_text(SWEEP)
    return path


def modification_times(folder: Path) -> dict[str, int]:
    return {str(file): file.stat().st_mtime_ns for file in folder.glob("points/*/*/results.json")}


def test_help_names_every_command_and_gives_examples(explore: Any) -> None:
    text = explore("--help").stdout
    for command in COMMANDS:
        assert re.search(rf"^  {command} ", text, re.MULTILINE)
        assert explore(command, "--help").returncode == 0
    assert "Exit status: 0 done, 1 some points failed, 2 wrong input, 130 interrupted." in text


def test_help_fits_a_terminal_of_80_columns(explore: Any) -> None:
    for command in ((), *((each,) for each in COMMANDS)):
        text = explore(*command, "--help", terminal=80).stdout
        assert max(map(len, text.splitlines())) <= 80


def test_help_waits_for_no_engine() -> None:
    heavy = ("snakemake", "duckdb", "altair", "scipy", "jinja2", "rich")
    code = (
        "import sys; from tributary_explore.cli import run_program; run_program(['run', '--help']);"
        f"sys.exit(', '.join(name for name in {heavy} if name in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0


def test_version_is_that_of_the_simulator(explore: Any) -> None:
    cmake = (PACKAGE.parents[1] / "CMakeLists.txt").read_text()
    assert f"project(tributary VERSION {VERSION} " in cmake
    assert explore("--version").stdout == f"tributary-explore {VERSION}\n"


def test_every_dependency_is_pinned_as_tested() -> None:
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    pins = (PACKAGE / "constraints.txt").read_text().lower()
    extras = project["optional-dependencies"]
    for requirement in project["dependencies"] + extras["test"] + extras["slurm"]:
        name = re.split(r"[<>=]", requirement)[0]
        assert f"\n{name}==" in pins


def test_plan_counts_and_writes_nothing(explore: Any, sweep: Path, tmp_path: Path) -> None:
    done = explore("plan", "small.json", "--cores", 2, "--points")
    assert done.returncode == 0
    assert (
        "8 different points, 0 with a result in small.sweep; 8 to run in 2 batches" in done.stdout
    )
    assert "missing  small, improved, network.processing_elements = 8, seed 2" in done.stdout
    assert [each.name for each in tmp_path.iterdir()] == ["small.json"]


@pytest.mark.simulated
def test_run_from_sweep_to_report(explore: Any, sweep: Path, tmp_path: Path) -> None:
    folder = tmp_path / "small.sweep"
    done = explore("run", "small.json", "--cores", 2)
    assert done.returncode == 0
    assert "8 points run in " in done.stdout
    assert "small.sweep/report.html" in done.stdout
    for name in ("sweep.json", "plan.json", "results.parquet", "report.html"):
        assert (folder / name).is_file()
    assert (folder / "sweep.json").read_text() == SWEEP
    assert list((folder / "figures").glob("*.svg"))
    command = json.loads((folder / "plan.json").read_text())["command"]
    assert command.endswith("run small.json --cores 2")

    before = modification_times(folder)
    again = explore("run", "small.json", "--cores", 2, "--no-report")
    assert "0 points run, 8 had a result in " in again.stdout
    assert modification_times(folder) == before

    more = explore("run", "small.json", "--cores", 2, "--no-report", "--seeds", "1..3")
    assert "4 points run, 8 had a result in " in more.stdout
    assert before.items() <= modification_times(folder).items()

    assert "small" in explore("status", "small").stdout
    assert_answers_and_figures(explore, tmp_path)


def assert_answers_and_figures(explore: Any, tmp_path: Path) -> None:
    """Of the two designs, two sizes and three seeds that were run."""
    sql = 'SELECT series, "network.processing_elements" AS pes FROM summary ORDER BY ALL'
    assert explore("query", "small", sql).stdout == (
        "series    pes\n-------------\nbaseline    4\nbaseline    8\nimproved    4\nimproved    8\n"
    )
    assert explore("query", "small.json", sql, "--format", "csv").stdout.splitlines()[:2] == [
        "series,pes",
        "baseline,4",
    ]
    records = json.loads(explore("query", "small.sweep", sql, "--format", "json").stdout)
    assert records[0] == {"series": "baseline", "pes": 4}

    everything = explore("query", "small", "FROM results", "--format", "csv").stdout
    assert len(everything.splitlines()) == 1 + 12

    drawn = explore("figures", "small", "--out", "print")
    (path,) = drawn.stdout.splitlines()
    assert (tmp_path / path).read_text().startswith("<svg")
    refused = explore("figures", "small", "figure9")
    assert refused.returncode == 2
    assert "has no figure figure9" in refused.stderr


def test_overrides_are_in_the_copy_of_the_sweep(explore: Any, sweep: Path, tmp_path: Path) -> None:
    arguments = ["--set", "network.processing_elements=[4]", "--set", "run.cycles=300"]
    done = explore("run", "small.json", "--no-report", "--seeds", "7", "--out", "other", *arguments)
    assert "2 points run" in done.stdout
    copy = json.loads((tmp_path / "other" / "sweep.json").read_text())
    assert copy["axes"] == {"network.processing_elements": [4]}
    assert copy["set"] == {"run.cycles": 300, "run.warmup": 100}
    assert copy["seeds"] == "7"


def test_only_takes_experiments_of_the_name(explore: Any, tmp_path: Path) -> None:
    experiment = '{"base": "improved", "axes": {"network.processing_elements": [4]}}'
    (tmp_path / "two.json").write_text(
        f'{{"experiments": {{"one": {experiment}, "two": {experiment}}}}}'
    )
    both = explore("plan", "two.json").stdout
    one = explore("plan", "two.json", "--only", "two").stdout
    assert re.search("^one +1 ", both, re.MULTILINE) and re.search("^two +1 ", both, re.MULTILINE)
    assert "one" not in one and re.search("^two +1 ", one, re.MULTILINE)
    assert (
        'no experiment "tow"; did you mean two?'
        in explore("plan", "two.json", "--only", "tow").stderr
    )


def test_a_name_of_a_sweep_is_answered_with_the_nearest(explore: Any, tmp_path: Path) -> None:
    (tmp_path / "figure5.sweep").mkdir()
    (tmp_path / "my_machines.json").write_text("{}")
    for command in ("run", "plan", "status", "query"):
        sql = ["FROM results"] if command == "query" else []
        refused = explore(command, "figur5", *sql)
        assert refused.returncode == 2
        assert "did you mean figure5?" in refused.stderr
    assert "did you mean my_machines.json?" in explore("plan", "my_machine.json").stderr


def test_a_reader_that_leaves_is_no_error(sweep: Path, tmp_path: Path, simulator: Any) -> None:
    environment = {**os.environ, "TRIBUTARY_PROGRAM": str(simulator.program)}
    command = f"{sys.executable} -m tributary_explore plan small.json --points | true; echo $?"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


def test_list_names_sweeps_and_presets_as_wide_as_the_terminal(explore: Any) -> None:
    text = explore("list", terminal=70).stdout
    assert max(map(len, text.splitlines())) <= 70
    assert re.search("^paper +", text, re.MULTILINE)
    assert re.search("^improved +Improved: wait buffer 100", text, re.MULTILINE)
