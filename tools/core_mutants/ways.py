# SPDX-License-Identifier: Apache-2.0
"""Which way to look for faults of coherence finds which, and their page."""

from collections.abc import Sequence
from dataclasses import dataclass

from common import markdown
from common.errors import ToolError
from common.files import ROOT, write_whole
from common.programs import say

from .faults import Fault
from .trial import Trial


@dataclass(frozen=True)
class Way:
    """A way to look for faults of coherence."""

    tests: tuple[str, ...]
    within: str = ""
    """How the files begin of which it runs anything."""


WAYS = {
    "random": Way(("coherence_random_test", "coherent_transfer_random_test")),
    "exploration": Way(
        ("coherence_exploration_test", "coherence_fairness_test"), within="protocols/coherence/"
    ),
    "litmus": Way(("coherent_litmus_test",)),
}
# What the protocol decided where messages about one line meet.
RULINGS = {
    "last acknowledgement": "A handler of the reply lane sends nothing, so what follows the last "
    "acknowledgement goes through the software queue, as do invalidations for which the lane has "
    "no room; a forward without room is a refusal.",
    "late invalidation": "An invalidation that overtakes a reply turns a shared line into a "
    "refusal, but never an exclusive one, because the directory would name an owner that has "
    "nothing.",
    "order": "Messages of one source, destination and lane keep their order, and a request never "
    "passes the write-back of its own node.",
    "early write-back": "The home remembers a write-back of the new owner that comes before the "
    "old owner's notice, and a refused forward ends the pending state without waiting for a "
    "write-back.",
}
PAGE = ROOT / "docs" / "coherence_mutants.md"

Found = tuple[Fault, list[str]]
"""By way, a test that fails with the fault, or nothing."""


def row_of(fault: Fault) -> tuple[str, str, str]:
    return fault.file, fault.name, fault.ruling


def killers(trial: Trial, fault: Fault) -> list[str]:
    return [
        trial.failing_of(way.tests, fault) if fault.file.startswith(way.within) else ""
        for way in WAYS.values()
    ]


def way_rows(found: Sequence[Found]) -> list[tuple[str, str, int, int]]:
    rows = []
    for at, (name, way) in enumerate(WAYS.items()):
        by_it = [tests for _, tests in found if tests[at]]
        alone = sum(len(list(filter(None, tests))) == 1 for tests in by_it)
        rows.append((name, ", ".join(f"`{test}`" for test in way.tests), len(by_it), alone))
    return rows


def page(found: Sequence[Found]) -> str:
    killed = sum(any(tests) for _, tests in found)
    parts = [
        "# Mutants of coherence",
        "Written by `./dev mutants --ways`; do not edit.",
        "Which way to look for faults of [coherence](models/coherence.md#what-each-way-found) "
        "finds which? Each fault is one of the [mutants of the cores](core_mutants.md). Each of "
        "three ways runs with it, in the short form of `./dev test`, and finds it if one of its "
        f"tests fails. {killed} of {len(found)} faults are found.",
        markdown.table("Way | Tests | Faults found | By no other way", way_rows(found)),
        "The exploration runs the handlers only. It has a cache, a conversion table and a network "
        "of its own, with [seeded faults of their own](models/coherence.md#is-it-right).",
        "## Rulings",
        "What the protocol decided where messages about one line meet, as told under "
        "[races](models/coherence.md#races). A fault below is of a ruling if it breaks what the "
        "ruling says.",
        markdown.table("Ruling | What it says", RULINGS.items()),
        "## Faults",
        markdown.table(
            " | ".join(["File", "Fault", "Ruling", *WAYS]),
            (
                (*row_of(fault), *("found" if each else "" for each in tests))
                for fault, tests in found
            ),
        ),
    ]
    return markdown.page(parts)


def check(faults: Sequence[Fault]) -> None:
    """Raises `ToolError` for a ruling that does not exist, and for a page with other faults or with
    one that no way finds."""
    for fault in faults:
        if fault.ruling and fault.ruling not in RULINGS:
            raise ToolError(f"{fault.name}: ruling {fault.ruling} is none of {', '.join(RULINGS)}")
    if not PAGE.is_file():
        raise ToolError(f"there is no {PAGE.name}: run ./dev mutants --ways")
    text = PAGE.read_text(encoding="utf-8").rpartition("## Faults")[2]
    lines = [line for line in text.splitlines() if line.startswith("| ")][1:]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    if [tuple(row[:3]) for row in rows] != [row_of(fault) for fault in faults if fault.ways]:
        raise ToolError(f"{PAGE.name} has other faults of coherence: run ./dev mutants --ways")
    for row in rows:
        if not any(row[3:]):
            raise ToolError(f"{PAGE.name}: no way finds '{row[1]}'")


def run(trial: Trial, faults: Sequence[Fault], chosen: Sequence[Fault]) -> int:
    """The exit status; writes the page if all faults of coherence were chosen."""
    trial.build(faults, [test for way in WAYS.values() for test in way.tests])
    found: list[Found] = []
    for place, fault in enumerate(chosen, 1):
        found.append((fault, killers(trial, fault)))
        tests = ", ".join(filter(None, found[-1][1])) or "NO WAY FINDS IT"
        say(f"{place:3}/{len(chosen)} {fault.file}: {fault.name}: {tests}")
    if len(chosen) == sum(fault.ways for fault in faults):
        write_whole(PAGE, page(found))
    return 0 if all(any(tests) for _, tests in found) else 1
