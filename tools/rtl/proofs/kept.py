# SPDX-License-Identifier: Apache-2.0
"""Results that are kept with a digest of all that decides about them."""

from pathlib import Path
from typing import TypeVar

from common.files import digest, write_json
from pydantic import BaseModel, ValidationError

from . import tasks
from .proof_lists import Proof
from .sources import Rtl
from .tools import CADICAL, PACKAGES, versions

K = TypeVar("K", bound="Kept")


class Kept(BaseModel):
    """What a run has found, by its digest."""

    digest: str

    @classmethod
    def read(cls: type[K], path: Path, digest: str) -> K | None:
        """What an earlier run on the same inputs has left, if there is one."""
        try:
            found = cls.model_validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None
        return found if found.digest == digest else None

    def write(self, path: Path) -> None:
        write_json(path, self.model_dump())


def digest_of(rtl: Rtl, proof: Proof, cadical: bool, **more: object) -> str:
    """A hash of the sources, the tools and whatever else decides."""
    files = rtl.files(proof)
    decisive: dict[str, object] = {
        "files": {path.name: path.read_text(encoding="utf-8") for path in files},
        "script": tasks.read_script(proof, [path.name for path in files]),
        "map": tasks.MAP.read_text(encoding="utf-8"),
        "tools": versions((*PACKAGES, *CADICAL) if cadical else PACKAGES),
        **more,
    }
    if cadical:
        decisive["induction"] = [path.read_text(encoding="utf-8") for path in tasks.INDUCTION_FILES]
    return digest(decisive)
