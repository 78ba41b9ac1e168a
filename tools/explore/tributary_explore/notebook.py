# SPDX-License-Identifier: Apache-2.0
"""Sweeps run from Python, with what the command line asks for as defaults."""

from pathlib import Path

from . import engine
from .errors import ExploreError
from .plan import make_plan
from .progress import RunProgress
from .results import Results, open_results
from .simulator import Simulator
from .store import Store
from .sweep_file import Sweep


def run_sweep(
    sweep: Sweep,
    folder: Path | str | None = None,
    *,
    cores: int | None = None,
    simulator: Simulator | None = None,
    progress: RunProgress | None = None,
) -> Results:
    """Runs the points of a sweep that have no result yet, and opens all results.

    `folder` is NAME.sweep in the current folder if not given; `cores` are jobs at a time, all of
    the machine if not given. Raises `ExploreError` for what `make_plan` refuses, if another run is
    in progress in the folder, and, after all others have been run, if a point failed: what there
    is can then be had by `open_results`.
    """
    program = simulator or Simulator.find()
    planned = make_plan(sweep, program)
    store = Store(Path(folder if folder is not None else f"{sweep.name}.sweep"))
    options = engine.RunOptions(command="tributary_explore.run_sweep", cores=cores)
    summary = engine.run_sweep(planned, store, program, options, progress)
    if summary.failed:
        raise ExploreError(
            f"{len(summary.failed)} of {len(planned.points)} points failed, the first of them "
            f"{summary.failed[0]}\nthe others are whole: open_results({str(store.folder)!r}) "
            "opens them, and running the sweep again tries what failed"
        )
    return open_results(store.folder)
