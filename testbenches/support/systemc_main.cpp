// SPDX-License-Identifier: Apache-2.0
// What a test program that links SystemC has in addition to test_main.cpp.
#include <tributary/systemc/systemc.h>

// libsystemc's own main calls it, and so nothing does: the program's main wins.
int sc_main(int, char**) { return 1; }

// LeakSanitizer asks the program for what it should pass over. libsystemc takes the blocks for
// timed notifications from a pool that it never gives back (1 KiB a block);
// nothing that a test or the library allocates comes from that function.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:sc_core::sc_event_timed::allocate\n";
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
