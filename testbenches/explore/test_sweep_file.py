# SPDX-License-Identifier: Apache-2.0
"""What a sweep file says, and what is refused in one."""

from pathlib import Path
from typing import Any

import pytest

from tributary_explore.errors import ExploreError
from tributary_explore.sweep_file import load_sweep, packaged_sweeps, parse_seeds, parse_sweep

FILE = Path("there/my.json")


def only_experiment(text: str) -> Any:
    (experiment,) = parse_sweep(text, FILE).experiments
    return experiment


def test_comments_and_defaults() -> None:
    sweep = parse_sweep('{ // of the built machine\n "base": "baseline" }', FILE)
    (experiment,) = sweep.experiments
    assert (sweep.name, sweep.title, experiment.name) == ("my", "my", "my")
    assert (experiment.base, experiment.seeds, experiment.axes) == ("baseline", (1,), {})


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("[4, 8, 64]", (4, 8, 64)),
        ('["A", "B"]', ("A", "B")),
        ('{"from": 4, "to": 64, "times": 2}', (4, 8, 16, 32, 64)),
        ('{"from": 4, "to": 70, "times": 4}', (4, 16, 64)),
        ('{"from": 0.1, "to": 0.5, "step": 0.1}', (0.1, 0.2, 0.3, 0.4, 0.5)),
        ('{"from": 0, "to": 1, "count": 5}', (0, 0.25, 0.5, 0.75, 1)),
        ('{"from": 3, "to": 3, "step": 1}', (3,)),
        ('{"from": 549755813888, "to": 2199023255552, "times": 2}', (2**39, 2**40, 2**41)),
        ('{"from": 1099511627776, "to": 1099511627778, "step": 1}', (2**40, 2**40 + 1, 2**40 + 2)),
        ('{"from": 0, "to": 2199023255552, "count": 3}', (0, 2**40, 2**41)),
        ('{"from": -10, "to": -9.8, "step": 0.1}', (-10, -9.9, -9.8)),
    ],
)
def test_axis(written: str, values: tuple[Any, ...]) -> None:
    experiment = only_experiment(f'{{"base": "improved", "axes": {{"a.b": {written}}}}}')
    assert experiment.axes["a.b"] == values
    assert [type(each) for each in experiment.axes["a.b"]] == [type(each) for each in values]


def test_experiments_share_what_stands_above_them() -> None:
    text = """{
      "seeds": "1..3", "set": {"run.cycles": 500, "run.warmup": 100},
      "experiments": {
        "a": {"base": "improved"},
        "b": {"base": "baseline", "seeds": 7, "set": {"run.cycles": 900}}
      }
    }"""
    first, second = parse_sweep(text, FILE).experiments
    assert first.seeds == (1, 2, 3)
    assert first.fixed == {"run.cycles": 500, "run.warmup": 100}
    assert second.seeds == (7,)
    assert second.fixed == {"run.cycles": 900, "run.warmup": 100}


def test_a_run_file_is_found_beside_the_sweep_file(tmp_path: Path) -> None:
    (tmp_path / "machine.json").write_text("{}")
    (tmp_path / "sweep.json").write_text('{"base": "machine.json"}')
    assert load_sweep(tmp_path / "sweep.json").experiments[0].base == str(tmp_path / "machine.json")


def test_seeds() -> None:
    assert parse_seeds("1..3, 7", "x") == (1, 2, 3, 7)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"base": "improved",\n "axes" {}}', ["my.json", "line 2, column 9"]),
        ('{"base": "a", "base": "b"}', ["my.json", "base", "uplicate"]),
        ("[]", ["my.json", "object"]),
        ("{}", ["my.json", '"base" is missing', "preset"]),
        ('{"bas": "improved"}', ['"bas"', "did you mean base", "allowed"]),
        ('{"base": 3}', ["base", "text"]),
        ('{"base": "a", "axes": []}', ["axes", "object"]),
        ('{"base": "a", "axes": {"x": []}}', ["axes.x", "empty axis", "one value or more"]),
        ('{"base": "a", "axes": {"x": 4}}', ["axes.x", "4", "list of values"]),
        ('{"base": "a", "axes": {"x": [4, 4]}}', ["axes.x", "4 twice"]),
        ('{"base": "a", "axes": {"x": {"from": 1, "to": 2}}}', ["axes.x", "step"]),
        ('{"base": "a", "axes": {"x": {"from": 3, "to": 2, "step": 1}}}', ["axes.x", '"to"']),
        ('{"base": "a", "axes": {"x": {"from": 0, "to": 2, "times": 2}}}', ["axes.x", "above 0"]),
        ('{"base": "a", "axes": {"x": {"from": 0, "to": 2, "step": 0}}}', ["axes.x", "step"]),
        ('{"base": "a", "axes": {"x": {"from": 0, "to": 2, "step": 1e-9}}}', ["million"]),
        ('{"base": "a", "axes": {"x": {"from": 1, "to": 1e999, "step": 1}}}', ["x", "finite"]),
        (
            f'{{"base": "a", "axes": {{"x": {{"from": 1, "to": 1{"0" * 400}, "step": 1}}}}}}',
            ["2^64"],
        ),
        ('{"base": "a", "axes": {"x": [1]}, "set": {"x": 1}}', ["x", "axes", "set"]),
        ('{"base": "a", "seeds": "5..1"}', ["seeds", "5..1", "ascending"]),
        ('{"base": "a", "seeds": "1,1"}', ["seeds", "once"]),
        ('{"base": "a", "seeds": true}', ["seeds", "1..5"]),
        ('{"base": "a", "statistics": "x"}', ["statistics", "array"]),
        ('{"base": "a", "figures": [1]}', ["figures", "objects"]),
        ('{"base": "a", "experiments": {}}', ["base", "beside", "experiments"]),
        ('{"experiments": {}}', ["experiments", "one experiment or more"]),
        ('{"experiments": {"e": {"bas": "a"}}}', ["experiments.e", "bas"]),
        ('{"experiments": {"": {"base": "a"}}}', ["experiments", 'the name ""', "letter"]),
        ('{"experiments": {"../": {"base": "a"}}}', ["experiments", "letter"]),
        (f'{{"base": "a", "axes": {"[" * 5000}{"]" * 5000}}}', ["my.json", "nested too deep"]),
    ],
)
def test_refused(text: str, words: list[str]) -> None:
    with pytest.raises(ExploreError) as raised:
        parse_sweep(text, FILE)
    missing = [word for word in words if word not in str(raised.value)]
    assert not missing, f"{missing} not in: {raised.value}"


def test_neither_a_file_nor_packaged() -> None:
    with pytest.raises(ExploreError, match="neither a file nor a packaged sweep"):
        load_sweep("figure44x")


def test_a_folder_does_not_hide_a_packaged_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("paper").mkdir()
    assert load_sweep("paper") == load_sweep(packaged_sweeps()["paper"])


def test_every_packaged_sweep_is_read() -> None:
    names = packaged_sweeps()
    assert names, "no packaged sweeps"
    for name in names:
        assert load_sweep(name).experiments, name
