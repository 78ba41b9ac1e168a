#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What shells complete by the scripts of `tributary completion`."""

import shutil
import subprocess
import unittest
from collections.abc import Callable

from program_case import ProgramCase


class CompletionCommand(ProgramCase):
    def by_shell(self, *command: str) -> list[str]:
        done = subprocess.run(command, cwd=self.work, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def by_bash(self, *words: str) -> list[str]:
        """What bash offers for the last word, by the script."""
        script = self.succeed("completion bash").stdout
        typed = " ".join(f"'{word}'" for word in ("tributary", *words))
        call = f"COMP_WORDS=({typed}); COMP_CWORD={len(words)}; _tributary"
        # Only a shell in use has a completion whose options could be changed.
        shell = f'compopt() {{ :; }}\n{script}\n{call}; printf "%s\\n" "${{COMPREPLY[@]}}"'
        return self.by_shell("bash", "--norc", "-c", shell)

    def by_zsh(self, *words: str) -> list[str]:
        """The same of zsh, whose own part, to keep what begins as the word does, is done here."""
        script = self.succeed("completion zsh").stdout
        typed = " ".join(f"'{word}'" for word in ("tributary", *words))
        own = """compdef() { [[ $2 == tributary ]] }
            compadd() {
              local suffix=
              if [[ $1 == -S ]]; then suffix=$2; shift 2; fi
              shift  # --
              print -l -- ${^@}$suffix
            }"""
        call = f"words=({typed}); CURRENT={len(words) + 1}; _tributary"
        all_offers = self.by_shell("zsh", "--no-rcs", "-c", f"{own}\n{script}\n{call}")
        return [each for each in all_offers if each.startswith(words[-1])]

    def by_fish(self, *words: str) -> list[str]:
        script = self.succeed("completion fish").stdout
        call = f"complete -C 'tributary {' '.join(words)}'"
        offers = self.by_shell("fish", "--no-config", "-c", f"{script}\n{call}")
        return [each for each in offers if each.startswith(words[-1])]

    def shells(self) -> dict[str, Callable[..., list[str]]]:
        """Those that are installed."""
        every = {"bash": self.by_bash, "zsh": self.by_zsh, "fish": self.by_fish}
        return {name: offered for name, offered in every.items() if shutil.which(name)}

    def expect(self, words: tuple[str, ...], *offers: str) -> None:
        """That each shell offers these for the last word."""
        for name, offered in self.shells().items():
            with self.subTest(shell=name, words=words):
                self.assertEqual(sorted(set(offered(*words))), sorted(offers))

    def test_commands(self) -> None:
        self.expect(("c",), "compare", "completion")
        self.expect(("val",), "validate-config")

    def test_options_are_those_of_the_command(self) -> None:
        self.expect(("run", "improved", "--see"), "--seed", "--seeds")
        self.expect(("compare", "--see"))
        self.expect(("describe", "--sch"), "--schema")

    def test_presets_of_all_platforms(self) -> None:
        self.expect(("run", "improv"), "improved")
        self.expect(("validate-config", "fbc"), "fbcopy", "fbcopy_coherent")

    def test_parameters(self) -> None:
        self.expect(("run", "improved", "--set", "network.slo"), "network.slots=")
        self.expect(("describe", "node.memory.line"), "node.memory.line_bytes")
        self.expect(("describe", "fla"), "flash")

    def test_another_shell_is_refused(self) -> None:
        self.complain("completion csh", 2, "SHELL", "csh", "bash", "zsh", "fish")


if __name__ == "__main__":
    unittest.main()
