# SPDX-License-Identifier: Apache-2.0
"""The report of coverage, on counts made up for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools/rtl"
SOURCE = """// A module.
module queue;
  always_comb begin
    full = 1'b0;
  end
`ifndef SYNTHESIS
  always_ff @(posedge clk_i) fills: cover (full);
`endif
endmodule
"""


def record(source: Path, line: int, page: str, name: str, count: int) -> str:
    fields = {"f": str(source), "l": line, "n": 3, "page": f"{page}/queue", "o": name, "h": "TOP"}
    return (
        f"C '{''.join(f'{chr(1)}{key}{chr(2)}{value}' for key, value in fields.items())}' {count}"
    )


class RtlCoverage(unittest.TestCase):
    def setUp(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.root = Path(self._folder.name)
        (self.root / "rtl").mkdir()
        (self.root / "counts").mkdir()
        (self.root / "rtl" / "tributary.f").write_text("// The RTL.\nqueue.sv\n")
        self.source = self.root / "rtl" / "queue.sv"
        self.source.write_text(SOURCE)

    def write_counts(self, name: str, *records: str) -> None:
        text = "\n".join(["# SystemC::Coverage-3", *records]) + "\n"
        (self.root / "counts" / name).write_text(text)

    def report(self) -> subprocess.CompletedProcess[str]:
        outputs = ["--page", str(self.root / "page.md"), "--json", str(self.root / "numbers.json")]
        folders = [str(self.root / "counts"), "--rtl", str(self.root / "rtl")]
        command = [sys.executable, "-B", "-m", "coverage", *folders, *outputs]
        environment = {**os.environ, "PYTHONPATH": str(TOOLS)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def test_merges_runs_and_leaves_out_what_is_no_hardware(self) -> None:
        line = (self.source, 3, "v_line", "block")
        self.write_counts("a.dat", record(*line, 0), record(self.source, 7, "v_user", "fills", 2))
        # Line 7 stands in `ifndef SYNTHESIS; the other file is no RTL of the project.
        other = self.root / "probe.sv"
        self.write_counts(
            "b.dat",
            record(*line, 4),
            record(self.source, 7, "v_line", "block", 0),
            record(self.source, 7, "v_user", "fills", 3),
            record(self.source, 4, "v_toggle", "full", 0),
            record(other, 1, "v_line", "block", 0),
        )
        done = self.report()
        self.assertEqual(done.returncode, 0, done.stderr)
        numbers = json.loads((self.root / "numbers.json").read_text())
        self.assertEqual(numbers["line"], {"covered": 1, "points": 1})
        self.assertEqual(numbers["toggle"], {"covered": 0, "points": 1})
        self.assertEqual(numbers["functional"], {"covered": 1, "points": 1})
        page = (self.root / "page.md").read_text()
        self.assertIn("| `queue.sv` | fills | 5 |", page)
        self.assertIn("merged over 2 simulations", page)

    def test_fails_for_lines_and_cover_points_that_are_not_reached(self) -> None:
        self.write_counts(
            "a.dat",
            record(self.source, 3, "v_branch", "if", 0),
            record(self.source, 7, "v_user", "fills", 0),
        )
        done = self.report()
        self.assertEqual(done.returncode, 1)
        self.assertIn("line points: 0 of 1 (0.0 %), 95 % are required", done.stderr)
        self.assertIn("cover point never held: rtl/queue.sv:7 fills", done.stderr)
        self.assertIn(
            "| `queue.sv`:3 | if | `always_comb begin` |", (self.root / "page.md").read_text()
        )

    def test_writes_nothing_from_half_of_the_counts(self) -> None:
        self.assertIn("holds no coverage", self.report().stderr)
        self.write_counts("a.dat", record(self.root / "probe.sv", 1, "v_line", "block", 1))
        self.assertIn("no test simulates queue.sv", self.report().stderr)
        self.write_counts("a.dat", "C 'cut")
        done = self.report()
        self.assertIn("a.dat, line 2 is no record", done.stderr)
        self.assertEqual(done.returncode, 1)
        self.assertFalse((self.root / "page.md").exists())


if __name__ == "__main__":
    unittest.main()
