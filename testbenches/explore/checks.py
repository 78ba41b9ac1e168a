# SPDX-License-Identifier: Apache-2.0
"""What tests ask of figures, and of what is refused; and which of them are long."""

import copy
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tributary_explore import figures
from tributary_explore.errors import ExploreError
from tributary_explore.figures.figure import Figure
from tributary_explore.published_file import SCHEMA, Published, parse_published
from tributary_explore.results import Results
from tributary_explore.simulator import Simulator
from tributary_explore.sweep_file import Sweep

FULL = bool(os.environ.get("TRIBUTARY_FULL"))
"""Whether the long forms are run too, which ./dev test --full asks for."""
full = pytest.mark.skipif(not FULL, reason="a long form, of ./dev test --full")


def refusal(call: Callable[..., object], *arguments: Any) -> str:
    """The message of the error that a call raises."""
    with pytest.raises(ExploreError) as refused:
        call(*arguments)
    print(refused.value)
    return str(refused.value)


def published(
    numbers: Mapping[str, Any], conditions: Mapping[str, Any] | None = None
) -> list[Published]:
    """The numbers of a published.json."""
    document = {"schema": SCHEMA, "numbers": numbers, "conditions": conditions or {}}
    return list(parse_published(document, Path("published.json")))


def draw_all(sweep: Sweep, results: Results, simulator: Simulator) -> Mapping[str, Figure]:
    """The figures of a sweep by name."""
    drawn = [
        figures.make(wanted, experiment, results, simulator)
        for experiment in sweep.experiments
        for wanted in experiment.figures
    ]
    return {each.name: each for each in drawn}


def data_rows(figure: Figure) -> list[dict[str, Any]]:
    """All rows of data inside a chart, each once."""
    return [row for values in figure.specification().get("datasets", {}).values() for row in values]


def point_rows(figure: Figure) -> list[dict[str, Any]]:
    """Those of measured points."""
    return [row for row in data_rows(figure) if "seeds" in row]


def published_rows(figure: Figure) -> list[dict[str, Any]]:
    """Those of published values."""
    return [row for row in data_rows(figure) if row.get("mark") == "published value"]


def with_shown(
    specification: dict[str, Any], parameter: str, shown: tuple[str, ...]
) -> dict[str, Any]:
    """The specification after a reader's switch."""
    changed = copy.deepcopy(specification)
    for each in changed["params"]:
        if each["name"] == parameter:
            each["value"] = list(shown)
    return changed
