# SPDX-License-Identifier: Apache-2.0
"""Blocks that ABC has mapped, kept in a folder.

Most circuits share blocks, the wait and reverse queues above all, and ABC takes most of the time. A
block is found again by its content and by all that ABC is told, so what is kept is what ABC would
make.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from .files import write_whole

# Names that yosys makes up have numbers that depend on what else is in the design.
_MADE_UP = re.compile(r"\$[^\s\[\]]+")
_CELL = re.compile(r"(\s*cell \S+ )(.*)")
# That are strings say where something comes from.
_ORIGIN = re.compile(r'\s*attribute \S+ ".*')


def content(rtlil: str) -> str:
    """A module's RTLIL without what depends on the rest of the design: where it was written, the
    numbers in made-up names, and the order of all but its cells."""
    numbers: dict[str, str] = {}

    def numbered(line: str) -> str:
        # The type of a cell is no made-up name, though it may look like one.
        cell = _CELL.fullmatch(line)
        kept, names = (cell[1], cell[2]) if cell else ("", line)
        return kept + _MADE_UP.sub(
            lambda name: numbers.setdefault(name[0], f"${len(numbers)}"), names
        )

    header, *items, end = _items(rtlil)
    kinds: dict[str, list[list[str]]] = {"cell": [], "wire": [], "connect": []}
    for item in items:
        kinds[_word(next(line for line in item if _word(line) != "attribute"))].append(item)

    def texts(those: Sequence[Sequence[str]]) -> list[str]:
        return ["\n".join(map(numbered, item)) for item in those]

    # Names get their numbers in the cells.
    cells = texts(kinds["cell"])
    wires, connections = sorted(texts(kinds["wire"])), sorted(texts(kinds["connect"]))
    parts = [*header, *wires, *cells, *connections, *end]
    return "\n".join(parts) + "\n"


def _word(line: str) -> str:
    return line.split(maxsplit=1)[0] if line.strip() else "#"


def _items(rtlil: str) -> Iterator[list[str]]:
    """The lines of a module, of each of its wires, cells and connections, with its attributes, and
    the last one."""
    item: list[str] = []
    in_cell = False
    for line in rtlil.splitlines():
        word = _word(line)
        if word.startswith("#") or word == "autoidx" or _ORIGIN.fullmatch(line):
            continue
        item.append(line)
        in_cell = in_cell or word == "cell"
        if word != "attribute" and (not in_cell or word == "end"):
            yield item
            item, in_cell = [], False


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
    run("select -clear")
    found = content(before.read_text())
    digest = hashlib.sha256("\0".join([*told, found]).encode())
    kept = blocks / f"{digest.hexdigest()[:32]}.il"
    if not kept.exists():
        # ABC sees the content, so that what it makes does not depend on the design either.
        before.write_text(found)
        run(f"delete {module}")
        run(f"read_rtlil {before}")
        run(f"select {module}")
        run(command)
        run(f"write_rtlil -selected {after}")
        run("select -clear")
        write_whole(kept, after.read_bytes())
    # What was just made is read again too, so that a netlist does not depend on which it was.
    run(f"delete {module}")
    run(f"read_rtlil {kept}")
