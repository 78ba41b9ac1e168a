# SPDX-License-Identifier: Apache-2.0
"""Maps of networks: what is drawn of a run, and what is refused."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tributary_explore.errors import ExploreError
from tributary_explore.figures.network_map import of_file
from tributary_explore.simulator import Simulator

RING = {"kind": "ring", "switches": 5, "hosts_per_switch": 2}
RUN_FILE = {
    "platform": "cluster",
    "run": {"until": "finished"},
    "network": {"graph": RING},
    "traffic": {"kernel": "token_pass", "laps": 3},
}

EMPTY = '{"graph": {"format": "tributary-network-map 1"}, "nodes": [], "edges": []}'


@pytest.fixture
def file(simulator: Simulator, tmp_path: Path) -> Path:
    (tmp_path / "ring.json").write_text(json.dumps(RUN_FILE))
    command = [str(simulator.program), "run", "ring.json", "--network-map", "map.json"]
    subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)
    return tmp_path / "map.json"


def busy(file: Path) -> list[float]:
    """Of all links between switches, both ways."""
    edges = json.loads(file.read_text())["edges"]
    between = [each for each in edges if not each["source"].startswith("host")]
    return [each[way] for each in between for way in ("utilisation", "utilisation_back")]


@pytest.mark.simulated
def test_the_command_draws_each_direction_of_each_link(
    explore: Callable[..., Any], file: Path
) -> None:
    assert explore("network-map", file.name, "--title", "Five").returncode == 0
    svg = file.with_suffix(".svg").read_text()
    assert 'aria-label="Five"' in svg
    drawn = re.findall(r'aria-label="[^"]*Link: (\d) to (\d); Utilisation: ([\d.]+)"', svg)
    assert len(drawn) == 10
    parts = busy(file)
    assert sum(float(part) for *_, part in drawn) == pytest.approx(sum(parts), rel=0.01)
    assert max(parts) > 0


@pytest.mark.simulated
def test_the_caption_tells_the_busiest_link_and_an_interruption(file: Path) -> None:
    assert f"{max(busy(file)):.1%} of the time" in of_file(file, "Five").caption
    assert "interrupted" not in of_file(file, "Five").caption
    file.write_text(file.read_text().replace('"partial": false', '"partial": true'))
    assert "interrupted" in of_file(file, "Five").caption


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (None, "cannot be read"),
        ("{", "is no map"),
        ("{}", "is no map"),
        ('{"graph": {"format": "tributary-network-map 2"}}', "is no map"),
        (EMPTY, "0 switches"),
        (EMPTY.replace('"edges": []', '"edges": [{"source": 1}]'), "is no map"),
    ],
)
def test_what_is_no_map_is_refused(content: str | None, named: str, tmp_path: Path) -> None:
    file = tmp_path / "map.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ExploreError, match=named) as refused:
        of_file(file, "")
    assert str(file) in str(refused.value)
