# SPDX-License-Identifier: Apache-2.0
"""Run files, as the simulator has them: parameters nested or dotted, and `series`."""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.errors import ToolError

from .parameters import PLATFORM, Configuration, Value, check_together, defaults, parameter

_KEYS = ("platform", "title", "description", "series")


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
    own, varied = _own(document, source), dict[str, list[Value]]()
    for each in sets:
        name, values = _of_set(each)
        own.pop(name, None)
        varied[name] = values
    points = []
    for name, of_series in _series(document, series, source):
        for combination in itertools.product(*varied.values()):
            set_values = dict(zip(varied, combination, strict=True))
            configuration = defaults() | own | of_series | set_values
            check_together(configuration, source)
            points.append(Point(name, configuration))
    return RunFile(document.get("title", path.stem), points)


def _parsed(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
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
    rest = {key: value for key, value in document.items() if key not in but}
    return {name: parameter(name, source).checked(value, source) for name, value in _flat(rest)}


def _flat(document: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in document.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _of_set(written: str) -> tuple[str, list[Value]]:
    """The parameter of a --set, and its values."""
    name, equals, text = written.partition("=")
    if not equals:
        raise ToolError(f"--set {written}: write NAME=VALUE, or NAME=[VALUE,VALUE]")
    known = parameter(name, "--set")
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = text  # a text needs no quotes
    values = value if isinstance(value, list) else [value]
    checked = [known.checked(each, "--set") for each in values]
    if not checked or len(set(checked)) != len(checked):
        raise ToolError(f"--set {written}: write one value or more, each once")
    return name, checked


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
