# SPDX-License-Identifier: Apache-2.0
"""Sources as slang reads them."""

from collections.abc import Sequence
from typing import Any


def read_sources(words: Sequence[str]) -> Any:
    """The driver of slang with the files of a command line; None if it does not take them, which
    it reports."""
    from pyslang import driver

    run = driver.Driver()
    run.addStandardArgs()
    if not run.parseCommandLine("slang " + " ".join(f'"{word}"' for word in words)):
        return None
    if not (run.processOptions() and run.parseAllSources()):
        run.reportDiagnostics(True)
        return None
    return run


def module_body(module: str, words: Sequence[str]) -> Any:
    """The members of a module as the top, of the files and parameters of a command line. Raises
    `ValueError` if slang does not take them."""
    run = read_sources(["--top", module, *words])
    if run is None:
        raise ValueError(f"slang does not take the files of {module}")
    return run.createCompilation().getRoot().topInstances[0].body
