# SPDX-License-Identifier: Apache-2.0
# TRIBUTARY_SANITIZE covers the whole build: a report ends the program, so that a test cannot
# pass over it.
if(TRIBUTARY_SANITIZE)
  list(JOIN TRIBUTARY_SANITIZE "," _tributary_sanitizers)
  add_compile_options(-fsanitize=${_tributary_sanitizers} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${_tributary_sanitizers})
endif()
