# SPDX-License-Identifier: Apache-2.0
# The API reference: target api_reference writes build/api-reference/html from the public headers,
# and the test documentation.api_reference fails where Doxygen finds fault with one of them.
find_program(TRIBUTARY_DOXYGEN doxygen)
mark_as_advanced(TRIBUTARY_DOXYGEN)

if(TRIBUTARY_DOXYGEN)
  get_target_property(_api_headers tributary_cores HEADER_SET)
  if(TARGET tributary_models)
    get_target_property(_api_headers_of_models tributary_models HEADER_SET)
    list(APPEND _api_headers ${_api_headers_of_models})
  endif()
  list(JOIN _api_headers "\" \\\n    \"" TRIBUTARY_API_HEADERS)
  set(TRIBUTARY_API_FOLDER ${PROJECT_BINARY_DIR}/api-reference)
  configure_file(${PROJECT_SOURCE_DIR}/docs/Doxyfile.in ${TRIBUTARY_API_FOLDER}/Doxyfile @ONLY)
  set(_api_command ${CMAKE_COMMAND} -DDOXYGEN=${TRIBUTARY_DOXYGEN} -DFOLDER=${TRIBUTARY_API_FOLDER}
                   -P ${PROJECT_SOURCE_DIR}/cmake/run_doxygen.cmake)
else()
  set(_api_command ${CMAKE_COMMAND} -E echo "skipped: it needs doxygen")
endif()

add_custom_target(api_reference COMMAND ${_api_command} VERBATIM)
if(TRIBUTARY_BUILD_TESTS)
  add_test(NAME documentation.api_reference COMMAND ${_api_command})
  set_tests_properties(documentation.api_reference PROPERTIES LABELS documentation TIMEOUT 120
                       SKIP_REGULAR_EXPRESSION "^skipped:")
endif()
