// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/ll_sc_lock.h>

namespace tributary {

ll_sc_lock::ll_sc_lock(program_context& context, const memory_place& place,
                       const exponential_back_off& back_off, reading how)
    : ll_sc_lock(context, place.central(context, 0), back_off, how) {}

ll_sc_lock::ll_sc_lock(program_context& context, std::uint64_t taken,
                       const exponential_back_off& back_off, reading how)
    : context_(context), taken_(taken), back_off_(back_off), how_(how) {
  back_off.validate("ll_sc_lock");
}

void ll_sc_lock::acquire() {
  back_off_delays failures(back_off_);
  await_free(true);
  while (!context_.store_conditional(taken_, 1)) {
    failures.keep_away(context_);
    await_free(false);
  }
}

void ll_sc_lock::await_free(bool is_first) {
  bool asks_to_write = how_ == reading::exclusive || (how_ == reading::first_exclusive && is_first);
  do {
    if (asks_to_write) context_.prefetch_exclusive(taken_);
    asks_to_write = how_ == reading::exclusive;
  } while (context_.load_linked(taken_) != 0);
}

void ll_sc_lock::release() {
  context_.fence();
  context_.store(taken_, 0);
}

}  // namespace tributary
