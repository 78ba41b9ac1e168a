# SPDX-License-Identifier: Apache-2.0
# Every outside package, found in one place. All of them are in Debian 12; nothing is downloaded.

# tributary_find(TARGET DEBIAN_PACKAGE find_package arguments...)
# Does nothing where the target exists already, as it does in a project that embeds this one.
macro(tributary_find target debian_package)
  if(NOT TARGET ${target})
    find_package(${ARGN} QUIET)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "Tributary needs ${target}, which was not found.\n"
              "On Debian: apt-get install ${debian_package}, or run ./dev setup for all packages. "
              "Elsewhere: install it and add its prefix to CMAKE_PREFIX_PATH.")
    endif()
  endif()
endmacro()

# tributary_find_headers(TARGET DEBIAN_PACKAGE HEADER): the same of a package without files for CMake,
# which is headers alone.
macro(tributary_find_headers target debian_package header)
  if(NOT TARGET ${target})
    string(MAKE_C_IDENTIFIER "TRIBUTARY_${target}_DIR" _tributary_directory)
    find_path(${_tributary_directory} ${header})
    mark_as_advanced(${_tributary_directory})
    if(NOT ${_tributary_directory})
      message(FATAL_ERROR "Tributary needs ${header}, which was not found.\n"
              "On Debian: apt-get install ${debian_package}, or run ./dev setup for all packages. "
              "Elsewhere: install it and add its prefix to CMAKE_PREFIX_PATH.")
    endif()
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE ${${_tributary_directory}})
  endif()
endmacro()

tributary_find(nlohmann_json::nlohmann_json nlohmann-json3-dev nlohmann_json 3.9)
tributary_find(fmt::fmt libfmt-dev fmt)
tributary_find(cereal::cereal libcereal-dev cereal)
tributary_find(Boost::context libboost-context-dev Boost 1.74 COMPONENTS context)
tributary_find(Boost::headers libboost-dev Boost 1.74)
tributary_find(ZLIB::ZLIB zlib1g-dev ZLIB)
tributary_find(zstd::libzstd_shared libzstd-dev zstd)
tributary_find_headers(protozero::protozero libprotozero-dev protozero/pbf_builder.hpp)
tributary_find(Threads::Threads libc6-dev Threads)
if(TRIBUTARY_BUILD_PLATFORMS)
  tributary_find(CLI11::CLI11 libcli11-dev CLI11)
endif()
if(TRIBUTARY_BUILD_TESTS)
  tributary_find(GTest::gtest libgtest-dev GTest)
endif()
if(TRIBUTARY_BUILD_BENCHMARKS)
  tributary_find(benchmark::benchmark libbenchmark-dev benchmark)
endif()

# AUTO becomes ON or OFF here, for this build only: SystemC may be installed later.
set(TRIBUTARY_SYSTEMC_ORIGIN "" CACHE INTERNAL "Where SystemC is from; ./dev test --systemc reads it")
if(TRIBUTARY_BUILD_MODELS)
  include(systemc)
  tributary_find_systemc(_tributary_problem)
  if(NOT _tributary_problem)
    set(TRIBUTARY_BUILD_MODELS ON)
    get_target_property(_tributary_origin tributary::systemc TRIBUTARY_ORIGIN)
    set(TRIBUTARY_SYSTEMC_ORIGIN "${_tributary_origin}" CACHE INTERNAL "")
  elseif(TRIBUTARY_BUILD_MODELS STREQUAL "AUTO")
    message(STATUS "${_tributary_problem} Without it only tributary::cores is built.")
    set(TRIBUTARY_BUILD_MODELS OFF)
  else()
    message(FATAL_ERROR "TRIBUTARY_BUILD_MODELS is ${TRIBUTARY_BUILD_MODELS}, but "
            "${_tributary_problem} Or set TRIBUTARY_BUILD_MODELS=OFF for tributary::cores alone.")
  endif()
endif()
