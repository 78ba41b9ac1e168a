# SPDX-License-Identifier: Apache-2.0
# What the probe shows, and switches as SystemC modules.
tributary_test(NAME switch_probe_cosim_test SOURCES switch_probe_cosim_test.cpp LABELS cosim
               LIBRARIES tributary_test_support tributary::switch_variants
                         tributary_switch_systolic_decoupled tributary_switch_systolic_coupled)
if(TARGET tributary_machine_support AND TARGET tributary::models)
  tributary_test(NAME modules_cosim_test SOURCES modules_cosim_test.cpp SYSTEMC LABELS cosim
                 TIMEOUT 300
                 LIBRARIES tributary_machine_support tributary_switch_systolic_decoupled
                           tributary_switch_systolic_coupled)
endif()
