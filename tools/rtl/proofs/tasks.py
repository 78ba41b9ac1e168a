# SPDX-License-Identifier: Apache-2.0
"""Tasks on the design of a proof: SymbiYosys' files and runs, searches by ABC and CaDiCaL, and what
they found."""

import json
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from common import aiger
from common.errors import ToolError
from common.programs import Ran
from common.yosys import read_command

from .proof_lists import Proof
from .sources import Rtl, copy_into
from .tools import WALL_PER_CPU, Tools

SOURCES = "sources"  # next to the task's file
MAP = Path(__file__).parent / "watched.v"
INDUCTION = [sys.executable, "-m", "proofs.induction"]
# The sources of that program.
INDUCTION_FILES = (Path(__file__).with_name("induction.py"), Path(aiger.__file__))

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
    return [
        read_command(files, proof.top, proof.parameters, "-D FORMAL"),
        f"prep -top {proof.top}",
        "memory_map",  # arrays hang the solver
        "async2sync",
        "chformal -lower",
    ]


@dataclass(frozen=True)
class Model:
    """The design as an and-inverter graph, and the names of its properties by output."""

    graph: Path
    outputs: list[str]


PASS, FAIL, UNKNOWN, TIMEOUT, ERROR = "pass", "fail", "unknown", "timeout", "error"
CONTRADICTION = "contradiction"  # nothing fulfils the assumptions


@dataclass(frozen=True)
class Verdict:
    """What SymbiYosys or the induction says of a task."""

    status: str
    properties: dict[str, str]  # by path: pass, fail, unknown
    traces: list[Path]  # waveforms
    cpu_seconds: float
    words: str = ""  # of an error

    @property
    def failed(self) -> list[str]:
        return [path for path, status in self.properties.items() if status == FAIL]


class UnreadableError(ToolError):
    """What is read is wrong, at least at the proof's parameters."""


@dataclass(frozen=True)
class Design:
    """What a proof reads, as copies in a folder where its tasks run."""

    tools: Tools
    proof: Proof
    folder: Path
    files: list[str]

    @classmethod
    def copied(cls, tools: Tools, proof: Proof, folder: Path, rtl: Rtl) -> "Design":
        return cls(tools, proof, folder, copy_into(rtl.files(proof), folder / SOURCES))

    def log(self, name: str) -> Path:
        return self.folder / name / "logfile.txt"

    def _run(self, name: str, asked: tuple[str, ...], engine: str, **options: object) -> Ran:
        """Runs a task of SymbiYosys into the folder of its name, at most two processes at once."""
        shutil.copyfile(MAP, self.folder / MAP.name)
        lines = ["[options]", *(f"{key} {value}" for key, value in options.items())]
        lines += ["", "[engines]", engine]
        lines += ["", "[script]", *read_script(self.proof, self.files), *asked]
        lines += ["", "[files]", MAP.name, *(f"{SOURCES}/{each}" for each in self.files)]
        (self.folder / f"{name}.sby").write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = ["sby", "-f", "-j", "1", "-d", name, f"{name}.sby"]
        return self.tools.run(command, self.folder, self.proof.timeout)

    def _log_tail(self, name: str, ran: Ran) -> str:
        """The lines of the log that say what is wrong."""
        errors = [line for line in ran.output.splitlines() if "ERROR" in line or "error:" in line]
        lines = errors[:8] or ran.tail.splitlines()
        plain = [re.sub(r"^SBY [ \d:]+\[\w+\] ", "", line) for line in lines]
        return "\n".join(plain) + f"\nThe whole log: {self.log(name)}"

    def model(self, name: str, asked: tuple[str, ...]) -> Model:
        """SymbiYosys' own model of what is asked, without running a solver on it. Raises
        `UnreadableError` if the design cannot be read."""
        ran = self._run(name, asked, "none", mode="bmc", make_model="aig", expect="unknown")
        graph = self.folder / name / "model" / "design_aiger.aig"
        names = graph.with_suffix(".ywa")
        if ran.status != 0 or not names.exists():
            tail = self._log_tail(name, ran)
            raise UnreadableError(f"{self.proof.name}: the design cannot be read:\n{tail}")
        asserts = json.loads(names.read_text(encoding="utf-8"))["asserts"]
        # `u_dut.label`, from the segments of a name in Yosys.
        paths = [".".join(part.removeprefix("\\") for part in each) for each in asserts]
        return Model(graph, paths)

    def check(
        self,
        name: str,
        asked: tuple[str, ...],
        engine: str = "",
        mode: str = "prove",
        depth: int = 0,
    ) -> Verdict:
        """Runs the proof's engine, or another, on what is asked."""
        timeout = WALL_PER_CPU * self.proof.timeout
        options = {"mode": mode, "aigsmt": "z3", "timeout": timeout}
        if depth or self.proof.depth:
            options["depth"] = depth or self.proof.depth
        ran = self._run(name, asked, engine or self.proof.engine, **options)
        said = re.search(r"DONE \((\w+), rc=\d+\)", ran.output)
        status = said.group(1).lower() if said else ERROR
        if status == ERROR and ran.limited:
            status = TIMEOUT
        if status == ERROR:
            return Verdict(status, {}, [], ran.cpu_seconds, self._log_tail(name, ran))
        traces = sorted((self.folder / name).rglob("*.vcd"))
        return Verdict(status, self._statuses(name), traces, ran.cpu_seconds)

    def _statuses(self, name: str) -> dict[str, str]:
        """The latest of each property."""
        command = ["sby", "--statusfmt", "jsonl", "--latest", name]
        ran = self.tools.run(command, self.folder, self.proof.timeout)
        lines = [json.loads(line) for line in ran.output.splitlines() if line.startswith("{")]
        # `top.label`, or `top.\u_dut.label ` for a name with a dot.
        return {
            each["name"].partition(".")[2].replace("\\", "").strip(): each["status"].lower()
            for each in lines
            if each["kind"] == "ASSERT"
        }

    def induction(self, name: str, asked: tuple[str, ...]) -> Verdict:
        """Runs the induction on SymbiYosys' own model of what is asked. With the status unknown,
        what the induction misses is marked as failed; it may hold all the same."""
        model = self.model(name, asked)
        command = [*INDUCTION, str(model.graph), str(self.proof.depth)]
        ran = self.tools.run(command, self.folder, self.proof.timeout)
        with self.log(name).open("a", encoding="utf-8") as lines:
            lines.write(ran.output)

        said = [line.split() for line in ran.output.splitlines()]
        wrong = {model.outputs[int(each[2])] for each in said if each[:1] == ["base"]}
        missed = {model.outputs[int(each[1])] for each in said if each[:1] == ["missed"]}
        empty = [each[1] for each in said if each[:1] == ["contradiction"]]
        status, words = PASS, ""
        if ran.status != 0 or said[-1:] != [["done"]]:
            status = TIMEOUT if ran.limited else ERROR
            words = f"{ran.tail}\nThe whole log: {self.log(name)}"
        elif wrong:
            status = FAIL
        elif empty:
            status = CONTRADICTION
            words = (
                f"nothing fulfils the assumptions together ({', '.join(empty)} of the induction)"
            )
        elif missed:
            status = UNKNOWN
        failed = wrong or missed
        others = PASS if status in (PASS, UNKNOWN) else UNKNOWN
        properties = {path: FAIL if path in failed else others for path in model.outputs}
        return Verdict(status, properties, [], ran.cpu_seconds, words)

    def second_opinion(self, name: str) -> Verdict:
        """The same induction over the model of `name` by ABC, which has another reader, another
        unrolling and another solver: all properties together, passed or unknown."""
        graph = Path(name) / "model" / "design_aiger.aig"
        depth = self.proof.depth
        script = f"read_aiger {graph}; fold; strash; orpos; bmc3 -F {depth}; ind -F {depth + 1}"
        ran = self.tools.run(["yosys-abc", "-c", script], self.folder, self.proof.timeout)
        with self.log(name).open("a", encoding="utf-8") as lines:
            lines.write(ran.output)
        if "was asserted in frame" in ran.output:
            words = "ABC finds a counterexample to what our induction proves; one of them is wrong"
            return Verdict(FAIL, {}, [], ran.cpu_seconds, f"{words}. Log: {self.log(name)}")
        if ran.status != 0 and not ran.limited:
            raise ToolError(f"{self.proof.name}: ABC fails:\n{ran.tail}")
        based = f"No output asserted in {depth} frames" in ran.output
        proved = based and "Networks are equivalent" in ran.output
        return Verdict(PASS if proved else UNKNOWN, {}, [], ran.cpu_seconds)


@dataclass
class Met:
    """The first step in which each output of a model is met, of those that are."""

    steps: dict[str, int] = field(default_factory=dict)
    complete: bool = True  # all steps were looked at that were wanted
    cpu_seconds: float = 0.0


# Whether what is met up to a step is enough.
Enough = Callable[[dict[str, int], int], bool]


def first_met(tools: Tools, model: Model, depth: int, limit: int, enough: Enough) -> Met:
    """Looks through so many steps for each output, or until what is met is enough. ABC itself,
    because SymbiYosys stops its bmc3 at the first. Raises `ToolError` if ABC fails."""
    if not model.outputs:
        return Met()
    script = f"read_aiger {model.graph.name}; fold; strash; bmc3 -a -F {depth} -v"
    lines = re.compile(
        r"Output +(?P<output>\d+)\b.*\bwas asserted in frame +(?P<step>\d+)| *(?P<done>\d+) \+ :"
    )
    return search(tools, model, ["yosys-abc", "-c", script], limit, lines, enough)


def first_failing(
    tools: Tools, model: Model, wanted: list[int], depth: int, limit: int, enough: Enough
) -> Met:
    """The same of the properties of these numbers among the model's outputs, by CaDiCaL, which gets
    further than ABC where few of them fail. Raises `ToolError` if it fails."""
    command = [*INDUCTION, str(model.graph), str(depth), "--failing", *map(str, wanted)]
    lines = re.compile(r"fails (?P<step>\d+) (?P<output>\d+)|looked (?P<done>\d+)")
    return search(tools, model, command, limit, lines, enough)


def search(
    tools: Tools,
    model: Model,
    command: list[str],
    limit: int,
    lines: re.Pattern[str],
    enough: Enough,
) -> Met:
    """Of the program's lines, those name an output and the step in which it is met, or a step that
    is done."""
    found = Met()
    ended = False

    def read(line: str) -> bool:
        nonlocal ended
        if ended:  # lines that it wrote before it was stopped, of later steps
            return True
        said = lines.match(line)
        if said and said["done"]:
            ended = ended or enough(found.steps, int(said["done"]))
        elif said:
            found.steps[model.outputs[int(said["output"])]] = int(said["step"])
        return ended

    ran = tools.run(command, model.graph.parent, limit, read)
    found.cpu_seconds = ran.cpu_seconds
    found.complete = ended or ran.status == 0
    if not found.complete and not ran.limited:
        raise ToolError(
            f"{' '.join(command[:3])} ended with {ran.status} on {model.graph}:\n{ran.tail}"
        )
    return found
