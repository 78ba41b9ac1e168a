# SPDX-License-Identifier: Apache-2.0
"""All that is known of the proofs and of the faults put before them, and what is wrong with it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from common.errors import ToolError
from mutants.faults import Fault

from .faulty import FaultBench
from .proof_lists import Proof
from .properties import Catalogue, label_of
from .proving import Result
from .statements import COVER, HELPER, PROPERTY, Statement

# Seeded faults that there must be, all of them found.
LEAST_FAULTS = 60


@dataclass(frozen=True)
class Lockstep:
    """What lockstep with the core says of a seeded fault, by ./dev mutants."""

    killed: bool
    cycle: int


def read_lockstep(path: Path | None) -> dict[str, Lockstep]:
    """By the fault's name. Raises ToolError if the file is missing or cut off."""
    if path is None or not path.is_file():
        raise ToolError(
            f"{path or 'mutants.json'} is missing: the page shows what lockstep finds next to "
            "what proofs find; ./dev mutants makes it"
        )
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {
            each["name"]: Lockstep(each["killed"], each.get("cycle", 0)) for each in found["seeded"]
        }
    except (KeyError, TypeError, ValueError) as error:
        raise ToolError(f"{path}: not what ./dev mutants writes: {error!r}; run that") from error


@dataclass(frozen=True)
class Catch:
    """A property that fails on a fault."""

    statement: Statement
    proof: str
    step: int


@dataclass(frozen=True)
class Report:
    proofs: list[Proof]
    results: dict[str, Result]  # by proof
    bench: FaultBench
    lockstep: dict[str, Lockstep]

    @property
    def catalogue(self) -> Catalogue:
        return self.bench.catalogue

    # --- what there is ---

    def blocks(self) -> dict[str, list[Proof]]:
        found: dict[str, list[Proof]] = {}
        for proof in self.proofs:
            found.setdefault(proof.block, []).append(proof)
        return found

    def result(self, proof: Proof) -> Result:
        return self.results[proof.name]

    def paths(self, proof: Proof, statement: Statement, among: Iterable[str]) -> list[str]:
        """The names in the design that are this statement's."""
        return [path for path in among if self.catalogue.statement(proof.name, path) == statement]

    def holders(self, statement: Statement) -> list[Proof]:
        """The proofs in whose design a property or helper is."""
        return [
            proof
            for proof in self.proofs
            if self.paths(proof, statement, self.result(proof).properties)
        ]

    def first_step(self, proof: Proof, statement: Statement) -> int | None:
        """In which a cover point is reached."""
        reached = self.result(proof).reached
        steps = [reached[path] for path in self.paths(proof, statement, reached)]
        return min(steps, default=None)

    def own_assertions(self) -> dict[str, list[str]]:
        """The RTL's own assertions, with the blocks in whose proofs they hold."""
        found: dict[str, list[str]] = {}
        for proof in self.proofs:
            for path in self.result(proof).properties:
                if self.catalogue.statement(proof.name, path) is None:
                    blocks = found.setdefault(label_of(path), [])
                    if proof.block not in blocks:
                        blocks.append(proof.block)
        return dict(sorted(found.items()))

    # --- faults ---

    def catches(self, fault: Fault) -> list[Catch]:
        """The properties that fail on a fault, each in the proof that shows it first; the earliest
        first."""
        found: dict[Statement, Catch] = {}
        for pair in self.bench.pairs_of(fault):
            for statement, step in self.bench.caught(pair).items():
                if statement not in found or step < found[statement].step:
                    found[statement] = Catch(statement, pair.proof, step)
        return sorted(found.values(), key=lambda each: (each.step, each.statement.label))

    def other_catches(self, fault: Fault) -> list[tuple[str, str, int]]:
        """Helpers and the RTL's own assertions that fail: path, proof and step."""
        return [
            (path, pair.proof, step)
            for pair in self.bench.pairs_of(fault)
            for path, step in pair.failed.items()
            if (statement := self.catalogue.statement(pair.proof, path)) is None
            or statement.kind == HELPER
        ]

    def caught_by(self, statement: Statement) -> tuple[Fault, Catch] | None:
        """The fault that tells most of a property: of those on which it fails, one that makes the
        fewest others fail."""
        found = []
        for number, fault in enumerate(self.bench.faults):
            catches = self.catches(fault)
            found += [
                (len(catches), number, fault, each)
                for each in catches
                if each.statement == statement
            ]
        if not found:
            return None
        _, _, fault, catch = min(found, key=lambda each: each[:2])
        return fault, catch

    def killed_by_proof(self) -> list[Fault]:
        return [
            each for each in self.bench.faults if self.catches(each) or self.other_catches(each)
        ]

    def killed_by_lockstep(self) -> list[Fault]:
        return [
            each
            for each in self.bench.faults
            if each.name in self.lockstep and self.lockstep[each.name].killed
        ]

    # --- what is wrong ---

    def problems(self) -> list[str]:
        """Of all proofs and faults together; each proof has its own."""
        found = []
        for statement in self.catalogue.statements():
            place = f"rtl/formal/{statement.file}:{statement.line}: {statement.label}"
            if statement.kind in (PROPERTY, HELPER):
                holders = self.holders(statement)
                if not holders:
                    found.append(f"{place}: no proof has it at its parameters")
                elif not any(
                    self.paths(each, statement, self.result(each).enabled) for each in holders
                ):
                    found.append(
                        f"{place}: its condition is met in no proof, so it says nothing; give a "
                        "proof parameters or steps (cover_depth) that meet it"
                    )
            if statement.kind == COVER and all(
                self.first_step(each, statement) is None for each in self.proofs
            ):
                found.append(f"{place}: no proof reaches it")
            if statement.kind == PROPERTY and self.caught_by(statement) is None:
                found.append(f"{place}: no fault makes it fail; add one that does to faults.py")
        killed = {each.name for each in self.killed_by_proof() + self.killed_by_lockstep()}
        for fault in self.bench.faults:
            if fault.name not in self.lockstep:
                found.append(f"{fault.name}: ./dev mutants has not run it; run that first")
            if fault.name not in killed:
                found.append(f"{fault.name}: neither a proof nor lockstep finds it")
        if len(killed) < LEAST_FAULTS:
            found.append(f"{len(killed)} faults are found, {LEAST_FAULTS} are required")
        return found
