# SPDX-License-Identifier: Apache-2.0
"""Puts the seeded faults of tools/rtl/mutants into the RTL, one at a time, and looks for the
properties that fail: bounded, with all properties of a proof at once, by ABC; where that finds none
in its time, by CaDiCaL, helpers left out. Each finds what the other does not come to."""

import shutil
import threading
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from common.programs import in_parallel
from mutants.faults import Fault, faulty_copy
from mutants.parameters import SETS
from pydantic import Field

from . import tasks
from .kept import Kept, digest_of
from .proof_lists import Proof
from .properties import Catalogue, label_of
from .proving import Bench, Say
from .sources import Rtl
from .statements import HELPER, PROPERTY, Statement
from .tasks import Design, Model, UnreadableError

# Of each program for one fault before one proof; what was found by then counts.
LIMIT = 20  # CPU seconds
# The same in the search for a fault that makes one property fail.
LONG_LIMIT = 40
# Steps that are looked at after the first in which a property fails, for others that fail.
MORE_STEPS = 1
# Parameters of the switch and of its queues that choose a mechanism; 0 where none is given.
MECHANISMS = (
    "Writers", "DualInput", "Coupled", "Ordered", "Gradual", "SumAtExit", "ArrivalRegisters",
)  # fmt: skip


class Pair(Kept):
    """One fault before one proof."""

    fault: str
    proof: str
    # By path, the step in which the property fails.
    failed: dict[str, int] = Field(default={})
    # The design at these parameters is the same as without the fault.
    same: bool = False
    complete: bool = True
    cpu_seconds: float = 0.0


@dataclass(frozen=True)
class FaultBench:
    """Where faults run: beside the proofs, on copies of the RTL."""

    bench: Bench
    folder: Path
    faults: list[Fault]
    proofs: list[Proof]
    catalogue: Catalogue
    # By the name of the proof, the files of the RTL that it reads.
    needed: dict[str, list[str]]
    # By names of fault and proof.
    pairs: dict[tuple[str, str], Pair] = field(default_factory=dict)
    graphs: dict[str, bytes] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of(cls, bench: Bench, faults: list[Fault], proofs: list[Proof]) -> "FaultBench":
        """With a faulty copy of the RTL for each fault. Raises ToolError if one does not fit."""
        catalogue = Catalogue.of(bench.rtl, proofs)
        needed = {proof.name: bench.rtl.needed(proof) for proof in proofs}
        fault_bench = cls(bench, bench.work / "faults", faults, proofs, catalogue, needed)
        for fault in faults:
            faulty_copy(fault, bench.rtl.root, fault_bench.rtl_of(fault).root)
        return fault_bench

    def rtl_of(self, fault: Fault) -> Rtl:
        return Rtl(self.folder / fault.name / "rtl", self.bench.rtl.formal)

    def touched(self, fault: Fault) -> list[Proof]:
        """The proofs that read the fault's file: those of the block itself first, then those whose
        parameters are like those in which lockstep sees it, then those that read least."""
        found = [proof for proof in self.proofs if fault.file in self.needed[proof.name]]
        own = fault.file.removesuffix(".sv")
        return sorted(
            found,
            key=lambda proof: (
                proof.block != own,
                _differences(fault, proof),
                len(self.needed[proof.name]),
            ),
        )

    def graph_of(self, proof: Proof) -> bytes:
        """The design without a fault."""
        with self.lock:
            if proof.name not in self.graphs:
                folder = self.bench.work / proof.name / "sound"
                design = Design.copied(self.bench.tools, proof, folder, self.bench.rtl)
                model = design.model("failures", tasks.FAILURES)
                self.graphs[proof.name] = model.graph.read_bytes()
            return self.graphs[proof.name]

    def run(self, fault: Fault, proof: Proof) -> Pair:
        """The pair, from before if nothing changed. Raises ToolError."""
        key = (fault.name, proof.name)
        if key in self.pairs:
            return self.pairs[key]
        path = self.folder / fault.name / f"{proof.name}.json"
        depth = [proof.cover_depth, MORE_STEPS, LIMIT]
        rtl = self.rtl_of(fault)
        digest = digest_of(rtl, proof, cadical=True, asked=tasks.FAILURES, depth=depth)
        pair = Pair.read(path, digest)
        if pair is None:
            pair = Pair(fault=fault.name, proof=proof.name, digest=digest)
            folder = self.folder / fault.name / proof.name
            self._look_for_failures(pair, Design.copied(self.bench.tools, proof, folder, rtl))
            shutil.rmtree(folder)
            pair.write(path)
        self.pairs[key] = pair
        return pair

    def _look_for_failures(self, pair: Pair, design: Design) -> None:
        try:
            model = design.model("failures", tasks.FAILURES)
        except UnreadableError as error:
            raise UnreadableError(f"fault {pair.fault}: {error}") from error
        pair.same = model.graph.read_bytes() == self.graph_of(design.proof)
        if pair.same:
            return

        def enough(failed: dict[str, int], step: int) -> bool:
            caught = self.caught(pair.model_copy(update={"failed": failed}))
            return bool(caught) and step >= min(caught.values()) + MORE_STEPS

        depth = design.proof.cover_depth + 1
        met = tasks.first_met(design.tools, model, depth, LIMIT, enough)
        pair.failed, pair.complete, pair.cpu_seconds = met.steps, met.complete, met.cpu_seconds
        if pair.complete or self.caught(pair):
            return
        wanted = self._without_helpers(pair.proof, model)
        met = tasks.first_failing(design.tools, model, wanted, depth, LIMIT, enough)
        pair.failed = {**met.steps, **pair.failed}
        pair.complete = met.complete
        pair.cpu_seconds += met.cpu_seconds

    def look_for(self, statement: Statement, fault: Fault, proof: Proof) -> None:
        """Runs the pair, and looks for the property in later steps than those at which that ended.
        Raises ToolError."""
        try:
            pair = self.run(fault, proof)
        except UnreadableError:
            return  # a fault in a block inside need not fit this proof's parameters
        if pair.same or statement in self.caught(pair):
            return
        folder = self.folder / fault.name / proof.name
        design = Design.copied(self.bench.tools, proof, folder, self.rtl_of(fault))
        model = design.model("failures", tasks.FAILURES)
        wanted = [
            number
            for number, path in enumerate(model.outputs)
            if self.catalogue.statement(proof.name, path) == statement
        ]
        depth = proof.cover_depth + 1
        met = tasks.first_failing(
            design.tools, model, wanted, depth, LONG_LIMIT, lambda met, _: bool(met)
        )
        shutil.rmtree(folder)
        if met.steps:
            pair.failed = {**met.steps, **pair.failed}
            pair.write(self.folder / fault.name / f"{proof.name}.json")

    def _without_helpers(self, proof: str, model: Model) -> list[int]:
        """The numbers of the outputs that are no helpers."""
        statements = [self.catalogue.statement(proof, path) for path in model.outputs]
        return [
            number
            for number, found in enumerate(statements)
            if found is None or found.kind != HELPER
        ]

    def caught(self, pair: Pair) -> dict[Statement, int]:
        """The properties that the pair makes fail, helpers left out, with the earliest step."""
        found: dict[Statement, int] = {}
        for path, step in pair.failed.items():
            statement = self.catalogue.statement(pair.proof, path)
            if statement is not None and statement.kind == PROPERTY:
                found[statement] = min(step, found.get(statement, step))
        return found

    def all_caught(self) -> set[Statement]:
        return {statement for pair in self.pairs.values() for statement in self.caught(pair)}

    def pairs_of(self, fault: Fault) -> list[Pair]:
        """Those that were run, in the order in which they are looked at."""
        names = [proof.name for proof in self.touched(fault)]
        return [self.pairs[fault.name, name] for name in names if (fault.name, name) in self.pairs]

    def may_fail(self, statement: Statement) -> list[Proof]:
        """The proofs in whose design the property is."""
        found = []
        for proof in self.proofs:
            if statement.file not in proof.sources:
                continue
            known = self.bench.known(proof)
            if known is None or statement.label in map(label_of, known.properties):
                found.append(proof)
        return found


def _differences(fault: Fault, proof: Proof) -> int:
    """In how many parameters that choose a mechanism the two differ."""
    wanted = SETS[fault.parameters]
    values = {"Writers": 1 + wanted["DualInput"], **wanted}
    given = {"Writers": 1, "DualInput": values["Writers"] - 1, **proof.parameters}
    if "DualInput" in proof.parameters:
        given["Writers"] = values["Writers"]
    return sum(given.get(name, 0) != values.get(name, 0) for name in MECHANISMS)


def _line_of(bench: FaultBench, fault: Fault) -> str:
    for pair in bench.pairs_of(fault):
        caught = bench.caught(pair)
        if caught:
            first = min(caught, key=lambda each: (caught[each], each.label))
            more = f" and {len(caught) - 1} more" if len(caught) > 1 else ""
            return f"{first.label}{more} of {pair.proof} fails in step {caught[first]}"
    return "no property fails"


def run_faults(bench: FaultBench, jobs: int, say: Say) -> bool:
    """Each fault before its proofs until a property fails; then, for each property that nothing
    made fail, those that were left out as well and later steps, until something does. Whether each
    property fails."""

    def until_killed(fault: Fault) -> None:
        for proof in bench.touched(fault):
            if bench.caught(bench.run(fault, proof)):
                break
        say(f"{fault.file}: {fault.name}: {_line_of(bench, fault)}")

    in_parallel([partial(until_killed, fault) for fault in bench.faults], jobs)
    properties = bench.catalogue.properties()
    for statement in properties:
        if statement not in bench.all_caught():
            say(f"{statement.file}: {statement.label}: looking for a fault that makes it fail")
            say(f"{statement.file}: {statement.label}: {_catch(bench, jobs, statement)}")
    caught = bench.all_caught()
    killed = sum(any(map(bench.caught, bench.pairs_of(fault))) for fault in bench.faults)
    say(f"{killed} of {len(bench.faults)} faults make a property fail")
    say(f"{len(caught)} of {len(properties)} properties fail on a fault")
    return len(caught) == len(properties)


def _catch(bench: FaultBench, jobs: int, statement: Statement) -> str:
    holders = bench.may_fail(statement)
    # Each fault before the proof whose parameters are most like its own, then before the next.
    pairs = [
        (place, len(bench.touched(fault)), fault, proof)
        for fault in bench.faults
        for place, proof in enumerate(each for each in bench.touched(fault) if each in holders)
    ]
    # Some properties are of the block itself, others of operations, which all blocks read: from
    # both ends at once.
    near = sorted(pairs, key=lambda pair: (pair[0], pair[1]))
    far = sorted(pairs, key=lambda pair: (pair[0], -pair[1]))
    tried: set[tuple[str, str]] = set()
    for both in zip(near, far, strict=True):
        named = {(fault.name, proof.name): (fault, proof) for *_, fault, proof in both}
        some = [pair for name, pair in named.items() if name not in tried]
        tried.update(named)
        in_parallel([partial(bench.look_for, statement, *pair) for pair in some], jobs)
        for fault, proof in some:
            pair = bench.pairs.get((fault.name, proof.name))
            if pair is not None and statement in bench.caught(pair):
                return f"fails on {fault.name}"
    return "NO FAULT makes it fail"
