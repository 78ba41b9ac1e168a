# SPDX-License-Identifier: Apache-2.0
"""Tables for a terminal."""

import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any, Final

# A column of text that is wrapped keeps so many characters; below, words break too often to read.
_LEAST_WRAPPED: Final = 20
_GAP: Final = 2


def terminal_width() -> int | None:
    """Characters in a line of stdout; None if that is no terminal, where nothing is wrapped."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def text_table(head: Sequence[str], rows: Iterable[Sequence[Any]], width: int | None = None) -> str:
    """Lines of aligned columns under a rule; numbers to the right, None as nothing.

    A table wider than `width` characters has its widest column of text wrapped. If that is not
    enough, it is turned, a line for each column and the rows side by side, and all columns may be
    wrapped. It stays as it is if it has too many rows for that.
    """
    contents = [list(row) for row in rows]
    texts = [[_text(cell) for cell in row] for row in contents]
    right = [
        any(_is_number(row[i]) for row in contents)
        and all(row[i] is None or _is_number(row[i]) for row in contents)
        for i in range(len(head))
    ]
    table = _lines(head, texts, right, _widths(head, texts))
    if width is None or len(table[1]) <= width:
        return "\n".join(table)
    names = ["value"] if len(texts) == 1 else [f"row {i + 1}" for i in range(len(texts))]
    turned = [list(line) for line in zip(head, *texts, strict=True)]
    fitted = _wrapped(head, texts, right, width, 1) or _wrapped(
        ["column", *names], turned, [False] * (1 + len(names)), width, 1 + len(names)
    )
    return "\n".join(fitted or table)


def _wrapped(
    head: Sequence[str],
    texts: Sequence[Sequence[str]],
    right: Sequence[bool],
    width: int,
    columns: int,
) -> list[str]:
    """The lines of the table with its widest columns of text, so many at most, made equally
    narrow; none if that is not enough."""
    widths = _widths(head, texts)
    excess = sum(widths) + _GAP * (len(widths) - 1) - width
    left = [i for i in range(len(head)) if not right[i]]
    left = sorted(left, key=lambda i: widths[i], reverse=True)[:columns]
    least = {i: min(widths[i], max(_LEAST_WRAPPED, len(head[i]))) for i in left}
    if sum(widths[i] - least[i] for i in left) < excess:
        return []
    for _ in range(excess):
        # The first column has names, which are broken only if nothing else is left.
        widest = max((i for i in left if widths[i] > least[i]), key=lambda i: (i > 0, widths[i]))
        widths[widest] -= 1
    return _lines(head, texts, right, widths)


def _widths(head: Sequence[str], texts: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(cell) for cell in column) for column in zip(head, *texts, strict=True)]


def _lines(
    head: Sequence[str],
    texts: Sequence[Sequence[str]],
    right: Sequence[bool],
    widths: Sequence[int],
) -> list[str]:
    """The head, a rule, and of each row as many lines as its longest cell needs."""

    def line(cells: Sequence[str]) -> str:
        placed = (
            cell.rjust(width) if to_the_right else cell.ljust(width)
            for cell, width, to_the_right in zip(cells, widths, right, strict=True)
        )
        return (" " * _GAP).join(placed).rstrip()

    rule = "-" * (sum(widths) + _GAP * (len(widths) - 1))
    rows = (zip_longest(*map(_broken, row, widths), fillvalue="") for row in texts)
    return [line(head), rule, *(line(cells) for row in rows for cells in row)]


def _broken(cell: str, width: int) -> list[str]:
    """The lines of a cell that is no wider."""
    if len(cell) <= width:
        return [cell]
    return textwrap.wrap(cell, width, break_on_hyphens=False)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
