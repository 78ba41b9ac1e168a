# SPDX-License-Identifier: Apache-2.0
"""The answer for a terminal and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import jinja2
from markupsafe import Markup

from ..bands import Band
from ..clocks import Clocks
from ..figures.save import svg_text
from ..figures.theme import Theme
from ..files import write_whole
from ..intervals import CONFIDENCE
from ..text_table import text_table
from .answer import Answer, Rated, band_text
from .figure import latency_figure

_TEMPLATES: Final = Path(__file__).parents[1] / "templates"
# The figure stands in the page itself, in the colour of its text.
_INLINE: Final = Theme(background="transparent", ink="currentColor", faint=0.15)


def answer_text(answer: Answer, clocks: Clocks | None) -> str:
    """What is printed."""
    rows = [_cells(answer, each) for each in answer.shown]
    parts = [
        answer.verdict,
        answer.choice,
        text_table(_head(answer), rows),
        *notes(answer, clocks),
    ]
    return "\n\n".join(parts)


def write_page(answer: Answer, clocks: Clocks | None, path: Path, command: str) -> None:
    """Writes the page, whole or not at all; the same results give the same bytes."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    figure = latency_figure(answer)
    page = environment.get_template("advice.html").render(
        answer=answer,
        head=_head(answer),
        best=[(each, _cells(answer, each)) for each in answer.shown],
        all=[(each, _cells(answer, each)) for each in answer.rated],
        figure=figure,
        svg=Markup(svg_text(figure, _INLINE)),
        notes=notes(answer, clocks),
        command=command,
        css=(_TEMPLATES / "report.css").read_text(),
    )
    write_whole(path, page)


def notes(answer: Answer, clocks: Clocks | None) -> list[str]:
    """What the numbers are, and what they are not."""
    seeds = answer.question.seeds
    told = [
        f"Machine: {answer.question.machine.text}.",
        _note_of_table(answer),
        f"Noise: means over seeds {seeds} with their {100 * CONFIDENCE:g} % intervals. Each seed "
        "places the hot words anew, at random. Two designs differ only if their bands do not "
        "overlap.",
    ]
    if answer.unsteady:
        count = len(answer.unsteady)
        designs = "1 design was" if count == 1 else f"{count} designs were"
        told.append(
            f"{designs} not steady in run.maximum_cycles (○): such a design decides nothing."
        )
    return told + _notes_of_clocks(answer, clocks)


def _note_of_table(answer: Answer) -> str:
    area = "" if answer.unit == "cycles" else " kNAND2: area of one switch in 1000 NAND2."
    return (
        "Table: best: maybe, if the bands of latency overlap. Throughput: requests of an element "
        f"in 1000 {answer.unit}.{area}"
    )


def _notes_of_clocks(answer: Answer, clocks: Clocks | None) -> list[str]:
    if clocks is None:
        return [
            "Clocks: none, as this package has no clocks.json. So the answer is in cycles, as if "
            "all switches had the same cycle, which is not so (docs/cycle-time.md). "
            "./dev cycle-time measures clocks; ./dev cycle-time --clocks-only writes those that "
            "have been measured."
        ]
    cycle = answer.question.cycle
    counts = (
        "in cycles of each switch, so a slower switch has a slower memory; --cycle FO4 keeps them"
        if cycle is None
        else f"in cycles of {cycle:g} FO4, whatever the switch"
    )
    return [
        f"Clock: gates without wires of this RTL, library {clocks.library} (FO4 "
        f"{clocks.fo4_ps:.1f} ps), 64-bit operands, {clocks.date}, results {clocks.results}. From "
        "the fastest synthesis up by the noise. Only the "
        f"{len(answer.rated)} designs with a clock are candidates. docs/cycle-time.md has the "
        "limits.",
        f"Memory: its times, and those of elements, count {counts}.",
    ]


def _head(answer: Answer) -> Sequence[str]:
    if answer.unit == "cycles":
        return "design", "best", "latency, cycles", "throughput"
    return "design", "best", "latency, cycles", "latency, FO4", "throughput", "clock, FO4", "kNAND2"


def _cells(answer: Answer, each: Rated) -> list[str]:
    mark = ("maybe" if answer.may_be_best(each) else "no") if each.steady else "○"
    if each is answer.best and each.steady:
        mark = "yes"
    half_width = each.cycles.mean - each.cycles.band.low
    cells = [each.design.name, mark, f"{each.cycles.mean:,.1f} ± {half_width:.1f}"]
    clock = each.design.clock
    if clock is None:
        return [*cells, band_text(each.rate)]
    area = Band(clock.nand2.low / 1000, clock.nand2.high / 1000)
    return cells + list(map(band_text, (each.time, each.rate, clock.fo4, area)))
