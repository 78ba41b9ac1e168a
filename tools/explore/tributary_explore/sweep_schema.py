# SPDX-License-Identifier: Apache-2.0
"""A JSON schema (draft 2020-12) of sweep files, for editors.

Parameters are as the simulator describes them. What depends on points, such as the parameters that
a figure may show, is checked by `plan` and `run` only.
"""

from typing import Any, Final

from .figures.request import COMMON_KEYS, KINDS, SCALES
from .simulator import Simulator
from .sweep_file import packaged_sweeps

_Schema = dict[str, Any]

_TEXT: Final = {"type": "string"}
_TEXTS: Final = {"type": "array", "items": _TEXT}
_NUMBER: Final = {"type": "number"}
_SEED: Final = r"\d+((\.\.|-)\d+)?"
# Keys of figures by what they are; of those that name one parameter or statistic, text.
_FIGURE_KEYS: Final[dict[str, _Schema]] = {
    "at": {"type": "object", "description": "Values of what varies and is on no axis."},
    "y": {"anyOf": [_TEXT, {"type": "object", "additionalProperties": _TEXT, "minProperties": 1}]},
    "panels": {"type": ["string", "null"]},
    "panel_titles": {"type": ["object", "null"], "additionalProperties": _TEXT},
    "axis": {"type": ["string", "null"]},
    "scale": {"enum": list(SCALES)},
    "published": {"type": "boolean"},
    "key": {"type": "boolean", "description": "Whether it answers the sweep's question."},
    "seed": {"type": ["integer", "null"]},
}


def sweep_schema(simulator: Simulator) -> _Schema:
    """The schema, with the parameters of every platform of the simulator.

    Raises `ExploreError` for a simulator that describes no run files.
    """
    parameters = _parameters(simulator)
    references = {name: {"$ref": f"#/$defs/{name}"} for name in parameters}
    experiment = _experiment(references, list(simulator.presets))
    several = dict.fromkeys(("base", "series", "figures"), False)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Sweep file of tributary-explore",
        **_object(
            {
                "$schema": _described("This schema, for editors.", _TEXT),
                **experiment,
                "experiments": _described(
                    "Several experiments by name.",
                    {"type": "object", "additionalProperties": _object(experiment)},
                ),
                "include": _described(
                    "Sweeps whose experiments this one has too: packaged ones, or files.",
                    {"type": "array", "items": _either(list(packaged_sweeps()))},
                ),
            }
        ),
        "anyOf": [{"required": [key]} for key in ("base", "experiments", "include")],
        "dependentSchemas": {key: {"properties": several} for key in ("experiments", "include")},
        "$defs": {**parameters, "range": _range()},
    }


def _parameters(simulator: Simulator) -> dict[str, _Schema]:
    """Each parameter by dotted name, but lists, which a sweep file cannot give."""
    found: dict[str, list[_Schema]] = {}
    for platform in simulator.platforms:
        for name, each in simulator.run_file_schema(platform)["$defs"].items():
            if each.get("type") != "array" and each not in found.setdefault(name, []):
                found[name].append(each)
    return {
        name: kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
        for name, kinds in found.items()
        if kinds
    }


def _experiment(references: dict[str, _Schema], presets: list[str]) -> _Schema:
    """The keys of an experiment."""
    axes = {
        name: {
            "anyOf": [
                {"type": "array", "items": each, "minItems": 1, "uniqueItems": True},
                {"$ref": "#/$defs/range"},
            ]
        }
        for name, each in references.items()
    }
    return {
        "title": _described("Shown by the report.", _TEXT),
        "description": _described("Shown by the report.", _TEXT),
        "base": _described(
            "Preset, or run file relative to the sweep file, that every point begins with.",
            _either(presets),
        ),
        "series": _described("Only these series of the base.", _TEXTS),
        "axes": _described("Parameters with their values; all combinations run.", _object(axes)),
        "set": _described("Parameters that are the same in all points.", _object(references)),
        "seeds": _described(
            'Every point runs with each: "1..5" or "1,4,7..9".',
            {
                "type": ["string", "integer"],
                "pattern": rf"^\s*{_SEED}\s*(,\s*{_SEED}\s*)*$",
                "minimum": 0,
            },
        ),
        "statistics": _described("Flat paths that the table has, * for any name.", _TEXTS),
        "figures": _described(
            "What the report draws.",
            {"type": "array", "items": {"anyOf": [_figure(kind) for kind in KINDS]}},
        ),
    }


def _figure(kind: str) -> _Schema:
    keys = {key: _FIGURE_KEYS.get(key, _TEXT) for key in (*COMMON_KEYS, *KINDS[kind].defaults)}
    of_kind = _described(KINDS[kind].description, {"const": kind})
    return {**_object({**keys, "kind": of_kind}), "required": ["kind", *KINDS[kind].needed]}


def _range() -> _Schema:
    """A range of an axis: from, to, and one way to get there."""
    ways = {
        "step": _described("Added each time.", _NUMBER),
        "times": _described("A factor above 1.", {**_NUMBER, "exclusiveMinimum": 1}),
        "count": _described("How many values.", {"type": "integer", "minimum": 2}),
    }
    return {
        **_object({"from": _NUMBER, "to": _NUMBER, **ways}),
        "required": ["from", "to"],
        "oneOf": [{"required": [way]} for way in ways],
    }


def _either(names: list[str]) -> _Schema:
    """Text, of which an editor offers some."""
    return {"anyOf": [{"enum": names}, _TEXT]}


def _described(text: str, schema: _Schema) -> _Schema:
    return {"description": text, **schema}


def _object(properties: _Schema) -> _Schema:
    """An object that has no other members."""
    return {"type": "object", "properties": properties, "additionalProperties": False}
