# SPDX-License-Identifier: Apache-2.0
"""Programs that are started, several at once, and that end with us."""

import contextlib
import importlib.metadata
import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from .errors import ToolError

T = TypeVar("T")
_running: set[subprocess.Popen[str]] = set()
INSTALL = "./dev setup installs it (cmake/rtl-requirements.txt)"


def run(
    command: Sequence[str | Path],
    folder: Path | None = None,
    log: Path | None = None,
    timeout: float | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> tuple[int, str]:
    """Runs a program; its exit status and all that it printed, which goes to `log` too.

    If we are to end before it does, it is ended with all that it has started.
    """
    with subprocess.Popen(
        list(map(str, command)),
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        _running.add(process)
        try:
            output, _ = process.communicate(timeout=timeout)
        except BaseException:
            _end(process)
            raise
        finally:
            _running.discard(process)
    if log is not None:
        log.write_text(output)
    return process.returncode, output


def _end(process: "subprocess.Popen[str]") -> None:
    with contextlib.suppress(ProcessLookupError):  # it may have ended
        os.killpg(process.pid, signal.SIGKILL)


def end_running() -> None:
    """Ends what `run` has started, whichever thread waits for it."""
    for process in list(_running):
        _end(process)


def in_parallel(
    work: Iterable[Callable[[], T]], jobs: int, stop: Callable[[], object] = end_running
) -> list[T]:
    """The results in the order of the work, `jobs` at once. After an error nothing more starts, and
    `stop` is called to end what runs."""
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(each) for each in work]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            stop()
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
