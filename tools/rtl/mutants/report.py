# SPDX-License-Identifier: Apache-2.0
"""What came out, as JSON and as the page docs/rtl_mutants.md."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common import markdown
from common.files import write_json, write_whole
from common.markdown import table

from .drawn import LONG, SEED, SHORT, DrawnResult, Mutation
from .parameters import DRAWN, SETS, text_of
from .seeded import CYCLES, SeededResult

SCHEMA = "tributary.mutants/1"


@dataclass
class Results:
    seeded: list[SeededResult] = field(default_factory=list)
    drawn: list[DrawnResult] = field(default_factory=list)
    proved: set[Mutation] = field(default_factory=set)
    explained: dict[Mutation, str] = field(default_factory=dict)

    def open_seeded(self) -> list[str]:
        """Seeded faults that lockstep should have found."""
        return [each.fault.name for each in self.seen_seeded() if not each.verdict.killed]

    def seen_seeded(self) -> list[SeededResult]:
        """All but those that only a proof finds."""
        return [each for each in self.seeded if not each.fault.unseen]

    def unseen_seeded(self) -> list[SeededResult]:
        return [each for each in self.seeded if each.fault.unseen]

    def open_drawn(self) -> list[Mutation]:
        """Mutations that are neither killed, nor proved equivalent, nor explained."""
        return [each.mutation for each in self.drawn if self.fate(each) == "open"]

    def fate(self, each: DrawnResult) -> str:
        if each.verdict.killed:
            return "killed"
        if each.mutation in self.proved:
            return "equivalent"
        return "explained" if each.mutation in self.explained else "open"


def as_json(results: Results) -> dict[str, Any]:
    """What the validation and the page of the proofs read."""
    fates = Counter(map(results.fate, results.drawn))
    return {
        "schema": SCHEMA,
        "counts": {
            "seeded": {
                "killed": sum(each.verdict.killed for each in results.seeded),
                "missed": len(results.open_seeded()),
                "mutants": len(results.seeded),
            },
            "drawn": {
                "killed": fates["killed"],
                "unexplained": fates["open"],
                "mutants": len(results.drawn),
            },
        },
        "seeded": [
            {
                "name": each.fault.name,
                "killed": each.verdict.killed,
                "cycle": each.verdict.cycle,
            }
            for each in results.seeded
        ],
    }


def counts(results: Results, name: str, chosen: list[DrawnResult]) -> tuple[object, ...]:
    """One row: how many, by fate."""
    fates = [results.fate(each) for each in chosen]
    kinds = ("killed", "equivalent", "explained", "open")
    return (name, len(chosen), *map(fates.count, kinds))


def seeded_table(results: Results) -> str:
    rows = []
    for each in results.seeded:
        fault, verdict = each.fault, each.verdict
        cycle = verdict.cycle if verdict.killed else ""
        shown = verdict.symptom or fault.unseen or "**survived**"
        rows.append((fault.file, fault.description, fault.parameters, cycle, shown))
    return table("File | Fault | Set | Cycle | What showed it", rows)


def drawn_table(results: Results) -> str:
    drawn = results.drawn
    by_file: dict[str, list[DrawnResult]] = {}
    for each in drawn:
        by_file.setdefault(each.mutation.file, []).append(each)
    rows = [counts(results, name, own) for name, own in sorted(by_file.items())]
    for name in DRAWN:
        own = [each for each in drawn if each.mutation.parameters == name]
        rows.append(counts(results, f"set {name}", own))
    rows.append(counts(results, "all", drawn))
    return table("File | Drawn | Killed | Equivalent | Explained | Open", rows)


def survivor_table(results: Results) -> str:
    rows = []
    for each in results.drawn:
        mutation = each.mutation
        if not each.verdict.killed:
            why = results.explained.get(mutation, "**open**")
            if mutation in results.proved:
                why = "proved equivalent"
            source = mutation.source or "(made by yosys)"
            rows.append((mutation.parameters, mutation.number, source, described(mutation), why))
    return table("Set | Number | Where | Mutation | Why it survives", rows)


def described(mutation: Mutation) -> str:
    """A mutation in one cell of a table."""
    wire, bit = mutation.option("wire"), mutation.option("wirebit")
    place = f"{wire}[{bit}]" if wire else f"port {mutation.option('port')}"
    return f"{mutation.mode} at `{place}`"


def page(results: Results) -> str:
    drawn = results.drawn
    killed = sum(each.verdict.killed for each in drawn)
    different = len(drawn) - len(results.proved) - len(results.explained)
    sets = "\n".join(f"- {name}: {text_of(values)}" for name, values in SETS.items())
    parts = [
        "# Mutants of the RTL",
        "Written by `./dev mutants`; do not edit.",
        "Does lockstep with the core find a fault in the RTL? Faults are put into "
        "[the RTL](models/rtl.md) of the combining switch, one at a time, and each mutant runs in "
        "lockstep with the core under random traffic (`testbenches/cosim/switch_stimulus.h`). The "
        "two are compared in every cycle at their ports: ready bits, what leaves, events, "
        "emptiness; the probe of occupancies is left out. "
        f"Each mutant has sixteen runs of {CYCLES} cycles, one for each route bit, each with its "
        "own seed.",
        "The sets of parameters:",
        sets,
        "## Seeded faults",
        "Mistakes that somebody could make, each a change of the source "
        "(`tools/rtl/mutants/faults.py`). "
        f"{sum(each.verdict.killed for each in results.seen_seeded())} of "
        f"{len(results.seen_seeded())} are killed; the cycle is that of the run that found it. "
        f"{len(results.unseen_seeded())} more are not seen by these runs, for the reason that "
        "stands with them; a proof (`./dev prove`) finds each. Five of all run in every test "
        "(`ctest -R rtl_mutants`).",
        seeded_table(results),
        "## Drawn mutations",
        f"{len(drawn)} mutations drawn by yosys (`mutate`, seed {SEED}) from the netlist of each "
        "of the parameter sets A and B, without the assertions: a bit of a cell's port inverted "
        "(inv), stuck (const0, const1), or inverted when another bit is 0 or 1 (cnot0, cnot1). "
        f"{killed} are killed; those that runs of {SHORT} cycles do not find and the solver does "
        f"not prove equivalent run for {LONG:,}. "
        f"{len(results.proved)} are proved equivalent, {len(results.explained)} are explained "
        f"below: {killed} of the {different} that differ are found.",
        drawn_table(results),
        "A survivor is proved equivalent by SAT (ABC, over the netlist cut at its registers): "
        "from every state that an invariant allows, and for every input that the links allow, its "
        "outputs are those of the switch, payloads where they are valid, and its next state is "
        "alike, equal but for what is in no use: empty slots, free entries, partners that are not "
        "there. That the switch itself does not see what is in no use is proved too, slot by slot; "
        "`tools/rtl/mutants/harness.py` has the statements.",
        "### Survivors",
        survivor_table(results),
    ]
    return markdown.page(parts)


def write(results: Results, json_path: Path, page_path: Path | None) -> None:
    write_json(json_path, as_json(results))
    if page_path is not None:
        write_whole(page_path, page(results))
