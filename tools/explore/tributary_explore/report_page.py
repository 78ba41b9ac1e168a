# SPDX-License-Identifier: Apache-2.0
"""What the page of a sweep shows, before it is HTML: the context of templates/report.html."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .figures.figure import Figure, Undrawn
from .figures.save import svg_text
from .figures.theme import LIGHT
from .intervals import CONFIDENCE
from .measurements import Lacking, Measurements
from .paper_table import PaperRow, Verdict, paper_table
from .report_sources import (
    NOT_MEASURED,
    Number,
    Place,
    SourceBook,
    SourceGroup,
    SourceLine,
    name_of,
    without_stage,
)
from .report_tables import figure_place, number_table
from .store import PlannedPoint, PointState, RunRecord, Store
from .sweep_file import Experiment
from .text import (
    TOO_SHORT,
    duration_text,
    exact_text,
    number_text,
    percent_text,
    published_text,
    seeds_text,
    time_text,
    value_text,
)

View = dict[str, Any]

_PAPER = Place("paper", "Against the paper")
_LOG_LINES = 40
_HASH = 12  # digits, which tell any two points of a sweep apart
_FEW_FILES = 6
# Class of style, words, and a second line.
_VERDICTS = {
    Verdict.PASS: ("pass", "✓ pass", ""),
    Verdict.FAIL: ("fail", "✗ fail", ""),
    Verdict.CALIBRATED: ("calibrated", "calibrated", "not a prediction"),
    Verdict.CALIBRATION_FAILED: ("fail", "✗ off", "though calibrated"),
    Verdict.UNDECIDED: ("quiet", "undecided", "not steady"),
}
_STATES = {
    PointState.MISSING: "not run",
    PointState.BROKEN: "cut off",
    PointState.OTHER_VERSION: "of another version",
    PointState.FAILED: "failed",
    PointState.WHOLE: "newer than the table",
}


def make_page(
    store: Store,
    figures: Sequence[Figure | Undrawn],
    measurements: Measurements,
    published: Mapping[str, Any] | None,
    no_published: str,
    command: str,
    folder: Path,
) -> View:
    """The page of a sweep, as it will stand in `folder`.

    `no_published` says why there are no published numbers. Raises `ExploreError` if the sweep's
    folder lacks its plan or sweep file.
    """
    plan = store.plan()
    sweep = store.sweep()
    points = store.points()
    book = SourceBook(measurements)
    rows = paper_table(published, measurements.settings) if published else []
    paper = _paper(rows, book)
    derived = _derived(rows, book)
    views = _figures(figures, measurements, book, store.folder, folder)
    records = store.runs()
    return {
        "title": sweep.title,
        "description": sweep.description,
        "platform": measurements.platform,
        "version": plan["version"],
        "banners": _banners(points, measurements, views, no_published),
        "facts": _facts(points, measurements, rows, store, plan),
        "command": records[-1].command if records else plan["command"],
        "written_by": command,
        "runs": [_run(each) for each in records],
        "experiments": [
            _experiment(each, own)
            for each in sweep.experiments
            if (own := [point for point in points if point.experiment == each.name])
        ],
        "warnings": plan["warnings"],
        "sweep_text": sweep.text,
        "paper": paper,
        "figures": views,
        "lacking": _lacking(measurements.lacking),
        "hollow": _hollow(measurements),
        "sources": [_group(each, store, folder) for each in book.groups],
        "derived": derived,
        "confidence": f"{100 * CONFIDENCE:g}",
    }


def _run(record: RunRecord) -> View:
    return {
        "started": time_text(record.started),
        "command": record.command,
        "version": record.version,
        "wall_time": duration_text(record.seconds),
        "done": record.done,
        "failed": record.failed,
    }


def _banners(
    points: Sequence[PlannedPoint],
    measurements: Measurements,
    figures: Sequence[View],
    no_published: str,
) -> list[View]:
    """What a reader must know before any number."""
    banners = []
    lacking = measurements.lacking
    if lacking:
        failed = sum(each.failure is not None for each in lacking)
        others = len(lacking) - failed
        parts = [f"{failed} failed"] * bool(failed) + [f"{others} not run"] * bool(others)
        text = (
            f"This report is incomplete: {len(lacking)} of {len(points)} points have no result "
            f"({', '.join(parts)}). Figures, means and verdicts are made of the others."
        )
        banners.append(
            {"kind": "bad", "text": text, "link": "lacking", "link_text": "Which, and why"}
        )
    broken = sum(bool(each["problem"]) for each in figures)
    if broken:
        text = f"{broken} of {len(figures)} figures could not be drawn."
        banners.append(_banner("bad", text, "figures", "Why"))
    hollow = sum(bool(each.unsteady) for each in measurements.settings)
    if hollow:
        what = "1 point was" if hollow == 1 else f"{hollow} points were"
        text = (
            f"{what} {TOO_SHORT} in one seed or more. Drawn hollow and "
            "marked ○ in tables, such a point decides nothing."
        )
        banners.append(_banner("note", text, "hollow", "Which"))
    if no_published:
        text = f"There is no table against the paper: {no_published}"
        banners.append(_banner("note", text))
    return banners


def _banner(kind: str, text: str, link: str = "", link_text: str = "") -> View:
    return {"kind": kind, "text": text, "link": link, "link_text": link_text}


def _facts(
    points: Sequence[PlannedPoint],
    measurements: Measurements,
    rows: Sequence[PaperRow],
    store: Store,
    plan: Mapping[str, Any],
) -> list[View]:
    """The few lines that say what this is a report of."""
    done = len(points) - len(measurements.lacking)
    facts = [_fact("Points", f"{done}" if done == len(points) else f"{done} of {len(points)}")]
    agreeing, predictions = _score(rows)
    if predictions:
        facts.append(
            _fact("Agree with the paper", f"{agreeing} of {predictions}", "published numbers")
        )
    facts.append(_fact("Seeds", seeds_text([point.seed for point in points])))
    facts.append(_fact("Simulator", f"tributary {plan['version']}"))
    records = store.runs()
    if records:
        runs = f"in {len(records)} runs" if len(records) > 1 else ""
        facts.append(_fact("Wall time", duration_text(sum(each.seconds for each in records)), runs))
        date, _, time = time_text(records[-1].started).partition(" ")
        facts.append(_fact("Started", date, time))
    return facts


def _fact(name: str, value: str, note: str = "") -> View:
    return {"name": name, "value": value, "note": note}


def _experiment(experiment: Experiment, points: Sequence[PlannedPoint]) -> View:
    axes: dict[str, dict[str, None]] = {}
    for point in points:
        for name, value in point.coordinates.items():
            axes.setdefault(name, {})[value_text(value)] = None
    return {
        "name": experiment.name,
        "title": experiment.title,
        # A preset's name, or a file whose folder is nobody's concern.
        "base": Path(experiment.base).name,
        "series": [each for each in dict.fromkeys(point.series for point in points) if each],
        "axes": [(name, list(texts)) for name, texts in axes.items()],
        "fixed": [(name, value_text(value)) for name, value in experiment.fixed.items()],
        "seeds": seeds_text([point.seed for point in points]),
        "points": len(points),
    }


# --- the paper ------------------------------------------------------------------------------------


def _score(rows: Iterable[PaperRow]) -> tuple[int, int]:
    """How many predictions agree, of how many."""
    verdicts = [row.verdict for row in rows]
    agreeing = verdicts.count(Verdict.PASS)
    return agreeing, agreeing + verdicts.count(Verdict.FAIL)


def _paper(rows: Sequence[PaperRow], book: SourceBook) -> View | None:
    measured = [row for row in rows if row.verdict is not Verdict.NOT_MEASURED]
    if not measured:
        return None
    others = [row for row in rows if row.verdict is Verdict.NOT_MEASURED]
    return {
        "summary": _paper_summary(measured),
        "rows": [_paper_row(row, book) for row in measured],
        "not_measured": [
            {"id": row.id, "description": row.description, "source": row.source,
             "published": _published(row)}
            for row in others
        ],
    }  # fmt: skip


def _paper_summary(rows: Sequence[PaperRow]) -> str:
    agreeing, predictions = _score(rows)
    fitted = sum(row.calibrated and row.verdict is not Verdict.UNDECIDED for row in rows)
    text = f"{agreeing} of {predictions} published numbers agree with what was measured."
    undecided = sum(row.verdict is Verdict.UNDECIDED for row in rows)
    if undecided:
        verb = "are" if undecided > 1 else "is"
        text += (
            f" {undecided} more {verb} undecided, for want of a point that was steady in its time."
        )
    if fitted:
        text += (
            f" {fitted} more {'are calibrations' if fitted > 1 else 'is a calibration'}: an input "
            "of the model was fitted to it, so agreement is no prediction and counts as none."
        )
    return text


def _paper_row(row: PaperRow, book: SourceBook) -> View:
    verdict_class, verdict, verdict_note = _VERDICTS[row.verdict]
    return {
        "id": row.id,
        "description": row.description,
        "source": row.source,
        "rule": row.rule,
        "published": _published(row),
        "accepted": row.accepted,
        "measured": _measured(row, book),
        "deviation": "" if row.deviation is None else percent_text(row.deviation),
        "verdict": verdict,
        "verdict_note": verdict_note,
        "verdict_class": verdict_class,
    }


def _published(row: PaperRow) -> str:
    return "–" if row.value is None else published_text(row.value, row.unit)


def _measured(row: PaperRow, book: SourceBook) -> Number:
    """A derived number leads to its rule, and that to what it is made of."""
    if row.measured is None:
        return NOT_MEASURED
    if not row.rule:
        (operand,) = row.operands
        return book.number(operand.setting, operand.statistic, _PAPER)
    return Number(number_text(row.measured, row.unit), anchor=_derived_anchor(row))


def _derived_anchor(row: PaperRow) -> str:
    return f"source-{row.id}"


def _derived(rows: Iterable[PaperRow], book: SourceBook) -> list[View]:
    return [
        {
            "anchor": _derived_anchor(row),
            "id": row.id,
            "rule": row.rule,
            "value": exact_text(row.measured),
            "operands": [
                {"id": each.id, "number": book.number(each.setting, each.statistic, _PAPER)}
                for each in row.operands
            ],
        }
        for row in rows
        if row.rule and row.measured is not None
    ]


# --- figures --------------------------------------------------------------------------------------


def _figures(
    figures: Iterable[Figure | Undrawn],
    measurements: Measurements,
    book: SourceBook,
    sweep: Path,
    folder: Path,
) -> list[View]:
    return [
        _undrawn(f"undrawn-{number}", each)
        if isinstance(each, Undrawn)
        else _figure(each, measurements, book, sweep, folder)
        for number, each in enumerate(figures, start=1)
    ]


def _undrawn(id_: str, figure: Undrawn) -> View:
    return {
        "id": id_,
        "title": figure.title,
        "caption": "",
        "problem": str(figure.problem),
        "specification": "",
        "controls": [],
        "table": None,
    }


def _figure(
    figure: Figure, measurements: Measurements, book: SourceBook, sweep: Path, folder: Path
) -> View:
    # What a screen reader calls the drawing.
    specification = {**figure.specification(), "description": f"{figure.title}. {figure.caption}"}
    table = number_table(figure, measurements, book)
    return {
        "id": figure_place(figure).id,
        "name": figure.name,
        "title": figure.title,
        "caption": figure.caption,
        "problem": "",
        "specification": _json_in_html(specification),
        "panels": "spec" in specification or "concat" in specification,
        "svg": base64.b64encode(svg_text(figure, LIGHT).encode()).decode(),
        "svg_href": _href(sweep / "figures" / f"{figure.name}.svg", folder),
        "drawn_from": _drawn_from(figure, sweep, folder),
        "controls": [
            {
                "parameter": control.parameter,
                "title": control.title,
                "choices": [
                    {"value": value, "label": label}
                    for value, label in zip(control.values, control.labels, strict=True)
                ],
            }
            for control in figure.controls
        ],
        "table": table if table.columns else None,
    }


def _drawn_from(figure: Figure, sweep: Path, folder: Path) -> list[View]:
    """The statistics that a figure draws, with their files if these are few."""
    files: dict[str, dict[str, None]] = {}
    for source in figure.sources:
        own = files.setdefault(without_stage(source.statistic), {})
        own.update(dict.fromkeys(source.files))
    return [
        {
            "statistic": statistic,
            "count": len(own),
            "files": [
                {"hash": Path(file).parent.name[:_HASH], "href": _href(sweep / file, folder)}
                for file in own
                if len(own) <= _FEW_FILES
            ],
        }
        for statistic, own in files.items()
    ]


def _json_in_html(document: Any) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


# --- what is lacking, and sources -----------------------------------------------------------------


def _lacking(points: Sequence[Lacking]) -> View | None:
    if not points:
        return None
    return {
        "failed": [
            {
                "label": each.point.label,
                "command": each.failure.command,
                "exit_status": each.failure.exit_status,
                "wall_time": duration_text(each.failure.seconds),
                "log": "\n".join(each.failure.log.rstrip().splitlines()[-_LOG_LINES:]),
            }
            for each in points
            if each.failure is not None
        ],
        "others": [
            {"label": each.point.label, "state": _STATES[each.state]}
            for each in points
            if each.failure is None
        ],
    }


def _hollow(measurements: Measurements) -> list[View]:
    """The settings with a seed that was not steady in its time."""
    return [
        {
            "experiment": each.experiment,
            "name": name_of(each),
            "seeds": seeds_text(each.unsteady),
            "of": len(each.runs),
        }
        for each in measurements.settings
        if each.unsteady
    ]


def _group(group: SourceGroup, store: Store, folder: Path) -> View:
    column = group.column
    return {
        "title": group.title,
        "unit": "" if column.unit == "1" else column.unit,
        "description": column.description,
        "lines": [_line(each, column.unit, store, folder) for each in group.lines],
    }


def _line(line: SourceLine, unit: str, store: Store, folder: Path) -> View:
    measured = line.setting.mean(line.path)
    return {
        "anchor": line.anchor,
        "experiment": line.setting.experiment,
        "name": name_of(line.setting, line.path),
        "mean": "" if measured is None else number_text(measured[0], unit),
        "files": [
            {
                "seed": run.point.seed,
                "hollow": run.point.seed in line.setting.unsteady,
                "value": exact_text(value),
                "hash": run.point.hash[:_HASH],
                "href": _href(store.folder / run.file, folder),
            }
            for run in line.setting.runs
            if (value := run.values.get(line.path)) is not None
        ],
        "place": line.place.id,
        "place_title": line.place.title,
    }


def _href(file: Path, folder: Path) -> str:
    """How a page in `folder` links to a file."""
    return quote(Path(os.path.relpath(file, folder)).as_posix())
