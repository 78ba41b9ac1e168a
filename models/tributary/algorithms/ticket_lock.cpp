// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/ticket_lock.h>

namespace tributary {

ticket_lock::ticket_lock(program_context& context, const memory_place& place)
    : context_(context), next_(place.central(context, 0)), serving_(place.central(context, 1)) {}

void ticket_lock::acquire() {
  ticket_ = context_.fetch_add(next_, 1);
  context_.spin(serving_, [this](word_t serving) { return serving == ticket_; });
}

void ticket_lock::release() {
  context_.fence();
  context_.store(serving_, ticket_ + 1);
}

}  // namespace tributary
