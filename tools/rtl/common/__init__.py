# SPDX-License-Identifier: Apache-2.0
"""What the tools of the RTL share: files, programs that they start, and tables."""
