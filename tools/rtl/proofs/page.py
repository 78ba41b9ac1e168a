# SPDX-License-Identifier: Apache-2.0
"""docs/proofs.md."""

from common.markdown import page, paragraphs, table
from mutants.faults import Fault
from mutants.parameters import text_of

from .proof_lists import Proof
from .proving import SECOND
from .report import Report
from .sources import Rtl
from .statements import ASSUMPTION, COVER, HELPER, PROPERTY, Statement, head_of

INTRODUCTION = """\
# Proofs of the RTL

Written by `./dev prove`; do not edit.

What is proven of [the RTL](models/rtl.md), by model checking: {properties} properties in \
{proofs} proofs, each of one block at small parameters. The sources are in `rtl/formal`: a module \
of properties instantiates the block as it is, assumes what the block's surroundings promise, and \
asserts what is to hold in every cycle of every run that they allow. Every proof is without bound: \
it holds for ever. Why small parameters suffice stands with each block.

How to read it:

- A *property* is the promise.
- A *helper* is an invariant of the block's inside that the induction needs, proven with the rest.
- An *assumption* is what the block may rely on.
- A *cover point* shows that a proof is not empty: it is reached in the step given, or proven \
unreachable at these parameters. Every property is looked at in at least one proof.
- A step is a clock cycle. Step 0 is reset, and what a clock edge samples is seen in the step \
after it.
- Seeded [faults](#faults) show that the properties can fail, each of them on at least one.
- Where the engine is the project's own induction (`tools/rtl/proofs/induction.py`, by CaDiCaL), \
ABC repeats the induction with its own reader, unrolling and solver. The table says whether it \
agrees.

The deadlock-freedom of a network of these switches is [argued in writing](models/deadlock.md), on \
the properties here. Not covered by proof: more than one clock, undefined values (the solver's \
registers are 0 or 1, any of them before reset), parameters other than those given, and whole \
networks.\
"""


def proof_row(report: Report, proof: Proof) -> tuple[object, ...]:
    result = report.result(proof)
    kinds = [report.catalogue.statement(proof.name, path) for path in result.properties]
    helpers = sum(each is not None and each.kind == HELPER for each in kinds)
    own = kinds.count(None)
    others = [f"{helpers} helper{'s' * (helpers > 1)}"] if helpers else []
    others += [f"{own} of the RTL"] if own else []
    count = f"{len(kinds) - helpers - own}" + (f" (and {', '.join(others)})" if others else "")
    engine = proof.engine + (f" (induction, {proof.depth} steps)" if proof.by_induction else "")
    if proof.by_cadical:
        engine += f"; {result.second} agrees" if result.second else f"; {SECOND} has no verdict"
    parameters = text_of(proof.parameters) or "none"
    name = f"`{proof.name}`"
    return (name, proof.says, parameters, "without bound", engine, count, result.deepest)


def names_of(proofs: list[Proof], all_proofs: list[Proof]) -> str:
    if proofs == all_proofs:
        return "all"
    return ", ".join(f"`{each.name}`" for each in proofs)


def fault_of(report: Report, statement: Statement) -> str:
    found = report.caught_by(statement)
    if found is None:
        return "**none**"
    fault, catch = found
    return f"`{fault.name}` (step {catch.step})"


def cover_cell(report: Report, proof: Proof, statement: Statement) -> str:
    step = report.first_step(proof, statement)
    if step is not None:
        return str(step)
    found = report.paths(proof, statement, report.result(proof).unreachable)
    return "unreachable" if found else ""


def sentences(statements: list[Statement]) -> str:
    return "\n".join(f"- `{each.label}`: {each.sentence}" for each in statements)


def block_section(
    report: Report, rtl: Rtl, block: str, proofs: list[Proof], told: set[str]
) -> list[str]:
    """`told`: sources whose heads stand in a section before."""
    sources = list(dict.fromkeys(name for proof in proofs for name in proof.sources))
    statements = [each for each in report.catalogue.statements() if each.file in sources]

    def of_kind(kind: str) -> list[Statement]:
        return [each for each in statements if each.kind == kind]

    heads = [
        f"`rtl/formal/{name}`: {paragraphs(head_of(rtl.formal / name))}"
        for name in sources
        if name not in told
    ]
    told.update(sources)
    properties = []
    for each in of_kind(PROPERTY):
        holders = names_of([p for p in report.holders(each) if p in proofs], proofs)
        properties.append((f"`{each.label}`", each.sentence, holders, fault_of(report, each)))
    covers = [
        (f"`{each.label}`", each.sentence, *(cover_cell(report, p, each) for p in proofs))
        for each in of_kind(COVER)
    ]
    columns = ["Cover point", "What is reached", *(f"`{each.name}`" for each in proofs)]
    helpers = sentences(of_kind(HELPER))
    return [
        f"## {block}",
        *heads,
        table(
            "Proof | What | Parameters | Holds | Engine | Properties | Last cover point",
            [proof_row(report, each) for each in proofs],
        ),
        f"### Properties of {block}",
        table("Property | What is proven | Proofs | A fault on which it fails", properties),
        f"### Assumptions of {block}",
        sentences(of_kind(ASSUMPTION)) or "None but reset in the first cycle.",
        *([f"### Helpers of {block}", helpers] if helpers else []),
        f"### Cover points of {block}",
        table(" | ".join(columns), covers),
    ]


def fault_row(report: Report, fault: Fault) -> tuple[object, ...]:
    shown, step = "none", ""
    catches = report.catches(fault)
    if catches:
        more = f" and {len(catches) - 1} more" if len(catches) > 1 else ""
        shown = f"`{catches[0].statement.label}` of `{catches[0].proof}`{more}"
        step = str(catches[0].step)
    else:
        for path, proof, first in report.other_catches(fault)[:1]:
            shown, step = f"`{path}` of `{proof}`", str(first)
    lockstep = report.lockstep[fault.name]
    cycle = lockstep.cycle if lockstep.killed else f"not found: {fault.unseen}"
    return (f"`{fault.name}`", fault.file, fault.description, shown, step, cycle)


def fault_section(report: Report) -> list[str]:
    faults = report.bench.faults
    by_proof, by_lockstep = report.killed_by_proof(), report.killed_by_lockstep()
    only_proof = [each for each in by_proof if each not in by_lockstep]
    only_lockstep = [each for each in by_lockstep if each not in by_proof]
    return [
        "## Faults",
        f"{len(faults)} mistakes that somebody could make in `rtl/` "
        "(`tools/rtl/mutants/faults.py`), one at a time. Each is put before the proofs that read "
        "its file, those of the block itself first, until a property fails within the steps of the "
        "cover points. A property that no fault made fail so is tried in later steps, and then in "
        "the other proofs that have it.",
        f"{len(by_proof)} make a proof fail, {len(by_lockstep)} are found by "
        f"[lockstep with the core](rtl_mutants.md), {len(only_proof)} by proof alone, "
        f"{len(only_lockstep)} by lockstep alone; none survives both. "
        "The cycle is that in which lockstep sees the fault, under random traffic.",
        table(
            "Fault | File | What it is | Fails first | Step | Lockstep, cycle",
            [fault_row(report, each) for each in faults],
        ),
    ]


def own_section(report: Report) -> list[str]:
    found = report.own_assertions()
    if not found:
        return []
    return [
        "## Assertions in the RTL",
        "What the RTL itself asserts, which simulation checks, is proven along with the properties "
        "of the blocks around it.",
        table(
            "Assertion | Proven with",
            [(f"`{label}`", ", ".join(blocks)) for label, blocks in found.items()],
        ),
    ]


def page_of(report: Report, rtl: Rtl) -> str:
    properties = len(report.catalogue.properties())
    parts = [INTRODUCTION.format(properties=properties, proofs=len(report.proofs))]
    told: set[str] = set()
    for block, proofs in report.blocks().items():
        parts += block_section(report, rtl, block, proofs, told)
    return page([*parts, *own_section(report), *fault_section(report)])
