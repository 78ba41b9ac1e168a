#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program with good input: what it prints, what it writes, and how it is interrupted."""

import contextlib
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import termios
import time
import unittest
from typing import Any

from program_case import PROGRAM, ROOT, ProgramCase

SMALL = """{"network.processing_elements": 16, "processor.start_window": 50,
  "workload.traffic.hot_spot": 1, "run": {"warmup": 100, "cycles": 500}}"""
PRESETS = ROOT / "platforms/ultracomputer/presets"


def flattened(configuration: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Every parameter by its dotted name."""
    flat: dict[str, Any] = {}
    for name, value in configuration.items():
        if isinstance(value, dict):
            flat.update(flattened(value, f"{before}{name}."))
        else:
            flat[before + name] = value
    return flat


class RunCommand(ProgramCase):
    def test_same_seed_same_bytes_on_any_number_of_threads(self) -> None:
        self.write(
            "run.json",
            """{"vary": {"network.processing_elements": [4, 8, 16]},
                "workload.traffic.hot_spot": 0.5, "run.cycles": 500}""",
        )
        self.succeed("run run.json --out a --threads 1 --seeds 1..3")
        self.succeed("run run.json --out b --threads 3 --seeds 1..3")
        self.succeed("run run.json --out c --seeds 2..4")
        self.succeed("run run.json --out d --seeds 2-4")
        self.same("c/results.json", "d/results.json")
        self.same("a/results.json", "b/results.json")
        self.assertFalse(self.read("a/results.json") == self.read("c/results.json"))

    def test_profile_tells_shares_of_blocks_and_changes_no_result(self) -> None:
        for words, block in (
            (
                "improved --set network.processing_elements=[64,128] --set run.cycles=20000",
                "requests",
            ),
            ("ring --set nodes=4 --set workload.count=200", "protocol_processor"),
        ):
            self.succeed(f"run {words} --quiet --out plain")
            told = self.succeed(f"run {words} --quiet --out profiled --profile").stderr.splitlines()
            self.same("plain/results.json", "profiled/results.json")
            self.assertRegex(told[0], r"^Time by block, of [1-9]\d* looks in \d+\.\d\d s:$")
            rows = [line.split(maxsplit=4) for line in told[1:]]
            self.assertIn(block, [row[4] for row in rows], told)
            self.assertAlmostEqual(sum(float(row[0]) for row in rows), 100, delta=1, msg=str(told))

    def test_results_hold_configuration_seeds_version_and_statistics(self) -> None:
        self.write("run.json", SMALL)
        self.succeed("run run.json --out deep/er --seeds 1..2,7")
        self.assertEqual(self.names_in("deep/er"), ["results.json"])
        root = self.results("deep/er")
        self.assertEqual(root["schema"], "tributary.results/1")
        self.assertIn("version", root)
        self.assertIs(root["partial"], False)
        self.assertEqual(root["seeds"], [1, 2, 7])
        point = root["points"][0]
        self.assertEqual(point["configuration"]["network"]["processing_elements"], 16)
        self.assertEqual([each["seed"] for each in point["runs"]], [1, 2, 7])
        self.assertEqual(point["runs"][0]["cycles"], 600)
        self.assertGreater(point["summary"]["interface.latency.mean"]["mean"], 9)

    def test_settings_override_the_file_and_what_it_varies(self) -> None:
        self.write(
            "run.json", '{"vary": {"network.processing_elements": [4, 8]}, "run.cycles": 100}'
        )
        self.succeed(
            "run run.json --out out --set network.processing_elements=16"
            " --set memory.interval=[4,8]"
        )
        points = self.results("out")["points"]
        self.assertEqual(len(points), 2)
        self.assertEqual(points[1]["name"], "network.processing_elements = 16, memory.interval = 8")

    def test_a_line_for_each_run_where_there_is_no_terminal(self) -> None:
        self.write("run.json", SMALL)
        loud = self.tributary("run run.json --seeds 1..2").stderr
        self.assertIn("2/2", loud)
        self.assertNotIn("\r", loud)
        self.assertEqual(self.tributary("run run.json --quiet").stderr, "")

    def test_published_numbers_stand_beside_measured_ones(self) -> None:
        outcome = self.succeed(
            "run polling --series improved --set network.processing_elements=2048"
            " --set run.cycles=1000"
        )
        self.contains(outcome.stdout, ("published", "118", "deviation", "C4"))

    def test_published_numbers_stand_beside_their_own_statistic_only(self) -> None:
        table = {
            "rows": "memory.latency",
            "columns": "series",
            "decimals": 3,
            "value": "network.stage.4.combining_rate",
            "published": [
                *("C4", "C5.fifth_from_memory", "C5.sixth_from_memory"),
                "C6.sixth_from_memory",
            ],
        }
        run_file = {
            "extends": str(PRESETS / "figure5.json"),
            "vary": {"memory.latency": [2, 3]},
            "table": table,
            "run.warmup": 500,
            "run.cycles": 200,
        }
        self.write("run.json", json.dumps(run_file))
        self.write("published.json", (PRESETS.parent / "published.json").read_bytes())
        out = self.succeed("run run.json --quiet").stdout
        # None in C5, a quarter of the maximum in C6; a number of 0 has no deviation in per cent.
        self.assertIn(
            "Published: C5.sixth_from_memory = 0 1 (FG 3.2, Figure 5 left); "
            "C6.sixth_from_memory = 0.125 1 (FG 3.2, Figure 5 right).",
            out,
        )
        self.assertIn("+0.000", out)
        self.assertNotIn("nan", out)
        first = out.index("published")
        self.assertNotIn("  published", out[first + 1 :], "also beside memory of another latency")

    def test_every_preset_is_valid(self) -> None:
        listed = self.tributary("list").stdout
        names = (
            "baseline wait_buffer_100 improved aggressive no_combining polling figure4 figure5"
            " figure6 figure7 figure8 figure9 figure10 figure11 figure12 figure13 figure14 figure15"
            " barrier barriers readers_writers systolic gradual gradual_mix"
        )
        for name in names.split():
            self.assertIn(name, listed)
            outcome = self.succeed(f"validate-config {name}")
            self.assertEqual(outcome.stderr, "", name)
            self.assertIsInstance(json.loads(outcome.stdout), dict)

    def test_a_configuration_of_results_is_a_run_file_that_gives_it_back(self) -> None:
        short = "--set run.warmup=10 --set run.cycles=50"
        for preset in sorted(PRESETS.glob("*.json")):
            # What machines of several platforms have in common.
            mixed = preset.stem in ("meet", "meet_equal")
            small = "processors" if mixed else "network.processing_elements"
            self.succeed(f"run {preset} --set {small}=4 {short} --out first --quiet")
            configuration = self.results("first")["points"][0]["configuration"]
            run_file = {"platform": "ultracomputer", **flattened(configuration)}
            self.write("point.json", json.dumps(run_file))
            self.succeed("run point.json --out again --quiet")
            again = self.results("again")["points"][0]["configuration"]
            self.assertEqual(again, configuration, preset)

    def test_a_thousand_points_are_validated_one_by_one(self) -> None:
        run_file = {
            "series": [{"name": "x", "network.slots": 5}, {"name": "y"}],
            "vary": {"memory.interval": [4, 5], "processor.turnaround": list(range(1, 251))},
        }
        self.write("run.json", json.dumps(run_file))
        validated = json.loads(self.succeed("validate-config run.json").stdout)
        points = validated["points"]
        self.assertEqual(len(points), 1000)
        names = ("series", "network.slots", "memory.interval", "processor.turnaround")
        for point, values in ((points[0], ("x", 5, 4, 1)), (points[-1], ("y", 4, 5, 250))):
            self.assertEqual(list(point.items()), list(zip(names, values, strict=True)))
        common = validated["configuration"]["network"]
        self.assertNotIn("slots", common)
        self.assertIn("coupled", common)

    def test_describe_names_every_parameter_with_range_and_default(self) -> None:
        text = self.succeed("describe ultracomputer").stdout
        listed = json.loads(self.succeed("describe --json").stdout)["parameters"]
        for each in listed:
            self.assertIn(f"  {each['name']} ", text)
            self.assertTrue(each["range"] and each["description"], each)
        self.write("run.json", SMALL)
        self.succeed("run run.json --out out --quiet")
        used = flattened(self.results("out")["points"][0]["configuration"])
        known = {each["name"].partition("[]")[0] for each in listed}
        self.assertLessEqual(set(used) - {"platform"}, known)

    def interrupt(self, command: str, by: signal.Signals) -> str:
        process = self.start(command)
        time.sleep(0.7)
        process.send_signal(by)
        if by == signal.SIGHUP:  # as shell and kernel both send it when a terminal closes
            time.sleep(0.001)
            process.send_signal(by)
        err = process.communicate()[1]
        self.assertEqual(process.returncode, 130, err)
        return err

    def test_interrupted_run_leaves_partial_results_marked_as_such(self) -> None:
        for by in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.write(
                "run.json",
                """{"network.processing_elements": 64, "workload.traffic.hot_spot": 1,
                    "vary": {"network.slots": [4, 5, 6, 7, 8]}, "run.cycles": 1000000000}""",
            )
            command = "run run.json --out out --log /dev/null --set network.slots=4"
            self.assertIn("partial", self.interrupt(command, by))
            root = self.results("out")
            self.assertIs(root["partial"], True)
            (run,) = root["points"][0]["runs"]
            self.assertIs(run["partial"], True)
            self.assertIsNone(run["statistics"]["run"]["settled"]["value"], "unknown")
            self.assertEqual(self.names_in("out"), ["results.json"])

    def test_a_terminal_that_closes_costs_no_results(self) -> None:
        self.write("run.json", '{"network.processing_elements": 64, "run.cycles": 1000000000}')
        ours, terminal = pty.openpty()
        process = subprocess.Popen(
            [PROGRAM, "run", "run.json", "--out", "out"],
            cwd=self.work,
            stdout=subprocess.DEVNULL,
            stderr=terminal,
            env={**os.environ, "TERM": "xterm"},
        )
        os.close(terminal)
        time.sleep(0.7)
        os.close(ours)  # from now on the progress bar cannot be written
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(), 130)
        self.assertIs(self.results("out")["partial"], True)

    def test_a_closed_terminal_does_not_end_a_run_under_nohup(self) -> None:
        self.write("run.json", '{"network.processing_elements": 64, "run.cycles": 1000000000}')

        def ignore() -> None:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

        process = self.start("run run.json --out out --quiet", ignore)
        time.sleep(0.7)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.communicate()

    def test_what_a_killed_run_left_is_removed_by_the_next(self) -> None:
        self.write("run.json", '{"network.processing_elements": 16, "run.cycles": 1000000000}')
        command = "run run.json --quiet --log out.log"
        killed = self.start(command)
        living = self.start(command.replace("out.log", "other.log"))
        time.sleep(0.7)
        killed.kill()
        killed.communicate()
        self.assertEqual(len(list(self.work.glob("out.log.partial-*"))), 1)
        for log in ("out.log", "other.log"):
            self.succeed(f"run run.json --quiet --set run.cycles=10 --log {log}")
        left = sorted(each.name for each in self.work.glob("*.partial-*"))
        self.assertEqual(left, [f"other.log.partial-{living.pid}-0"])
        living.send_signal(signal.SIGTERM)
        living.communicate()
        self.assertEqual(list(self.work.glob("*.partial-*")), [])

    def test_a_run_file_from_a_pipe(self) -> None:
        self.write("run.json", SMALL)
        for command in (
            "run <(cat run.json) --quiet --out out",
            "run /dev/stdin --quiet --out out < <(cat run.json)",
            "run /dev/stdin --quiet --out out < run.json",
        ):
            subprocess.run(
                ["bash", "-c", f'"$TRIBUTARY_PROGRAM" {command}'],
                cwd=self.work,
                check=True,
                stdout=subprocess.DEVNULL,
            )
            self.assertEqual(len(self.results("out")["points"]), 1)

    def test_interrupted_batch_keeps_what_was_finished(self) -> None:
        self.write(
            "run.json",
            """{"network.processing_elements": 16, "workload.traffic.hot_spot": 1,
                "series": [{"name": "short", "run.cycles": 1000},
                           {"name": "long", "run.cycles": 1000000000}]}""",
        )
        self.interrupt("run run.json --out out --threads 2", signal.SIGINT)
        partial = [point["runs"][0]["partial"] for point in self.results("out")["points"]]
        self.assertEqual(partial, [False, True])

    def test_steady_run_says_how_well_the_mean_is_known(self) -> None:
        self.write(
            "run.json",
            """{"network.processing_elements": 16, "workload": {"kind": "open_loop",
                "traffic.hot_spot": 0.05, "open_loop.load": 0.1}, "run": {"until": "steady"}}""",
        )
        self.succeed("run run.json --out out")
        steadiness = self.results("out")["points"][0]["runs"][0]["statistics"]["run"]
        self.assertIn("reached_half_width", steadiness)
        self.assertEqual(steadiness["steady"]["value"], 1)

    def test_run_that_has_not_settled_says_so(self) -> None:
        run = "run no_combining --quiet --set network.processing_elements=64 --out"
        slow = self.succeed(f"{run} slow --set memory.interval=40")
        self.assertIn("run.warmup", slow.stderr)
        self.assertIn("run.until", slow.stderr)
        (point,) = self.results("slow")["points"]
        self.assertEqual(point["runs"][0]["statistics"]["run"]["settled"]["value"], 0)
        self.assertIn(
            "○",
            self.succeed(
                "run no_combining --set network.processing_elements=64 --set memory.interval=40"
            ).stdout,
        )
        longer = self.succeed(f"{run} longer --set memory.interval=40 --set run.warmup=20000")
        self.assertEqual(longer.stderr, "")
        statistics = self.results("longer")["points"][0]["runs"][0]["statistics"]["run"]
        self.assertEqual(statistics["settled"]["value"], 1)

    def test_a_run_too_short_to_compare_its_halves_says_nothing_of_rest(self) -> None:
        self.write("run.json", '{"network.processing_elements": 4, "run.warmup": 100}')
        self.succeed("run run.json --set run.cycles=3 --out out --quiet")
        statistics = self.results("out")["points"][0]["runs"][0]["statistics"]["run"]
        self.assertIsNone(statistics["settled"]["value"])

    def test_open_loop_above_what_memory_takes_has_not_settled(self) -> None:
        load = "--set workload.kind=open_loop --set workload.traffic.hot_spot=0 --quiet"
        load += " --set interface.outstanding=8"
        run = f"run improved --set network.processing_elements=16 {load} --out"
        self.assertEqual(self.succeed(f"{run} a --set workload.open_loop.load=0.1").stderr, "")
        self.succeed(f"{run} b --set workload.open_loop.load=0.5")
        statistics = self.results("b")["points"][0]["runs"][0]["statistics"]["run"]
        self.assertEqual(statistics["settled"]["value"], 0)
        self.assertGreater(statistics["backlog_drift"]["value"], 0.5)

    def test_latency_is_told_by_class(self) -> None:
        self.write(
            "run.json",
            """{"extends": "no_combining", "network.processing_elements": 16,
                "workload.traffic": {"hot_spot": 0.3, "operations": [
                  {"operation": "load", "weight": 3}, {"operation": "fetch_add"}]}}""",
        )
        self.succeed("run run.json --out out --quiet")
        summary = self.results("out")["points"][0]["summary"]

        def mean(path: str) -> float:
            return float(summary[f"interface.{path}"]["mean"])

        self.assertGreater(mean("hot.latency.mean"), 1.5 * mean("cold.latency.mean"))
        self.assertGreater(mean("cold.latency_p99"), mean("cold.latency_p50"))
        for one, other in (("hot", "cold"), ("loads", "atomics")):
            count = mean(f"{one}.latency.count") + mean(f"{other}.latency.count")
            self.assertEqual(count, mean("latency.count"))

    def test_placement_of_hot_words_follows_the_seed(self) -> None:
        run = (
            "run improved --quiet --set network.processing_elements=64 --set run.cycles=1000"
            " --set interface.outstanding=4 --set workload.traffic.hot_spot=0.5"
        )
        words = "--set workload.traffic.hot_words=4"
        for name, options in (
            ("random", words),
            ("adjacent", f"{words} --set workload.traffic.hot_placement=adjacent"),
            ("one", "--set workload.traffic.hot_placement=random"),
            ("one_adjacent", "--set workload.traffic.hot_placement=adjacent"),
        ):
            self.succeed(f"{run} {options} --out {name}")

        def latency(name: str) -> float:
            summary = self.results(name)["points"][0]["summary"]
            return float(summary["interface.latency.mean"]["mean"])

        self.assertNotEqual(latency("random"), latency("adjacent"))
        self.assertEqual(latency("one"), latency("one_adjacent"))

    def test_presets_are_extended_by_name(self) -> None:
        small = "--set network.processing_elements=8 --set run.cycles=200"
        self.write(
            "run.json",
            """{"$schema": "run_file.schema.json", "extends": "improved",
                "series": [{"name": "a"}, {"name": "b", "extends": "aggressive.json"}]}""",
        )
        self.succeed(f"run run.json {small} --out out --quiet")
        queues = [
            point["configuration"]["network"]["queue_type"]
            for point in self.results("out")["points"]
        ]
        self.assertEqual(queues, ["B", "A"])
        # A folder of that name is none.
        (self.work / "improved").mkdir()
        self.succeed(f"run run.json {small} --out out --quiet")
        (self.work / "improved").rmdir()
        # A file of that name comes first.
        self.write("improved", '{"extends": "aggressive"}')
        self.succeed(f"run run.json {small} --series a --out own --quiet")
        (point,) = self.results("own")["points"]
        self.assertEqual(point["configuration"]["network"]["queue_type"], "A")

    def test_describe_takes_groups_and_parameters(self) -> None:
        def names(words: str) -> list[str]:
            listed = json.loads(self.succeed(f"describe {words} --json").stdout)
            return [each["name"] for each in listed["parameters"]]

        self.assertEqual(names("interface.outstanding"), ["interface.outstanding"])
        self.assertEqual(names("hot_words"), ["workload.traffic.hot_words"])
        group = names("workload.traffic run.warmup")
        self.assertIn("workload.traffic.operations[].weight", group)
        self.assertIn("run.warmup", group)
        self.assertNotIn("run.cycles", group)
        self.assertEqual(names("flash workload.bytes"), ["workload.bytes"])
        self.complain("describe hot_wrds", 2, "hot_wrds", "hot_words")
        self.complain("describe flash hot_wrds", 2, "hot_wrds")

    @staticmethod
    def read_all(terminal: int) -> str:
        """What a program writes until it ends; a read alone may have a part of it."""
        text = b""
        with contextlib.suppress(OSError):  # as there is nobody who writes any more
            while part := os.read(terminal, 65536):
                text += part
        return text.decode()

    def lines_on_a_terminal(self, width: int, *arguments: str) -> list[str]:
        ours, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 25, width, 0, 0))
        shown = subprocess.Popen([PROGRAM, *arguments], stdout=terminal)
        os.close(terminal)
        lines = self.read_all(ours).splitlines()  # while it writes: a terminal holds 4 KiB
        os.close(ours)
        self.assertEqual(shown.wait(), 0)
        return lines

    def test_help_and_lists_fit_the_terminal(self) -> None:
        commands = ("run", "describe", "validate-config", "list", "compare", "completion")
        for arguments in (("--help",), ("list",), *((each, "--help") for each in commands)):
            for width in (80, 300):
                with self.subTest(arguments, width=width):
                    lines = [len(line) for line in self.lines_on_a_terminal(width, *arguments)]
                    self.assertGreater(len(lines), 3)
                    self.assertLessEqual(max(lines), min(width, 100))

    def test_descriptions_fit_the_terminal(self) -> None:
        for width, most in ((60, 60), (300, 100)):
            lines = self.lines_on_a_terminal(width, "describe", "hot_words", "hot_placement")
            described = [len(line) for line in lines if line.startswith("      ")]
            self.assertGreater(len(described), 1)
            self.assertLessEqual(max(described), most)
            self.assertGreater(max(described), most / 2)

    def test_steady_run_that_never_is_gives_up_with_a_warning(self) -> None:
        self.write(
            "run.json",
            """{"network.processing_elements": 16, "workload.traffic.hot_spot": 0.3,
                "run": {"until": "steady", "half_width": 0.000001, "maximum_cycles": 20000}}""",
        )
        self.assertIn("not steady", self.succeed("run run.json --quiet").stderr)

    def test_programs_run_to_their_end_and_failed_ones_leave_their_events(self) -> None:
        run = "run barrier --quiet --series improved --set network.processing_elements=16"
        self.assertEqual(self.succeed(run).stderr, "")
        failed = self.tributary(
            run + " --set workload.program.patience=3 --log stuck.log --out out"
        )
        self.assertEqual(failed.returncode, 1)
        self.assertIn("no program has gone on", failed.stderr)
        self.assertIn(b"# partial ", self.read("stuck.log"))
        self.assertEqual(self.names_in("out"), [])

    def test_recorded_trace_replays_to_the_same_events(self) -> None:
        self.write("run.json", SMALL)
        self.succeed("run run.json --record t.gz --log a.log")
        replayed = "--set workload.kind=trace --set workload.trace.file=t.gz"
        self.succeed(f"run run.json {replayed} --log b.log")
        self.same("a.log", "b.log")

    def compare(self, arguments: str, status: int) -> str:
        outcome = self.tributary(f"compare {arguments}")
        self.assertEqual(outcome.returncode, status, outcome.stderr)
        return outcome.stdout

    def test_compare_looks_at_series_over_time_too(self) -> None:
        self.write("run.json", SMALL)
        # The second differs from the first in what it records only, the third in the first cycles.
        for name, settings in (
            ("a", "--set run.occupancy_window=50"),
            ("b", "--set run.occupancy_window=60"),
            ("c", "--set run.occupancy_window=50 --set processor.start_window=500"),
            ("d", ""),
        ):
            self.succeed(f"run run.json --out {name} {settings}")
        series = "network.stage.3.queue_occupancy_over_time"
        self.compare("a a", 0)
        other_windows = self.compare("a b", 1)
        self.assertIn(series + "        12 windows of 50  10 windows of 60", other_windows)
        self.assertNotIn("latency", other_windows)
        other_start = self.compare(f"a c --statistic {series}", 1)
        self.contains(other_start, ("from window ", "1 of 1 statistics differ"))
        self.assertIn("only on one side", self.compare("a d", 1))

    def test_compare_tells_equal_from_different(self) -> None:
        self.write("run.json", SMALL)
        for name, settings in (("a", ""), ("b", ""), ("c", "--set memory.latency=9")):
            self.succeed(f"run run.json --out {name} --seeds 1..4 {settings}")
        self.assertIn("0 of ", self.compare("a b/results.json", 0))
        different = self.compare("a c", 1)
        self.contains(different, ("memory.latency: 2 | 9", "interface.latency.mean", "±", "*"))
        self.compare("a b --all --statistic interface.latency", 0)
        self.compare("a b --statistic nothing", 2)

    def test_help_and_version(self) -> None:
        self.assertTrue(self.tributary("--version").stdout.startswith("tributary "))
        self.assertIn("Examples", self.tributary("--help").stdout)
        self.assertNotIn("Examples", self.succeed("run --help").stdout)

    def test_a_window_after_the_run_is_warned_of(self) -> None:
        self.write("run.json", SMALL)
        late = self.succeed("run run.json --quiet --log log --window 601..").stderr
        self.contains(late, ("warning: --window 601.. begins after", "600"))
        in_time = self.tributary("run run.json --quiet --log log --window 600..")
        self.assertEqual(in_time.stderr, "")


if __name__ == "__main__":
    unittest.main()
