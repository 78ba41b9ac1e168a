# SPDX-License-Identifier: Apache-2.0
"""Configurations as the simulator writes them: nested objects of parameters."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

# The number of processors, where machines of several platforms are in one run file.
PROCESSORS: Final = "processors"


def flat(configuration: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every parameter by its dotted name."""
    for name, value in configuration.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def parameters_of(
    configuration: Mapping[str, Any], processors_parameter: str | None
) -> dict[str, Any]:
    """Every parameter by its dotted name; the one that says how many processors there are, if it is
    named, is `PROCESSORS`, as files of several platforms call it."""
    values = dict(flat(configuration))
    if processors_parameter is not None:
        values[PROCESSORS] = values.pop(processors_parameter)
    return values
