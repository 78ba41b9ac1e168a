// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/event_batch.h>

namespace tributary {

// Not in the header, as it is seldom called where many events are made.
void event_batch::grow() {
  constexpr std::size_t first_room = 64;
  room_.resize(size_ == 0 ? first_room : 2 * size_);
  capacity_ = room_.size();
}

}  // namespace tributary
