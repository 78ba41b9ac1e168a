# SPDX-License-Identifier: Apache-2.0
"""The results of a sweep, as a notebook or a figure uses them."""

from pathlib import Path
from typing import Any

from . import query
from .query import Rows
from .store import Failure, PlannedPoint, Store
from .table import build_table, columns_of


def open_results(folder: Path | str) -> "Results":
    """The results that there are in a sweep's folder, whole points only.

    Brings results.parquet up to date before. Raises `ExploreError` that names the file and what to
    do if the folder holds no sweep or no result yet, or a result that is cut off or of another
    version.
    """
    store = Store(Path(folder))
    return Results(store, build_table(store))


class Results:
    """The table of a sweep as it was when opened.

    The views that SQL sees are described at `tributary_explore.query`; the columns in
    docs/formats/results.md, "A sweep's table".
    """

    def __init__(self, store: Store, table: Path) -> None:
        """Of a folder and the table that `build_table` made in it."""
        self.store = store
        self.table_file = table
        """Parquet, for other programs: `duckdb.read_parquet`, `polars.read_parquet` ..."""
        self.columns = columns_of(table)
        """Name, kind, type, unit and description of each column of `results`."""
        self.parameters = self._names("parameter")
        """The columns that are parameters, by dotted name: `network.processing_elements`."""
        self.statistics = self._names("statistic")
        """The columns that are statistics, by flat path: `interface.latency.mean`."""
        self.units = {each.name: each.unit for each in self.columns}
        """The unit of each column, "1" for ratios, empty for what is no quantity."""

    def _names(self, kind: str) -> tuple[str, ...]:
        return tuple(each.name for each in self.columns if each.kind == kind)

    def __repr__(self) -> str:
        return f"Results({str(self.folder)!r})"

    @property
    def folder(self) -> Path:
        """The folder of the sweep."""
        return self.store.folder

    def sql(self, sql: str) -> Rows:
        """Answers one statement that reads. Raises `ExploreError` if it is wrong."""
        return query.answer(self.table_file, sql)

    def rows(self) -> list[dict[str, Any]]:
        """Every row of `results`, one for each point and seed in the order of the sweep."""
        return self.sql("FROM results").records()

    def summary(self) -> list[dict[str, Any]]:
        """Every row of `summary`, one for each point, with means and half widths over seeds."""
        return self.sql("FROM summary").records()

    @property
    def failures(self) -> list[tuple[PlannedPoint, Failure]]:
        """The points that failed when they were last tried, and why; they have no row."""
        tried = ((point, self.store.failure(point)) for point in self.store.points())
        return [(point, failure) for point, failure in tried if failure is not None]
