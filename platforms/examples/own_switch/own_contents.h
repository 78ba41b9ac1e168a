// SPDX-License-Identifier: Apache-2.0
// What own_switch.sv holds, read from its registers, so that a difference is shown with both
// states.
#pragma once

#include <tributary/network/omega/switch_contents.h>

#include <tributary/rtl/switch_parameters.h>
#include <tributary/rtl/verilator_runtime.h>

/// The requests, pairs and responses in a verilated own_switch with these parameters.
tributary::switch_contents own_contents(VerilatedContext& context, unsigned slots,
                                        unsigned wait_buffer_entries, unsigned reverse_slots);

/// A design of tributary_verilate_switch that shows them.
template <class Verilated>
struct with_contents : Verilated {
  static tributary::switch_contents contents(VerilatedContext& context) {
    constexpr tributary::switch_parameters parameters = Verilated::parameters;
    return own_contents(context, parameters.Slots, parameters.WaitBufferEntries,
                        parameters.ReverseSlots);
  }
};
