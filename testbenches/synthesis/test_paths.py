# SPDX-License-Identifier: Apache-2.0
"""Blocks of paths and areas, on made-up reports."""

import pytest
from common.errors import ToolError
from synthesis.blocks import area_blocks, path_blocks, register
from synthesis.timing import SlowestPath, Step, path_of

SWITCH = "gen_switch[0].u_switch"
QUEUE = "gen_switch[1].u_switch/gen_output[0].gen_queue[1].gen_parallel.u_queue"


def test_a_path_is_cut_by_the_block_of_each_cell() -> None:
    path = SlowestPath(
        1.0,
        (
            Step(f"{SWITCH}/gen_output[1].u_wait_buffer/used_q[3]_reg", "DFFPOSX1", 0.2),
            Step(f"{SWITCH}/_12_", "NAND2X1", 0.3),
            Step(f"{QUEUE}/_7_", "NAND2X1", 0.5),
            Step(f"{QUEUE}/gen_compose[0].u_compose/_1_", "NAND2X1", 0.6),
            Step(f"{QUEUE}/_8_", "NAND2X1", 0.8),
        ),
        f"{QUEUE}/entries_q[250]_reg",
    )
    blocks = path_blocks(path, switches=2)
    assert list(blocks) == ["first_wait_buffer", "first_switch", "second_queue", "second_compose"]
    assert list(blocks.values()) == pytest.approx([0.2, 0.1, 0.6, 0.1])
    assert register(path.steps[0].cell, switches=2) == "first_wait_buffer.used_q"
    assert register(path.end, switches=2) == "second_queue.entries_q"


def test_a_flat_name_tells_the_same_register() -> None:
    name = "gen_switch[0].u_switch.gen_input[1].u_reverse_queue.size_q[2]_reg"
    assert register(name, switches=2) == "first_reverse_queue.size_q"
    assert register("in_q[3]_reg", switches=0) == "boundary.in_q"
    assert register(f"{SWITCH}.gen_input[1].timer_q_reg", switches=1) == "switch.timer_q"


def test_areas_are_named_by_block() -> None:
    areas = {"switch_chain": 1.0, "combining_queue": 2.0, "reverse_queue": 3.0}
    assert area_blocks(areas) == {"queue": 2.0, "reverse_queue": 3.0, "boundary": 1.0}


REPORT = """\
Startpoint: a_q_reg (rising edge-triggered flip-flop clocked by clock)
Endpoint: b_q_reg (rising edge-triggered flip-flop clocked by clock)
Path Group: clock
Path Type: max

      Delay        Time   Description
-----------------------------------------------------------------
   0.000000    0.000000   clock clock (rise edge)
   0.000000    0.000000   clock network delay (ideal)
   0.000000    0.000000 ^ a_q_reg/CLK (DFFPOSX1)
   0.200000    0.200000 v a_q_reg/Q (DFFPOSX1)
   0.100000    0.300000 ^ _1_/Y (INVX1)
   0.000000    0.300000 ^ b_q_reg/D (DFFPOSX1)
               0.300000   data arrival time

  -0.100000   -0.100000   library setup time
              -0.100000   data required time
-----------------------------------------------------------------
              -0.400000   slack (VIOLATED)
"""


def test_reads_a_report() -> None:
    path = path_of("top", REPORT)
    assert path.delay_ns == 0.4
    assert [step.cell for step in path.steps] == ["a_q_reg", "_1_"]
    assert path.end == "b_q_reg"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("slack (VIOLATED)", "slack (MET)"),
        ("-0.400000   slack", "0.400000   slack"),
        ("Startpoint: a_q_reg (rising edge", "Startpoint: a (input port clocked"),
        ("Endpoint: b_q_reg", "Endpoint: c_q_reg"),
        ("data arrival time", "data arrival"),
        (REPORT, "No paths found.\n"),
        (REPORT, ""),
    ],
)
def test_refuses_a_report_that_is_not_as_expected(old: str, new: str) -> None:
    assert old in REPORT
    with pytest.raises(ToolError, match="no path from register to register"):
        path_of("top", REPORT.replace(old, new))
