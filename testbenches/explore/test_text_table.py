# SPDX-License-Identifier: Apache-2.0
"""Tables on a terminal: nothing is lost, and no line is longer than the terminal is wide."""

import re
from typing import Any

import pytest

from tributary_explore.store import Store
from tributary_explore.text_table import text_table

SENTENCE = "Each of these words is in the table, and none of them is broken in two. " * 3


def lines_within(table: str, width: int) -> list[str]:
    lines = table.splitlines()
    assert max(map(len, lines)) <= width
    return lines


def test_what_fits_is_as_without_a_terminal() -> None:
    head, rows = ("name", "value"), [("a", 1), ("b", 2.5), (None, True)]
    assert text_table(head, rows) == text_table(head, rows, 11)


def test_the_widest_column_of_text_is_wrapped_beside_the_others() -> None:
    rows = [("first", SENTENCE, 1), ("second", "short", 22)]
    lines = lines_within(text_table(("name", "meaning", "value"), rows, 60), 60)
    assert lines[0].split() == ["name", "meaning", "value"]
    assert lines[-1].split() == ["second", "short", "22"]
    assert re.sub(r"\s+", " ", " ".join(lines[2:-1])).replace(" 1 ", " ") == (
        f"first {SENTENCE.strip()}"
    )


@pytest.mark.parametrize("rows", [1, 3])
def test_a_table_of_few_rows_is_turned(rows: int) -> None:
    head = [f"column_{i}" for i in range(40)]
    contents = [[100 * row + i for i in range(40)] for row in range(rows)]
    lines = lines_within(text_table(head, contents, 60), 60)
    heads = ["value"] if rows == 1 else ["row", "1", "row", "2", "row", "3"]
    assert lines[0].split() == ["column", *heads]
    assert [line.split() for line in lines[2:]] == [
        [name, *map(str, cells)] for name, *cells in zip(head, *contents, strict=True)
    ]


def test_a_long_value_of_a_turned_table_is_wrapped() -> None:
    head = [f"column_{i}" for i in range(20)]
    lines = lines_within(text_table(head, [[*range(19), SENTENCE]], 60), 60)
    assert len(lines) > 2 + 20
    assert " ".join(" ".join(lines[21:]).split()) == f"column_19 {SENTENCE.strip()}"


def test_long_values_of_all_rows_of_a_turned_table_are_wrapped() -> None:
    head = ["point", *(f"column_{i}" for i in range(20))]
    points = ["0123456789abcdef" * 4, "fedcba9876543210" * 4]
    lines = lines_within(text_table(head, [[each, *range(20)] for each in points], 70), 70)
    assert lines[0].split() == ["column", "row", "1", "row", "2"]
    parts = [line.split()[-2:] for line in lines[2:-20]]
    assert ["".join(part) for part in zip(*parts, strict=True)] == points
    assert lines[-1].split() == ["column_19", "19", "19"]


def test_a_table_of_many_rows_stays() -> None:
    head, rows = [f"column_{i}" for i in range(40)], [list(range(40))] * 20
    assert text_table(head, rows, 60) == text_table(head, rows)


def test_a_query_knows_the_terminal(explore: Any, sample: Store) -> None:
    sql = "FROM results LIMIT 1"
    piped = explore("query", "sample", sql).stdout.splitlines()
    assert len(piped) == 3
    turned = lines_within(explore("query", "sample", sql, terminal=90).stdout, 90)
    assert turned[0].split() == ["column", "value"]
    # What a long value goes on in begins with a space.
    names = [line.split()[0] for line in turned[2:] if not line.startswith(" ")]
    assert names == piped[0].split()


@pytest.mark.parametrize(("columns", "most"), [(80, 80), (200, 100)])
def test_help_fits(explore: Any, columns: int, most: int) -> None:
    for command in ("run", "plan", "status", "query", "figures", "report", "new", "list"):
        lines_within(explore(command, "--help", terminal=columns).stdout, most)
    lines_within(explore("--help", terminal=columns).stdout, most)
