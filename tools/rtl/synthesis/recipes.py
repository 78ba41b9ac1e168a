# SPDX-License-Identifier: Apache-2.0
"""Recipes: how the adder carries, and what ABC does. How much a recipe matters is measured by a
portfolio of them; none is the best for every circuit."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .parameters import Configuration

# The modules that keep their boundary, by how yosys names them.
_BLOCKS = ("combining_switch$*", "combining_queue$*", "systolic_queue$*", "wait_buffer$*",
           "reverse_queue$*", "message_interface_receive$*")  # fmt: skip
_UNITS = ("compose_unit$*", "apply_unit$*u_decombine")
_KEPT = {"flat": (), "blocks": _BLOCKS, "units": _BLOCKS + _UNITS}

FANOUT = 8
"""Pins that one output drives at most."""
# Restructures for depth, then maps, buffers and sizes.
_SPEED = """\
strash
&get -n
&syn4
&b -d
&put
dch -f
if -g -K {lut}
strash
dch
map -B 0.9 -D {target}
topo
buffer -c -N {fanout}
upsize {target}
dnsize {target}
stime -p
"""


@dataclass(frozen=True)
class Recipe:
    """The recipe of a configuration."""

    adder: str
    script: str
    lut: int
    target: int
    hierarchy: str

    @staticmethod
    def of(configuration: Configuration) -> "Recipe":
        own: dict[str, Any] = {
            name: configuration[f"recipe.{name}"] for name in Recipe.__dataclass_fields__
        }
        return Recipe(**own)

    @property
    def kept_modules(self) -> tuple[str, ...]:
        """Patterns of the modules that ABC sees by themselves, beside the top."""
        return _KEPT[self.hierarchy]

    @property
    def techmap(self) -> str:
        """Pass that replaces words by gates."""
        if self.adder == "default":
            return "techmap"
        return f"techmap -map +/techmap.v -map +/choices/{self.adder}.v"

    def abc_options(self, folder: Path) -> str:
        """Options of the pass abc; the script is written into the folder."""
        options = f"-D {self.target}"
        if self.script == "speed":
            # Yosys replaces {D} in its own scripts only, so the number is written out.
            file = folder / "speed.abc"
            file.write_text(
                _SPEED.format(lut=self.lut, target=self.target, fanout=FANOUT), encoding="utf-8"
            )
            options += f" -script {file}"
        return options
