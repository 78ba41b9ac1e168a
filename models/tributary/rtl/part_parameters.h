// SPDX-License-Identifier: Apache-2.0
// The parameters of rtl/combining_queue.sv, wait_buffer.sv and reverse_queue.sv, named and with the
// defaults as in the RTL; addresses, words and identities have the widths of `packet`.
#pragma once

#include <cstdint>

#include <tributary/network/omega/combining_queue.h>

namespace tributary {

struct combining_queue_parameters {
  std::uint32_t Writers = 1;
  std::uint32_t Slots = 4;
  std::uint32_t AdaptiveLimit = 0;
  std::uint32_t Gradual = 0;
  std::uint32_t Coupled = 0;
  std::uint32_t Ordered = 0;
  std::uint32_t SumAtExit = 0;  ///< at the ports the same (cycle contract, rule 5)
  std::uint32_t Forms = 0xff;
};

struct wait_buffer_parameters {
  std::uint32_t Entries = 8;
  std::uint32_t Forms = 0xff;
};

struct reverse_queue_parameters {
  std::uint32_t Slots = 16;
};

/// The configuration of the model that these parameters are.
inline combining_queue_config config_of(const combining_queue_parameters& parameters) {
  combining_queue_config config;
  config.writers = parameters.Writers;
  config.slots = parameters.Slots;
  config.adaptive_limit = parameters.AdaptiveLimit;
  config.adaptation = parameters.Gradual != 0 ? queue_adaptation::gradual : queue_adaptation::crude;
  config.coupled = parameters.Coupled != 0;
  config.order = parameters.Ordered != 0 ? match_order::ordered : match_order::oldest;
  config.combining_forms = static_cast<std::uint8_t>(parameters.Forms);
  return config;
}

}  // namespace tributary
