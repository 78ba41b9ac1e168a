# SPDX-License-Identifier: Apache-2.0
"""What is made of a sweep's results: figures as files, the report, the table against the paper."""

from collections.abc import Sequence
from pathlib import Path

from .errors import ExploreError
from .figures import make_all, save_svg
from .figures.figure import Figure, Undrawn
from .flatten import STEADY
from .measurements import read_measurements
from .paper_table import PaperRow, Verdict, paper_table
from .published_file import read_published
from .report import write_report
from .results import Results
from .simulator import Simulator
from .table import identifier
from .text import TOO_SHORT, number_text, percent_text, published_text
from .text_table import text_table


def draw_figures(results: Results) -> tuple[list[Figure], list[ExploreError]]:
    """Every figure of the sweep that can be drawn, and why the others cannot."""
    return _parted(make_all(results.store.sweep(), results))


def write_outputs(results: Results, report: Path, command: str) -> list[ExploreError]:
    """Writes the report, and figures/*.svg beside the folder's own; says what could not be drawn.

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
    """Published numbers beside those measured here, for a terminal; empty if there are none."""
    measurements = read_measurements(results.store, results)
    try:
        published = read_published(Simulator.find().published_files(measurements.platforms))
    except ExploreError:  # results may be looked at where the simulator is not installed
        return ""
    table = paper_table(published, measurements.settings)
    rows = [row for row in table if row.verdict is not Verdict.NOT_MEASURED]
    if not rows:
        return ""
    head = ("", "published", "measured", "deviation", "accepted", "", "what")
    return text_table(head, map(_cells, rows))


def unsteady_text(results: Results) -> str:
    """How many points were not steady in their time, for a terminal; empty if all were."""
    if STEADY not in results.statistics:
        return ""
    points = "SELECT DISTINCT experiment, series, point FROM results"
    count = len(results.sql(f"{points} WHERE {identifier(STEADY)} = 0").rows)
    if count == 0:
        return ""
    what = "1 point was" if count == 1 else f"{count:,} points were"
    return f"{what} {TOO_SHORT}: hollow in figures, and deciding nothing"


def _parted(figures: Sequence[Figure | Undrawn]) -> tuple[list[Figure], list[ExploreError]]:
    drawn = [each for each in figures if isinstance(each, Figure)]
    return drawn, [each.problem for each in figures if isinstance(each, Undrawn)]


def _cells(row: PaperRow) -> tuple[str, ...]:
    number = row.number
    return (
        number.id,
        "" if number.value is None else published_text(number.value, number.unit),
        "" if row.measured is None else number_text(row.measured, number.unit),
        "" if row.deviation is None else percent_text(row.deviation),
        number.accepted,
        row.verdict.value,
        number.description.partition(";")[0],  # the report has the remarks, and the source
    )
