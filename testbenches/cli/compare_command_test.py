#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tributary compare` on results that differ in one number, and on damaged ones."""

import json
import random
import unittest
from collections.abc import Callable
from typing import Any

from program_case import ProgramCase

SMALL = """{"network.processing_elements": 4, "workload.traffic.hot_spot": 1,
  "run": {"warmup": 10, "cycles": 200}}"""


class CompareCommand(ProgramCase):
    def setUp(self) -> None:
        super().setUp()
        self.write("run.json", SMALL)
        self.succeed("run run.json --out whole --quiet")

    def changed(self, change: Callable[[Any], None]) -> None:
        """Writes other.json: the results with a change, as a program of the user's writes them."""
        root = self.results("whole")
        change(root)
        self.write("other.json", json.dumps(root))

    def histogram(self, root: Any) -> Any:
        return root["points"][0]["runs"][0]["statistics"]["interface"]["latency_distribution"]

    def differ(self, status: int) -> str:
        outcome = self.tributary("compare whole other.json")
        self.assertEqual(outcome.returncode, status, outcome.stdout + outcome.stderr)
        return outcome.stdout

    def test_an_unchanged_copy_is_equal(self) -> None:
        self.changed(lambda root: None)
        self.differ(0)

    def test_a_histogram_is_compared_bin_by_bin(self) -> None:
        def move_a_sample(root: Any) -> None:
            bins = self.histogram(root)["bins"]
            first = next(i for i, each in enumerate(bins) if each > 0)
            bins[first] -= 1
            bins[first + 1] += 1
            self.first = first + 1

        self.changed(move_a_sample)
        self.contains(
            self.differ(1), ("interface.latency_distribution ", f"from bin {self.first} on")
        )

    def test_overflow_and_width_of_bins_are_compared(self) -> None:
        for key in ("overflow", "bin_width"):

            def one_more(root: Any, key: str = key) -> None:
                self.histogram(root)[key] += 1

            self.changed(one_more)
            self.contains(self.differ(1), ("interface.latency_distribution ", key))

    def test_a_point_that_is_there_twice_is_refused(self) -> None:
        self.changed(lambda root: root["points"].append(root["points"][0]))
        self.complain("compare whole other.json", 2, "other.json, line 1", "points", "twice")
        self.complain("compare other.json whole", 2, "other.json, line 1", "points", "twice")

    def test_a_flipped_bit_is_noticed(self) -> None:
        whole = self.read("whole/results.json")
        draws = random.Random(1)
        begin, end = whole.index(b'"runs"'), whole.rindex(b',\n  "checksum"')
        digits = [i for i in range(begin, end) if whole[i : i + 1].isdigit()]
        for place in draws.sample(digits, 20):
            damaged = bytearray(whole)
            damaged[place] ^= 1  # another digit, so that it stays JSON
            self.write("other.json", bytes(damaged))
            outcome = self.tributary("compare other.json other.json")
            self.assertEqual(outcome.returncode, 2, outcome.stdout)
            self.contains(outcome.stderr, ("other.json",))

    def test_results_without_a_checksum_are_read(self) -> None:
        def drop(root: Any) -> None:
            self.assertRegex(root.pop("checksum"), "^crc32:[0-9a-f]{8}$")

        self.changed(drop)
        self.differ(0)


if __name__ == "__main__":
    unittest.main()
