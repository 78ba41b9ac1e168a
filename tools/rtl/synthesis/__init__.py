# SPDX-License-Identifier: Apache-2.0
"""Synthesis and static timing of the combining blocks: one point of parameters, one result.

`tributary-synthesis` speaks to `tributary-explore` as the simulator does, so that sweeps, resuming
and tables are those of every other measurement.
"""

from common.files import ROOT, RTL

TOPS = RTL / "synthesis"
# What may be deleted at any time.
CACHE = ROOT / "build" / "synthesis"
