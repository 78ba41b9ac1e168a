// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/test_and_set_lock.h>

#include <string>

#include <tributary/sim/error.h>

namespace tributary {

test_and_set_lock::test_and_set_lock(program_context& context, const memory_place& place,
                                     const exponential_back_off& back_off)
    : context_(context), taken_(place.central(context, 0)), back_off_(back_off) {
  if (back_off.least == 0 || back_off.least > back_off.most) {
    throw configuration_error({"test_and_set_lock.least", "",
                               std::to_string(back_off.least) + " is out of range",
                               "1 to " + std::to_string(back_off.most) + ", the most",
                               "choose a back-off that begins within its bounds"});
  }
}

void test_and_set_lock::acquire() {
  std::uint64_t bound = back_off_.least;
  while (context_.test_and_set(taken_) != 0) {
    context_.delay(1 + context_.random(bound));
    // Doubled only where that cannot overflow.
    bound = bound > back_off_.most / 2 ? back_off_.most : 2 * bound;
  }
}

void test_and_set_lock::release() {
  context_.fence();
  context_.store(taken_, 0);
}

}  // namespace tributary
