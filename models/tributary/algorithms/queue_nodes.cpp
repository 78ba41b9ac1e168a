// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/queue_nodes.h>

#include <utility>

namespace tributary {

word_t leave_queue(program_context& context, std::uint64_t tail, word_t self, std::uint64_t next) {
  const word_t behind = context.load(next);
  if (behind != 0 || context.compare_and_swap(tail, self, 0) == self) return behind;
  // Somebody is behind in the queue and about to say so.
  return context.spin(next, [](word_t word) { return word != 0; });
}

word_t own_grant::await() {
  waited_ = true;
  return context_.spin(address_, [](word_t word) { return word != 0; });
}

void own_grant::forget() {
  if (std::exchange(waited_, false)) context_.store(address_, 0);
}

}  // namespace tributary
