#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands that pages of platforms show do what the pages say."""

import re
import shlex
import unittest

from program_case import ROOT, ProgramCase

RUN_FILE = re.compile(r"as `(\w+\.json)`:\n\n```json\n(.*?)```", re.DOTALL)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^tributary (.+?)(?:  +.*)?$", re.MULTILINE)


def commands_in(page: str) -> list[str]:
    """Of blocks of code without a language; words behind two blanks say what a command is for."""
    blocks = [text for language, text in BLOCK.findall(page) if not language]
    return [each for text in blocks for each in COMMAND.findall(text)]


class PageCommands(ProgramCase):
    def test_smp(self) -> None:
        page = (ROOT / "docs/platforms/smp.md").read_text(encoding="utf-8")
        for name, text in RUN_FILE.findall(page):
            self.write(name, text)
        self.assertEqual(self.names_in("."), ["few.json", "share.json"])
        commands = commands_in(page)
        self.assertGreater(len(commands), 7)
        for command in commands:
            with self.subTest(command):
                self.succeed(command)
                words = shlex.split(command)
                for option in ("--log", "--perfetto"):
                    if option in words:
                        self.assertTrue(self.read(words[words.index(option) + 1]))

    def test_the_list_of_duties_is_that_of_a_node(self) -> None:
        """What docs/models/smp_node.md quotes of the run is in its log."""
        page = (ROOT / "docs/platforms/smp.md").read_text(encoding="utf-8")
        self.write("few.json", dict(RUN_FILE.findall(page))["few.json"])
        self.succeed("run few.json --log few.log --trace node.0 --quiet")
        quoted = (ROOT / "docs/models/smp_node.md").read_text(encoding="utf-8")
        lines = re.findall(r"^\d+\t\d+\tnode\.0\..+$", quoted, re.MULTILINE)
        self.assertEqual(len(lines), 4)
        self.assertIn("\n".join(lines), self.read("few.log").decode())


class Reader(unittest.TestCase):
    def test_finds_commands(self) -> None:
        page = "```text\ntributary no\n```\n\n```\ntributary run a --set b=c   why\nother\n```\n"
        self.assertEqual(commands_in(page), ["run a --set b=c"])
        self.assertEqual(commands_in("tributary run a\n"), [])


if __name__ == "__main__":
    unittest.main()
