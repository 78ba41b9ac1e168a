// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/traffic/token_pass.h>

#include <tributary/sim/state_archive.h>

namespace tributary {

std::string token_pass::save() const { return save_state(left_); }
void token_pass::restore(const std::string& state) { restore_state(state, left_); }

}  // namespace tributary
