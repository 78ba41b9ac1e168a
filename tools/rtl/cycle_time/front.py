# SPDX-License-Identifier: Apache-2.0
"""The Pareto front of measured points: those that no other one beats in all objectives.

What is measured is known up to its noise, so that thousands of points that differ by nothing would
all be on the front. Therefore values are put into boxes of a relative width above the noise, boxes
are compared, and each box that no other one beats has one point as its representative: the
epsilon-Pareto set of M. Laumanns, L. Thiele, K. Deb and E. Zitzler, Combining convergence and
diversity in evolutionary multiobjective optimization, Evolutionary Computation 10(3), 2002.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

Point = TypeVar("Point", bound=Hashable)
Box = tuple[int, ...]


def box_of(values: Sequence[float], widths: Sequence[float]) -> Box:
    """The box of positive values, the smaller the better, each with its relative width."""
    return tuple(
        math.floor(math.log(value) / math.log1p(width))
        for value, width in zip(values, widths, strict=True)
    )


def dominates(first: Sequence[float], second: Sequence[float]) -> bool:
    """Whether the first is nowhere greater than the second, and somewhere smaller."""
    pairs = list(zip(first, second, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def front(
    points: Iterable[Point],
    values: Callable[[Point], Sequence[float]],
    widths: Sequence[float],
    preferred: Callable[[Point], Sequence[float]],
) -> list[Point]:
    """One point for each box that no other one beats, in the order of the boxes.

    `values` are positive, and the smaller the better. The representative of a box is the point for
    which `preferred` is smallest, which has to differ for any two points.
    """
    best: dict[Box, Point] = {}
    for point in points:
        box = box_of(values(point), widths)
        if box not in best or tuple(preferred(point)) < tuple(preferred(best[box])):
            best[box] = point
    return [
        point for box, point in sorted(best.items()) if not any(dominates(b, box) for b in best)
    ]
