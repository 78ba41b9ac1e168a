# SPDX-License-Identifier: Apache-2.0
"""What the co-simulation reaches of the RTL: docs/rtl_coverage.md."""
