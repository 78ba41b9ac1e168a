# SPDX-License-Identifier: Apache-2.0
"""Blocks that ABC has mapped, kept in a folder.

Most circuits share blocks, the wait and reverse queues above all, and ABC takes most of the time. A
block is found again by its content and by all that is told of it, so what is kept is what would be
made again; and circuits that share a block differ in the others only.
"""

import contextlib
import fcntl
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from common.files import write_whole
from common.programs import version_of

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


@dataclass(frozen=True)
class Block:
    """A module, and how it becomes cells."""

    rtlil: str
    """As `content` gives it."""
    ports: Sequence[str]
    """Those of the modules in it, which stay as they are: RTLIL too."""
    techmap: str | None
    """The pass that replaces words by gates; None if there are no words any more."""
    abc: str
    """Options of the pass; a script that they name is in the folder that is given below."""
    constraint: str
    """What drives inputs and loads outputs, for ABC."""
    liberty: Sequence[str]
    dont_use: Sequence[str]


def mapped_block(block: Block, blocks: Path, folder: Path) -> Path:
    """The file in `blocks` with what `map_block` makes of a block, made now if it is not there.

    `folder` is for passing files. Points that run at the same time often share their largest block:
    the second waits until the first has made it.
    """
    kept = blocks / f"{_digest(block, folder)}.il"
    blocks.mkdir(parents=True, exist_ok=True)
    with _alone(kept.with_suffix(".lock")):
        if kept.exists():
            return kept
        (folder / "block.json").write_text(json.dumps(asdict(block)))
        # A process of its own, because what yosys makes of a module depends on all that it has
        # seen before.
        subprocess.run([sys.executable, "-B", "-m", "synthesis.map_block", str(folder)], check=True)
        write_whole(kept, (folder / "mapped.il").read_bytes())
    return kept


@contextlib.contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Until no other process is in it with this file, which stays."""
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # given back when the file is closed, by a kill too
        yield


def _digest(block: Block, folder: Path) -> str:
    told = asdict(block)
    told["abc"] = block.abc.replace(str(folder), "")
    told["script"] = [file.read_text() for file in sorted(folder.glob("*.abc"))]
    told["liberty"] = [
        hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in block.liberty
    ]
    told["program"] = Path(__file__).with_name("map_block.py").read_text()
    told["yosys"] = version_of("pyosys")
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:32]
