# SPDX-License-Identifier: Apache-2.0
"""The files of the tree, and files that are written whole or not at all."""

import hashlib
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import ToolError

ROOT = Path(__file__).resolve().parents[3]
RTL = ROOT / "rtl"


def listed_sources(rtl: Path = RTL) -> list[str]:
    """The names of the RTL's files in the order of compilation, as tributary.f has them. Raises
    `ToolError`."""
    path = rtl / "tributary.f"
    if not path.is_file():
        raise ToolError(f"{path} is missing; it lists the RTL")
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip().endswith(".sv")]


def write_whole(path: Path, content: str | bytes, mode: int = 0o644) -> None:
    """Writes a file under a passing name next to `path`, then gives it its own. Raises
    `ToolError`."""
    passing = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with passing.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        passing.chmod(mode)
        passing.replace(path)
    except OSError as problem:
        raise ToolError(
            f"{path} cannot be written: {problem.strerror}; make room or choose another folder"
        ) from problem
    finally:
        passing.unlink(missing_ok=True)


def write_json(path: Path, document: Any) -> None:
    write_whole(path, json.dumps(document, indent=1) + "\n")


def digest(decisive: Mapping[str, Any]) -> str:
    """A hash of all that decides about a result."""
    return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()
