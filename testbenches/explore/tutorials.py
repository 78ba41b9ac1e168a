# SPDX-License-Identifier: Apache-2.0
"""What the tests of tutorials share: the files and commands of a page, and what these print."""

import difflib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tributary_explore.simulator import Simulator

DOCS = Path(__file__).parents[2] / "docs"
UPDATED = os.environ.get("TRIBUTARY_UPDATE_PAGES")
"""Whether the long forms write the blocks anew instead of comparing them."""

FILE = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```\n", re.DOTALL)
COMMAND = re.compile(r"```sh\n(?P<command>.*?)```\n```text\n(?P<output>.*?)```\n", re.DOTALL)
DURATION = re.compile(r"\b(about|in) \d+(\.\d+)? (s|min)( \d+ s)?\b")


def prepare(folder: Path, page: Path) -> Path:
    """Writes the files of the page, and the program under its own name."""
    for name, text in FILE.findall(page.read_text()):
        (folder / name).write_text(text)
    (folder / "bin").mkdir()
    program = folder / "bin" / "tributary-explore"
    command = shlex.join([sys.executable, "-m", "tributary_explore"])
    program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    program.chmod(0o755)
    return folder


def output_of(command: str, folder: Path, simulator: Simulator) -> str:
    done = subprocess.run(
        ["bash", "-euc", command],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "TRIBUTARY_PROGRAM": str(simulator.program),
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def compare(block: re.Match[str], expected: str, actual: str) -> None:
    print(f"$ {block['command']}{actual}")
    difference = difflib.unified_diff(
        expected.splitlines(), actual.splitlines(), "the page", "what is printed", lineterm=""
    )
    assert actual == expected, "\n".join(difference)


def compare_whole_page(page: Path, printed: list[str]) -> None:
    """What the commands of a page print is what it shows, but for durations."""
    for block, output in zip(COMMAND.finditer(page.read_text()), printed, strict=True):
        expected = DURATION.sub(r"\1 some time", block["output"])
        compare(block, expected, DURATION.sub(r"\1 some time", output))


def write_page(page: Path, printed: list[str]) -> None:
    """The page with what its commands have printed."""
    outputs = iter(printed)
    text = COMMAND.sub(
        lambda block: f"```sh\n{block['command']}```\n```text\n{next(outputs)}```\n",
        page.read_text(),
    )
    page.write_text(text)
