# SPDX-License-Identifier: Apache-2.0
"""The parameters of a point: circuit, library and recipe.

Those of the circuit have the names and ranges of the RTL's, which names them in its own errors.
"""

import difflib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import SynthesisError

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
        """The value, if it is one of this parameter. Raises `SynthesisError`."""
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

    def _error(self, source: str, what: str) -> SynthesisError:
        allowed = f"{self.range} {self.unit}".rstrip()
        return SynthesisError(
            f"{source}: {self.name}: {what} (allowed: {allowed}); choose one of these"
        )


def _written(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _circuit(name: str, default: Value, description: str, **more: Any) -> Parameter:
    return Parameter(f"circuit.{name}", default, description, **more)


PARAMETERS: tuple[Parameter, ...] = (
    _circuit(
        "kind",
        "two_switches",
        "What is synthesised: two switches in series with both links between them, which set the "
        "clock, one switch, a forward queue, or a wait buffer; registers on all sides.",
        values=("two_switches", "switch", "queue", "wait_buffer"),
    ),
    _circuit(
        "dual_input",
        False,
        "Whether one queue with two inputs serves a memory-side port (type A), or two queues with "
        "one input each behind a multiplexer (type B).",
    ),
    _circuit("coupled", False, "Whether the head of a combining queue may still combine."),
    _circuit(
        "sum",
        "on_arrival",
        "Where a parallel queue composes a pair: as the second request arrives, or behind the head "
        "as the pair leaves, adder and output driver in series.",
        values=("on_arrival", "at_exit"),
    ),
    _circuit("ordered", False, "Whether one input's requests to one word keep their order."),
    _circuit(
        "microarchitecture",
        "parallel",
        "Whether an arrival is compared with every entry at once, or entries that pass each other.",
        values=("parallel", "systolic"),
    ),
    _circuit("slots", 4, "Slots of each combining queue.", unit="requests", least=1, most=64),
    _circuit(
        "adaptive_limit",
        0,
        "A combining queue reports full while it holds this many combined requests; 0: never.",
        unit="requests",
        least=0,
        most=64,
    ),
    _circuit("gradual", False, "Whether that limit follows the measured combining rate."),
    _circuit(
        "wait_buffer_entries",
        8,
        "Entries of the wait buffer of each memory-side port.",
        unit="requests",
        least=1,
        most=65535,
    ),
    _circuit(
        "link_cycles",
        2,
        "A link carries one message every so many cycles.",
        unit="cycles",
        least=1,
        most=128,
    ),
    _circuit(
        "reverse_slots",
        16,
        "Slots of each reverse queue.",
        unit="responses",
        least=5,
        most=4096,
    ),
    _circuit(
        "forms",
        "all",
        "Forms of operations that combine; none: the switch has neither partners nor wait buffers.",
        values=("all", "identity_and_add", "none"),
    ),
    _circuit("data_width", 64, "Of an operand.", unit="bits", least=1, most=1024),
    _circuit("address_width", 48, "Of a word's address.", unit="bits", least=1, most=64),
    _circuit("module_width", 16, "Of a module's number.", unit="bits", least=2, most=32),
    _circuit("sequence_width", 32, "Of an element's own number.", unit="bits", least=1, most=64),
    _circuit(
        "element_width",
        16,
        "Of an element's number; that of module_width.",
        unit="bits",
        least=2,
        most=32,
    ),
    Parameter(
        "library",
        "osu018",
        "The standard cells: osu018 is Debian's, the others are in the folder that the environment "
        "names in TRIBUTARY_LIBERTY.",
        values=("osu018", "sky130", "ihp130", "asap7"),
    ),
    Parameter(
        "recipe.adder",
        "default",
        "How sums and comparisons carry: yosys' own choice, or a parallel prefix.",
        values=("default", "kogge-stone", "han-carlson", "sklansky"),
    ),
    Parameter(
        "recipe.script",
        "speed",
        "What ABC does: yosys' own script, or one that restructures for speed.",
        values=("area", "speed"),
    ),
    Parameter(
        "recipe.lut",
        6,
        "Inputs of the cuts by which the script for speed restructures; the other has none.",
        unit="inputs",
        least=3,
        most=12,
    ),
    Parameter(
        "recipe.hierarchy",
        "blocks",
        "What ABC sees at once: the whole circuit, each block by itself (switch, queue, wait "
        "buffer, reverse queue), or also the composing and decombining units by themselves.",
        values=("flat", "blocks", "units"),
    ),
    Parameter(
        "recipe.target",
        100,
        "The delay that ABC is told to reach.",
        unit="ps",
        least=1,
        most=1_000_000,
    ),
)
BY_NAME: Mapping[str, Parameter] = {each.name: each for each in PARAMETERS}


def parameter(name: str, source: str) -> Parameter:
    """The parameter of a name. Raises `SynthesisError` with the nearest one."""
    if name in BY_NAME:
        return BY_NAME[name]
    near = difflib.get_close_matches(name, BY_NAME, n=1)
    advice = (
        f"did you mean {near[0]}?"
        if near
        else "see tributary-synthesis describe for those that there are"
    )
    raise SynthesisError(f"{source}: {name}: unknown parameter; {advice}")


def defaults() -> Configuration:
    return {each.name: each.default for each in PARAMETERS}


def check_together(configuration: Mapping[str, Value], source: str) -> None:
    """Raises `SynthesisError` for what the RTL would refuse, in its words."""

    def refuse(name: str, what: str, allowed: str) -> None:
        raise SynthesisError(f"{source}: circuit.{name}: {what} (allowed: {allowed})")

    def value(name: str) -> Value:
        return configuration[f"circuit.{name}"]

    systolic = value("microarchitecture") == "systolic"
    slots = value("slots")
    if value("dual_input") and slots == 1:
        refuse(
            "slots",
            "1 with dual_input: it is ready only with room for both inputs, so it would never "
            "accept a request",
            "2 to 64 requests",
        )
    alone = "parallel, or systolic with type B, oldest first and the sum on_arrival"
    if systolic and value("dual_input"):
        refuse(
            "microarchitecture",
            "systolic with dual_input: a systolic queue has one input",
            alone,
        )
    if systolic and value("ordered"):
        refuse("microarchitecture", "systolic with ordered: a systolic queue keeps no seals", alone)
    if systolic and value("sum") == "at_exit":
        refuse(
            "microarchitecture",
            "systolic with sum at_exit: a systolic queue has one adder, whose place follows from "
            "coupled",
            alone,
        )
    if value("forms") == "none" and value("adaptive_limit") != 0:
        refuse(
            "adaptive_limit",
            f"{value('adaptive_limit')} with forms none: nothing combines that it could limit",
            "0 with forms none",
        )
    gradual = "false, or true with an adaptive_limit and microarchitecture parallel"
    if value("gradual") and value("adaptive_limit") == 0:
        refuse("gradual", "true with adaptive_limit 0: there is no limit to come to", gradual)
    if value("gradual") and systolic:
        refuse(
            "gradual",
            "true with microarchitecture systolic: it measures no combining rate",
            gradual,
        )
    if value("element_width") != value("module_width"):
        refuse(
            "element_width",
            f"{value('element_width')} bits is not module_width",
            f"{value('module_width')} bits, that of module_width",
        )


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
