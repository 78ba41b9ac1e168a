# SPDX-License-Identifier: Apache-2.0
"""Induction over an and-inverter graph, each property by itself:
  python3 -m proofs.induction GRAPH STEPS
Or, with --failing and the numbers of properties, where these fail in so many steps from the initial
state.

A property is proved if it holds in the first STEPS steps from the initial state (the base case),
and in every step before which all properties held in STEPS steps, whatever the state that these
begin in (the step). Constraints hold in all of these steps. CaDiCaL decides, through python-sat.

Prints a line for each failure, `base STEP PROPERTY` or `missed PROPERTY` (properties counted as in
the graph), `contradiction base` or `contradiction step` if nothing fulfils the constraints, and at
last `done`. With --failing, `fails STEP PROPERTY` for the first step in which each fails, `looked
STEP` after each step, and `done`.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from common.aiger import Graph, read
from pysat.solvers import Solver

SOLVER = "cadical195"
TRUE = 1  # the solver's variable that is


class Unrolled:
    """Steps of a graph, one after the other, in a solver."""

    def __init__(self, graph: Graph, initial: bool) -> None:
        self.graph = graph
        self.solver = Solver(name=SOLVER, bootstrap_with=[[TRUE]])
        self.variables = TRUE
        self.gates: dict[tuple[int, int], int] = {}
        self.state = [-TRUE if initial else self._variable() for _ in graph.next_states]

    def _variable(self) -> int:
        self.variables += 1
        return self.variables

    def _both(self, left: int, right: int) -> int:
        """Each gate once, and none of constants."""
        if -TRUE in (left, right) or left == -right:
            return -TRUE
        if left in (TRUE, right):
            return right
        if right == TRUE:
            return left
        key = (min(left, right), max(left, right))
        if key not in self.gates:
            gate = self.gates[key] = self._variable()
            for clause in ([-gate, left], [-gate, right], [gate, -left, -right]):
                self.solver.add_clause(clause)
        return self.gates[key]

    def step(self) -> list[int]:
        """One more step, under the constraints: for each property, the variable that is true if it
        fails there."""
        values = [-TRUE, *(self._variable() for _ in range(self.graph.inputs)), *self.state]

        def value(literal: int) -> int:
            return -values[literal >> 1] if literal & 1 else values[literal >> 1]

        for left, right in self.graph.gates:
            values.append(self._both(value(left), value(right)))
        self.state = [value(literal) for literal in self.graph.next_states]
        for constraint in self.graph.constraints:
            self.solver.add_clause([value(constraint)])
        return [value(literal) for literal in self.graph.properties]

    def failing(self, failures: list[int]) -> Iterator[int]:
        """The properties that can fail; one that cannot helps to decide on the next."""
        for number, failure in enumerate(failures):
            if self.solver.solve(assumptions=[failure]):
                yield number
            else:
                self.solver.add_clause([-failure])

    def some_failing(self, failures: dict[int, int]) -> Iterator[int]:
        """The same of all together, which is quicker where few can fail."""
        failures = dict(failures)
        while failures:
            some = self._variable()
            self.solver.add_clause([-some, *failures.values()])
            if not self.solver.solve(assumptions=[some]):
                for failure in failures.values():
                    self.solver.add_clause([-failure])
                return
            values = set(self.solver.get_model())
            found = [number for number, failure in failures.items() if failure in values]
            for number in found:
                del failures[number]
            yield from found


def say(*words: object) -> None:
    print(*words, flush=True)


def induction(graph: Graph, steps: int) -> None:
    base = Unrolled(graph, initial=True)
    for step in range(steps):
        for number in base.failing(base.step()):
            say("base", step, number)
    base.step()
    if not base.solver.solve():
        say("contradiction", "base")

    unrolled = Unrolled(graph, initial=False)
    for _ in range(steps):
        for failure in unrolled.step():
            unrolled.solver.add_clause([-failure])
    last = unrolled.step()
    if not unrolled.solver.solve():
        say("contradiction", "step")
    for number in unrolled.failing(last):
        say("missed", number)
    say("done")


def search(graph: Graph, steps: int, numbers: list[int]) -> None:
    unrolled = Unrolled(graph, initial=True)
    for step in range(steps):
        failures = unrolled.step()
        for number in unrolled.some_failing({each: failures[each] for each in numbers}):
            say("fails", step, number)
            numbers = [each for each in numbers if each != number]
        say("looked", step)
    say("done")


def main() -> None:
    parser = argparse.ArgumentParser(prog="proofs.induction", description=__doc__)
    parser.add_argument("graph", type=Path)
    parser.add_argument("steps", type=int)
    parser.add_argument("--failing", type=int, nargs="*")
    given = parser.parse_args()
    if given.failing is None:
        induction(read(given.graph), given.steps)
    else:
        search(read(given.graph), given.steps, given.failing)


if __name__ == "__main__":
    main()
