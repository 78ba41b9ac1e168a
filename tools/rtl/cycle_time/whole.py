# SPDX-License-Identifier: Apache-2.0
"""Whether a sweep has all of its results."""

from tributary_explore.errors import ExploreError
from tributary_explore.results import Results


def check_whole(results: Results) -> None:
    """Raises `ExploreError` that names a point without a result: a page of a part of the points
    would be taken for one of all."""
    there = {(row["experiment"], row["hash"]) for row in results.rows()}
    missing = [each for each in results.store.points() if (each.experiment, each.hash) not in there]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise ExploreError(
            f"{results.folder} has no result of {missing[0].label}{more}; run again, or see why by "
            "tributary-explore status"
        )
