# SPDX-License-Identifier: Apache-2.0
"""One build with all faults, and what the tests say of each."""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common.errors import ToolError
from common.files import ROOT
from common.programs import Ran, run, say

from .faults import QUESTION, Fault, fitted

# What `./dev test` runs, without the RTL and the pages: the short forms.
SUITES = ("unit", "property", "exploration")
GOLDEN = Path("testbenches") / "golden" / "golden.py"
# A mutant may go on for ever, or fill the memory.
TEST_SECONDS = 60
FAILED = re.compile(r"^\s+\d+ - (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Verdict:
    """What became of a fault."""

    fault: Fault
    killer: str
    """The test that failed, or nothing."""

    @property
    def is_by_own_test(self) -> bool:
        return re.match(self.fault.own_tests, self.killer) is not None


class Trial:
    """A copy of the tree below a folder of work, and its build."""

    def __init__(self, work: Path, jobs: int) -> None:
        self._tree = work / "tree"
        self._build = work / "build"
        self._jobs = str(jobs)

    def build(self, faults: Sequence[Fault], tests: Sequence[str] = ()) -> None:
        """With `tests` only these executables. Raises `ToolError` if a fault does not fit or does
        not compile, or if a test fails without any."""
        self._copy()
        for path, text in fitted(self._tree, faults).items():
            path.write_text(text, encoding="utf-8")
        question = self._tree / "fault_question.h"
        question.write_text(QUESTION, encoding="utf-8")
        say(f"building with {len(faults)} faults")
        self._require(
            "cmake",
            *("-S", str(self._tree), "-B", str(self._build), "-G", "Ninja", "--log-level=WARNING"),
            *("-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1"),
            f"-DCMAKE_CXX_FLAGS=-include {question} -w",
            *("-DTRIBUTARY_WARNINGS_AS_ERRORS=OFF", "-DTRIBUTARY_BUILD_BENCHMARKS=OFF"),
            *("-DTRIBUTARY_RTL=OFF", "-DTRIBUTARY_BUILD_EXAMPLES=OFF"),
        )
        wanted = tests or ["tributary", *(f"tributary_{suite}_tests" for suite in SUITES)]
        self._require(
            *("cmake", "--build", str(self._build), "--parallel", self._jobs),
            *("--target", *wanted, "--", "-k", "0"),
        )
        say("running the tests without any")
        failed = self.failing_of(tests) if tests else self._failing(".") or self._golden()
        if failed:
            raise ToolError(f"without any fault {failed} fails")

    def verdict(self, fault: Fault) -> Verdict:
        """Asks the file's own test first, then those of its area, then all, then the golden
        traces."""
        for tests in (fault.own_tests, fault.tests, "."):
            killer = self._failing(tests, fault)
            if killer:
                return Verdict(fault, killer)
        return Verdict(fault, self._golden(fault))

    def failing_of(self, tests: Sequence[str], fault: Fault | None = None) -> str:
        """The first test that fails of these executables, or nothing."""
        return self._failing(f"^({'|'.join(tests)})[.]", fault)

    def _copy(self) -> None:
        if self._tree.exists():
            shutil.rmtree(self._tree)
        listed = subprocess.check_output(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            text=True,
        )
        for name in filter(None, listed.split("\0")):
            if not (ROOT / name).is_file():
                continue
            to = self._tree / name
            to.parent.mkdir(parents=True, exist_ok=True)
            # With its time, so that a second build compiles what changed.
            shutil.copy2(ROOT / name, to)

    @staticmethod
    def _run(*command: str, fault: Fault | None = None) -> Ran:
        chosen = {} if fault is None else {"TRIBUTARY_FAULT": str(fault.number)}
        return run(command, environment=chosen)

    def _require(self, *command: str) -> None:
        ended = self._run(*command)
        if ended.status != 0:
            lines = [line for line in ended.output.splitlines() if not line.startswith("[")]
            raise ToolError(f"{' '.join(command[:3])} ... failed:\n" + "\n".join(lines[-40:]))

    def _failing(self, tests: str, fault: Fault | None = None) -> str:
        """The first test that fails, of those whose name fits, or nothing."""
        ended = self._run(
            *("ctest", "--test-dir", str(self._build), "--parallel", self._jobs),
            *("--stop-on-failure", "-L", f"^({'|'.join(SUITES)})$", "-R", tests),
            *("--timeout", str(TEST_SECONDS)),
            fault=fault,
        )
        failed = FAILED.search(ended.output.rpartition("The following tests FAILED")[2])
        if ended.status == 0:
            return ""
        return failed[1] if failed else "ctest"

    def _golden(self, fault: Fault | None = None) -> str:
        program = self._build / "tools" / "tributary"
        ended = self._run(
            *(sys.executable, str(self._tree / GOLDEN), "check"),
            *("--jobs", self._jobs, "--program", str(program)),
            fault=fault,
        )
        return "" if ended.status == 0 else "golden.check"
