# SPDX-License-Identifier: Apache-2.0
"""Runs the tributary program, named by TRIBUTARY_PROGRAM, and looks at what it leaves."""

import ctypes
import json
import os
import shlex
import subprocess
import unittest
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ["TRIBUTARY_PROGRAM"]

Outcome = subprocess.CompletedProcess[str]


def _drop_override_of_permissions() -> None:
    """Takes from root, for all it executes, the right to ignore permissions."""
    pr_capbset_drop, capabilities = 24, (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    if os.geteuid() == 0 and any(
        ctypes.CDLL(None).prctl(pr_capbset_drop, each, 0, 0, 0) for each in capabilities
    ):
        os._exit(125)


class ProgramCase(unittest.TestCase):
    """A folder of the test's own, in which the program runs."""

    maxDiff = 2000

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)

    def start(
        self, command: str, before: Callable[[], None] | None = None
    ) -> "subprocess.Popen[str]":
        """Starts the program with the arguments of a command as a shell takes them."""
        return subprocess.Popen(
            [PROGRAM, *shlex.split(command)],
            cwd=self.work,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=before,
        )

    def tributary(self, command: str, before: Callable[[], None] | None = None) -> Outcome:
        process = self.start(command, before)
        out, err = process.communicate()
        return Outcome(process.args, process.returncode, out, err)

    def succeed(self, command: str) -> Outcome:
        outcome = self.tributary(command)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        return outcome

    def complain(
        self, command: str, status: int, *parts: str, obeying_permissions: bool = False
    ) -> None:
        """Expects this exit status and one line on stderr with all of the parts in it."""
        before = _drop_override_of_permissions if obeying_permissions else None
        outcome = self.tributary(command, before)
        self.assertEqual(outcome.returncode, status, f"{command}: {outcome.stderr}")
        self.assertTrue(outcome.stderr.startswith("tributary: "), outcome.stderr)
        self.assertEqual(outcome.stderr.count("\n"), 1, outcome.stderr)
        self.contains(outcome.stderr, parts)

    def contains(self, text: str, parts: Iterable[str]) -> None:
        for part in parts:
            self.assertIn(part, text)

    def same(self, one: str, other: str) -> None:
        """That two files are equal and not empty; they are long, so a difference is not shown."""
        self.assertTrue(self.read(one))
        self.assertTrue(self.read(one) == self.read(other), f"{one} differs from {other}")

    def write(self, name: str, text: str | bytes) -> None:
        (self.work / name).write_bytes(text.encode() if isinstance(text, str) else text)

    def read(self, name: str) -> bytes:
        return (self.work / name).read_bytes()

    def results(self, name: str) -> Any:
        return json.loads(self.read(f"{name}/results.json"))

    def names_in(self, folder: str) -> list[str]:
        return sorted(each.name for each in (self.work / folder).iterdir())
