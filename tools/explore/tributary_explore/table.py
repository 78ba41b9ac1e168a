# SPDX-License-Identifier: Apache-2.0
"""The table of a sweep, results.parquet: one row for each point and seed.

Its columns are described in docs/formats/results.md, "A sweep's table".
"""

import atexit
import errno
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from .errors import ExploreError
from .files import NotWrittenError, write_whole
from .flatten import NO_TYPE, Column, Columns, flatten, matcher, merge
from .simulator import Simulator
from .store import PlannedPoint, Store
from .sweep_file import nearest

TABLE_SCHEMA = "tributary.table/1"
_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


@dataclass(frozen=True)
class _Selection:
    """What goes into the table."""

    version: str
    points: list[tuple[PlannedPoint, tuple[str, ...]]]
    """Those with a result, each with the patterns of its statistics."""
    planned: list[PlannedPoint]
    sources: str
    """Changes whenever one of the files changes that the table is made from."""


def build_table(store: Store) -> Path:
    """Makes results.parquet of all points that have a result, unless it is up to date.

    In the sweep's folder; of one that may only be read, in a passing folder.

    The units of parameters come from the simulator, if one of the sweep's version is found. Raises
    `ExploreError` if the folder holds no sweep or no result yet, for a result that is cut off, of
    another configuration, schema or version, for a pattern that names no statistic, and if the
    table cannot be written.
    """
    selection = _select(store)
    if metadata(store.table_file).get("sources") == selection.sources:
        return store.table_file
    if not selection.points:
        raise ExploreError(
            f"{store.folder} has no result yet of {len(selection.planned)} points planned; run "
            "the sweep, or see why its points failed, by tributary-explore run"
        )
    try:
        with tempfile.TemporaryDirectory(prefix="tributary-") as scratch:
            parameters = _parameters(selection.version)
            content = _make(store, selection, parameters, Path(scratch))
    except (OSError, duckdb.IOException) as problem:
        raise no_scratch(problem) from problem
    try:
        write_whole(store.table_file, content)
    except NotWrittenError as problem:
        if problem.number not in _READ_ONLY:
            raise
        return _passing_table(content)
    return store.table_file


def _passing_table(content: bytes) -> Path:
    """The table of a folder that may only be read, as long as this process lives."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="tributary-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        table = folder / "results.parquet"
        table.write_bytes(content)
    except OSError as problem:
        raise no_scratch(problem) from problem
    return table


def metadata(table: Path) -> dict[str, str]:
    """What the Parquet file says of itself; empty if it is missing or not such a table.

    Keys: schema, version (of the simulator), sources, and columns, a JSON array.
    """
    if not table.is_file():
        return {}
    try:
        with duckdb.connect() as connection:
            rows = connection.execute(
                "SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [str(table)]
            ).fetchall()
    except duckdb.Error:
        return {}
    found = {str(key).removeprefix("tributary."): str(value) for key, value in rows}
    return found if found.get("schema") == TABLE_SCHEMA else {}


def columns_of(table: Path) -> tuple[Column, ...]:
    """The columns of a table that `build_table` made, in their order.

    Raises `ExploreError` if it is none, or is no longer there.
    """
    told = metadata(table)
    if "columns" not in told:
        raise ExploreError(f"{table} is missing or no table of a sweep; open the results again")
    return tuple(Column(**each) for each in json.loads(told["columns"]))


def no_scratch(problem: OSError | duckdb.Error) -> ExploreError:
    """The error for what is on its way to a file and found no place until it is whole."""
    number = re.search(r'"errno":"(\d+)"', str(problem))
    reason = os.strerror(int(number[1])) if number else str(problem)
    if isinstance(problem, OSError) and problem.strerror:
        reason = problem.strerror
    return ExploreError(
        f"{tempfile.gettempdir()}, the folder for temporary files, cannot be written: {reason}; "
        "make room or name another in TMPDIR"
    )


def literal(text: str) -> str:
    """A text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def _select(store: Store) -> _Selection:
    document = store.plan()
    planned = [PlannedPoint(**each) for each in document["points"]]
    patterns = {each.name: each.statistics for each in store.sweep().experiments}
    digest = hashlib.sha256()
    digest.update(json.dumps([TABLE_SCHEMA, document["version"], patterns]).encode())
    chosen = []
    for point in planned:
        try:
            status = store.result_file(point).stat()
        except OSError:
            continue
        chosen.append((point, patterns.get(point.experiment, ())))
        seen = (point.experiment, point.series, point.hash, status.st_size, status.st_mtime_ns)
        digest.update(json.dumps(seen).encode())
    return _Selection(document["version"], chosen, planned, digest.hexdigest())


def _parameters(version: str) -> dict[str, Mapping[str, Any]]:
    """Unit and description of each parameter, as far as a simulator of the version is there."""
    try:
        simulator = Simulator.find()
        if simulator.version != version:
            return {}
        # Of two platforms with a parameter of one name, the usual one tells.
        return {
            each["name"]: each
            for platform in reversed(simulator.platforms)
            for each in simulator.describe(platform)["parameters"]
        }
    except ExploreError:
        return {}


def _make(
    store: Store,
    selection: _Selection,
    parameters: Mapping[str, Mapping[str, Any]],
    scratch: Path,
) -> bytes:
    """The content of results.parquet."""
    rows, written = scratch / "rows.json", scratch / "results.parquet"
    columns = _write_rows(store, selection, rows)
    _check_patterns(store, selection, columns)
    ordered = [_finished(each, parameters) for each in _in_order(columns)]
    _write_parquet(ordered, rows, written, selection)
    return written.read_bytes()


def _write_rows(store: Store, selection: _Selection, rows: Path) -> Columns:
    """Writes a JSON object a line. Returns the columns of all.

    Raises `ExploreError` that names the file if a result is not whole, not the point's or of
    another version of the simulator.
    """
    columns: Columns = {}
    with rows.open("w") as lines:
        for planned, patterns in selection.points:
            result = store.result(planned)
            file = store.result_file(planned)
            if result["version"] != selection.version:
                raise ExploreError(
                    f"{file} is of version {result['version']} of the simulator, the sweep of "
                    f"{selection.version}, and numbers of two versions are not mixed; repeat it by "
                    "tributary-explore run --rerun-other-versions"
                )
            relative = file.relative_to(store.folder).as_posix()
            row, own = flatten(result, planned, relative, patterns)
            merge(columns, own)
            lines.write(json.dumps(row, separators=(",", ":")) + "\n")
    return columns


def _check_patterns(store: Store, selection: _Selection, columns: Columns) -> None:
    """A pattern that names nothing is a slip, once all of the points are there to tell."""
    if len(selection.points) < len(selection.planned):
        return
    names = [each.name for each in columns.values() if each.kind == "statistic"]
    for pattern in {each: None for _, patterns in selection.points for each in patterns}:
        if not any(map(matcher((pattern,)), names)):
            raise ExploreError(
                f'{store.sweep_file}: "statistics" has {pattern}, which no result has'
                f"{nearest(pattern, names)}; tributary run NAME --out DIR shows in results.json "
                "which there are"
            )


def _in_order(columns: Columns) -> list[Column]:
    """Keys, parameters, statistics; names that differ in numbers together, stage 9 before 10."""
    kinds = ("key", "parameter", "statistic")
    first: dict[str, int] = {}
    for position, name in enumerate(columns):
        first.setdefault(re.sub(r"\d+", "#", name), position)

    def place(column: Column) -> tuple[int, int, list[int]]:
        numbers = [int(each) for each in re.findall(r"\d+", column.name)]
        return kinds.index(column.kind), first[re.sub(r"\d+", "#", column.name)], numbers

    return sorted(columns.values(), key=place)


def _finished(column: Column, parameters: Mapping[str, Mapping[str, Any]]) -> Column:
    """With the unit of a parameter, and a type even if no point has a value."""
    typed = replace(column, type=column.type.replace(NO_TYPE, "DOUBLE"))
    if column.kind != "parameter" or column.name not in parameters:
        return typed
    known = parameters[column.name]
    return replace(typed, unit=known["unit"], description=known["description"])


def _write_parquet(
    columns: Sequence[Column], rows: Path, written: Path, selection: _Selection
) -> None:
    types = [f"{literal(each.name)}: {literal(each.type)}" for each in columns]
    names = ", ".join(identifier(each.name) for each in columns)
    told = {
        "schema": TABLE_SCHEMA,
        "version": selection.version,
        "sources": selection.sources,
        "columns": json.dumps([asdict(each) for each in columns]),
    }
    says = ", ".join(f"{literal('tributary.' + key)}: {literal(told[key])}" for key in told)
    # What memory does not hold goes there too, not into the folder of whoever started it.
    spill = str(written.parent / "spill")
    with duckdb.connect(config={"temp_directory": spill}) as connection:
        connection.execute(
            f"COPY (SELECT {names} FROM read_json({literal(str(rows))}, "
            f"format = 'newline_delimited', columns = {{{', '.join(types)}}})) "
            f"TO {literal(str(written))} "
            f"(FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{says}}})"
        )
