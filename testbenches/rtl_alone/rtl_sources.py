# SPDX-License-Identifier: Apache-2.0
"""The files of the RTL and what of them is linted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl"
PAGES = ROOT / "docs" / "models" / "rtl"


def lines_of(path: Path, comment: str) -> list[str]:
    """The lines of a list, without comments and empty lines."""
    lines = (line.strip() for line in path.read_text().splitlines())
    return [line for line in lines if line and not line.startswith(comment)]


def listed_files() -> list[Path]:
    """The RTL in the order of compilation, as rtl/tributary.f has it."""
    return [RTL / name for name in lines_of(RTL / "tributary.f", "//")]


@dataclass(frozen=True)
class LintTop:
    """A module as the top, at one set of parameters, written NAME=VALUE."""

    module: str
    parameters: tuple[str, ...]


def lint_tops() -> list[LintTop]:
    """What lint_tops.txt lists."""
    rows = (line.split() for line in lines_of(Path(__file__).with_name("lint_tops.txt"), "#"))
    return [LintTop(module, tuple(parameters)) for module, *parameters in rows]
