# SPDX-License-Identifier: Apache-2.0
"""The circuits: top modules, their parameters, and the flip-flops that these must leave.

The flip-flops are counted here from the parameters alone, so that a netlist that has lost some,
because nothing looked at an output, or has too many is seen.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from .parameters import Configuration

PORTS = 2
"""Memory-side ports of a switch, and as many processor-side ones."""
_FORM = 3
_STATUS = 8
_RATE = 8
"""Of the combining rate that a gradual limit follows (cycle contract, rule 12)."""
# Values that the RTL has as numbers.
_NUMBERS = {
    "on_arrival": 0,
    "at_exit": 1,
    "parallel": 0,
    "systolic": 1,
    "all": 255,
    "identity_and_add": 1 << 0 | 1 << 2,
    "none": 0,
}
_NAMES = {"sum": "SumAtExit"}
# Parameters of the blocks alone that have their names in the switch.
_OF_QUEUE = ("Microarchitecture", "Slots", "AdaptiveLimit", "Gradual", "Coupled", "SumAtExit",
             "Ordered", "Forms", "DataWidth")  # fmt: skip
_OF_WAIT_BUFFER = ("Forms", "DataWidth")
_OF_RECEIVE_ENGINE = ("counters", "translations")


@dataclass(frozen=True)
class Circuit:
    """What is synthesised."""

    top: str
    parameters: Mapping[str, int]
    flip_flops: int
    simplify: bool
    """Whether parts of it can go that only a proof shows to be idle."""
    switches: int = 0


def circuit(configuration: Configuration) -> Circuit:
    """The circuit of a configuration that `check_together` accepts."""
    sizes = _Sizes(configuration)
    kind = configuration["circuit.kind"]
    if kind == "queue":
        return _queue_alone(sizes)
    if kind == "wait_buffer":
        return _wait_buffer_alone(sizes)
    if kind == "receive_engine":
        return _receive_engine_alone(configuration)
    return _switch_chain(sizes, 2 if kind == "two_switches" else 1)


class _Sizes:
    """The parameters by their names in the RTL, and widths in bits."""

    def __init__(self, configuration: Configuration) -> None:
        self.rtl: dict[str, int] = {}
        for name, value in configuration.items():
            group, _, own = name.partition(".")
            if group == "circuit" and own not in ("kind", *_OF_RECEIVE_ENGINE):
                camel = _NAMES.get(own) or "".join(map(str.capitalize, own.split("_")))
                self.rtl[camel] = _NUMBERS[value] if isinstance(value, str) else int(value)
        forms = configuration["circuit.forms"]
        self.combines = forms != "none"
        if not self.combines:
            # There is no wait buffer, whatever its size.
            self.rtl["WaitBufferEntries"] = 1
        self.systolic = bool(self.rtl["Microarchitecture"])
        self.writers = 1 + self.rtl["DualInput"]
        self.slots = self.rtl["Slots"]
        self.data = self.rtl["DataWidth"]
        self.location = self.rtl["ModuleWidth"] + self.rtl["AddressWidth"]
        self.id = self.rtl["SequenceWidth"] + self.rtl["ElementWidth"]
        self.operation = _FORM + 2 * self.data
        self.request = self.location + self.operation + self.id + 1  # combinable
        # Partners that no form makes, operands that no form uses, or a timer that never runs.
        self.has_idle_parts = forms != "all" or self.rtl["LinkCycles"] == 1
        # Of a form that takes part in combining: identity and sum differ in one bit.
        self.combining_form = _FORM if forms == "all" else 1
        # Of a pair's first request as it leaves with the pair. At the exit, and in a systolic
        # queue, it has stayed where requests of any form wait.
        waits = self.systolic or self.rtl["SumAtExit"]
        self.form_of_first = _FORM if waits else self.combining_form
        # Of the operation that a wait buffer keeps: a sum needs one operand only.
        self.second_operand = self.data if forms == "all" else 0

    def only(self, names: tuple[str, ...], **more: int) -> dict[str, int]:
        """Some of the parameters, and others."""
        return {**{name: self.rtl[name] for name in names}, **more}


def _queue_alone(s: _Sizes) -> Circuit:
    parameters = s.only(_OF_QUEUE, Writers=s.writers, LocationWidth=s.location, IdWidth=s.id)
    inputs = s.writers * (1 + s.request) + 2
    outputs = 1 + 1 + s.request
    if s.combines:
        # What leaves at the exit has two bits of its form in common with the first of the pair.
        outputs += 1 + s.id + s.combining_form + 2 * s.data
    else:
        inputs -= 1  # whether the wait buffer is full concerns nobody
    own = _queue(s, s.data)
    return Circuit("queue_alone", parameters, inputs + outputs + own, s.has_idle_parts)


def _wait_buffer_alone(s: _Sizes) -> Circuit:
    entries = s.rtl["WaitBufferEntries"]
    parameters = s.only(_OF_WAIT_BUFFER, Entries=entries, IdWidth=s.id)
    inputs = 1 + 2 * s.id + _FORM + s.data + s.second_operand + 1 + s.id + s.data
    outputs = 3 + s.id + s.data
    own = _wait_buffer(s, _FORM)
    return Circuit("wait_buffer_alone", parameters, inputs + outputs + own, s.has_idle_parts)


def _receive_engine_alone(configuration: Configuration) -> Circuit:
    counters = int(configuration["circuit.counters"])
    translations = int(configuration["circuit.translations"])
    page, place, word, number, counter = 52, 28, 3, 8, 16
    command = 1 + number + counter
    header = 1 + 4 + 3 + number + 1 + command + 17 + 15 + 64
    fill = 1 + max((translations - 1).bit_length(), 1) + 1 + page + place
    inputs = 2 * header + 4 + fill + counters + 1 + command + 1 + number + 4
    error = 3
    outputs = 2 + 40 + word + 4 + 5 + page + 1 + error + 2 + 2 * error
    engine = 3 + 1 + 2 * word + 4 + place + 2 * counters * counter + counters
    tlb = translations * (1 + page + place)
    parameters = {"Counters": counters, "Translations": translations}
    return Circuit(
        "receive_engine_alone", parameters, inputs + outputs + engine + tlb, simplify=False
    )


def _switch_chain(s: _Sizes, switches: int) -> Circuit:
    parameters = {"Switches": switches, **s.rtl, "StatusWidth": _STATUS}
    requests = PORTS * (1 + s.request)
    responses = PORTS * (1 + s.data + s.id + _STATUS)
    # Of a dual-input queue both inputs have one ready bit, held once.
    ready_to_processors = 4 // s.writers
    first = requests + responses + ready_to_processors + 2
    last = requests + responses + 4 + 1
    idle = 1
    flip_flops = first + last + idle + switches * _switch(s)
    return Circuit("switch_chain", parameters, flip_flops, s.has_idle_parts, switches)


def _switch(s: _Sizes) -> int:
    timer = (s.rtl["LinkCycles"] - 1).bit_length()
    queues = 3 - s.writers
    response = _STATUS + s.data + s.id
    output = queues * _queue(s, s.second_operand) + timer + (queues - 1)
    if s.combines:
        output += _wait_buffer(s, s.form_of_first)
    arrival = 0
    if s.rtl["ArrivalRegisters"]:
        arrival = 2 + s.request + 1 + response
        if s.combines:
            arrival += s.rtl["WaitBufferEntries"] + s.id + s.form_of_first + s.data
            arrival += s.second_operand
    reverse = _reverse_queue(s.rtl["ReverseSlots"], response)
    return PORTS * (arrival + output + reverse + timer)


def _reverse_queue(slots: int, response: int) -> int:
    banks = 4
    rows = -(-(slots - 1) // banks)  # behind the head
    places = rows * banks
    return (1 + places) * response + slots.bit_length() + places + banks + rows


def _wait_buffer(s: _Sizes, form: int) -> int:
    entries = s.rtl["WaitBufferEntries"]
    # Of one entry, used and full are one flip-flop.
    full = int(entries > 1)
    return full + entries * (1 + 2 * s.id + form + s.data + s.second_operand)


def _queue(s: _Sizes, second_operand: int) -> int:
    """Of a queue whose partner's operation leaves with so many bits of its second operand."""
    limit = s.rtl["AdaptiveLimit"]
    size = (s.slots + 1 if s.systolic else s.slots).bit_length()
    # Of a parallel queue each slot says whether it is used.
    used = size if s.systolic else s.slots
    counts = used + (size if 0 < limit < 1 << size else 0)
    if s.systolic:
        rows = max(s.slots - 1, 1)
        partner = s.slots * (1 + s.operation + s.id) if s.combines else 0
        return (rows + s.slots) * (1 + s.request) + partner + counts
    entry = s.request
    if s.combines:
        entry += 1  # combined
        # At the exit the pair is still to be composed, for which all of both is needed.
        partner_operand = s.data if s.rtl["SumAtExit"] else second_operand
        entry += s.id + s.combining_form + s.data + partner_operand
    if s.rtl["Gradual"]:
        highest = s.slots - s.writers + 1
        counts = used + size + (_RATE if highest > limit else 0)
    # Decoupled, nothing looks at the seals of the head.
    sealed = s.slots if s.rtl["Coupled"] else s.slots - 1
    seals = sealed * s.writers if s.combines and s.rtl["Ordered"] else 0
    return s.slots * entry + seals + counts
