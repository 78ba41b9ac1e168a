# SPDX-License-Identifier: Apache-2.0
"""Faults in the RTL of the combining switch, and whether lockstep with the core finds them."""
