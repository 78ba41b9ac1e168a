# SPDX-License-Identifier: Apache-2.0
"""The tables of parameters and ports in docs/models/rtl/*.md are those of rtl/*.sv."""

from __future__ import annotations

import sys
from pathlib import Path

from common.markdown import page, table
from generated_files import is_section_stale
from module_header import Declaration, Group, read_header
from rtl_sources import PAGES, listed_files

CLOCKING = {"clk_i": "Clock.", "rst_ni": "Synchronous reset, active low."}
# Two units whose pages are one.
PAGE_OF = {"compose_unit": "apply_unit"}


def meaning(each: Declaration, group: Group) -> str:
    if each.comment or len(group.members) > 1:
        return each.comment
    return group.comment


def parameter_table(groups: list[Group]) -> str:
    rows = [
        (f"`{each.name}`", f"`{each.type}`", f"`{each.default}`", meaning(each, group))
        for group in groups
        for each in group.members
        if each.kind == "parameter"
    ]
    derived = [
        f"`{each.name}` = `{each.default}`"
        for group in groups
        for each in group.members
        if each.kind == "localparam"
    ]
    parameters = table("Parameter | Type | Default | Meaning", rows)
    return page([parameters, f"Derived: {', '.join(derived)}." if derived else ""])


def port_table(groups: list[Group]) -> str:
    parts = []
    for group in groups:
        meanings = [each.comment or CLOCKING.get(each.name, "") for each in group.members]
        rows = [
            (f"`{each.name}`", each.kind, f"`{each.type}`", *([text] if any(meanings) else []))
            for each, text in zip(group.members, meanings, strict=True)
        ]
        head = "Port | Direction | Type" + " | Meaning" * any(meanings)
        parts += [group.comment, table(head, rows)]
    return page(parts)


def stale_sections(path: Path) -> int:
    module = path.stem
    file = PAGES / f"{PAGE_OF.get(module, module)}.md"
    if not file.exists():
        print(f"{module} has no page {file.name} in docs/models/rtl")
        return 1
    header = read_header(path)
    texts = {"parameters": parameter_table(header.parameters), "ports": port_table(header.ports)}
    return sum(is_section_stale(file, f"{name} of {module}", text) for name, text in texts.items())


def main() -> int:
    modules = [path for path in listed_files() if not path.stem.endswith("_pkg")]
    stale = sum(stale_sections(path) for path in modules)
    print(f"{len(modules)} modules, {stale} sections of their pages differ from the source")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
