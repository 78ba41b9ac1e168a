# SPDX-License-Identifier: Apache-2.0
"""The page of tables: its three figures, its hash, and what it refuses."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from cycle_time.page import stamped, write_page
from cycle_time.study import Study
from cycle_time_sample import SAME_CLOCKS, circuit, library, study

COMMAND = "./dev cycle-time"


def written(folder: Path, *studies: Study, name: str = "cycle-time") -> str:
    page = folder / f"docs/{name}-tables.md"
    write_page(studies, page, COMMAND)
    text = page.read_text()
    print(text)
    return text


def test_all_figures_are_drawn_and_called_as_the_page_is(tmp_path: Path) -> None:
    other = Study(library(SAME_CLOCKS, name="other"), study().networks)
    text = written(tmp_path, study(), other, name="other-page")
    images = sorted(each.name for each in (tmp_path / "docs/images").iterdir())
    assert images == [f"other-page-{each}.svg" for each in ("clock", "polling", "traffic")]
    assert "| osu018 | 104.5 | 3 | +5 % | +0 % | – |" in text
    for each in images:
        assert f"(images/{each})" in text
        svg = (tmp_path / "docs/images" / each).read_text()
        assert svg.startswith("<svg ")
        assert len(svg) > 5000


def test_of_several_libraries_each_says_who_wins(tmp_path: Path) -> None:
    slow = {**SAME_CLOCKS, "aggressive": 60.0}
    text = written(tmp_path, study(), Study(library(slow, name="other"), study().networks))
    latencies = text[text.index("## Polling") : text.index("## Hot spot")]
    assert "| **least in FO4, osu018** | aggressive | aggressive | aggressive |" in latencies
    assert "| **least in FO4, other** | improved | improved | improved |" in latencies
    assert text.count("| **most in FO4, other** |") == 1


def test_the_same_results_give_the_same_bytes(tmp_path: Path) -> None:
    first, second = (written(tmp_path / each, study()) for each in ("one", "two"))
    assert first == second
    for image in (tmp_path / "one/docs/images").iterdir():
        assert image.read_bytes() == (tmp_path / "two/docs/images" / image.name).read_bytes()


def test_within_the_noise_says_so(tmp_path: Path) -> None:
    text = written(tmp_path, study({**SAME_CLOCKS, "aggressive": 44.0}))
    latencies = text[text.index("## Polling") : text.index("## Hot spot")]
    assert "| **least in cycles** | aggressive | aggressive | aggressive |" in latencies
    assert "| **least in FO4** | improved or aggressive |" in latencies
    # Twice the delay is no noise.
    order = next(line for line in text.splitlines() if line.startswith("| · ordered"))
    assert order.count("+100 %") == 2


def test_polling_is_also_told_of_other_circuits(tmp_path: Path) -> None:
    measured = study()
    registered = circuit(
        "aggressive", 18.0, 0.05, "registers", sum="at_exit", arrival_registers=True
    )
    more = replace(measured.library, circuits=(*measured.library.circuits, registered))
    text = written(tmp_path, replace(measured, library=more))
    latencies = text[text.index("## Polling") : text.index("## Hot spot")]
    # 20 cycles at 16 elements.
    assert "\n| aggressive, FO4 | 480.0 | 960.0 | 1,920 |" in latencies
    assert "\n| aggressive, FO4 | 360.0 | 720.0 | 1,440 |" in latencies
    # Of one design nothing is faster.
    assert latencies.count("| **least in FO4** | any | any | any |") == 2
    assert "\n| aggressive, registers | kogge-stone | " in text
    without = written(tmp_path / "without", measured)
    assert "register behind each link" in latencies
    assert "register behind each link" not in without


DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("page", ["cycle-time", "cycle-time-libraries", "models/design-search"])
def test_conclusions_are_of_the_committed_tables(page: str) -> None:
    """Tables that have changed ask for conclusions that are written anew."""
    tables = (DOCS / f"{page}-tables.md").read_text()
    heading, body = re.split(r"\n\nResults: `[0-9a-f]{12}`\.\n\n", tables)
    assert tables == stamped(heading, [body.rstrip("\n")])
    digest = re.findall(r"^Results: `([0-9a-f]{12})`\.$", tables, re.MULTILINE)
    assert re.findall(r"results `([0-9a-f]{12})`", (DOCS / f"{page}.md").read_text()) == digest
