# SPDX-License-Identifier: Apache-2.0
"""What the program says to tributary-explore, and to bad input."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from common.errors import ToolError
from narrow_circuits import ROOT, write_run_file
from synthesis import cli, libraries
from synthesis.parameters import PARAMETERS
from synthesis.run_file import read_run_file

PROGRAM = ROOT / "tools/rtl/synthesis/tributary-synthesis"


def call(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(PROGRAM), *map(str, arguments)], capture_output=True, text=True, check=False, cwd="/"
    )


def test_describes_every_parameter() -> None:
    done = call("describe", "switch_synthesis", "--json")
    document = json.loads(done.stdout)
    assert document["schema"] == "tributary.parameters/1"
    assert [each["name"] for each in document["parameters"]] == [each.name for each in PARAMETERS]
    for each in document["parameters"]:
        assert all(each[key] for key in ("type", "range", "description")), each
        json.loads(each["default"])


def test_version_names_project_and_digest() -> None:
    word = call("--version").stdout.split()[-1]
    project, digest = word.split("+")
    assert f"project(tributary VERSION {project}" in (ROOT / "CMakeLists.txt").read_text()
    assert len(digest) == 12


def test_numbers_of_no_version_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    versions = iter(("0.1.0+one", "0.1.0+other"))
    monkeypatch.setattr(cli, "version", lambda: next(versions))
    monkeypatch.setattr(cli, "measure", lambda configuration, folder: ({}, ""))
    out = tmp_path / "out"
    assert cli.main(["run", str(write_run_file(tmp_path)), "--out", str(out)]) != 0
    assert "changed while it was synthesised" in capsys.readouterr().err
    assert not out.exists()


def test_expands_series_and_variations(tmp_path: Path) -> None:
    file = write_run_file(tmp_path)
    document = json.loads(file.read_text())
    document["series"] = [{"name": "A", "circuit.dual_input": True}, {"name": "B"}]
    file.write_text(json.dumps(document))
    vary = ("--set", "circuit.slots=[2,4]")
    answer = json.loads(call("validate-config", file, *vary).stdout)
    assert answer["platform"] == "switch_synthesis"
    assert answer["configuration"]["circuit"]["data_width"] == 4
    assert [list(each.values()) for each in answer["points"]] == [
        ["A", True, 2],
        ["A", True, 4],
        ["B", False, 2],
        ["B", False, 4],
    ]
    one = json.loads(
        call("validate-config", file, "--series", "B", "--set", "circuit.slots=3").stdout
    )
    assert one["points"] == [{"series": "B"}]
    assert one["configuration"]["circuit"]["slots"] == 3


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        ("circuit.slot=3", "--set: circuit.slot: unknown parameter; did you mean circuit.slots?"),
        ("circuit.slots=99", "99 requests is out of range (allowed: 1 to 64 requests)"),
        ("circuit.slots=four", '"four" is no whole number'),
        ("circuit.coupled=1", "1 is neither true nor false"),
        ("library=tsmc", '"tsmc" is none of its values (allowed: osu018 | sky130'),
        ("circuit.element_width=3", "3 bits is not module_width (allowed: 2 bits"),
        ("circuit.gradual=true", "there is no limit to come to"),
        ("circuit.slots", "write NAME=VALUE"),
        ("circuit.slots=[]", "write one value or more"),
        ("circuit.slots=[2,2]", "each once"),
        ("dual_input=true slots=1", "allowed: "),
        ("microarchitecture=systolic dual_input=true", "allowed: "),
        ("microarchitecture=systolic ordered=true", "allowed: "),
        ("microarchitecture=systolic sum=at_exit", "allowed: "),
        ("microarchitecture=systolic gradual=true adaptive_limit=2", "allowed: "),
        ("forms=none adaptive_limit=2", "allowed: "),
    ],
)
def test_refuses_and_says_what_is_allowed(tmp_path: Path, sets: str, words: str) -> None:
    several = sets.split()
    if len(several) > 1:
        several = [f"circuit.{each}" for each in several]
    with pytest.raises(ToolError) as problem:
        read_run_file(write_run_file(tmp_path), several)
    assert words in str(problem.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "line 1, column 2"),
        ("[]", "one JSON object"),
        ('{"platform": "ultracomputer"}', "run it with the program tributary"),
        ('{"circuits": {"slots": 4}}', "circuits.slots: unknown parameter"),
        ('{"series": [{}]}', "each with a name"),
    ],
)
def test_names_file_and_fault(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "bad.json"
    file.write_text(text)
    done = call("validate-config", file)
    assert done.returncode != 0
    assert words in done.stderr
    assert str(file) in done.stderr


def test_one_run_is_one_point_without_chance(tmp_path: Path) -> None:
    file = write_run_file(tmp_path)
    several = call("run", file, "--set", "circuit.slots=[2,4]", "--out", tmp_path / "out")
    assert "run makes one point" in several.stderr
    seeded = call("run", file, "--seed", "2", "--out", tmp_path / "out")
    assert "--seed 2: nothing here is random" in seeded.stderr
    assert several.returncode == seeded.returncode == 2
    assert not (tmp_path / "out").exists()


def test_says_where_a_library_comes_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TRIBUTARY_LIBERTY", raising=False)
    with pytest.raises(ToolError, match="TRIBUTARY_LIBERTY is not set; set it to the folder"):
        libraries.cells("sky130")
    monkeypatch.setenv("TRIBUTARY_LIBERTY", os.fspath(tmp_path))
    with pytest.raises(ToolError, match=r"has neither sky130hd_tt.lib nor"):
        libraries.cells("sky130")
