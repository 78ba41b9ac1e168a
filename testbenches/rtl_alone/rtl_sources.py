# SPDX-License-Identifier: Apache-2.0
"""The files of the RTL and what of them is linted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from common.files import ROOT, RTL, listed_sources

PAGES = ROOT / "docs" / "models" / "rtl"


def listed_files() -> list[Path]:
    """The RTL in the order of compilation, as rtl/tributary.f has it."""
    return [RTL / name for name in listed_sources()]


@dataclass(frozen=True)
class LintTop:
    """A module as the top, at one set of parameters, written NAME=VALUE."""

    module: str
    parameters: tuple[str, ...]


def lint_tops() -> list[LintTop]:
    """What lint_tops.txt lists."""
    lines = Path(__file__).with_name("lint_tops.txt").read_text().splitlines()
    rows = (line.split() for line in lines if line.strip() and not line.startswith("#"))
    return [LintTop(module, tuple(parameters)) for module, *parameters in rows]
