# SPDX-License-Identifier: Apache-2.0
"""What a cycle of each switch costs, and what its cycles are then worth: docs/cycle-time.md."""
