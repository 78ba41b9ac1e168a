# SPDX-License-Identifier: Apache-2.0
# What the RTL, and what wraps it, refuse; and the RTL in a platform that is reset.
tributary_test(NAME parameter_errors_cosim_test SOURCES parameter_errors_cosim_test.cpp
               LABELS cosim)
target_compile_definitions(parameter_errors_cosim_test PRIVATE VERILATOR_BIN="${VERILATOR_BIN}")

# A switch that is narrower than the models, in every width.
tributary_verilate_switch(short_words PARAMETERS
  DataWidth=32 AddressWidth=20 ModuleWidth=8 SequenceWidth=16 ElementWidth=8 StatusWidth=2
  Slots=2 WaitBufferEntries=2 ReverseSlots=5)
if(TARGET tributary_machine_support AND TARGET tributary::models)
  tributary_test(NAME bad_input_cosim_test SOURCES bad_input_cosim_test.cpp LABELS cosim
                 LIBRARIES tributary_machine_support tributary_switch_short_words)
  tributary_test(NAME platform_reset_cosim_test SOURCES platform_reset_cosim_test.cpp LABELS cosim
                 LIBRARIES tributary_machine_support tributary::switch_variants)
endif()
