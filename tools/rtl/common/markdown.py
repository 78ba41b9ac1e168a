# SPDX-License-Identifier: Apache-2.0
"""Pages and their tables."""

import re
from collections.abc import Iterable

# Words of a paragraph, at most; longer ones are hard to read.
MOST_WORDS = 90


def table(head: str, rows: Iterable[Iterable[object]], rule: str = "---|") -> str:
    """A table; the head as in the page, without the outer bars: "File | Cycles". `rule` is what
    stands under each column of it."""
    lines = [f"| {head} |", "|" + rule * (head.count(" | ") + 1)]
    lines += [f"| {' | '.join(map(str, cells))} |" for cells in rows]
    return "\n".join(lines)


def paragraphs(text: str) -> str:
    """The text with each paragraph of more than `MOST_WORDS` split, at the end of the sentence
    nearest to its middle. A paragraph of one sentence stays as it is."""
    return "\n\n".join(part for each in text.split("\n\n") for part in _halves(each))


def _halves(paragraph: str) -> list[str]:
    words = len(paragraph.split())
    sentences = re.split(r"(?<=[.?!]) (?=[A-Z])", paragraph)
    if words <= MOST_WORDS or len(sentences) == 1:
        return [paragraph]
    cut = min(
        range(1, len(sentences)),
        key=lambda at: abs(2 * len(" ".join(sentences[:at]).split()) - words),
    )
    parts = (" ".join(sentences[:cut]), " ".join(sentences[cut:]))
    return [piece for part in parts for piece in _halves(part)]


def page(parts: Iterable[str]) -> str:
    """The parts that are not empty, with a blank line between them."""
    return "\n\n".join(part for part in parts if part) + "\n"
