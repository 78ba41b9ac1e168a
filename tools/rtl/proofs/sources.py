# SPDX-License-Identifier: Apache-2.0
"""The files that a proof reads: its own of rtl/formal, and of the RTL what these name."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from common.files import listed_sources

from .proof_lists import Proof
from .statements import without_comments


@dataclass(frozen=True)
class Rtl:
    """A folder laid out as rtl/; a faulty one has its RTL elsewhere than its properties."""

    root: Path
    formal: Path

    @classmethod
    def at(cls, root: Path) -> "Rtl":
        return cls(root, root / "formal")

    def needed(self, proof: Proof) -> list[str]:
        """The files of the RTL that the proof's sources name, or those in turn, in order."""
        listed = listed_sources(self.root)
        used: set[str] = set()
        open_files = [self.formal / source for source in proof.sources]
        while open_files:
            text = without_comments(open_files.pop().read_text(encoding="utf-8"))
            words = set(re.findall(r"\w+", text))
            for name in listed:
                if name not in used and name.removesuffix(".sv") in words:
                    used.add(name)
                    open_files.append(self.root / name)
        return [name for name in listed if name in used]

    def files(self, proof: Proof) -> list[Path]:
        """All files of the proof, in the order of compilation."""
        rtl = [self.root / name for name in self.needed(proof)]
        return rtl + [self.formal / name for name in proof.sources]


def copy_into(files: list[Path], folder: Path) -> list[str]:
    """Copies of the files in `folder`, which is made anew; their names."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in files:
        shutil.copyfile(path, folder / path.name)
    return [path.name for path in files]
