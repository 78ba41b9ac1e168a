# SPDX-License-Identifier: Apache-2.0
"""The program `tributary-explore`.

What a command needs is imported when it runs, so that --help does not wait for Snakemake.
"""

from __future__ import annotations

import functools
import os
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from . import completion
from .errors import ExploreError
from .overrides import Overrides
from .version import VERSION

if TYPE_CHECKING:
    from .engine import RunSummary
    from .plan import Plan
    from .query import Rows
    from .results import Results
    from .simulator import Simulator
    from .store import Store

DONE = 0
POINTS_FAILED = 1
WRONG_INPUT = 2
INTERRUPTED = 130

_FAILURES = 5  # shown after a run

_EXAMPLES = """
\b
Examples:
  tributary-explore run paper                    Figures 4 to 8, a report
  tributary-explore new improved -o mine.json    a sweep file to begin with
  tributary-explore plan mine.json               checks all, runs nothing
  tributary-explore run mine.json                into ./mine.sweep
  tributary-explore query mine "SELECT * FROM summary"
  tributary-explore run mine.json --seeds 1..10  runs only what is missing
  tributary-explore advise --elements 512        is combining worth it?

\b
Exit status: 0 done, 1 some points failed, 2 wrong input, 130 interrupted.
"""


def main() -> NoReturn:
    """Runs the program with the process's arguments, and ends it."""
    sys.exit(run_program(sys.argv[1:]))


def run_program(arguments: Sequence[str]) -> int:
    """Runs a command; its exit status. Errors go to stderr, one line each."""
    try:
        status = program.main(list(arguments), "tributary-explore", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else DONE
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as help_wanted:
        help_wanted.show()
        return WRONG_INPUT
    except click.ClickException as problem:
        return _refused(problem.format_message())
    except ExploreError as problem:
        return _refused(str(problem))
    except BrokenPipeError:
        # Whoever reads has had enough: `| head`.
        _give_up_stdout()
        return DONE
    except OSError as problem:
        _give_up_stdout()
        return _refused(f"{problem.filename or 'standard output'}: {problem.strerror}")


def _give_up_stdout() -> None:
    """So that Python, at its end, does not complain once more of what cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refused(message: str) -> int:
    print(f"tributary-explore: {message}", file=sys.stderr)
    return WRONG_INPUT


@click.group(
    epilog=_EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(VERSION, message="%(prog)s %(version)s")
@click.option(
    "--program",
    "simulator",
    type=click.Path(path_type=Path),
    help="The simulator. If not given: TRIBUTARY_PROGRAM, this checkout's build, the PATH.",
)
def program(simulator: Path | None) -> None:
    """Sweeps, figures and reports over the machines that Tributary simulates.

    A sweep file says what to vary; its points are run on all cores or a cluster, each once; the
    results are a table for SQL, figures, and one page that shows everything.
    """
    if simulator is not None:
        # Whatever looks for the simulator, jobs of a run included, finds this one.
        os.environ["TRIBUTARY_PROGRAM"] = str(simulator.absolute())


_FOLDER = click.argument("folder", metavar="SWEEP", shell_complete=completion.folders)
_WHAT_IS_RUN = (
    click.argument("sweep", metavar="SWEEP", shell_complete=completion.sweeps),
    click.option(
        "--out",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Folder; ./NAME.sweep if not given.",
    ),
    click.option(
        "--cores", type=click.IntRange(min=1), help="Cores to use here; all if not given."
    ),
    click.option(
        "--batch-seconds",
        type=float,
        default=30.0,
        show_default=True,
        help="Length of a job, about.",
    ),
    click.option(
        "--only",
        metavar="EXPERIMENT",
        multiple=True,
        shell_complete=completion.experiments,
        help="Only this experiment. Repeatable.",
    ),
    click.option("--seeds", metavar="A..B", help='Seeds in place of the file\'s: "1..5,9".'),
    click.option(
        "--set",
        "sets",
        metavar="NAME=VALUE",
        multiple=True,
        shell_complete=completion.settings,
        help="A parameter over the file; NAME=[V,V,...] makes it an axis. Repeatable.",
    ),
    click.option("--yes", is_flag=True, help="Take more than 10,000 points without being asked."),
)


def _of_points(command: Callable[..., int]) -> Callable[..., int]:
    """A command with the options that say what is run.

    It gets the simulator, the checked points and the folder of their results in place of them.
    """

    @functools.wraps(command)
    def checked(
        sweep: str,
        out: Path | None,
        only: tuple[str, ...],
        seeds: str | None,
        sets: tuple[str, ...],
        yes: bool,
        **options: Any,
    ) -> int:
        from .checked_plan import checked_plan
        from .simulator import Simulator
        from .store import SUFFIX, Store

        def agrees(count: int) -> bool:
            if yes:
                return True
            return sys.stdin.isatty() and click.confirm(f"Run {count:,} points?", err=True)

        found = Simulator.find()
        plan = checked_plan(sweep, Overrides(only, seeds, sets), found, agrees)
        for warning in plan.warnings:
            click.echo(warning, err=True)
        return command(found, plan, Store(out or Path(plan.sweep.name + SUFFIX)), **options)

    for option in reversed(_WHAT_IS_RUN):
        checked = option(checked)
    return checked


@program.command()
@_of_points
@click.option(
    "--profile",
    metavar="P",
    help="Run on a cluster: slurm, or a folder with a Snakemake profile.",
)
@click.option("--no-report", is_flag=True, help="Leave table, figures and report as they are.")
@click.option(
    "--rerun-other-versions",
    is_flag=True,
    help="Repeat points whose results are of another version of the simulator.",
)
def run(simulator: Simulator, plan: Plan, store: Store, no_report: bool, **options: Any) -> int:
    """Run every point of SWEEP that has no result yet, and write the report.

    SWEEP is a sweep file, or the name of one that comes with the program (see `list`). Everything
    is checked before anything runs. A point that fails or is interrupted leaves no result and is
    run again next time; whole results are kept.

    \b
    Examples:
      tributary-explore run paper --out paper
      tributary-explore run paper --only figure6 --seeds 1..5
      tributary-explore run mine.json --set run.cycles=50000 --cores 2
      tributary-explore run mine.json --profile slurm
    """
    from .engine import RunOptions, run_sweep
    from .progress import make_progress

    how = RunOptions(command=_command(), **options)
    summary = run_sweep(plan, store, simulator, how, make_progress())
    _print_summary(summary, store)
    if not no_report and summary.done + summary.skipped > 0:
        _write_report(store, store.report_file)
    return POINTS_FAILED if summary.failed else DONE


@program.command("plan")
@_of_points
@click.option("--points", is_flag=True, help="List every point with its state.")
def show_plan(
    simulator: Simulator,
    plan: Plan,
    store: Store,
    cores: int | None,
    batch_seconds: float,
    points: bool,
) -> int:
    """Show what `run` would do with the same arguments, and check everything.

    Nothing is written. The time is an estimate from the switch-cycles to be simulated, or from the
    points that have been run already.
    """
    from .batches import CostModel, make_batches, read_journal, run_seconds
    from .progress import duration
    from .store import PointState
    from .text_table import terminal_width, text_table

    width = terminal_width()
    states = {point.hash: store.state(point, simulator.version) for point in plan.points}
    due = {point.hash: point for point in plan.points if states[point.hash] is not PointState.WHOLE}
    if points:
        rows = [(states[point.hash].value, point.label) for point in plan.points]
        click.echo(text_table(("result", "point"), rows, width) + "\n")
    rows_of_experiments = [
        (
            each.name,
            sum(point.experiment == each.name for point in plan.points),
            len(each.seeds),
            ", ".join(f"{name} ({len(values)})" for name, values in each.axes.items()),
        )
        for each in plan.sweep.experiments
    ]
    head = ("experiment", "points", "seeds", "axes")
    click.echo(text_table(head, rows_of_experiments, width))
    workers = cores or len(os.sched_getaffinity(0))
    cost = CostModel(read_journal(store.journal_file))
    batches = make_batches(list(due.values()), cost, batch_seconds, workers)
    others = sum(state is PointState.OTHER_VERSION for state in states.values())
    if others:
        click.echo(f"{others:,} have results of another version: run with --rerun-other-versions")
    click.echo(
        f"{len(states):,} different points, {len(states) - len(due):,} with a result in "
        f"{store.folder}; {len(due):,} to run in {len(batches):,} batches, about "
        f"{duration(run_seconds(batches, workers))} on {workers} cores"
    )
    return DONE


@program.command()
@_FOLDER
def status(folder: str) -> int:
    """Show how many points SWEEP has by state, and why points failed.

    SWEEP is a folder that `run` wrote, or the sweep file or name that was run.
    """
    from .engine import failure_text
    from .store import PointState
    from .text_table import terminal_width, text_table

    store = _opened(folder)
    plan = store.plan()
    states = [(point, store.state(point, plan["version"])) for point in store.points()]
    counts = Counter((point.experiment, state) for point, state in states)
    rows = [
        (experiment, *(counts[experiment, state] for state in PointState))
        for experiment in dict.fromkeys(point.experiment for point, _ in states)
    ]
    click.echo(f"{store.folder}: {plan['command']} (tributary {plan['version']})")
    head = ("experiment", *(state.value for state in PointState))
    click.echo(text_table(head, rows, terminal_width()))
    failed = [point for point, state in states if state is PointState.FAILED]
    for point in failed:
        if failure := store.failure(point):
            click.echo(f"\n{failure_text(point, failure)}")
    return POINTS_FAILED if failed else DONE


@program.command()
@_FOLDER
@click.argument("sql", metavar="SQL")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "csv", "json"]),
    default="text",
    show_default=True,
)
def query(folder: str, sql: str, form: str) -> None:
    """Answer a question in SQL about the results of SWEEP.

    The views: `results`, a row for each point and seed; `summary`, a row for each point, with means
    over the seeds and NAME.half_width, half of the confidence interval of 0.95; `units`, a row for
    each column with its unit and meaning. Names with dots stand in double quotes. SQL may be -, for
    stdin. On a terminal, text that does not fit is wrapped, and a table of few rows that is still
    too wide is turned: a line for each column.

    \b
    Examples:
      tributary-explore query paper "SELECT * FROM units WHERE name LIKE 'run%'"
      tributary-explore query mine --format csv
        'SELECT "network.slots", "interface.latency.mean" FROM summary'
    """
    _print_rows(_results(folder).sql(_standard_input() if sql == "-" else sql), form)


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as problem:
        raise ExploreError(
            f"SQL: standard input is no UTF-8 from byte {problem.start} on; write it in UTF-8"
        ) from problem


@program.command()
@_FOLDER
@click.argument("names", metavar="[FIGURE]...", nargs=-1)
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="SWEEP/figures if not.")
@click.option("--dark", is_flag=True, help="For a dark page; for print if not given.")
def figures(folder: str, names: tuple[str, ...], out: Path | None, dark: bool) -> None:
    """Draw the figures of SWEEP as SVG, all or those named."""
    from .figures import save_svg
    from .outputs import draw_figures
    from .sweep_file import nearest

    results = _results(folder)
    drawn, problems = draw_figures(results)
    by_name = {figure.name: figure for figure in drawn}
    for name in names:
        if name not in by_name:
            raise ExploreError(
                f"{results.folder} has no figure {name}{nearest(name, by_name)} (it has: "
                f"{', '.join(by_name) or 'none'})"
            )
    target = out or results.folder / "figures"
    for name in names or by_name:
        path = target / f"{name}.svg"
        save_svg(by_name[name], path, dark=dark)
        click.echo(path)
    _say_undrawn(problems)


@program.command()
@_FOLDER
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="SWEEP/report.html if not."
)
def report(folder: str, out: Path | None) -> None:
    """Write the report of SWEEP anew: one page with everything in it."""
    store = _opened(folder)
    _write_report(store, out or store.report_file)


@program.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--out", "-o", type=click.Path(path_type=Path), help="TRACE.svg if not given.")
@click.option("--title", default="Timeline", show_default=True)
@click.option("--dark", is_flag=True, help="For a dark page; for print if not given.")
def timeline(trace: Path, out: Path | None, title: str, dark: bool) -> None:
    """Draw what units do, cycle by cycle: TRACE is of `tributary run fbcopy --perfetto TRACE`."""
    from .figures import save_svg
    from .figures.timeline import of_file

    path = out or trace.with_name(f"{trace.name.partition('.json')[0]}.svg")
    save_svg(of_file(trace, title), path, dark=dark)
    click.echo(path)


@program.command("network-map")
@click.argument("network", type=click.Path(path_type=Path))
@click.option("--out", "-o", type=click.Path(path_type=Path), help="NETWORK.svg if not given.")
@click.option("--title", default="Utilisation of links", show_default=True)
@click.option("--dark", is_flag=True, help="For a dark page; for print if not given.")
def network_map(network: Path, out: Path | None, title: str, dark: bool) -> None:
    """Draw how busy links were: NETWORK is of `tributary run gige_mesh --network-map NETWORK`."""
    from .figures import save_svg
    from .figures.network_map import of_file

    path = out or network.with_suffix(".svg")
    save_svg(of_file(network, title), path, dark=dark)
    click.echo(path)


@program.command()
@click.argument(
    "base", metavar="[PLATFORM|PRESET]", required=False, shell_complete=completion.bases
)
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="If not given: PRESET.json on a terminal, else stdout. - is stdout.",
)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
def new(base: str | None, out: Path | None, force: bool) -> None:
    """Write a sweep file to begin with.

    It holds every parameter of the platform, with unit, range, default and meaning, the most useful
    as axes and the others as comments, and runs as it is.
    """
    from .files import write_whole
    from .new import new_sweep, preset_of
    from .simulator import Simulator

    found = Simulator.find()
    text = new_sweep(found, base)
    path = out or Path(f"{preset_of(found, base)}.json" if sys.stdout.isatty() else "-")
    if str(path) == "-":
        click.echo(text, nl=False)
        return
    if path.exists() and not force:
        raise ExploreError(f"{path} exists; give another by --out, or replace it by --force")
    write_whole(path, text)
    click.echo(f"{path}: run it by tributary-explore run {shlex.quote(str(path))}")


@program.command()
def schema() -> None:
    """Print a JSON schema of sweep files.

    An editor that knows it completes keys and parameters and shows what they mean: name its file as
    "$schema" of a sweep file.

    \b
    Example:
      tributary-explore schema > sweep.schema.json
    """
    import json

    from .simulator import Simulator
    from .sweep_schema import sweep_schema

    click.echo(json.dumps(sweep_schema(Simulator.find()), indent=2))


_OF_A_MACHINE = (
    click.option(
        "--elements",
        type=click.IntRange(2, 65536),
        default=256,
        help="Processing elements, a power of two, and as many memory modules.",
    ),
    click.option(
        "--memory-latency",
        type=click.IntRange(1, 60000),
        default=2,
        help="Cycles from a request at a module to its response.",
    ),
    click.option(
        "--memory-interval",
        type=click.IntRange(1, 60000),
        default=4,
        help="Cycles from one request that a module accepts to the next.",
    ),
    click.option(
        "--hot-share",
        type=click.FloatRange(0, 1),
        default=0.1,
        help="Fraction of the requests that go to hot words.",
    ),
    click.option(
        "--hot-words",
        type=click.IntRange(1, 65536),
        default=1,
        help="Hot words, in modules that each seed draws.",
    ),
    click.option(
        "--outstanding",
        type=click.IntRange(1, 1024),
        default=1,
        help="Requests of one element in the network at a time.",
    ),
    click.option(
        "--turnaround",
        type=click.IntRange(1, 1_000_000),
        default=10,
        help="Cycles from a response to the next request in its place.",
    ),
)


def _of_a_machine(command: Callable[..., int]) -> Callable[..., int]:
    """A command with the options of a machine, each with its range and default in the help."""
    for option in reversed(_OF_A_MACHINE):
        command = option(command)
    return command


@program.command(context_settings={"show_default": True})
@_of_a_machine
@click.option(
    "--cycle",
    type=click.FloatRange(1, 10_000),
    metavar="FO4",
    help="Length of the cycle of memory and elements; that of each switch if not given.",
)
@click.option(
    "--clocks",
    "clocks_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Clocks that ./dev cycle-time wrote; those of this package if not given.",
)
@click.option("--seeds", metavar="A..B", default="1..5", help="Two or more.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    default="advice.sweep",
    help="Folder of results and page.",
)
@click.option("--cores", type=click.IntRange(min=1), help="Cores to use; all if not given.")
def advise(
    cycle: float | None,
    clocks_file: Path | None,
    seeds: str,
    out: Path,
    cores: int | None,
    **numbers: Any,
) -> int:
    """Answer for a machine whether combining is worth it, and with which switch.

    Simulates the switch designs whose clock is known, multiplies cycles by the cycle time, and
    prints a verdict and the best designs. The page DIR/advice.html has all of them. Results are
    kept: the same question again is answered at once.

    \b
    Example: 512 elements, memory of 40 cycles, 30 % of requests to 4 hot words
      tributary-explore advise --elements 512 --memory-latency 40 \\
        --hot-share 0.3 --hot-words 4
    """
    from .advice.answer import read_answer
    from .advice.designs import designs_with_clocks, named_designs
    from .advice.machine import Machine
    from .advice.page import answer_text, write_page
    from .advice.question import Question
    from .clocks import PACKAGED, read_clocks
    from .engine import RunOptions, run_sweep
    from .progress import make_progress
    from .results import open_results
    from .simulator import Simulator
    from .store import Store

    found = Simulator.find()
    file = clocks_file or (PACKAGED if PACKAGED.exists() else None)
    clocks = None if file is None else read_clocks(file)
    designs = named_designs(found) if clocks is None else designs_with_clocks(clocks)
    question = Question(Machine(**numbers), designs, seeds, cycle)
    store = Store(out)
    plan = question.plan(found, store.folder)
    how = RunOptions(command=_command(), cores=cores, rerun_other_versions=True)
    summary = run_sweep(plan, store, found, how, make_progress())
    _print_summary(summary, store)
    if summary.failed:
        return POINTS_FAILED
    answer = read_answer(question, open_results(store.folder))
    page = store.folder / "advice.html"
    write_page(answer, clocks, page, _command())
    click.echo(f"\n{answer_text(answer, clocks)}\n\npage: {page}")
    return DONE


@program.command("list")
def list_() -> None:
    """List the sweeps that come with the program, and the presets to base one's own on."""
    from .simulator import Simulator
    from .sweep_file import load_sweep, packaged_sweeps
    from .text_table import terminal_width, text_table

    found = Simulator.find()
    sweeps = [(name, load_sweep(path).title) for name, path in packaged_sweeps().items()]
    presets = [(name, found.title_of(name)) for name in found.presets]
    width = terminal_width()
    click.echo(text_table(("sweep", "title"), sweeps, width) + "\n")
    click.echo(text_table(("preset", "title"), presets, width))


def _command() -> str:
    """The command as a reader of the report would give it, however this program was started."""
    return shlex.join(["tributary-explore", *sys.argv[1:]])


def _opened(name: str) -> Store:
    """The folder of that name, or that a sweep of that name was run in."""
    from .store import SUFFIX, Store
    from .sweep_file import nearest

    named = [Path(name), Path(name + SUFFIX), Path(Path(name).stem + SUFFIX)]
    folders = [folder for folder in named if folder.is_dir()]
    for folder in sorted(folders, key=lambda each: not Store(each).plan_file.exists()):
        return Store(folder)
    run_here = [folder.stem for folder in Path().glob(f"*{SUFFIX}")]
    raise ExploreError(
        f"{name} is no folder of a sweep, and there is no {Path(name).stem + SUFFIX} here"
        f"{nearest(Path(name).stem, run_here)}; run the sweep first, or give the folder that --out "
        "named"
    )


def _results(name: str) -> Results:
    """The results in that folder."""
    from .results import open_results

    return open_results(_opened(name).folder)


def _print_summary(summary: RunSummary, store: Store) -> None:
    from .progress import counted, duration

    for failed in summary.failed[:_FAILURES]:
        click.echo(f"failed: {failed}", err=True)
    if len(summary.failed) > _FAILURES:
        click.echo("failed: more; all by tributary-explore status", err=True)
    parts = [f"{counted(summary.done, 'point')} run"]
    if summary.skipped:
        parts.append(f"{summary.skipped:,} had a result")
    if summary.failed:
        parts.append(f"{len(summary.failed):,} failed")
    click.echo(f"{', '.join(parts)} in {duration(summary.seconds)}: {store.folder}")


def _write_report(store: Store, path: Path) -> None:
    from .outputs import paper_text, unsteady_text, write_outputs
    from .results import open_results

    results = open_results(store.folder)
    _say_undrawn(write_outputs(results, path, _command()))
    for told in filter(None, (paper_text(results), unsteady_text(results))):
        click.echo(told)
    click.echo(f"report: {path}")


def _say_undrawn(problems: Sequence[ExploreError]) -> None:
    for problem in problems:
        click.echo(f"tributary-explore: not drawn: {problem}", err=True)


def _print_rows(rows: Rows, form: str) -> None:
    if form == "json":
        import json

        from .query import json_values

        click.echo(json.dumps(json_values(rows.records()), indent=1, default=str))
    elif form == "csv":
        import csv

        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows([rows.columns, *rows.rows])
    else:
        from .text_table import terminal_width, text_table

        click.echo(text_table(rows.columns, rows.rows, terminal_width()))
