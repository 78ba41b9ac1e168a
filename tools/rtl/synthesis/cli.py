# SPDX-License-Identifier: Apache-2.0
"""The program tributary-synthesis, which speaks to tributary-explore as the simulator does."""

import argparse
import json
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from common.errors import ToolError
from common.files import write_whole

from .parameters import PARAMETERS, PLATFORM, description, nested
from .point import measure
from .results import results
from .run_file import read_run_file
from .version import version

_FAILURE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; its exit status."""
    # Ends by an exception, so that the tools that were started end too.
    signal.signal(signal.SIGTERM, _terminated)
    options = _parser().parse_args(arguments)
    try:
        if options.version:
            print(f"tributary-synthesis {version()}")
        elif options.command is None:
            raise ToolError("no command; see tributary-synthesis --help")
        else:
            options.action(options)
    except ToolError as problem:
        print(f"tributary-synthesis: {problem}", file=sys.stderr)
        return _FAILURE
    return 0


def _parser() -> argparse.ArgumentParser:
    run_file = argparse.ArgumentParser(add_help=False)
    run_file.add_argument("file", type=Path, metavar="FILE")
    for name, value, words in (
        ("--set", "NAME=VALUE", "a parameter over the file; NAME=[V,V] varies it"),
        ("--series", "NAME", "only this series of the file"),
    ):
        run_file.add_argument(name, action="append", default=[], metavar=value, help=words)

    parser = argparse.ArgumentParser(
        prog="tributary-synthesis",
        description="Area and cycle time of the combining switch and its blocks, by yosys, ABC and "
        "OpenSTA.",
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    describe = commands.add_parser("describe", help="every parameter")
    describe.add_argument("platform", nargs="?", default=PLATFORM, metavar="PLATFORM")
    describe.add_argument("--json", action="store_true")
    describe.set_defaults(action=_describe)

    words = "check and expand a run file"
    validate = commands.add_parser("validate-config", parents=[run_file], help=words)
    validate.set_defaults(action=_validate)

    words = "synthesise and time the point of a run file"
    run = commands.add_parser("run", parents=[run_file], help=words)
    run.add_argument("--seed", type=int, default=1, metavar="N", help="1: nothing is random")
    run.add_argument("--threads", type=int, default=1, metavar="N", help="1: one point is one job")
    run.add_argument("--quiet", action="store_true", help="print no result")
    run.add_argument("--out", type=Path, metavar="DIR", help="folder that gets results.json")
    run.add_argument("--keep", type=Path, metavar="DIR", help="folder for netlists and reports")
    run.set_defaults(action=_run)
    return parser


def _describe(options: argparse.Namespace) -> None:
    if options.platform != PLATFORM:
        raise ToolError(f"describe: there is no platform {options.platform} (it is {PLATFORM})")
    if options.json:
        print(json.dumps(description(), indent=2))
        return
    for each in PARAMETERS:
        print(f"{each.name} = {json.dumps(each.default)} ({each.range} {each.unit}".rstrip() + ")")
        print(f"  {each.description}")


def _validate(options: argparse.Namespace) -> None:
    run_file = read_run_file(options.file, options.set, options.series)
    common = run_file.common
    points = []
    for each in run_file.points:
        own = {name: value for name, value in each.configuration.items() if name not in common}
        points.append({"series": each.series, **own} if each.series else own)
    document = {
        "platform": PLATFORM,
        "title": run_file.title,
        "configuration": nested(common.items()),
        "points": points,
    }
    print(json.dumps(document, indent=2))


def _run(options: argparse.Namespace) -> None:
    run_file = read_run_file(options.file, options.set, options.series)
    if len(run_file.points) != 1:
        raise ToolError(
            f"{options.file}: run makes one point, and the file has {len(run_file.points)}; run "
            "several by tributary-explore, or choose by --set and --series"
        )
    for name, value in (("seed", options.seed), ("threads", options.threads)):
        if value != 1:
            raise ToolError(f"--{name} {value}: nothing here is random or parallel; give 1")
    (point,) = run_file.points
    before = version()
    work = options.keep or Path(tempfile.mkdtemp(prefix="tributary-synthesis-"))
    try:
        statistics, log = measure(point.configuration, work.absolute())
    finally:
        if options.keep is None:
            shutil.rmtree(work, ignore_errors=True)
    if version() != before:
        raise ToolError(
            f"{options.file}: the RTL, the flow or a tool changed while it was synthesised, so "
            "that nobody knows of which version the numbers are; run it again"
        )
    document = results(run_file.title, point.configuration, options.seed, statistics, before)
    if options.out is not None:
        write_whole(options.out / "results.json", document)
        write_whole(options.out / "synthesis.log", log)
    if not options.quiet:
        print(json.dumps(statistics, indent=1, ensure_ascii=False))
        print(log, file=sys.stderr)


def _terminated(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)
