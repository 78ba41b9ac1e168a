# SPDX-License-Identifier: Apache-2.0
"""The search for switches that beat the paper's aggressive one: from the sweep of all designs to
those worth measuring, and from their results to the tables docs/models/design-search-tables.md.

    tributary-explore run design_search --no-report
    python -m cycle_time.design_search front design_search.sweep
    tributary-explore run design_search_front
    python -m cycle_time.design_search page design_search.sweep design_search_front.sweep
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from common.files import ROOT

from tributary_explore import figures
from tributary_explore.errors import ExploreError
from tributary_explore.figures import save_svg
from tributary_explore.files import write_whole
from tributary_explore.results import Results, open_results
from tributary_explore.simulator import Simulator

from .circuits import Library, read_library, with_noise
from .design_search_page import page_text
from .first_step import FirstStep, read_first_step
from .search import Search, expected_of
from .second_step import AGGRESSIVE, read_second_step
from .switch_design import SwitchDesign

RUN_FILE: Final = ROOT / "tools/explore/tributary_explore/sweeps/run_files/design_search_front.json"
"""Of the second step: a series for each design."""
CIRCUITS_FILE: Final = ROOT / "tools/rtl/cycle_time/sweeps/design_search_circuits_of.json"
"""The same for tributary-synthesis."""
_PAGE: Final = ROOT / "docs/models/design-search-tables.md"

NAMED: Final = ("wait_buffer_100", "improved", AGGRESSIVE)
"""Presets that are measured beside what is found."""
_DONE, _WRONG_INPUT = 0, 2


def named_designs(simulator: Simulator) -> dict[str, SwitchDesign]:
    """Those of the presets, by name."""
    found = {}
    for name in NAMED:
        (point,) = simulator.validate(name).points
        network = point.configuration["network"]
        found[name.replace("_", " ")] = SwitchDesign.of(
            {f"network.{each}": value for each, value in network.items()}
        )
    return found


def series_of(first: FirstStep, named: Mapping[str, SwitchDesign]) -> dict[str, SwitchDesign]:
    """What the second step measures, by name: what the first has found, two designs that the
    explanation needs, and the named ones."""
    aggressive = named[AGGRESSIVE]
    wanted = [
        *first.winners(aggressive),
        expected_of(aggressive),
        # The aggressive switch with the same limit.
        replace(aggressive, adaptive_limit=1),
    ]
    found = [each for each in dict.fromkeys(wanted) if each not in named.values()]
    return {**{each.words: each for each in found}, **named}


def run_file(series: Mapping[str, SwitchDesign]) -> str:
    """The run file of the second step."""
    return _run_file("ultracomputer", {name: each.parameters for name, each in series.items()})


def circuits_file(series: Mapping[str, SwitchDesign]) -> str:
    """The same designs as circuits, for tributary-synthesis."""
    return _run_file("switch_synthesis", {name: each.circuit for name, each in series.items()})


def _run_file(platform: str, series: Mapping[str, Mapping[str, Any]]) -> str:
    document = {
        "platform": platform,
        "title": "Switches that the design search has found, and named ones",
        "description": "Written by python -m cycle_time.design_search front; edits are lost.",
        "series": [{"name": name, **parameters} for name, parameters in series.items()],
    }
    return json.dumps(document, indent=2) + "\n"


def save_figures(results: Results, folder: Path) -> dict[str, str]:
    """Every figure of the second sweep, and their titles by name."""
    titles = {}
    for experiment in results.store.sweep().experiments:
        for wanted in experiment.figures:
            figure = figures.make(wanted, experiment, results)
            save_svg(figure, folder / f"{figure.name}.svg")
            titles[figure.name] = figure.title
    return titles


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="design_search", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    choose = commands.add_parser("front", help="writes the run files of the second step")
    choose.add_argument("--run-file", type=Path, default=RUN_FILE, metavar="FILE")
    choose.add_argument("--circuits-file", type=Path, default=CIRCUITS_FILE, metavar="FILE")
    page = commands.add_parser("page", help="writes the page")
    for each in (choose, page):
        each.add_argument("first", type=Path, help="folder of the sweep design_search")
    page.add_argument("second", type=Path, help="folder of the sweep design_search_front")
    page.add_argument(
        "--synthesis", type=Path, metavar="DIR", help="a sweep of tributary-synthesis"
    )
    page.add_argument(
        "--noise",
        type=Path,
        metavar="DIR",
        help="results of ./dev cycle-time, which know more of the noise of --synthesis",
    )
    page.add_argument("--page", type=Path, default=_PAGE, metavar="FILE")
    chosen = parser.parse_args(given)
    if chosen.command == "page" and chosen.noise is not None and chosen.synthesis is None:
        page.error("--noise is of the results of --synthesis: give both")
    return chosen


def _write_front(given: argparse.Namespace, simulator: Simulator) -> None:
    first = read_first_step(open_results(given.first))
    series = series_of(first, named_designs(simulator))
    write_whole(given.run_file, run_file(series))
    write_whole(given.circuits_file, circuits_file(series))
    print(f"{len(first.front)} on the front, {len(series)} to be measured: {given.run_file}")


def _library(synthesis: Path, noise: Path | None) -> Library:
    """What was synthesised, no better known than the circuits of both folders are."""
    library = read_library(open_results(synthesis))
    if noise is None:
        return library
    other = read_library(open_results(noise))
    if other.name != library.name:
        raise ExploreError(
            f"--noise: {noise} is of the library {other.name} and {synthesis} of {library.name}; "
            "give results of the same library"
        )
    circuits = with_noise([*library.circuits, *other.circuits])[: len(library.circuits)]
    return replace(library, circuits=circuits)


def _write_page(given: argparse.Namespace, simulator: Simulator) -> None:
    second = open_results(given.second)
    library = None if given.synthesis is None else _library(given.synthesis, given.noise)
    search = Search(
        read_first_step(open_results(given.first)),
        read_second_step(second),
        named_designs(simulator),
        library,
    )
    search.check_named()
    titles = save_figures(second, given.page.parent.parent / "images")
    write_whole(given.page, page_text(search, titles))
    print(f"page: {given.page}")


def main(words: Sequence[str] | None = None) -> int:
    """Its exit status: 0 done, 2 wrong input."""
    given = _arguments(words)
    try:
        (_write_front if given.command == "front" else _write_page)(given, Simulator.find())
    except ExploreError as problem:
        print(f"design_search: {problem}", file=sys.stderr)
        return _WRONG_INPUT
    return _DONE


if __name__ == "__main__":
    sys.exit(main())
