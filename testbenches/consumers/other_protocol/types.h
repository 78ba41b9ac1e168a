// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tributary/systemc/combining_network.h>

/// A protocol of the user's own.
struct other_types {
  using tlm_payload_type = tlm::tlm_generic_payload;
  using tlm_phase_type = tlm::tlm_phase;
};
