# SPDX-License-Identifier: Apache-2.0
"""Runs one proof: that nothing in it is vacuous, that what is called unreachable is, and that every
property holds."""

import dataclasses
import hashlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mutants.report import write_whole

from . import tasks, tools
from .errors import ProofError
from .proof_lists import Proof, nearest
from .properties import label_of
from .sources import Rtl, copy_into
from .statements import COVER, kind_of
from .tools import Tools

Say = Callable[[str], None]

# Verdicts. Only the first two are good.
PROVED = "proved"  # for ever
HOLDS = "holds"  # up to the depth
FAILED, OPEN, TIMEOUT, REFUSED = "failed", "open", "timeout", "refused"


@dataclass
class Result:
    """What became of a proof; paths are those of the design below the top."""

    name: str
    digest: str
    verdict: str = OPEN
    properties: dict[str, str] = field(default_factory=dict)
    # The first step in which an assertion is looked at, a cover point is reached.
    enabled: dict[str, int] = field(default_factory=dict)
    reached: dict[str, int] = field(default_factory=dict)
    unreachable: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    cpu_seconds: float = 0.0

    @property
    def good(self) -> bool:
        return self.verdict in (PROVED, HOLDS)

    @property
    def deepest(self) -> int:
        """The step of the cover point that is reached last."""
        return max(self.reached.values(), default=0)


def digest_of(rtl: Rtl, proof: Proof) -> str:
    """A hash of all that decides about a proof."""
    files = rtl.files(proof)
    decisive = {
        "files": {path.name: path.read_text(encoding="utf-8") for path in files},
        "script": tasks.read_script(proof, [path.name for path in files]),
        "asked": [tasks.MAIN, tasks.REACH, tasks.MAP.read_text(encoding="utf-8")],
        "engine": [proof.mode, proof.engine, proof.depth, proof.cover_depth],
        "unreachable": proof.unreachable,
        "tools": tools.versions(),
    }
    if proof.by_cadical:
        decisive["tools"] = tools.versions((*tools.PACKAGES, *tools.CADICAL))
        decisive["induction"] = tasks.INDUCTION_PROGRAM.read_text(encoding="utf-8")
    return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()


def read_result(path: Path, digest: str) -> Result | None:
    """The result of an earlier run on the same inputs, if there is one."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        result = Result(**found)
    except (FileNotFoundError, TypeError, ValueError):
        return None
    return result if result.digest == digest else None


@dataclass(frozen=True)
class Bench:
    """Where and with what proofs run."""

    tools: Tools
    rtl: Rtl
    work: Path
    fresh: bool = False

    def result_path(self, proof: Proof) -> Path:
        return self.work / proof.name / "result.json"

    def known(self, proof: Proof) -> Result | None:
        return read_result(self.result_path(proof), digest_of(self.rtl, proof))


def _look_for_vacuity(
    bench: Bench, folder: Path, proof: Proof, files: list[str], result: Result
) -> None:
    """Which cover points and assertions are met, and in which step."""
    model = tasks.make_model(bench.tools, folder, "reach", proof, files, tasks.REACH)
    covers = [path for path in model.outputs if kind_of(label_of(path)) == COVER]
    listed = {path for path in covers if {path, label_of(path)} & set(proof.unreachable)}
    wanted = set(model.outputs) - listed
    depth = proof.cover_depth + 1
    met = tasks.first_met(
        bench.tools, model, depth, proof.timeout, lambda found, step: wanted <= found.keys()
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
    if proof.bounded and proof.depth < 2 * result.deepest:
        problems.append(
            f"{proof.depth} steps are too few: the deepest cover point is reached in step "
            f"{result.deepest}, so depth must be {2 * result.deepest} at least"
        )


def _prove_unreachable(
    bench: Bench, folder: Path, proof: Proof, files: list[str], result: Result
) -> None:
    if not result.unreachable:
        return
    for_ever = dataclasses.replace(proof, mode="prove", engine="abc pdr")
    # A ? stands for any character, for the brackets of a name, too.
    patterns = [path.replace("[", "?").replace("]", "?") for path in result.unreachable]
    asked = tasks.unreachable(patterns)
    verdict = tasks.run_main(bench.tools, folder, "unreachable", for_ever, files, asked)
    result.cpu_seconds += verdict.cpu_seconds
    if verdict.status == tasks.ERROR:
        raise ProofError(f"{proof.name}: unreachable cover points: {verdict.words}")
    if verdict.status != tasks.PASS:
        missing = [
            path for path in result.unreachable if verdict.properties.get(path) != tasks.PASS
        ]
        result.problems.append(
            f"not proved unreachable ({verdict.status}): {', '.join(missing)}; "
            f"log: {tasks.log_of(folder / 'unreachable.sby')}"
        )


def _prove(bench: Bench, folder: Path, proof: Proof, files: list[str], result: Result) -> None:
    run = tasks.run_induction if proof.by_cadical else tasks.run_main
    verdict = run(bench.tools, folder, "main", proof, files, tasks.MAIN)
    result.cpu_seconds += verdict.cpu_seconds
    result.properties = verdict.properties
    log = f"log: {tasks.log_of(folder / 'main.sby')}"
    traces = "".join(f"\n    waveform: {folder / trace}" for trace in verdict.traces)
    failed = [path for path, status in verdict.properties.items() if status == tasks.FAIL]
    if verdict.status == tasks.ERROR:
        raise ProofError(f"{proof.name}: {verdict.words}")
    if verdict.status == tasks.PASS:
        result.verdict = HOLDS if proof.bounded else PROVED
        odd = [path for path, status in verdict.properties.items() if status != tasks.PASS]
        if odd or not verdict.properties:
            raise ProofError(
                f"{proof.name}: SymbiYosys passes but not {odd or 'any property'}; {log}"
            )
    elif verdict.status == tasks.FAIL:
        result.verdict = FAILED
        result.problems.append(f"fails: {', '.join(failed) or 'see the log'}{traces}\n    {log}")
    elif verdict.status == tasks.TIMEOUT:
        result.verdict = TIMEOUT
        result.problems.append(f"no verdict in {proof.timeout} CPU seconds; {log}")
    elif verdict.status == tasks.CONTRADICTION:
        result.verdict = REFUSED
        result.problems.append(f"{verdict.words}; {log}")
    else:
        result.verdict = OPEN
        why = "no verdict"
        if proof.by_induction:
            why = f"the induction misses {', '.join(failed) or 'all of them together'}"
        result.problems.append(f"{why}{traces}\n    {log}")
        _look_for_counterexample(bench, folder, proof, files, result)


def _look_for_counterexample(
    bench: Bench, folder: Path, proof: Proof, files: list[str], result: Result
) -> None:
    """Where a proof stays open: whether a property fails within the steps of the cover points."""
    bounded = dataclasses.replace(proof, mode="bmc", engine="abc bmc3", depth=proof.cover_depth + 1)
    name = "counterexample"
    verdict = tasks.run_main(bench.tools, folder, name, bounded, files, tasks.MAIN)
    result.cpu_seconds += verdict.cpu_seconds
    log = f"log: {tasks.log_of(folder / f'{name}.sby')}"
    if verdict.status == tasks.FAIL:
        failed = [path for path, status in verdict.properties.items() if status == tasks.FAIL]
        traces = "".join(f"\n    waveform: {folder / trace}" for trace in verdict.traces)
        result.verdict = FAILED
        result.problems.append(f"fails: {', '.join(failed)}{traces}\n    {log}")
    elif verdict.status == tasks.PASS:
        result.problems.append(f"nothing fails up to step {proof.cover_depth}: it needs helpers?")
    else:
        result.problems.append(f"bounded, it ends with {verdict.status}; {log}")


def run_proof(bench: Bench, proof: Proof) -> Result:
    """Runs a proof and keeps its result. Raises ProofError if something else than the proof is
    wrong."""
    digest = digest_of(bench.rtl, proof)
    result = Result(proof.name, digest)
    folder = bench.work / proof.name
    folder.mkdir(parents=True, exist_ok=True)
    bench.result_path(proof).unlink(missing_ok=True)
    files = copy_into(bench.rtl.files(proof), folder / tasks.SOURCES)
    _look_for_vacuity(bench, folder, proof, files, result)
    refused = bool(result.problems)
    _prove(bench, folder, proof, files, result)
    if result.good:
        _prove_unreachable(bench, folder, proof, files, result)
        if refused or result.problems:
            result.verdict = REFUSED
    if digest_of(bench.rtl, proof) != digest:
        raise ProofError(f"{proof.name}: its sources changed while it ran; run it again")
    write_whole(bench.result_path(proof), json.dumps(dataclasses.asdict(result), indent=1) + "\n")
    return result


def line_of(proof: Proof, result: Result) -> str:
    """What is said of a proof as it ends."""
    bound = f" up to step {proof.depth - 1}" if result.verdict == HOLDS else ""
    line = (
        f"{result.verdict:<8} {proof.name}{bound}: {len(result.properties)} properties, "
        f"{len(result.reached)} cover points, the deepest in step {result.deepest}"
    )
    if result.unreachable:
        line += f", {len(result.unreachable)} unreachable"
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

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(one, proof) for proof in proofs]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            bench.tools.stop()
            raise
