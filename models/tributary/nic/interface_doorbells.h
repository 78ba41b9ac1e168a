// SPDX-License-Identifier: Apache-2.0
// Doorbells of queues: what hosts posted, and when the firmware finds it.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/nic/host_interface_config.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// A post as the firmware takes it.
struct doorbell_post {
  std::uint32_t queue = 0;
  std::uint64_t place = 0;  ///< of the write in the queue's page
  std::uint64_t value = 0;
  cycle_t rung = 0;

  TRIBUTARY_STATE(queue, place, value, rung);
};

/// Where a post is found.
struct doorbell_finding {
  std::uint32_t queue = 0;
  std::uint64_t looks = 0;

  TRIBUTARY_STATE(queue, looks);
};

/// Per queue, the firmware looks at the active ones in turn while it has nothing else to do. So the
/// time until it finds a post grows with them. The central queue takes one look.
class interface_doorbells {
 public:
  explicit interface_doorbells(const host_interface_config& config);

  /// Whether the doorbell takes another post of that queue.
  bool can_ring(std::uint32_t queue) const;
  /// Of an active queue that can be rung.
  void ring(const doorbell_post& post);
  bool is_active(std::uint32_t queue) const { return active_[queue]; }
  bool empty() const { return waiting_ == 0; }
  /// A queue is looked at from here on, or no longer, and forgets its posts. All are at first.
  void activate(std::uint32_t queue, bool active);
  std::uint32_t active() const { return active_count_; }

  /// Where the firmware, which has been looking since `idle_from`, finds the next post if it looks
  /// on in `now`, and after how many looks of `scan_cycles`. There must be a post.
  doorbell_finding find(cycle_t idle_from, cycle_t now) const;
  /// Whether the post is still there: its queue may have been closed.
  bool is_there(const doorbell_finding& where) const { return !posts_[where.queue].empty(); }
  doorbell_post take(const doorbell_finding& where);

  const counter& looks() const { return looks_; }
  void reset_statistics() { looks_.reset(); }

  TRIBUTARY_STATE(posts_, active_, active_count_, waiting_, next_, looks_);

 private:
  host_interface_config config_;
  std::vector<fifo<doorbell_post>> posts_;  ///< by queue; one of a central queue
  std::vector<bool> active_;                ///< by queue
  std::uint32_t active_count_;
  std::uint64_t waiting_ = 0;
  std::uint32_t next_ = 0;  ///< queue that was looked at next when the firmware was free
  counter looks_;
};

}  // namespace tributary
