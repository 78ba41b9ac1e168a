# SPDX-License-Identifier: Apache-2.0
"""Files and parts of pages that are generated: compared with what they should be, or written.

With TRIBUTARY_UPDATE_PAGES set in the environment they are written instead of compared.
"""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path

from common.files import ROOT


def _differs(path: Path, found: str, expected: str) -> bool:
    name = str(path.relative_to(ROOT))
    lines = difflib.unified_diff(
        found.splitlines(), expected.splitlines(), name, "generated", lineterm="", n=1
    )
    shown = [line[:200] for line in lines][:40]
    print("\n".join(shown), "\nwith TRIBUTARY_UPDATE_PAGES=1 this test writes it; read it then")
    return True


def is_stale(path: Path, text: str) -> bool:
    """Whether the file says something else than `text`; writes it where that is asked for."""
    found = path.read_text() if path.exists() else ""
    if found == text:
        return False
    if os.environ.get("TRIBUTARY_UPDATE_PAGES"):
        path.write_text(text)
        return False
    return _differs(path, found, text)


def is_section_stale(page: Path, name: str, text: str) -> bool:
    """The same for the part between `<!-- generated: NAME -->` and `<!-- end -->` of a page."""
    found = page.read_text()
    mark = re.escape(f"<!-- generated: {name} -->\n")
    pattern = re.compile(f"({mark})(.*?)(<!-- end -->)", re.DOTALL)
    if not pattern.search(found):
        print(f"{page.relative_to(ROOT)} has no section <!-- generated: {name} -->")
        return True
    return is_stale(page, pattern.sub(lambda part: part[1] + text + part[3], found))
