# SPDX-License-Identifier: Apache-2.0
"""Tables of the pages."""

from collections.abc import Iterable


def row(*cells: object) -> str:
    """Cells as a line of a table has them."""
    return " | ".join(map(str, cells))


def table(head: str, rows: Iterable[str], rule: str = "---|") -> list[str]:
    """The lines of a table, `rule` for each column under its head. Head and rows are written as in
    the page, without the outer bars: "File | Cycles"."""
    columns = head.count(" | ") + 1
    return [f"| {head} |", "|" + rule * columns, *(f"| {each} |" for each in rows)]
