# SPDX-License-Identifier: Apache-2.0
"""Skips what needs a tool that is missing."""

import importlib.util
import shutil
from pathlib import Path

import pytest

_OSU018 = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")


@pytest.fixture(scope="session")
def synthesis_tools() -> None:
    """Yosys, OpenSTA and the library that Debian has."""
    if importlib.util.find_spec("pyosys") is None:
        pytest.skip("pyosys is missing; ./dev setup installs it")
    if shutil.which("sta") is None:
        pytest.skip("sta is missing; install Debian's package opensta")
    if not _OSU018.is_file():
        pytest.skip(f"{_OSU018} is missing; install Debian's package qflow-tech-osu018")
