# SPDX-License-Identifier: Apache-2.0
"""What is made of a sweep's results: figures as files, the report, the table against the paper."""

from collections.abc import Sequence
from pathlib import Path

from .errors import ExploreError
from .figures import make_all, save_svg
from .figures.figure import Figure, Undrawn
from .flatten import MARKS
from .measurements import read_measurements
from .paper_table import paper_summary, paper_table
from .published_file import read_published
from .report import write_report
from .results import Results
from .simulator import Simulator
from .table import identifier
from .text import TOO_SHORT


def draw_figures(results: Results) -> tuple[list[Figure], list[ExploreError]]:
    """Every figure of the sweep that can be drawn, and why the others cannot."""
    return _parted(make_all(results.store.sweep(), results))


def write_outputs(results: Results, report: Path, command: str) -> list[ExploreError]:
    """Writes the report, and figures/*.svg next to the folder's own; says what could not be drawn.

    Figures of an earlier plan are removed.
    """
    figures = make_all(results.store.sweep(), results)
    drawn, problems = _parted(figures)
    if report == results.store.report_file:
        folder = results.folder / "figures"
        files = {folder / f"{figure.name}.svg": figure for figure in drawn}
        for path, figure in files.items():
            save_svg(figure, path)
        for stale in set(folder.glob("*.svg")) - files.keys():
            stale.unlink()
    write_report(results.store, results, report, command, figures=figures)
    return problems


def paper_text(results: Results) -> str:
    """How many published numbers agree with those measured here; empty if there are none."""
    measurements = read_measurements(results.store, results)
    try:
        published = read_published(Simulator.find().published_files(measurements.platforms))
    except ExploreError:  # results may be looked at where the simulator is not installed
        return ""
    return paper_summary(paper_table(published, measurements.settings))


def unsteady_text(results: Results) -> str:
    """How many points were not steady in their time, for a terminal; empty if all were."""
    known = [mark for mark in MARKS if mark in results.statistics]
    if not known:
        return ""
    marked = " OR ".join(f"{identifier(mark)} = 0" for mark in known)
    points = "SELECT DISTINCT experiment, series, point FROM results"
    count = len(results.sql(f"{points} WHERE {marked}").rows)
    if count == 0:
        return ""
    subject = "1 point was" if count == 1 else f"{count:,} points were"
    return f"{subject} {TOO_SHORT}: hollow in figures"


def _parted(figures: Sequence[Figure | Undrawn]) -> tuple[list[Figure], list[ExploreError]]:
    drawn = [each for each in figures if isinstance(each, Figure)]
    return drawn, [each.problem for each in figures if isinstance(each, Undrawn)]
