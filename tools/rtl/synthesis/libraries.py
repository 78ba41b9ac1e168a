# SPDX-License-Identifier: Apache-2.0
"""The libraries of standard cells: their files, and what is read from them."""

import gzip
import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from common.errors import ToolError
from common.files import write_whole

from . import CACHE

FOLDER_VARIABLE = "TRIBUTARY_LIBERTY"
_OSU018 = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")


@dataclass(frozen=True)
class Library:
    """A library as the flow uses it."""

    name: str
    files: tuple[str, ...]
    driver: str
    """The buffer that ABC takes to drive what comes from outside, thus the flip-flops."""
    inverter: tuple[str, str, str]
    """Of double strength, of which the fan-out-of-four chain is: cell, input and output. That of
    single strength is unlike its larger ones in some libraries."""
    nand2: str
    """Whose area is the unit of area."""
    flip_flop: tuple[str, str]
    """Cell and data pin: what an output of the logic has to drive."""
    tie_high: tuple[str, str] | None = None
    tie_low: tuple[str, str] | None = None
    """Cell and pin of the constants, where a constant in the netlist has no cell by itself."""
    dont_use: tuple[str, ...] = ()
    """Cells for clocks, scan and power, and those too weak to drive a net."""


LIBRARIES: Mapping[str, Library] = {
    each.name: each
    for each in (
        Library(
            "osu018", (str(_OSU018),), "BUFX4", ("INVX2", "A", "Y"), "NAND2X1", ("DFFPOSX1", "D")
        ),
        Library(
            "sky130",
            ("sky130hd_tt.lib",),
            "sky130_fd_sc_hd__buf_4",
            ("sky130_fd_sc_hd__inv_2", "A", "Y"),
            "sky130_fd_sc_hd__nand2_1",
            ("sky130_fd_sc_hd__dfxtp_1", "D"),
            tie_high=("sky130_fd_sc_hd__conb_1", "HI"),
            tie_low=("sky130_fd_sc_hd__conb_1", "LO"),
            dont_use=("sky130_fd_sc_hd__probe*", "sky130_fd_sc_hd__lpflow*"),
        ),
        Library(
            "ihp130",
            ("ihp_sg13g2_typ.lib",),
            "sg13g2_buf_4",
            ("sg13g2_inv_2", "A", "Y"),
            "sg13g2_nand2_1",
            ("sg13g2_dfrbp_1", "D"),
        ),
        Library(
            "asap7",
            (
                "asap7_SIMPLE_RVT_SS_nldm_211120.lib",
                "asap7_INVBUF_RVT_SS_nldm_220122.lib",
                "asap7_AO_RVT_SS_nldm_211120.lib",
                "asap7_OA_RVT_SS_nldm_211120.lib",
                "asap7_SEQ_RVT_SS.lib",
            ),
            "BUFx4_ASAP7_75t_R",
            ("INVx2_ASAP7_75t_R", "A", "Y"),
            "NAND2xp5_ASAP7_75t_R",
            ("DFFHQNx1_ASAP7_75t_R", "D"),
            dont_use=("*x1p*", "*xp*", "SDF*", "ICG*", "DLL*", "DFFLQN*"),
        ),
    )
}


class Cells:
    """A library with its files at hand."""

    def __init__(self, library: Library) -> None:
        """Finds and unpacks the files. Raises `ToolError` that says what to do."""
        self.library = library
        self.files = [_found(library, name) for name in library.files]

    @cached_property
    def digest(self) -> str:
        """Of the contents, so that results of other data are seen to be of other data."""
        content = hashlib.sha256()
        for file in self.files:
            content.update(file.read_bytes())
        return content.hexdigest()[:12]

    @cached_property
    def areas(self) -> Mapping[str, float]:
        """Area of each cell, in the library's unit, µm²."""
        areas: dict[str, float] = {}
        for file in self.files:
            areas |= _areas(file)
        return areas

    @cached_property
    def nand2_area(self) -> float:
        area = self.areas.get(self.library.nand2, 0.0)
        if area <= 0:
            raise ToolError(
                f"{self.files[0]}: cell {self.library.nand2} has no area; take the file that "
                f"library {self.library.name} is known by"
            )
        return area

    @cached_property
    def load(self) -> float:
        """Capacitance of a flip-flop's data pin in femtofarads, as ABC wants it."""
        cell, pin = self.library.flip_flop
        for file in self.files:
            text = _text(file)
            unit = _LOAD_UNIT.search(text)
            start = re.search(rf'\bcell\s*\(\s*"?{cell}"?\s*\)', text)
            found = start and re.compile(
                rf'\bpin\s*\(\s*"?{pin}"?\s*\)[^}}]*?\bcapacitance\s*:\s*"?([0-9.eE+-]+)'
            ).search(text, start.end())
            if unit and found:
                femtofarads = {"ff": 1.0, "pf": 1000.0}[unit[2].lower()]
                return float(f"{float(found[1]) * float(unit[1]) * femtofarads:.6g}")
        raise ToolError(
            f"library {self.library.name}: no capacitance of pin {pin} of cell {cell}; take the "
            "files that the library is known by"
        )


def cells(name: str) -> Cells:
    """The library of a name."""
    return Cells(LIBRARIES[name])


def _found(library: Library, name: str) -> Path:
    if library.name == "osu018":
        if not Path(name).is_file():
            raise ToolError(
                f"library osu018: {name} is missing; install Debian's package qflow-tech-osu018"
            )
        return Path(name)
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        raise ToolError(
            f"library {library.name}: {FOLDER_VARIABLE} is not set; set it to the folder that has "
            f"{name} or {name}.gz, or take library osu018, which Debian has"
        )
    plain, packed = Path(folder) / name, Path(folder) / f"{name}.gz"
    if plain.is_file():
        return plain.resolve()
    if packed.is_file():
        return _unpacked(packed, name)
    raise ToolError(
        f"library {library.name}: {FOLDER_VARIABLE} = {folder} has neither {name} nor {name}.gz; "
        "put the file there or name another folder"
    )


def _unpacked(packed: Path, name: str) -> Path:
    """The content, in a cache, as OpenSTA reads no gzip."""
    content = packed.read_bytes()
    file = CACHE / "liberty" / hashlib.sha256(content).hexdigest()[:16] / name
    if not file.is_file():
        try:
            write_whole(file, gzip.decompress(content))
        except (OSError, EOFError) as problem:
            raise ToolError(f"{packed} cannot be unpacked: {problem}; fetch it again") from problem
    return file


_LOAD_UNIT = re.compile(
    r'capacitive_load_unit\s*\(\s*"?([0-9.]+)"?\s*,\s*"?([fp]f)"?\s*\)', re.IGNORECASE
)
_CELL_OR_AREA = re.compile(
    r'^[ \t]*(?:cell\s*\(\s*"?(\w+)"?\s*\)|area\s*:\s*"?([0-9.eE+-]+)"?[ \t]*;?[ \t]*$)',
    re.MULTILINE,
)


def _areas(file: Path) -> dict[str, float]:
    """The areas in a Liberty file, in which each cell names its own once."""
    areas: dict[str, float] = {}
    cell = None
    for match in _CELL_OR_AREA.finditer(_text(file)):
        if match[1]:
            cell = match[1]
        elif cell is not None and cell not in areas:
            areas[cell] = float(match[2])
    if not areas:
        raise ToolError(f"{file}: no cell has an area; it is no Liberty file of cells")
    return areas


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")
