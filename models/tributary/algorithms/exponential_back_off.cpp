// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/exponential_back_off.h>

#include <tributary/sim/error.h>

namespace tributary {

void exponential_back_off::validate(const std::string& lock) const {
  if (least != 0 && least <= most) return;
  throw configuration_error({lock + ".least", "", std::to_string(least) + " is out of range",
                             "1 to " + std::to_string(most) + ", the most",
                             "choose a back-off that begins within its bounds"});
}

void back_off_delays::keep_away(program_context& context) {
  context.delay(1 + context.random(bound_));
  // Doubled only where that cannot overflow.
  bound_ = bound_ > most_ / 2 ? most_ : 2 * bound_;
}

}  // namespace tributary
