# SPDX-License-Identifier: Apache-2.0
"""The lists of proofs, rtl/formal/proofs/*.json: reading, and what they must not say."""

import difflib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import ProofError

# The engine that is not SymbiYosys' own.
INDUCTION = "induction"
# A bounded proof looks at so many steps at least.
LEAST_BOUND = 12

Parameters = dict[str, int | str]


@dataclass(frozen=True)
class Proof:
    """One proof of a list: a properties module at one set of parameters."""

    file: str
    block: str
    top: str
    sources: tuple[str, ...]
    name: str
    says: str
    parameters: Parameters
    mode: str
    engine: str
    depth: int
    cover_depth: int
    unreachable: tuple[str, ...]
    short: bool
    timeout: int

    @property
    def bounded(self) -> bool:
        return self.mode == "bmc"

    @property
    def by_induction(self) -> bool:
        return self.mode == "prove" and (self.engine.startswith("smtbmc") or self.by_cadical)

    @property
    def by_cadical(self) -> bool:
        """By induction.py."""
        return self.engine == INDUCTION


@dataclass(frozen=True)
class Key:
    """What a key may hold; without `default` it must be there."""

    kind: type
    allowed: str
    default: Any = None


TEXT = "a text that is not empty"
LIST_KEYS = {
    "block": Key(str, TEXT),
    "top": Key(str, TEXT),
    "sources": Key(list, "a list of names of files in rtl/formal"),
    "proofs": Key(list, "a list of objects, one a proof"),
}
PROOF_KEYS = {
    "name": Key(str, TEXT),
    "says": Key(str, TEXT),
    "parameters": Key(dict, 'an object of numbers, or of texts like "8\'b0000_0111"'),
    "mode": Key(str, '"prove" (without bound) or "bmc" (up to depth)'),
    "engine": Key(
        str,
        'with mode prove "abc pdr", "induction" (of each property by itself, by CaDiCaL) or '
        '"smtbmc ... z3" (induction of all together), with bmc "abc bmc3" or '
        '"smtbmc ... z3"; options as SymbiYosys spells them',
    ),
    # Of pdr it is not asked.
    "depth": Key(int, "steps: the bound of bmc, the length of the induction; 1 to 1000", 0),
    "cover_depth": Key(int, "steps within which each cover point is reached; 1 to 1000"),
    "unreachable": Key(list, "a list of labels of cover points", ()),
    "short": Key(bool, "true or false", False),
    "timeout": Key(int, "seconds of one processor; 1 to 100000"),
}
RANGES = {"depth": (1, 1000), "cover_depth": (1, 1000), "timeout": (1, 100_000)}
ENGINES = {"prove": ("abc pdr", "smtbmc", INDUCTION), "bmc": ("abc bmc3", "smtbmc")}


def nearest(name: str, names: Iterable[str]) -> str:
    """`did you mean ...?` if there is something near, else what there is."""
    names = list(names)
    found = difflib.get_close_matches(name, names, 1)
    return f"did you mean {found[0]}?" if found else f"there are {', '.join(names)}"


def _fail(where: str, key: str, what: str, allowed: str) -> ProofError:
    return ProofError(f"{where}: {key}: {what} (allowed: {allowed})")


def _checked(where: str, found: Any, keys: dict[str, Key]) -> dict[str, Any]:
    """The members of an object, with defaults. Raises ProofError."""
    if not isinstance(found, dict):
        raise ProofError(f"{where}: not an object but {json.dumps(found)}")
    for name in found:
        if name not in keys:
            raise ProofError(f"{where}: there is no key {name}; {nearest(name, keys)}")
    values = {}
    for name, key in keys.items():
        if name not in found:
            if key.default is None:
                raise _fail(where, name, "is missing", key.allowed)
            values[name] = key.default
            continue
        value: Any = found[name]
        # A bool is an int to Python, not here.
        fits = isinstance(value, key.kind) and isinstance(value, bool) == (key.kind is bool)
        if not fits:
            raise _fail(where, name, f"is {json.dumps(value)}", key.allowed)
        if value == "":
            raise _fail(where, name, "is empty", key.allowed)
        if name in RANGES and not RANGES[name][0] <= value <= RANGES[name][1]:
            raise _fail(where, name, f"{value} is out of range", key.allowed)
        if (
            key.kind is list
            and name != "proofs"
            and not all(isinstance(each, str) for each in value)
        ):
            raise _fail(where, name, f"is {json.dumps(value)}", key.allowed)
        values[name] = value
    return values


def _check_parameters(where: str, values: dict[str, Any]) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise _fail(
                where, f"parameters.{name}", f"is {json.dumps(value)}", "a number, or a text"
            )


def _check_engine(where: str, values: dict[str, Any]) -> None:
    mode, engine = values["mode"], values["engine"]
    if mode not in ENGINES:
        raise _fail(where, "mode", f"is {json.dumps(mode)}", PROOF_KEYS["mode"].allowed)
    words = engine.split()
    odd = {"smtbmc": "z3" not in words, INDUCTION: engine != INDUCTION}
    if not engine.startswith(ENGINES[mode]) or odd.get(words[0], False):
        raise _fail(where, "engine", f'is "{engine}"', PROOF_KEYS["engine"].allowed)
    if values["depth"] == 0 and not engine.startswith("abc pdr"):
        raise _fail(where, "depth", "is missing", PROOF_KEYS["depth"].allowed)
    if mode == "bmc" and values["depth"] < LEAST_BOUND:
        raise _fail(
            where, "depth", f"{values['depth']} steps of bmc", f"{LEAST_BOUND} or more with bmc"
        )


def _read_list(path: Path, formal: Path) -> list[Proof]:
    where = f"rtl/formal/proofs/{path.name}"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ProofError(f"{where}: not JSON: {error}") from error
    common = _checked(where, found, LIST_KEYS)
    for source in common["sources"]:
        if not (formal / source).is_file():
            known = [each.name for each in sorted(formal.glob("*.sv"))]
            raise ProofError(
                f"{where}: sources: rtl/formal/{source} does not exist; {nearest(source, known)}"
            )
    proofs = []
    for number, each in enumerate(common["proofs"]):
        place = f"{where}: proofs[{number}]"
        if isinstance(each, dict) and isinstance(each.get("name"), str):
            place = f"{where}: {each['name']}"
        values = _checked(place, each, PROOF_KEYS)
        if not values["name"].replace("_", "").isalnum() or not values["name"].isascii():
            raise _fail(place, "name", "is no name", "letters, digits, underscores")
        _check_parameters(place, values["parameters"])
        _check_engine(place, values)
        values["unreachable"] = tuple(values["unreachable"])
        proofs.append(
            Proof(
                file=path.name,
                block=common["block"],
                top=common["top"],
                sources=tuple(common["sources"]),
                **values,
            )
        )
    return proofs


def read_lists(formal: Path) -> list[Proof]:
    """All proofs, in the order of the files' names. Raises ProofError."""
    proofs: list[Proof] = []
    owners: dict[str, str] = {}
    for path in sorted((formal / "proofs").glob("*.json")):
        for proof in _read_list(path, formal):
            if proof.name in owners:
                raise ProofError(
                    f"rtl/formal/proofs/{path.name}: {proof.name}: the name is taken in "
                    f"{owners[proof.name]}; a name stands for one proof"
                )
            owners[proof.name] = path.name
            proofs.append(proof)
    if not proofs:
        raise ProofError("rtl/formal/proofs has no list of proofs (*.json)")
    for proof in proofs:
        if proof.name != proof.block and proof.name in {each.block for each in proofs}:
            raise ProofError(
                f"rtl/formal/proofs/{proof.file}: {proof.name}: is the name of another block"
            )
    return proofs


def choose(proofs: list[Proof], names: list[str], short: bool) -> list[Proof]:
    """Those of these names or blocks, all without names, or the short of them, in the order of the
    lists. Raises ProofError for a name that is none, and if nothing is left."""
    known = [proof.name for proof in proofs] + sorted({proof.block for proof in proofs})
    for name in names:
        if name not in known:
            raise ProofError(f"there is no proof and no block {name}; {nearest(name, known)}")
    chosen = [each for each in proofs if not names or {each.name, each.block} & set(names)]
    if short:
        chosen = [each for each in chosen if each.short]
    if not chosen:
        raise ProofError(f"no proof of {', '.join(names) or 'the lists'} is short; leave --short")
    return chosen
