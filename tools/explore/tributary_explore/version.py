# SPDX-License-Identifier: Apache-2.0
"""The version of this program, which is that of the simulator it comes with."""

VERSION = "0.1.0"
