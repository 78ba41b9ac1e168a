// SPDX-License-Identifier: Apache-2.0
// Verilator's runtime, whether SystemC's headers came before or come after. Where they came before,
// verilated.h takes the program for one of models in SystemC; ours are plain C++.
#pragma once

#pragma push_macro("SYSTEMC_VERSION")
#undef SYSTEMC_VERSION
#include <verilated.h>
#pragma pop_macro("SYSTEMC_VERSION")
