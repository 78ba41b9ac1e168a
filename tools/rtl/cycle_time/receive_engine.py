# SPDX-License-Identifier: Apache-2.0
"""The table of the receive engine of a message interface, a section of the page of its RTL."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from common import markdown
from common.files import ROOT

from tributary_explore.errors import ExploreError
from tributary_explore.files import write_whole

from .circuits import Circuit, Library

PAGE: Final = ROOT / "docs/models/rtl/message_interface_receive.md"
_SECTION: Final = re.compile(r"(<!-- generated: synthesis -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def write_section(library: Library, page: Path) -> None:
    """Writes the table into the page. Raises `ExploreError` if the page has no place for it."""
    text, places = _SECTION.subn(
        lambda part: f"{part[1]}{table(library)}\n{part[3]}", page.read_text()
    )
    if places != 1:
        raise ExploreError(
            f"{page}: it has {places} sections <!-- generated: synthesis --> up to <!-- end -->; "
            "write one"
        )
    write_whole(page, text)


def table(library: Library) -> str:
    """A row for each size of the TLB."""
    head = (
        f"{library.name}: entries of the TLB | FO4 least | median | most | NAND2 least | from | to"
    )
    return markdown.table(head, map(_row, library.circuits))


def _row(circuit: Circuit) -> list[str]:
    fo4 = (f"{each:.1f}" for each in (circuit.fo4.low, circuit.fo4.median, circuit.fo4.most))
    path = (f"`{register}`" for register in circuit.fastest.path)
    return [str(circuit.parameters["translations"]), *fo4, f"{circuit.nand2.low:,.0f}", *path]
