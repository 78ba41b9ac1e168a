# SPDX-License-Identifier: Apache-2.0
# Runs Doxygen by FOLDER/Doxyfile. Its warnings are errors, but for one kind: a member of a class
# may leave its documentation to its name and type, because no comment says what the next line says;
# so may comparisons. Classes, enumerations, free functions and constants need theirs.
file(REMOVE_RECURSE ${FOLDER}/html)
execute_process(COMMAND ${DOXYGEN} ${FOLDER}/Doxyfile COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${FOLDER}/warnings.txt lines)
list(FILTER lines EXCLUDE REGEX "Member .* of (class|struct) .* is not documented")
list(FILTER lines EXCLUDE REGEX "Member operator(==|!=|<)\\(.* is not documented")
if(lines)
  list(JOIN lines "\n" message)
  message(FATAL_ERROR "Doxygen finds fault with public headers:\n${message}")
endif()
message(STATUS "API reference: ${FOLDER}/html/index.html")
