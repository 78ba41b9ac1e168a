# SPDX-License-Identifier: Apache-2.0
"""The package as a notebook or a user's script sees it."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import tributary_explore as explore

WAIT_BUFFER = """{
  "base": "improved",
  "axes": {"network.wait_buffer_entries": [1, 4, 100]},
  "set": {"network.processing_elements": 16, "run.cycles": 500, "run.warmup": 100},
  "seeds": "1..2"
}"""


@pytest.mark.simulated
def test_the_example_of_the_package(tmp_path: Path) -> None:
    """What `help(tributary_explore)` shows runs as a script, and prints what it seems to."""
    (code,) = re.findall(r"```python\n(.*?)```", explore.__doc__ or "", re.DOTALL)
    (tmp_path / "wait-buffer.json").write_text(WAIT_BUFFER)
    (tmp_path / "example.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "example.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert re.search(r"^\d+ entries: [\d.]+ cycles$", done.stdout, re.MULTILINE)
    results = explore.open_results(tmp_path / "wait-buffer.sweep")
    assert [row["seeds"] for row in results.summary()] == [2, 2, 2]


def test_importing_is_quick() -> None:
    """Neither the database nor the workflow engine is loaded before it is used."""
    code = (
        "import sys, tributary_explore as explore\n"
        "print(*sorted({'duckdb', 'scipy', 'snakemake', 'json5', 'altair'} & set(sys.modules)))\n"
        "explore.open_results\n"
        "print(*sorted({'scipy', 'snakemake', 'altair'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n\n"


def test_every_name_is_there() -> None:
    names = dir(explore)
    assert {"ExploreError", "Results", "load_sweep", "open_results", "run_sweep"} <= set(names)
    for name in names:
        found = getattr(explore, name)
        assert found.__name__ == name
        assert found.__doc__, f"{name} has no documentation"
    with pytest.raises(AttributeError, match="load_sweeps"):
        getattr(explore, "load_sweeps")  # noqa: B009


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(str(explore.__file__)).parent / "py.typed").is_file()


def test_a_point_that_fails(tmp_path: Path, in_front: Callable[[str], Path]) -> None:
    """The others are run and can be opened; the error names the point and its folder."""
    program = in_front('case "$*" in *"--seed 2 "*) echo "no memory" >&2; exit 3;; esac')
    (tmp_path / "mine.json").write_text(WAIT_BUFFER)
    sweep = explore.load_sweep(tmp_path / "mine.json")
    folder = tmp_path / "mine.sweep"
    with pytest.raises(explore.ExploreError) as raised:
        explore.run_sweep(sweep, folder, simulator=explore.Simulator(program))
    message = str(raised.value)
    assert message.startswith("3 of 6 points failed")
    assert "seed 2" in message
    assert "no memory" in message
    results = explore.open_results(folder)
    assert [row["seed"] for row in results.rows()] == [1, 1, 1]
    assert [point.seed for point, failure in results.failures] == [2, 2, 2]
