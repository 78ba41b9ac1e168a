# SPDX-License-Identifier: Apache-2.0
"""The circuits: top modules, their parameters, and the flip-flops that these must leave.

The flip-flops are counted here from the parameters alone, so that a netlist that has lost some,
because nothing looked at an output, or has too many is seen.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from .parameters import Configuration

_FORM = 3
_STATUS = 8
_FORMS = {"all": 255, "identity_and_add": 1 << 0 | 1 << 2, "none": 0}


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
    values = _Values.of(configuration)
    kind = configuration["circuit.kind"]
    if kind == "queue":
        return _queue_alone(values)
    if kind == "wait_buffer":
        return _wait_buffer_alone(values)
    return _switch_chain(values, 2 if kind == "two_switches" else 1)


@dataclass(frozen=True)
class _Values:
    dual: bool
    coupled: bool
    at_exit: bool
    ordered: bool
    systolic: bool
    slots: int
    limit: int
    gradual: bool
    entries: int
    link_cycles: int
    reverse_slots: int
    forms: str
    data: int
    address: int
    module: int
    sequence: int
    element: int

    @staticmethod
    def of(configuration: Configuration) -> "_Values":
        def number(name: str) -> int:
            return int(configuration[f"circuit.{name}"])

        forms = str(configuration["circuit.forms"])
        return _Values(
            dual=bool(number("dual_input")),
            coupled=bool(number("coupled")),
            at_exit=configuration["circuit.sum"] == "at_exit",
            ordered=bool(number("ordered")),
            systolic=configuration["circuit.microarchitecture"] == "systolic",
            slots=number("slots"),
            limit=number("adaptive_limit"),
            gradual=bool(number("gradual")),
            # Without combining there is no wait buffer, whatever its size.
            entries=number("wait_buffer_entries") if forms != "none" else 1,
            link_cycles=number("link_cycles"),
            reverse_slots=number("reverse_slots"),
            forms=forms,
            data=number("data_width"),
            address=number("address_width"),
            module=number("module_width"),
            sequence=number("sequence_width"),
            element=number("element_width"),
        )

    @property
    def location(self) -> int:
        return self.module + self.address

    @property
    def id(self) -> int:
        return self.sequence + self.element

    @property
    def operation(self) -> int:
        return _FORM + 2 * self.data

    @property
    def combines(self) -> bool:
        return self.forms != "none"

    @property
    def has_idle_parts(self) -> bool:
        """Partners that no form makes, operands that no form uses, or a timer that never runs."""
        return self.forms != "all" or self.link_cycles == 1

    @property
    def combining_form(self) -> int:
        """Bits of a form that takes part in combining: identity and sum differ in one."""
        return _FORM if self.forms == "all" else 1

    @property
    def form_of_first(self) -> int:
        """Of a pair's first request as it leaves beside the pair. At the exit, and in a systolic
        queue, it has stayed where requests of any form wait."""
        return _FORM if self.at_exit or self.systolic else self.combining_form

    @property
    def second_operand(self) -> int:
        """Of the operation that a wait buffer keeps: a sum needs one operand only."""
        return self.data if self.forms == "all" else 0


def _queue_alone(v: _Values) -> Circuit:
    writers = 2 if v.dual else 1
    parameters = {
        "Microarchitecture": int(v.systolic),
        "Writers": writers,
        "Slots": v.slots,
        "AdaptiveLimit": v.limit,
        "Gradual": int(v.gradual),
        "Coupled": int(v.coupled),
        "SumAtExit": int(v.at_exit),
        "Ordered": int(v.ordered),
        "Forms": _FORMS[v.forms],
        "LocationWidth": v.location,
        "DataWidth": v.data,
        "IdWidth": v.id,
    }
    request = v.location + v.operation + v.id + 1
    inputs = writers * (1 + request) + 2
    outputs = 1 + 1 + request
    if v.combines:
        # What leaves at the exit has two bits of its form in common with the first of the pair.
        outputs += 1 + v.id + v.combining_form + 2 * v.data
    else:
        inputs -= 1  # whether the wait buffer is full concerns nobody
    own = _queue(v, writers, v.data)
    return Circuit("queue_alone", parameters, inputs + outputs + own, v.has_idle_parts)


def _wait_buffer_alone(v: _Values) -> Circuit:
    parameters = {
        "Entries": v.entries,
        "Forms": _FORMS[v.forms],
        "DataWidth": v.data,
        "IdWidth": v.id,
    }
    inputs = 1 + 2 * v.id + _FORM + v.data + v.second_operand + 1 + v.id + v.data
    outputs = 3 + v.id + v.data
    own = _wait_buffer(v, _FORM)
    return Circuit("wait_buffer_alone", parameters, inputs + outputs + own, v.has_idle_parts)


def _switch_chain(v: _Values, switches: int) -> Circuit:
    parameters = {
        "Switches": switches,
        "DualInput": int(v.dual),
        "Coupled": int(v.coupled),
        "SumAtExit": int(v.at_exit),
        "Ordered": int(v.ordered),
        "Microarchitecture": int(v.systolic),
        "Slots": v.slots,
        "AdaptiveLimit": v.limit,
        "Gradual": int(v.gradual),
        "WaitBufferEntries": v.entries,
        "LinkCycles": v.link_cycles,
        "ReverseSlots": v.reverse_slots,
        "Forms": _FORMS[v.forms],
        "DataWidth": v.data,
        "AddressWidth": v.address,
        "ModuleWidth": v.module,
        "SequenceWidth": v.sequence,
        "ElementWidth": v.element,
        "StatusWidth": _STATUS,
    }
    requests = 2 * (1 + v.location + v.operation + v.id + 1)
    responses = 2 * (1 + v.data + v.id + _STATUS)
    # Of a dual-input queue both inputs have one ready bit, held once.
    ready_to_processors = 2 if v.dual else 4
    first = requests + responses + ready_to_processors + 2
    last = requests + responses + 4 + 1
    idle = 1
    return Circuit(
        "switch_chain",
        parameters,
        first + last + idle + switches * _switch(v),
        v.has_idle_parts,
        switches,
    )


def _switch(v: _Values) -> int:
    timer = (v.link_cycles - 1).bit_length()
    queues = 1 if v.dual else 2
    writers = 2 if v.dual else 1
    response = _STATUS + v.data + v.id
    output = queues * _queue(v, writers, v.second_operand) + timer + (queues - 1)
    if v.combines:
        output += _wait_buffer(v, v.form_of_first)
    reverse = v.reverse_slots * response + v.reverse_slots.bit_length()
    return 2 * output + 2 * (reverse + timer)


def _wait_buffer(v: _Values, form: int) -> int:
    # Of one entry, used and full are one flip-flop.
    full = int(v.entries > 1)
    return full + v.entries * (1 + 2 * v.id + form + v.data + v.second_operand)


def _queue(v: _Values, writers: int, second_operand: int) -> int:
    """Of a queue whose partner's operation leaves with so many bits of its second operand."""
    if v.systolic:
        return _systolic_queue(v)
    request = v.location + v.operation + v.id + 1
    if v.combines:
        request += 1  # combined
        # At the exit the pair is still to be composed, for which all of both is needed.
        partner_operand = v.data if v.at_exit else second_operand
        request += v.id + v.combining_form + v.data + partner_operand
    size = (v.slots + writers).bit_length()
    counts = size
    highest = v.slots - writers + 1
    if v.gradual:
        counts += size + (8 if highest > v.limit else 0)
    elif 0 < v.limit < 1 << size:
        counts += size
    # Decoupled, nothing looks at the seals of the head.
    sealed = v.slots if v.coupled else v.slots - 1
    seals = sealed * writers if v.combines and v.ordered else 0
    return v.slots * request + seals + counts


def _systolic_queue(v: _Values) -> int:
    rows = max(v.slots - 1, 1)
    request = 1 + v.location + v.operation + v.id + 1
    partner = 1 + v.operation + v.id
    size = (v.slots + 1).bit_length()
    counts = size + (size if 0 < v.limit < 1 << size else 0)
    return (rows + v.slots) * request + (v.slots * partner if v.combines else 0) + counts
