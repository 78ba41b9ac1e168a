# SPDX-License-Identifier: Apache-2.0
# The parts of a switch alone beside their cores, what the probe shows, and switches as SystemC
# modules. Type B and A, decoupled and coupled, in order or not, at the ends of the axes.
tributary_verilate_part(queue_b TOP combining_queue PARAMETERS AdaptiveLimit=2)
tributary_verilate_part(queue_ordered TOP combining_queue PARAMETERS Ordered=1 Slots=6 Forms=5)
tributary_verilate_part(queue_least TOP combining_queue PARAMETERS Coupled=1 Slots=2 AdaptiveLimit=1)
tributary_verilate_part(queue_dual TOP combining_queue
                        PARAMETERS Writers=2 Coupled=1 AdaptiveLimit=2)
tributary_verilate_part(queue_dual_ordered TOP combining_queue
                        PARAMETERS Writers=2 Ordered=1 Slots=5)
tributary_verilate_part(queue_gradual TOP combining_queue PARAMETERS AdaptiveLimit=2 Gradual=1)
tributary_verilate_part(queue_dual_gradual TOP combining_queue
                        PARAMETERS Writers=2 Coupled=1 Slots=8 AdaptiveLimit=1 Gradual=1)
tributary_verilate_part(queue_at_exit TOP combining_queue PARAMETERS SumAtExit=1 AdaptiveLimit=2)
tributary_verilate_part(queue_dual_at_exit TOP combining_queue
                        PARAMETERS Writers=2 Coupled=1 Ordered=1 SumAtExit=1)
set(queues tributary_part_queue_b tributary_part_queue_ordered tributary_part_queue_least
           tributary_part_queue_dual tributary_part_queue_dual_ordered
           tributary_part_queue_gradual tributary_part_queue_dual_gradual
           tributary_part_queue_at_exit tributary_part_queue_dual_at_exit)
tributary_test(NAME combining_queue_cosim_test SOURCES combining_queue_cosim_test.cpp LABELS cosim
               LIBRARIES tributary_test_support ${queues})

tributary_verilate_part(buffer_of_one TOP wait_buffer PARAMETERS Entries=1 Forms=5)
tributary_verilate_part(buffer_of_hundred TOP wait_buffer PARAMETERS Entries=100)
set(buffers tributary_part_buffer_of_one tributary_part_buffer_of_hundred)
tributary_test(NAME wait_buffer_cosim_test SOURCES wait_buffer_cosim_test.cpp LABELS cosim
               LIBRARIES tributary_test_support ${buffers})

tributary_verilate_part(reverse_least TOP reverse_queue PARAMETERS Slots=5)
tributary_verilate_part(reverse_deep TOP reverse_queue PARAMETERS Slots=16)
tributary_test(NAME reverse_queue_cosim_test SOURCES reverse_queue_cosim_test.cpp LABELS cosim
               LIBRARIES tributary_test_support tributary_part_reverse_least
                         tributary_part_reverse_deep)

tributary_test(NAME switch_probe_cosim_test SOURCES switch_probe_cosim_test.cpp LABELS cosim
               LIBRARIES tributary_test_support tributary::switch_variants
                         tributary_switch_systolic_decoupled tributary_switch_systolic_coupled)
if(TARGET tributary_machine_support AND TARGET tributary::models)
  tributary_test(NAME modules_cosim_test SOURCES modules_cosim_test.cpp SYSTEMC LABELS cosim
                 TIMEOUT 300
                 LIBRARIES tributary_machine_support tributary_switch_systolic_decoupled
                           tributary_switch_systolic_coupled)
endif()
