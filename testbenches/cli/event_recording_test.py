#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings of events, and the files that `tributary trace` makes of them."""

import resource
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

    def test_a_run_that_fails_and_cannot_say_what_led_there_says_both(self) -> None:
        run = "run barrier --quiet --series improved --set network.processing_elements=16"
        failed = self.tributary(f"{run} --set workload.program.patience=3 --events /dev/full")
        self.assertEqual(failed.returncode, 1)
        self.contains(failed.stderr, ("no program has gone on", "\nIn addition: /dev/full: "))

    def test_a_disk_that_fills_up_during_the_run(self) -> None:
        self.write("run.json", SMALL)

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

        for engine in ("loop", "systemc"):
            run = f"run run.json --quiet --set run.cycles=20000 --engine {engine}"
            outcome = self.tributary(f"{run} --events run.tbe", limit)
            if "without SystemC" in outcome.stderr:
                continue
            self.assertEqual(outcome.returncode, 1, outcome.stderr)
            self.contains(outcome.stderr, ("run.tbe", "File too large"))
            self.assertEqual(list(self.work.glob("run.tbe*")), [])

    def test_an_interrupted_conversion_leaves_nothing(self) -> None:
        self.succeed("run run.json --quiet --set run.cycles=30000 --events run.tbe")
        process = self.start("trace run.tbe --perfetto run.json.gz")
        while process.poll() is None and not list(self.work.glob("run.json.gz*")):
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
        if process.returncode != 0:  # it may have been faster
            self.assertEqual(process.returncode, 130)
            self.assertIn("interrupted", err)
            self.assertEqual(list(self.work.glob("run.json.gz*")), [])

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


Line = tuple[str, ...]


class KeptCycles(ProgramCase):
    """Recordings of the last cycles, and of those around a trigger."""

    def setUp(self) -> None:
        super().setUp()
        self.write("run.json", SMALL.replace("600", "12000"))
        self.write("locks.json", LOCKS)

    def lines(self, log: str) -> list[Line]:
        text = self.read(log).decode()
        return [tuple(line.split("\t")) for line in text.splitlines() if line[0] != "#"]

    def same_window(self, recording: str, window: str, has_all_told: bool) -> None:
        """That a recording shows what that of the whole run, all.tbe, shows of a window.

        What is told after it is not in it on flash, as in the files of a run that ends there.
        """
        self.succeed(f"trace {recording} --log kept.log --vcd kept.vcd")
        self.succeed(f"trace all.tbe --window {window} --log whole.log --vcd whole.vcd")
        if has_all_told:
            self.same("kept.log", "whole.log")
            self.same("kept.vcd", "whole.vcd")
            return
        last = int(window.split("..")[1])
        kept, whole = self.lines("kept.log"), self.lines("whole.log")
        self.assertEqual([each for each in whole if each not in kept and int(each[1]) <= last], [])
        self.assertEqual([each for each in kept if each not in whole], [])

    def last_cycle(self) -> int:
        summary = self.succeed("trace all.tbe").stdout
        return int(summary.split("the last in cycle ")[1].split(";")[0])

    def test_the_last_cycles_are_those_of_the_whole_run(self) -> None:
        for run in RUNS:
            with self.subTest(run):
                self.succeed(f"run {run} --quiet --events all.tbe")
                for name in ("last", "again"):
                    self.succeed(f"run {run} --quiet --events {name}.tbe --keep-last 300")
                self.same("last.tbe", "again.tbe")
                first = self.last_cycle() - 299
                if run in ("fbcopy", "locks.json"):  # events may be told in cycles before theirs
                    self.succeed("trace last.tbe --vcd kept.vcd")
                    before = int(self.read("kept.vcd").decode().split("\n#")[1].split()[0])
                    self.assertLess(abs(before + 1 - first), 50)
                    first = before + 1
                self.same_window("last.tbe", f"{first}..", True)
        self.assertLess(len(self.read("last.tbe")), len(self.read("all.tbe")))

    def test_more_cycles_than_the_run_has_are_all(self) -> None:
        for run in ("run.json", "fbcopy"):
            self.succeed(f"run {run} --quiet --events all.tbe")
            self.succeed(f"run {run} --quiet --events last.tbe --keep-last 1000000")
            for name in ("all", "last"):
                self.succeed(
                    f"trace {name}.tbe --log {name}.log --vcd {name}.vcd --perfetto {name}.json"
                )
            for kind in FILES:
                self.same(f"all.{kind}", f"last.{kind}")

    def test_a_trigger_keeps_what_is_around_it(self) -> None:
        self.succeed("run run.json --quiet --events all.tbe")
        self.succeed("trace all.tbe --log all.log")
        asked: dict[str, int] = {}
        fired = 0
        for cycle, _, _, event, identity, *_ in self.lines("all.log"):
            asked.setdefault(identity, int(cycle))
            latency = int(cycle) - asked[identity]
            if event == "delivered" and latency > 35 and int(cycle) > 6000:
                fired = int(cycle)
                break
        self.assertGreater(fired, 0)
        condition = '--trace-on "event = delivered and latency > 35 and cycle > 6000"'
        for engine in ("loop", "systemc"):
            outcome = self.tributary(
                f"run run.json --quiet --engine {engine} {condition} --keep-last 400"
                f" --keep-next 50 --events {engine}.tbe"
            )
            if "without SystemC" in outcome.stderr:
                continue
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            self.contains(
                outcome.stderr, ("--trace-on", f"first held in cycle {fired}, at delivered")
            )
            self.same(f"{engine}.tbe", "loop.tbe")
        self.same_window("loop.tbe", f"{fired - 400}..{fired + 50}", True)
        # As many after it as before, if nothing else is asked for.
        self.succeed(f"run run.json --quiet {condition} --keep-last 400 --events equal.tbe")
        self.same_window("equal.tbe", f"{fired - 400}..{fired + 400}", True)
        self.succeed(
            f"run run.json --quiet {condition} --keep-last 400 --keep-next 0 --events zero.tbe"
        )
        self.same_window("zero.tbe", f"{fired - 400}..{fired}", True)

    def test_a_trigger_of_flash(self) -> None:
        self.succeed("run fbcopy --quiet --events all.tbe")
        said = self.succeed(
            "run fbcopy --quiet --events some.tbe --keep-last 300 --keep-next 100 "
            '--trace-on "event=handled and handler=block_transfer.transfer and track=node.0"'
        ).stderr
        self.succeed("trace all.tbe --log all.log")
        handled = next(
            line
            for line in self.lines("all.log")
            if line[3] == "handled"
            and "handler=block_transfer.transfer " in line[8]
            and line[2].startswith("node.0.")
        )
        fired = int(said.split("first held in cycle ")[1].split(",")[0])
        self.assertIn(f"at handled of {handled[4]} on {handled[2]} in cycle {handled[0]}", said)
        self.same_window("some.tbe", f"{fired - 300}..{fired + 100}", False)

    def test_a_trigger_that_never_fires_leaves_the_last_cycles(self) -> None:
        self.succeed("run run.json --quiet --events last.tbe --keep-last 300")
        outcome = self.succeed(
            'run run.json --quiet --events never.tbe --keep-last 300 --trace-on "cycle > 999999"'
        )
        self.contains(outcome.stderr, ("never held", "never.tbe has the last 300 cycles"))
        self.same("last.tbe", "never.tbe")

    def test_a_run_that_fails_leaves_the_last_cycles(self) -> None:
        run = (
            "run barrier --quiet --series improved --set network.processing_elements=16"
            " --set workload.program.patience=3"
        )
        for options in ("--events all.tbe", "--events last.tbe --keep-last 100"):
            failed = self.tributary(f"{run} {options}")
            self.assertEqual(failed.returncode, 1)
        self.succeed("trace last.tbe --log last.log")
        self.assertIn(b"# partial ", self.read("last.log"))
        last = self.last_cycle()
        self.same_window("last.tbe", f"{last - 99}..", True)
        trigger = '--events t.tbe --keep-last 100 --trace-on "cycle >= 900"'
        failed = self.tributary(f"{run} {trigger} --keep-next 10")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("first held in cycle 900", failed.stderr)
        self.succeed("trace t.tbe --log t.log")
        self.assertIn(b"# end ", self.read("t.log"), "it was whole before the run failed")
        self.tributary(f"{run} --events t.tbe --keep-last 9 --keep-next 0 --trace-on cycle>={last}")
        self.succeed("trace t.tbe --log t.log")
        self.assertIn(b"# end ", self.read("t.log"), "nothing happened between then and the end")
        self.tributary(f"{run} {trigger} --keep-next 100000")
        self.succeed("trace t.tbe --log t.log")
        self.assertIn(b"# partial ", self.read("t.log"))

    def test_the_file_is_there_while_the_run_goes_on(self) -> None:
        for trigger, said in (("cycle > 2000", "in cycle 2001"), ("cycle < 0", "never held")):
            process = self.start(
                "run run.json --quiet --set run.cycles=1000000000 --events run.tbe"
                f' --keep-last 500 --trace-on "{trigger}"'
            )
            deadline = time.monotonic() + (20 if trigger != "cycle < 0" else 0.7)
            while time.monotonic() < deadline and not (self.work / "run.tbe").exists():
                time.sleep(0.05)
            self.assertEqual((self.work / "run.tbe").exists(), trigger != "cycle < 0")
            process.send_signal(signal.SIGINT)
            _, err = process.communicate()
            self.assertEqual(process.returncode, 130)
            self.assertIn(said, err)
            summary = self.succeed("trace run.tbe").stdout
            self.assertEqual("interrupted" in summary, trigger == "cycle < 0")
            (self.work / "run.tbe").unlink()

    def test_wrong_usage(self) -> None:
        trace_on = "--events x --keep-last 9 --trace-on"
        for arguments, *parts in (
            ("--keep-last 9", "--keep-last", "add --events"),
            ("--log x --keep-last 9", "--keep-last", "add --events"),
            ("--events x --keep-last 0", "--keep-last", "from 1 on"),
            ("--events x --keep-last -1", "--keep-last", "from 1 on"),
            (f'{trace_on} "cycle > 1" --keep-next -1', "--keep-next", "from 0 on"),
            ("--events x --keep-last 9 --window 1..2", "--keep-last and --window"),
            ('--events x --trace-on "cycle > 1"', "--trace-on", "add --keep-last"),
            ("--events x --keep-last 9 --keep-next 9", "--keep-next", "add --trace-on"),
            (f'{trace_on} "cycl > 1"', "--trace-on", "character 1", "latency", "form"),
            (f'{trace_on} "event = ful"', "--trace-on", "character 9", "delivered"),
            (f'{trace_on} "track = stage.9"', "--trace-on", "character 9", "stage.9"),
            (f'{trace_on} "form = fad"', "--trace-on", "character 8", "add"),
        ):
            with self.subTest(arguments):
                self.complain(f"run run.json {arguments}", 2, *parts)
                self.assertEqual(list(self.work.glob("x*")), [])

    def test_a_full_disk(self) -> None:
        for options in ("", '--trace-on "cycle > 100"'):
            self.complain(
                f"run run.json --quiet --events /dev/full --keep-last 9 {options}", 1, "/dev/full"
            )


if __name__ == "__main__":
    unittest.main()
