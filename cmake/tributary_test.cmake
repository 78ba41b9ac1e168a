# SPDX-License-Identifier: Apache-2.0
include(GoogleTest)

# tributary_add_to_suite(LABEL target...): the target tributary_LABEL_tests builds them, so that a
# suite can be built alone.
function(tributary_add_to_suite LABEL)
  if(NOT TARGET tributary_${LABEL}_tests)
    add_custom_target(tributary_${LABEL}_tests)
  endif()
  add_dependencies(tributary_${LABEL}_tests ${ARGN})
endfunction()

# tributary_skipped_test(name label reason): a test that ctest lists as skipped, with the reason.
function(tributary_skipped_test NAME LABEL REASON)
  add_test(NAME ${NAME} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${REASON}")
  set_tests_properties(${NAME} PROPERTIES LABELS ${LABEL} SKIP_REGULAR_EXPRESSION "^skipped:")
endfunction()

# tributary_exit_test(NAME name LABELS label STATUS status PATTERN regex COMMAND word...): a command
# that must end with this status and write a line that the expression fits.
function(tributary_exit_test)
  cmake_parse_arguments(PARSE_ARGV 0 TEST "" "NAME;LABELS;STATUS;PATTERN" "COMMAND")
  add_test(NAME ${TEST_NAME} COMMAND bash ${PROJECT_SOURCE_DIR}/testbenches/support/expect_exit.sh
                                     ${TEST_STATUS} "${TEST_PATTERN}" ${TEST_COMMAND})
  set_tests_properties(${TEST_NAME} PROPERTIES LABELS ${TEST_LABELS} TIMEOUT 60)
endfunction()

# tributary_test_options(TARGET): how tests are compiled. It takes half the time so, and they hardly
# run longer: what they call is optimised.
function(tributary_test_options target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>
                                           $<$<BOOL:${TRIBUTARY_SANITIZE}>:-O0>)
endfunction()

# tributary_test(NAME name [SOURCES file...] [LABELS label] [LIBRARIES target...] [TIMEOUT seconds]
#                [LONG filter] [USES_PROGRAM] [SYSTEMC])
# Makes one GoogleTest program and lets ctest run each of its tests in a process of its own. Under
# sanitizers, where a process takes long to start, one process runs them all, but for SYSTEMC, which
# has one simulation a process.
#   SOURCES       default NAME.cpp
#   LABELS        the suite: property, cosim, validation, cli, documentation ...; the asan preset runs
#                 unit, property and waveform. Default: the variable `suite`, else unit
#   LIBRARIES     beside tributary::cores
#   TIMEOUT       a test, default 60 s in a release build; five times that under sanitizers
#   LONG          tests of this GoogleTest filter get the label `full`: `./dev test --full` runs them.
#                 What they test has a shorter form that always runs
#   USES_PROGRAM  builds the tributary program first and gives its path as TRIBUTARY_PROGRAM
#   SYSTEMC       links tributary::models and the fixture support/systemc_test.h; where the modules
#                 are not built, ctest lists the program as skipped
# The sources see TRIBUTARY_SOURCE_DIR, the root of the repository.
function(tributary_test)
  cmake_parse_arguments(PARSE_ARGV 0 TEST "USES_PROGRAM;SYSTEMC" "NAME;LABELS;TIMEOUT;LONG"
                        "SOURCES;LIBRARIES")
  if(TEST_UNPARSED_ARGUMENTS OR NOT TEST_NAME)
    message(FATAL_ERROR "tributary_test needs NAME; it does not know '${TEST_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT TEST_SOURCES)
    set(TEST_SOURCES ${TEST_NAME}.cpp)
  endif()
  if(NOT TEST_LABELS)
    set(TEST_LABELS unit)
    if(suite)
      set(TEST_LABELS ${suite})
    endif()
  endif()
  if(TEST_SYSTEMC AND NOT TARGET tributary::models)
    tributary_skipped_test(${TEST_NAME} ${TEST_LABELS} "it needs SystemC and TRIBUTARY_BUILD_MODELS")
    return()
  endif()
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 60)
  endif()
  if(TRIBUTARY_SANITIZE)
    math(EXPR TEST_TIMEOUT "5 * ${TEST_TIMEOUT}")
  endif()

  add_executable(${TEST_NAME} ${TEST_SOURCES})
  tributary_own_code(${TEST_NAME})
  target_link_libraries(${TEST_NAME} PRIVATE tributary_test_main GTest::gtest)
  if(TRIBUTARY_SANITIZE)
    # Without optimisation every object defines functions of std::string and needs them, and the
    # linker takes the first definition: from the library's archive it would take all of the library
    # into every test.
    target_link_libraries(${TEST_NAME} PRIVATE stdc++)
  endif()
  target_link_libraries(${TEST_NAME} PRIVATE tributary::cores ${TEST_LIBRARIES})
  target_include_directories(${TEST_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/testbenches)
  tributary_test_options(${TEST_NAME})
  target_compile_definitions(${TEST_NAME} PRIVATE TRIBUTARY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set(precompiled tributary_test_main)
  if(TEST_SYSTEMC)
    target_link_libraries(${TEST_NAME} PRIVATE tributary_systemc_test)
    # In C++20 the iterators of SystemC 2.3's sc_vector compare ambiguously.
    target_compile_options(${TEST_NAME} PRIVATE
      $<$<CXX_COMPILER_ID:Clang>:-Wno-ambiguous-reversed-operator>)
    set(precompiled tributary_systemc_test)
  endif()
  if(TRIBUTARY_PRECOMPILE AND NOT TEST_SOURCES MATCHES "\\.c(;|$)")
    target_precompile_headers(${TEST_NAME} REUSE_FROM ${precompiled})
  endif()
  if(TEST_USES_PROGRAM)
    add_dependencies(${TEST_NAME} tributary)
    target_compile_definitions(${TEST_NAME} PRIVATE TRIBUTARY_PROGRAM="$<TARGET_FILE:tributary>")
  endif()
  tributary_add_to_suite(${TEST_LABELS} ${TEST_NAME})
  if(TRIBUTARY_SANITIZE AND NOT TEST_SYSTEMC)
    add_test(NAME ${TEST_NAME} COMMAND ${TEST_NAME} --gtest_brief=1 --gtest_filter=*-${TEST_LONG})
    set_tests_properties(${TEST_NAME} PROPERTIES TIMEOUT ${TEST_TIMEOUT} LABELS ${TEST_LABELS})
    if(TEST_LONG)
      add_test(NAME ${TEST_NAME}.long
               COMMAND ${TEST_NAME} --gtest_brief=1 --gtest_filter=${TEST_LONG})
      set_tests_properties(${TEST_NAME}.long PROPERTIES TIMEOUT ${TEST_TIMEOUT} LABELS full)
    endif()
    return()
  endif()
  # Discovered when ctest starts, not after each link: a broken program then fails as a test.
  set(discovery TEST_PREFIX ${TEST_NAME}. DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60)
  if(TEST_LONG)
    gtest_discover_tests(${TEST_NAME} ${discovery} TEST_FILTER "-${TEST_LONG}"
                         PROPERTIES TIMEOUT ${TEST_TIMEOUT} LABELS ${TEST_LABELS})
    gtest_discover_tests(${TEST_NAME} ${discovery} TEST_FILTER "${TEST_LONG}" TEST_LIST long_tests
                         PROPERTIES TIMEOUT ${TEST_TIMEOUT} LABELS full)
  else()
    gtest_discover_tests(${TEST_NAME} ${discovery}
                         PROPERTIES TIMEOUT ${TEST_TIMEOUT} LABELS ${TEST_LABELS})
  endif()
endfunction()
