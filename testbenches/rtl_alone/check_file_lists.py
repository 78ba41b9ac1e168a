# SPDX-License-Identifier: Apache-2.0
"""rtl/*.sv, rtl/tributary.f, rtl/tributary.core, lint_tops.txt and the pages name the same RTL."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

import yaml
from common.files import ROOT, RTL
from rtl_sources import PAGES, lint_tops, listed_files

Problems = list[str]


def differences(what: str, found: Iterable[str], expected: Iterable[str]) -> Problems:
    found, expected = set(found), set(expected)
    return [f"{what} lacks {name}" for name in sorted(expected - found)] + [
        f"{what} has {name}, which does not exist" for name in sorted(found - expected)
    ]


def version_problems(core: dict[str, Any]) -> Problems:
    cmake = (ROOT / "CMakeLists.txt").read_text()
    project = re.search(r"project\(tributary VERSION ([\d.]+)", cmake)
    version = project[1] if project else "unknown"
    if core["name"].rsplit(":", 1)[1] == version:
        return []
    return [f"tributary.core is {core['name']}, but the project's version is {version}"]


def main() -> int:
    sources = {path.name for path in RTL.glob("*.sv")}
    benches = {f"tb/{path.name}" for path in (RTL / "tb").glob("*.sv")}
    modules = {name.removesuffix(".sv") for name in sources if not name.endswith("_pkg.sv")}
    in_order = [path.name for path in listed_files()]
    core = yaml.safe_load((RTL / "tributary.core").read_text())
    filesets = core["filesets"]

    problems = differences("tributary.f", in_order, sources)
    problems += differences("tributary.core", filesets["rtl"]["files"], sources)
    problems += differences("tributary.core", filesets["testbench"]["files"], benches)
    if filesets["rtl"]["files"] != in_order:
        problems.append("tributary.core and tributary.f differ in their order")
    problems += version_problems(core)
    counts = Counter(top.module for top in lint_tops())
    problems += differences("lint_tops.txt", counts, modules)
    problems += [f"lint_tops.txt has one set of {name} only" for name in counts if counts[name] < 2]
    overview = (PAGES.parent / "rtl.md").read_text()
    problems += [f"rtl.md does not name {name}" for name in modules if f"`{name}`" not in overview]
    for problem in problems:
        print(problem)
    print(f"{len(sources)} files of RTL, {len(problems)} problems in the lists of them")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
