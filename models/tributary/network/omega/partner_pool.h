// SPDX-License-Identifier: Apache-2.0
// What combining leaves behind: the second request of each pair, from match to response.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <tributary/memory/packet.h>
#include <tributary/sim/fixed_size.h>
#include <tributary/sim/state.h>

namespace tributary {

/// The second request of a combined pair. It waits next to the first in the combining queue, then
/// in the wait buffer until the response to the first comes back (FG 2, Figure 3).
struct partner {
  request_id first;
  request_id second;
  /// The function of the first request, which turns its response into the second's.
  word_function kept;

  TRIBUTARY_STATE(first, second, kept.kind, kept.a, kept.b);
};

inline bool operator==(const partner& x, const partner& y) {
  return x.first == y.first && x.second == y.second && x.kept == y.kept;
}

/// Index of a partner in its pool.
using partner_index = std::uint32_t;
/// In place of an index: not combined.
inline constexpr partner_index no_partner = std::numeric_limits<partner_index>::max();

/// The partners of a whole network. Queues and wait buffers hold indices into it, so that a
/// combined request takes no copy on its way from queue to wait buffer, and 100-entry wait buffers
/// cost memory only where they are filled. Each record has one link, used by the list it is on.
class partner_pool {
 public:
  partner_index acquire(const partner& record) {
    if (free_ == no_partner) {
      records_.push_back(record);
      next_.push_back(no_partner);
      return static_cast<partner_index>(records_.size() - 1);
    }
    const partner_index slot = free_;
    free_ = next_[slot];
    records_[slot] = record;
    next_[slot] = no_partner;
    return slot;
  }

  void release(partner_index slot) {
    next_[slot] = free_;
    free_ = slot;
  }

  const partner& operator[](partner_index slot) const { return records_[slot]; }
  partner_index& next(partner_index slot) { return next_[slot]; }
  partner_index next(partner_index slot) const { return next_[slot]; }

  /// Whether the index is `no_partner` or that of a record.
  bool knows(partner_index slot) const { return slot == no_partner || slot < records_.size(); }

  /// Refuses a restored pool whose links lead out of it. Throws `input_error`.
  void check() const {
    bool fits = next_.size() == records_.size() && knows(free_);
    for (const partner_index next : next_) fits = fits && knows(next);
    std::size_t steps = 0;
    for (partner_index at = free_; fits && at != no_partner; at = next_[at]) {
      fits = ++steps <= next_.size();
    }
    require_within(fits);
  }

  TRIBUTARY_STATE(records_, next_, free_);

 private:
  std::vector<partner> records_;
  std::vector<partner_index> next_;
  partner_index free_ = no_partner;
};

}  // namespace tributary
