# SPDX-License-Identifier: Apache-2.0
"""What a sweep file says, and what is refused in one."""

from pathlib import Path
from typing import Any

import json5
import pytest
from checks import refusal

from tributary_explore.sweep_file import (
    Sweep,
    load_sweep,
    packaged_sweeps,
    parse_json5,
    parse_seeds,
    parse_sweep,
)

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
    ("written", "value"),
    [
        ('{"a": "//b", /* "c": 1, */ "d": ["/*", "*/"]} // "e"', {"a": "//b", "d": ["/*", "*/"]}),
        (r'["\\", /* " */ "\"//" /* " */]', ["\\", '"//']),
        ("[1, // one\r2]", [1, 2]),
        ("{a: 'b\"//', c: [0x10,], \"d'\": .5}", {"a": 'b"//', "c": [16], "d'": 0.5}),
        ("'//' // /*", "//"),
        ('["a,]", [1,], {"b": ",}",}, // last\n]', ["a,]", [1], {"b": ",}"}]),
        ('["a" , /* space */ ]', ["a"]),
        ('["a\\\nb"]', ["ab"]),
    ],
)
def test_what_is_json_but_for_comments_and_what_is_not(written: str, value: Any) -> None:
    assert parse_json5(written) == value == json5.loads(written)


@pytest.mark.parametrize(
    "written", ['{"a": 1, "a": 2}', "[1/**/2]", '["a\n"]', "[1, /* ]", '["//]', "[,]", "[1,,]"]
)
def test_what_is_no_json5(written: str) -> None:
    with pytest.raises(ValueError):
        parse_json5(written)


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


def test_experiments_have_the_axes_above_them() -> None:
    text = """{
      "axes": {"network.slots": [2, 4], "network.order": ["oldest", "ordered"]},
      "experiments": {
        "a": {"base": "improved"},
        "b": {"base": "improved", "axes": {"network.slots": [8]},
              "set": {"network.order": "oldest"}}
      }
    }"""
    first, second = parse_sweep(text, FILE).experiments
    assert first.axes == {"network.slots": (2, 4), "network.order": ("oldest", "ordered")}
    assert (second.axes, second.fixed) == ({"network.slots": (8,)}, {"network.order": "oldest"})


# --- sweeps that include others -------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sweeps to include: `one.json` of one experiment, `two.json` of two."""
    (tmp_path / "machine.json").write_text("{}")
    (tmp_path / "one.json").write_text(
        """{ // a comment
        "title": "One", "base": "machine.json", "seeds": "1..3", "statistics": ["memory"],
        "axes": {"network.slots": [2, 4]}, "set": {"run.cycles": 10, "run.warmup": 5},
        "figures": [{"kind": "latency"}] }"""
    )
    (tmp_path / "two.json").write_text(
        """{"set": {"run.cycles": 30}, "experiments": {
        "a": {"base": "improved"}, "b": {"base": "baseline", "seeds": "7"}}}"""
    )
    return tmp_path


def included(folder: Path, text: str) -> Sweep:
    (folder / "all.json").write_text(text)
    return load_sweep(folder / "all.json")


def test_included_sweeps_have_their_experiments_as_they_are(folder: Path) -> None:
    sweep = included(folder, '{"title": "All", "include": ["one.json", "two.json"]}')
    one, a, b = sweep.experiments
    (alone,) = load_sweep(folder / "one.json").experiments
    assert (sweep.name, sweep.title) == ("all", "All")
    assert one == alone
    assert one.base == str(folder / "machine.json")
    assert (a, b) == load_sweep(folder / "two.json").experiments


def test_what_stands_beside_an_include_is_for_all_of_it(folder: Path) -> None:
    text = """{"include": ["one.json", "two.json"], "seeds": "1..5", "statistics": ["interface"],
      "axes": {"network.slots": [8], "run.cycles": [1, 2]}, "set": {"memory.latency": 38}}"""
    for each in included(folder, text).experiments:
        assert each.seeds == (1, 2, 3, 4, 5)
        assert each.statistics == ("interface",)
        assert each.axes == {"network.slots": (8,), "run.cycles": (1, 2)}
        assert each.fixed.items() >= {"memory.latency": 38}.items()
        assert "run.cycles" not in each.fixed, "it is an axis here"


def test_an_included_experiment_can_be_changed_and_others_added(folder: Path) -> None:
    text = """{"include": ["one.json"], "seeds": "2", "set": {"run.warmup": 7},
      "experiments": {
        "one": {"title": "Other", "set": {"run.cycles": 11}, "axes": {"network.slots": [16]}},
        "new": {"base": "improved", "seeds": "9"}
      }}"""
    one, new = included(folder, text).experiments
    assert (one.name, one.title, one.seeds) == ("one", "Other", (2,))
    assert one.fixed == {"run.cycles": 11, "run.warmup": 7}
    assert one.axes == {"network.slots": (16,)}
    assert len(one.figures) == 1, "what is not said stays"
    assert (new.seeds, new.fixed) == ((9,), {"run.warmup": 7})


def test_the_text_of_an_including_sweep_is_whole(folder: Path) -> None:
    """The folder of a sweep keeps the text, and the included files may change or go."""
    sweep = included(folder, '{"include": ["one.json", "two.json"], "seeds": "1..2"}')
    again = parse_sweep(sweep.text, folder / "elsewhere" / "all.json")
    assert again.experiments == sweep.experiments
    assert "include" not in sweep.text


def test_an_included_sweep_may_include_and_be_packaged(folder: Path) -> None:
    (folder / "inner.json").write_text('{"include": ["two.json", "figure4"], "seeds": "4"}')
    sweep = included(folder, '{"include": ["inner.json"], "set": {"run.cycles": 1}}')
    assert [each.name for each in sweep.experiments] == ["a", "b", "figure4"]
    assert {each.seeds for each in sweep.experiments} == {(4,)}
    assert {each.fixed["run.cycles"] for each in sweep.experiments} == {1}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"include": ["figure44"]}', ["include", "figure44", "did you mean figure4?"]),
        ('{"include": "one.json"}', ["include", "array of texts"]),
        ('{"include": []}', ["experiments", "one experiment or more"]),
        ('{"include": ["one.json", "one.json"]}', ['an experiment "one"', "include one of them"]),
        ('{"include": ["all.json"]}', ["all.json", "do not include this one"]),
        ('{"include": ["round.json"]}', ["round.json", "do not include this one"]),
        ('{"include": ["bad.json"]}', ["bad.json", "bas", "did you mean base?"]),
        ('{"include": ["one.json"], "base": "improved"}', ['"base" and "include"']),
        ('{"include": ["one.json"], "axes": 3}', ["axes", "object"]),
        ('{"include": ["one.json"], "experiments": {"x": {}}}', ["x", '"base" is missing']),
        (
            '{"include": ["one.json"], "experiments": {"ome": {"seeds": "1"}}}',
            ["experiments.ome", '"base" is missing', "did you mean one?", "included: one"],
        ),
        ('{"include": ["one.json"], "experiments": {"one": 3}}', ["experiments.one", "object"]),
    ],
)
def test_an_include_is_refused(folder: Path, text: str, words: list[str]) -> None:
    (folder / "round.json").write_text('{"include": ["all.json"]}')
    (folder / "bad.json").write_text('{"bas": "improved"}')
    message = refusal(included, folder, text)
    missing = [word for word in words if word not in message]
    assert not missing, f"{missing} not in: {message}"


def test_a_run_file_is_found_beside_the_sweep_file(tmp_path: Path) -> None:
    (tmp_path / "machine.json").write_text("{}")
    (tmp_path / "sweep.json").write_text('{"base": "machine.json"}')
    assert load_sweep(tmp_path / "sweep.json").experiments[0].base == str(tmp_path / "machine.json")


def test_seeds() -> None:
    assert parse_seeds("1..3, 7", "x") == (1, 2, 3, 7)
    assert parse_seeds("1-3, 7", "x") == (1, 2, 3, 7)


def test_a_folder_does_not_hide_a_packaged_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("paper").mkdir()
    assert load_sweep("paper") == load_sweep(packaged_sweeps()["paper"])
