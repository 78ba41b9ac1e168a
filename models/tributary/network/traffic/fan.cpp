// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/traffic/fan.h>

#include <tributary/sim/state_archive.h>

namespace tributary {

std::string fan_in::save() const { return save_state(left_); }
void fan_in::restore(const std::string& state) { restore_state(state, left_); }

std::string fan_out::save() const { return save_state(sent_, left_); }
void fan_out::restore(const std::string& state) { restore_state(state, sent_, left_); }

}  // namespace tributary
