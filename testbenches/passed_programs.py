# SPDX-License-Identifier: Apache-2.0
"""Of the lines "digest program" on stdin, those of programs that need not run again.

passed_programs.py JUNIT PROGRAMS: PROGRAMS, in lines, passed before and are the same; JUNIT is what
ctest wrote of those that it ran, each test named PROGRAM or PROGRAM.test.
"""

import sys
from xml.etree import ElementTree


def passed(junit: str) -> set[str]:
    by_status: dict[bool, set[str]] = {True: set(), False: set()}
    for case in ElementTree.parse(junit).iter("testcase"):
        by_status[case.get("status") == "run"].add(case.get("name", "").partition(".")[0])
    return by_status[True] - by_status[False]


def main(junit: str, before: str) -> None:
    kept = passed(junit) | set(before.split())
    sys.stdout.writelines(line for line in sys.stdin if line.split()[1] in kept)


if __name__ == "__main__":
    main(*sys.argv[1:])
