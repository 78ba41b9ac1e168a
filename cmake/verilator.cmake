# SPDX-License-Identifier: Apache-2.0
# TRIBUTARY_RTL: whether the RTL of rtl/ is verilated, for co-simulation. Sets tributary_has_rtl.
# Nobody needs it where only the library is built.
set(TRIBUTARY_RTL AUTO CACHE STRING
    "Verilate the RTL for co-simulation: AUTO (top level, where Verilator is found), ON or OFF")
if(NOT TRIBUTARY_RTL MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "TRIBUTARY_RTL is ${TRIBUTARY_RTL}; set it to AUTO, ON or OFF")
endif()

set(tributary_has_rtl ${TRIBUTARY_RTL})
if(TRIBUTARY_RTL STREQUAL "AUTO")
  set(tributary_has_rtl OFF)
  if(PROJECT_IS_TOP_LEVEL AND TRIBUTARY_SANITIZE)
    message(STATUS "Sanitizers are on: co-simulation is not built (-DTRIBUTARY_RTL=ON builds it)")
  elseif(PROJECT_IS_TOP_LEVEL AND (TRIBUTARY_BUILD_PLATFORMS OR TRIBUTARY_BUILD_TESTS))
    include(find_verilator)
    tributary_find_verilator(_tributary_problem)
    if(_tributary_problem)
      message(STATUS "${_tributary_problem} Without it the RTL is not built and its tests are skipped.")
    else()
      set(tributary_has_rtl ON)
    endif()
  endif()
endif()
if(tributary_has_rtl)
  include(verilate)
endif()
