# SPDX-License-Identifier: Apache-2.0
"""The faults, and a copy of the tree that holds all of them, each behind a question.

A fault is an expression or a statement of models/ and another that stands for a mistake. In the
copy both are there, and the environment variable TRIBUTARY_FAULT says which fault, if any, is
taken: one build serves all of them.
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from common.errors import ToolError

FAULTS = Path(__file__).with_name("faults.toml")
# Compiled before every source of the copy.
QUESTION = """#pragma once
#include <cstdlib>
inline bool tributary_fault(int number) {
  static const int chosen = [] {
    const char* const text = std::getenv("TRIBUTARY_FAULT");
    return text == nullptr ? -1 : std::atoi(text);
  }();
  return chosen == number;
}
"""


@dataclass(frozen=True)
class Fault:
    """One mistake that somebody could make."""

    number: int
    file: str
    """Below models/tributary."""
    name: str
    code: str
    """Stands once in the file."""
    mistake: str
    tests: str
    """Regular expression of the tests of the file's area."""
    ways: bool = False
    """Whether it breaks coherence, for which there are ways to look."""
    ruling: str = ""
    """The ruling that it breaks, of those in ways.py, or nothing."""

    @property
    def own_tests(self) -> str:
        """Regular expression of the tests that are called as the file is; of those of `sim` some
        begin with "base"."""
        return f"^(base_)?{Path(self.file).stem}_test[.]"

    def placed(self) -> str:
        """What stands in the copy instead of the code."""
        if self.code.endswith((";", "}")):
            return (
                f"if (::tributary_fault({self.number})) {{ {self.mistake} }} else {{ {self.code} }}"
            )
        return f"(::tributary_fault({self.number}) ? ({self.mistake}) : ({self.code}))"


def is_whole(code: str) -> bool:
    """Whether it may be an expression or a statement: every bracket closes, and something follows a
    condition."""
    if code.startswith("if ") and not code.endswith((";", "}")):
        return False
    opened: list[str] = []
    for bracket in re.sub(r'"[^"]*"', "", code):
        if bracket in "([{":
            opened.append(")]}"["([{".index(bracket)])
        elif bracket in ")]}" and (not opened or opened.pop() != bracket):
            return False
    return not opened


def read_faults(path: Path = FAULTS) -> list[Fault]:
    """In the order of the file. Raises `ToolError` for two of one name, for half an expression, for
    a declaration, and for keys that are missing or not known."""
    with path.open("rb") as file:
        areas = tomllib.load(file).get("area", [])
    if not areas:
        raise ToolError(f"{path.name} has no area")
    faults: list[Fault] = []
    for area in areas:
        of_area = {key: area[key] for key in area if key != "fault"}
        if "fault" not in area:
            raise ToolError(f"{path.name}: the area of {area.get('file')} has no key 'fault'")
        for each in area["fault"]:
            try:
                faults.append(Fault(len(faults), **of_area, **each))
            except TypeError as problem:
                raise ToolError(
                    f"{path.name}: {area.get('file')}: '{each.get('name')}' or its area has other "
                    f"keys: {problem}"
                ) from problem
            if not (is_whole(each["code"]) and is_whole(each["mistake"])):
                raise ToolError(f"{each['name']}: code and mistake must close what they open")
            if re.match(r"(const|constexpr|auto)\b", each["code"]):
                raise ToolError(
                    f"{each['name']}: what the code declares would end with the braces around it"
                )
    names = {(fault.file, fault.name) for fault in faults}
    if len(names) != len(faults):
        raise ToolError(f"{path.name}: two faults of a file have one name")
    return faults


def with_faults(text: str, faults: Iterable[Fault]) -> str:
    """The text of a file with all of these in it. Raises `ToolError` for code that is not there
    once, or overlaps another's."""
    places = []
    for fault in faults:
        if text.count(fault.code) != 1:
            raise ToolError(
                f"{fault.file}: '{fault.name}' names code that stands there "
                f"{text.count(fault.code)} times, not once: {fault.code}"
            )
        places.append((text.index(fault.code), fault))
    end = len(text)
    for start, fault in sorted(places, key=lambda place: place[0], reverse=True):
        if start + len(fault.code) > end:
            raise ToolError(f"{fault.file}: '{fault.name}' overlaps the fault behind it")
        text = text[:start] + fault.placed() + text[start + len(fault.code) :]
        end = start
    return text


def fitted(tree: Path, faults: Iterable[Fault]) -> dict[Path, str]:
    """The files of a tree that have faults, with all of them in. Raises `ToolError`."""
    by_file: dict[str, list[Fault]] = {}
    for fault in faults:
        by_file.setdefault(fault.file, []).append(fault)
    texts = {}
    for name, of_file in by_file.items():
        path = tree / "models" / "tributary" / name
        if not path.is_file():
            raise ToolError(f"{name}: there is no such file; '{of_file[0].name}' is of it")
        texts[path] = with_faults(path.read_text(encoding="utf-8"), of_file)
    return texts
