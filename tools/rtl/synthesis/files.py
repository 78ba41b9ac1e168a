# SPDX-License-Identifier: Apache-2.0
"""Where things are in the tree, and files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path

from .errors import SynthesisError

ROOT = Path(__file__).resolve().parents[3]
RTL = ROOT / "rtl"
TOPS = RTL / "synthesis"
# What may be deleted at any time.
CACHE = ROOT / "build" / "synthesis"


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file under a passing name beside `path`, then gives it its own."""
    data = content.encode() if isinstance(content, str) else content
    passing = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        passing = Path(name)
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, 0o644)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        passing.replace(path)
    except OSError as problem:
        if passing is not None:
            passing.unlink(missing_ok=True)
        raise SynthesisError(
            f"{path} cannot be written: {problem.strerror}; make room or choose another folder"
        ) from problem
    except BaseException:
        if passing is not None:
            passing.unlink(missing_ok=True)
        raise


def listed_sources() -> list[Path]:
    """The RTL in the order of compilation, as rtl/tributary.f has it."""
    lines = (line.strip() for line in (RTL / "tributary.f").read_text().splitlines())
    return [RTL / line for line in lines if line and not line.startswith("//")]
