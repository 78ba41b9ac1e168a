// SPDX-License-Identifier: Apache-2.0
// Reading the answers of the base protocol.
#pragma once

#include <tributary/systemc/systemc.h>

namespace tributary {

/// Whether a call of nb_transport that returned `answer` with `phase` only took the call: it
/// returned TLM_ACCEPTED, or a phase of another protocol, which those who do not know it ignore
/// (IEEE 1666-2011, 15.2.5).
inline bool only_accepted(tlm::tlm_sync_enum answer, const tlm::tlm_phase& phase) {
  return answer == tlm::TLM_ACCEPTED || (answer == tlm::TLM_UPDATED && phase > tlm::END_RESP);
}

}  // namespace tributary
