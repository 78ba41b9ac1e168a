# SPDX-License-Identifier: Apache-2.0
"""What a shell offers behind the program's name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from tributary_explore.cli import program
from tributary_explore.simulator import Simulator


def offered(*words: str) -> list[str]:
    """What completes the last of the words."""
    complete = ShellComplete(program, {}, "tributary-explore", "_TRIBUTARY_EXPLORE_COMPLETE")
    return [
        item.value if item.type == "plain" else f"any {item.type}"
        for item in complete.get_completions(list(words[:-1]), words[-1])
    ]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, simulator: Simulator) -> Path:
    (tmp_path / "my.json").write_text('{"experiments": {"one": {"base": "a"}, "two": {}}}')
    (tmp_path / "mine.sweep").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRIBUTARY_PROGRAM", str(simulator.program))
    return tmp_path


def test_commands_and_options() -> None:
    assert offered("r") == ["report", "run"]
    assert "--seeds" in offered("run", "paper", "--s")


def test_sweeps_that_can_be_run() -> None:
    assert offered("run", "paper") == ["paper", "paper_full"]
    assert offered("plan", "my") == ["my.json"]
    assert offered("plan", "/home/") == ["any file"]


def test_sweeps_that_were_run() -> None:
    assert offered("query", "mi") == ["mine"]
    assert offered("status", "other") == ["any file"]


def test_experiments_of_the_sweep() -> None:
    assert offered("run", "coordination", "--only", "figure1") == [
        f"figure1{digit}" for digit in range(6)
    ]
    assert offered("run", "none", "--only", "") == []
    assert offered("run", "my.json", "--only", "") == []  # as two has no base


def test_parameters_of_all_platforms() -> None:
    assert offered("run", "paper", "--set", "network.sl") == ["network.slots="]
    assert "node.memory.line_bytes=" in offered("run", "paper", "--set", "node.memory.")
    assert not any("[" in name for name in offered("run", "paper", "--set", ""))


def test_bases(monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered("new", "f") == [
        "flash",
        *(each for each in Simulator.find().presets if each.startswith("f")),
    ]
    monkeypatch.setenv("TRIBUTARY_PROGRAM", "/nowhere")
    assert offered("new", "f") == []
    assert offered("run", "paper", "--set", "") == []


def test_in_bash_by_the_line_of_the_page(here: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/explore.md").read_text()
    (line,) = (each for each in page.splitlines() if "=bash_source" in each)
    script = here / "tributary-explore"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m tributary_explore "$@"\n')
    script.chmod(0o755)
    completed = subprocess.run(
        ["bash", "--norc", "-c", f"""{line.partition("#")[0]}
         COMP_WORDS=(tributary-explore run coordination_f) COMP_CWORD=2
         _tributary_explore_completion tributary-explore; echo "${{COMPREPLY[@]}}" """],
        env={**os.environ, "PATH": f"{here}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )  # fmt: skip
    print(completed.stderr)
    assert completed.stdout == "coordination_full\n"
