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
```

What cannot be done raises `ExploreError`, whose text says why and what to do.
"""

import lazy_loader

# A module is imported when one of its names is first used, as some of them import a database or a
# workflow engine; the stub says where each name is.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
