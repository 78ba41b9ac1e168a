# SPDX-License-Identifier: Apache-2.0
"""The version of results: the project's, and a digest of all that decides them.

Numbers of another RTL, flow or tool are thus seen to be of another version, and repeated instead of
mixed; blocks that did not change are found again (mapped_blocks.py).
"""

import hashlib
import re
from pathlib import Path

from common import yosys
from common.errors import ToolError
from common.files import ROOT, RTL, listed_sources
from common.programs import version_of

from . import TOPS, timing


def version() -> str:
    """Such as 0.1.0+1a2b3c4d5e6f."""
    content = hashlib.sha256()
    rtl = [*(RTL / name for name in listed_sources()), *sorted(TOPS.glob("*.sv"))]
    flow = [Path(yosys.__file__), *sorted(Path(__file__).parent.glob("*.py"))]
    for file in [*rtl, *flow]:
        content.update(file.read_bytes())
    content.update(f"{_yosys_version()} {timing.version()}".encode())
    return f"{_project_version()}+{content.hexdigest()[:12]}"


def _yosys_version() -> str:
    """Of pyosys, which brings yosys and ABC; "none" if it is missing."""
    try:
        return version_of("pyosys")
    except ToolError:
        return "none"


def _project_version() -> str:
    found = re.search(r"project\(tributary VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert found is not None
    return found[1]
