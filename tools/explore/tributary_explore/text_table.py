# SPDX-License-Identifier: Apache-2.0
"""Tables for a terminal."""

from collections.abc import Iterable, Sequence
from typing import Any


def text_table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Lines of aligned columns under a rule; numbers to the right, None as nothing."""
    contents = [list(row) for row in rows]
    texts = [[_text(cell) for cell in row] for row in contents]
    widths = [max(len(cell) for cell in column) for column in zip(head, *texts, strict=True)]
    right = [
        any(_is_number(row[i]) for row in contents)
        and all(row[i] is None or _is_number(row[i]) for row in contents)
        for i in range(len(head))
    ]

    def line(cells: Sequence[str]) -> str:
        placed = (
            cell.rjust(width) if to_the_right else cell.ljust(width)
            for cell, width, to_the_right in zip(cells, widths, right, strict=True)
        )
        return "  ".join(placed).rstrip()

    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([line(head), rule, *map(line, texts)])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
