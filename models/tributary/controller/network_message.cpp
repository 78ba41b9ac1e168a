// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/network_message.h>

#include <tributary/sim/state_archive.h>

namespace tributary {

std::string message_pool::save() const {
  return save_state(static_cast<const cargo_pool<network_message>&>(*this));
}

void message_pool::restore(const std::string& state) {
  restore_state(state, static_cast<cargo_pool<network_message>&>(*this));
}

}  // namespace tributary
