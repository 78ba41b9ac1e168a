# SPDX-License-Identifier: Apache-2.0
"""The parameters of a point: circuit, library and recipe.

Those of the circuit have the names and ranges of the RTL's, which names them in its own errors.
"""

import difflib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from common.errors import ToolError

PLATFORM = "switch_synthesis"
SCHEMA = "tributary.parameters/1"

Value = int | bool | str
Configuration = dict[str, Value]
"""Every parameter by its dotted name."""


@dataclass(frozen=True)
class Parameter:
    """One parameter. `values` are those of a choice, `least` and `most` those of an integer."""

    name: str
    default: Value
    description: str
    unit: str = ""
    values: tuple[str, ...] = ()
    least: int = 0
    most: int = 0

    @property
    def type(self) -> str:
        if isinstance(self.default, bool):
            return "boolean"
        return "integer" if isinstance(self.default, int) else "choice"

    @property
    def range(self) -> str:
        """As errors and tables write it."""
        if self.type == "integer":
            return f"{self.least} to {self.most}"
        return " | ".join(("true", "false") if self.type == "boolean" else self.values)

    def checked(self, value: object, source: str) -> Value:
        """The value, if it is one of this parameter. Raises `ToolError`."""
        if self.type == "integer":
            # JSON does not tell 4 from 4.0.
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if isinstance(value, int) and not isinstance(value, bool):
                if self.least <= value <= self.most:
                    return value
                raise self._error(source, f"{value} {self.unit}".rstrip() + " is out of range")
            raise self._error(source, f"{_written(value)} is no whole number")
        if self.type == "boolean":
            if isinstance(value, bool):
                return value
            raise self._error(source, f"{_written(value)} is neither true nor false")
        if isinstance(value, str) and value in self.values:
            return value
        raise self._error(source, f"{_written(value)} is none of its values")

    def _error(self, source: str, problem: str) -> ToolError:
        allowed = f"{self.range} {self.unit}".rstrip()
        return ToolError(
            f"{source}: {self.name}: {problem} (allowed: {allowed}); choose one of these"
        )


def _written(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _choice(name: str, values: str, default: str, description: str) -> Parameter:
    return Parameter(name, default, description, values=tuple(values.split(" | ")))


def _flag(name: str, description: str) -> Parameter:
    return Parameter(name, False, description)


def _number(
    name: str, default: int, least: int, most: int, unit: str, description: str
) -> Parameter:
    return Parameter(name, default, description, unit, least=least, most=most)


PARAMETERS: tuple[Parameter, ...] = (
    _choice("circuit.kind", "two_switches | switch | queue | wait_buffer | receive_engine",
            "two_switches",
            "What is synthesised: two switches in series with both links between them, which set "
            "the clock, one switch, a forward queue, a wait buffer, or the receive engine of a "
            "message interface; registers on all sides."),
    _flag("circuit.dual_input",
          "Whether one queue with two inputs serves a memory-side port (type A), or two queues "
          "with one input each behind a multiplexer (type B)."),
    _flag("circuit.coupled", "Whether the head of a combining queue may still combine."),
    _choice("circuit.sum", "on_arrival | at_exit", "on_arrival",
            "Where a parallel queue composes a pair: as the second request arrives, or behind the "
            "head as the pair leaves, adder and output driver in series."),
    _flag("circuit.ordered", "Whether one input's requests to one word keep their order."),
    _choice("circuit.microarchitecture", "parallel | systolic", "parallel",
            "Whether an arrival is compared with every entry at once, or entries that pass each "
            "other."),
    _flag("circuit.arrival_registers",
          "Whether what arrives over a link stays a cycle in a register before it enters a queue: "
          "a stage of pipeline."),
    _number("circuit.slots", 4, 1, 64, "requests", "Slots of each combining queue."),
    _number("circuit.adaptive_limit", 0, 0, 64, "requests",
            "A combining queue reports full while it holds this many combined requests; 0: never."),
    _flag("circuit.gradual", "Whether that limit follows the measured combining rate."),
    _number("circuit.wait_buffer_entries", 8, 1, 65535, "requests",
            "Entries of the wait buffer of each memory-side port."),
    _number("circuit.link_cycles", 2, 1, 128, "cycles",
            "A link carries one message every so many cycles."),
    _number("circuit.reverse_slots", 16, 5, 4096, "responses", "Slots of each reverse queue."),
    _choice("circuit.forms", "all | identity_and_add | none", "all",
            "Forms of operations that combine; none: the switch has neither partners nor wait "
            "buffers."),
    _number("circuit.data_width", 64, 1, 1024, "bits", "Of an operand."),
    _number("circuit.address_width", 48, 1, 64, "bits", "Of a word's address."),
    _number("circuit.module_width", 16, 2, 32, "bits", "Of a module's number."),
    _number("circuit.sequence_width", 32, 1, 64, "bits", "Of an element's own number."),
    _number("circuit.element_width", 16, 2, 32, "bits",
            "Of an element's number; that of module_width."),
    _number("circuit.counters", 16, 1, 16, "counters",
            "Of each of the two banks of a receive engine."),
    _number("circuit.translations", 64, 1, 256, "pages", "Entries of the TLB of a receive engine."),
    _choice("library", "osu018 | sky130 | ihp130 | asap7", "osu018",
            "The standard cells: osu018 is Debian's, the others are in the folder that the "
            "environment names in TRIBUTARY_LIBERTY."),
    _choice("recipe.adder", "default | kogge-stone | han-carlson | sklansky", "default",
            "How sums and comparisons carry: yosys' own choice, or a parallel prefix."),
    _choice("recipe.script", "area | speed", "speed",
            "What ABC does: yosys' own script, or one that restructures for speed."),
    _number("recipe.lut", 6, 3, 12, "inputs",
            "Inputs of the cuts by which the script for speed restructures; the other has none."),
    _choice("recipe.hierarchy", "flat | blocks | units", "blocks",
            "What ABC sees at once: the whole circuit, each block by itself (switch, queue, wait "
            "buffer, reverse queue), or also the composing and decombining units by themselves."),
    _number("recipe.target", 100, 1, 1_000_000, "ps", "The delay that ABC is told to reach."),
)  # fmt: skip
BY_NAME: Mapping[str, Parameter] = {each.name: each for each in PARAMETERS}


def parameter(name: str, source: str) -> Parameter:
    """The parameter of a name. Raises `ToolError` with the nearest one."""
    if name in BY_NAME:
        return BY_NAME[name]
    near = difflib.get_close_matches(name, BY_NAME, n=1)
    advice = (
        f"did you mean {near[0]}?"
        if near
        else "see tributary-synthesis describe for those that there are"
    )
    raise ToolError(f"{source}: {name}: unknown parameter; {advice}")


def defaults() -> Configuration:
    return {each.name: each.default for each in PARAMETERS}


def check_together(configuration: Mapping[str, Value], source: str) -> None:
    """Raises `ToolError` for what the RTL would refuse, in its words."""

    def refuse(name: str, problem: str, allowed: str) -> None:
        raise ToolError(f"{source}: circuit.{name}: {problem} (allowed: {allowed})")

    def value(name: str) -> Value:
        return configuration[f"circuit.{name}"]

    systolic = value("microarchitecture") == "systolic"
    limit, dual_input = value("adaptive_limit"), value("dual_input")
    width = value("module_width")
    alone = "parallel, or systolic with type B, oldest first and the sum on_arrival"
    gradual = "false, or true with an adaptive_limit and microarchitecture parallel"
    if dual_input and value("slots") == 1:
        refuse("slots", "1 with dual_input: it is ready only with room for both inputs, so it "
               "would never accept a request", "2 to 64 requests")  # fmt: skip
    if systolic and dual_input:
        problem = "systolic with dual_input: a systolic queue has one input"
        refuse("microarchitecture", problem, alone)
    if systolic and value("ordered"):
        refuse("microarchitecture", "systolic with ordered: a systolic queue keeps no seals", alone)
    if systolic and value("sum") == "at_exit":
        refuse("microarchitecture", "systolic with sum at_exit: a systolic queue has one adder, "
               "whose place follows from coupled", alone)  # fmt: skip
    if systolic and value("arrival_registers"):
        problem = "true with microarchitecture systolic: it compares nothing on arrival"
        refuse("arrival_registers", problem, "false, or true with microarchitecture parallel")
    if value("forms") == "none" and limit != 0:
        problem = f"{limit} with forms none: nothing combines that it could limit"
        refuse("adaptive_limit", problem, "0 with forms none")
    if value("gradual") and limit == 0:
        refuse("gradual", "true with adaptive_limit 0: there is no limit to come to", gradual)
    if value("gradual") and systolic:
        problem = "true with microarchitecture systolic: it measures no combining rate"
        refuse("gradual", problem, gradual)
    if value("element_width") != width:
        problem = f"{value('element_width')} bits is not module_width"
        refuse("element_width", problem, f"{width} bits, that of module_width")


def nested(values: Iterable[tuple[str, Value]]) -> dict[str, Any]:
    """Dotted names as nested objects."""
    document: dict[str, Any] = {}
    for name, value in values:
        *groups, leaf = name.split(".")
        place = document
        for group in groups:
            place = place.setdefault(group, {})
        place[leaf] = value
    return document


def description() -> dict[str, Any]:
    """What `describe --json` prints."""
    return {
        "schema": SCHEMA,
        "platform": PLATFORM,
        "parameters": [
            {
                "name": each.name,
                "type": each.type,
                "unit": each.unit,
                "default": json.dumps(each.default),
                "range": each.range,
                "description": each.description,
            }
            for each in PARAMETERS
        ],
    }
