// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/systemc.h>

// SystemC's library brings a main that calls this, and does not link without it. Programs that use
// this library have a main of their own; one that leaves main to SystemC defines its own sc_main.
__attribute__((weak)) int sc_main(int, char*[]) { return 1; }
