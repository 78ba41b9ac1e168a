// SPDX-License-Identifier: Apache-2.0
#include "golden_systolic_queue.h"

#include <algorithm>

namespace tributary::testing {

bool golden_systolic_queue::match(const row& climbing, const row& waiting) const {
  if (!climbing.in || !waiting.out || waiting.chute) return false;
  const packet& first = *waiting.out;
  const packet& second = *climbing.in;
  return first.location == second.location && first.combinable != 0 && second.combinable != 0 &&
         forms_combine_(first.kind, second.kind);
}

void golden_systolic_queue::combine(bool head_leaves) {
  const std::vector<row> start = cells_;
  const auto beside = [&](std::size_t r) {
    if (r >= start.size() || !match(start[r], start[r])) return false;
    return r != 0 || (coupled_ && !head_leaves);
  };
  for (std::size_t r = 0; r < start.size(); ++r) {
    if (beside(r)) {
      cells_[r].chute = start[r].in;
      cells_[r].in.reset();
    } else if (head_leaves && r + 1 < start.size() && match(start[r], start[r + 1]) &&
               !beside(r + 1)) {
      cells_[r + 1].chute = start[r].in;
      cells_[r].in.reset();
    }
  }
}

void golden_systolic_queue::leave() {
  for (std::size_t r = 0; r < cells_.size(); ++r) {
    const bool top = r + 1 == cells_.size();
    cells_[r].out = top ? std::nullopt : cells_[r + 1].out;
    cells_[r].chute = top ? std::nullopt : cells_[r + 1].chute;
  }
}

void golden_systolic_queue::climb(const std::optional<packet>& arrival) {
  const auto raise = [&](const packet& request, std::size_t to) {
    const auto free =
        std::find_if(cells_.begin(), cells_.end(), [](const row& r) { return !r.out; });
    const auto lowest = static_cast<std::size_t>(free - cells_.begin());
    (lowest <= to ? cells_[lowest].out : cells_.at(to).in) = request;
  };
  for (std::size_t r = cells_.size(); r-- > 0;) {
    if (!cells_[r].in) continue;
    const packet request = *cells_[r].in;
    cells_[r].in.reset();
    raise(request, r + 1);
  }
  if (arrival) raise(*arrival, 0);
}

void golden_systolic_queue::step(bool head_leaves, bool buffer_full,
                                 const std::optional<packet>& arrival) {
  if (!buffer_full) combine(head_leaves);
  if (head_leaves) leave();
  climb(arrival);
}

std::vector<std::pair<packet, std::optional<partner>>> golden_systolic_queue::entries() const {
  std::vector<std::pair<packet, std::optional<partner>>> found;
  for (const row& each : cells_) {
    if (!each.out) continue;
    packet request = *each.out;
    std::optional<partner> second;
    if (each.chute) {
      second = partner{request.id(), each.chute->id(), request.function()};
      request.set_function(compose(request.function(), each.chute->function()));
    }
    found.emplace_back(request, second);
  }
  for (auto each = cells_.rbegin(); each != cells_.rend(); ++each) {
    if (each->in) found.emplace_back(*each->in, std::nullopt);
  }
  return found;
}

}  // namespace tributary::testing
