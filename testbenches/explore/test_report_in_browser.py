# SPDX-License-Identifier: Apache-2.0
"""The report in headless Chromium: on a desk, on a phone, in the dark, on paper.

Screenshots are kept in the folder TRIBUTARY_SCREENSHOTS, build/explore/screenshots if it is not
set.
"""

import base64
import json
import os
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
_DESK = (1280, 900)
_PHONE = (390, 844)
_ROOT = Path(__file__).resolve().parents[2]

# The marks of a chart, without axes, legends and grid.
_MARKS = """
return [...arguments[0].querySelectorAll(".chart svg .role-mark > *")]
  .filter(mark => !mark.matches("g") && mark.getAttribute("d") !== "").length
"""
# Contrast of each text with what is behind it, after WCAG 2, for texts that can be seen.
_FAINT_TEXTS = """
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
const faint = [];
let seen = 0;
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const element = texts.currentNode.parentElement;
  if (!texts.currentNode.data.trim() || !element.checkVisibility()) continue;
  if (element.closest("script, style, .unseen, .skip, :disabled")) continue;
  const style = getComputedStyle(element);
  const svg = element.closest("svg");
  const front = luminance(channels(svg ? style.fill : style.color));
  const back = luminance(behind(element));
  const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
  seen += 1;
  // A chart's own labels in a series' colour need 3, as graphics do.
  if (contrast < (svg ? 3 : 4.5)) faint.push([texts.currentNode.data.trim(), contrast]);
}
return [seen, faint];
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

    def screenshot(self, name: str) -> None:
        folder = Path(
            os.environ.get("TRIBUTARY_SCREENSHOTS", _ROOT / "build" / "explore" / "screenshots")
        )
        folder.mkdir(parents=True, exist_ok=True)
        size = self._command("Page.getLayoutMetrics", {})["cssContentSize"]
        whole = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        options = {"format": "png", "captureBeyondViewport": True, "clip": whole}
        image = base64.b64decode(self._command("Page.captureScreenshot", options)["data"])
        (folder / f"{name}.png").write_bytes(image)
        print(f"screenshot {folder / name}.png, {size['width']} x {size['height']}")
        assert len(image) > 10_000

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
    reader.screenshot("report-desk")


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


def test_on_a_phone_nothing_is_wider_than_the_page(reader: Reader) -> None:
    reader.open(_PHONE)
    for details in reader.find("details"):
        reader.run("arguments[0].open = true", details)
    reader.redrawn()
    width = reader.run("return document.documentElement.scrollWidth")
    charts = [chart.size["width"] for chart in reader.find(".chart svg")]
    print("page", width, "charts", charts)
    assert width == _PHONE[0]
    assert len(charts) == 4 and all(200 < each <= _PHONE[0] for each in charts)
    wide = reader.run(
        "return [...document.querySelectorAll('.scroll')]"
        ".filter(box => box.scrollWidth > box.clientWidth).length"
    )
    assert wide > 0, "wide tables scroll inside their own box"
    assert reader.errors() == []
    reader.open(_PHONE)
    reader.screenshot("report-phone")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_stands_out(reader: Reader, scheme: str) -> None:
    reader.open(scheme=scheme)
    for details in reader.find("details"):
        reader.run("arguments[0].open = true", details)
    seen, faint = reader.run(_FAINT_TEXTS)
    print(f"{scheme}: {seen} texts, too faint: {faint}")
    assert seen > 300
    assert faint == []
    ground = reader.run("return getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 27)")
    if scheme == "dark":
        reader.open(scheme=scheme)
        reader.screenshot("report-dark")


def test_on_paper_it_is_light_and_without_controls(reader: Reader) -> None:
    reader.open(scheme="dark", media="print")
    ground = reader.run("return getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(255, 255, 255)"
    assert not any(each.is_displayed() for each in reader.find(".controls, nav, a.download"))
    assert all(each.is_displayed() for each in reader.find(".chart svg"))


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
