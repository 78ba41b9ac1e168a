#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What bash completes by the script of `tributary completion bash`."""

import subprocess
import unittest

from program_case import ProgramCase


class CompletionCommand(ProgramCase):
    def offered(self, *words: str) -> list[str]:
        """What bash offers for the last word, by the script."""
        script = self.succeed("completion bash").stdout
        typed = " ".join(f"'{word}'" for word in ("tributary", *words))
        call = f"COMP_WORDS=({typed}); COMP_CWORD={len(words)}; _tributary"
        # Only a shell in use has a completion whose options could be changed.
        shell = f'compopt() {{ :; }}\n{script}\n{call}; printf "%s\\n" "${{COMPREPLY[@]}}"'
        done = subprocess.run(
            ["bash", "--norc", "-c", shell], capture_output=True, text=True, check=True
        )
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_commands(self) -> None:
        self.assertEqual(self.offered("c"), ["compare", "completion"])
        self.assertEqual(self.offered("val"), ["validate-config"])

    def test_options_are_those_of_the_command(self) -> None:
        self.assertEqual(self.offered("run", "improved", "--see"), ["--seed", "--seeds"])
        self.assertEqual(self.offered("compare", "--see"), [])
        self.assertIn("--schema", self.offered("describe", "--"))

    def test_presets_of_all_platforms(self) -> None:
        self.assertEqual(self.offered("run", "improv"), ["improved"])
        self.assertEqual(self.offered("validate-config", "fbc"), ["fbcopy", "fbcopy_coherent"])

    def test_parameters(self) -> None:
        self.assertEqual(
            self.offered("run", "improved", "--set", "network.slo"), ["network.slots="]
        )
        self.assertEqual(self.offered("describe", "node.memory.line"), ["node.memory.line_bytes"])
        self.assertEqual(self.offered("describe", "fla"), ["flash"])

    def test_another_shell_is_refused(self) -> None:
        self.complain("completion csh", 2, "SHELL", "csh", "bash")


if __name__ == "__main__":
    unittest.main()
