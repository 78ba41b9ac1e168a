# SPDX-License-Identifier: Apache-2.0
"""Pages and their tables."""

from collections.abc import Iterable


def table(head: str, rows: Iterable[Iterable[object]], rule: str = "---|") -> str:
    """A table; the head as in the page, without the outer bars: "File | Cycles". `rule` is what
    stands under each column of it."""
    lines = [f"| {head} |", "|" + rule * (head.count(" | ") + 1)]
    lines += [f"| {' | '.join(map(str, cells))} |" for cells in rows]
    return "\n".join(lines)


def page(parts: Iterable[str]) -> str:
    """The parts that are not empty, with a blank line between them."""
    return "\n\n".join(part for part in parts if part) + "\n"
