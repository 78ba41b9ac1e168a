# SPDX-License-Identifier: Apache-2.0
"""Sweeps over the machines that Tributary simulates, and their results, from Python.

```python
import tributary_explore as explore

sweep = explore.load_sweep("wait-buffer.json")
results = explore.run_sweep(sweep)  # or later: explore.open_results("wait-buffer.sweep")

rows = results.sql('''
    SELECT "network.wait_buffer_entries", "interface.latency.mean" AS latency,
           "interface.latency.mean.half_width" AS half_width
    FROM summary ORDER BY latency''')
best = rows.records()[0]
print(best["network.wait_buffer_entries"], "entries:", best["latency"],
      results.units["interface.latency.mean"])
results.export("wait-buffer.csv")
```

What cannot be done raises `ExploreError`, whose text says why and what to do.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import ExploreError
    from .flatten import Column
    from .notebook import make_plan, run_sweep
    from .plan import Plan, Point
    from .query import Rows
    from .results import Results, open_results
    from .simulator import Simulator
    from .store import Failure, PlannedPoint, Store
    from .sweep_file import Experiment, Sweep, load_sweep

# Where each name is. A module is imported when one of its names is first used, as some of them
# import a database or a workflow engine.
_MODULES = {
    "Column": "flatten",
    "Experiment": "sweep_file",
    "ExploreError": "errors",
    "Failure": "store",
    "Plan": "plan",
    "PlannedPoint": "store",
    "Point": "plan",
    "Results": "results",
    "Rows": "query",
    "Simulator": "simulator",
    "Store": "store",
    "Sweep": "sweep_file",
    "load_sweep": "sweep_file",
    "make_plan": "notebook",
    "open_results": "results",
    "run_sweep": "notebook",
}

__all__ = [
    "Column",
    "Experiment",
    "ExploreError",
    "Failure",
    "Plan",
    "PlannedPoint",
    "Point",
    "Results",
    "Rows",
    "Simulator",
    "Store",
    "Sweep",
    "load_sweep",
    "make_plan",
    "open_results",
    "run_sweep",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
