# SPDX-License-Identifier: Apache-2.0
"""Confidence intervals of a mean over seeds, after Student."""

import math
import statistics
from collections.abc import Sequence
from functools import cache

CONFIDENCE = 0.95
"""Of every interval, as the simulator's own over seeds."""


@cache
def student_quantile(samples: int, confidence: float = CONFIDENCE) -> float | None:
    """What the standard error of a mean is multiplied by to get a half width.

    None for less than two independent samples, from which no spread is known.
    """
    if samples < 2:
        return None
    from scipy.special import stdtrit  # takes a third of a second to import

    # To six decimals, as the simulator's own (student_t in tools/program/run/batch_means.cpp).
    return round(float(stdtrit(samples - 1, (1 + confidence) / 2)), 6)


def mean_and_half_width(samples: Sequence[float]) -> tuple[float, float | None]:
    """Mean of independent samples, and half the width of its confidence interval.

    Both in the unit of the samples. The half width is None for a single sample. Raises
    `ValueError` if there is none.
    """
    if not samples:
        raise ValueError("a mean needs a sample")
    quantile = student_quantile(len(samples))
    mean = statistics.fmean(samples)
    if quantile is None:
        return mean, None
    return mean, quantile * statistics.stdev(samples) / math.sqrt(len(samples))
