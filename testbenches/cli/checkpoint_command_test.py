#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run that is checkpointed and resumed: the same trace from there, and refusals."""

import struct
import unittest

from program_case import ProgramCase

MAGIC = b"tributary checkpoint 1\n"

READERS_WRITERS = """workload.kind=program workload.program.name=readers_writers
    workload.program.readers_writers.lock=mcs_writer_preference
    workload.program.readers_writers.expected_writers=2 run.until=steady run.batch=20
    run.watch=workload.marks.grant.count run.least_of=workload.marks.writer_grant.count
    run.least_count=20 run.warmup_of=workload.marks.rotation.count run.warmup_count=2
    run.half_width=0.2"""


def events_from(log: bytes, cycle: int) -> list[bytes]:
    """The events of a log from a cycle on."""
    events = [line for line in log.splitlines() if not line.startswith(b"#")]
    return [line for line in events if int(line.split()[0]) >= cycle]


class CheckpointCommand(ProgramCase):
    def setUp(self) -> None:
        super().setUp()
        self.write(
            "run.json",
            """{"network": {"processing_elements": 16, "adaptive_limit": 2},
                "workload.traffic.hot_spot": 0.7, "run": {"warmup": 300, "cycles": 700}}""",
        )

    def make_checkpoint(self, cycle: int, settings: str = "") -> None:
        self.succeed(
            f"run run.json --checkpoint c --checkpoint-at {cycle} {settings}"
            " --log whole.log --out whole"
        )

    def test_resumed_run_continues_with_the_same_trace_and_results(self) -> None:
        for cycle in (1, 150, 300, 777, 1000):
            self.make_checkpoint(cycle)
            self.succeed("run run.json --resume c --log rest.log --out rest")
            rest = events_from(self.read("rest.log"), 0)
            # Nobody wants to read the logs.
            self.assertTrue(rest == events_from(self.read("whole.log"), cycle + 1), cycle)
            self.same("rest/results.json", "whole/results.json")

    def test_steady_runs_and_programs_resume_too(self) -> None:
        for settings in (
            "run.until=steady run.batch=20",
            "workload.kind=program run.until=finished",
            "workload.kind=open_loop",
            READERS_WRITERS,
            # Cycle 400 lies within a window, at the end of one, and in a steady run.
            "run.occupancy_window=37",
            "run.occupancy_window=50",
            "run.until=steady run.batch=20 run.occupancy_window=700",
        ):
            with self.subTest(settings):
                sets = " ".join(f"--set {each}" for each in settings.split())
                self.make_checkpoint(400, sets)
                self.succeed(f"run run.json --resume c --out rest {sets}")
                self.same("rest/results.json", "whole/results.json")

    def test_another_configuration_seed_or_cycle_is_refused(self) -> None:
        self.make_checkpoint(500)
        resume = "run run.json --resume c "
        self.complain(resume + "--set network.slots=5", 2, "network.slots was 4 and is now 5")
        self.complain(resume + "--seed 2", 2, "--seed 1")
        again = "--checkpoint d --checkpoint-at 500"
        self.complain(resume + again, 2, "--checkpoint-at", "after cycle 500")
        self.assertFalse((self.work / "d").exists())

    def test_another_version_is_refused(self) -> None:
        self.make_checkpoint(500)
        version = self.succeed("--version").stdout.split()[1]
        other = version[:-1] + ("8" if version.endswith("9") else "9")
        # Behind the magic stand a mark of the byte order and the hash of the rest.
        head, content = self.read("c")[: len(MAGIC) + 1], self.read("c")[len(MAGIC) + 9 :]
        self.assertIn(version.encode(), content)
        content = content.replace(version.encode(), other.encode(), 1)
        # FNV-1a: the file is whole, and of a program that is not this one.
        digest = 0xCBF29CE484222325
        for byte in content:
            digest = (digest ^ byte) * 0x100000001B3 % 2**64
        self.write("other", head + struct.pack("<Q", digest) + content)
        self.complain("run run.json --resume other", 2, f"of version {other}", f"version {version}")

    def test_damaged_or_foreign_file_is_refused(self) -> None:
        self.make_checkpoint(500)
        whole = self.read("c")
        half = len(whole) // 2
        self.write("cut", whole[:half])
        self.write("changed", whole[:half] + bytes([whole[half] ^ 1]) + whole[half + 1 :])
        self.write("empty", "")
        for name, *parts in (
            *(("cut", "cut", "damaged"), ("changed", "changed", "damaged")),
            *(("run.json", "no checkpoint"), ("empty", "no checkpoint"), ("missing", "missing")),
        ):
            self.complain(f"run run.json --resume {name}", 1, *parts)

    def test_checkpoint_after_the_end_is_noticed(self) -> None:
        self.complain(
            "run run.json --quiet --checkpoint c --checkpoint-at 5000", 2, "--checkpoint-at"
        )
        self.assertFalse((self.work / "c").exists())


if __name__ == "__main__":
    unittest.main()
