# SPDX-License-Identifier: Apache-2.0
"""docs/tutorials/is-combining-worth-it.md does what it says.

Its commands are run for a small machine, and the parts of their answers compared with those that
the page shows. The page's own commands, which take minutes, are compared whole; with
TRIBUTARY_UPDATE_PAGES=1 they write the page anew.
"""

import re
from pathlib import Path

import pytest
from checks import FULL
from tutorials import (
    COMMAND,
    DOCS,
    UPDATED,
    compare_whole_page,
    output_of,
    prepare,
    write_page,
)

from tributary_explore.simulator import Simulator

pytestmark = pytest.mark.simulated

PAGE = DOCS / "tutorials" / "is-combining-worth-it.md"
MACHINE = "--elements 512"
SMALL = "--elements 16 --seeds 1..2"
# What the paragraphs of an answer are called, and the heads of tables.
PART = re.compile(r"^(?:[A-Z]\w+(?=: )|page(?=: )|(?:design|combining)  .*)", re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return prepare(tmp_path, PAGE)


def parts_of(output: str) -> list[str]:
    return [" ".join(part.split()) for part in PART.findall(output)]


def test_a_small_machine_is_answered_in_the_same_parts(folder: Path, simulator: Simulator) -> None:
    blocks = list(COMMAND.finditer(PAGE.read_text()))
    assert len(blocks) == PAGE.read_text().count("```sh") == 2, "the question takes two commands"
    for block in blocks:
        printed = output_of(block["command"].replace(MACHINE, SMALL), folder, simulator)
        print(f"$ {block['command']}{printed}")
        assert parts_of(printed) == parts_of(block["output"]) != []
    assert MACHINE in blocks[0]["command"]
    assert (folder / "advice.sweep/advice.html").is_file()


@pytest.mark.skipif(
    not (FULL or UPDATED), reason="the page's own runs take minutes; ./dev test --full"
)
def test_the_page_shows_what_its_commands_print(folder: Path, simulator: Simulator) -> None:
    printed = [
        output_of(block["command"], folder, simulator)
        for block in COMMAND.finditer(PAGE.read_text())
    ]
    if UPDATED:
        write_page(PAGE, printed)
        return
    compare_whole_page(PAGE, printed)
