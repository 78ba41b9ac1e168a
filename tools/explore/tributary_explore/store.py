# SPDX-License-Identifier: Apache-2.0
"""The folder of a sweep: its plan, and each point's result or failure."""

import json
import zlib
from dataclasses import asdict, dataclass, fields
from enum import Enum
from pathlib import Path
from typing import Any

from .errors import ExploreError
from .files import write_whole
from .plan import Plan, Point, PointName, configuration_hash
from .simulator import trace_file
from .sweep_file import Sweep, parse_sweep

SUFFIX = ".sweep"
"""Ends the name of a sweep's folder, unless another is asked for."""
PLAN_SCHEMA = "tributary.plan/1"
RESULTS_SCHEMA = "tributary.results/1"
_BEFORE_SUM = b',\n  "checksum": "crc32:'


class PointState(Enum):
    """What the folder has of a point."""

    MISSING = "missing"
    WHOLE = "whole"
    BROKEN = "broken"
    """A result that is cut off, partial, or of another configuration."""
    OTHER_VERSION = "of another version"
    FAILED = "failed"


@dataclass(frozen=True)
class Failure:
    """Why a point has no result."""

    command: str
    exit_status: int | None
    """None if it is not known, as the job that ran the point was killed."""
    log: str
    """End of what the simulator wrote."""
    seconds: float


@dataclass(frozen=True, kw_only=True)
class PlannedPoint(PointName):
    """A point as plan.json lists it."""

    hash: str


@dataclass(frozen=True)
class RunRecord:
    """One call of the program that ran points of the sweep."""

    command: str
    version: str
    """Of the simulator."""
    started: str
    """UTC, as 2026-01-31T12:00:00+00:00."""
    seconds: float
    done: int
    """Points simulated by it."""
    failed: int


_AnyPoint = Point | PlannedPoint


class Store:
    """The folder of a sweep. Nothing is made in it before something is written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plan_file = folder / "plan.json"
        self.sweep_file = folder / "sweep.json"
        self.runs_file = folder / "runs.json"
        self.table_file = folder / "results.parquet"
        self.report_file = folder / "report.html"
        self.work_folder = folder / "work"
        """Scratch of runs; may be deleted while none is under way."""
        self.journal_file = self.work_folder / "journal.jsonl"
        """How long points took, for the estimate of those to come."""

    def point_folder(self, point: _AnyPoint) -> Path:
        return self.folder / "points" / point.hash[:2] / point.hash

    def result_file(self, point: _AnyPoint) -> Path:
        return self.point_folder(point) / "results.json"

    def trace_files(self, point: _AnyPoint) -> list[Path]:
        """Those that figures draw; few points have any."""
        return [trace_file(self.point_folder(point), each) for each in point.traces]

    def failure_file(self, point: _AnyPoint) -> Path:
        return self.point_folder(point) / "failure.json"

    def log_file(self, point: _AnyPoint) -> Path:
        """All that the simulator wrote; only of a point that failed."""
        return self.point_folder(point) / "run.log"

    def state(self, point: _AnyPoint, version: str) -> PointState:
        """What there is of a point, seen by the simulator of a version."""
        if not all(file.exists() for file in (self.result_file(point), *self.trace_files(point))):
            failed = self.failure_file(point).exists()
            return PointState.FAILED if failed else PointState.MISSING
        try:
            result = self.result(point)
        except ExploreError:
            return PointState.BROKEN
        return PointState.WHOLE if result["version"] == version else PointState.OTHER_VERSION

    def result(self, point: _AnyPoint) -> dict[str, Any]:
        """The point's results.json. Raises `ExploreError` if it is not whole or not the point's."""
        return read_result(self.result_file(point), point.hash)

    def failure(self, point: _AnyPoint) -> Failure | None:
        """Why the point failed when it was tried last; None if it did not."""
        file = self.failure_file(point)
        try:
            return Failure(**json.loads(file.read_bytes()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as problem:
            raise ExploreError(f"{file} cannot be read: {problem}; delete it") from problem

    def write_failure(self, point: _AnyPoint, failure: Failure) -> None:
        """Writes failure.json, for `failure` to read."""
        write_whole(self.failure_file(point), json.dumps(asdict(failure), indent=2) + "\n")

    def write_plan(self, plan: Plan, version: str, command: str) -> None:
        """Writes sweep.json and plan.json."""
        names = [field.name for field in fields(PointName)]
        points = [
            {"hash": point.hash, **{name: getattr(point, name) for name in names}}
            for point in plan.points
        ]
        document = {
            "schema": PLAN_SCHEMA,
            "version": version,
            "command": command,
            "sweep": plan.sweep.name,
            "warnings": plan.warnings,
            "points": points,
        }
        write_whole(self.sweep_file, plan.sweep.text)
        write_whole(self.plan_file, json.dumps(document, indent=1) + "\n")

    def write_run_file(self, point: Point) -> Path:
        """Writes what the simulator reads for this point."""
        file = self.point_folder(point) / "run.json"
        document = {"platform": point.platform, "title": point.label, **point.configuration}
        write_whole(file, json.dumps(document, indent=1) + "\n")
        return file

    def plan(self) -> dict[str, Any]:
        """plan.json. Raises `ExploreError` if the folder holds no sweep."""
        try:
            document = json.loads(self.plan_file.read_bytes())
        except FileNotFoundError as problem:
            raise ExploreError(
                f"{self.folder} is no folder of a sweep, as it has no plan.json; name the folder "
                "that tributary-explore run wrote"
            ) from problem
        except (OSError, ValueError) as problem:
            raise ExploreError(
                f"{self.plan_file} cannot be read: {problem}; run the sweep again"
            ) from problem
        if (
            not isinstance(document, dict)
            or document.get("schema") != PLAN_SCHEMA
            or not document.keys() >= {"version", "command", "sweep", "points"}
        ):
            raise ExploreError(
                f"{self.plan_file} lacks the schema {PLAN_SCHEMA}; it is of another version of "
                "this program: run the sweep again in a new folder"
            )
        return document

    def record_run(self, record: RunRecord) -> None:
        """Adds a run to runs.json."""
        records = [asdict(each) for each in [*self.runs(), record]]
        write_whole(self.runs_file, json.dumps(records, indent=1) + "\n")

    def runs(self) -> list[RunRecord]:
        """The runs that made the results, oldest first; none if runs.json is missing."""
        try:
            return [RunRecord(**each) for each in json.loads(self.runs_file.read_bytes())]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError) as problem:
            raise ExploreError(
                f"{self.runs_file} cannot be read: {problem}; delete it"
            ) from problem

    def points(self) -> list[PlannedPoint]:
        """The points of plan.json. Raises `ExploreError` as `plan` does."""
        try:
            return [PlannedPoint(**each) for each in self.plan()["points"]]
        except TypeError as problem:
            raise ExploreError(
                f"{self.plan_file} lists points as this program does not; run the sweep again"
            ) from problem

    def sweep(self) -> Sweep:
        """The sweep as it was run. Raises `ExploreError` if the folder holds none."""
        name = self.plan()["sweep"]
        try:
            text = self.sweep_file.read_text(encoding="utf-8")
        except OSError as problem:
            raise ExploreError(
                f"{self.sweep_file} cannot be read: {problem.strerror}; run the sweep again"
            ) from problem
        # A file of one experiment gives it its own name, which is that of the file as it was run.
        return parse_sweep(text, self.sweep_file.with_name(f"{name}.json"))


def read_result(file: Path, expected_hash: str) -> dict[str, Any]:
    """A results.json. Raises `ExploreError` if it is not whole or of another point."""
    reason = "run the sweep again, which repeats this point"
    try:
        content = file.read_bytes()
        document: dict[str, Any] = json.loads(content)
    except OSError as problem:
        raise ExploreError(f"{file} cannot be read: {problem.strerror}; {reason}") from problem
    except ValueError as problem:
        raise ExploreError(f"{file} is cut off or no JSON: {problem}; {reason}") from problem
    if fault := _damage(content) or _fault(document, expected_hash):
        raise ExploreError(f"{file} {fault}; {reason}")
    return document


def _damage(content: bytes) -> str:
    """Whether the checksum is another than that of the bytes before it; empty if it fits.

    A result without one passes: it is of an older version, or another program wrote it anew.
    """
    text, found, rest = content.rpartition(_BEFORE_SUM)
    if not found or rest == b'%08x"\n}\n' % zlib.crc32(text):
        return ""
    return "is damaged or was edited, as its checksum is another"


def _fault(document: Any, expected_hash: str) -> str:
    """What keeps a result from being the whole one of a point; empty if nothing does."""
    if not isinstance(document, dict) or document.get("schema") != RESULTS_SCHEMA:
        return f"lacks the schema {RESULTS_SCHEMA}"
    if not isinstance(document.get("version"), str):
        return "does not say the version of its simulator"
    if document.get("partial") is not False:
        return "is of a run that was interrupted"
    try:
        (point,) = document["points"]
        (run,) = point["runs"]
        found = configuration_hash(document["platform"], point["configuration"], run["seed"])
    except (KeyError, TypeError, ValueError):
        return "is not of one point and one seed"
    return "" if found == expected_hash else "is of another configuration than its folder's name"
