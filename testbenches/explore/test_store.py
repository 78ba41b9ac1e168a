# SPDX-License-Identifier: Apache-2.0
"""The folder of a sweep."""

import errno
import json
import os
from pathlib import Path

import pytest

from tributary_explore.errors import ExploreError
from tributary_explore.files import write_whole
from tributary_explore.plan import make_plan
from tributary_explore.simulator import Simulator
from tributary_explore.store import Failure, PointState, Store
from tributary_explore.sweep_file import parse_sweep


def test_plan_comes_back(tmp_path: Path) -> None:
    text = '{"base": "improved", "axes": {"network.slots": [2, 4]}, "seeds": "3..4"}'
    plan = make_plan(parse_sweep(text, Path("my.json")), Simulator.find())
    store = Store(tmp_path / "my.sweep")
    store.write_plan(plan, "0.1.0", "tributary-explore run my.json")
    assert store.sweep_file.read_text() == text
    assert [(each.hash, each.seed, each.coordinates) for each in store.points()] == [
        (each.hash, each.seed, each.coordinates) for each in plan.points
    ]
    point = plan.points[0]
    failure = Failure("tributary run", 2, "no memory", 1.5)
    store.write_failure(point, failure)
    assert store.failure(point) == failure
    assert store.state(point, "0.1.0") is PointState.FAILED
    assert store.failure(plan.points[1]) is None


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"schema": "tributary.plan/0"}',
        '{"schema": "tributary.plan/1"}',
        '{"schema": "tributary.plan/1", "version": "", "command": "", "sweep": "", "points": [{}]}',
    ],
)
def test_a_plan_that_is_none(tmp_path: Path, content: str) -> None:
    store = Store(tmp_path)
    store.plan_file.write_text(content)
    with pytest.raises(ExploreError, match="run the sweep again"):
        store.points()


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a" / "b.json"
    write_whole(file, "old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ExploreError, match="No space left") as raised:
        write_whole(file, "new")
    assert str(file) in str(raised.value)
    assert file.read_text() == "old"
    assert [each.name for each in file.parent.iterdir()] == ["b.json"]


def test_a_result_without_its_version(tmp_path: Path) -> None:
    plan = make_plan(parse_sweep('{"base": "improved"}', Path("my.json")), Simulator.find())
    store, point = Store(tmp_path), plan.points[0]
    document = {
        "schema": "tributary.results/1",
        "partial": False,
        "platform": point.platform,
        "points": [{"configuration": point.configuration, "runs": [{"seed": point.seed}]}],
    }
    file = store.result_file(point)
    write_whole(file, json.dumps({**document, "version": "0.1.0"}))
    assert store.state(point, "0.1.0") is PointState.WHOLE
    write_whole(file, json.dumps(document))
    assert store.state(point, "0.1.0") is PointState.BROKEN
