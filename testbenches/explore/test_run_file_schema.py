# SPDX-License-Identifier: Apache-2.0
"""The JSON schema that `tributary describe --schema` prints, against run files."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

PLATFORMS = Path(__file__).parents[2] / "platforms"
PRESETS = sorted(PLATFORMS.glob("*/presets/*.json"))


def schema(platform: str) -> Any:
    command = [os.environ["TRIBUTARY_PROGRAM"], "describe", platform, "--schema"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.fixture(scope="module")
def validators() -> dict[str, Any]:
    found = {name: schema(name) for name in {preset.parents[1].name for preset in PRESETS}}
    for each in found.values():
        jsonschema.Draft202012Validator.check_schema(each)
    return {name: jsonschema.Draft202012Validator(each) for name, each in found.items()}


@pytest.mark.parametrize("preset", PRESETS, ids=lambda path: path.stem)
def test_every_preset_fits(validators: dict[str, Any], preset: Path) -> None:
    validator = validators[preset.parents[1].name]
    assert list(validator.iter_errors(json.loads(preset.read_text()))) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"rum": {}},
        {"run": {"cycels": 1}},
        {"run.cycles": -1},
        {"run": {"cycles": 0}},
        {"run": {"cycles": "100"}},
        {"run": {"half_width": "0x1"}},
        {"interface.outstanding": 1025},
        {"run": {"until": "stedy"}},
        {"vary": {"run.cycles": 5}},
        {"series": [{"extends": "improved"}]},
        {"workload": {"traffic": {"operations": [{"wait": 1}]}}},
    ],
)
def test_what_the_program_refuses_does_not_fit(
    validators: dict[str, Any], wrong: dict[str, Any]
) -> None:
    assert not validators["ultracomputer"].is_valid(wrong)


def test_nested_and_dotted_names_fit(validators: dict[str, Any]) -> None:
    fitting = {
        "extends": "improved",
        "run": {"until": "steady", "half_width": 0.1, "cycles": "0x200"},
        "workload": {"traffic.hot_spot": 1, "traffic": {"operations": [{"weight": 2}]}},
        "vary": {"interface.outstanding": [1, 1024]},
    }
    assert list(validators["ultracomputer"].iter_errors(fitting)) == []


def test_editors_show_what_a_key_means(validators: dict[str, Any]) -> None:
    known = validators["ultracomputer"].schema
    assert known["properties"]["network"]["description"]
    for name, each in known["$defs"].items():
        assert each["description"], name
