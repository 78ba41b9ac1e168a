#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The packages of tools/ know each other in one direction, and no module knows itself by a circle
(CONTRIBUTING.md)."""

import ast
import unittest
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Where packages lie, and those of them that may be imported from elsewhere. Exploration, which
# users install by itself, knows none of the others.
PLACES = ("tools/explore", "tools/rtl", "tools")
LEVELS = (
    {"tributary_explore", "common"},
    {"mutants"},
    {"core_mutants", "coverage", "cycle_time", "proofs", "synthesis"},
)

Graph = dict[str, set[str]]


def modules() -> dict[str, Path]:
    """By dotted name. What is found below a second place is what the first does not have."""
    found: dict[str, Path] = {}
    seen: set[Path] = set()
    for place in PLACES:
        for path in sorted((ROOT / place).rglob("*.py")):
            parts = path.relative_to(ROOT / place).with_suffix("").parts
            if path not in seen:
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
            seen.add(path)
    return found


def imported(name: str, text: str, is_package: bool) -> Iterator[str]:
    """Dotted names that a module may mean by its imports, those within functions too."""
    folder = name.split(".") if is_package else name.split(".")[:-1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) + 1 - node.level] if node.level else []
            base = [*base, *(node.module or "").split(".")] if node.module else base
            yield ".".join(base)
            yield from (".".join([*base, each.name]) for each in node.names)


def graph_of(texts: dict[str, str], packages: set[str]) -> Graph:
    return {
        name: {each for each in imported(name, text, name in packages) if each in texts} - {name}
        for name, text in texts.items()
    }


def circle_in(graph: Graph) -> list[str]:
    """A circle, its first name again at its end; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as found:
        return list(found.args[1])
    return []


def wrong_arrows(graph: Graph) -> list[str]:
    """Imports of a package that is not below the own one."""
    level = {package: number for number, level in enumerate(LEVELS) for package in level}
    found = []
    for name, others in graph.items():
        own = name.split(".")[0]
        for each in sorted(others):
            to = each.split(".")[0]
            if to != own and level[to] >= level[own]:
                found.append(f"{name} -> {each}")
    return found


class Project(unittest.TestCase):
    paths = modules()
    graph = graph_of(
        {name: path.read_text(encoding="utf-8") for name, path in paths.items()},
        {name for name, path in paths.items() if path.name == "__init__.py"},
    )

    def test_graph_is_read(self) -> None:
        self.assertIn("tributary_explore.bands", self.graph["cycle_time.study"])
        self.assertIn("common.programs", self.graph["core_mutants.trial"])
        self.assertIn("tributary_explore.errors", self.graph["tributary_explore.worker"])

    def test_every_package_has_a_level(self) -> None:
        known = set().union(*LEVELS)
        self.assertEqual({name.split(".")[0] for name in self.graph if name} - known, set())

    def test_no_arrow_points_up_and_there_is_no_circle(self) -> None:
        self.assertEqual(wrong_arrows(self.graph), [])
        self.assertEqual(circle_in(self.graph), [])


class Checker(unittest.TestCase):
    def test_breaches_are_found(self) -> None:
        texts = {
            "tributary_explore.a": "def f():\n  from cycle_time import page\n",
            "cycle_time.page": "from . import words\nfrom synthesis.cli import run",
            "cycle_time.words": "import cycle_time.page",
            "synthesis.cli": "",
        }
        graph = graph_of(texts, set())
        wrong = ["tributary_explore.a -> cycle_time.page", "cycle_time.page -> synthesis.cli"]
        self.assertEqual(wrong_arrows(graph), wrong)
        self.assertEqual(set(circle_in(graph)), {"cycle_time.page", "cycle_time.words"})


if __name__ == "__main__":
    unittest.main()
