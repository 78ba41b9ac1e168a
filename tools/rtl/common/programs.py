# SPDX-License-Identifier: Apache-2.0
"""Programs that are started, several at once, and that end with us."""

import contextlib
import importlib.metadata
import importlib.util
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from .errors import ToolError

T = TypeVar("T")
_lock = threading.Lock()
_running: set[int] = set()
_ended = threading.Event()
INSTALL = "./dev setup installs it (cmake/rtl-requirements.txt)"


@dataclass(frozen=True)
class Ran:
    """How a program ended, and all that it printed."""

    status: int
    output: str
    cpu_seconds: float
    limited: bool  # it has had all its time

    @property
    def tail(self) -> str:
        return "\n".join(self.output.splitlines()[-8:])


def run(
    command: Sequence[str | Path],
    folder: Path | None = None,
    log: Path | None = None,
    limit: int | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
    enough: Callable[[str], bool] = lambda line: False,
) -> Ran:
    """Runs a program; each of its processes has `limit` seconds of a processor. What it prints goes
    to `log` too. Ends it after a line that is enough, and if we are to end before it does."""
    with _lock:
        if _ended.is_set():
            raise ToolError("ended")
        process = subprocess.Popen(
            list(map(str, command)),
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        _running.add(process.pid)
    if limit is not None:
        with contextlib.suppress(ProcessLookupError):  # it may have ended
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (limit, limit + 5))
    lines = []
    assert process.stdout is not None
    try:
        with process.stdout:
            for line in process.stdout:
                lines.append(line)
                if enough(line):
                    _end(process.pid)
    except BaseException:
        _end(process.pid)
        raise
    finally:
        with _lock:
            _running.remove(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if _ended.is_set():
        # Its status is that of our signal, from which nobody may conclude.
        raise ToolError("ended")
    output = "".join(lines)
    if log is not None:
        log.write_text(output)
    seconds = usage.ru_utime + usage.ru_stime
    # The kernel's count and this one differ a little.
    over = limit is not None and seconds > limit - 1
    limited = over or process.returncode == -signal.SIGXCPU
    return Ran(process.returncode, output, seconds, limited)


def _end(process: int) -> None:
    """Ends its session. Some have started others in sessions of their own, and end these then."""
    with contextlib.suppress(ProcessLookupError):  # it may have ended
        os.killpg(process, signal.SIGTERM)


def end_running() -> None:
    """Ends what `run` has started, whichever thread waits for it, and lets nothing start."""
    with _lock:
        _ended.set()
        for process in _running:
            _end(process)


def in_parallel(work: Iterable[Callable[[], T]], jobs: int) -> list[T]:
    """The results in the order of the work, `jobs` at once. After an error nothing more starts, and
    what runs is ended."""
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(each) for each in work]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_running()
            raise


def say(line: str) -> None:
    print(line, flush=True)


def run_main(name: str, main: Callable[[], int]) -> None:
    """Ends with the status of `main`, or with the words of its error."""
    # By an exception, so that the programs that were started end too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(f"{name}: ended"))
    try:
        sys.exit(main())
    except ToolError as error:
        sys.exit(f"{name}: {error}")
    except KeyboardInterrupt:
        sys.exit(f"{name}: interrupted; what is done is kept")


def version_of(package: str) -> str:
    """Raises `ToolError` if the Python package is missing."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise ToolError(f"no {package}; {INSTALL}") from None


def abc_program() -> Path:
    """ABC of pyosys. Raises `ToolError` if that is missing."""
    version_of("pyosys")
    spec = importlib.util.find_spec("pyosys")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "yosys-abc"
