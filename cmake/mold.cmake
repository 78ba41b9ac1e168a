# SPDX-License-Identifier: Apache-2.0
# Links with mold where it is installed: a sanitized test links in a quarter of the time.
find_program(TRIBUTARY_MOLD mold DOC "Linker; empty: the compiler's own")
mark_as_advanced(TRIBUTARY_MOLD)
if(TRIBUTARY_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
