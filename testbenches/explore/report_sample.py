# SPDX-License-Identifier: Apache-2.0
"""A small sweep with a figure of each kind and published numbers of its own, for report tests."""

import json
from pathlib import Path

from tributary_explore.report import write_report
from tributary_explore.results import Results, open_results
from tributary_explore.store import RunRecord, Store

SWEEP = """{ // as small as a sweep with every kind of figure can be
  "title": "A <b>small</b> sweep & its report",
  "description": "Two designs, two sizes.",
  "set": {"run.cycles": 600, "run.warmup": 400, "processor.start_window": 50},
  "experiments": {
    "sizes": {
      "base": "figure4",
      "title": "Latency by size",
      "series": ["baseline", "wait buffer 100"],
      "axes": {"network.processing_elements": [4, 16, 64]},
      "seeds": "1..2",
      "figures": [{"kind": "latency", "title": "Latency against size"}]
    },
    "stages": {
      "base": "figure5",
      "set": {"network.processing_elements": 64},
      "figures": [
        {"kind": "combining", "title": "Combining by stage"},
        {"kind": "distribution", "title": "Distribution of latency"}
      ]
    },
    "load": {
      "base": "figure7",
      "set": {"network.processing_elements": 16},
      "axes": {"interface.outstanding": [1, 4], "workload.traffic.hot_spot": [0.2, 1]},
      "figures": [{"kind": "load", "title": "Latency against load"}]
    }
  }
}"""
PLACES = 2 * 3 * 2 + 2 + 2 * 2 * 2
POINTS = PLACES - 1
"""Two experiments share a point."""
COMMAND = "tributary-explore run small.json --out 'a folder'"

_LATENCY = "interface.latency.mean"


def _polling(elements: int) -> dict[str, object]:
    return {
        "network.processing_elements": elements,
        "network.wait_buffer_entries": 8,
        "workload.traffic.hot_spot": 1,
    }


PUBLISHED = {
    "schema": "tributary.published/1",
    "numbers": {
        "least": {
            "value": 6, "unit": "cycles", "source": "A report, 1", "statistic": _LATENCY,
            "description": "polling, 4 elements", "at": _polling(4),
            "tolerance": {"absolute": 3},
        },
        "wrong": {
            "value": 1000, "unit": "cycles", "source": "A report, 2", "statistic": _LATENCY,
            "description": "a number <that> cannot be right", "at": _polling(16),
            "tolerance": {"relative": 0.01},
        },
        "fitted": {
            "value": 20, "unit": "cycles", "source": "A report, 3", "statistic": _LATENCY,
            "description": "a number that was fitted", "at": _polling(16), "calibrated": True,
            "tolerance": {"relative": 0.9},
        },
        "growth": {
            "unit": "1", "source": "A report, 4", "description": "latency grows",
            "rule": {"ratio": ["wrong", "least"]}, "accepted": {"above": 1},
        },
        "far": {
            "value": 9, "unit": "cycles", "source": "A report, 5", "statistic": _LATENCY,
            "description": "a machine that was not run", "at": _polling(8),
            "tolerance": {"absolute": 1},
        },
    },
}  # fmt: skip


def record_run(store: Store) -> None:
    """As `tributary-explore run` does, with a time of its own."""
    store.record_run(RunRecord(COMMAND, "0.1.0", "2026-01-31T12:34:56+00:00", 83.4, POINTS, 0))


def report(store: Store, results: Results | None = None) -> str:
    """Writes report.html into the sweep's folder and returns its text."""
    published = store.folder.parent / "published.json"
    published.write_text(json.dumps(PUBLISHED))
    opened = results or open_results(store.folder)
    path = write_report(store, opened, store.report_file, "tributary-explore report", published)
    assert path == store.report_file
    return Path(path).read_text()
