#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No paragraph of a page is too long to read: of text, an item of a list or a cell of a table."""

import re
import unittest
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
MOST_WORDS = 90

FENCE = re.compile(r"(`{3,}|~{3,})")
# What ends a paragraph and is none itself: blank lines, headings and comments.
BREAK = re.compile(r"$|#|<!--")
ITEM = re.compile(r"([-*+]|\d+[.)])\s")
CELL = re.compile(r"(?<!\\)\|")


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Each with the number of its first line. Blocks of code are left out."""
    fence = ""
    start, lines = 0, list[str]()
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        words = line.strip()
        found = FENCE.match(words)
        ends = fence or found or BREAK.match(words) or words.startswith("|") or ITEM.match(words)
        if ends and lines:
            yield start, " ".join(lines)
            lines = []
        if fence:
            fence = "" if words.startswith(fence) else fence
        elif found:
            fence = found[1]
        elif words.startswith("|"):
            yield from ((number, cell) for cell in CELL.split(words))
        elif not BREAK.match(words):
            start = start if lines else number
            lines.append(words)


def too_long(name: str, text: str) -> list[str]:
    counts = [(line, len(each.split()), each) for line, each in paragraphs(text)]
    return [
        f"{name}:{line}: {count} words, {MOST_WORDS} are allowed; split the paragraph: {each[:50]}"
        for line, count, each in counts
        if count > MOST_WORDS
    ]


class Pages(unittest.TestCase):
    def test_paragraphs_are_short(self) -> None:
        self.assertGreater(len(PAGES), 50)
        found = [
            line
            for path in PAGES
            for line in too_long(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
        ]
        self.assertEqual(found, [], "\n".join(["", *found]))


class Checker(unittest.TestCase):
    def test_long_paragraphs_are_found(self) -> None:
        least = " ".join(["word"] * (MOST_WORDS + 1))
        over_lines = least.replace(" ", "\n")
        for before, text in (
            ("# Page\n", least),
            ("text\n\n", over_lines),
            ("- item\n", f"1. {least}"),
            ("```\ncode\n```\n", over_lines),
            ("| Head |\n|---|\n", f"| cell | {least} |"),
        ):
            with self.subTest(text[:10], before=before):
                line = before.count("\n") + 1
                found = too_long("page.md", f"{before}{text}\n")
                self.assertEqual(len(found), 1)
                self.assertRegex(found[0], rf"^page\.md:{line}: 9[12] words")

    def test_others_are_not(self) -> None:
        most = " ".join(["word"] * MOST_WORDS)
        for text in (
            most,
            f"{most}\n\n{most}",
            f"{most}\n- and\n- one\n",
            f"```\n{most} {most}\n\n{most}```\n",
            f"| {most} | {most} |\n| {most} |",
        ):
            with self.subTest(text[-20:]):
                self.assertEqual(too_long("page.md", text), [])


if __name__ == "__main__":
    unittest.main()
