// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/test_and_set_lock.h>

namespace tributary {

test_and_set_lock::test_and_set_lock(program_context& context, const memory_place& place,
                                     const exponential_back_off& back_off)
    : context_(context), taken_(place.central(context, 0)), back_off_(back_off) {
  back_off.validate("test_and_set_lock");
}

void test_and_set_lock::acquire() {
  back_off_delays failures(back_off_);
  while (context_.test_and_set(taken_) != 0) failures.keep_away(context_);
}

void test_and_set_lock::release() {
  context_.fence();
  context_.store(taken_, 0);
}

}  // namespace tributary
