# SPDX-License-Identifier: Apache-2.0
"""Proofs of the RTL: runs the lists of rtl/formal/proofs, puts faults in, writes docs/proofs.md."""
