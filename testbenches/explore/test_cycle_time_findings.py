# SPDX-License-Identifier: Apache-2.0
"""The answers follow from the values, and nothing within the noise is claimed."""

from dataclasses import replace

import pytest
from cycle_time.bands import Band, Outcome, below, least, rank
from cycle_time.circuits import Library, excess, with_noise
from cycle_time.findings import (
    Study,
    agree,
    cheap_step,
    contest,
    cost,
    sizes_text,
    wait_buffer_limit,
    wait_buffer_paths,
    winner_with_step,
    with_step,
)
from cycle_time.networks import POLLING
from cycle_time.page import change
from cycle_time_sample import FEWER_CYCLES, SAME_CLOCKS, circuit, library, networks, study

from tributary_explore.errors import ExploreError


def test_bands_that_touch_do_not_differ() -> None:
    assert below(Band(1, 2), Band(2.001, 3))
    assert not below(Band(1, 2), Band(2, 3))
    assert rank("a", {"a": Band(1, 2), "b": Band(3, 4)}) is Outcome.BEST
    assert rank("b", {"a": Band(1, 2), "b": Band(3, 4)}) is Outcome.WORSE
    assert rank("a", {"a": Band(1, 2), "b": Band(1.5, 4)}) is Outcome.OPEN
    assert least({"a": Band(1, 2), "b": Band(1.5, 4), "c": Band(5, 6)}) == ["a", "b"]
    assert change(Band(10, 12), Band(11, 13)) == "within noise"
    assert change(Band(12, 13), Band(10, 11)) == "+20 %"
    assert change(Band(10, 11), Band(12.5, 13)) == "−20 %"


def test_no_circuit_is_better_known_than_the_one_that_recipes_move_most() -> None:
    sure, unsure = with_noise([circuit("improved", 30.0, 0.01), circuit("baseline", 40.0, 0.15)])
    assert sure.fo4.noise == pytest.approx(0.15)
    assert sure.slowest_fo4 == pytest.approx(30.3)
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


def test_sizes_are_written_as_runs() -> None:
    sizes = (16, 32, 64, 128, 256)
    assert sizes_text((16, 32, 64), sizes) == "16 to 64"
    assert sizes_text((16, 64, 128), sizes) == "16 and 64 to 128"


def test_a_winner_in_cycles_and_in_fo4() -> None:
    text = contest(study(), POLLING).text
    print(text)
    assert text.endswith("is the fastest at every size from 16 to 64 PEs, in cycles and in FO4.")


def test_a_slow_clock_takes_the_win_away() -> None:
    slow = study({**SAME_CLOCKS, "aggressive": 60.0})
    text = contest(slow, POLLING).text
    print(text)
    assert "is the fastest at every size from 16 to 64 PEs in cycles; in FO4 it is slower" in text
    assert text.endswith("slower than another at every size from 16 to 64 PEs.")


def test_within_the_noise_says_so() -> None:
    # 20 cycles of 45 FO4 are as long as 30 of 30.
    close = study({**SAME_CLOCKS, "aggressive": 44.0})
    text = contest(close, POLLING).text
    print(text)
    assert "in FO4 it cannot be told from the fastest at every size" in text


def test_a_portfolio_that_spreads_more_claims_less() -> None:
    slower = dict.fromkeys(SAME_CLOCKS, 34.0) | {"no combining": 30.0}
    narrow, wide = (cost(study(slower, noise=noise)).text for noise in (0.05, 0.2))
    print(narrow, wide, sep="\n")
    assert "the cycle of those that do is 13 % longer, their area 1.1 times as large; " in narrow
    assert "the cycle of those that do is the same within the noise, their area the same" in wide


def test_it_wins_from_a_size_on() -> None:
    # All take as many cycles at 16 elements; the others' grow faster.
    made = study()
    polling = dict(made.networks.loads[POLLING])
    polling["aggressive"] = {
        n: each if n > 16 else made.networks.loads[POLLING]["improved"][n]
        for n, each in polling["aggressive"].items()
    }
    networks_ = type(made.networks)({**made.networks.loads, POLLING: polling}, {}, 3)
    text = contest(Study(made.library, networks_), POLLING).text
    print(text)
    assert text.endswith(
        "is the fastest at 32 to 64 PEs and cannot be told from the fastest at 16 PEs, in cycles "
        "and in FO4."
    )


def test_what_combining_costs() -> None:
    same_cycles = dict.fromkeys(FEWER_CYCLES, 30.0)
    clocks = dict.fromkeys(SAME_CLOCKS, 36.0) | {"no combining": 30.0}
    dear, mixed, free = (
        cost(study(each, same_cycles)).text
        for each in (clocks, {**clocks, "improved": 30.0, "baseline": 24.0}, SAME_CLOCKS)
    )
    print(dear, mixed, free, sep="\n")
    assert "traffic is 20 % higher, its throughput at saturation 17 % lower." in dear
    assert "is 20 % longer or 20 % shorter or the same within the noise, their area" in mixed
    assert "at saturation 25 % higher or 17 % lower or the same within the noise." in mixed
    assert free.count("the same within the noise") == 4


def test_area_is_no_delay() -> None:
    of = library(SAME_CLOCKS)
    plain = of.named()["no combining"]
    small = replace(plain, runs=tuple(replace(run, nand2=run.nand2 / 4) for run in plain.runs))
    circuits = tuple(small if each is plain else each for each in of.circuits)
    text = cost(Study(replace(of, circuits=circuits), networks(FEWER_CYCLES))).text
    print(text)
    assert "is the same within the noise, their area 4.0 times as large; " in text


def test_the_wait_buffer_makes_the_cycle_longer_or_not() -> None:
    def limit(wait_buffers: dict[int, float]) -> str:
        of = library(SAME_CLOCKS, wait_buffers=wait_buffers)
        return wait_buffer_limit(Study(of, networks(FEWER_CYCLES))).text

    print(limit({32: 30.5, 64: 40.0, 100: 50.0}), limit({32: 30.5, 100: 31.0}), sep="\n")
    assert "may have 32 entries before the cycle grows: with 64 it is 33 %" in limit(
        {32: 30.5, 64: 40.0, 100: 50.0}
    )
    assert "does not make the cycle longer within the noise at any size up to 100" in limit(
        {32: 30.5, 100: 31.0}
    )


def test_a_wait_buffer_that_the_sum_hides_shows_with_the_sum_at_the_exit() -> None:
    of = library(SAME_CLOCKS, wait_buffers={100: 30.5})
    late = [
        circuit("baseline", fo4, 0.05, "wait_buffer", sum="at_exit", wait_buffer_entries=entries)
        for entries, fo4 in ((8, 20.0), (32, 20.5), (100, 25.0))
    ]
    found = Study(replace(of, circuits=(*of.circuits, *late)), networks(FEWER_CYCLES))
    text = wait_buffer_limit(found).text
    print(text)
    assert "The wait buffer does not make the cycle longer within the noise at any size" in text
    assert "With the sum at the exit it may have 32 entries" in text
    assert "with 100 it is 25 % longer than with 8." in text
    paths = wait_buffer_paths(found).text
    print(paths)
    assert "at the exit the fastest recipe takes 20.0 FO4 with 8 and 25.0 with 100 en" in paths
    assert paths.count("is in the wait buffer at no size.") == 2


def test_sizes_at_which_the_wait_buffer_has_most_of_the_path_are_named() -> None:
    of = library(SAME_CLOCKS, wait_buffers={64: 30.2, 100: 30.5})
    inside = {"second_queue": 10.0, "second_wait_buffer": 20.0}
    circuits = tuple(
        replace(each, runs=tuple(replace(run, blocks=inside) for run in each.runs))
        if each.parameters["wait_buffer_entries"] == 100 and each.experiment == "wait_buffer"
        else each
        for each in of.circuits
    )
    text = wait_buffer_paths(Study(replace(of, circuits=circuits), networks(FEWER_CYCLES))).text
    print(text)
    assert text.endswith("is in the wait buffer with 100 entries.")


def test_of_one_answer_about_the_wait_buffer_one_is_given() -> None:
    of = library(SAME_CLOCKS, wait_buffers={100: 30.5})
    late = [
        circuit("baseline", 20.0, 0.05, "wait_buffer", sum="at_exit", wait_buffer_entries=entries)
        for entries in (8, 100)
    ]
    found = Study(replace(of, circuits=(*of.circuits, *late)), networks(FEWER_CYCLES))
    assert wait_buffer_limit(found).text.endswith(
        "at any size up to 100 entries, with the sum on arrival or at the exit."
    )
    # A library without circuits of the sum at the exit does not say the same.
    early = Study(of, networks(FEWER_CYCLES))
    assert agree([found, early], wait_buffer_limit).count("With osu018:") == 2


def test_two_limits_are_both_told() -> None:
    of = library(SAME_CLOCKS, wait_buffers={32: 30.5, 64: 40.0})
    late = [
        circuit("baseline", fo4, 0.05, "wait_buffer", sum="at_exit", wait_buffer_entries=entries)
        for entries, fo4 in ((8, 20.0), (32, 20.2), (64, 22.5))
    ]
    found = Study(replace(of, circuits=(*of.circuits, *late)), networks(FEWER_CYCLES))
    text = wait_buffer_limit(found).text
    print(text)
    assert "with 64 it is 33 % longer than with 8. With the sum at the exit it may" in text
    assert text.endswith("with 64 it is 12 % longer than with 8.")


def test_libraries_that_disagree_are_both_told() -> None:
    one, other = study(), study({**SAME_CLOCKS, "aggressive": 60.0})
    second = Study(library({**SAME_CLOCKS, "aggressive": 60.0}, name="other"), other.networks)

    text = agree([one, second], lambda each: contest(each, POLLING))
    print(text)
    assert text.startswith("With osu018: Polling one word, the aggressive switch is the fastest")
    assert "With other: Polling one word, " in text
    assert agree([one, one], lambda each: contest(each, POLLING)).startswith("Polling")


def test_without_wait_buffers_there_is_no_answer_about_them() -> None:
    of = library(SAME_CLOCKS)
    bare = type(of)(of.name, of.fo4_ps, tuple(each for each in of.circuits if each.kind == ""))
    with pytest.raises(ExploreError, match="needs an experiment wait_buffer"):
        wait_buffer_limit(Study(bare, networks(FEWER_CYCLES)))


def test_the_sum_at_the_exit_is_set_against_the_same_switch_with_it_on_arrival() -> None:
    def text(at_exit: float) -> str:
        return cheap_step(Study(library(SAME_CLOCKS, at_exit=at_exit), networks(FEWER_CYCLES))).text

    assert "20 % shorter in 1 of 1 switches" in text(0.8)
    assert "20 % longer in 1 of 1 switches" in text(1.2)
    assert "no difference within the noise" in text(0.98)


def test_with_the_sum_at_the_exit_everywhere_the_win_is_decided_anew() -> None:
    # The aggressive switch loses by its cycle, which the step shortens.
    slow = {**SAME_CLOCKS, "aggressive": 60.0}
    some = Study(library(slow, at_exit=0.5), networks(FEWER_CYCLES))
    late = tuple(
        circuit(design, 30.0, 0.05, "sum", sum="at_exit")
        for design in ("baseline", "wait buffer 100", "improved")
    )
    circuits = (*some.library.circuits, *late)
    whole = replace(some, library=replace(some.library, circuits=circuits))

    assert with_step(some) is None
    assert winner_with_step(some).text == ""
    stepped = with_step(whole)
    assert stepped is not None
    assert {each.parameters["sum"] for each in stepped.library.circuits} == {
        "on_arrival",  # of the switch without combining
        "at_exit",
    }
    text = winner_with_step(whole).text
    print(text)
    assert text.startswith("With it in all designs that combine: polling one word, the")
    assert "in FO4 it is slower than another at every size" in contest(whole, POLLING).text
    assert text.endswith("is the fastest at every size from 16 to 64 PEs, in cycles and in FO4.")


def test_without_a_sum_at_the_exit_the_point_list_is_at_fault() -> None:
    whole = library(SAME_CLOCKS)
    without = tuple(each for each in whole.circuits if each.experiment != "sum")
    with pytest.raises(ExploreError, match=r"osu018.*circuit\.sum on_arrival and at_exit"):
        cheap_step(Study(Library(whole.name, whole.fo4_ps, without), networks(FEWER_CYCLES)))
