# SPDX-License-Identifier: Apache-2.0
"""Programs that are started and that end with us, and the version of yosys."""

import importlib.metadata
import os
import signal
import subprocess


def end_with_us(process: "subprocess.Popen[bytes]") -> int:
    """Waits for a process that leads a session of its own; its exit status.

    If we are to end before it does, it is ended with all that it has started.
    """
    try:
        return process.wait()
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise


def yosys_version() -> str:
    """Of pyosys, which brings yosys and ABC; "none" if it is missing."""
    try:
        return importlib.metadata.version("pyosys")
    except importlib.metadata.PackageNotFoundError:
        return "none"
