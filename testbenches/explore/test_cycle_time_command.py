# SPDX-License-Identifier: Apache-2.0
"""The whole chain: sweeps run by tributary-explore with a program that is not the simulator, then
the page; interrupted, failed and repeated."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from checks import full

from tributary_explore.clocks import read_clocks
from tributary_explore.simulator import Simulator
from tributary_explore.store import Store

ROOT = Path(__file__).resolve().parents[2]

Command = Callable[..., "subprocess.CompletedProcess[str]"]

_LEAST_NETWORKS = {
    "include": ["networks.json"],
    "seeds": "1..2",
    "axes": {"network.processing_elements": [16]},
    "set": {"run.warmup": 100, "run.cycles": 300},
}
# Of the portfolio of circuits_short.json two recipes: each of its points starts the program.
_ADDERS = '"recipe.adder": ["kogge-stone", "han-carlson", "sklansky"]'
_LEAST_ADDERS = '"recipe.adder": ["kogge-stone", "sklansky"]'
_CALL = (
    "import sys; from pathlib import Path; import cycle_time.__main__ as own; "
    "own._SWEEPS = Path(sys.argv[1]); own._BATCH_SECONDS = 100; sys.exit(own.main(sys.argv[2:]))"
)


@pytest.fixture
def command(tmp_path: Path, sweeps: Path, fake: Simulator, simulator: Simulator) -> Command:
    """Runs the command with short lists that take seconds."""
    lists = tmp_path / "cycle_time/sweeps"
    lists.mkdir(parents=True)
    for each in sweeps.glob("*.json"):
        text = each.read_text().replace(
            "../../../../platforms/ultracomputer/presets",
            str(ROOT / "platforms/ultracomputer/presets"),
        )
        (lists / each.name).write_text(text.replace(_ADDERS, _LEAST_ADDERS))
    (lists / "networks_short.json").write_text(json.dumps(_LEAST_NETWORKS))

    def run(*words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        paths = [str(ROOT / "tools/rtl"), str(ROOT / "tools/explore")]
        programs = ["--synthesis", str(fake.program), "--simulator", str(simulator.program)]
        programs += ["--cores", "1"]
        done = subprocess.run(
            [sys.executable, "-c", _CALL, str(lists), "--short", *programs, "--work",
             str(tmp_path / "work"), *words],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )  # fmt: skip
        print(done.stdout + done.stderr, f"exit status {done.returncode}", sep="")
        return done

    return run


def tables(page: str) -> list[str]:
    return [line for line in page.splitlines() if line.startswith("|")]


@full
def test_a_failed_point_is_named_and_repeated(command: Command, tmp_path: Path) -> None:
    page = tmp_path / "work/short/cycle-time-tables.md"
    libraries = ("--library", "ihp130", "--library-folder", str(tmp_path))
    failed = command(*libraries, FAKE_SYNTHESIS_FAILS='"adaptive_limit": 2')
    assert failed.returncode == 1
    assert "failed: designs, improved" in failed.stderr
    assert "no path found" in failed.stderr
    assert not page.exists()
    planned = command("--plan")
    assert planned.returncode == 0
    assert "networks_short: 48 points, 0 to run" in planned.stdout
    assert "circuits_short osu018: 22 points, 4 to run" in planned.stdout
    assert command(*libraries).returncode == 0
    text = page.read_text()
    assert "| ihp130 | 92.1 |" in text
    assert "`./dev cycle-time --short --library ihp130 --library-folder DIR`." in text
    assert str(tmp_path) not in text
    # The same again. A page elsewhere says how it was made, and names no folder of this machine.
    other = tmp_path / "by-libraries.md"
    assert command(*libraries, "--page", str(other)).returncode == 0
    assert "--library-folder DIR --page by-libraries.md`." in other.read_text()
    assert str(tmp_path) not in other.read_text()
    assert tables(other.read_text()) == tables(text)
    assert_clocks_are_of_whole_circuits(command, tmp_path / "work")


def assert_clocks_are_of_whole_circuits(command: Command, work: Path) -> None:
    file = work / "short/clocks.json"
    of_all = read_clocks(file)
    # Of 64 bits the short list has the baseline with both sums, and no combining.
    assert [each.sum for each in of_all.circuits].count("at_exit") == 1
    assert len(of_all.circuits) == 3
    points = Store(work / "osu018").points()
    lost = next(each for each in points if each.coordinates.get("circuit.sum") == "at_exit")
    Store(work / "osu018").result_file(lost).unlink()
    assert command("--clocks-only").returncode == 0
    assert {each.sum for each in read_clocks(file).circuits} == {"on_arrival"}
    assert len(read_clocks(file).circuits) == 2


def test_what_is_missing_is_named(command: Command) -> None:
    for done, words in (
        (command("--library", "ihp130", TRIBUTARY_LIBERTY=""),
         "--library needs the folder of its files: --library-folder DIR"),
        (command("--synthesis", "/bin/true"), "/bin/true"),
    ):  # fmt: skip
        assert done.returncode == 2
        assert words in done.stderr
