# SPDX-License-Identifier: Apache-2.0
# TRIBUTARY_SANITIZE covers the whole build: a report ends the program, so that a test cannot
# pass over it.
option(TRIBUTARY_SANITIZE_POINTERS
       "With undefined: check each pointer and member call too, which takes twice as long to compile" OFF)
if(TRIBUTARY_SANITIZE)
  list(JOIN TRIBUTARY_SANITIZE "," _tributary_sanitizers)
  add_compile_options(-fsanitize=${_tributary_sanitizers} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  # AddressSanitizer finds most of what these would; `./dev test --full` has them.
  if(TRIBUTARY_SANITIZE MATCHES "undefined" AND NOT TRIBUTARY_SANITIZE_POINTERS)
    add_compile_options(-fno-sanitize=null,alignment,vptr,object-size,pointer-overflow)
  endif()
  add_link_options(-fsanitize=${_tributary_sanitizers})
endif()
