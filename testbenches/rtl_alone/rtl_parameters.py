# SPDX-License-Identifier: Apache-2.0
"""A parameter of the RTL has one default and one range, whoever names it.

The sources are the headers of the switch and of the receive engine and their own errors; compared
are the structure beside the verilated switch, the configuration of the core, and the parameters of
the synthesis.
"""

from __future__ import annotations

import re
import sys

from common.files import ROOT, RTL
from synthesis.parameters import PARAMETERS

# A name that both have counts as the switch's.
SOURCES = (RTL / "message_interface_receive.sv", RTL / "combining_switch.sv")
VERILATED = ROOT / "models/tributary/rtl/switch_parameters.h"
CORE = ROOT / "models/tributary/network/omega/switch_column.cpp"
# What the synthesis says in words, and the RTL by a number.
WORDS = {"on_arrival": 0, "parallel": 0, "all": 0xFF, False: 0}
NAMES = {"sum": "SumAtExit"}


def rtl_defaults() -> dict[str, int]:
    found: list[tuple[str, str]] = []
    for each in SOURCES:
        text = each.read_text(encoding="utf-8")
        header = text[: text.index(") (")]
        found += re.findall(r"^  parameter .*?(\w+) *= *('1|\d+)", header, re.MULTILINE)
    return {name: 0xFF if default == "'1" else int(default) for name, default in found}


def rtl_ranges() -> dict[str, tuple[int, int]]:
    text = "".join(each.read_text(encoding="utf-8") for each in SOURCES)
    found = re.findall(r'"(\w+): [^"]*out of range \(allowed: (\d+) (?:to|or) (\d+)', text)
    return {name: (int(least), int(most)) for name, least, most in found}


def verilated_defaults() -> dict[str, int]:
    text = VERILATED.read_text(encoding="utf-8")
    body = text[text.index("struct switch_parameters {") :].split("};", 1)[0]
    found = re.findall(r"std::uint32_t (\w+) = (0x[0-9a-f]+|\d+);", body)
    return {field: int(value, 0) for field, value in found}


def core_ranges() -> dict[str, tuple[int, int]]:
    text = CORE.read_text(encoding="utf-8").replace("reverse_queue::arrivals_per_cycle + 1", "5")
    found = re.findall(r'add\("(\w+)", \w+, u32\{(\d+), (\d+)\}', text)
    return {camel(name): (int(least), int(most)) for name, least, most in found}


def core_defaults() -> dict[str, int]:
    text = CORE.with_suffix(".h").read_text(encoding="utf-8")
    body = text[text.index("struct combining_switch_config {") :].split("};", 1)[0]
    found = re.findall(r"std::uint32_t (\w+) = (\d+);", body)
    return {camel(name): int(value) for name, value in found}


def camel(name: str) -> str:
    return NAMES.get(name) or "".join(word.capitalize() for word in name.split("_"))


def differences() -> list[str]:
    found: list[str] = []

    def compare(place: str, name: str, here: object, rtl: object) -> None:
        if here != rtl:
            found.append(f"{place}: {name} is {here}, in the RTL {rtl}")

    defaults, ranges = rtl_defaults(), rtl_ranges()
    fields = verilated_defaults()
    if not fields:
        found.append(f"{VERILATED.name} has no parameters")
    for field, value in fields.items():
        compare(VERILATED.name, field, value, defaults.get(field))

    for each in PARAMETERS:
        group, _, leaf = each.name.partition(".")
        if group != "circuit" or leaf == "kind":
            continue
        name = camel(leaf)
        default = each.default if each.type == "integer" else WORDS[each.default]
        compare("synthesis", name, default, defaults.get(name))
        if each.type == "integer" and name in ranges:
            compare("synthesis, range", name, (each.least, each.most), ranges[name])
    core, usual = core_ranges(), core_defaults()
    for name in ("Slots", "AdaptiveLimit", "WaitBufferEntries", "LinkCycles", "ReverseSlots"):
        compare("core, range", name, core.get(name), ranges.get(name))
        compare("core", name, usual.get(name), defaults.get(name))
    return found


if __name__ == "__main__":
    wrong = differences()
    print("\n".join(wrong) or "one default and one range for each parameter")
    sys.exit(1 if wrong else 0)
