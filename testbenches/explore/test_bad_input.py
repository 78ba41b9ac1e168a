# SPDX-License-Identifier: Apache-2.0
"""Everything that can be wrong with what a user gives.

Each is one line that says what, where and what to do, with the right exit status, found before
anything runs and with nothing left behind.
"""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Explore

from tributary_explore import cli
from tributary_explore.store import Store

SWEEP = {
    "base": "improved",
    "axes": {"network.processing_elements": [4, 8]},
    "set": {"run.cycles": 400, "run.warmup": 100},
    "seeds": "1..2",
}


def write_sweep(folder: Path, **changes: Any) -> None:
    (folder / "bad.json").write_text(json.dumps({**SWEEP, **changes}))


def expect_refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """One line on stderr with these words, and the status of wrong input."""
    assert done.returncode == cli.WRONG_INPUT
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("tributary-explore: ")
    for each in words:
        assert each in line


def results_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("points/*/*/results.json"))


def of_axis(written: str) -> str:
    """The text of a sweep with one axis."""
    return f'{{"base": "improved", "axes": {{"network.slots": {written}}}}}'


MALFORMED = [
    ('{\n  "base": "improved",\n  "seeds" "1"\n}', ["line 3, column 11"]),
    ('{"base": "improved"', ["line 1"]),
    ("", []),
    ("[1, 2]", ["one JSON object"]),
    ('{"base": "improved", "base": "baseline"}', ["base", "uplicate"]),
    ("{}", ['"base" is missing', "preset"]),
    ('{"base": "a\\u0000b"}', ["base", "NUL"]),
    ('{"base": "improved", "axis": {}}', ['"axis"', "did you mean axes?", "allowed"]),
    ('{"base": 3}', ["base", "a text"]),
    ('{"base": "a", "axes": []}', ["axes", "object"]),
    ('{"base": "a", "statistics": "x"}', ["statistics", "array"]),
    ('{"base": "a", "figures": [1]}', ["figures", "objects"]),
    ('{"base": "a", "seeds": "5..1"}', ["seeds", "5..1", "ascending"]),
    ('{"base": "a", "seeds": "1,1"}', ["seeds", "each seed once"]),
    ('{"base": "a", "seeds": true}', ["seeds", "1..5"]),
    ('{"base": "a", "axes": {"x": [1]}, "set": {"x": 1}}', ["x", '"axes" and in "set"']),
    ('{"experiments": {}}', ["experiments", "one experiment or more"]),
    ('{"experiments": {"e": {"bas": "a"}}}', ["experiments.e", "bas", "did you mean base?"]),
    ('{"experiments": {"": {"base": "a"}}}', ["experiments", 'the name ""', "letter"]),
    ('{"experiments": {"../": {"base": "a"}}}', ["experiments", "letter"]),
    ('{"base": "improved", "experiments": {"a": {}}}', ['"base" and "experiments"']),
    (of_axis("[" * 5000 + "]" * 5000), ["nested too deep"]),
    (of_axis("[]"), ["axes.network.slots", "empty axis", "one value or more"]),
    (of_axis("4"), ["axes.network.slots", "4", "a list of values, or a range"]),
    (of_axis("[4, 4]"), ["axes.network.slots", "4 twice"]),
    (of_axis('{"from": 8, "to": 4, "step": 1}'), ["axes.network.slots", '"to" not below']),
    (of_axis('{"from": 4, "to": 8}'), ['"step", "times" and "count"']),
    (of_axis('{"from": 0, "to": 2, "times": 2}'), ["above 0"]),
    (of_axis('{"from": 0, "to": 2, "step": 0}'), ["step"]),
    (of_axis('{"from": 0, "to": 2, "step": 1e-9}'), ["million"]),
    (of_axis('{"from": 1, "to": 1e999, "step": 1}'), ["finite"]),
    (of_axis(f'{{"from": 1, "to": 1{"0" * 400}, "step": 1}}'), ["2^64"]),
]


@pytest.mark.parametrize(("text", "words"), MALFORMED)
def test_malformed_sweep(explore: Explore, tmp_path: Path, text: str, words: list[str]) -> None:
    (tmp_path / "bad.json").write_text(text)
    for command in ("run", "plan"):
        expect_refused(explore(command, "bad.json"), "bad.json", *words)
    assert not (tmp_path / "bad.sweep").exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"axes": {"network.slotz": [4]}}, ["network.slotz", "did you mean network.slots?"]),
        ({"set": {"run.cycle": 4}}, ["run.cycle", "did you mean run.cycles?"]),
        ({"axes": {"network.slots": ["four"]}}, ["network.slots", "four"]),
        ({"axes": {"network.slots": [4, 65]}}, ["network.slots", "65", "1 to 64"]),
        ({"axes": {"network.coupled": [3]}}, ["network.coupled"]),
        ({"axes": {"network.processing_elements": [131072]}}, ["elements", "65536"]),
        ({"set": {"workload.traffic.hot_spot": 1.5}}, ["hot_spot", "1.5", "0 to 1"]),
        ({"axes": {"network.processing_elements": [4, 6]}}, ["6", "power of two"]),
        (
            {"axes": {"network.slots": [1, 2]}, "set": {"network.queue_type": "A"}},
            ["network.slots", "never accept a request"],
        ),
        ({"base": "improvd"}, ["improvd", "did you mean the preset improved?"]),
        ({"series": ["x"]}, ["x", "series"]),
        (
            {"figures": [{"kind": "latenzy", "x": "network.processing_elements"}]},
            ["figure 1", "latenzy", "did you mean latency?", "occupancy"],
        ),
        (
            {"statistics": ["interface.latncy.mean"]},
            ['"statistics"', "did you mean interface.latency.mean?"],
        ),
        (
            {"figures": [{"kind": "latency", "name": "f"}] * 2},
            ["two figures would be f.svg", '"name"'],
        ),
        (
            {
                "axes": {"workload.traffic.hot_spot": {"from": 0, "to": 1, "count": 9999}},
                "seeds": 1,
            },
            ["more values than an argument", "several experiments"],
        ),
    ],
)
def test_wrong_sweep(
    explore: Explore, tmp_path: Path, changes: dict[str, Any], words: list[str]
) -> None:
    write_sweep(tmp_path, **changes)
    expect_refused(explore("run", "bad.json"), "bad.json", *words)
    assert not (tmp_path / "bad.sweep").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "nowhere.json"), ("nowhere.json", "neither a file nor a packaged sweep")),
        (("run", "papr"), ("did you mean paper?",)),
        (("run", "sweeps/Papr.json"), ("did you mean paper?",)),
        (("run", "improved"), ("it is a preset", "tributary-explore new improved")),
        (("run", "improvd"), ("did you mean the preset improved?", "tributary run improved")),
        (("run", "bad.json", "--set", "network.slotz=4"), ("did you mean network.slots?",)),
        (("run", "bad.json", "--set", "network.slots"), ("NAME=VALUE",)),
        (("run", "bad.json", "--set", "network.slots=[]"), ("network.slots", "empty axis")),
        (("run", "bad.json", "--seeds", "x"), ("seeds", '"x"')),
        (("run", "bad.json", "--only", "good"), ('no experiment "good"',)),
        (("run", "bad.json", "--cores", "0"), ("--cores",)),
        (("run", "bad.json", "--batch-seconds", "0"), ("--batch-seconds",)),
        (("run", "bad.json", "--profile", "nowhere"), ("--profile", "nowhere")),
        (("run", "bad.json", "--frobnicate"), ("--frobnicate",)),
        (("run",), ("SWEEP",)),
        (("report", "bad.json"), ("no folder of a sweep", "run the sweep first")),
        (("query", ".", "SELECT 1"), ("plan.json",)),
    ],
)
def test_wrong_arguments(
    explore: Explore, tmp_path: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    write_sweep(tmp_path)
    expect_refused(explore(*arguments), *words)
    assert results_of(tmp_path / "bad.sweep") == []


MANY = [
    {"axes": {"network.slots": {"from": 1, "to": 64, "step": 1},
              "memory.interval": {"from": 1, "to": 16000, "step": 1}}, "seeds": "1"},
    {"axes": {"memory.interval": [4]}, "seeds": "1..1000000"},
    {"axes": {"run.cycles": {"from": 1, "to": 1000000, "step": 1}}, "seeds": "1"},
]  # fmt: skip


@pytest.mark.parametrize("changes", MANY, ids=["two axes", "seeds", "one axis"])
def test_a_million_points_are_refused_at_once(
    explore: Explore, tmp_path: Path, changes: dict[str, Any]
) -> None:
    write_sweep(tmp_path, **{**changes, "set": {}})
    done = explore("run", "bad.json", wrapped=())
    megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    expect_refused(done, "bad.json has 1,0", "points", "10,000", "--yes")
    assert megabytes < 1000
    assert not (tmp_path / "bad.sweep").exists()


def test_many_points_are_asked_for_on_a_terminal(tmp_path: Path, simulator: Any) -> None:
    write_sweep(tmp_path, **MANY[1])
    leader, follower = os.openpty()
    asked = subprocess.Popen(
        [sys.executable, "-m", "tributary_explore", "run", "bad.json"],
        cwd=tmp_path,
        env={**os.environ, "TRIBUTARY_PROGRAM": str(simulator.program)},
        stdin=follower,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.write(leader, b"n\n")
    _, errors = asked.communicate(timeout=60)
    os.close(leader)
    os.close(follower)
    assert "Run 1,000,000 points? [y/N]" in errors
    assert asked.returncode == cli.WRONG_INPUT


def test_result_cut_in_half(explore: Explore, tmp_path: Path, sample: Store) -> None:
    victim = sample.result_file(sample.points()[3])
    whole = victim.read_bytes()
    victim.write_bytes(whole[: len(whole) // 2])
    for command in (("query", "sample", "SELECT 1"), ("report", "sample")):
        done = explore(*command)
        expect_refused(done, f"{victim.relative_to(tmp_path)} is cut off", "run the sweep again")
    assert not sample.table_file.exists()
    (tmp_path / "sample.json").write_text(sample.sweep_file.read_text())
    again = explore("run", "sample.json")
    assert again.returncode == 0
    assert "1 point run, 9 had a result in " in again.stdout
    assert victim.read_bytes() == whole


def test_results_of_another_version(explore: Explore, tmp_path: Path, sample: Store) -> None:
    victim = sample.result_file(sample.points()[3])
    whole = victim.read_bytes()
    victim.write_text(json.dumps({**json.loads(whole), "version": "0.0.9"}))
    told = "is of version 0.0.9 of the simulator, the sweep of 0.1.0"
    asked = explore("query", "sample", "SELECT 1")
    expect_refused(asked, f"{victim.relative_to(tmp_path)} {told}", "--rerun-other-versions")
    assert not sample.table_file.exists()
    (tmp_path / "sample.json").write_text(sample.sweep_file.read_text())
    refused = explore("run", "sample.json")
    expect_refused(refused, "1 result of another version", "--rerun-other-versions", "--out")
    assert json.loads(victim.read_bytes())["version"] == "0.0.9"
    again = explore("run", "sample.json", "--no-report", "--rerun-other-versions")
    assert again.returncode == 0
    assert "1 point run, 9 had a result in " in again.stdout
    assert victim.read_bytes() == whole


def test_results_in_a_read_only_folder_can_be_asked_for_an_answer_or_why_not(
    explore: Explore, sample: Store, read_only: Any
) -> None:
    assert explore("report", "sample").returncode == 0
    read_only(sample.folder)
    count = "SELECT count(*) AS n FROM results"
    assert explore("query", "sample", count, wrapped=()).stdout.split()[-1] == "10"
    expect_refused(explore("report", "sample", wrapped=()), "report.html", "ermission denied")
    done = explore("report", "sample", "--out", "elsewhere.html", wrapped=())
    assert done.returncode == 0


def test_a_copied_sweep_in_a_read_only_folder_can_be_asked(
    explore: Explore, sample: Store, read_only: Any
) -> None:
    count = "SELECT count(*) AS n FROM results"
    assert explore("query", "sample", count).returncode == 0
    for file in results_of(sample.folder):
        os.utime(file)  # as a copy has it: the table is not of these files
    before = sample.table_file.read_bytes()
    read_only(sample.folder)
    asked = explore("query", "sample", count, wrapped=())
    assert asked.stdout.split()[-1:] == ["10"], asked.stderr
    assert sample.table_file.read_bytes() == before


def test_sql_that_is_no_text(tmp_path: Path, sample: Store, simulator: Any) -> None:
    asked = subprocess.run(
        [sys.executable, "-m", "tributary_explore", "query", "sample", "-"],
        cwd=tmp_path,
        env={**os.environ, "TRIBUTARY_PROGRAM": str(simulator.program)},
        input=b"SELECT '\xff'",
        capture_output=True,
        check=False,
    )
    assert asked.returncode == cli.WRONG_INPUT
    (line,) = asked.stderr.decode().splitlines()
    assert "SQL" in line
    assert "UTF-8" in line


def test_a_result_with_a_flipped_bit(explore: Explore, sample: Store, tmp_path: Path) -> None:
    victim = sample.result_file(sample.points()[3])
    damaged = bytearray(victim.read_bytes())
    damaged[damaged.index(b'"sum": ') + 7] ^= 1  # another digit, so that it stays JSON
    victim.write_bytes(damaged)
    name = str(victim.relative_to(tmp_path))
    expect_refused(explore("query", "sample", "SELECT 1"), name, "checksum", "run the sweep again")


def test_a_mean_that_is_a_text(explore: Explore, sample: Store) -> None:
    victim = sample.result_file(sample.points()[3])
    result = json.loads(victim.read_bytes())
    statistics = result["points"][0]["runs"][0]["statistics"]
    statistics["interface"]["latency"]["mean"] = "fast"
    victim.write_text(json.dumps(result))
    name = victim.relative_to(sample.folder).as_posix()
    told = explore("query", "sample", "SELECT 1")
    expect_refused(told, name, "interface.latency.mean", "fast", "number")


def test_folder_that_is_a_file(explore: Explore, tmp_path: Path) -> None:
    write_sweep(tmp_path)
    (tmp_path / "taken").write_text("mine")
    expect_refused(explore("run", "bad.json", "--out", "taken"), "taken")
    assert (tmp_path / "taken").read_text() == "mine"


def test_missing_simulator(explore: Explore, tmp_path: Path) -> None:
    write_sweep(tmp_path)
    nowhere = tmp_path / "nowhere"
    for command in ("run", "plan"):
        expect_refused(
            explore(command, "bad.json", program=nowhere), "nowhere", "TRIBUTARY_PROGRAM"
        )
    expect_refused(explore("--program", nowhere, "list"), "nowhere", "--program")


def test_standard_output_that_is_full(tmp_path: Path, simulator: Any) -> None:
    write_sweep(tmp_path)
    done = subprocess.run(
        f"{sys.executable} -m tributary_explore plan bad.json --points >/dev/full",
        shell=True,
        cwd=tmp_path,
        env={**os.environ, "TRIBUTARY_PROGRAM": str(simulator.program)},
        capture_output=True,
        text=True,
        check=False,
    )
    expect_refused(done, "standard output: No space left on device")
