# SPDX-License-Identifier: Apache-2.0
"""The version of results: the project's, and a digest of all that decides them.

Numbers of another RTL, flow or tool are thus seen to be of another version, and repeated instead of
mixed. Comments and docstrings decide nothing.
"""

import ast
import hashlib
import re
from pathlib import Path

from common import yosys
from common.errors import ToolError
from common.files import ROOT, RTL, listed_sources
from common.programs import version_of

from . import TOPS, timing

_HERE = Path(__file__).resolve().parent

# The modules of this package that decide numbers; what only reads and writes is left out.
_DECIDING = (
    "blocks",
    "circuits",
    "libraries",
    "map_block",
    "mapped_blocks",
    "netlist",
    "point",
    "recipes",
    "results",
    "timing",
)


def version() -> str:
    """Such as 0.1.0+1a2b3c4d5e6f."""
    content = hashlib.sha256()
    for file in [*(RTL / name for name in listed_sources()), *sorted(TOPS.glob("*.sv"))]:
        content.update(_without_comments(file).encode())
    for file in [Path(yosys.__file__), *(_HERE / f"{name}.py" for name in _DECIDING)]:
        content.update(_without_docstrings(file.read_text(encoding="utf-8")).encode())
    content.update(f"{_yosys_version()} {timing.version()}".encode())
    return f"{_project_version()}+{content.hexdigest()[:12]}"


def _yosys_version() -> str:
    """Of pyosys, which brings yosys and ABC; "none" if it is missing."""
    try:
        return version_of("pyosys")
    except ToolError:
        return "none"


def _without_docstrings(program: str) -> str:
    """Nor comments: what is left is for comparing, not for running."""
    tree = ast.parse(program)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [
                each
                for each in node.body
                if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
            ]
    return ast.unparse(tree)


def _without_comments(file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    return " ".join(re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL).split())


def _project_version() -> str:
    found = re.search(r"project\(tributary VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    if found is None:
        raise ToolError(
            "CMakeLists.txt does not name the project's version as project(tributary VERSION ...)"
        )
    return found[1]
