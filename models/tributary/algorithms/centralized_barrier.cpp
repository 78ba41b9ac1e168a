// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/centralized_barrier.h>

namespace tributary {

centralized_barrier::centralized_barrier(program_context& context, std::uint64_t counter,
                                         std::uint64_t release)
    : context_(context), counter_(counter), release_(release) {}

centralized_barrier::centralized_barrier(program_context& context, const memory_place& place)
    : centralized_barrier(context, place.central(context, 0), place.central(context, 1)) {}

void centralized_barrier::cross() {
  sense_ ^= 1;
  if (context_.fetch_add(counter_, 1) + 1 == context_.size()) {
    // The reset is over before anybody can be released and arrive again.
    context_.store(counter_, 0);
    context_.store(release_, sense_);
  } else {
    context_.spin(release_, [this](word_t seen) { return seen == sense_; });
  }
}

}  // namespace tributary
