# SPDX-License-Identifier: Apache-2.0
"""Which statement a name in a design is: the labels of the sources of each proof."""

from collections.abc import Iterable
from dataclasses import dataclass

from common.errors import ToolError

from .proof_lists import Proof
from .sources import Rtl
from .statements import PROPERTY, Statement, read_statements


def label_of(path: str) -> str:
    """The label at the end of a path in the design."""
    return path.rpartition(".")[2]


@dataclass(frozen=True)
class Catalogue:
    """By the names of proof and label."""

    of_proof: dict[str, dict[str, Statement]]

    @classmethod
    def of(cls, rtl: Rtl, proofs: Iterable[Proof]) -> "Catalogue":
        """Raises ToolError if a source or two of them are not what they must be."""
        read: dict[str, list[Statement]] = {}
        of_proof = {}
        for proof in proofs:
            labels: dict[str, Statement] = {}
            for source in proof.sources:
                if source not in read:
                    read[source] = read_statements(rtl.formal / source)
                for each in read[source]:
                    if each.label in labels:
                        raise ToolError(
                            f"rtl/formal/{source}:{each.line}: the label {each.label} is in "
                            f"{labels[each.label].file} too, and {proof.name} reads both"
                        )
                    labels[each.label] = each
            of_proof[proof.name] = labels
        return cls(of_proof)

    def statement(self, proof: str, path: str) -> Statement | None:
        """None for an assertion of the RTL itself."""
        return self.of_proof[proof].get(label_of(path))

    def statements(self) -> list[Statement]:
        """Each once, in the order of the proofs and then of the sources."""
        found = dict.fromkeys(each for labels in self.of_proof.values() for each in labels.values())
        return list(found)

    def properties(self) -> list[Statement]:
        return [each for each in self.statements() if each.kind == PROPERTY]
