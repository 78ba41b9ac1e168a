# SPDX-License-Identifier: Apache-2.0
"""Nothing within the noise is called a difference, and what tables set side by side belongs
together."""

import pytest
from cycle_time.circuits import excess, with_noise
from cycle_time.page import change
from cycle_time.study import sums
from cycle_time_sample import SAME_CLOCKS, circuit, library, study

from tributary_explore.bands import Band, below, least


def test_bands_that_touch_do_not_differ() -> None:
    assert below(Band(1, 2), Band(2.001, 3))
    assert not below(Band(1, 2), Band(2, 3))
    assert least({"a": Band(1, 2), "b": Band(1.5, 4), "c": Band(5, 6)}) == ["a", "b"]
    assert change(Band(10, 12), Band(11, 13)) == "within noise"
    assert change(Band(12, 13), Band(10, 11)) == "+20 %"
    assert change(Band(10, 11), Band(12.5, 13)) == "−20 %"


def test_no_circuit_is_better_known_than_the_one_that_recipes_move_most() -> None:
    sure, unsure = with_noise([circuit("improved", 30.0, 0.01), circuit("baseline", 40.0, 0.15)])
    assert sure.fo4.noise == pytest.approx(0.15)
    assert sure.fo4.most == pytest.approx(30.3)
    assert unsure.fo4.noise == pytest.approx(0.15)
    # 30 and 33 differ by less.
    close = with_noise([circuit("improved", 33.0, 0.01), circuit("baseline", 30.0, 0.15)])
    assert change(close[0].fo4, close[1].fo4) == "within noise"


def test_a_part_that_is_slower_than_the_whole_is_noise_too() -> None:
    part = circuit("improved", 36.0, 0.01, "operands", data_width=32)
    whole = circuit("improved", 30.0, 0.01)
    other = circuit("improved", 90.0, 0.01, ordered=True)  # no part of the others
    assert excess([part, whole, other]) == pytest.approx(0.2)
    assert excess([whole, other]) == 0
    assert with_noise([part, whole])[1].fo4.noise == pytest.approx(0.2)
    faster = circuit("improved", 25.0, 0.01, "operands", data_width=32)
    assert excess([faster, whole]) == 0


def test_the_sum_at_the_exit_is_set_against_the_same_switch_with_it_on_arrival() -> None:
    ((early, late),) = sums(library(SAME_CLOCKS, at_exit=0.8))
    assert (early.design, late.design) == ("aggressive", "aggressive")
    assert late.parameters == {**early.parameters, "sum": "at_exit"}
    assert late.fo4.low == pytest.approx(0.8 * early.fo4.low)


def test_cycles_become_fo4_by_the_clock_of_their_design() -> None:
    made = study({**SAME_CLOCKS, "aggressive": 60.0})
    cycles = made.latency("polling", 16, cycles=True)["aggressive"]
    fo4 = made.latency("polling", 16)["aggressive"]
    assert fo4.low == pytest.approx(60.0 * cycles.low)
    assert made.slowness(16)["aggressive"].low > made.slowness(16)["improved"].high
