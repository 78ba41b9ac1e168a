# SPDX-License-Identifier: Apache-2.0
"""Whether Debian's front ends still refuse the RTL where docs/models/rtl.md says that they do.

refusing_front_ends.py iverilog | yosys
"""

import re
import subprocess
import sys

from common.files import ROOT
from rtl_sources import listed_files

# The row of the page, what tells the version, and what reads the RTL.
TOOLS = {
    "iverilog": (r"Icarus Verilog", ["-V"], ["-g2012", "-t", "null"]),
    "yosys": (r"yosys, `read_verilog -sv`", ["-V"], ["-q", "-f", "verilog -sv"]),
}


def main(tool: str) -> str:
    name, ask, read = TOOLS[tool]
    page = (ROOT / "docs/models/rtl.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| {name} \| (\S+) \| .*\(`(\S+)`, line (\d+)\)", page, re.MULTILINE)
    assert row, f"docs/models/rtl.md has no row of {name} with a file and a line"
    version, file, line = row.groups()
    said = subprocess.run([tool, *ask], capture_output=True, text=True, check=False).stdout
    if not re.search(rf"\b{re.escape(version)}\b", said):
        return f"skipped: the page has {name} {version}, here is {said.splitlines()[0]}"
    ran = subprocess.run(
        [tool, *read, *map(str, listed_files())], capture_output=True, text=True, check=False
    )
    told = ran.stdout + ran.stderr
    assert ran.returncode != 0, f"{tool} {version} takes the RTL now: correct docs/models/rtl.md"
    assert f"{file}:{line}: " in told, f"the page has {file}, line {line}; {tool} says: {told}"
    return f"{tool} {version} refuses the RTL at {file}, line {line}, as the page says"


print(main(sys.argv[1]))
