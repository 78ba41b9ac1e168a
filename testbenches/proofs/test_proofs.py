# SPDX-License-Identifier: Apache-2.0
"""The runner of proofs, on a counter made up for it."""

from __future__ import annotations

import copy
import json
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

from common.errors import ToolError
from common.markdown import MOST_WORDS, paragraphs
from mutants.faults import Fault
from proofs.faulty import FaultBench, run_faults
from proofs.page import page_of
from proofs.proof_lists import Proof, read_lists
from proofs.proving import Bench, run_proofs
from proofs.report import Lockstep, Report
from proofs.sources import Rtl
from proofs.statements import head_of, read_statements
from proofs.tasks import Design, Model, search
from proofs.tools import Tools

# Where the packages proofs and mutants are.
TOOLS = Path(__file__).resolve().parents[2] / "tools/rtl"

COUNTER = """// SPDX-License-Identifier: Apache-2.0
module counter #(
  parameter int unsigned Last = 5
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       step_i,
  output logic [3:0] count_o
);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_o <= '0;
    else if (step_i) count_o <= count_o == 4'(Last) ? '0 : count_o + 4'd1;
    counts: assert (!rst_ni || count_o <= 4'(Last));
  end
endmodule
"""

PROPERTIES = """// SPDX-License-Identifier: Apache-2.0
// A counter.
// It counts.
//
// Four bits suffice.
module counter_properties #(
  parameter int unsigned Last = 5
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        step_i,
  input logic [39:0] left_i,
  input logic [39:0] right_i
);
  logic [3:0] count;
  counter #(.Last(Last)) u_dut (.clk_i, .rst_ni, .step_i, .count_o(count));

  logic init_q = 1'b0;
  always_ff @(posedge clk_i) init_q <= 1'b1;
  always_comb if (!init_q) assume (!rst_ni);
  always_comb if (init_q) assume (rst_ni);

  logic waited_q;
  always_ff @(posedge clk_i) begin
    waited_q <= rst_ni && (waited_q || !step_i);
    if (rst_ni) begin
      // Nobody steps from three.
      env_three: assume (Last != 9 || count != 4'd3 || !step_i);
      // The count stays
      // in its bounds.
      in_bounds: assert (count <= 4'(Last));
      // The count is below the last one.
      if (waited_q)
        wrong: assert (Last != 6 || count < 4'(Last));
      // Not at these parameters.
      if (Last == 9) at_nine: assert (count != 4'd4);
      // A condition that is never met.
      if (count == 4'd14) never_met: assert (waited_q);
      // The product is not that of two large primes.
      hard: assert (Last != 7 || 80'(left_i) * 80'(right_i) != 80'd604462909806215075725313 ||
                    left_i == 40'd1 || right_i == 40'd1);
      // It fails later than in_bounds, at which a run with a fault ends.
      below_eight: assert (Last > 7 || count < 4'd8);
      // The count does not run over.
      helper_count: assert (u_dut.count_o <= 4'(Last));
      // The last is reached.
      reached_last: cover (count == 4'(Last));
      // Beyond the last.
      reached_beyond: cover (count > 4'(Last));
    end
  end
endmodule
"""

LIST: dict[str, Any] = {
    "block": "counter",
    "top": "counter_properties",
    "sources": ["counter_properties.sv"],
    "proofs": [
        {
            "name": "counter_five",
            "says": "Six counts.",
            "parameters": {"Last": 5},
            "engine": "abc pdr",
            "cover_depth": 10,
            "unreachable": ["reached_beyond"],
            "short": True,
            "timeout": 20,
        }
    ],
}


def changed(last: int, **keys: object) -> dict[str, Any]:
    """The list with its proof at another parameter, and with other keys."""
    made = copy.deepcopy(LIST)
    made["proofs"][0].update({"parameters": {"Last": last}, "name": f"counter_{last}", **keys})
    return made


class Runner(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.rtl = self.root / "rtl"
        (self.rtl / "formal/proofs").mkdir(parents=True)
        (self.rtl / "tributary.f").write_text("// The RTL.\ncounter.sv\nother.sv\n")
        (self.rtl / "counter.sv").write_text(COUNTER)
        (self.rtl / "other.sv").write_text("not read, since the counter does not name it")
        self.properties = self.rtl / "formal/counter_properties.sv"
        self.properties.write_text(PROPERTIES)
        self.work = self.root / "work"

    def write_list(self, content: object, name: str = "counter") -> None:
        text = content if isinstance(content, str) else json.dumps(content)
        (self.rtl / f"formal/proofs/{name}.json").write_text(text)

    def command(self, *arguments: str) -> list[str]:
        places = ["--rtl", str(self.rtl), "--work", str(self.work), "--jobs", "1"]
        return [sys.executable, "-m", "proofs", *arguments, *places]

    def prove(self, *arguments: str, status: int = 0) -> str:
        """What it says."""
        done = subprocess.run(
            self.command(*arguments), cwd=TOOLS, capture_output=True, text=True, check=False
        )
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, status, said)
        return said

    def result(self, name: str) -> Any:
        """What is kept of a proof."""
        return json.loads((self.work / name / "result.json").read_text())

    def second_opinion(self, name: str) -> str:
        """What the second engine says of a model that is there."""
        proof = next(each for each in read_lists(self.rtl / "formal") if each.name == name)
        tools = Tools.made_in(self.work / "tools")
        return Design(tools, proof, self.work / name, []).second_opinion("main").status

    def test_says_what_is_wrong_with_a_list(self) -> None:
        five = LIST["proofs"][0]
        cases: list[tuple[object, str]] = [
            ("{", "rtl/formal/proofs/counter.json: not JSON"),
            ([], "counter.json: not an object but []"),
            ({**LIST, "sorces": []}, "there is no key sorces; did you mean sources?"),
            ({**LIST, "sources": ["counter_propertis.sv"]}, "did you mean counter_properties.sv?"),
            ({**LIST, "proofs": []}, "has no list of proofs"),
            (
                changed(5, parameters={"Last": 1.5}),
                'parameters: is {"Last": 1.5} (allowed: an object of numbers',
            ),
            (changed(5, mode="prove"), "counter_5: there is no key mode; there are name"),
            (changed(5, engine="abc bmc3"), 'engine: is "abc bmc3" (allowed: "abc pdr"'),
            (changed(5, engine="smtbmc yices"), 'engine: is "smtbmc yices"'),
            (changed(5, engine="smtbmc z3"), "depth: is missing (allowed: steps"),
            (changed(5, engine="induction"), "depth: is missing (allowed: steps"),
            (changed(5, engine="induction z3", depth=2), 'engine: is "induction z3"'),
            (changed(5, timeout="long"), 'timeout: is "long" (allowed: seconds of one processor'),
            (changed(5, timeout=True), "timeout: is true"),
            (changed(5, cover_depth=0), "cover_depth: 0 is out of range"),
            (changed(5, says=""), "says: is empty"),
            (changed(5, unreachable=[3]), "unreachable: is [3] (allowed: a list of labels"),
            ({**LIST, "proofs": [five, five]}, "counter_five: the name is taken in counter.json"),
            (
                {**LIST, "proofs": [{**five, "name": "a b"}]},
                'a b: name: is "a b" (allowed: letters',
            ),
        ]
        for key in ("name", "says", "parameters", "engine", "cover_depth", "timeout"):
            without = {name: value for name, value in five.items() if name != key}
            cases.append(({**LIST, "proofs": [without]}, f"{key}: is missing (allowed: "))
        for content, message in cases:
            with self.subTest(message):
                self.write_list(content)
                with self.assertRaises(ToolError) as caught:
                    read_lists(self.rtl / "formal")
                self.assertIn(message, str(caught.exception))

    def test_splits_long_paragraphs_of_a_comment(self) -> None:
        third = " ".join(["Word", *["word"] * (MOST_WORDS // 3 - 1)]) + "."
        long = " ".join(["word"] * 2 * MOST_WORDS)
        for text, parts in (
            (f"{third} {third} {third}", [f"{third} {third} {third}"]),
            (f"{third} {third} {third} {third}", [f"{third} {third}"] * 2),
            (f"Short.\n\n{third} {third} {third} {third}", ["Short.", *[f"{third} {third}"] * 2]),
            (long, [long]),
        ):
            self.assertEqual(paragraphs(text), "\n\n".join(parts))

    def test_says_what_is_wrong_with_a_statement(self) -> None:
        self.assertEqual(head_of(self.properties), "A counter. It counts.\n\nFour bits suffice.")
        sentences = {each.label: each.sentence for each in read_statements(self.properties)}
        self.assertEqual(sentences["in_bounds"], "The count stays in its bounds.")
        self.assertEqual(sentences["wrong"], "The count is below the last one.")
        for old, new, message in (
            ("in_bounds:", "", "this assert has no label"),
            ("      // Beyond the last.\n", "", "reached_beyond has no sentence"),
            (
                "reached_last: cover",
                "last: cover",
                "last is an cover, but its prefix says property",
            ),
            ("wrong: assert", "hard: assert", "the label hard stands twice"),
        ):
            with self.subTest(message):
                self.assertIn(old, PROPERTIES)
                self.properties.write_text(PROPERTIES.replace(old, new))
                with self.assertRaisesRegex(ToolError, message):
                    read_statements(self.properties)

    def test_proves_once(self) -> None:
        self.write_list(LIST)
        said = self.prove("counter")
        self.assertIn("proved   counter_five: 7 properties, 1 cover points", said)
        self.assertIn("1 unreachable", said)
        found = self.result("counter_five")
        self.assertEqual(found["properties"]["u_dut.counts"], "pass")
        self.assertEqual(found["unreachable"], ["reached_beyond"])
        self.assertEqual(found["reached"], {"reached_last": 7})
        self.assertIn("as before", self.prove("counter_five"))
        self.assertNotIn("as before", self.prove("counter_five", "--fresh"))
        self.assertIn("did you mean counter_five?", self.prove("conter_five", status=1))
        # What chooses nothing must not pass.
        self.write_list(changed(5, short=False, name="counter_five"))
        said = self.prove("counter_five", "--short", status=1)
        self.assertIn("no proof of counter_five is short; leave --short", said)
        # By induction too; another engine is another proof.
        self.write_list(changed(5, engine="smtbmc --nopresat z3", depth=2, name="counter_five"))
        self.assertNotIn("as before", self.prove("counter_five"))

    def test_a_wrong_property_fails_by_its_name(self) -> None:
        for keys in (
            {},
            {"engine": "smtbmc --nopresat z3", "depth": 2},
            {"engine": "induction", "depth": 2},
        ):
            with self.subTest(keys):
                self.write_list(changed(6, **keys))
                said = self.prove("counter_6", status=1)
                self.assertIn("failed   counter_6", said)
                self.assertIn("not proved: counter_6", said)
                before, failed, rest = said.partition("fails: wrong\n    waveform: ")
                self.assertTrue(failed, before)
                self.assertTrue(Path(rest.splitlines()[0]).is_file())

    def test_proves_each_property_by_induction(self) -> None:
        # A clock edge's sample is seen in the step after it, so one step is too short.
        keys: dict[str, Any] = {"engine": "induction", "depth": 2}
        self.write_list(changed(5, **keys))
        # Of two that are the same circuit, Yosys keeps one.
        said = self.prove("counter_5")
        self.assertIn("proved   counter_5: 6 properties, 1 cover points", said)
        self.assertIn(", abc ind agrees (", said)
        self.assertEqual(set(self.result("counter_5")["properties"].values()), {"pass"})
        self.assertEqual(self.result("counter_5")["second"], "abc ind")

        # Six is never reached, since nobody steps from three; but the step to it may be made.
        hidden = {**keys, "unreachable": ["reached_beyond", "reached_last"]}
        self.write_list(changed(9, **hidden))
        self.assertIn("proved   counter_9: ", self.prove("counter_9"))
        self.properties.write_text(PROPERTIES.replace("count != 4'd4)", "count != 4'd6)"))
        said = self.prove("counter_9", status=1)
        self.assertIn("open     counter_9", said)
        self.assertIn("the induction misses at_nine\n", said)
        self.assertIn("nothing fails up to step 10: it needs helpers?", said)
        found = self.result("counter_9")
        self.assertEqual(self.second_opinion("counter_9"), "unknown")
        self.assertEqual(found["properties"].pop("at_nine"), "fail")
        self.assertEqual(set(found["properties"].values()), {"pass"})

    def test_the_base_case_fails(self) -> None:
        # Seen in no step but those of the base case: the step alone would prove it.
        first = "init_q <= 1'b1;\n  always_comb begin\n    // From the first.\n"
        first += "    from_first: assert (init_q);\n  end"
        self.properties.write_text(PROPERTIES.replace("init_q <= 1'b1;", first, 1))
        self.write_list(changed(5, engine="induction", depth=2))
        said = self.prove("counter_5", status=1)
        self.assertIn("failed   counter_5", said)
        self.assertIn("fails: from_first\n", said)
        self.assertEqual(self.second_opinion("counter_5"), "fail")

    def test_the_assumptions_of_an_induction_contradict(self) -> None:
        both = "if (init_q) begin\n    assume (rst_ni);\n    assume (!rst_ni);\n  end"
        self.properties.write_text(PROPERTIES.replace("if (init_q) assume (rst_ni);", both))
        self.write_list(changed(5, engine="induction", depth=2))
        said = self.prove("counter_5", status=1)
        self.assertIn("refused  counter_5", said)
        both = "(base, step of the induction)"
        self.assertIn(f"nothing fulfils the assumptions together {both}", said)

    def test_refuses_a_proof_that_may_be_vacuous(self) -> None:
        cases = (
            (
                changed(5, unreachable=["reached_beyon"]),
                ("reached_beyond is not reached within 10 steps", "did you mean reached_beyond?"),
            ),
            # Nobody steps from three, so the assumption hides the last.
            (changed(9), ("reached_last is not reached within 10 steps",)),
            (
                changed(5, unreachable=["reached_beyond", "reached_last"]),
                ("reached_last is called unreachable but reached in step 7",),
            ),
        )
        for content, messages in cases:
            with self.subTest(messages):
                self.write_list(content)
                said = self.prove("counter", status=1)
                for message in (*messages, "refused "):
                    self.assertIn(message, said)

    def test_a_proof_ends_with_its_time(self) -> None:
        self.write_list(changed(7, timeout=1))
        said = self.prove("counter_7", status=1)
        self.assertIn("timeout  counter_7", said)
        self.assertIn("no verdict in 1 CPU seconds", said)

    def test_an_interrupted_run_goes_on(self) -> None:
        slow = changed(7, name="slow")["proofs"][0]
        self.write_list({**LIST, "proofs": [LIST["proofs"][0], slow]})
        with subprocess.Popen(
            self.command("counter"),
            cwd=TOOLS,
            stdout=subprocess.PIPE,
            text=True,
        ) as run:
            # It must not wait for ever, whatever happens.
            guard = threading.Timer(60, run.kill)
            guard.start()
            assert run.stdout is not None
            self.assertIn("proved   counter_five", run.stdout.readline())
            run.send_signal(signal.SIGTERM)
            self.assertEqual(run.wait(), 1)
            guard.cancel()
        self.assertTrue((self.work / "counter_five/result.json").exists())
        self.assertFalse((self.work / "slow/result.json").exists())
        self.assertEqual(list(self.work.rglob("*.part")), [])
        self.write_list({**LIST, "proofs": [LIST["proofs"][0]]})
        self.assertIn("as before", self.prove("counter"))
        # Half of a file counts as none.
        proof = read_lists(self.rtl / "formal")[0]
        self.assertIsNotNone(self.bench().known(proof))
        (self.work / "counter_five/result.json").write_text('{"name": "counter_five"')
        self.assertIsNone(self.bench().known(proof))

    def test_nobody_concludes_from_a_program_that_we_ended(self) -> None:
        code = """
import threading
from common.errors import ToolError
from common.programs import end_running, run
threading.Timer(0.2, end_running).start()
try:
    print(run(["sh", "-c", "trap 'exit 0' TERM; sleep 60 & wait"]))
except ToolError as error:
    print("no result:", error)
"""
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(said.stdout, "no result: ended\n", said.stderr)

    def test_a_search_ends_with_the_step_that_is_enough(self) -> None:
        # What the program wrote on before it was ended depends on how fast we read.
        tools = Tools.made_in(self.work / "tools")
        model = Model(self.root / "graph.aig", ["first", "second"])
        lines = re.compile(r"fails (?P<step>\d+) (?P<output>\d+)|looked (?P<done>\d+)")
        written = "fails 3 0\nlooked 4\nfails 5 1\nlooked 6\n"
        met = search(tools, model, ["printf", written], 10, lines, lambda _, step: step >= 4)
        self.assertEqual(met.steps, {"first": 3})
        self.assertTrue(met.complete)

    # --- faults and the page ---

    FAULTS = (
        Fault("no_end", "it never starts again", "counter.sv", ("== [-4'(Last)-]{+4'd15+} ?",)),
        Fault("elsewhere", "no proof reads the file", "other.sv", ("[-not -]read",)),
        Fault("no_change", "a comment", "counter.sv", ("module {+ +}counter",)),
    )

    def bench(self) -> Bench:
        return Bench(Tools.made_in(self.work / "tools"), Rtl.at(self.rtl), self.work)

    def report(self, proofs: list[Proof], lockstep: dict[str, Lockstep]) -> tuple[Report, str]:
        said: list[str] = []
        bench = self.bench()
        results = {each.name: each for each in run_proofs(bench, proofs, 1, said.append)}
        faulty = FaultBench.of(bench, list(self.FAULTS), proofs)
        run_faults(faulty, 1, said.append)
        return Report(proofs, results, faulty, lockstep), "\n".join(said)

    def test_faults_make_properties_fail(self) -> None:
        self.write_list(LIST)
        proofs = read_lists(self.rtl / "formal")
        lockstep = {"no_end": Lockstep(True, 7), "elsewhere": Lockstep(False, 0)}
        report, said = self.report(proofs, lockstep)
        self.assertIn("no_end: in_bounds of counter_five fails in step 8", said)
        self.assertIn("elsewhere: no property fails", said)
        self.assertIn("below_eight: fails on no_end", said)
        self.assertIn("wrong: NO FAULT makes it fail", said)
        faulty = report.bench
        self.assertTrue(faulty.pairs["no_change", "counter_five"].same)
        self.assertNotIn(("elsewhere", "counter_five"), faulty.pairs)
        problems = "\n".join(report.problems())
        for problem in (
            "wrong: no fault makes it fail",
            "at_nine: no proof has it at its parameters",
            "never_met: its condition is met in no proof",
            "reached_beyond: no proof reaches it",
            "elsewhere: neither a proof nor lockstep finds it",
            "no_change: ./dev mutants has not run it",
            "1 faults are found, 60 are required",
        ):
            self.assertIn(problem, problems)
        self.assertNotIn("in_bounds: no fault", problems)
        # The pairs are kept.
        again, _ = self.report(proofs, {each.name: Lockstep(True, 7) for each in self.FAULTS})
        self.assertEqual(again.bench.pairs, faulty.pairs)
        self.assert_page_has_it_all(page_of(again, Rtl.at(self.rtl)))

    def assert_page_has_it_all(self, page: str) -> None:
        for text in (
            "Every proof is without bound",
            "A counter. It counts.\n\nFour bits suffice.",
            "| `counter_five` | Six counts. | Last 5 | without bound | abc pdr "
            "| 5 (and 1 helper, 1 of the RTL) | 7 |",
            "| `in_bounds` | The count stays in its bounds. | all | `no_end` (step 8) |",
            "- `env_three`: Nobody steps from three.",
            "- `helper_count`: The count does not run over.",
            "| `reached_last` | The last is reached. | 7 |",
            "| `reached_beyond` | Beyond the last. | unreachable |",
            "| `counts` | counter |",
            "| `no_end` | counter.sv | it never starts again | `in_bounds` of `counter_five`",
        ):
            self.assertIn(text, page)


if __name__ == "__main__":
    unittest.main()
