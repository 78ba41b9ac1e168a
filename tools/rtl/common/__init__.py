# SPDX-License-Identifier: Apache-2.0
"""What the tools of the RTL and core_mutants share: files, programs that they start, tables."""
