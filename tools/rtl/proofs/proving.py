# SPDX-License-Identifier: Apache-2.0
"""Runs one proof: that nothing in it is vacuous, that what is called unreachable is, and that every
property holds."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from common.errors import ToolError
from common.programs import in_parallel
from pydantic import Field

from . import tasks
from .kept import Kept, digest_of
from .proof_lists import Proof, nearest
from .properties import label_of
from .sources import Rtl
from .statements import COVER, kind_of
from .tasks import Design, Verdict
from .tools import Tools

Say = Callable[[str], None]

SECOND = "abc ind"  # where the first engine is ours

# Verdicts. Only the first is good.
PROVED, FAILED, OPEN, TIMEOUT, REFUSED = "proved", "failed", "open", "timeout", "refused"


class Result(Kept):
    """What became of a proof; paths are those of the design below the top."""

    name: str
    verdict: str = OPEN
    properties: dict[str, str] = Field(default={})
    # The first step in which an assertion is looked at, a cover point is reached.
    enabled: dict[str, int] = Field(default={})
    reached: dict[str, int] = Field(default={})
    unreachable: list[str] = Field(default=[])
    problems: list[str] = Field(default=[])
    # The engine that agrees with the first, if one was asked and came to an end.
    second: str = ""
    cpu_seconds: float = 0.0

    @property
    def good(self) -> bool:
        return self.verdict == PROVED

    @property
    def deepest(self) -> int:
        """The step of the cover point that is reached last."""
        return max(self.reached.values(), default=0)


@dataclass(frozen=True)
class Bench:
    """Where and with what proofs run."""

    tools: Tools
    rtl: Rtl
    work: Path
    fresh: bool = False

    def result_path(self, proof: Proof) -> Path:
        return self.work / proof.name / "result.json"

    def digest(self, proof: Proof) -> str:
        return digest_of(
            self.rtl,
            proof,
            proof.by_cadical,
            asked=[tasks.MAIN, tasks.REACH],
            engine=[proof.engine, proof.depth, proof.cover_depth, SECOND],
            unreachable=proof.unreachable,
        )

    def known(self, proof: Proof) -> Result | None:
        return Result.read(self.result_path(proof), self.digest(proof))


def _look_for_vacuity(design: Design, result: Result) -> None:
    """Which cover points and assertions are met, and in which step."""
    proof = design.proof
    model = design.model("reach", tasks.REACH)
    covers = [path for path in model.outputs if kind_of(label_of(path)) == COVER]
    listed = {path for path in covers if {path, label_of(path)} & set(proof.unreachable)}
    wanted = set(model.outputs) - listed
    depth = proof.cover_depth + 1
    met = tasks.first_met(
        design.tools, model, depth, proof.timeout, lambda found, step: wanted <= found.keys()
    )
    result.cpu_seconds += met.cpu_seconds
    result.reached = {path: met.steps[path] for path in covers if path in met.steps}
    result.enabled = {path: step for path, step in met.steps.items() if path not in result.reached}
    # To be proved so.
    result.unreachable = sorted(listed - result.reached.keys())

    problems = result.problems
    if not covers:
        problems.append("it has no cover point; a proof must show what it reaches")
    labels = sorted({label_of(path) for path in covers})
    problems += [
        f"unreachable: there is no cover point {name} in the design; {nearest(name, labels)}"
        for name in proof.unreachable
        if not {path for path in covers if name in (path, label_of(path))}
    ]
    problems += [
        f"{path} is called unreachable but reached in step {step}"
        for path, step in result.reached.items()
        if path in listed
    ]
    within = f"within {proof.cover_depth} steps"
    if not met.complete:
        within = f"in {proof.timeout} CPU seconds"
    problems += [
        f"{path} is not reached {within}: the proof may be vacuous. Give it parameters or steps "
        "(cover_depth) that reach it, or list it as unreachable, which is then proved"
        for path in covers
        if path not in met.steps and path not in listed
    ]


def _prove_unreachable(design: Design, result: Result) -> None:
    if not result.unreachable:
        return
    # A ? stands for any character, for the brackets of a name, too.
    patterns = [path.replace("[", "?").replace("]", "?") for path in result.unreachable]
    verdict = design.check("unreachable", tasks.unreachable(patterns), "abc pdr")
    result.cpu_seconds += verdict.cpu_seconds
    if verdict.status == tasks.ERROR:
        raise ToolError(f"{design.proof.name}: unreachable cover points: {verdict.words}")
    if verdict.status != tasks.PASS:
        missing = [
            path for path in result.unreachable if verdict.properties.get(path) != tasks.PASS
        ]
        result.problems.append(
            f"not proved unreachable ({verdict.status}): {', '.join(missing)}; "
            f"log: {design.log('unreachable')}"
        )


def _prove(design: Design, result: Result) -> None:
    proof = design.proof
    verdict = (design.induction if proof.by_cadical else design.check)("main", tasks.MAIN)
    result.cpu_seconds += verdict.cpu_seconds
    result.properties = verdict.properties
    log = f"log: {design.log('main')}"
    if verdict.status == tasks.ERROR:
        raise ToolError(f"{proof.name}: {verdict.words}")
    if verdict.status == tasks.PASS:
        result.verdict = PROVED
        if proof.by_cadical:
            _ask_again(design, result)
        odd = [path for path, status in verdict.properties.items() if status != tasks.PASS]
        if odd or not verdict.properties:
            raise ToolError(
                f"{proof.name}: SymbiYosys passes but not {odd or 'any property'}; {log}"
            )
    elif verdict.status == tasks.FAIL:
        _note_failure(design, "main", verdict, result)
    elif verdict.status == tasks.TIMEOUT:
        result.verdict = TIMEOUT
        result.problems.append(f"no verdict in {proof.timeout} CPU seconds; {log}")
    elif verdict.status == tasks.CONTRADICTION:
        result.verdict = REFUSED
        result.problems.append(f"{verdict.words}; {log}")
    else:
        why = "no verdict"
        if proof.by_induction:
            why = f"the induction misses {', '.join(verdict.failed) or 'all of them together'}"
        result.problems.append(f"{why}{_waveforms(verdict)}\n    {log}")
        _look_for_counterexample(design, result)


def _ask_again(design: Design, result: Result) -> None:
    """What our own induction proves, a second engine checks as far as it can."""
    verdict = design.second_opinion("main")
    result.cpu_seconds += verdict.cpu_seconds
    if verdict.status == tasks.FAIL:
        result.problems.append(verdict.words)
    result.second = SECOND if verdict.status == tasks.PASS else ""


def _look_for_counterexample(design: Design, result: Result) -> None:
    """Where a proof stays open: whether a property fails within the steps of the cover points."""
    name, steps = "counterexample", design.proof.cover_depth
    verdict = design.check(name, tasks.MAIN, "abc bmc3", mode="bmc", depth=steps + 1)
    result.cpu_seconds += verdict.cpu_seconds
    if verdict.status == tasks.FAIL:
        _note_failure(design, name, verdict, result)
    elif verdict.status == tasks.PASS:
        result.problems.append(f"nothing fails up to step {steps}: it needs helpers?")
    else:
        log = f"log: {design.log(name)}"
        result.problems.append(f"bounded, it ends with {verdict.status}; {log}")


def _note_failure(design: Design, name: str, verdict: Verdict, result: Result) -> None:
    result.verdict = FAILED
    failed = ", ".join(verdict.failed) or "see the log"
    log = f"log: {design.log(name)}"
    result.problems.append(f"fails: {failed}{_waveforms(verdict)}\n    {log}")


def _waveforms(verdict: Verdict) -> str:
    return "".join(f"\n    waveform: {trace}" for trace in verdict.traces)


def run_proof(bench: Bench, proof: Proof) -> Result:
    """Runs a proof and keeps its result. Raises `ToolError` if something else than the proof is
    wrong."""
    digest = bench.digest(proof)
    result = Result(name=proof.name, digest=digest)
    bench.result_path(proof).unlink(missing_ok=True)
    design = Design.copied(bench.tools, proof, bench.work / proof.name, bench.rtl)
    _look_for_vacuity(design, result)
    refused = bool(result.problems)
    _prove(design, result)
    if result.good:
        _prove_unreachable(design, result)
        if refused or result.problems:
            result.verdict = REFUSED
    if bench.digest(proof) != digest:
        raise ToolError(f"{proof.name}: its sources changed while it ran; run it again")
    result.write(bench.result_path(proof))
    return result


def line_of(proof: Proof, result: Result) -> str:
    """What is said of a proof as it ends."""
    line = (
        f"{result.verdict:<8} {proof.name}: {len(result.properties)} properties, "
        f"{len(result.reached)} cover points, the deepest in step {result.deepest}"
    )
    if result.unreachable:
        line += f", {len(result.unreachable)} unreachable"
    if proof.by_cadical and result.good:
        line += f", {result.second} agrees" if result.second else f", {SECOND} has no verdict"
    line += f" ({result.cpu_seconds:.1f} CPU s)"
    return line + "".join(f"\n  {problem}" for problem in result.problems)


def run_proofs(bench: Bench, proofs: list[Proof], jobs: int, say: Say) -> list[Result]:
    """All of them, in their order, `jobs` at once; says each as it ends. A good one whose inputs
    did not change is not run again."""

    def one(proof: Proof) -> Result:
        known = None if bench.fresh else bench.known(proof)
        if known is not None and known.good:
            say(f"{line_of(proof, known)}, as before")
            return known
        result = run_proof(bench, proof)
        say(line_of(proof, result))
        return result

    return in_parallel([partial(one, proof) for proof in proofs], jobs)
