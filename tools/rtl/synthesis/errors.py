# SPDX-License-Identifier: Apache-2.0
"""The error that a user sees."""


class SynthesisError(Exception):
    """What is wrong, where, what is allowed and what to do."""
