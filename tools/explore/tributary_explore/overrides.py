# SPDX-License-Identifier: Apache-2.0
"""Changes to a sweep from the command line: the sweep file as it would have been written."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import json5

from .errors import ExploreError
from .sweep_file import Sweep, parse_json5, parse_sweep


@dataclass(frozen=True)
class Overrides:
    """What the command line says over a sweep file."""

    only: tuple[str, ...] = ()
    """Names of the experiments that are kept; all if empty."""
    seeds: str | None = None
    """In place of the file's seeds, as "1..5"."""
    sets: tuple[str, ...] = ()
    """Each NAME=VALUE; NAME=[VALUE,...] is an axis."""


def overridden(sweep: Sweep, overrides: Overrides) -> Sweep:
    """The sweep with the command line's changes, and with a text that contains them.

    Without changes it is `sweep` itself, comments and all. Raises `ExploreError` for an experiment
    that the file does not have, and for what is wrong in a change.
    """
    if overrides == Overrides():
        return sweep
    for name in overrides.only:
        sweep.experiment(name)
    document = parse_json5(sweep.text)
    if overrides.only and "experiments" in document:
        document["experiments"] = {
            name: each for name, each in document["experiments"].items() if name in overrides.only
        }
    for experiment in document.get("experiments", {"": document}).values():
        if overrides.seeds is not None:
            experiment["seeds"] = overrides.seeds
        for argument in overrides.sets:
            name, value = _name_and_value(argument)
            for place in (document, experiment):
                place.get("set", {}).pop(name, None)
                place.get("axes", {}).pop(name, None)
            kind = "axes" if isinstance(value, list) else "set"
            experiment.setdefault(kind, {})[name] = value
    return parse_sweep(json.dumps(document, indent=2) + "\n", Path(sweep.source))


def _name_and_value(argument: str) -> tuple[str, Any]:
    name, equals, text = argument.partition("=")
    if not (name and equals and text):
        raise ExploreError(
            f"--set {argument}: expected NAME=VALUE, or NAME=[VALUE,...] for an axis"
        )
    try:
        return name, json5.loads(text)
    except ValueError:
        return name, text
