# SPDX-License-Identifier: Apache-2.0
"""docs/explore.md tells of everything there is, and its examples run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tributary_explore import cli, sweep_file
from tributary_explore.checked_plan import MOST_POINTS_UNASKED
from tributary_explore.figures.request import KINDS
from tributary_explore.plan import make_plan
from tributary_explore.simulator import Simulator

ELEMENTS = "network.processing_elements"
PAGE = Path(__file__).parents[2] / "docs" / "explore.md"


def code_of(kind: str) -> str:
    """The only code block of a kind."""
    (found,) = re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return str(found)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.json").write_text(code_of("json"))
    return tmp_path


def test_it_names_commands_and_options() -> None:
    text = PAGE.read_text()
    context = click.Context(cli.program)
    for name in cli.program.list_commands(context):
        command = cli.program.get_command(context, name)
        assert command is not None
        assert re.search(rf"^\| `{name}[ `]", text, re.MULTILINE), name
    for command_name in ("run", "plan"):
        for parameter in cli.program.commands[command_name].params:
            if isinstance(parameter, click.Option):
                option = max(parameter.opts, key=len)
                assert f"`{option}" in text
    assert f"{MOST_POINTS_UNASKED:,}" in text


def test_it_names_keys_of_sweep_files_and_figures() -> None:
    text = PAGE.read_text()
    for key in sweep_file._OF_FILE:
        assert f"`{key}`" in text, key
    for name, kind in KINDS.items():
        assert f"| `{name}` |" in text
        for key, default in kind.defaults.items():
            assert f"`{key}`" in text
            if isinstance(default, str):
                assert f"`{default}`" in text


def test_its_sweep_of_sweeps_is_one(folder: Path, simulator: Simulator) -> None:
    (text,) = re.findall(r"```json5\n(\{[^`]*include[^`]*)```", PAGE.read_text())
    plan = make_plan(sweep_file.parse_sweep(text, folder / "mine.json"), simulator)
    sizes = {each.coordinates[ELEMENTS] for each in plan.points if each.experiment == "figure12"}
    assert sizes == {16, 64}
    assert {each.configuration["memory"]["latency"] for each in plan.points} == {20}
    assert {each.seed for each in plan.points} == {1, 2, 3}


@pytest.mark.simulated
def test_its_python_runs(folder: Path, simulator: Simulator) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code_of("python")],
        cwd=folder,
        env={**os.environ, "TRIBUTARY_PROGRAM": str(simulator.program)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0
    assert re.fullmatch(r"\d+ entries: \d+\.\d+ cycles\n", done.stdout)
