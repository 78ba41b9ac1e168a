# SPDX-License-Identifier: Apache-2.0
"""What the pages are written in."""

import hashlib
from collections.abc import Iterable

from common import markdown


def table(head: str, rows: Iterable[str]) -> str:
    return "\n".join(markdown.table(head, rows, " --- |"))


def stamped(heading: str, parts: Iterable[str]) -> str:
    """A page of tables with the hash of its results, by which a page of conclusions names them."""
    body = "\n\n".join(each for each in parts if each) + "\n"
    digest = hashlib.sha256(body.encode()).hexdigest()[:12]
    return f"{heading}\n\nResults: `{digest}`.\n\n{body}"
