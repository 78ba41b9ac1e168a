# SPDX-License-Identifier: Apache-2.0
"""docs/tutorials/find-the-best-wait-buffer.md does what it says.

The files of the page are written, its commands run one after another in one folder, and what they
print is compared with the blocks that follow them: of runs of a few cycles all but the numbers, of
the page's own runs, which are long, everything. With TRIBUTARY_UPDATE_PAGES=1 the latter writes the
blocks and the figure anew.
"""

import re
from pathlib import Path

import pytest
from checks import FULL
from tutorials import (
    COMMAND,
    DOCS,
    UPDATED,
    compare,
    compare_whole_page,
    output_of,
    prepare,
    write_page,
)

from tributary_explore.simulator import Simulator

pytestmark = pytest.mark.simulated

PAGE = DOCS / "tutorials" / "find-the-best-wait-buffer.md"
FIGURE = DOCS / "images" / "best_wait_buffer.svg"

NUMBER = re.compile(r" *-?\b\d+(\.\d+)?\b")
RULE = re.compile(r"^-+$", re.MULTILINE)
HOLLOW = re.compile(r"^.*: hollow in figures\n", re.MULTILINE)
TRAFFIC = '"interface.outstanding": 2'
FEW_CYCLES = f'{TRAFFIC}, "run.warmup": 50, "run.cycles": 150'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return prepare(tmp_path, PAGE)


def points_of(figure: str) -> set[str]:
    """The points that an SVG shows, with their numbers; how it draws them may change."""
    return set(re.findall(r'aria-label="([^";]+: [^";]+; [^"]+)"', figure))


def without_numbers(output: str) -> str:
    """The output with one sign for each number and each rule of a table."""
    return RULE.sub("---", NUMBER.sub(" #", output))


def test_commands_of_a_few_cycles_print_what_the_page_shows_but_the_numbers(
    folder: Path, simulator: Simulator
) -> None:
    sweep = folder / "wait-buffer.json"
    text = sweep.read_text()
    assert text.count(TRAFFIC) == 1
    sweep.write_text(text.replace(TRAFFIC, FEW_CYCLES))
    for block in COMMAND.finditer(PAGE.read_text()):
        # Of runs of a few cycles more have not settled.
        output = HOLLOW.sub("", output_of(block["command"], folder, simulator))
        compare(block, without_numbers(HOLLOW.sub("", block["output"])), without_numbers(output))
    figure = (folder / "wait-buffer.sweep" / "figures" / FIGURE.name).read_text()
    assert len(points_of(figure)) >= 8 * 5


@pytest.mark.skipif(
    not (FULL or UPDATED), reason="the page's own runs take half a minute; ./dev test --full"
)
def test_page_shows_what_its_commands_print(folder: Path, simulator: Simulator) -> None:
    page = PAGE.read_text()
    blocks = list(COMMAND.finditer(page))
    assert len(blocks) >= 6
    assert page.count("```sh") == len(blocks)
    printed = [output_of(block["command"], folder, simulator) for block in blocks]
    figure = (folder / "wait-buffer.sweep" / "figures" / FIGURE.name).read_text()
    if UPDATED:
        write_page(PAGE, printed)
        FIGURE.write_text(figure)
        return
    compare_whole_page(PAGE, printed)
    assert len(points_of(figure)) >= 8 * 5
    assert points_of(figure) == points_of(FIGURE.read_text())
