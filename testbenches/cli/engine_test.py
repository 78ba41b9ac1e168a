#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The two engines behind the command line: one result, one event log."""

import re
import unittest

from program_case import ProgramCase


class Engines(ProgramCase):
    def run_on_both(self, arguments: str, may_warn: bool = False) -> None:
        """Runs with these arguments, in which ENGINE stands for the engine's name, on each."""
        for engine in ("loop", "systemc"):
            own = arguments.replace("ENGINE", engine)
            outcome = self.succeed(f"run {own} --engine {engine} --quiet")
            self.assertTrue(may_warn or outcome.stderr == "", outcome.stderr)

    def expect_same_results(self) -> None:
        """That results differ in the engine's name only, and so in their checksums."""
        loop, systemc = self.read("loop/results.json"), self.read("systemc/results.json")
        self.assertIn(b'"engine": "systemc"', systemc)
        name = rb'"engine": "\w*"|"checksum": "[\w:]*"'
        self.assertEqual(re.sub(name, b"", loop), re.sub(name, b"", systemc))

    def test_both_give_the_same_results_apart_from_the_name(self) -> None:
        self.run_on_both(
            "baseline --set network.processing_elements=[16,32] --seeds 1..3 --out ENGINE"
            " --set workload.traffic.hot_spot=0.3 --set run.cycles=2000",
            may_warn=True,
        )
        self.expect_same_results()

    def test_both_give_the_same_events_of_nodes(self) -> None:
        self.run_on_both(
            "ring --set nodes=8 --set workload.pattern=random --set workload.count=2"
            " --set workload.source_offset=24 --set network.router_buffers=2"
            " --out ENGINE --log ENGINE.log"
        )
        self.same("loop.log", "systemc.log")
        self.expect_same_results()

    def test_both_count_the_same_of_coherence(self) -> None:
        self.run_on_both("sharing --set nodes=[2,5] --out ENGINE")
        self.assertIn(b'"sharers"', self.read("loop/results.json"))
        self.expect_same_results()

    def test_both_show_the_same_intervals_of_programs(self) -> None:
        self.run_on_both(
            "barrier --series improved --set network.processing_elements=16 --perfetto ENGINE.json"
        )
        self.same("loop.json", "systemc.json")
        self.assertIn(b'"name":"superstep","cat":"program"', self.read("loop.json"))

    def test_both_record_the_same_occupancy_over_time(self) -> None:
        for until in ("cycles", "steady"):
            self.run_on_both(
                f"baseline --set network.processing_elements=32 --set run.until={until}"
                " --set run.warmup=250 --set run.cycles=1000 --set run.maximum_cycles=3000"
                " --set run.half_width=0.1 --set run.occupancy_window=100 --out ENGINE",
                may_warn=True,
            )
            self.assertIn(b"queue_occupancy_over_time", self.read("loop/results.json"))
            self.expect_same_results()

    def test_both_write_the_same_event_files_and_recordings(self) -> None:
        self.run_on_both(
            "improved --set network.processing_elements=16 --set run.warmup=100"
            " --set run.cycles=300 --log ENGINE.log --vcd ENGINE.vcd --perfetto ENGINE.json"
            " --record ENGINE.trace",
            may_warn=True,
        )
        for suffix in (".log", ".vcd", ".json", ".trace"):
            self.same("loop" + suffix, "systemc" + suffix)

    def test_any_number_of_threads_writes_the_same_bytes(self) -> None:
        for threads in (1, 2, 3, 8, 0):
            self.succeed(
                "run improved --set network.processing_elements=1024 --set run.cycles=400"
                " --set run.warmup=100 --set workload.traffic.hot_spot=0.2 --quiet"
                f" --set run.threads={threads} --out {threads} --checkpoint-at 300"
                f" --checkpoint {threads}.checkpoint"
            )
        for threads in (2, 3, 8, 0):
            self.same("1/results.json", f"{threads}/results.json")
            self.same("1.checkpoint", f"{threads}.checkpoint")
        self.assertNotIn(b"threads", self.read("1/results.json"))

    def test_threads_that_do_nothing_are_told(self) -> None:
        outcome = self.succeed("run ring --set nodes=2 --set run.threads=2 --quiet")
        self.assertIn("run.threads", outcome.stderr)

    def test_the_profile_is_of_the_loop(self) -> None:
        for preset in ("improved", "ring"):
            self.complain(
                f"run {preset} --quiet --set run.engine=systemc --profile",
                2,
                "--profile",
                "run.engine",
            )

    def test_an_unknown_engine_is_refused(self) -> None:
        self.complain(
            "run improved --engine system_c", 2, "run.engine", "system_c", "loop | systemc"
        )


if __name__ == "__main__":
    unittest.main()
