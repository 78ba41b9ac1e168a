# SPDX-License-Identifier: Apache-2.0
"""docs/tutorials/your-own-topology.md does what it says.

The files of the page are written, its commands run one after another in one folder, and what they
print is compared with the blocks that follow them. With TRIBUTARY_UPDATE_PAGES=1 blocks and figures
are written anew.
"""

import re
import sys
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

PAGE = DOCS / "tutorials" / "your-own-topology.md"
CURVES = DOCS / "images" / "hall_under_load.svg"
MAP = DOCS / "images" / "hall_map.svg"


@pytest.fixture
def folder(tmp_path: Path, simulator: Simulator) -> Path:
    prepare(tmp_path, PAGE)
    for name, program in (("tributary", simulator.program), ("python", sys.executable)):
        file = tmp_path / "bin" / name
        file.write_text(f'#!/bin/sh\nexec "{program}" "$@"\n')
        file.chmod(0o755)
    return tmp_path


def told_of(figure: str) -> set[str]:
    """What an SVG tells of its marks; how it draws them may change."""
    return set(re.findall(r'aria-label="([^";]+: [^";]+; [^"]+)"', figure))


def test_the_page_shows_what_its_commands_print(folder: Path, simulator: Simulator) -> None:
    page = PAGE.read_text()
    blocks = list(COMMAND.finditer(page))
    assert len(blocks) == page.count("```sh") == 5
    printed = [output_of(block["command"], folder, simulator) for block in blocks]
    curves = (folder / "load.sweep" / "figures" / CURVES.name).read_text()
    drawn = (folder / "hall-map.svg").read_text()
    if UPDATED:
        write_page(PAGE, printed)
        CURVES.write_text(curves)
        MAP.write_text(drawn)
        return
    compare_whole_page(PAGE, printed)
    for made, shown, least in ((curves, CURVES, 2 * 5), (drawn, MAP, 2 * 32)):
        assert len(told_of(made)) >= least
        assert told_of(made) == told_of(shown.read_text())
