# SPDX-License-Identifier: Apache-2.0
"""The statements that prove a mutation equivalent, as Verilog with one output: `bad`.

Two states are alike if they are equal but for what is in no use: contents of empty slots and free
entries, partners that are not there. Two copies of the switch without registers (cut.py), one of
them mutated, see the same inputs.
1. The switch cannot tell alike states: from alike states, which it can be in, and for all inputs
   that the links allow, outputs agree (payloads where they are valid) and the next states are
   alike. Shown slot by slot: alike is transitive.
2. From equal states the same holds of the switch and the mutant.
3. In reset both come to one state: all that is in use is 0, and the rings are at their first place.
Together: no traffic can tell the mutant from the switch. What states the switch can be in is an
invariant, proved in the same go. Each is shown by `bad` being constant 0, for 1 with `stale` at one
slot and no mutation, for 2 and 3 with a mutation `selected` and no `stale`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .cut import State, entry_fields
from .netlist import TOP, selection_width
from .parameters import Parameters

COMBINING_FORMS = 6  # forms below this number combine, tributary_pkg::CombiningForms
COUNT_BITS = 8  # of sums over a queue
FORMS = ("request.operation.form", "partner.operation.form")  # in an entry
ALWAYS = "1'b1"  # the guard of what is always in use


class Alike:
    """Expressions over a state vector of the harness, as text."""

    def __init__(self, state: State, parameters: Parameters, rtl: Path) -> None:
        self.state = state
        self.parameters = parameters
        writers = 1 + parameters["DualInput"]
        self.queue = entry_fields(rtl, "combining_queue", f"Writers={writers}")
        self.buffer = entry_fields(rtl, "wait_buffer")
        self.response_width = 8 + 64 + 48
        self.banks = 4
        self.rows = -(-(parameters["ReverseSlots"] - 1) // self.banks)
        self.places = self.banks * self.rows

    def value(self, vector: str, register: str, first: int = 0, width: int | None = None) -> str:
        """Bits of a register; all of them without `first` and `width`."""
        places = self.state.bits[register]
        count = width if width is not None else max(places) + 1
        bits = [
            f"{vector}[{places[first + i]}]" if first + i in places else "1'b0"
            for i in reversed(range(count))
        ]
        return "{" + ", ".join(bits) + "}"

    def parts(self, kind: str) -> list[str]:
        """Paths of all blocks that have a register of this name."""
        return sorted(
            register.rpartition(".")[0]
            for register in self.state.bits
            if register.endswith((f"{kind}.used_q", f"{kind}.size_q"))
        )

    def filled(self, vector: str, part: str, slot: int) -> str:
        return self.used(vector, part, slot)

    def holds(self, vector: str, part: str, responses: int) -> str:
        """Whether a reverse queue has more than so many responses, the head's included."""
        return f"({self.value(vector, part + '.size_q')} > {responses})"

    def reads(self, vector: str, part: str, place: int) -> str:
        """Whether the oldest response behind the head is in this place of the ring."""
        return self.value(vector, part + ".read_q", place, 1)

    def in_ring(self, vector: str, part: str, place: int) -> str:
        """Whether a place of the ring is in use."""
        cases = [
            f"({self.reads(vector, part, read)} && "
            f"{self.holds(vector, part, 1 + (place - read) % self.places)})"
            for read in range(self.places)
        ]
        return f"({' || '.join(cases)})"

    def writes(self, vector: str, part: str, those: Callable[[int], bool]) -> str:
        """Whether the next place of the ring to be written is one of `those`: as many behind the
        one to be read as there are responses behind the head."""
        size = self.value(vector, part + ".size_q")
        cases = [
            f"({self.reads(vector, part, read)} && {size} == {responses})"
            for read in range(self.places)
            for responses in range(self.parameters["ReverseSlots"] + 1)
            if those((read + max(responses - 1, 0)) % self.places)
        ]
        return f"({' || '.join(cases)})"

    def pointer(self, vector: str, part: str, name: str, index: int) -> str:
        """A bit of what says where a reverse queue writes."""
        if name == "bank_q":
            return self.writes(vector, part, lambda place: place % self.banks == index)
        return self.writes(vector, part, lambda place: place // self.banks == index)

    def used(self, vector: str, part: str, entry: int) -> str:
        return self.value(vector, part + ".used_q", entry, 1)

    def of_entry(self, vector: str, part: str, slot: int, name: str) -> str:
        offset, width = self.queue[name]
        return self.value(vector, part + ".entries_q", slot * self.queue[""][1] + offset, width)

    def joined(self, vector: str, part: str, slot: int) -> str:
        """Whether a slot holds a combined request."""
        combined = self.of_entry(vector, part, slot, "combined")
        return f"({self.filled(vector, part, slot)} && {combined})"

    def guard(self, vector: str, register: str, index: int) -> str:
        """Whether bit `index` of a register is in use."""
        part, _, name = register.rpartition(".")
        if part.endswith("u_queue") and name == "entries_q":
            slot, offset = divmod(index, self.queue[""][1])
            first, width = self.queue["sealed"]
            if not self.parameters["Ordered"] and first <= offset < first + width:
                return "1'b0"  # nothing reads the seals
            first, width = self.queue["partner"]
            if first <= offset < first + width:
                return self.joined(vector, part, slot)
            return self.filled(vector, part, slot)
        if part.endswith("u_wait_buffer") and name == "entries_q":
            return self.used(vector, part, index // self.buffer[""][1])
        if part.endswith("u_reverse_queue") and name == "head_q":
            return self.holds(vector, part, 0)
        if part.endswith("u_reverse_queue") and name == "ring_q":
            return self.in_ring(vector, part, index // self.response_width)
        return ALWAYS

    def slot(self, register: str, index: int) -> str:
        """Names the slot that a bit belongs to; empty for what is always in use."""
        if self.guard("g", register, index) == ALWAYS:
            return ""
        part, _, name = register.rpartition(".")
        response = self.response_width
        widths = {"entries_q": self.queue[""][1], "head_q": response, "ring_q": response}
        if part.endswith("u_wait_buffer"):
            widths["entries_q"] = self.buffer[""][1]
        return f"{register}[{index // widths[name]}]"

    def slots(self) -> list[str]:
        named = {
            self.slot(register, index)
            for register, places in self.state.bits.items()
            for index in places
        }
        return sorted(named - {""})

    def count(self, vector: str, part: str) -> str:
        """How many combined requests a queue holds."""
        slots = range(self.parameters["Slots"])
        joined = [f"{{{COUNT_BITS - 1}'d0, {self.joined(vector, part, slot)}}}" for slot in slots]
        return f"({' + '.join(joined)})"

    def closed(self, slot: int) -> bool:
        """Whether a slot never combines: nothing arrives without room for every writer."""
        return slot >= self.parameters["Slots"] - 1 - self.parameters["DualInput"]

    def legal(self, register: str, index: int) -> str:
        """A bit of the state `g` from any value of the input `raw`, so that every state that keeps
        the invariants comes up, and hardly any other: the solver need not search for them."""
        place = self.state.bits[register][index]
        part, _, name = register.rpartition(".")
        raw = f"raw[{place}]"
        if name == "size_q":
            most = self.parameters["ReverseSlots"]
            return f"{self.value('raw', register)} <= {most} ? {raw} : 1'b0"
        if name == "used_q" and part.endswith("u_queue"):
            return f"&{self.value('raw', register, 0, index + 1)}"
        if name == "read_q":
            before = self.value("raw", register, 0, index) if index else "1'b0"
            return f"!(|{before}) && {raw if index + 1 < self.places else ALWAYS}"
        if name in ("bank_q", "row_q"):
            return self.pointer("g", part, name, index)
        if name == "combined_q":
            return f"{self.count('g', part)} >> {index}"
        if name != "entries_q":
            return raw
        fields = self.buffer if part.endswith("u_wait_buffer") else self.queue
        slot, offset = divmod(index, fields[""][1])
        for field_name in FORMS:
            if field_name in fields and offset == fields[field_name][0] + 2:
                # Of combined requests 6 and 7 are no forms.
                guard = self.used if fields is self.buffer else self.joined
                middle = f"raw[{self.state.bits[register][index - 1]}]"
                return f"{raw} && !({middle} && {guard('g', part, slot)})"
        if fields is self.queue and offset == fields["combined"][0] and self.closed(slot):
            return f"{raw} && !{self.filled('g', part, slot)}"
        return raw

    def invariants(self, vector: str) -> Iterator[str]:
        """What holds of every state that the switch can be in."""
        slots = self.parameters["Slots"]
        limit = self.parameters["AdaptiveLimit"]
        for part in self.parts("u_queue"):
            for slot in range(slots):
                if slot:
                    below = self.filled(vector, part, slot - 1)
                    yield f"(!{self.filled(vector, part, slot)} || {below})"
                joined = self.joined(vector, part, slot)
                for name in FORMS:
                    form = self.of_entry(vector, part, slot, name)
                    yield f"(!{joined} || {form} < {COMBINING_FORMS})"
                if self.closed(slot):
                    yield f"!{joined}"
            combined = self.value(vector, part + ".combined_q")
            yield f"{combined} == {self.count(vector, part)}"
            if limit:
                yield f"{combined} <= {limit + self.parameters['DualInput']}"
        offset, width = self.buffer["partner.operation.form"]
        for part in self.parts("u_wait_buffer"):
            for entry in range(self.parameters["WaitBufferEntries"]):
                first = entry * self.buffer[""][1] + offset
                form = self.value(vector, part + ".entries_q", first, width)
                yield f"(!{self.used(vector, part, entry)} || {form} < {COMBINING_FORMS})"
        for part in self.parts("u_reverse_queue"):
            yield f"!{self.holds(vector, part, self.parameters['ReverseSlots'])}"
            read = self.value(vector, part + ".read_q")
            yield f"({read} != 0 && ({read} & ({read} - 1)) == 0)"
            for name in ("bank_q", "row_q"):
                for index, place in self.state.bits.get(f"{part}.{name}", {}).items():
                    yield f"({vector}[{place}] == {self.pointer(vector, part, name, index)})"


def valid_of(port: str) -> str:
    """The port that says when a payload counts; empty for what always does."""
    return {
        "request_o": "request_valid_o",
        "response_o": "response_valid_o",
        "event_joined_id_o": "event_combined_o",
        "event_joining_id_o": "event_combined_o",
        "event_second_o": "event_decombined_o",
    }.get(port, "")


def outputs_differ(ports: dict[str, int]) -> Iterator[str]:
    for port, width in ports.items():
        valid = valid_of(port)
        if not valid:
            yield f"(g_{port} != m_{port})"
            continue
        each = width // ports[valid]
        for i in range(ports[valid]):
            part = f"[{i * each} +: {each}]"
            yield f"(g_{valid}[{i}] && g_{port}{part} != m_{port}{part})"


# What the links allow: valid where the switch is ready, for the output that the request takes. Put
# into the inputs and not assumed, so that the solver sees what it implies without search. A request
# has 244 bits, the upper 16 of them the memory module.
ALLOWED = {
    "request_valid_i": "request_valid_i & {g_request_ready_o[2 + request_i[472 + route_bit_i]], "
    "g_request_ready_o[request_i[228 + route_bit_i]]}",
    "response_valid_i": "response_valid_i & g_response_ready_o",
}


def statement(netlist: dict[str, Any], alike: Alike, count: int) -> str:
    """The Verilog of module `harness` over the netlist as it was cut."""
    state = alike.state
    slots = {name: place for place, name in enumerate(alike.slots())}
    ports = netlist["modules"][TOP]["ports"]
    width = {name: len(port["bits"]) for name, port in ports.items()}
    own = ("state_i", "state_o", "mutant_i", "clk_i")
    inputs = [n for n, p in ports.items() if p["direction"] == "input" and n not in own]
    outputs = {n: width[n] for n, p in ports.items() if p["direction"] == "output" and n not in own}
    n = state.width
    declared = [f"input [{width[name] - 1}:0] {name}" for name in inputs]
    declared += [f"input [{n - 1}:0] raw", f"input [{n - 1}:0] other", "output bad"]
    declared += [f"input [{selection_width(count) - 1}:0] selected"]
    declared += [f"input [{len(slots) - 1}:0] stale"]
    lines = [f"module harness({', '.join(declared)});"]
    lines += [f"wire [{n - 1}:0] g, m, dg, dm, next;"]
    for name in outputs:
        lines.append(f"wire [{width[name] - 1}:0] g_{name}, m_{name};")
    reset = []
    for register, places in state.bits.items():
        for index, place in places.items():
            lines.append(f"assign next[{place}] = {alike.guard('dg', register, index)};")
            lines.append(f"assign g[{place}] = {alike.legal(register, index)};")
            slot = alike.slot(register, index)
            if not slot:
                lines.append(f"assign m[{place}] = g[{place}];")
                first = register.endswith((".read_q", ".bank_q", ".row_q")) and index == 0
                reset.append(f"dg[{place}] != 1'b{int(first)} | dm[{place}] != 1'b{int(first)}")
                continue
            use = alike.guard("g", register, index)
            changed = f"stale[{slots[slot]}] && !({use})"
            lines.append(f"assign m[{place}] = {changed} ? other[{place}] : g[{place}];")
    for copy, selected in (("g", f"{selection_width(count)}'d0"), ("m", "selected")):
        connected = [f".{name}({ALLOWED.get(name, name)})" for name in inputs]
        connected += [f".{name}({copy}_{name})" for name in outputs]
        connected += [f".state_i({copy})", f".state_o(d{copy})", f".mutant_i({selected})"]
        connected += [".clk_i(1'b0)"]
        lines.append(f"{TOP} {copy}_switch({', '.join(connected)});")
    lines.append(f"wire possible = {' && '.join(alike.invariants('g'))};")
    lines.append(f"wire stays = {' && '.join(alike.invariants('dg'))};")
    lines.append(f"wire differ = {' || '.join(outputs_differ(outputs))};")
    lines.append("wire unlike = |((dg ^ dm) & next);")
    lines.append(f"wire not_reset = {' | '.join(f'({each})' for each in reset)};")
    lines.append("assign bad = rst_ni ? possible && (unlike || !stays || differ) : not_reset;")
    return "\n".join([*lines, "endmodule", ""])
