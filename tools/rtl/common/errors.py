# SPDX-License-Identifier: Apache-2.0
"""What ends a run with a sentence for the user."""


class ToolError(Exception):
    """An input, a source or a tool is not what it must be; the text says where and what to do."""
