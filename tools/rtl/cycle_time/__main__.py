# SPDX-License-Identifier: Apache-2.0
"""Runs the point lists of circuits and networks, as far as they have no results, and writes the
page, and the file of clocks for tributary-explore. What is interrupted goes on where it was."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Final

from common.files import ROOT

from tributary_explore.checked_plan import checked_plan
from tributary_explore.clocks import PACKAGED
from tributary_explore.engine import RunOptions, run_sweep
from tributary_explore.errors import ExploreError
from tributary_explore.files import write_whole
from tributary_explore.overrides import Overrides
from tributary_explore.plan import Plan
from tributary_explore.progress import make_progress
from tributary_explore.results import Results, open_results
from tributary_explore.simulator import Simulator
from tributary_explore.store import PointState, Store

from . import receive_engine
from .circuits import read_library
from .clocks import read_clocks_of
from .networks import read_networks
from .page import write_page
from .study import Study

_SWEEPS: Final = Path(__file__).resolve().parent / "sweeps"
_RECEIVE_ENGINE: Final = "receive_engine"
"""The point list that is no part of the others."""
_DEBIANS: Final = "osu018"
"""The library that needs no folder; the tables of the network are of it."""
_LIBRARIES: Final = ("sky130", "ihp130", "asap7")
_FOLDER: Final = "TRIBUTARY_LIBERTY"
"""Tells tributary-synthesis where the other libraries are: no parameter, so that no result has a
path of a machine in it."""
# A point of a circuit takes minutes: each is a batch of its own, so that cores end together.
_BATCH_SECONDS: Final = 1.0
_MANY: Final = 1000
_DONE, _POINTS_FAILED, _WRONG_INPUT, _INTERRUPTED = 0, 1, 2, 130


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="cycle_time", description=__doc__)
    parser.add_argument(
        "--short", action="store_true", help="the short point lists; the page goes below --work"
    )
    parser.add_argument(
        "--library",
        action="append",
        choices=_LIBRARIES,
        default=[],
        help="this library of cells in addition to osu018, which is Debian's; repeatable",
    )
    parser.add_argument(
        "--library-folder", type=Path, metavar="DIR", help="where the files of --library are"
    )
    parser.add_argument("--plan", action="store_true", help="only say what would be run")
    parser.add_argument(
        "--clocks-only",
        action="store_true",
        help="run nothing; write the clocks of the circuits that have all their results",
    )
    parser.add_argument(
        "--receive-engine",
        action="store_true",
        help="only the receive engine of a message interface; its table goes into its page",
    )
    parser.add_argument("--page", type=Path, metavar="FILE", help="where the page goes")
    parser.add_argument("--clocks", type=Path, metavar="FILE", help="where the clocks go")
    parser.add_argument("--cores", type=int, metavar="N", help="cores to use; all if not given")
    parser.add_argument("--work", type=Path, default=ROOT / "build/cycle_time", metavar="DIR")
    parser.add_argument(
        "--synthesis",
        type=Path,
        default=ROOT / "tools/rtl/synthesis/tributary-synthesis",
        metavar="PROGRAM",
        help="tributary-synthesis, or what answers as it does",
    )
    parser.add_argument(
        "--simulator",
        type=Path,
        default=os.environ.get("TRIBUTARY_PROGRAM", ROOT / "build/release/tools/tributary"),
        metavar="PROGRAM",
        help="the simulator",
    )
    chosen = parser.parse_args(given)
    chosen.library = list(dict.fromkeys(chosen.library))
    if chosen.receive_engine and (chosen.library or chosen.short or chosen.clocks_only):
        parser.error(
            "--receive-engine is a list of its own: leave --library, --short and --clocks-only out"
        )
    if chosen.library and chosen.library_folder is None and not os.environ.get(_FOLDER):
        parser.error("--library needs the folder of its files: --library-folder DIR")
    return chosen


class PointList:
    """A sweep of this folder and where its results are."""

    def __init__(
        self, name: str, program: Simulator, given: argparse.Namespace, library: str = ""
    ) -> None:
        self.name = name
        self.library = library
        self._program = program
        self._cores: int | None = given.cores
        sets = (f"library={library}",) if library else ()
        file = _SWEEPS / f"{name}.json"
        self.plan: Plan = checked_plan(
            str(file), Overrides(sets=sets), program, lambda count: count <= _MANY
        )
        # Short and long lists share a folder, and with it the results of the points of both.
        folder = name if name == _RECEIVE_ENGINE else library or "networks"
        self.store = Store(given.work / folder)

    def say(self) -> None:
        """How many points there are, and how many have no result."""
        version = self._program.version
        states = {p.hash: self.store.state(p, version) for p in self.plan.points}
        due = sum(state is not PointState.WHOLE for state in states.values())
        name = f"{self.name} {self.library}".rstrip()
        print(f"{name}: {len(states)} points, {due} to run")

    def run(self, command: str) -> bool:
        """Runs what has no result; whether all points have one now."""
        options = RunOptions(
            command=command,
            cores=self._cores,
            batch_seconds=_BATCH_SECONDS if self.library else RunOptions.batch_seconds,
            rerun_other_versions=True,
        )
        summary = run_sweep(self.plan, self.store, self._program, options, make_progress())
        for each in summary.failed:
            print(f"failed: {each}", file=sys.stderr)
        return not summary.failed

    def results(self) -> Results:
        return open_results(self.store.folder)


def point_lists(given: argparse.Namespace) -> tuple[PointList, list[PointList]]:
    """That of networks, and those of circuits by library."""
    suffix = "_short" if given.short else ""
    synthesis = Simulator.find(given.synthesis)
    networks = PointList(f"networks{suffix}", Simulator.find(given.simulator), given)
    circuits = [
        PointList(f"circuits{suffix}", synthesis, given, name)
        for name in (_DEBIANS, *given.library)
    ]
    return networks, circuits


def measure_receive_engine(given: argparse.Namespace) -> int:
    """Its point list alone, and its table; an exit status."""
    points = PointList(_RECEIVE_ENGINE, Simulator.find(given.synthesis), given, _DEBIANS)
    points.say()
    if given.plan:
        return _DONE
    if not points.run("./dev cycle-time --receive-engine"):
        return _POINTS_FAILED
    page = given.page or receive_engine.PAGE
    receive_engine.write_section(read_library(points.results()), page)
    print(f"page: {page}")
    return _DONE


def command_text(given: argparse.Namespace) -> str:
    """What makes the same again."""
    words = ["./dev cycle-time", *(["--short"] if given.short else [])]
    words += [f"--library {each}" for each in given.library]
    if given.library:
        words.append("--library-folder DIR")
    if given.page is not None:
        # Of a file elsewhere the name alone: no result has a path of a machine in it.
        page = given.page
        words.append(f"--page {page.name if page.is_absolute() else page.as_posix()}")
    return " ".join(words)


def page_file(given: argparse.Namespace) -> Path:
    """Only the whole point lists replace the page of the documentation, unless one says so."""
    if given.page is not None:
        return Path(given.page)
    folder = given.work / "short" if given.short else ROOT / "docs"
    return Path(folder / "cycle-time-tables.md")


def clocks_file(given: argparse.Namespace) -> Path:
    """Only the whole point lists replace what tributary-explore brings, unless one says so."""
    if given.clocks is not None:
        return Path(given.clocks)
    return Path(given.work / "short/clocks.json" if given.short else PACKAGED)


def write_clocks(results: Results, file: Path) -> None:
    """The clocks of one library, whole or not at all."""
    clocks = read_clocks_of(results)
    write_whole(file, clocks.text())
    print(f"clocks: {file}, {len(clocks.circuits)} circuits of {clocks.library}")


def main(words: list[str] | None = None) -> int:
    """Its exit status: 0 done, 1 points failed, 2 wrong input, 130 interrupted."""
    given = arguments(words)
    if given.library_folder is not None:
        os.environ[_FOLDER] = str(given.library_folder.absolute())
    try:
        if given.clocks_only:
            write_clocks(open_results(given.work / _DEBIANS), clocks_file(given))
            return _DONE
        if given.receive_engine:
            return measure_receive_engine(given)
        networks, circuits = point_lists(given)
        # The networks first: they are quick, and a slip shows before hours have gone.
        lists = [networks, *circuits]
        for each in lists:
            each.say()
        if given.plan:
            return _DONE
        # Every list is run, whatever of another has failed.
        command = command_text(given)
        whole = [each.run(command) for each in lists]
        if not all(whole):
            return _POINTS_FAILED
        cycles = read_networks(networks.results())
        studies = [Study(read_library(each.results()), cycles) for each in circuits]
        page = page_file(given)
        write_page(studies, page, command)
        print(f"page: {page}")
        write_clocks(circuits[0].results(), clocks_file(given))
        return _DONE
    except ExploreError as problem:
        print(f"cycle_time: {problem}", file=sys.stderr)
        return _WRONG_INPUT
    except KeyboardInterrupt:
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
