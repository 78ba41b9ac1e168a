# SPDX-License-Identifier: Apache-2.0
"""Whether combining pays for a machine, and with which switch: a generated sweep, a table and a
figure."""
