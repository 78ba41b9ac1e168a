# SPDX-License-Identifier: Apache-2.0
# The systolic queue in a switch: the improved design, the ends of the axes, and a single slot.
tributary_verilate_switch(systolic_decoupled
  PARAMETERS Microarchitecture=1 AdaptiveLimit=2 WaitBufferEntries=100)
tributary_verilate_switch(systolic_coupled
  PARAMETERS Microarchitecture=1 Coupled=1 Slots=6 WaitBufferEntries=2 LinkCycles=1 ReverseSlots=5)
tributary_verilate_switch(systolic_single PARAMETERS Microarchitecture=1 Slots=1)
tributary_test(NAME systolic_queue_cosim_test SOURCES systolic_queue_cosim_test.cpp LABELS cosim
               LIBRARIES tributary_test_support tributary_switch_systolic_decoupled
                         tributary_switch_systolic_coupled tributary_switch_systolic_single)
