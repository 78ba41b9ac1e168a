# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/platforms/flash.md are what its sweeps draw.

With TRIBUTARY_UPDATE_PAGES=1 they are written anew.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checks import FULL
from tutorials import DOCS, UPDATED

pytestmark = pytest.mark.simulated

PAGE = (DOCS / "platforms" / "flash.md").read_text()
SHOWN = {
    "flash_figure517": ["figure517"],
    "flash_figure518": ["figure518"],
    "flash_figure519": ["figure519-source", "figure519-destination"],
    "flash_figure520": ["figure520"],
}
LONG = ("flash_figure518", "flash_figure519", "flash_figure520")
"""Whose runs take some ten seconds."""


def marks_of(figure: str) -> set[str]:
    """What an SVG shows, with its numbers; how it draws them may change."""
    return set(re.findall(r'aria-label="([^";]+: [^";]+; [^"]+)"', figure))


@pytest.mark.parametrize("sweep", SHOWN)
def test_the_page_shows_what_the_sweep_draws(
    sweep: str, explore: Callable[..., Any], tmp_path: Path
) -> None:
    if sweep in LONG and not (FULL or UPDATED):
        pytest.skip("the runs take long; ./dev test --full")
    done = explore("run", sweep, "--out", "out", "--cores", "2")
    assert done.returncode == 0, done.stderr
    for name in SHOWN[sweep]:
        drawn = (tmp_path / "out" / "figures" / f"{name}.svg").read_text()
        shown = DOCS / "images" / f"flash-{name}.svg"
        if UPDATED:
            shown.write_text(drawn)
        assert len(marks_of(drawn)) > 5
        assert marks_of(drawn) == marks_of(shown.read_text()), f"{shown}; TRIBUTARY_UPDATE_PAGES=1"


def test_the_page_tells_how_to_draw_each_picture() -> None:
    for sweep, names in SHOWN.items():
        assert f"./dev explore run {sweep}" in PAGE
        assert all(f"](../images/flash-{name}.svg)" in PAGE for name in names)
