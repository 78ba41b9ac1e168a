# SPDX-License-Identifier: Apache-2.0
"""Files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path

from .errors import ExploreError


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file under a passing name next to `path`, then gives it its own.

    Whoever reads `path` sees the old content or the new one, never a part. Raises `ExploreError`
    that names the file and the system's reason, with nothing left behind.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, passing = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as problem:
        raise not_written(path, problem) from problem
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, 0o644)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        Path(passing).replace(path)
    except OSError as problem:
        Path(passing).unlink(missing_ok=True)
        raise not_written(path, problem) from problem
    except BaseException:
        Path(passing).unlink(missing_ok=True)
        raise


class NotWrittenError(ExploreError):
    """A file could not be written, for the reason of this number (`errno`)."""

    number: int | None = None


def not_written(path: Path, problem: OSError) -> NotWrittenError:
    """The error for a file that could not be written."""
    reason = problem.strerror or str(problem)
    error = NotWrittenError(
        f"{path} cannot be written: {reason}; make room or choose another folder by --out"
    )
    error.number = problem.errno
    return error
