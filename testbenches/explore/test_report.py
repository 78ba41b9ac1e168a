# SPDX-License-Identifier: Apache-2.0
"""The report as a file: complete, linked to its sources, honest, safe and always the same."""

import json
import re
import shutil
import statistics
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
import report_sample as sample

from tributary_explore.report import write_report
from tributary_explore.results import open_results
from tributary_explore.store import Failure, Store
from tributary_explore.text import (
    duration_text,
    number_text,
    percent_text,
    seeds_text,
    time_text,
    value_text,
)

_VOID = {"meta", "img", "input", "br", "wbr", "link"}
_INSIDE_LINES = {"a", "code", "span", "wbr"}


class Page(HTMLParser):
    """What a test wants to know of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.text: list[str] = []
        self.number_cells: list[tuple[str, bool]] = []
        self.verdicts: dict[str, str] = {}
        """The class of the verdict of a row, by the row's id."""
        self._inside: dict[str, list[str]] = {}
        self._open: list[str] = []
        self._places: list[set[str]] = []  # of the open elements: tag, .class and #id
        self._cell: list[str] | None = None
        self._linked = False
        self._row = ""
        self.feed(text)
        assert self._open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag not in _INSIDE_LINES:
            self._add(" ")
        if tag not in _VOID:
            self._open.append(tag)
            classes = {f".{each}" for each in values.get("class", "").split()}
            self._places.append({tag, f"#{values.get('id')}"} | classes)
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "a":
            self.links.append(values["href"])
            self._linked = True
        for name in ("src", "srcset", "poster", "action", "data"):
            if name in values:
                self.fetched.append(values[name])
        if tag == "link":
            self.fetched.append(values["href"])
        if values.get("class") == "verdict-cell":
            self._row = self.ids[-1]
        elif tag == "span" and self._places and ".verdict-cell" in self._places[-2]:
            self.verdicts.setdefault(self._row, values["class"])
        if tag == "td" and "number" in values.get("class", ""):
            self._cell, self._linked = [], False

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, f"</{tag}> closes what was opened last"
        self._places.pop()
        if tag == "td" and self._cell is not None:
            self.number_cells.append(("".join(self._cell).strip(), self._linked))
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("script", "style"):
            self._add(data)
        if self._cell is not None:
            self._cell.append(data)

    def _add(self, text: str) -> None:
        self.text.append(text)
        for place in set().union(*self._places):
            self._inside.setdefault(place, []).append(text)

    @property
    def words(self) -> str:
        return " ".join("".join(self.text).split())

    def inside(self, place: str) -> str:
        """The words of the elements of a tag, a .class or an #id."""
        return " ".join("".join(self._inside.get(place, [])).split())

    def numbers(self, place: str) -> list[int]:
        """Whole numbers there, in their order."""
        return [int(each) for each in re.findall(r"\d+", self.inside(place))]


@pytest.fixture(scope="module")
def simulated(
    simulate: Callable[[str, Path], Store], tmp_path_factory: pytest.TempPathFactory
) -> Store:
    return simulate(sample.SWEEP, tmp_path_factory.mktemp("report") / "small.sweep")


@pytest.fixture
def store(simulated: Store, tmp_path: Path) -> Store:
    shutil.copytree(simulated.folder, tmp_path / "small.sweep")
    return Store(tmp_path / "small.sweep")


@pytest.fixture(scope="module")
def written(simulated: Store, tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Page]:
    """The report of a whole sweep."""
    folder = tmp_path_factory.mktemp("whole") / "small.sweep"
    shutil.copytree(simulated.folder, folder)
    store = Store(folder)
    sample.record_run(store)
    return store, Page(sample.report(store))


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        # What was run, and how.
        ("h1", "A <b>small</b> sweep & its report"),
        ("#run", "Two designs, two sizes."),
        ("#run", sample.COMMAND),
        ("#run", "0.1.0"),
        ("#run", "2026-01-31"),
        ("#run", "// as small as a sweep with every kind of figure can be"),
        ("#points", "wait buffer 100, network.processing_elements = 64"),
        # The table against the paper.
        ("#paper-wrong", "A number <that> cannot be right"),
        ("#paper-growth", "A report, 4; wrong / least"),
        ("#paper", "far: a machine that was not run"),
        # What each figure is drawn from.
        ("#figure-sizes-latency", "interface.latency.mean"),
        ("#figure-stages-distribution", "interface.latency_distribution"),
        ("#figure-load-load", "interface.accepted_load, interface.latency.mean"),
    ],
)
def test_what_it_tells(written: tuple[Store, Page], place: str, expected: str) -> None:
    assert expected in written[1].inside(place)


def test_its_numbers(written: tuple[Store, Page]) -> None:
    _, page = written
    assert page.numbers(".verdict") == [2, 3], "published numbers that agree"
    assert page.numbers("header")[:4] == [2, 3, 2, 3]
    facts = page.numbers("#run")
    # As `run` counts them: a point that two experiments share is one.
    assert facts[:4] == [sample.POINTS, sample.PLACES, 1, 2], "points, places, seeds"
    assert page.verdicts == {
        "paper-least": "pass",
        "paper-wrong": "fail",
        "paper-growth": "pass",
        "paper-fitted": "calibrated",
    }


def test_the_story_comes_first(written: tuple[Store, Page]) -> None:
    """Verdict, answer and key figure, then predictions before calibrations, then the rest."""
    order = [
        "answer",
        "figure-sizes-latency",
        "paper",
        "paper-wrong",
        "paper-fitted",
        "figures",
        "figure-stages-combining",
        "run",
    ]
    page = written[1]
    assert len(page.numbers("header")) == 5, "the designs are equal: none is called best"
    assert [each for each in page.ids if each in order] == order


def test_every_number_is_linked_to_its_point_and_its_files(written: tuple[Store, Page]) -> None:
    store, page = written
    assert len(page.ids) == len(set(page.ids)), "each id stands once"
    anchors = [link[1:] for link in page.links if link.startswith("#")]
    files = [unquote(link) for link in page.links if not link.startswith("#")]
    assert set(anchors) <= set(page.ids)
    figures = {f"figures/{name}.svg" for name in ("sizes-latency", "load-load")}
    assert figures <= set(files), "without JavaScript a figure's link leads to its file"
    results = {file for file in files if not file.startswith("figures/")}
    # Two experiments share a point, and so its file.
    assert len(results) == len({point.hash for point in store.points()}) == sample.POINTS
    assert len(store.points()) == sample.PLACES
    assert all((store.folder / file).is_file() for file in results)
    assert sum(linked for _, linked in page.number_cells) > 40


def test_a_number_is_the_mean_of_the_files_that_it_leads_to(written: tuple[Store, Page]) -> None:
    store, _ = written
    text = store.report_file.read_text()
    link = re.compile(r'<a href="#(point-\d+)" title="Point of (interface\.[a-z_.]+)">([^<]+)</a>')
    compared = 0
    for point, statistic, shown in link.findall(text):
        row = text.partition(f'<tr id="{point}">')[2].partition("</tr>")[0]
        files = [store.folder / file for file in re.findall(r'href="(points/[^"]+)"', row)]
        summaries = [json.loads(file.read_text())["points"][0]["summary"] for file in files]
        mean = statistics.fmean(each[statistic]["mean"] for each in summaries)
        number = float(shown.replace("\N{NARROW NO-BREAK SPACE}", ""))
        assert number == pytest.approx(mean, abs=0.05), (point, statistic)
        compared += 1
    assert compared > 20


def test_it_needs_no_network(written: tuple[Store, Page]) -> None:
    store, page = written
    text = store.report_file.read_text()
    assert all(each.startswith("data:") for each in page.fetched), page.fetched
    assert "default-src 'none'" in text
    assert "@import" not in text and "url(" not in text.partition("</style>")[0]
    assert not [link for link in page.links if "//" in link]


def test_it_is_a_page_for_readers(written: tuple[Store, Page]) -> None:
    text = written[0].report_file.read_text()
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in text
    assert "<title>A &lt;b&gt;small&lt;/b&gt; sweep &amp; its report – Tributary</title>" in text
    assert all(re.findall(r"<img [^>]*alt=\"[^\"]+", text))


def test_the_same_results_give_the_same_bytes(store: Store) -> None:
    first = sample.report(store)
    second = sample.report(store)
    assert first == second


def test_a_report_of_an_incomplete_sweep_says_so_at_the_top(store: Store) -> None:
    failed, missing, *_ = store.points()
    for point in (failed, missing):
        store.result_file(point).unlink()
    log = "".join(f"line {i}\n" for i in range(100)) + "out of memory <script>alert(1)</script>\n"
    store.write_failure(failed, Failure("tributary run run.json --seed 1", 137, log, 2.5))
    text = sample.report(store)
    page = Page(text)
    assert page.numbers(".bad") == [2, sample.POINTS, 1, 1], "without result, failed, not run"
    assert page.inside("header").index(page.inside(".bad")) < page.inside("header").index(
        page.inside(".verdict")
    )
    assert page.numbers("#run")[:2] == [sample.POINTS - 2, sample.POINTS]
    assert "tributary run run.json --seed 1" in page.inside("#lacking")
    assert 137 in page.numbers("#lacking")
    store.write_failure(failed, Failure("tributary run run.json --seed 1", None, log, 2.5))
    killed = Page(sample.report(store))
    assert 137 not in killed.numbers("#lacking") and "None" not in killed.words
    assert "out of memory <script>alert(1)</script>" in page.words
    assert "line 99" in page.words and "line 10 " not in page.words, "the end of the log"
    assert "<script>alert" not in text


def test_a_sweep_without_any_result_has_a_report_too(store: Store) -> None:
    shutil.rmtree(store.folder / "points")
    path = write_report(store, None, store.report_file, "tributary-explore report small.sweep")
    page = Page(path.read_text())
    every = sample.POINTS
    assert page.numbers(".bad") == [every, every, every]
    assert "figures" not in page.ids


def test_a_figure_that_cannot_be_drawn_does_not_hide_the_others(store: Store) -> None:
    for point in store.points():
        if point.experiment == "stages":
            store.result_file(point).unlink()
    page = Page(sample.report(store))
    assert page.numbers(".bad")[:5] == [2, sample.POINTS, 2, 2, 4], "points, then figures"
    assert "figure-stages-combining-specification" not in page.ids
    assert "Latency against size" in page.inside("#figure-sizes-latency")


def test_without_published_numbers_it_says_why(store: Store) -> None:
    results = open_results(store.folder)
    nowhere = store.folder / "nowhere.json"
    path = write_report(store, results, store.report_file, "report", nowhere)
    page = Page(path.read_text())
    assert str(nowhere) in page.inside(".note") and "paper" not in page.ids


def test_links_lead_back_from_another_folder(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "else where" / "page.html"
    write_report(store, open_results(store.folder), path, "report")
    files = [link for link in Page(path.read_text()).links if "/points/" in link]
    assert files and all((path.parent / unquote(link)).is_file() for link in files)


def test_texts() -> None:
    thin = "\N{NARROW NO-BREAK SPACE}"
    assert [number_text(320.55, "cycles"), number_text(0.42356, "1")] == ["320.6", "0.424"]
    assert number_text(69382, "requests") == f"69{thin}382"
    assert [number_text(each, "requests") for each in (-0.25, 0.0293, 69382.25)] == [
        "−0.2500", "0.02930", f"69{thin}382.2",
    ]  # fmt: skip
    assert [percent_text(0.0475), percent_text(-0.00001)] == [f"+4.8{thin}%", f"0.0{thin}%"]
    assert [duration_text(each).replace(thin, " ") for each in (0.44, 59.6, 151, 11100)] == [
        "0.4 s", "1 min 00 s", "2 min 31 s", "3 h 05 min",
    ]  # fmt: skip
    assert [value_text(each) for each in (1.0, 0.2, True, "B", [1])] == [
        "1", "0.2", "true", "B", "[1]",
    ]  # fmt: skip
    assert seeds_text([3, 1, 2, 7, 9, 8, 5]) == "1 to 3, 5, 7 to 9"
    assert time_text("2026-11-21T18:40:12+00:00") == "2026-11-21 18:40 UTC"
    assert time_text("yesterday") == "yesterday"
