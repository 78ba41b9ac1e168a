# SPDX-License-Identifier: Apache-2.0
"""The sweep file as it was run."""

from .errors import ExploreError
from .store import Store
from .sweep_file import Sweep, parse_sweep


def stored_sweep(store: Store) -> Sweep:
    """The sweep of a folder. Raises `ExploreError` if the folder holds none."""
    name = store.plan()["sweep"]
    try:
        text = store.sweep_file.read_text()
    except OSError as problem:
        raise ExploreError(
            f"{store.sweep_file} cannot be read: {problem.strerror}; run the sweep again"
        ) from problem
    # A file of one experiment gives it its own name, which is that of the file as it was run.
    return parse_sweep(text, store.sweep_file.with_name(f"{name}.json"))
