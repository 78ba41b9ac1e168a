// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/ll_sc_barrier.h>

namespace tributary {

ll_sc_barrier::ll_sc_barrier(program_context& context, std::uint64_t count, std::uint64_t crossing,
                             reading how)
    : context_(context), count_(count), crossing_(crossing), how_(how) {}

void ll_sc_barrier::cross() {
  const word_t now = context_.load(crossing_);
  if (is_last()) {
    context_.store(crossing_, now + 1);
  } else {
    context_.spin(crossing_, [now](word_t seen) { return seen != now; });
  }
}

bool ll_sc_barrier::is_last() {
  bool asks_to_write = how_ != reading::shared;
  word_t come = 0;
  do {
    if (asks_to_write) context_.prefetch_exclusive(count_);
    asks_to_write = how_ == reading::exclusive;
    come = (context_.load_linked(count_) + 1) % context_.size();
  } while (!context_.store_conditional(count_, come));
  return come == 0;
}

}  // namespace tributary
