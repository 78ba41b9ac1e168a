# SPDX-License-Identifier: Apache-2.0
# The parameter sets of the combining switch that a build may have as RTL: the named designs of the
# paper, one that goes beyond it, and the ends of the axes. TRIBUTARY_RTL_VARIANTS chooses; a line
# here adds one.
set(tributary_switch_variants "")
macro(_variant NAME)
  list(APPEND tributary_switch_variants ${NAME})
  set(tributary_switch_${NAME}_parameters ${ARGN})
endmacro()
_variant(baseline WaitBufferEntries=8)
_variant(wait_buffer_100 WaitBufferEntries=100)
_variant(improved AdaptiveLimit=2 WaitBufferEntries=100)
_variant(aggressive DualInput=1 Coupled=1 AdaptiveLimit=2 WaitBufferEntries=100)
_variant(at_exit DualInput=1 Coupled=1 SumAtExit=1 AdaptiveLimit=2 WaitBufferEntries=100)
_variant(gradual AdaptiveLimit=2 Gradual=1 WaitBufferEntries=100)
_variant(dual_gradual DualInput=1 Coupled=1 Slots=8 AdaptiveLimit=1 Gradual=1
                      WaitBufferEntries=16)
_variant(narrow DualInput=1 Coupled=1 Ordered=1 SumAtExit=1 Slots=3 WaitBufferEntries=2
                LinkCycles=1 ReverseSlots=5)
_variant(no_combining Forms=0)
_variant(loads_and_adds Forms=5 SumAtExit=1 AdaptiveLimit=2 WaitBufferEntries=100)
_variant(dual_decoupled DualInput=1 AdaptiveLimit=2 WaitBufferEntries=100)
_variant(single_coupled Coupled=1 AdaptiveLimit=2 WaitBufferEntries=100)
_variant(ordered Ordered=1)
_variant(dual_ordered DualInput=1 Ordered=1)
_variant(deep Slots=16 WaitBufferEntries=300 LinkCycles=4 ReverseSlots=64)
_variant(registers ArrivalRegisters=1 SumAtExit=1)
_variant(dual_registers ArrivalRegisters=1 DualInput=1 Coupled=1 Ordered=1 AdaptiveLimit=2
                        WaitBufferEntries=3 LinkCycles=1 ReverseSlots=10)
_variant(systolic Microarchitecture=1 AdaptiveLimit=2 WaitBufferEntries=100)

set(TRIBUTARY_RTL_VARIANTS wait_buffer_100 improved aggressive gradual narrow
    dual_ordered loads_and_adds dual_registers CACHE STRING
    "Variants of the switch that are verilated: names of cmake/switch_variants.cmake, or all")
if(TRIBUTARY_RTL_VARIANTS STREQUAL "all")
  set(tributary_built_variants ${tributary_switch_variants})
else()
  set(tributary_built_variants ${TRIBUTARY_RTL_VARIANTS})
endif()
foreach(variant ${tributary_built_variants})
  if(NOT variant IN_LIST tributary_switch_variants)
    message(FATAL_ERROR "TRIBUTARY_RTL_VARIANTS: there is no variant ${variant}; there are "
                        "${tributary_switch_variants}, or all")
  endif()
endforeach()
