# SPDX-License-Identifier: Apache-2.0
"""Compiles the RTL with slang, every warning on, at each top of lint_tops.txt."""

from __future__ import annotations

import sys
from pathlib import Path

from common.files import RTL
from common.slang import read_sources
from rtl_sources import LintTop, lint_tops, listed_files

# Without two that cannot be satisfied: a cast is useless where widths happen to be equal at one set
# of parameters, and $clog2 is signed. And without one against what is meant: events of which a
# network makes nothing are left open.
RTL_OPTIONS = [
    "-Weverything",
    "-Wno-useless-cast",
    "-Wno-sign-conversion",
    "-Wno-empty-output-connection",
    "-Werror",
]
BENCH_OPTIONS = ["-Wextra", "-Wno-useless-cast", "-Wno-unconnected-output-port", "-Werror"]


def is_clean(top: LintTop, options: list[str], sources: list[Path]) -> bool:
    """Whether slang has nothing to say; it prints what it has."""
    generics = [option for each in top.parameters for option in ("-G", each)]
    run = read_sources([*options, "--top", top.module, *generics, *map(str, sources)])
    if run is None:
        return False
    run.reportCompilation(run.createCompilation(), True)
    return bool(run.reportDiagnostics(True))


def main() -> int:
    rtl = listed_files()
    tops = [(top, RTL_OPTIONS, rtl) for top in lint_tops()]
    tops += [
        (LintTop(bench.stem, ()), BENCH_OPTIONS, [*rtl, bench])
        for bench in sorted((RTL / "tb").glob("*.sv"))
    ]
    unclean = [top for top, options, sources in tops if not is_clean(top, options, sources)]
    for top in unclean:
        print("slang complains about", top.module, *top.parameters)
    print(f"slang: {len(tops) - len(unclean)} of {len(tops)} tops clean")
    return 1 if unclean else 0


if __name__ == "__main__":
    sys.exit(main())
