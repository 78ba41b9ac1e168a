#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings of events, and the files that `tributary trace` makes of them."""

import signal
import time
import unittest

from program_case import ProgramCase

SMALL = """{"network.processing_elements": 16, "network.wait_buffer_entries": 100,
            "workload.traffic.hot_spot": 0.4, "run.cycles": 600}"""

# Runs of both machines: traffic, programs with intervals, transfers, caches, locks.
RUNS = (
    "run.json",
    "run.json --set run.engine=loop --set network.microarchitecture=systolic",
    "barrier --series improved --set network.processing_elements=16",
    "fbcopy",
    "locks.json",
)
FILES = ("log", "vcd", "json")

# Messages of locks have numbers, which viewers show.
LOCKS = """{"platform": "flash", "nodes": 8, "network": {"topology": "hypercube"},
            "node": {"processor_caches": {"present": true}, "addresses": {"space_bits": 3},
                     "jump_table": {"candidates": 5}},
            "locks": {"count": 4}, "run": {"until": "finished"},
            "workload": {"kind": "program", "program": {"name": "critical_sections",
              "critical_sections": {"lock": "flash", "locks": 1, "count": 4, "held": 50,
                                    "idle": 300}}}}"""


class EventRecording(ProgramCase):
    def setUp(self) -> None:
        super().setUp()
        self.write("run.json", SMALL)
        self.write("locks.json", LOCKS)

    def files(self, name: str) -> str:
        return f"--log {name}.log --vcd {name}.vcd --perfetto {name}.json"

    def same_files(self, first: str, second: str, kinds: tuple[str, ...] = FILES) -> None:
        for kind in kinds:
            self.same(f"{first}.{kind}", f"{second}.{kind}")

    def test_conversions_are_what_the_run_would_have_written(self) -> None:
        for run in RUNS:
            with self.subTest(run):
                self.succeed(f"run {run} --quiet {self.files('direct')} --events run.tbe")
                self.succeed(f"trace run.tbe {self.files('later')}")
                self.same_files("direct", "later")

    def test_a_filter_chooses_when_the_recording_is_converted(self) -> None:
        for run, options in (
            ("run.json", "--window 100..200 --trace stage.1,element --origins 0..7"),
            ("fbcopy", "--window 900..1400 --trace node.1 --origins 1"),
        ):
            with self.subTest(run):
                self.succeed(f"run {run} --quiet {options} {self.files('direct')}")
                self.succeed(f"run {run} --quiet --events run.tbe")
                self.succeed(f"trace run.tbe {options} {self.files('later')}")
                self.same_files("direct", "later")

    def test_the_options_of_the_run_choose_if_none_are_given(self) -> None:
        tracks = "--trace stage.1,element --origins 0..7"
        self.succeed(f"run run.json --quiet {tracks} {self.files('direct')} --events run.tbe")
        self.succeed(f"trace run.tbe {self.files('later')}")
        self.same_files("direct", "later")
        self.succeed("trace run.tbe --origins 3 --trace module --log three.log")
        self.succeed("run run.json --quiet --origins 3 --trace module --log own.log")
        self.same("three.log", "own.log")

    def test_a_window_records_what_a_log_and_the_counts_of_a_dump_need(self) -> None:
        for run, window in (("run.json", "100..200"), ("fbcopy", "900..1400")):
            with self.subTest(run):
                self.succeed(f"run {run} --quiet --events all.tbe")
                self.succeed(
                    f"run {run} --quiet --window {window} {self.files('direct')} --events run.tbe"
                )
                self.succeed(f"trace run.tbe {self.files('later')}")
                self.same_files("direct", "later", ("log", "vcd"))
                self.assertLess(len(self.read("run.tbe")), len(self.read("all.tbe")))

    def test_without_files_it_says_what_is_there(self) -> None:
        self.succeed("run run.json --quiet --events run.tbe --log run.log")
        summary = self.succeed("trace run.tbe").stdout
        log = self.read("run.log").decode()
        events = sum(not line.startswith("#") for line in log.splitlines())
        self.contains(summary, ("ultracomputer of 16 pes", f"{events} events"))
        some = self.succeed("trace run.tbe --trace module").stdout
        self.contains(some, ("served", "replied"))
        self.assertNotIn("inserted", some)

    def test_the_same_run_gives_the_same_bytes(self) -> None:
        for name in ("a", "b"):
            self.succeed(f"run run.json --quiet --events {name}.tbe")
        self.same("a.tbe", "b.tbe")

    def test_failed_and_interrupted_runs_leave_what_led_there(self) -> None:
        run = "run barrier --quiet --series improved --set network.processing_elements=16"
        failed = self.tributary(run + " --set workload.program.patience=3 --events stuck.tbe")
        self.assertEqual(failed.returncode, 1)
        self.succeed("trace stuck.tbe --log stuck.log")
        self.assertIn(b"# partial ", self.read("stuck.log"))

    def test_an_interrupted_run(self) -> None:
        self.write("run.json", '{"network.processing_elements": 16, "run.cycles": 1000000000}')
        process = self.start("run run.json --quiet --events run.tbe")
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted", self.succeed("trace run.tbe").stdout)

    def refuse(self, bytes_: bytes, *parts: str) -> None:
        (self.work / "bad.tbe").write_bytes(bytes_)
        self.complain("trace bad.tbe --log bad.log", 1, "bad.tbe", *parts)
        self.assertEqual(list(self.work.glob("bad.log*")), [])

    def test_bad_recordings_are_refused(self) -> None:
        self.succeed("run run.json --quiet --events run.tbe")
        whole = self.read("run.tbe")
        self.refuse(b"", "is not an event recording")
        self.refuse(b"# tributary-event-log 2 ultracomputer\n", "is not an event recording")
        self.refuse(whole[:8] + b"\2" + whole[9:], "version 2", "version 1")
        for size in (9, 12, 20, 40, len(whole) // 2, len(whole) - 1):
            self.refuse(whole[:size])
        self.refuse(whole[: len(whole) // 2], "byte ", "ends early")
        for at in range(13, len(whole), len(whole) // 97):
            damaged = bytearray(whole)
            damaged[at] ^= 0x10
            self.refuse(bytes(damaged), "byte ")
        self.refuse(whole + b"x", "byte ")

    def test_wrong_usage(self) -> None:
        self.succeed("run run.json --quiet --events run.tbe")
        for arguments, status, *parts in (
            ("", 2, "FILE"),
            ("nowhere.tbe", 1, "nowhere.tbe"),
            ("run.tbe --log run.tbe", 2, "run.tbe", "two options"),
            ("run.tbe --log x --vcd x", 2, "x", "two options"),
            ("run.tbe --log x --window 2..x", 2, "--window", "2..x"),
            ("run.tbe --log x --trace stage.7", 2, "--trace", "stage.7"),
            ("run.tbe --log x --origins 16", 2, "--origins", "the last pe is 15"),
            ("run.tbe --log nowhere/x", 1, "nowhere/x"),
            ("run.tbe --log /dev/full", 1, "/dev/full"),
        ):
            with self.subTest(arguments):
                self.complain(f"trace {arguments}", int(status), *map(str, parts))
        self.assertIn("--window", self.succeed("trace run.tbe --window 99999..").stderr)


if __name__ == "__main__":
    unittest.main()
