# SPDX-License-Identifier: Apache-2.0
"""Sources as slang reads them."""

from collections.abc import Sequence
from typing import Any

from pyslang import driver


def read_sources(words: Sequence[str]) -> Any:
    """The driver of slang with the files of a command line; None if it does not take them, which
    it reports."""
    run = driver.Driver()
    run.addStandardArgs()
    if not run.parseCommandLine("slang " + " ".join(f'"{word}"' for word in words)):
        return None
    if not (run.processOptions() and run.parseAllSources()):
        run.reportDiagnostics(True)
        return None
    return run
