# SPDX-License-Identifier: Apache-2.0
"""The report of a sweep: one HTML page that needs no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from . import text
from .engine import ended
from .errors import ExploreError
from .figures import make_all
from .figures.figure import Figure, Undrawn
from .files import write_whole
from .measurements import read_measurements
from .published_file import Published, read_published
from .report_page import make_page
from .results import Results
from .simulator import Simulator
from .store import Store

_TEMPLATES = Path(__file__).parent / "templates"


def write_report(
    store: Store,
    results: Results | None,
    path: Path,
    command: str,
    published: Path | None = None,
    figures: Sequence[Figure | Undrawn] | None = None,
) -> Path:
    """Writes the page of a sweep's folder to `path`, whole or not at all, and returns `path`.

    `results` is None while no point has a result. `command` is what makes the report. The
    published numbers are those of `published`, of the simulator that is found if it is None;
    without any the page says so. `figures` are the sweep's, if they have been drawn already. The
    same folder and command give the same bytes. Raises `ExploreError` if the folder holds no sweep
    or the page cannot be written.
    """
    measurements = read_measurements(store, results)
    numbers, reason = _published(published, measurements.platforms)
    if figures is None:
        figures = [] if results is None else make_all(store.sweep(), results)
    page = make_page(store, figures, measurements, numbers, reason, command, path.parent)
    write_whole(path, render(page))
    return path


def render(page: Mapping[str, Any]) -> str:
    """The page's HTML. All text in `page` is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {each.__name__: each for each in _FILTERS}
    return environment.get_template("report.html").render(
        page=page,
        css=(_TEMPLATES / "report.css").read_text(),
        script=(_TEMPLATES / "report.js").read_text(),
        vega=_vega() if any(each["specification"] for each in page["figures"]) else "",
        vega_licence=(_TEMPLATES / "vega_licence.txt").read_text(),
    )


def breakable(path: str) -> Markup:
    """A dotted name that may be broken after its dots, and nowhere else."""
    return Markup(".<wbr>").join(path.split("."))


def file_hash(file: str) -> str:
    """Digits of the hash that a point's folder is named by: enough to tell any two apart."""
    return Path(file).parent.name[:12]


_FILTERS = (
    ended,
    breakable,
    file_hash,
    text.duration_text,
    text.percent_text,
    text.published_text,
    text.seeds_text,
    text.time_text,
)


def _published(file: Path | None, platforms: Sequence[str]) -> tuple[tuple[Published, ...], str]:
    """The published numbers of what was simulated, or why there are none."""
    try:
        if file is not None:
            return read_published([file]), ""
        simulator = Simulator.find()
        return read_published(simulator.published_files(platforms or simulator.platforms[:1])), ""
    except ExploreError as problem:
        return (), str(problem)


@cache
def _vega() -> str:
    """Vega, Vega-Lite and Vega-Embed for a script element."""
    import vl_convert  # takes a second to make the bundle

    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    # Either would end or confuse the element; both can stand in texts only, where the backslash
    # changes nothing.
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")
