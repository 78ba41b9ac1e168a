# SPDX-License-Identifier: Apache-2.0
"""Parameters and ports of a module with the comments beside them, from its SystemVerilog source.

A comment behind a declaration belongs to it; comment lines above belong to the group that follows,
up to an empty line or the next comment. slang is asked for the names, so that nothing is missed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from common.slang import module_body
from rtl_sources import listed_files

PARAMETER = re.compile(r"(?P<kind>parameter|localparam) (?P<type>.*?\S) +(?P<name>\w+) *= *")
PORT = re.compile(r"(?P<kind>input|output) +(?P<type>.*\S) +(?P<name>\w+)$")


@dataclass(frozen=True)
class Declaration:
    """A parameter (kind: parameter or localparam) or a port (input or output)."""

    kind: str
    type: str
    name: str
    default: str
    comment: str


@dataclass
class Group:
    """Declarations under one comment."""

    comment: str = ""
    members: list[Declaration] = field(default_factory=list)


@dataclass(frozen=True)
class Header:
    parameters: list[Group]
    ports: list[Group]


def _declaration(line: str) -> Declaration:
    code, _, comment = (part.strip() for part in line.partition("//"))
    code = code.removesuffix(",")
    found = PARAMETER.match(code) or PORT.match(code)
    if not found:
        raise ValueError(f"this is no declaration of a parameter or port: {line}")
    default = code[found.end() :]
    return Declaration(
        found["kind"], " ".join(found["type"].split()), found["name"], default, comment
    )


def _groups(text: str) -> list[Group]:
    groups = [Group()]
    for line in map(str.strip, text.splitlines()):
        if line.startswith("//"):
            if groups[-1].members:
                groups.append(Group())
            groups[-1].comment = f"{groups[-1].comment} {line.lstrip('/ ')}".strip()
        elif not line:
            groups.append(Group())
        else:
            groups[-1].members.append(_declaration(line))
    return [group for group in groups if group.members]


def read_header(path: Path) -> Header:
    """The header of the module that has the file's name. Raises ValueError where it cannot."""
    module = path.stem
    found = re.search(
        rf"^module {module}\b.*?#\(\n(.*?)^\) \(\n(.*?)^\);$",
        path.read_text(),
        re.DOTALL | re.MULTILINE,
    )
    if not found:
        raise ValueError(f"{path} has no header of a module {module}")
    # A structure is one declaration, on one line.
    parameters = re.sub(r"\{[^{}]*\}", lambda part: " ".join(part[0].split()), found[1])
    header = Header(_groups(parameters), _groups(found[2]))
    names = {each.name for group in [*header.parameters, *header.ports] for each in group.members}
    # Constants of the body count as parameters for slang; they stand behind the header.
    body = module_body(module, list(map(str, listed_files())))
    declared = {each.name for each in [*body.parameters, *body.portList]}
    missed = {name for name in declared - names if name in found[0]}
    if missed or not names:
        raise ValueError(f"{path}: {sorted(missed)} of the header are not understood")
    return header
