# SPDX-License-Identifier: Apache-2.0
"""Tables of the pages."""

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]], rule: str = "---|") -> list[str]:
    """The lines of a table, `rule` for each column under its head."""

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    return [line(head), "|" + rule * len(head), *map(line, rows)]
