# SPDX-License-Identifier: Apache-2.0
"""The report in headless Chromium: on a phone, a desk and a wide screen, in the dark, on paper.

What is compared is geometry, sizes of text, contrasts, a page with itself in the dark, and where it
has ink with where it had some, in squares of 32 pixels (the folder screenshots). So another version
of Chromium changes little. Screenshots are written to the folder TRIBUTARY_SCREENSHOTS,
build/explore/screenshots if it is not set.
"""

import base64
import itertools
import json
import os
import re
import shutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import report_sample as sample
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from tributary_explore.store import Store

_CHROMIUM = shutil.which("chromium")
_DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (_CHROMIUM and _DRIVER),
    reason="Chromium is not installed; apt-get install chromium chromium-driver",
)

_SECONDS = 60
_DESK = (1440, 900)
_PHONE = (390, 844)
_WIDE = (2560, 1440)
_PAPER = (688, 1001)
"""A page of A4 within its margins."""
_ROOT = Path(__file__).resolve().parents[2]
_KEPT = Path(__file__).parent / "screenshots"
_ROWS = 16
"""Of squares, in a part of a page."""
_LIKE = 0.1
"""The share of squares that another version of Chromium may change."""

# The marks of a chart, without axes, legends and grid.
_MARKS = """
return [...arguments[0].querySelectorAll(".chart svg .role-mark > *")]
  .filter(mark => !mark.matches("g") && mark.getAttribute("d") !== "").length
"""
_CONTRAST = """
const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
const luminance = ([r, g, b]) => {
  const linear = [r, g, b].map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
};
const behind = (element) => {
  for (let each = element; each; each = each.parentElement) {
    const colour = channels(getComputedStyle(each).backgroundColor);
    if (colour.length === 3 || colour[3] > 0) return colour;
  }
  return [255, 255, 255];
};
const contrast = (colour, element) => {
  const [front, back] = [luminance(channels(colour)), luminance(behind(element))];
  return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
};
"""
# Texts that can be seen: how many, those that are small, and those that are faint after WCAG 2.
_TEXTS = (
    _CONTRAST
    + """
const [small, faint] = [[], []];
let seen = 0;
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const element = texts.currentNode.parentElement;
  const text = texts.currentNode.data.trim();
  if (!text || !element.checkVisibility()) continue;
  if (element.closest("script, style, .unseen, .skip, :disabled")) continue;
  const style = getComputedStyle(element);
  const svg = element.closest("svg");
  const scale = svg ? svg.getBoundingClientRect().width / svg.width.baseVal.value : 1;
  seen += 1;
  if (parseFloat(style.fontSize) * scale < 11.99) small.push([text, style.fontSize, scale]);
  // A chart's own labels in a series' colour need 3, as graphics do.
  const found = contrast(svg ? style.fill : style.color, element);
  if (found < (svg ? 3 : 4.5)) faint.push([text, found]);
}
return [seen, small, faint];
"""
)
# Lines, points and bars of charts: how many, and those of which neither stroke nor area stands out.
_FAINT_MARKS = (
    _CONTRAST
    + """
const faint = [];
const marks = [...document.querySelectorAll(".chart svg .role-mark path")]
  .filter(mark => mark.getAttribute("d") && mark.getBoundingClientRect().width > 0);
for (const mark of marks) {
  const style = getComputedStyle(mark);
  const colours = [[style.stroke, style.strokeOpacity], [style.fill, style.fillOpacity]]
    .filter(([colour, opacity]) => colour.startsWith("rgb(") && opacity * style.opacity > 0.99);
  const found = Math.max(0, ...colours.map(([colour]) => contrast(colour, mark)));
  if (found < 3) faint.push([mark.closest("figure").id, style.stroke, style.fill, found]);
}
return [marks.length, faint];
"""
)
# Each chart: its name, the width of its column and its own, and how many panels stand in a row.
_CHARTS = """
return [...document.querySelectorAll(".chart")].map(chart => {
  const svg = chart.querySelector("svg").getBoundingClientRect();
  const cells = [...chart.querySelectorAll("svg .role-scope.cell > g")]
    .map(cell => cell.querySelector(".background").getBoundingClientRect());
  const row = cells.filter(cell => Math.abs(cell.top - cells[0].top) < 1).length || 1;
  return [chart.closest("figure").id, chart.clientWidth, svg.width, row];
});
"""
# Places of what a reader sees first: top and bottom.
_PLACES = """
const first = [".verdict", "header .facts", "#answer h3", "#answer .chart"];
return Object.fromEntries(first.map(what => {
  const place = document.querySelector(what).getBoundingClientRect();
  return [what, [place.top, place.bottom]];
}));
"""
# What may not be broken over pages, with its height.
_UNBROKEN = """
return [...document.querySelectorAll(".chart, tr, .banner")]
  .filter(each => each.checkVisibility())
  .map(each => [each.className || each.tagName, each.getBoundingClientRect().height]);
"""
# A screenshot in squares of so many pixels, a row of them a text: how much ink, from 0 to 8.
_INKED = """
const [source, square, done] = arguments;
const image = new Image();
image.src = "data:image/png;base64," + source;
image.decode().then(() => {
  const [width, height] = [image.width, image.height].map(size => Math.ceil(size / square));
  const drawn = (width, height, ...size) => {
    const context = new OffscreenCanvas(width, height).getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, ...size);
    return context.getImageData(0, 0, width, height).data;
  };
  const [pixels, ground] = [drawn(width, height, width, height), drawn(1, 1)];
  const ink = i => Math.max(...[0, 1, 2].map(c => Math.abs(pixels[4 * i + c] - ground[c])));
  const level = i => Math.round(Math.log2(1 + ink(i)));
  const row = y => Array.from({ length: width }, (_, x) => level(y * width + x)).join("");
  done(Array.from({ length: height }, (_, y) => row(y)));
});
"""


@pytest.fixture(scope="module")
def page(simulate: Callable[[str, Path], Store], tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = simulate(sample.SWEEP, tmp_path_factory.mktemp("browser") / "small.sweep")
    sample.record_run(store)
    sample.report(store)
    return store.report_file


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(_CHROMIUM)
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=str(_DRIVER))
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_script_timeout(_SECONDS)
    yield driver
    driver.quit()


class Reader:
    """Opens the page and looks at it."""

    def __init__(self, driver: webdriver.Chrome, page: Path) -> None:
        self.driver = driver
        self.page = page

    def open(
        self,
        size: tuple[int, int] = _DESK,
        scheme: str = "light",
        media: str = "",
        script: bool = True,
    ) -> None:
        width, height = size
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self._command("Emulation.setDeviceMetricsOverride", screen)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._command("Emulation.setEmulatedMedia", {"media": media, "features": features})
        self._command("Emulation.setScriptExecutionDisabled", {"value": not script})
        self.driver.get("about:blank")
        for kind in ("browser", "performance"):
            self._log(kind)  # what an earlier test left
        self.driver.get(self.page.as_uri())
        if script:
            WebDriverWait(self.driver, _SECONDS).until(
                lambda driver: driver.execute_script(
                    "return document.documentElement.dataset.ready === 'yes'"
                )
            )

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def figures(self) -> list[WebElement]:
        return self.find("figure[data-specification]")

    def redrawn(self) -> None:
        """Waits until the change before it is drawn."""
        self.driver.execute_async_script(
            "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(arguments[0], 50)))"
        )

    def turn(self, scheme: str = "light", media: str = "") -> None:
        """Changes colours or medium of the page that is open."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._command("Emulation.setEmulatedMedia", {"media": media, "features": features})
        self.redrawn()

    def resize(self, size: tuple[int, int]) -> None:
        """Changes the window of the page that is open."""
        screen = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        self._command("Emulation.setDeviceMetricsOverride", screen)
        self.redrawn()

    def inked(self, picture: str, square: int) -> list[str]:
        """A screenshot in squares: rows of how much ink is there, from 0 to 8 (the logarithm)."""
        self.driver.get("about:blank")
        found: list[str] = self.driver.execute_async_script(_INKED, picture, square)
        return found

    def printed(self) -> bytes:
        """The page as PDF, on A4."""
        paper = {"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": True}
        return base64.b64decode(self._command("Page.printToPDF", paper)["data"])

    def screenshot(self, name: str) -> str:
        folder = Path(
            os.environ.get("TRIBUTARY_SCREENSHOTS", _ROOT / "build" / "explore" / "screenshots")
        )
        folder.mkdir(parents=True, exist_ok=True)
        size = self._command("Page.getLayoutMetrics", {})["cssContentSize"]
        whole = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        options = {"format": "png", "captureBeyondViewport": True, "clip": whole}
        data: str = self._command("Page.captureScreenshot", options)["data"]
        image = base64.b64decode(data)
        (folder / f"{name}.png").write_bytes(image)
        print(f"screenshot {folder / name}.png, {size['width']} x {size['height']}")
        assert len(image) > 10_000
        return data

    def errors(self) -> list[str]:
        """What the console calls an error; it is shown whole."""
        said = self._log("browser")
        print("console:", [f"{each['level']}: {each['message']}" for each in said])
        return [str(each["message"]) for each in said if each["level"] == "SEVERE"]

    def fetched(self) -> list[str]:
        """The addresses that the page asked for."""
        events = [json.loads(each["message"])["message"] for each in self._log("performance")]
        sent = [each for each in events if each["method"] == "Network.requestWillBeSent"]
        return [str(each["params"]["request"]["url"]) for each in sent]

    def _log(self, kind: str) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.driver.get_log(kind)  # type: ignore[no-untyped-call]
        return entries

    def _command(self, name: str, parameters: dict[str, Any]) -> Any:
        return self.driver.execute_cdp_cmd(name, parameters)


@pytest.fixture
def reader(chromium: webdriver.Chrome, page: Path) -> Reader:
    return Reader(chromium, page)


def test_it_opens_without_an_error_or_a_request(reader: Reader) -> None:
    reader.open()
    for figure in reader.figures():
        marks = reader.run(_MARKS, figure)
        print(figure.get_attribute("id"), marks, "marks")
        assert marks > 0
    assert len(reader.figures()) == 4
    assert reader.errors() == []
    fetched = reader.fetched()
    print("fetched:", [each[:60] for each in fetched])
    assert reader.page.as_uri() in fetched
    assert all(each.startswith(("file:", "data:", "about:")) for each in fetched)


def test_boxes_switch_designs_and_sizes_off_and_on(reader: Reader) -> None:
    reader.open()
    for figure in reader.figures():
        for box in figure.find_elements(By.CSS_SELECTOR, "input[type=checkbox]"):
            before = reader.run(_MARKS, figure)
            box.click()
            reader.redrawn()
            without = reader.run(_MARKS, figure)
            box.click()
            reader.redrawn()
            again = reader.run(_MARKS, figure)
            what = f"{box.get_attribute('name')} {box.get_attribute('value')}"
            print(figure.get_attribute("id"), what, before, without, again)
            assert 0 < without < before
            assert again == before
        first = figure.find_element(By.CSS_SELECTOR, "input[type=checkbox]")
        everything = figure.find_element(By.CSS_SELECTOR, "button")
        first.click()
        reader.redrawn()
        assert everything.is_enabled()
        everything.click()
        reader.redrawn()
        assert reader.run(_MARKS, figure) == before and not everything.is_enabled()
    assert reader.errors() == []


def test_the_keyboard_is_enough(reader: Reader) -> None:
    reader.open()
    figure = reader.figures()[0]
    before = reader.run(_MARKS, figure)
    box = figure.find_element(By.CSS_SELECTOR, "input")
    reader.run("arguments[0].focus()", box)
    reader.driver.switch_to.active_element.send_keys(Keys.SPACE)
    reader.redrawn()
    assert reader.run(_MARKS, figure) < before
    reader.driver.switch_to.active_element.send_keys(Keys.TAB)
    focused = reader.driver.switch_to.active_element
    assert focused.get_attribute("type") == "checkbox"
    shown = [each for each in reader.find("input, button, summary, a") if each.is_displayed()]
    assert shown and all(each.accessible_name for each in shown)


def test_a_number_leads_to_its_point_and_file(reader: Reader) -> None:
    reader.open()
    number = reader.find("#paper tbody td.number a[href^='#point-']")[0]
    target = reader.find(str(number.get_dom_attribute("href")))[0]
    assert not target.is_displayed(), "points are folded up"
    number.click()
    reader.redrawn()
    print(number.text, "->", target.text)
    assert target.is_displayed()
    file = target.find_element(By.CSS_SELECTOR, "a[href^=points]").get_attribute("href")
    assert Path(str(file).removeprefix("file://")).is_file()


def test_the_download_is_the_figure_and_needs_no_folder(reader: Reader) -> None:
    reader.open()
    for link in reader.find("a.download"):
        address = str(link.get_dom_attribute("href"))
        head, _, data = address.partition(",")
        drawing = ElementTree.fromstring(base64.b64decode(data))
        print(link.get_dom_attribute("download"), len(data))
        assert head == "data:image/svg+xml;base64"
        assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
        assert str(link.get_dom_attribute("download")).endswith(".svg")


@pytest.mark.parametrize(
    ("name", "size"),
    [("phone", _PHONE), ("desk", _DESK), ("wide", _WIDE)],
    ids=lambda each: str(each),
)
def test_it_fits_the_screen_in_light_and_dark(
    reader: Reader, name: str, size: tuple[int, int]
) -> None:
    reader.open(size)
    pictures = []
    for scheme, ground in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 23, 27)")):
        reader.turn(scheme)
        assert reader.run("return getComputedStyle(document.body).backgroundColor") == ground
        pictures.append(reader.screenshot(f"report-{name}-{scheme}"))
    _look_at_charts(reader)
    _look_at_the_first_screen(reader, size)
    for details in reader.find("details"):
        reader.run("arguments[0].open = true", details)
    for scheme in ("dark", "light"):
        reader.turn(scheme)
        _look_at_texts_and_marks(reader)
    assert reader.run("return document.documentElement.scrollWidth") == size[0]
    for each in reader.find(".verdict-cell"):
        assert 0 <= each.rect["x"] <= size[0] - each.rect["width"], "a verdict is in sight"
    if size == _PHONE:
        assert reader.run(
            "return [...document.querySelectorAll('.scroll')]"
            ".filter(box => box.scrollWidth > box.clientWidth).length"
        ), "wide tables scroll inside their own box"
    assert reader.errors() == []
    light, dark = (reader.inked(picture, 8) for picture in pictures)
    different = _share(list(zip(light, dark, strict=True)), _has_ink)
    print(f"{different:.1%} different in the dark")
    assert different < 0.05, "the dark page shows what the light one does"
    _look_at_what_was_there(f"report-{name}", reader.inked(pictures[0], 32))


def _has_ink(one: str, other: str) -> bool:
    """Whether only one of two squares has ink."""
    return (one > "3") != (other > "3")


def _much_more_ink(one: str, other: str) -> bool:
    """Twice as much at least."""
    return not one or not other or abs(int(one) - int(other)) > 1


def _different(before: list[str], now: list[str]) -> float:
    """The share of squares that differ, in the part of the page where it is greatest."""
    rows = list(itertools.zip_longest(before, now, fillvalue=""))
    parts = [rows[i : i + _ROWS] for i in range(0, len(rows), _ROWS)]
    return max(_share(part, _much_more_ink) for part in parts)


def _share(rows: list[tuple[str, str]], differ: Callable[[str, str], bool]) -> float:
    pairs = [pair for row in rows for pair in itertools.zip_longest(*row, fillvalue="")]
    return sum(differ(*pair) for pair in pairs) / len(pairs)


def _look_at_what_was_there(name: str, now: list[str]) -> None:
    """Compares with the picture that is kept, in squares so large that fonts change few of them."""
    kept = _KEPT / f"{name}.txt"
    if os.environ.get("TRIBUTARY_UPDATE_SCREENSHOTS") == "1":
        kept.write_text("\n".join(now) + "\n")
    before = kept.read_text().splitlines()
    different = _different(before, now)
    print(f"{name}: {different:.1%} different from {kept.name}", *now, sep="\n")
    assert different < _LIKE, (
        f"{name} looks different; look at it, and set TRIBUTARY_UPDATE_SCREENSHOTS=1 to keep it"
    )


def test_a_page_without_its_key_figure_looks_different(reader: Reader) -> None:
    """So that what is kept is worth comparing with."""
    for name, size in (("phone", _PHONE), ("desk", _DESK), ("wide", _WIDE)):
        reader.open(size)
        reader.run("document.querySelector('#answer .chart').style.visibility = 'hidden'")
        now = reader.inked(reader.screenshot(f"report-{name}-without"), 32)
        before = (_KEPT / f"report-{name}.txt").read_text().splitlines()
        print(f"{name}: {_different(before, now):.1%} different")
        assert _different(before, now) >= _LIKE


def _look_at_charts(reader: Reader) -> None:
    charts = reader.run(_CHARTS)
    print("charts, column, width, panels in a row:", charts)
    assert len(charts) == 4
    for figure, column, width, row in charts:
        assert 0.95 * column <= width <= column + 1, f"{figure} fills its column"
        assert width / row >= 320, f"{figure} has no narrow panel"


def _look_at_the_first_screen(reader: Reader, size: tuple[int, int]) -> None:
    places = reader.run(_PLACES)
    print("first screen:", places)
    assert all(top < size[1] for top, _ in places.values())
    assert places["header .facts"][1] < 0.55 * size[1]
    assert places["#answer .chart"][0] < 0.6 * size[1], "most of the key figure is seen"
    if size != _PHONE:
        assert places["#answer .chart"][1] <= size[1], "the key figure is seen whole"


def _look_at_texts_and_marks(reader: Reader) -> None:
    seen, small, faint = reader.run(_TEXTS)
    marks, faint_marks = reader.run(_FAINT_MARKS)
    print(f"{seen} texts, small {small}, faint {faint}; {marks} marks, faint {faint_marks}")
    assert seen > 300 and marks > 30
    assert (small, faint, faint_marks) == ([], [], [])


def test_it_follows_the_window(reader: Reader) -> None:
    reader.open(_WIDE)
    reader.resize(_DESK)
    WebDriverWait(reader.driver, 5).until(
        lambda _: all(width <= column + 1 for _, column, width, _ in reader.run(_CHARTS))
    )
    _look_at_charts(reader)


def test_on_paper_it_is_light_and_no_page_is_half_empty(reader: Reader) -> None:
    reader.open(_PAPER, scheme="dark", media="print")
    ground = reader.run("return getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(255, 255, 255)"
    hidden = reader.find(".controls, nav, a.download, .chart svg")
    assert hidden and not any(each.is_displayed() for each in hidden)
    drawings = reader.find(".chart img")
    assert len(drawings) == 4 and all(each.is_displayed() for each in drawings)
    unbroken = reader.run(_UNBROKEN)
    print("may not be broken:", sorted(unbroken, key=lambda each: -each[1])[:5])
    assert max(height for _, height in unbroken) < 0.43 * _PAPER[1]
    picture = reader.screenshot("report-paper")
    height = reader.run("return document.documentElement.scrollHeight")
    pages = len(re.findall(rb"/Type\s*/Page\b", reader.printed()))
    print(f"{height} pixels on {pages} pages of {_PAPER[1]}")
    assert 1 <= pages <= 1.5 * height / _PAPER[1] + 1
    _look_at_what_was_there("report-paper", reader.inked(picture, 32))


def test_without_javascript_the_figures_are_there(reader: Reader) -> None:
    reader.open(script=False)
    images = reader.find(".chart img")
    widths = [image.size["width"] for image in images]
    print("widths of the drawings:", widths)
    assert len(images) == 4 and all(width > 200 for width in widths)
    assert not any(each.is_displayed() for each in reader.find(".controls"))


_PANELS = """{
  "base": "improved", "set": {"run.cycles": 300, "run.warmup": 100},
  "axes": {"network.processing_elements": [4, 64], "network.queue_type": ["A", "B"]},
  "figures": [{"kind": "latency", "name": "panels", "panels": "network.queue_type"}]
}"""


def test_panels_are_switched_and_fit_a_phone(
    chromium: webdriver.Chrome, simulate: Callable[[str, Path], Store], tmp_path: Path
) -> None:
    store = simulate(_PANELS, tmp_path / "panels.sweep")
    sample.report(store)
    reader = Reader(chromium, store.report_file)
    reader.open(_PHONE)
    (figure,) = reader.figures()
    assert reader.run("return document.documentElement.scrollWidth") == _PHONE[0]
    texts = figure.find_element(By.CSS_SELECTOR, ".chart svg").text
    assert "Queue type A" in texts and "Queue type B" in texts
    before = reader.run(_MARKS, figure)
    figure.find_elements(By.CSS_SELECTOR, "input[name=shown_panel]")[0].click()
    reader.redrawn()
    texts = figure.find_element(By.CSS_SELECTOR, ".chart svg").text
    print(before, "marks, then", reader.run(_MARKS, figure))
    assert "Queue type A" not in texts and "Queue type B" in texts
    assert 0 < reader.run(_MARKS, figure) < before
    assert reader.errors() == []
