# SPDX-License-Identifier: Apache-2.0
"""docs/tutorials/should-i-dedicate-a-core.md does what it says.

The files of the page are written, its commands run one after another in one folder, and what they
print is compared with the blocks that follow them. With TRIBUTARY_UPDATE_PAGES=1 blocks and figure
are written anew.
"""

import re
from pathlib import Path

import pytest
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

PAGE = DOCS / "tutorials" / "should-i-dedicate-a-core.md"
FIGURE = DOCS / "images" / "should_i_dedicate.svg"


def points_of(figure: str) -> set[str]:
    """The points that an SVG shows, with their numbers; how it draws them may change."""
    return set(re.findall(r'aria-label="([^";]+: [^";]+; [^"]+)"', figure))


def test_the_page_shows_what_its_commands_print(tmp_path: Path, simulator: Simulator) -> None:
    folder = prepare(tmp_path, PAGE)
    page = PAGE.read_text()
    blocks = list(COMMAND.finditer(page))
    assert len(blocks) == page.count("```sh") == 4
    printed = [output_of(block["command"], folder, simulator) for block in blocks]
    figure = (folder / "dedicate.sweep" / "figures" / FIGURE.name).read_text()
    if UPDATED:
        write_page(PAGE, printed)
        FIGURE.write_text(figure)
        return
    compare_whole_page(PAGE, printed)
    assert len(points_of(figure)) >= 8 * 4
    assert points_of(figure) == points_of(FIGURE.read_text())
