# SPDX-License-Identifier: Apache-2.0
"""Tasks for SymbiYosys: the files that it reads, running it, and what it found."""

import json
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .errors import ProofError
from .proof_lists import Proof
from .tools import WALL_PER_CPU, Ran, Tools

SOURCES = "sources"  # beside the task's file
MAP = Path(__file__).parent / "watched.v"
INDUCTION_PROGRAM = Path(__file__).parent / "induction.py"

# What is asked of the design. Main: does every property hold.
MAIN: tuple[str, ...] = ()
# Where is each cover point reached, and each assertion looked at.
REACH = (
    "chtype -set watch_enable t:$assert",
    "chtype -set watch_cover t:$cover",
    f"techmap -map {MAP.name}",
)
# Where does each property fail.
FAILURES = (
    "chformal -cover -remove",
    "chtype -set watch_assert t:$assert",
    f"techmap -map {MAP.name}",
)


def unreachable(paths: list[str]) -> tuple[str, ...]:
    """The cover points named become properties, and nothing else is asked."""
    return (
        "chformal -assert -remove",
        *(f"chtype -set watch_cover c:{path}" for path in paths),
        "chformal -cover -remove",
        f"techmap -map {MAP.name}",
    )


def read_script(proof: Proof, files: list[str]) -> list[str]:
    """From the sources to plain $assert, $assume and $cover cells."""
    sources = " ".join(files)
    values = "".join(f" -G {name}={value}" for name, value in proof.parameters.items())
    return [
        f"read_slang --threads 1 -D SYNTHESIS -D FORMAL {sources} --top {proof.top}{values}",
        f"prep -top {proof.top}",
        "memory_map",  # arrays hang the solver
        "async2sync",
        "chformal -lower",
    ]


def write_task(
    path: Path, options: dict[str, str], engine: str, script: list[str], files: list[str]
) -> None:
    """A task's file, beside the folder of sources and the map."""
    shutil.copyfile(MAP, path.parent / MAP.name)
    lines = ["[options]", *(f"{key} {value}" for key, value in options.items())]
    lines += ["", "[engines]", engine, "", "[script]", *script, "", "[files]", MAP.name]
    lines += [f"{SOURCES}/{name}" for name in files]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run_task(tools: Tools, path: Path, limit: int) -> Ran:
    """Runs a task of SymbiYosys into the folder of its name, at most two processes at once."""
    return tools.run(["sby", "-f", "-j", "1", "-d", path.stem, path.name], path.parent, limit)


def log_of(path: Path) -> Path:
    return path.with_suffix("") / "logfile.txt"


def _log_tail(path: Path, ran: Ran) -> str:
    """The lines of the log that say what is wrong."""
    errors = [line for line in ran.output.splitlines() if "ERROR" in line or "error:" in line]
    chosen = errors[:8] or ran.output.splitlines()[-8:]
    plain = [re.sub(r"^SBY [ \d:]+\[\w+\] ", "", line) for line in chosen]
    return "\n".join(plain) + f"\nThe whole log: {log_of(path)}"


@dataclass(frozen=True)
class Model:
    """The design as an and-inverter graph, and the names of its properties by output."""

    graph: Path
    outputs: list[str]


def make_model(
    tools: Tools, folder: Path, name: str, proof: Proof, files: list[str], asked: tuple[str, ...]
) -> Model:
    """SymbiYosys' own model of what is asked, without running a solver on it. Raises ProofError if
    the design cannot be read."""
    path = folder / f"{name}.sby"
    options = {"mode": "bmc", "make_model": "aig", "expect": "unknown"}
    write_task(path, options, "none", [*read_script(proof, files), *asked], files)
    ran = run_task(tools, path, proof.timeout)
    made = path.with_suffix("") / "model"
    if ran.status != 0 or not (made / "design_aiger.ywa").exists():
        raise ProofError(f"{proof.name}: the design cannot be read:\n{_log_tail(path, ran)}")
    return Model(made / "design_aiger.aig", read_outputs(made / "design_aiger.ywa"))


def read_outputs(path: Path) -> list[str]:
    found = json.loads(path.read_text(encoding="utf-8"))
    return [plain_path(each) for each in found["asserts"]]


def plain_path(segments: list[str]) -> str:
    """`u_dut.label`, from the segments of a name in Yosys."""
    return ".".join(each.removeprefix("\\") for each in segments)


FIRST_MET = re.compile(r"^Output +(\d+)\b.*\bwas asserted in frame +(\d+)")
STEP_DONE = re.compile(r"^ *(\d+) \+ :")


@dataclass
class Met:
    """The first step in which each output of a model is met, of those that are."""

    steps: dict[str, int] = field(default_factory=dict)
    complete: bool = True  # all steps were looked at that were wanted
    cpu_seconds: float = 0.0


def first_met(
    tools: Tools,
    model: Model,
    depth: int,
    limit: int,
    enough: Callable[[dict[str, int], int], bool] = lambda met, step: False,
) -> Met:
    """Looks through so many steps for each output, or until what is met up to a step is enough. ABC
    itself, because SymbiYosys stops its bmc3 at the first. Raises ProofError if ABC fails."""
    found = Met()
    if not model.outputs:
        return found
    ended = False

    def read(line: str) -> bool:
        nonlocal ended
        if met := FIRST_MET.match(line):
            found.steps[model.outputs[int(met[1])]] = int(met[2])
        elif done := STEP_DONE.match(line):
            ended = ended or enough(found.steps, int(done[1]))
        return ended

    command = f"read_aiger {model.graph.name}; fold; strash; bmc3 -a -F {depth} -v"
    ran = tools.run(["yosys-abc", "-c", command], model.graph.parent, limit, read)
    found.cpu_seconds = ran.cpu_seconds
    found.complete = ended or ran.status == 0
    if not found.complete and not ran.limited:
        tail = "\n".join(ran.output.splitlines()[-8:])
        raise ProofError(f"yosys-abc ended with {ran.status} on {model.graph}:\n{tail}")
    return found


def first_failing(
    tools: Tools,
    model: Model,
    wanted: list[int],
    depth: int,
    limit: int,
    enough: Callable[[dict[str, int], int], bool],
) -> Met:
    """The same of the properties of these numbers among the model's outputs, by CaDiCaL, which gets
    further than ABC where few of them fail. Raises ProofError if it fails."""
    found = Met()
    ended = False

    def read(line: str) -> bool:
        nonlocal ended
        match line.split():
            case ["fails", step, number]:
                found.steps[model.outputs[int(number)]] = int(step)
            case ["looked", step]:
                ended = ended or enough(found.steps, int(step))
        return ended

    program = [sys.executable, str(INDUCTION_PROGRAM.resolve())]
    numbers = [str(each) for each in wanted]
    command = [*program, str(model.graph.resolve()), str(depth), "--failing", *numbers]
    ran = tools.run(command, model.graph.parent, limit, read)
    found.cpu_seconds = ran.cpu_seconds
    found.complete = ended or ran.status == 0
    if not found.complete and not ran.limited:
        tail = "\n".join(ran.output.splitlines()[-8:])
        raise ProofError(
            f"{INDUCTION_PROGRAM.name} ended with {ran.status} on {model.graph}:\n{tail}"
        )
    return found


PASS, FAIL, UNKNOWN, TIMEOUT, ERROR = "pass", "fail", "unknown", "timeout", "error"
CONTRADICTION = "contradiction"  # nothing fulfils the assumptions


@dataclass(frozen=True)
class Verdict:
    """What SymbiYosys or the induction says of a task."""

    status: str
    properties: dict[str, str]  # by path: pass, fail, unknown
    traces: list[str]  # waveforms, relative to the task's folder
    cpu_seconds: float
    words: str = ""  # of an error


def statuses_of(tools: Tools, path: Path, limit: int) -> dict[str, str]:
    """The latest of each property."""
    ran = tools.run(["sby", "--statusfmt", "jsonl", "--latest", path.stem], path.parent, limit)
    statuses: dict[str, str] = {}
    for line in ran.output.splitlines():
        if not line.startswith("{"):
            continue
        each = json.loads(line)
        if each["kind"] == "ASSERT":
            # `top.label`, or `top.\u_dut.label ` for a name with a dot.
            name = each["name"].partition(".")[2].replace("\\", "").strip()
            statuses[name] = each["status"].lower()
    return statuses


def run_main(
    tools: Tools, folder: Path, name: str, proof: Proof, files: list[str], asked: tuple[str, ...]
) -> Verdict:
    """Runs the proof's engine on what is asked."""
    path = folder / f"{name}.sby"
    options = {"mode": proof.mode, "aigsmt": "z3", "timeout": str(WALL_PER_CPU * proof.timeout)}
    if proof.depth:
        options["depth"] = str(proof.depth)
    write_task(path, options, proof.engine, [*read_script(proof, files), *asked], files)
    ran = run_task(tools, path, proof.timeout)
    said = re.search(r"DONE \((\w+), rc=\d+\)", ran.output)
    status = said.group(1).lower() if said else ERROR
    if status == ERROR and ran.limited:
        status = TIMEOUT
    traces = [str(each.relative_to(folder)) for each in sorted(path.with_suffix("").rglob("*.vcd"))]
    words = _log_tail(path, ran) if status == ERROR else ""
    properties = {} if status == ERROR else statuses_of(tools, path, proof.timeout)
    return Verdict(status, properties, traces, ran.cpu_seconds, words)


def run_induction(
    tools: Tools, folder: Path, name: str, proof: Proof, files: list[str], asked: tuple[str, ...]
) -> Verdict:
    """Runs induction.py on SymbiYosys' own model of what is asked. With the status unknown, what
    the induction misses is marked as failed; it may hold all the same."""
    model = make_model(tools, folder, name, proof, files, asked)
    command = [sys.executable, str(INDUCTION_PROGRAM.resolve()), str(model.graph), str(proof.depth)]
    ran = tools.run(command, folder, proof.timeout)
    log = log_of(folder / f"{name}.sby")
    with log.open("a", encoding="utf-8") as lines:
        lines.write(ran.output)

    said = [line.split() for line in ran.output.splitlines()]
    wrong = {model.outputs[int(each[2])] for each in said if each[:1] == ["base"]}
    missed = {model.outputs[int(each[1])] for each in said if each[:1] == ["missed"]}
    empty = [each[1] for each in said if each[:1] == ["contradiction"]]
    status, words = PASS, ""
    if ran.status != 0 or said[-1:] != [["done"]]:
        status = TIMEOUT if ran.limited else ERROR
        words = "\n".join(ran.output.splitlines()[-8:]) + f"\nThe whole log: {log}"
    elif wrong:
        status = FAIL
    elif empty:
        status = CONTRADICTION
        words = f"nothing fulfils the assumptions together ({', '.join(empty)} of the induction)"
    elif missed:
        status = UNKNOWN
    failed = wrong or missed
    others = PASS if status in (PASS, UNKNOWN) else UNKNOWN
    properties = {path: FAIL if path in failed else others for path in model.outputs}
    return Verdict(status, properties, [], ran.cpu_seconds, words)
