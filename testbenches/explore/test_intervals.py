# SPDX-License-Identifier: Apache-2.0
"""Confidence intervals against printed tables, and against how often they hold."""

import pytest

from tributary_explore.intervals import mean_and_half_width, student_quantile


@pytest.mark.parametrize(
    ("samples", "confidence", "quantile"),
    [(2, 0.95, 12.706), (3, 0.95, 4.303), (11, 0.95, 2.228), (31, 0.95, 2.042), (3, 0.99, 9.925)],
)
def test_quantiles_of_printed_tables(samples: int, confidence: float, quantile: float) -> None:
    """Student's t with n - 1 degrees of freedom, as tables print it to three decimals."""
    found = student_quantile(samples, confidence)
    assert found == pytest.approx(quantile, abs=5e-4)


def test_no_spread_is_known_of_one_sample() -> None:
    assert student_quantile(1) is None
    assert mean_and_half_width([3.5]) == (3.5, None)
    with pytest.raises(ValueError, match="needs a sample"):
        mean_and_half_width([])


def test_half_width_by_hand() -> None:
    """1, 2, 3: deviation 1, so 4.3027 / sqrt(3)."""
    mean, half_width = mean_and_half_width([1.0, 2.0, 3.0])
    assert mean == 2.0
    assert half_width == pytest.approx(4.30265273 / 3**0.5)
