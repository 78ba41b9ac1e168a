#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Same configuration and seed, same trace and same statistics: for good.

    golden.py check --program PATH... [--slow-program PATH]... [--case NAME]... [--engine NAME]
    golden.py compare --program NEW --with OLD [--case NAME]...
    golden.py record --program P --case NAME...     hashes of cases that are new

`cases.json` names small runs of every preset. Each is run by both engines, and SHA-256 hashes of
what it leaves are compared with `hashes.json`, which was taken before the library got its seams.
The two engines share one hash; a case with `engines` is run by those alone. Several programs, as of several compilers, must also leave the same
results.json, byte for byte. A slow one runs each case in one engine, from case to case in another.
What is hashed:

    statistics  name, kind, unit and value of every statistic of every point; no description, and
                no configuration, as both may be worded anew
    log         the event log
    record      the trace of all requests
    vcd         the value change dump

Hashes are never taken again to make a check pass; what results have lost since is put back by
as_recorded.py. Where a mended defect changes what a case must leave, the case gets another name and
CHANGELOG says why. `compare` shows where two programs differ.
Exit status: 0 all equal, 1 a difference or a failed run, 2 wrong usage.
"""

import argparse
import difflib
import hashlib
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import as_recorded

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CASES = HERE / "cases.json"
HASHES = HERE / "hashes.json"
ENGINES = ("loop", "systemc")
SHOWN_LINES = 12
AS_RECORDED = {"log": as_recorded.log, "vcd": as_recorded.vcd}


class RunError(Exception):
    """A run that ended with an error."""


def flattened(tree, path=""):
    """Lines "path kind unit value" of a tree of statistics, in its order."""
    if "kind" in tree:
        values = {key: value for key, value in tree.items() if key != "description"}
        yield f"{path} {json.dumps(values, sort_keys=True)}"
        return
    for name, below in tree.items():
        yield from flattened(below, f"{path}.{name}" if path else name)


def statistics_text(results):
    lines = []
    for point in results["points"]:
        for run in point["runs"]:
            lines.append(f"# {point['name']}, seed {run['seed']}, {run['cycles']} cycles")
            lines.extend(as_recorded.statistics(flattened(run["statistics"])))
    return "\n".join(lines) + "\n"


def run(program, case, engine, folder):
    """Runs a case and returns what it leaves by kind: the results, and its `events`."""
    run_file = str(ROOT / case["file"]) if "/" in case["file"] else case["file"]
    command = [str(program), "run", run_file, "--engine", engine, "--quiet", "--out", "out"]
    if not any(option.startswith("--seed") for option in case["options"]):
        command += ["--seed", "1"]
    command += case["options"]
    for kind in case.get("events", []):
        command += [f"--{kind}", kind]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise RunError(f"{' '.join(command)}\nended with {done.returncode}: {done.stderr.strip()}")
    left = {"results": (folder / "out/results.json").read_text()}
    for kind in case.get("events", []):
        left[kind] = (folder / kind).read_text()
    return left


def left_by(program, case, engine):
    with tempfile.TemporaryDirectory() as folder:
        return run(program, case, engine, Path(folder))


def texts_of(left):
    """The texts that are hashed, by kind: those of the formats recorded."""
    texts = {"statistics": statistics_text(json.loads(left["results"]))}
    for kind, text in left.items():
        texts[kind] = AS_RECORDED.get(kind, str)(text)
    return texts


def hashes_of(texts):
    return {kind: hashlib.sha256(text.encode()).hexdigest() for kind, text in texts.items()}


def engines_of(case, arguments):
    """The engines that run a case."""
    has = case.get("engines", ENGINES)
    return [each for each in has if arguments.engine in (None, each)]


def differences(found, expected):
    """Which hashes of a run are not the recorded ones, as lines."""
    kinds = set(found) - {"results"}
    if kinds != set(expected):
        return [f"it leaves {sorted(kinds)}, and {HASHES.name} has {sorted(expected)}"]
    return [
        f"{kind}: SHA-256 is {found[kind]}, the recorded one is {expected[kind]}"
        for kind in sorted(expected)
        if found[kind] != expected[kind]
    ]


def check(arguments, cases):
    expected = json.loads(arguments.hashes.read_text())
    jobs = []
    for turn, case in enumerate(cases):
        engines = engines_of(case, arguments)
        for place, engine in enumerate(engines):
            slow = arguments.slow_program
            at_turn = [each for i, each in enumerate(slow) if (turn + i) % len(engines) == place]
            jobs.append((case, engine, arguments.program + at_turn))

    def one(job):
        """What is wrong with a case in an engine, as lines."""
        case, engine, programs = job
        problems = []
        results = set()
        last, found = None, {}
        for program in programs:
            try:
                left = left_by(program, case, engine)
            except RunError as problem:
                problems.append(str(problem))
                continue
            if left != last:  # programs that leave the same are looked through once
                last, found = left, hashes_of(texts_of(left))
            results.add(found["results"])
            wrong = differences(found, expected.get(case["name"], {}))
            problems += [f"{program}: {line}" for line in wrong]
        if len(results) > 1:
            problems.append("the programs leave different results.json")
        return problems

    failures = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for (case, engine, _), problems in zip(jobs, pool.map(one, jobs), strict=True):
            failures += bool(problems)
            for problem in problems:
                print(f"FAIL  {case['name']}, engine {engine}: {problem}")
    print(f"golden: {len(jobs) - failures} of {len(jobs)} runs as recorded")
    return 1 if failures else 0


def compare(arguments, cases):
    """Shows the first differences between two programs, case by case."""
    different = 0
    for case in cases:
        old = texts_of(left_by(getattr(arguments, "with"), case, "loop"))
        for engine in engines_of(case, arguments):
            new = texts_of(left_by(arguments.program[0], case, engine))
            for kind in sorted(set(old) - {"results"}):
                lines = list(
                    difflib.unified_diff(
                        old[kind].splitlines(), new[kind].splitlines(), n=0, lineterm=""
                    )
                )
                if not lines:
                    continue
                different += 1
                print(f"{case['name']}, engine {engine}, {kind}:")
                print("\n".join(f"  {line[:400]}" for line in lines[:SHOWN_LINES]))
    print(f"golden: {different} texts differ")
    return 1 if different else 0


def record(arguments, cases):
    hashes = json.loads(HASHES.read_text()) if HASHES.exists() else {}
    for case in cases:
        if case["name"] in hashes:
            print(f"golden.py: {case['name']} has its hashes; they are never taken again")
            return 2
        runs = [left_by(arguments.program[0], case, engine) for engine in engines_of(case, arguments)]
        found = [hashes_of(texts_of(left)) for left in runs]
        for each in found:
            del each["results"]  # it names the engine
        if any(each != found[0] for each in found):
            print(f"FAIL  {case['name']}: the engines differ")
            return 1
        hashes[case["name"]] = found[0]
        print(case["name"])
    HASHES.write_text(json.dumps(hashes, indent=1, sort_keys=True) + "\n")
    return 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=("check", "compare", "record"))
    parser.add_argument(
        "--program", type=Path, required=True, action="append", help="the program; repeatable"
    )
    parser.add_argument(
        "--slow-program",
        type=Path,
        action="append",
        default=[],
        help="of check: a program that runs each case in one engine, by turns; repeatable",
    )
    parser.add_argument("--with", type=Path, help="of compare: the program of an older version")
    parser.add_argument("--case", action="append", help="only this case of cases.json; repeatable")
    parser.add_argument("--hashes", type=Path, default=HASHES, help="of check: another hashes.json")
    parser.add_argument("--engine", choices=ENGINES, help="only this engine")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time (default 2)")
    arguments = parser.parse_args()
    arguments.program = [program.resolve() for program in arguments.program]
    arguments.slow_program = [program.resolve() for program in arguments.slow_program]
    for program in arguments.program + arguments.slow_program:
        if not program.exists():
            parser.error(f"{program} is not there; build it first")
    cases = json.loads(CASES.read_text())
    if arguments.case:
        unknown = set(arguments.case) - {case["name"] for case in cases}
        if unknown:
            parser.error(f"{CASES.name} has no case {sorted(unknown)}")
        cases = [case for case in cases if case["name"] in arguments.case]
    if arguments.command == "compare" and getattr(arguments, "with") is None:
        parser.error("compare needs --with, the program of an older version")
    command = {"check": check, "compare": compare, "record": record}[arguments.command]
    return command(arguments, cases)


if __name__ == "__main__":
    sys.exit(main())
