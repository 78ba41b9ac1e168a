# SPDX-License-Identifier: Apache-2.0
"""Parameters of a circuit as readers know them."""

from collections.abc import Mapping
from typing import Any, Final

# By parameter and value; of numbers, by parameter.
_WORDS: Final[Mapping[str, Mapping[Any, str]]] = {
    "kind": {"two_switches": "two switches", "switch": "one switch", "wait_buffer": "wait buffer"},
    "dual_input": {False: "type B", True: "type A"},
    "coupled": {False: "decoupled", True: "coupled"},
    "sum": {"on_arrival": "sum on arrival", "at_exit": "sum at the exit"},
    "ordered": {False: "oldest", True: "ordered"},
    "gradual": {False: "crude limit", True: "gradual limit"},
    "forms": {
        "all": "all forms",
        "identity_and_add": "identity and add only",
        "none": "no form combines",
    },
    "adaptive_limit": {0: "no limit"},
}
_NUMBERS: Final = {
    "slots": "{} slots",
    "adaptive_limit": "limit {}",
    "wait_buffer_entries": "wait buffer {}",
    "data_width": "operands of {} bits",
}


def words(name: str, value: Any) -> str:
    """A value of a parameter, by the last part of its name."""
    known = _WORDS.get(name, {})
    if value in known:
        return known[value]
    if name in _NUMBERS:
        return _NUMBERS[name].format(value)
    return str(value) if isinstance(value, str) else f"{name.replace('_', ' ')} {value}"
