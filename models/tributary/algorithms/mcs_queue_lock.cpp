// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/mcs_queue_lock.h>

namespace tributary {

mcs_queue_lock::mcs_queue_lock(program_context& context, const memory_place& place, clearing when)
    : context_(context),
      nodes_(context, place),
      tail_(place.central(context, 0)),
      self_(nodes_.self()),
      grant_(context, nodes_.word(self_, granted)),
      when_(when) {}

void mcs_queue_lock::acquire() {
  if (when_ == clearing::in_acquire) context_.store(nodes_.word(self_, next), 0);
  const word_t predecessor = context_.swap(tail_, self_);
  if (predecessor == 0) return;
  if (when_ == clearing::in_acquire) context_.store(nodes_.word(self_, granted), 0);
  context_.store(nodes_.word(predecessor, next), self_);
  grant_.await();
}

void mcs_queue_lock::release() {
  context_.fence();
  const std::uint64_t own_next = nodes_.word(self_, next);
  const word_t successor = leave_queue(context_, tail_, self_, own_next);
  if (successor != 0) {
    context_.store(nodes_.word(successor, granted), 1);
    if (when_ == clearing::in_release) context_.store(own_next, 0);
  }
  if (when_ == clearing::in_release) grant_.forget();
}

}  // namespace tributary
