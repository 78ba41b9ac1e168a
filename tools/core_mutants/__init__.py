# SPDX-License-Identifier: Apache-2.0
"""Faults in the C++ cores, and whether the test command finds them."""
