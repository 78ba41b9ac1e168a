// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/host_packet.h>

#include <tributary/sim/state_archive.h>

namespace tributary {

std::string host_packet_pool::save() const { return save_state(*this); }
void host_packet_pool::restore(const std::string& state) { restore_state(state, *this); }

}  // namespace tributary
