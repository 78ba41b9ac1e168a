#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everything that can be wrong with what a user gives: one line that says what, where and what to
do, the right exit status, and nothing left half-written."""

import json
import os
import resource
import subprocess
import time
import unittest
from pathlib import Path

from program_case import PROGRAM, ProgramCase

SMALL = '{"network.processing_elements": 4, "run.cycles": 100}'

# Run files, and what is in the complaint. How values are checked is parameters_test's.
RUN_FILES = [
    (
        '{\n  "network": {"slotz": 4}\n}',
        "run.json, line 2, column 15",
        "network.slotz",
        "network.slots",
    ),
    ('{"netwrok": {"slots": 4}}', "netwrok", "did you mean network?"),
    ('{"varry": {}}', "varry", "did you mean vary?"),
    ('{"network": {"slots": "4"}}', "network.slots", '"4"', "1 to 64"),
    ("[1]", "run.json"),
    ('{"network": {"slots": 65}}', "network.slots", "65", "1 to 64"),
    (
        '{"network": {"processing_elements": 65537}}',
        "network.processing_elements",
        "65537",
        "65536",
    ),
    ('{"network": {"processing_elements": 1000}}', "1000", "512", "1024"),
    ('{"network": {"slots": 4,\n"slots": 5}}', "slots", "line 2"),
    ('{\n  "network": {"slots": }\n}', "run.json, line 2, column 24"),
    ("", "run.json"),
    # A type A queue is ready only with a slot for each of its two writers.
    ('{"network": {"queue_type": "A", "slots": 1}}', "slots"),
    (
        '{"vary": {"network.slots": [4, 1]}, "network": {"queue_type": "A"}}',
        "network.slots = 1",
        "slots",
    ),
    ('{"platform": "ultracomputr"}', "platform", "ultracomputr", "ultracomputer"),
    ('{"title": 4}', "title", "4"),
    ('{"vary": {"network.slots": []}}', "vary.network.slots"),
    ('{"vary": {"network.slotz": [4]}}', "network.slotz", "network.slots"),
    (
        '{"vary": {\n  "network.slots": [4, 5, 4]}}',
        "run.json, line 2, column 27",
        "network.slots",
        "4 is there twice",
    ),
    ('{"series": {}}', "series"),
    ('{"series": [{"network.slots": 4}]}', "series.0.name"),
    ('{"series": [{"name": "a"}, {"name": "a"}]}', "series.1.name", "twice"),
    ('{"table": {"rows": "network.slotz", "value": "x"}}', "table.rows", "network.slots"),
    ('{"table": {"rwos": "series"}}', "table.rwos", "rows"),
    ('{"table": {"rows": "network.slots"}}', "table.value"),
    (
        '{"table": {\n "value": "x", "columns": "series", "relative_to": "a", "published": "b"}}',
        "run.json, line 1, column 11",
        "table.published",
        "table.relative_to",
        "leave one of them out",
    ),
    (
        '{"table": {"value": "network.stag.*.combining_rate"}}',
        "table.value",
        "network.stag.*.combining_rate",
    ),
    ('{"extends": "missing.json"}', "extends", "missing.json"),
    ('{"extends": "other.json"}', "extends", "itself"),
    ('{"extends": "improvd"}', "extends", "preset improved"),
    ('{"extends": "run.json"}', "extends", "itself"),
    ('{"series": [{"name": "a", "extends": "missing.json"}]}', "series.0.extends", "missing.json"),
    *(
        (
            f'{{"platform": "data_parallel", "architecture": "{each}", '
            '"round_trips.enabled": true}',
            "round_trips.enabled",
            each,
            "messages, remote_memory, ring or homes",
        )
        for each in ("magic", "smp")
    ),
    (
        '{"platform": "cluster", "network.graph": {"kind": "torus", "hosts_per_switch": 1},'
        ' "network.routing.kind": "dimension_order"}',
        "network.routing.kind",
        "wait for each other in a circle",
    ),
    (
        '{"platform": "cluster", "traffic": {"kernel": "exchange", "columns": 7}}',
        "traffic.columns",
        "256 hosts",
    ),
    ('{"platform": "reflective", "nodes": 1}', "nodes", "2 to 1024"),
    ('{"platform": "reflective", "ring.fifo": 0}', "ring.fifo", "1 to 65536"),
    ('{"platform": "reflective", "program.radix": 1}', "program.radix", "2 to 65536"),
    (
        '{"platform": "reflective", "ring.memory_words": 50}',
        "ring.memory_words",
        "4 nodes need 64 words",
    ),
    (
        '{"platform": "cluster", "network.reconfiguration.events": "1000 off 0"}',
        "network.reconfiguration.events",
        "network.kind = channels and network.adaptive = true",
    ),
    (
        '{"extends": "reconfiguration", "network.reconfiguration.events": "1000 off 32"}',
        "network.reconfiguration.events",
        "there is no switch 32",
        "0 to 31",
    ),
    (
        '{"extends": "reconfiguration", "network.reconfiguration.events": "1000 on 5"}',
        "network.reconfiguration.events",
        "goes on in cycle 1000, although it is on",
    ),
    (
        '{"extends": "reconfiguration", "network.reconfiguration.events": "1000 down 5"}',
        "network.reconfiguration.events",
        "1000 down 5",
        "150000 off 0, 200000 on 0",
    ),
    (
        '{"extends": "reconfiguration", "traffic.kernel": "token_pass"}',
        "traffic.kernel",
        "messages that are lost",
    ),
    (
        '{"extends": "reconfiguration", "network.channels.discipline": "wormhole"}',
        "network.channels.discipline",
        "buffers for whole packets",
    ),
    (
        '{"platform": "data_parallel", "account.enabled": false, "round_trips.enabled": true}',
        "round_trips.enabled",
        "account.enabled",
    ),
    (
        '{"platform": "data_parallel", "messages.interface": {"channels": 1, "may_deadlock": true},'
        ' "network.topology": "omega"}',
        "messages.interface.channels",
        "omega",
    ),
    *(
        (
            f'{{"platform": "data_parallel", "architecture": "{each}", "merge_requests": true}}',
            "merge_requests",
            "architecture = messages",
        )
        for each in ("remote_memory", "homes", "magic", "smp")
    ),
    (
        '{"platform": "data_parallel", "merge_requests": true,'
        ' "messages.interface.packet_bytes": 8}',
        "merge_requests",
        "a packet of 8 bytes",
        "messages.interface.packet_bytes of at least 16",
    ),
]

# Arguments behind the small run file, and what is in the complaint.
OPTIONS = [
    ("--set network.slotz=4", "--set", "network.slotz", "network.slots"),
    ("--set network.slots=many", "--set", "many"),
    ("--set network.slots", "--set"),
    ("--set network.slots=[]", "network.slots"),
    ("--set network.slots=[4,", "network.slots"),
    ("--set network.slots=[4,65]", "65", "1 to 64"),
    ("--set network.slots=[4,4]", "--set", "network.slots", "4 is there twice"),
    ("--sed 3", "--sed"),
    ("--seed x", "--seed", "x"),
    ("--seed -1", "--seed", "-1", "0 to 18446744073709551615"),
    ("--seeds 5..1", "--seeds", "5..1"),
    ("--seeds 1,1", "--seeds", "1,1"),
    ("--seeds 5-1", "--seeds", "5-1"),
    ("--seeds 1-", "--seeds", "1-"),
    ("--seed 1 --seeds 1..2", "--seed"),
    ("--threads -1", "--threads"),
    ("--window 1..2", "--window", "--log"),
    ("--log l --window 2..x", "--window", "2..x"),
    ("--log l --trace stage.7", "--trace", "stage.7"),
    ("--checkpoint c", "--checkpoint-at"),
    ("--seeds 1..2 --log l", "--seed"),
    ("--series a", "--series", "a"),
    ("--quiet --log x --vcd x", "x", "two"),
]


class BadInput(ProgramCase):
    def refuse(self, text: str, *parts: str) -> None:
        """Expects that a run file with this text is refused."""
        self.write("run.json", text)
        self.complain("run run.json --out out", 2, *parts)
        self.assertFalse((self.work / "out").exists())

    def test_run_files(self) -> None:
        self.write("other.json", '{"extends": "run.json"}')
        for text, *parts in RUN_FILES:
            with self.subTest(text):
                self.refuse(text, *parts)

    def test_options(self) -> None:
        self.write("run.json", SMALL)
        for arguments, *parts in OPTIONS:
            with self.subTest(arguments):
                self.complain(f"run run.json {arguments}", 2, *parts)
        self.complain("", 2, "subcommand")
        self.complain("rum", 2, "rum")
        self.complain("run", 2, "FILE")
        self.complain("describe ultra", 2, "ultra", "ultracomputer")
        self.complain("describe network --schema", 2, "--schema", "network")
        self.complain("describe flash workload --schema", 2, "--schema", "workload")

    def test_empty_values_are_not_taken_for_no_option(self) -> None:
        self.write("run.json", SMALL)
        for option in ("--out", "--seed", "--seeds", "--window", "--log", "--resume", "--series"):
            self.complain(f"run run.json {option} ''", 2, option, "empty")

    def test_one_file_for_two_options(self) -> None:
        self.write("run.json", SMALL)
        self.write("events", "")
        (self.work / "link").symlink_to("events")
        for second in ("./events", str(self.work / "events"), "link"):
            self.complain(f"run run.json --log events --vcd {second}", 2, second, "two options")
        (self.work / "ahead").symlink_to("new")  # there is no such file yet
        (self.work / "further").symlink_to(self.work / "ahead")
        for link in ("ahead", "further"):
            self.complain(f"run run.json --log new --vcd {link}", 2, link, "two options")
        self.complain("run run.json --out o --log o/results.json", 2, "results.json", "two options")

    def test_values_are_repeated_however_they_are_written(self) -> None:
        self.write("run.json", '{"vary": {"network.slots": [2, "0x2"]}}')
        self.complain("validate-config run.json", 2, "network.slots", "twice", "line 1, column 32")

    def test_an_element_of_a_list_is_blamed_on_who_set_it(self) -> None:
        outcome = self.tributary("validate-config improved --set addresses.regions.0.size=12")
        self.assertEqual(outcome.returncode, 2)
        self.assertRegex(outcome.stderr, "^tributary: --set: addresses.regions: ")

    def test_too_many_points_and_runs(self) -> None:
        values = list(range(1, 1001))
        vary = {"memory.latency": values, "memory.interval": values, "processor.turnaround": [1, 2]}
        self.write("run.json", json.dumps({"vary": vary}))
        self.complain("validate-config run.json", 2, "vary.memory.interval", "1 to 100000 points")
        vary = {"memory.latency": values}
        self.write("run.json", json.dumps({"vary": vary}))
        self.complain("run run.json --seeds 1..2000", 2, "--seeds", "1 to 1000000 runs")

    def test_paths_that_are_too_long(self) -> None:
        self.write("run.json", json.dumps({"extends": "x" * 5000}))
        self.complain("validate-config run.json", 2, "run.json, line 1", "extends", "too long")
        self.write("run.json", SMALL)
        self.complain(f"compare {'x' * 5000} run.json", 2, "too long")

    def test_limit_on_the_size_of_files(self) -> None:
        self.write("run.json", SMALL)

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        outcome = self.tributary("run run.json --quiet --log events", limit)
        self.assertEqual(outcome.returncode, 1, outcome.stderr)
        self.contains(outcome.stderr, ("events", "File too large"))
        self.assertEqual(self.names_in("."), ["run.json"])

    def test_many_keys_are_read_in_their_number(self) -> None:
        self.write("few.json", json.dumps({f"k{i}": i for i in range(20000)}))
        self.write("many.json", json.dumps({f"k{i}": i for i in range(200000)}))

        def seconds(name: str) -> float:
            begin = time.process_time() + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            self.complain(f"validate-config {name}", 2, name, "k0")
            end = time.process_time() + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            return end - begin

        # Ten times the keys, and room for noise; each compared with all before it takes a hundred.
        self.assertLess(seconds("many.json"), 40 * max(seconds("few.json"), 0.02))

    def test_a_folder_as_checkpoint(self) -> None:
        self.write("run.json", SMALL)
        self.complain("run run.json --resume .", 1, ".: ", "Is a directory", "--checkpoint")

    def test_missing_file_is_answered_with_the_nearest_preset(self) -> None:
        self.complain("run poling", 2, "poling", "preset polling")
        self.complain("run nowhere/at_all.json", 2, "nowhere/at_all.json")
        self.complain("run .", 2, ".")

    def test_an_impossible_combination_is_blamed_on_who_asked_for_it(self) -> None:
        self.write("run.json", '{\n  "network.slots": 1\n}')
        elements = "network.processing_elements"
        self.complain(
            f"run run.json --set {elements}=3", 2, f"tributary: --set: {elements}: 3 is not"
        )
        self.complain(
            "run run.json --set network.queue_type=A",
            2,
            "run.json, line 2, column 20: network.slots: 1 with",
            'network.queue_type = "A" (--set)',
        )
        self.complain(
            f"run run.json --set {elements}=[4,6]",
            2,
            "tributary: --set",
            f"({elements} = 6)",
            "6 is not",
        )

    def test_suspicious_settings_are_warned_of(self) -> None:
        self.write("run.json", SMALL)
        outcome = self.succeed("run run.json --quiet --set network.slots=2 --set run.warmup=10")
        self.assertIn("warning: network.slots = 2", outcome.stderr)

    def test_statistic_of_a_table(self) -> None:
        table = '{"network.processing_elements": 4, "run.cycles": 100, "table": {"value": "%s"}}'
        self.write("run.json", table % "interface.latncy.mean")
        self.complain(
            "run run.json --quiet --out out", 2, "run.json: table.value", "interface.latency.mean"
        )
        self.assertFalse((self.work / "out").exists())
        # Results outlive a table that cannot be made: this is known for until = steady only.
        self.write("run.json", table % "run.batches")
        self.assertNotEqual(self.tributary("run run.json --quiet --out out").returncode, 0)
        self.assertTrue((self.work / "out/results.json").exists())

    def test_table_that_divides_by_nothing(self) -> None:
        table = {"value": "node.0.role.interrupts", "columns": "node.schedule"}
        run_file = {
            "platform": "smp",
            "workload.requests.requests": 20,
            "run.until": "finished",
            "vary": {"node.schedule": ["fixed", "floating"]},
            "table": table,
        }
        self.write("run.json", json.dumps(run_file))
        self.assertEqual(self.tributary("run run.json --quiet --out out").returncode, 0)
        table["relative_to"] = "fixed"
        self.write("run.json", json.dumps(run_file))
        command = "run run.json --quiet --out again"
        self.complain(command, 1, "run.json: table.relative_to", "node.0.role.interrupts is 0", "1")
        self.assertTrue((self.work / "again/results.json").exists())

    def test_output_folder_that_cannot_be(self) -> None:
        self.write("run.json", SMALL)
        self.write("file", "")
        self.complain("run run.json --out file", 1, "file", "folder")
        for folder in ("/dev/full", "/proc/results"):
            self.complain(f"run run.json --out {folder}", 1, folder)
        (self.work / "closed").mkdir(mode=0o400)
        self.complain(
            "run run.json --out closed", 1, "closed", "Permission denied", obeying_permissions=True
        )

    def test_full_disk(self) -> None:
        self.write("run.json", SMALL)
        for option in ("--log", "--vcd", "--perfetto", "--events", "--record"):
            self.complain(f"run run.json --quiet {option} /dev/full --out out", 1, "/dev/full")
            self.assertEqual(self.names_in("out"), [])
        self.complain("run run.json --quiet --log nowhere/log", 1, "nowhere/log")
        for command in ("list", "describe", "validate-config run.json", "run run.json --quiet"):
            with Path("/dev/full").open("w") as full:
                ended = subprocess.run(
                    [PROGRAM, *command.split()],
                    cwd=self.work,
                    stdout=full,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            self.assertEqual(ended.returncode, 1, command)
            self.assertTrue(ended.stderr.startswith("tributary: "), ended.stderr)

    def test_dimensionless_ranges_have_no_unit(self) -> None:
        outcome = self.tributary("run improved --set workload.traffic.hot_spot=2")
        self.assertIn("2 is out of range (allowed: 0 to 1);", outcome.stderr)

    def test_traces(self) -> None:
        replay = (
            '{"network.processing_elements": 4, "workload": {"kind": "trace",'
            ' "trace": {"file": "t.trace"}}}'
        )
        self.refuse(replay, "t.trace")
        for trace, place in (
            ("# tributary-trace 1\n12 0 load\n# end 1\n", "t.trace:2"),
            ("# tributary-trace 1\n", "t.trace"),
            ("nonsense\n", "t.trace:1"),
        ):
            self.write("t.trace", trace)
            self.refuse(replay, place)
        self.write("run.json", SMALL)
        self.succeed("run run.json --record t.gz")
        whole = self.read("t.gz")
        self.assertGreater(len(whole), 20)
        self.write("t.gz", whole[:-12])
        replayed = "--set workload.kind=trace --set workload.trace.file=t.gz"
        self.complain(f"run run.json {replayed}", 2, "t.gz")

    def test_results_that_are_none(self) -> None:
        self.write("a.json", "{}")
        self.complain("compare a.json a.json", 2, "a.json", "schema")
        self.complain("compare b.json a.json", 2, "b.json")
        self.write("c.json", '{"schema": "tributary.results/1"}')
        self.complain("compare c.json c.json", 2, "c.json", "version")

    def test_waveforms_of_what_is_not_there_or_not_rtl(self) -> None:
        run = "run improved --set network.processing_elements=8 "
        self.complain(run + "--fst 'stage 3'", 2, "--fst", "stage 3", "S from 0 to 2")
        self.complain(
            run + "--fst 'stage 1 switch 0'",
            2,
            *("--fst", "stage 1 switch 0 is not RTL", "network.rtl"),
        )
        self.complain(run + "--fst all --trace stage.1", 2, "--trace", "--log")
        if "TRIBUTARY_RTL_WITHOUT_WAVEFORMS" in os.environ:
            self.complain(
                run + "--set 'network.rtl=stage 1' --fst 'stage 1 switch 0'",
                2,
                *("without waveforms", "rtl-trace"),
            )

    def test_counters_to_reach(self) -> None:
        for goals, *parts in (
            (
                '"until": "steady", "least_of": "memory.served"',
                "run.least_count",
                "run.least_of",
                "1 or more",
            ),
            ('"until": "steady", "least_count": 5', "run.least_of", "run.least_count"),
            ('"warmup_of": "memory.served"', "run.warmup_count", "run.warmup_of"),
            ('"warmup_count": 5', "run.warmup_of", "run.warmup_count"),
            ('"warmup_count": -5', "run.warmup_count", "-5"),
        ):
            self.refuse(f'{{"network.processing_elements": 4, "run": {{{goals}}}}}', *parts)
        # Counters are known once the machine is built.
        self.write("run.json", SMALL)
        self.complain(
            "run run.json --quiet --out out --set run.until=steady --set run.watch=memory.serves",
            2,
            *("run.watch", "memory.serves", "did you mean memory.served?"),
        )
        self.assertEqual(self.names_in("out"), [])

    def test_too_many_windows_of_occupancy(self) -> None:
        window = "baseline --set run.occupancy_window="
        self.complain(
            f"run {window}9 --set run.warmup=1000 --set run.cycles=1000000",
            2,
            *("run.occupancy_window", "100000", "at least 11", "run.cycles = 1000000"),
        )
        self.complain(
            f"run {window}100 --set run.until=steady",
            2,
            *("run.occupancy_window", "run.maximum_cycles", "at least 101"),
        )
        self.succeed(f"validate-config {window}10 --set run.warmup=0 --set run.cycles=1000000")


if __name__ == "__main__":
    unittest.main()
