# SPDX-License-Identifier: Apache-2.0
"""Run files, as the simulator has them: parameters nested or dotted, `series` and `vary`."""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.errors import ToolError

from .parameters import PLATFORM, Configuration, Value, check_together, defaults, parameter

_KEYS = ("platform", "title", "description", "series", "vary")
Varied = dict[str, list[Value]]


@dataclass(frozen=True)
class Point:
    """One configuration, with what tells it from the others of its file."""

    series: str
    configuration: Configuration


@dataclass(frozen=True)
class RunFile:
    """A run file, with --set and --series applied."""

    title: str
    points: Sequence[Point]

    @property
    def common(self) -> Configuration:
        """The parameters that are the same in all points."""
        first = self.points[0].configuration
        return {
            name: value
            for name, value in first.items()
            if all(each.configuration[name] == value for each in self.points)
        }


def read_run_file(path: Path, sets: Sequence[str] = (), series: Sequence[str] = ()) -> RunFile:
    """Reads a run file and checks every point. Raises `ToolError`.

    Each of `sets` is NAME=VALUE, with a list as value to vary; `series` are the ones to keep.
    """
    document = _parsed(path)
    source = str(path)
    platform = document.get("platform", PLATFORM)
    if platform != PLATFORM:
        raise ToolError(
            f'{source}: platform: {_text(platform)} is not made here (allowed: "{PLATFORM}"); run '
            "it with the program tributary"
        )
    for key in ("title", "description"):
        if not isinstance(document.get(key, ""), str):
            raise ToolError(f"{source}: {key}: {_text(document[key])} is no text; write one")
    own = _own(document, source)
    varied = _varied(document.get("vary", {}), source)
    for each in sets:
        name, value = _of_set(each)
        own.pop(name, None)
        varied.pop(name, None)
        if isinstance(value, list):
            varied[name] = _values(name, value, "--set")
        else:
            own[name] = parameter(name, "--set").checked(value, "--set")
    fixed_by_set = {_of_set(each)[0] for each in sets}
    points = []
    for name, of_series in _series(document, series, source):
        for combination in itertools.product(*varied.values()):
            configuration = defaults() | own
            configuration |= {k: v for k, v in of_series.items() if k not in fixed_by_set}
            configuration |= dict(zip(varied, combination, strict=True))
            check_together(configuration, source)
            points.append(Point(name, configuration))
    return RunFile(document.get("title", path.stem), points)


def _parsed(path: Path) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise ToolError(f"{path}: {name}: stands there twice; delete one")
            found[name] = value
        return found

    try:
        document = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=once)
    except (OSError, UnicodeDecodeError) as problem:
        raise ToolError(
            f"{path} cannot be read: {problem}; give a run file of platform {PLATFORM}"
        ) from problem
    except json.JSONDecodeError as problem:
        raise ToolError(
            f"{path}, line {problem.lineno}, column {problem.colno}: {problem.msg}; mend the JSON "
            "there"
        ) from problem
    if not isinstance(document, dict):
        raise ToolError(f"{path}: a run file is one JSON object, in braces")
    return document


def _own(document: Mapping[str, Any], source: str, but: Sequence[str] = _KEYS) -> Configuration:
    """The parameters in an object, beside the keys that are none."""
    own: Configuration = {}
    rest = {key: value for key, value in document.items() if key not in but}
    for name, value in _flat(rest):
        if name in own:
            raise ToolError(f"{source}: {name}: stands there twice; delete one")
        own[name] = parameter(name, source).checked(value, source)
    return own


def _flat(document: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in document.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _varied(written: Any, source: str) -> Varied:
    if not isinstance(written, dict):
        raise ToolError(
            f"{source}: vary: {_text(written)} is no object; write parameters with arrays of values"
        )
    return {name: _values(name, values, source) for name, values in written.items()}


def _values(name: str, written: Any, source: str) -> list[Value]:
    known = parameter(name, source)
    if not isinstance(written, list) or not written:
        raise ToolError(
            f"{source}: vary: {name}: {_text(written)} is no array of one value or more; write one"
        )
    values = [known.checked(each, source) for each in written]
    if len(set(values)) != len(values):
        raise ToolError(f"{source}: vary: {name}: a value stands there twice; delete one")
    return values


def _of_set(written: str) -> tuple[str, Any]:
    name, equals, text = written.partition("=")
    if not equals:
        raise ToolError(f"--set {written}: write NAME=VALUE, or NAME=[VALUE,VALUE]")
    parameter(name, "--set")
    try:
        return name, json.loads(text)
    except json.JSONDecodeError:
        return name, text  # a text needs no quotes


def _series(
    document: Mapping[str, Any], wanted: Sequence[str], source: str
) -> Iterator[tuple[str, Configuration]]:
    written = document.get("series", [])
    if not isinstance(written, list) or not all(
        isinstance(each, dict) and isinstance(each.get("name"), str) for each in written
    ):
        raise ToolError(f"{source}: series: is no array of objects, each with a name; write it so")
    names = [each["name"] for each in written]
    if len(set(names)) != len(names):
        raise ToolError(f"{source}: series: two have one name; rename one")
    for name in wanted:
        if name not in names:
            raise ToolError(
                f"--series {name}: {source} has no such series (allowed: "
                f"{', '.join(names) or 'none'}); choose one of these"
            )
    if not written:
        yield "", {}
    for each in written:
        if not wanted or each["name"] in wanted:
            where = f"{source}: series {each['name']}"
            yield each["name"], _own(each, where, ("name", "description"))


def _text(value: Any) -> str:
    return json.dumps(value)
