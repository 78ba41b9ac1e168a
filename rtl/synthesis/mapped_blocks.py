# SPDX-License-Identifier: Apache-2.0
"""Blocks that ABC has mapped, kept in a folder.

Most circuits share blocks, the reverse queues above all, and ABC takes most of the time. A block is
found again by its content and by all that ABC is told, so what is kept is what ABC would make.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from .files import write_whole

# Names that yosys makes up have numbers that depend on what else is in the design.
_MADE_UP = re.compile(r"\$[^\s\[\]]+")
_CELL = re.compile(r"(\s*cell \S+ )(.*)")


def content(rtlil: str) -> str:
    """What of a module's RTLIL decides what ABC makes of it: without where it was written, and with
    the made-up names numbered as they come."""
    numbers: dict[str, str] = {}

    def numbered(text: str) -> str:
        return _MADE_UP.sub(lambda name: numbers.setdefault(name[0], f"${len(numbers)}"), text)

    lines = []
    for line in rtlil.splitlines():
        if line.startswith(("#", "autoidx ")) or "attribute \\src " in line:
            continue
        # The type of a cell is no made-up name, though it may look like one.
        cell = _CELL.fullmatch(line)
        lines.append(cell[1] + numbered(cell[2]) if cell else numbered(line))
    return "\n".join(lines)


def map_block(
    run: Callable[[str], None],
    module: str,
    command: str,
    told: Sequence[str],
    blocks: Path,
    folder: Path,
) -> None:
    """Runs ABC's `command` on a module of the design, or takes from `blocks` what it made before.

    `told` is everything that decides what the command does; `folder` is for passing files.
    """
    before, after = folder / "before.il", folder / "after.il"
    run(f"select {module}")
    run(f"write_rtlil -selected {before}")
    digest = hashlib.sha256("\0".join([*told, content(before.read_text())]).encode())
    kept = blocks / f"{digest.hexdigest()[:32]}.il"
    if not kept.exists():
        run(command)
        run(f"write_rtlil -selected {after}")
        write_whole(kept, after.read_bytes())
    # What was just made is read again too, so that a netlist does not depend on which it was.
    run("select -clear")
    run(f"delete {module}")
    run(f"read_rtlil {kept}")
