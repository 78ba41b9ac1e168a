# SPDX-License-Identifier: Apache-2.0
"""Questions to a sweep's table in SQL.

There are three views. `results` is the table: a row for each point and seed. `summary` has a row
for each point: its parameters, the number `seeds`, and over them of each statistic the mean, under
the statistic's name, and half the width of the 0.95 confidence interval, `NAME.half_width`, NULL
for a single seed. `units` has for each column `name`, `unit`, `description`, `kind` and `type`.
"""

import difflib
import html
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from .configuration import PROCESSORS
from .errors import ExploreError
from .flatten import Column
from .intervals import student_quantile
from .table import columns_of, identifier, literal

HALF_WIDTH = ".half_width"
"""Ends the name of a confidence interval's column in `summary`."""

_NUMBERS = ("BIGINT", "DOUBLE")


@dataclass(frozen=True)
class Rows:
    """What a query answers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def records(self) -> list[dict[str, Any]]:
        """Each row as a dictionary by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def column(self, name: str) -> list[Any]:
        """The values of one column. Raises `ExploreError` if there is none of the name."""
        if name not in self.columns:
            raise ExploreError(f"there is no column {name} (there are {', '.join(self.columns)})")
        position = self.columns.index(name)
        return [row[position] for row in self.rows]

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        lines = [_html_row("th", self.columns), *(_html_row("td", row) for row in self.rows)]
        return f"<table>{''.join(lines)}</table>"


def json_values(value: Any) -> Any:
    """The same as JSON can say it: null for what is no finite number, numbers for decimals."""
    if isinstance(value, dict):
        return {name: json_values(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [json_values(each) for each in value]
    if isinstance(value, Decimal):
        value = float(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def answer(table: Path, sql: str) -> Rows:
    """What a table answers to one SELECT, or another statement that only reads.

    Raises `ExploreError` if SQL is wrong, with the names of columns near what was written.
    """
    columns = columns_of(table)
    try:
        with _connect(table, columns, sql) as connection:
            connection.execute(_reading(sql, columns))
            described = connection.description or []
            rows = tuple(connection.fetchall())
    except duckdb.Error as problem:
        raise _explained(problem, sql, columns) from problem
    names = tuple(str(each[0]) for each in described)
    return Rows(names, rows)


def _connect(table: Path, columns: Sequence[Column], sql: str) -> duckdb.DuckDBPyConnection:
    """A database in memory with the views that SQL may ask for, which reaches no file but the
    table."""
    connection = duckdb.connect()
    connection.execute(f"SET allowed_paths = [{literal(str(table.resolve()))}]")
    connection.execute("SET enable_external_access = false")
    connection.execute(
        "CREATE VIEW numbered_results AS "
        f"FROM read_parquet({literal(str(table.resolve()))}, file_row_number = true)"
    )
    connection.execute(
        "CREATE VIEW results AS SELECT * EXCLUDE (file_row_number) FROM numbered_results"
    )
    connection.execute(_units_view(columns))
    # Making the view of hundreds of means takes longer than most answers.
    words = sql.lower()
    if "summary" in words or "results" not in words:
        _add_summary(connection, columns)
    connection.execute("SET lock_configuration = true")
    return connection


def _add_summary(connection: duckdb.DuckDBPyConnection, columns: Sequence[Column]) -> None:
    seeds = connection.execute(
        "SELECT max(n) FROM (SELECT count(*) AS n FROM results GROUP BY experiment, series, point)"
    ).fetchone()
    assert seeds is not None
    quantiles = ", ".join(str(student_quantile(n) or "NULL") for n in range(seeds[0] + 1))
    connection.execute(f"SET VARIABLE student_quantiles = [{quantiles}]::DOUBLE[]")
    connection.execute(_summary_view(columns))


def _units_view(columns: Sequence[Column]) -> str:
    rows = (
        ", ".join(map(literal, (each.name, each.unit, each.description, each.kind, each.type)))
        for each in columns
    )
    values = ", ".join(f"({row})" for row in rows)
    return f"CREATE VIEW units AS FROM (VALUES {values}) AS v(name, unit, description, kind, type)"


def _summary_view(columns: Sequence[Column]) -> str:
    parts = ["point", "experiment", "series"]
    parts += [
        f"any_value({identifier(c.name)}) AS {identifier(c.name)}"
        for c in columns
        if c.kind == "parameter" or c.name in ("platform", "version", PROCESSORS)
    ]
    parts.append("count(*) AS seeds")
    for column in columns:
        if column.kind == "statistic" and column.type in _NUMBERS:
            name = identifier(column.name)
            parts.append(f"avg({name}) AS {name}")
            parts.append(
                f"stddev_samp({name}) / sqrt(count({name})) "
                # Lists begin at 1, the quantiles with that of no sample.
                f"* getvariable('student_quantiles')[count({name}) + 1] "
                f"AS {identifier(column.name + HALF_WIDTH)}"
            )
    return (
        f"CREATE VIEW summary AS SELECT {', '.join(parts)} FROM numbered_results "
        "GROUP BY experiment, series, point ORDER BY min(file_row_number)"
    )


def _reading(sql: str, columns: Sequence[Column]) -> str:
    """The statement, if it is one and only reads."""
    try:
        statements = duckdb.extract_statements(sql)
    except duckdb.Error as problem:
        raise _explained(problem, sql, columns) from problem
    reading = (duckdb.StatementType.SELECT, duckdb.StatementType.MULTI)  # the latter: PIVOT
    if len(statements) != 1 or statements[0].type not in reading:
        raise ExploreError(
            "a query is one statement that reads, such as SELECT * FROM results; this is not: "
            f"{sql}"
        )
    return statements[0].query


def _explained(problem: duckdb.Error, sql: str, columns: Sequence[Column]) -> ExploreError:
    """DuckDB's message, with the columns that may have been meant."""
    lines = [
        line
        for line in str(problem).splitlines()
        if line and not line.startswith(("Candidate bindings", "Candidate tables"))
    ]
    names = [each.name for each in columns]
    found = re.search(r'(?:column|table|alias) (?:named )?"?([\w.]+)"?', lines[0])
    unquoted = [
        name for name in names if "." in name and re.search(rf'(?<![\w".]){re.escape(name)}\b', sql)
    ]
    if unquoted:
        lines.append(
            f"write names with dots in double quotes: {', '.join(map(identifier, unquoted))}"
        )
    elif isinstance(problem, duckdb.BinderException) and found:
        close = near(found[1], names)
        if close:
            lines.append(f"names near it: {', '.join(map(identifier, close))}")
        lines.append("SELECT * FROM units lists all columns; text is written in single quotes")
    return ExploreError("\n".join(["the query is wrong: " + lines[0], *lines[1:]]))


def near(name: str, names: Iterable[str]) -> list[str]:
    """Up to five names that contain, or are written almost as, the one given."""
    wanted = name.lower()
    names = list(names)
    inside = [each for each in names if wanted in each]
    return list(dict.fromkeys(inside + difflib.get_close_matches(wanted, names, n=5)))[:5]


def _html_row(cell: str, values: Iterable[Any]) -> str:
    cells = (f"<{cell}>{html.escape(str(value))}</{cell}>" for value in values)
    return f"<tr>{''.join(cells)}</tr>"
