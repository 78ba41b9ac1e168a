#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The platform flash behind the command line; each platform is asked for its own things."""

import itertools
import json
import unittest
from collections.abc import Mapping
from typing import Any

from program_case import ProgramCase


def events_in(log: str) -> list[str]:
    return [line for line in log.splitlines() if not line.startswith("#")]


class FlashCommand(ProgramCase):
    def quiet(self, command: str) -> None:
        """Expects that the command succeeds and has nothing to say."""
        self.assertEqual(self.succeed(f"{command} --quiet").stderr, "")

    def value(self, folder: str, path: str, at: int = 0) -> float:
        """A number of the summary of a point of the results in a folder."""
        summary = self.results(folder)["points"][at]["summary"]
        return float(summary[path]["mean"])

    def expect_values(self, folder: str, **values: float) -> None:
        for path, value in values.items():
            self.assertEqual(self.value(folder, path.replace("__", ".")), value, path)

    def write_synchronizing(self, kept: str, program: Mapping[str, object]) -> None:
        """A run file of that name, of a machine whose controllers keep four of these."""
        machine = {
            "platform": "flash",
            "nodes": 8,
            "network": {"topology": "hypercube"},
            "node": {
                "processor_caches": {"present": True},
                "addresses": {"space_bits": 3},
                "jump_table": {"candidates": 5},
            },
            kept: {"count": 4},
            "run": {"until": "finished"},
            "workload": {"kind": "program", "program": program},
        }
        self.write(f"{kept}.json", json.dumps(machine))

    def test_copies_a_page(self) -> None:
        self.quiet("run fbcopy --out out")
        self.quiet("run fbcopy --record recorded")
        self.expect_values(
            "out",
            transfer__completed=1,
            transfer__bytes=4096,
            transfer__busy__mean=1484,
            network__payload=4096,
        )
        self.assertEqual(self.results("out")["platform"], "flash")

    def test_a_processor_that_polls_does_not_lengthen_the_next_request(self) -> None:
        self.quiet("run fbcopy --set workload.poll=100 --set workload.count=3 --out out")
        self.expect_values("out", transfer__completed=3, transfer__command__max=131)

    def test_a_run_that_is_resumed_goes_on_as_if_it_had_not_been_interrupted(self) -> None:
        self.quiet("run fbcopy --log whole.log --out whole")
        whole = events_in(self.read("whole.log").decode())
        for cycle in (1, 133, 1500):
            self.quiet(f"run fbcopy --checkpoint c --checkpoint-at {cycle}")
            self.quiet("run fbcopy --resume c --log rest.log --out rest")
            rest = events_in(self.read("rest.log").decode())
            self.assertLessEqual(len(rest), len(whole))
            self.assertTrue(rest == whole[len(whole) - len(rest) :], cycle)
            self.same("rest/results.json", "whole/results.json")
        self.complain("run ring --set nodes=4 --resume c", 2, "another configuration")

    def test_controllers_keep_barriers(self) -> None:
        program = {"name": "supersteps", "supersteps": {"barrier": "flash"}}
        self.write_synchronizing("barriers", program)
        self.quiet("run barriers.json --out loop")
        self.expect_values("loop", workload__marks__superstep__count=80)
        self.quiet("run barriers.json --checkpoint c --checkpoint-at 2000")
        self.quiet("run barriers.json --resume c --out resumed")
        self.same("resumed/results.json", "loop/results.json")
        for changed, key in (
            ("node.processor_caches.present=false", "node.processor_caches.present"),
            ("node.addresses.space_bits=2", "node.addresses.space_bits"),
            ("node.jump_table.candidates=4", "node.jump_table.candidates"),
            ("barriers.count=0", "workload.program.supersteps.barrier"),
            ("workload.program.supersteps.join_radix=6", "join_radix"),
        ):
            self.complain(f"run barriers.json --set {changed}", 2, key)

    def test_several_processes_of_a_node_meet(self) -> None:
        program = {"name": "supersteps", "supersteps": {"barrier": "flash", "body": "mixed"}}
        self.write_synchronizing("barriers", program)
        run = "run barriers.json --set node.processes=3"
        self.quiet(f"{run} --out loop")
        self.expect_values("loop", workload__marks__superstep__count=240, workload__finished=24)
        self.quiet(f"{run} --checkpoint c --checkpoint-at 2000")
        self.quiet(f"{run} --resume c --out resumed")
        self.same("resumed/results.json", "loop/results.json")
        for changed, *parts in (
            ("4", "node.processes", "1 to 3", "supersteps", "radix 4"),
            ("8", "node.processes", "1 to 7"),
            ("2 --set processor.turnaround=1000", "processor.turnaround", "1 to 999"),
            ("2 --set workload.kind=open_loop", "node.processes", "program"),
            ("2 --set workload.program.name=mpi_exchange", "node.processes", "mpi_exchange"),
            ("2 --resume c", "configuration"),
        ):
            self.complain(f"run barriers.json --set node.processes={changed}", 2, *parts)

    def test_controllers_keep_locks(self) -> None:
        sections = {"lock": "flash", "locks": 4}
        named = {"name": "critical_sections", "critical_sections": sections}
        self.write_synchronizing("locks", named)
        self.quiet("run locks.json --out loop")
        self.expect_values("loop", workload__intervals__section__cycles__count=80)
        self.quiet("run locks.json --checkpoint c --checkpoint-at 2000")
        self.quiet("run locks.json --resume c --out resumed")
        self.same("resumed/results.json", "loop/results.json")
        program = "workload.program.critical_sections"
        plain = "locks.count=0 --set node.processor_caches.present=false"
        for lock in ("test_and_set", "ticket", "mcs_queue", "ll_sc"):
            self.quiet(f"run locks.json --set {program}.lock={lock} --set locks.count=0")
        for changed, key in (
            ("node.processor_caches.present=false", "node.processor_caches.present"),
            ("node.jump_table.candidates=4", "node.jump_table.candidates"),
            ("barriers.count=1", "node.jump_table.candidates"),
            ("locks.count=0", f"{program}.lock"),
            ("locks.count=3", f"{program}.locks"),
            ("locks.queues=257", "locks.queues"),
            (f"{program}.lock=ticket --set {program}.aggressive=true", f"{program}.aggressive"),
            (f"{program}.lock=ll_sc --set {plain}", f"{program}.lock"),
        ):
            self.complain(f"run locks.json --set {changed}", 2, key)

    def test_controllers_keep_reductions(self) -> None:
        reduction = {"reduction": "flash", "operation": "double_sum", "count": 5, "skew": 100}
        self.write_synchronizing("reductions", {"name": "all_reduce", "all_reduce": reduction})
        self.quiet("run reductions.json --out loop")
        self.expect_values("loop", workload__intervals__reduction__cycles__count=32)
        self.quiet("run reductions.json --checkpoint c --checkpoint-at 2000")
        self.quiet("run reductions.json --resume c --out resumed")
        self.same("resumed/results.json", "loop/results.json")
        program = "workload.program.all_reduce"
        by_phi = f"--set {program}.reduction=fetch_and_phi"
        self.quiet(f"run reductions.json {by_phi} --set {program}.operation=max")
        for changed, key in (
            ("node.processor_caches.present=false", "node.processor_caches.present"),
            ("node.jump_table.candidates=4", "node.jump_table.candidates"),
            ("reductions.count=0", f"{program}.reduction"),
            (f"{program}.reduction=fetch_and_phi", f"{program}.operation"),
            ("active_messages.window=1", "node.jump_table.candidates"),
            (f"{program}.join_radix=6", "join_radix"),
        ):
            self.complain(f"run reductions.json --set {changed}", 2, key)

    def test_the_same_seed_gives_the_same_bytes(self) -> None:
        for out in ("a", "b"):
            self.quiet(f"run ring --set workload.pattern=random --seeds 1..3 --out {out}")
        self.same("a/results.json", "b/results.json")
        time = "transfer.time.mean"
        self.assertNotEqual(self.value("a", time, 2), self.value("a", time, 3))

    def test_compare_knows_its_results(self) -> None:
        self.quiet("run fbcopy --out a")
        self.quiet("run fbcopy --set block_transfer.chunk=2 --out b")
        self.succeed("compare a a")
        differ = self.tributary("compare a b --statistic transfer.busy")
        self.assertEqual(differ.returncode, 1)
        parts = ("parameter block_transfer.chunk: 4 | 2", "transfer.busy.mean")
        self.contains(differ.stdout, parts)

    def test_a_slow_machine_is_not_taken_for_a_stuck_one(self) -> None:
        slow = "--set node.inbox.select_cycles=100 --set node.inbox.jump_table_cycles=100"
        page = "--set nodes=2 --set workload.bytes=65536"
        self.succeed(f"run ring {page} {slow} --set run.maximum_cycles=100000 --out o --quiet")
        run = self.results("o")["points"][0]["runs"][0]
        self.assertIs(run["partial"], False)
        self.assertIn("run.maximum_cycles", run["warnings"][0])

    def test_every_preset_runs(self) -> None:
        for name in ("fbcopy", "faster_pp", "chunk_sizes", "unaligned", "remote_home", "ring"):
            self.quiet(f"run {name}")
        for name in ("read_latency", "fbcopy_coherent", "line_states"):
            self.quiet(f"run {name} --set workload.bytes=512")

    def test_transfers_that_others_ask_for_do_not_share_buffers(self) -> None:
        """Shared ones would have wrong bytes, which end a run with an error."""
        machine = "--set nodes=8 --set network.topology=mesh --set workload.pattern=random"
        for asks in ("destination", "third"):
            initiator = f"--set workload.initiator={asks}"
            self.quiet(f"run ring {machine} {initiator} --seeds 1..3")

    def test_describe_takes_a_platform_or_a_run_file(self) -> None:
        self.write("mine.json", '{"platform": "flash", "nodes": 4}')
        text = self.succeed("describe flash").stdout
        for each in json.loads(self.succeed("describe flash --json").stdout)["parameters"]:
            self.assertIn(f"  {each['name']} ", text)
            self.assertTrue(each["description"], each)
        for other in ("--platform flash", "fbcopy", "mine.json"):
            self.assertEqual(self.succeed(f"describe {other}").stdout, text)
        ultracomputer = self.succeed("describe ultracomputer").stdout
        self.assertEqual(self.succeed("describe").stdout, ultracomputer)
        self.complain("describe flsh", 2, "flsh", "did you mean flash?")

    def test_a_run_file_is_of_one_platform(self) -> None:
        for name, text in (
            ("flash", '{"platform": "flash", "nodes": 4}'),
            ("plain", '{"nodes": 4}'),
            ("inherits", '{"extends": "flash.json", "workload.count": 2}'),
            ("names", '{"platform": "flash", "extends": "plain.json"}'),
            ("other", '{"platform": "ultracomputer", "extends": "flash.json"}'),
            ("series", '{"series": [{"name": "x", "extends": "flash.json"}]}'),
            ("bad", '{"platform": "flash", "network.slots": 4}'),
        ):
            self.write(f"{name}.json", text)
        for name in ("inherits", "names"):
            self.succeed(f"validate-config {name}.json")
        for name, *parts in (
            ("plain", "plain.json", "nodes"),
            ("other", "extends", "platform flash"),
            ("series", "series.0.extends", "platform flash"),
            ("bad", "bad.json", "network.slots"),
        ):
            self.complain(f"validate-config {name}.json", 2, *parts)

    def test_what_the_platform_does_not_offer_is_refused(self) -> None:
        for arguments, *parts in (
            ("fbcopy --fst 'stage 0'", "--fst", "flash"),
            ("fbcopy --log x --trace stage.1", "--trace", "stage.1", "node.N.inbox"),
            ("fbcopy --log x --trace node.2", "--trace", "no track begins with"),
            ("fbcopy --trace node.1", "--trace", "--log"),
            ("baseline --log x --trace node.1", "--trace", "stage.N.switch.N.output.N"),
            ("fbcopy --set run.until=steady", "run.until", "steady"),
            ("fbcopy --set run.occupancy_window=9", "run.occupancy_window"),
        ):
            self.complain(f"run {arguments}", 2, *parts)

    def test_its_counters_can_be_watched_though_transfers_end(self) -> None:
        outcome = self.succeed(
            "run ring --quiet --set nodes=4 --set run.until=steady"
            " --set run.watch=network.lane.0.messages"
        )
        self.assertIn("not steady: the run ended before", outcome.stdout)
        self.assertIn("the workload finished in cycle", outcome.stderr)

    def test_transfers_that_cannot_be_are_refused(self) -> None:
        for setting, *parts in (
            ("workload.destination=2", "workload.destination", "no node 2"),
            ("workload.destination=0", "workload.destination", "workload.source = 0"),
            ("workload.initiator=third", "workload.initiator", "third"),
            ("workload.bytes=1000", "workload.bytes", "multiples of 128"),
            (
                "node.memory.line_bytes=64 --set workload.bytes=96",
                "workload.bytes",
                "multiples of 64",
            ),
            ("workload.source_offset=4", "workload.source_offset", "multiples of 8"),
            ("workload.bytes=16000000", "workload.bytes", "node.memory.bytes"),
            ("nodes=129", "nodes", "2 to 128"),
            ("block_transfer.page_bytes=1000", "block_transfer.page_bytes", "power of two"),
        ):
            self.complain(f"validate-config fbcopy --set {setting}", 2, *parts)

    def test_lines_that_do_not_fit_are_refused(self) -> None:
        for settings, *parts in (
            ("line_bytes=96", "memory.line_bytes", "power of two", "32, 64, 128 or 256"),
            ("line_bytes=16", "node.memory.line_bytes", "32 to 256"),
            ("line_bytes=512", "node.memory.line_bytes", "32 to 256"),
            (
                "line_bytes=256 --set network.payload_bytes=256 --set node.memory.bytes=131200",
                "memory.bytes",
                "a multiple of 256",
            ),
            (
                "line_bytes=256 --set network.payload_bytes=256 --set node.protocol_bytes=65664",
                "protocol_bytes",
                "memory.line_bytes = 256",
            ),
            ("line_bytes=256", "network.payload_bytes", "256 to 65536", "shorter lines"),
            ("line_bytes=128 --set network.payload_bytes=64", "network.payload_bytes", "128 to"),
        ):
            self.complain(f"validate-config fbcopy --set node.memory.{settings}", 2, *parts)
        short = "--set node.memory.line_bytes=64 --set network.payload_bytes=64"
        self.succeed(f"validate-config fbcopy {short}")

    def test_caches_that_cannot_work_are_refused(self) -> None:
        inside = "node.processor_caches.caches.levels"
        for name, first in (("ways", '{"ways": 3}'), ("lines", '{"line_bytes": 256}')):
            self.write(
                f"{name}.json",
                '{"extends": "sharing", "nodes": 4, "series": [], "vary": {}, "table": [],'
                f' "{inside}": [{first}, {{}}]}}',
            )
        for run, *parts in (
            ("sharing --set nodes=4 --set coherence.elements=3", "coherence.elements", "3", "4"),
            ("ways.json", f"{inside}.0.bytes", "3 ways"),
            ("lines.json", f"{inside}.1.line_bytes", "multiples of 256"),
        ):
            self.complain(f"run {run}", 2, *parts)

    def test_a_miss_that_lasts_too_long_ends_a_run(self) -> None:
        bound = "--set node.processor_caches.patience=200"
        for engine in ("loop", "systemc"):
            run = f"run sharing --series sequential --set nodes=4 {bound} --engine {engine} --quiet"
            self.complain(run, 1, "line 0x0", "patience = 200", "home of the line is node 0")

    def test_what_coherence_counts_can_be_shown(self) -> None:
        sent = "node.0.protocols.coherence.sent.invalidate.home_upgrade.messages"
        self.write(
            "counts.json",
            '{"extends": "sharing", "nodes": 4, "vary": {}, "table":'
            f' [{{"title": "Invalidations", "columns": "series", "value": "{sent}"}}]}}',
        )
        self.succeed("run counts.json --quiet")

    def test_bytes_are_right_with_lines_of_any_length(self) -> None:
        for line in (32, 64, 256):
            self.quiet(
                "run fbcopy --set workload.initiator=destination --set workload.source_offset=8"
                f" --set node.memory.line_bytes={line} --set network.payload_bytes=256 --out {line}"
            )
            self.expect_values(str(line), transfer__bytes=4096)

    def test_costs_come_one_by_one_or_from_a_whole_table(self) -> None:
        setup = "costs.block_transfer.setup"
        self.quiet(f"run fbcopy --set {setup}=333 --out out")
        self.expect_values("out", transfer__setup__mean=333)

        costs = self.results("out")["points"][0]["configuration"]["costs"]
        costs.pop("file")
        costs["block_transfer"]["setup"] = 433
        self.write("costs.json", json.dumps(costs))
        from_file = "run fbcopy --set costs.file=costs.json"
        self.quiet(f"{from_file} --out out")
        self.expect_values("out", transfer__setup__mean=433)

        self.complain(f"{from_file} --set {setup}=333", 2, setup, "costs.json")
        self.write("costs.json", '{"block_transfer": {"setup": 1}}')
        self.complain(from_file, 2, "costs.json")
        self.complain("run fbcopy --set costs.file=nowhere.json", 2, "nowhere.json")

    def test_the_log_has_every_event_of_the_window_and_the_tracks(self) -> None:
        self.quiet("run fbcopy --log all")
        self.quiet("run fbcopy --log some --window 500..600 --trace node.1")
        log = self.read("all").decode()
        self.assertTrue(log.startswith("# tributary-event-log 2 flash\n"))
        for kind, handler, times in (("handled", "transfer", 8), ("selected", "receive", 32)):
            found = [
                event
                for event in events_in(log)
                if f"\t{kind}\t" in event and f" handler=block_transfer.{handler} " in event
            ]
            self.assertEqual(len(found), times)
        self.assertEqual(log.count("\tsent\t"), log.count("\tdeparted\t"))
        self.assertEqual(log.count("\tdeparted\t"), log.count("\tarrived\t"))
        self.assertEqual(log.count("\tbuffer_taken\t"), log.count("\tbuffer_freed\t"))
        events = events_in(log)
        self.assertIn(f"# end {len(events)}", log)
        expected = []
        for event in events:
            first, last, track = event.split("\t")[:3]
            if track.startswith("node.1.") and int(first) <= 600 and int(last) >= 500:
                expected.append(event)
        self.assertTrue(expected)
        self.assertEqual(events_in(self.read("some").decode()), expected)

    def test_the_trace_follows_each_message_from_handler_to_handler(self) -> None:
        self.quiet("run fbcopy --perfetto trace.json")
        arrows: dict[int, list[tuple[int, str]]] = {}
        handlers = 0
        events = json.loads(self.read("trace.json"))["traceEvents"]
        slices = [event for event in events if event["ph"] == "X"]
        for event in events:
            if event["ph"] in "st":
                arrows.setdefault(event["id"], []).append((event["ts"], event["ph"]))
                self.assertTrue(
                    any(
                        each["tid"] == event["tid"]
                        and each["ts"] <= event["ts"] < each["ts"] + each["dur"]
                        for each in slices
                    ),
                    event,
                )
            handlers += event["ph"] == "X" and event["cat"] == "handled"
        points = ["".join(part for _, part in sorted(each)) for each in arrows.values()]
        # Of a message the sending handler, the link on both sides, and the handler that it runs;
        # those that were put off run again.
        self.assertEqual(sum(each.startswith("sttt") for each in points), 35)
        self.assertEqual(points.count("sttt"), 33)
        # Of an access the processor and the handler, of a load the answer too.
        self.assertEqual((points.count("st"), points.count("stt")), (4, 1))
        self.assertEqual(handlers, 8 + 32 + 9)
        named = {
            kind: {each["name"].rpartition(" ")[0] for each in slices if each["cat"] == kind}
            for kind in ("departed", "arrived", "access")
        }
        self.assertLessEqual({"envelope", "envelope_reply", "line"}, named["departed"])
        self.assertEqual(named["departed"], named["arrived"])
        self.assertEqual(named["access"], {"uncached_read", "uncached_write"})

    def test_the_trace_follows_the_token_of_a_lock_from_section_to_section(self) -> None:
        sections = {"lock": "flash", "locks": 1, "count": 4, "held": 50, "idle": 300}
        named = {"name": "critical_sections", "critical_sections": sections}
        self.write_synchronizing("locks", named)
        self.quiet("run locks.json --perfetto trace.json")
        events = json.loads(self.read("trace.json"))["traceEvents"]
        nodes = {
            each["pid"]: each["args"]["name"] for each in events if each["name"] == "process_name"
        }
        slices = [each for each in events if each["ph"] == "X"]
        rows: dict[int, list[dict[str, Any]]] = {}
        for each in slices:
            rows.setdefault(each["tid"], []).append(each)
        arrows: dict[int, list[tuple[int, str, str]]] = {}
        for point in events:
            if point["ph"] in "st" and point["name"] == "message":
                names = [
                    each["name"]
                    for each in rows[point["tid"]]
                    if each["ts"] <= point["ts"] < each["ts"] + each["dur"]
                ]
                step = (point["ts"], names[0], nodes[point["pid"]])
                arrows.setdefault(point["id"], []).append(step)
        moves = []
        for way in sorted(map(sorted, arrows.values())):
            if not any(name.startswith("lock_grant 0 ") for _, name, _ in way):
                continue
            (_, given_by, giver), (taken, taken_by, taker) = way[0], way[-1]
            self.assertIn(given_by, {"locks.processor_write", "locks.request_token"})
            self.assertEqual(taken_by, "locks.grant_token")
            moves.append((taken, giver, taker))
        held = sorted(
            (each["ts"], nodes[each["pid"]], each["ts"] + each["dur"])
            for each in slices
            if each["name"] == "section"
        )
        self.assertEqual(len(held), 8 * 4)
        holders = [(0, "node.0", 0), *held]  # the home has the token first
        changes = [(a, b) for a, b in itertools.pairwise(holders) if a[1] != b[1]]
        self.assertEqual([move[1:] for move in moves], [(a[1], b[1]) for a, b in changes])
        self.assertGreater(len(moves), 8)
        for (taken, _, _), ((_, _, ended), (begun, _, _)) in zip(moves, changes, strict=True):
            self.assertLess(ended, taken)
            self.assertLess(taken, begun)

    def test_a_window_of_a_resumed_run_has_the_same_signals(self) -> None:
        # An answer is on its way to the processor in cycle 367.
        for cycle in (133, 367, 800):
            window = f"--vcd vcd --window {cycle + 10}..2000"
            self.quiet(f"run fbcopy {window}")
            whole = self.read("vcd")
            self.quiet(f"run fbcopy --checkpoint c --checkpoint-at {cycle}")
            self.quiet(f"run fbcopy --resume c {window}")
            self.assertTrue(self.read("vcd") == whole, cycle)

    def test_modules_cannot_be_checkpointed(self) -> None:
        checkpoint = "--engine systemc --checkpoint c --checkpoint-at 133"
        self.complain(f"run fbcopy {checkpoint}", 2, "run.engine is systemc")

    def test_every_message_has_the_reference_that_caused_it(self) -> None:
        self.quiet("run fbcopy --log log")
        events = [event.split("\t") for event in events_in(self.read("log").decode())]
        parents = {event[4]: event[5] for event in events if event[3] == "sent"}
        references = {event[4] for event in events if event[3] == "processor_request"}
        self.assertEqual(len(parents), 35)
        for identity in parents:
            while identity in parents:
                identity = parents[identity]
            self.assertIn(identity, references)


if __name__ == "__main__":
    unittest.main()
