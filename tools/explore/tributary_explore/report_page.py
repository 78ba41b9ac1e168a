# SPDX-License-Identifier: Apache-2.0
"""What the page of a sweep shows, before it is HTML: the context of templates/report.html.

The template writes numbers, times and names by the functions of `text`.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .answer import Answer, answer_of, key_figure
from .figures.data import title_of
from .figures.figure import Figure, Undrawn
from .figures.save import svg_text
from .figures.theme import LIGHT
from .flatten import any_stage
from .intervals import CONFIDENCE
from .measurements import Measurements
from .paper_table import (
    PaperGroup,
    PaperRow,
    Verdict,
    paper_groups,
    paper_summary,
    paper_table,
    score,
)
from .published_file import Published
from .report_tables import Number, number_of, number_table
from .store import PlannedPoint, PointState, Store
from .text import duration_text, number_text, seeds_text, time_text

View = dict[str, Any]

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
    published: Sequence[Published],
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
    rows = paper_table(published, measurements.settings)
    views = [
        _undrawn(number, each) if isinstance(each, Undrawn) else _figure(each, measurements)
        for number, each in enumerate(figures, start=1)
    ]
    key = key_figure(figures)
    answer = None if key is None else answer_of(key, measurements)
    records = store.runs()
    lacking = list({each.point.hash: each for each in measurements.lacking}.values())
    return {
        "title": sweep.title,
        "description": sweep.description,
        "platform": measurements.platform,
        "version": plan["version"],
        "points": {each.hash for each in points},
        "no_published": no_published,
        "verdict": _verdict(rows, answer),
        "answer": answer,
        "key_facts": _key_facts(rows, answer),
        "facts": _facts(points, len(lacking), store, plan),
        "command": records[-1].command if records else plan["command"],
        "written_by": command,
        "runs": records,
        "experiments": [
            each
            for each in sweep.experiments
            if any(setting.experiment == each.name for setting in measurements.settings)
        ],
        "warnings": plan["warnings"],
        "sweep_text": sweep.text,
        "paper": _paper(rows, measurements),
        "figures": views,
        "key_figure": next((each for each in views if key and each.get("name") == key.name), None),
        "lacking": lacking,
        "hollow": [each for each in measurements.settings if each.unsteady],
        "settings": measurements.settings,
        "confidence": f"{100 * CONFIDENCE:g}",
        "states": _STATES,
        "verdicts": _VERDICTS,
        # How the page links to a file of the sweep.
        "href": lambda file: quote(Path(os.path.relpath(store.folder / file, folder)).as_posix()),
    }


def _verdict(rows: Sequence[PaperRow], answer: Answer | None) -> str:
    """The report in a sentence; empty if nothing can be said."""
    agreeing, predictions = score(rows)
    if predictions:
        return f"{agreeing} of {predictions} published numbers agree with what was measured."
    return answer.sentence if answer else ""


def _key_facts(rows: Sequence[PaperRow], answer: Answer | None) -> list[tuple[str, str, str]]:
    """What the first screen tells in numbers: name, value and note of each."""
    facts = answer_facts(answer) if answer else []
    agreeing, predictions = score(rows)
    if predictions:
        facts.append(("Agree with the paper", f"{agreeing} of {predictions}", "predictions"))
    return facts


def answer_facts(answer: Answer) -> list[tuple[str, str, str]]:
    """The best design and its number; nothing where no design is told from the others."""
    if not answer.tells:
        return []
    best, worst = answer.best, answer.worst
    mark = " ○" if best.number.hollow else ""
    equal = f"like {', '.join(answer.equals)}" if answer.equals else ""
    facts = [
        (
            f"Best {answer.noun.lower()}",
            best.design,
            "; ".join(filter(None, (answer.condition_text, equal))),
        ),
        (title_of(answer.statistic.name), answer.written(best) + mark, _error_of(best.number)),
    ]
    if worst.ratio is not None:
        facts.append(
            (
                f"Ratio to {worst.design if answer.noun == 'Design' else answer.called(worst)}",
                f"{worst.ratio:.2f}",
                f"{worst.number.text} to {best.number.text}",
            )
        )
    return [*facts, ("Best or like it at", f"{answer.wins} of {answer.of}", "conditions compared")]


def _error_of(number: Number) -> str:
    return f"± {number.error}" if number.error else "one seed"


def _facts(
    points: Sequence[PlannedPoint], lacking: int, store: Store, plan: Mapping[str, Any]
) -> list[tuple[str, str, str]]:
    """The few lines that say what was run: name, value and note of each.

    Points are counted as `run` counts them: one that several experiments share is one.
    """
    different = len({each.hash for each in points})
    done = different - lacking
    shared = f"in {len(points)} places" if len(points) > different else ""
    facts = [("Points", f"{done}" if not lacking else f"{done} of {different}", shared)]
    facts.append(("Seeds", seeds_text([point.seed for point in points]), ""))
    facts.append(("Simulator", f"tributary {plan['version']}", ""))
    if records := store.runs():
        runs = f"in {len(records)} runs" if len(records) > 1 else ""
        facts.append(("Wall time", duration_text(sum(each.seconds for each in records)), runs))
        date, _, time = time_text(records[-1].started).partition(" ")
        facts.append(("Started", date, time))
    return facts


# --- the paper ------------------------------------------------------------------------------------


def _paper(rows: Sequence[PaperRow], measurements: Measurements) -> View | None:
    measured = [row for row in rows if row.verdict is not Verdict.NOT_MEASURED]
    if not measured:
        return None
    parts = {
        "Predictions": [row for row in measured if not row.number.calibrated],
        "Calibrations": [row for row in measured if row.number.calibrated],
    }
    return {
        "summary": paper_summary(measured),
        "parts": [
            (title, [_group(each, measurements) for each in paper_groups(part)])
            for title, part in parts.items()
            if part
        ],
        "not_measured": [row for row in rows if row.verdict is Verdict.NOT_MEASURED],
    }


def _group(group: PaperGroup, measurements: Measurements) -> View:
    """Repeats have a title and a verdict in common, under which they are folded up."""
    count, first = len(group.rows), group.rows[0].number
    where = "stages" if group.statistic != first.statistic else "points"
    agree = group.agreeing == count
    style = "calibrated" if first.calibrated else "pass"
    return {
        "title": f"{title_of(group.statistic)} at {count} {where}" if count > 1 else "",
        "source": first.source,
        "style": "fail" if group.deviates else style if agree else "quiet",
        "verdict": f"{'✓' if agree else '✗'} {group.agreeing} of {count}",
        "rows": [(row, _measured(row, measurements)) for row in group.rows],
    }


def _measured(row: PaperRow, measurements: Measurements) -> Number:
    """A derived number leads to the first of those that it is made of."""
    operand = row.operands[0]
    if not row.rule:
        return number_of(operand.setting, measurements.statistics[operand.number.statistic])
    assert row.measured is not None, "rows without are listed apart"
    return Number(number_text(row.measured, row.number.unit), anchor=f"paper-{operand.number.id}")


# --- figures --------------------------------------------------------------------------------------


def _undrawn(number: int, figure: Undrawn) -> View:
    return {
        "id": f"undrawn-{number}",
        "name": "",
        "title": figure.title,
        "caption": "",
        "problem": str(figure.problem),
        "specification": "",
    }


def _figure(figure: Figure, measurements: Measurements) -> View:
    # What a screen reader calls the drawing.
    specification = {**figure.specification(), "description": f"{figure.title}. {figure.caption}"}
    table = number_table(figure, measurements)
    return {
        # Its name alone might be the id of something else.
        "id": f"figure-{figure.name}",
        "name": figure.name,
        "title": figure.title,
        "caption": figure.caption,
        "problem": "",
        "specification": _json_in_html(specification),
        "svg": base64.b64encode(svg_text(figure, LIGHT).encode()).decode(),
        "drawn_from": list(dict.fromkeys(any_stage(each.statistic) for each in figure.sources)),
        "controls": figure.controls,
        "table": table if table.columns else None,
    }


def _json_in_html(document: Any) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
