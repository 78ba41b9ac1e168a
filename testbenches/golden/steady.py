#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mean latencies of polling machines, by design and size, exactly as they were.

`steady_latencies.json` has a line of latencies a design, one value a size, each of one run with
seed 1, taken before the library got its seams. They are this library's own figures: a change of
behaviour shows here; whether it agrees with a publication is what ./dev validate says.

Exit status: 0 all equal, 1 a difference, 2 a failed run or wrong usage.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "steady_latencies.json"


def latencies(program, design, sizes):
    with tempfile.TemporaryDirectory() as folder:
        command = [str(program), "run", design["preset"], "--seed", "1", "--engine", "loop"]
        command += ["--quiet", "--out", folder]
        listed = ",".join(str(size) for size in sizes)
        for setting in [f"network.processing_elements=[{listed}]", *design.get("set", [])]:
            command += ["--set", setting]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{' '.join(command)}\nended with {done.returncode}: {done.stderr.strip()}")
            sys.exit(2)
        points = json.loads((Path(folder) / "results.json").read_text())["points"]
    return [point["runs"][0]["statistics"]["interface"]["latency"]["mean"] for point in points]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--table", type=Path, default=TABLE, help="another steady_latencies.json")
    parser.add_argument("--largest", type=int, help="leave out larger machines")
    arguments = parser.parse_args()
    table = json.loads(arguments.table.read_text())
    sizes = [n for n in table["sizes"] if arguments.largest is None or n <= arguments.largest]
    differ = 0
    for name, design in table["designs"].items():
        recorded = design["latency"][: len(sizes)]
        found = latencies(arguments.program, design, sizes)
        for size, now, before in zip(sizes, found, recorded, strict=True):
            if now != before:
                differ += 1
                print(f"FAIL  {name}, {size} elements: {now} cycles, recorded {before}")
    total = len(sizes) * len(table["designs"])
    print(f"steady: {total - differ} of {total} latencies as recorded")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
