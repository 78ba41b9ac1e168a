# SPDX-License-Identifier: Apache-2.0
"""Yosys as a library, for programs of their own: it prints what it does and keeps its memory."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Run = Callable[[str], None]


def new_design() -> tuple[Any, Run]:
    """A design, and what runs a command of yosys on it."""
    from pyosys import libyosys

    design = libyosys.Design()
    return design, lambda command: libyosys.run_pass(command, design)


def read_command(
    sources: Iterable[str], top: str, parameters: Mapping[str, object], options: str = ""
) -> str:
    """The command that reads SystemVerilog with slang."""
    values = "".join(f" -G {name}={value}" for name, value in parameters.items())
    defines = f"-D SYNTHESIS {options}".rstrip()
    return f"read_slang --threads 1 {defines} {' '.join(sources)} --top {top}{values}"
