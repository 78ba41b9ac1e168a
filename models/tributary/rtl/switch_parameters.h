// SPDX-License-Identifier: Apache-2.0
// The parameters of rtl/combining_switch.sv, and the configuration of the model that they are.
#pragma once

#include <cstdint>

#include <tributary/network/omega/switch_column.h>

namespace tributary {

/// Named and with the defaults as in the RTL.
struct switch_parameters {
  std::uint32_t DualInput = 0;
  std::uint32_t Coupled = 0;
  std::uint32_t Ordered = 0;
  std::uint32_t SumAtExit = 0;  ///< at the ports the same (cycle contract, rule 5)
  std::uint32_t Slots = 4;
  std::uint32_t AdaptiveLimit = 0;
  std::uint32_t Gradual = 0;
  std::uint32_t WaitBufferEntries = 8;
  std::uint32_t LinkCycles = 2;
  std::uint32_t ReverseSlots = 16;
  std::uint32_t Forms = 0xff;
  std::uint32_t Microarchitecture = 0;
  std::uint32_t ArrivalRegisters = 0;
  std::uint32_t DataWidth = 64;
  std::uint32_t AddressWidth = 48;
  std::uint32_t ModuleWidth = 16;
  std::uint32_t SequenceWidth = 32;
  std::uint32_t ElementWidth = 16;
  std::uint32_t StatusWidth = 8;
};

/// Joinings that the event ports of a switch can tell of in one cycle.
constexpr unsigned join_events_of(const switch_parameters& parameters) {
  return parameters.Microarchitecture != 0 ? 4 * parameters.Slots : 2;
}

inline combining_switch_config config_of(const switch_parameters& parameters) {
  combining_switch_config config;
  config.type = parameters.DualInput != 0 ? queue_type::a : queue_type::b;
  config.coupled = parameters.Coupled != 0;
  config.order = parameters.Ordered != 0 ? match_order::ordered : match_order::oldest;
  config.microarchitecture = parameters.Microarchitecture != 0 ? queue_microarchitecture::systolic
                                                               : queue_microarchitecture::parallel;
  config.arrival_registers = parameters.ArrivalRegisters != 0;
  config.slots = parameters.Slots;
  config.adaptive_limit = parameters.AdaptiveLimit;
  config.adaptation = parameters.Gradual != 0 ? queue_adaptation::gradual : queue_adaptation::crude;
  config.wait_buffer_entries = parameters.WaitBufferEntries;
  config.link_cycles = parameters.LinkCycles;
  config.reverse_slots = parameters.ReverseSlots;
  config.combining = parameters.Forms != 0;
  for (unsigned form = 0; form < form_count; ++form) {
    config.combine.enabled[form] = ((parameters.Forms >> form) & 1U) != 0;
  }
  return config;
}

}  // namespace tributary
