# SPDX-License-Identifier: Apache-2.0
"""The JSON schema that `tributary-explore schema` prints, against sweep files."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tributary_explore.new import new_sweep
from tributary_explore.simulator import Simulator
from tributary_explore.sweep_file import packaged_sweeps, parse_json5, parse_sweep
from tributary_explore.sweep_schema import sweep_schema


@pytest.fixture(scope="module")
def validator(simulator: Simulator) -> Any:
    return jsonschema.Draft202012Validator(sweep_schema(simulator))


def test_it_is_a_schema(validator: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(validator.schema)


def test_every_packaged_sweep_fits(validator: Any) -> None:
    for file in packaged_sweeps().values():
        document = parse_json5(file.read_text())
        assert [each.message for each in validator.iter_errors(document)] == [], file


@pytest.mark.parametrize("platform", ["ultracomputer", "flash"])
def test_what_new_writes_fits(validator: Any, simulator: Simulator, platform: str) -> None:
    assert list(validator.iter_errors(parse_json5(new_sweep(simulator, platform)))) == []


def test_every_key_fits(validator: Any) -> None:
    experiment = {
        "base": "mine.json",
        "title": "t",
        "series": ["a"],
        "axes": {
            "network.slots": {"from": 2, "to": 8, "times": 2},
            "node.inbox.select_cycles": [1],
        },
        "set": {"run.until": "steady", "run.half_width": 0.1},
        "seeds": "1, 4,7..9,11-12",
        "statistics": ["interface.*"],
        "figures": [
            {"kind": "curves", "x": "network.slots", "y": {"a": "b / c"}, "at": {"nodes": 2}},
            {"kind": "load", "panels": None, "scale": "log"},
        ],
    }
    for fitting in (
        {"$schema": "sweep.schema.json", **experiment, "seeds": 3},
        {"include": ["paper", "mine.json"], "experiments": {"a": experiment}, "seeds": "1"},
    ):
        assert [each.message for each in validator.iter_errors(fitting)] == []


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"bas": "improved"},
        {"base": "improved", "experiments": {}},
        {"include": ["paper"], "figures": []},
        {"experiments": {"a": {"base": "improved", "include": ["paper"]}}},
        {"base": "improved", "axes": {"network.slotz": [1]}},
        {"base": "improved", "axes": {"network.slots": []}},
        {"base": "improved", "axes": {"network.slots": [0]}},
        {"base": "improved", "axes": {"network.slots": {"from": 1, "to": 2}}},
        {"base": "improved", "axes": {"network.slots": {"from": 1, "to": 2, "by": 1}}},
        {"base": "improved", "set": {"run.until": "stedy"}},
        {"base": "improved", "set": {"addresses.regions": []}},
        {"base": "improved", "seeds": "1 to 5"},
        {"base": "improved", "figures": [{"x": "network.slots"}]},
        {"base": "improved", "figures": [{"kind": "curves", "x": "network.slots"}]},
        {"base": "improved", "figures": [{"kind": "combining", "x": "network.slots"}]},
        {"base": "improved", "figures": [{"kind": "latency", "scale": "logarithmic"}]},
    ],
)
def test_what_is_refused_does_not_fit(validator: Any, wrong: dict[str, Any]) -> None:
    assert not validator.is_valid(wrong)


def test_a_sweep_file_may_name_it(explore: Any, tmp_path: Path) -> None:
    printed = json.loads(explore("schema").stdout)
    assert printed["properties"]["axes"]["description"]
    text = '{"$schema": "s.json", "base": "improved", "axes": {"network.slots": [2]}}'
    assert parse_sweep(text, Path("my.json")).experiments[0].name == "my"
    (tmp_path / "my.json").write_text(text)
    (tmp_path / "other.json").write_text('{"include": ["my.json"]}')
    assert explore("plan", "other.json").returncode == 0
