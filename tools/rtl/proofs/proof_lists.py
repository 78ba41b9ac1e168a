# SPDX-License-Identifier: Apache-2.0
"""The lists of proofs, rtl/formal/proofs/*.json: reading, and what they must not say."""

import difflib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, TypeVar

from common.errors import ToolError
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

# The engine that is not SymbiYosys' own.
INDUCTION = "induction"

E = TypeVar("E", bound="Entry")
# Descriptions say what is allowed.
Text = Annotated[str, Field(min_length=1, description="a text that is not empty")]


class Entry(BaseModel):
    """An object of a list: no other keys, no other types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Proof(Entry):
    """One proof of a list: a properties module at one set of parameters."""

    name: Text = Field(pattern="^[A-Za-z0-9_]+$", description="letters, digits, underscores")
    says: Text
    parameters: dict[str, StrictInt | StrictStr] = Field(
        description='an object of numbers, or of texts like "8\'b0000_0111"'
    )
    engine: Text = Field(
        pattern=rf"^(abc pdr\b.*|smtbmc\b.* z3\b.*|{INDUCTION})$",
        description='"abc pdr", "induction" (of each property by itself, by CaDiCaL) or '
        '"smtbmc ... z3" (induction of all together); options as SymbiYosys spells them',
    )
    depth: int = Field(default=0, ge=1, le=1000, description="steps of the induction; 1 to 1000")
    cover_depth: int = Field(
        ge=1, le=1000, description="steps within which each cover point is reached; 1 to 1000"
    )
    unreachable: list[str] = Field(default=[], description="a list of labels of cover points")
    short: bool = Field(default=False, description="true or false")
    timeout: int = Field(ge=1, le=100_000, description="seconds of one processor; 1 to 100000")
    # Of the list, not of its objects.
    file: str = ""
    block: str = ""
    top: str = ""
    sources: list[str] = Field(default=[])

    @property
    def by_induction(self) -> bool:
        """Else by pdr, which is not asked for steps."""
        return not self.engine.startswith("abc")

    @property
    def by_cadical(self) -> bool:
        """By induction.py."""
        return self.engine == INDUCTION


class ProofList(Entry):
    block: Text
    top: Text
    sources: list[str] = Field(description="a list of names of files in rtl/formal")
    proofs: list[dict[str, Any]] = Field(description="a list of objects, one a proof")


def nearest(name: str, names: Iterable[str]) -> str:
    """`did you mean ...?` if there is something near, else what there is."""
    names = list(names)
    found = difflib.get_close_matches(name, names, 1)
    return f"did you mean {found[0]}?" if found else f"there are {', '.join(names)}"


def _checked(where: str, kind: type[E], found: Any) -> E:
    try:
        return kind.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
    if not isinstance(found, dict):
        raise ToolError(f"{where}: not an object but {json.dumps(found)}")
    key = str(first["loc"][0])
    if first["type"] == "extra_forbidden":
        known = [name for name, each in kind.model_fields.items() if each.description]
        raise ToolError(f"{where}: there is no key {key}; {nearest(key, known)}")
    problem = f"is {json.dumps(found.get(key))}"
    if first["type"] == "missing":
        problem = "is missing"
    elif first["type"] == "string_too_short":
        problem = "is empty"
    elif first["type"] in ("greater_than_equal", "less_than_equal"):
        problem = f"{found[key]} is out of range"
    allowed = kind.model_fields[key].description
    raise ToolError(f"{where}: {key}: {problem} (allowed: {allowed})")


def _read_list(path: Path, formal: Path) -> list[Proof]:
    where = f"rtl/formal/proofs/{path.name}"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ToolError(f"{where}: not JSON: {error}") from error
    common = _checked(where, ProofList, found)
    for source in common.sources:
        if not (formal / source).is_file():
            known = [each.name for each in sorted(formal.glob("*.sv"))]
            raise ToolError(
                f"{where}: sources: rtl/formal/{source} does not exist; {nearest(source, known)}"
            )
    of_list = {"file": path.name, **common.model_dump(exclude={"proofs"})}
    proofs = []
    for number, each in enumerate(common.proofs):
        place = f"{where}: {each.get('name', f'proofs[{number}]')}"
        proof = _checked(place, Proof, {**each, **of_list})
        if proof.by_induction and proof.depth == 0:
            allowed = Proof.model_fields["depth"].description
            raise ToolError(f"{place}: depth: is missing (allowed: {allowed})")
        proofs.append(proof)
    return proofs


def read_lists(formal: Path) -> list[Proof]:
    """All proofs, in the order of the files' names. Raises `ToolError`."""
    files = sorted((formal / "proofs").glob("*.json"))
    proofs = [proof for path in files for proof in _read_list(path, formal)]
    if not proofs:
        raise ToolError("rtl/formal/proofs has no list of proofs (*.json)")
    blocks = {proof.block for proof in proofs}
    owners: dict[str, str] = {}
    for proof in proofs:
        where = f"rtl/formal/proofs/{proof.file}: {proof.name}"
        if proof.name in owners:
            raise ToolError(
                f"{where}: the name is taken in {owners[proof.name]}; a name stands for one proof"
            )
        if proof.name != proof.block and proof.name in blocks:
            raise ToolError(f"{where}: is the name of another block")
        owners[proof.name] = proof.file
    return proofs


def choose(proofs: list[Proof], names: list[str], short: bool) -> list[Proof]:
    """Those of these names or blocks, all without names, or the short of them, in the order of the
    lists. Raises `ToolError` for a name that is none, and if nothing is left."""
    known = [proof.name for proof in proofs] + sorted({proof.block for proof in proofs})
    for name in names:
        if name not in known:
            raise ToolError(f"there is no proof and no block {name}; {nearest(name, known)}")
    chosen = [each for each in proofs if not names or {each.name, each.block} & set(names)]
    if short:
        chosen = [each for each in chosen if each.short]
    if not chosen:
        raise ToolError(f"no proof of {', '.join(names) or 'the lists'} is short; leave --short")
    return chosen
