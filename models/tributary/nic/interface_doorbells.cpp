// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/interface_doorbells.h>

namespace tributary {

interface_doorbells::interface_doorbells(const host_interface_config& config)
    : config_(config),
      posts_(config.doorbells == doorbell_kind::central ? 1 : config.queues),
      active_(config.queues, true),
      active_count_(config.queues) {}

bool interface_doorbells::can_ring(std::uint32_t queue) const {
  const std::size_t place = posts_.size() == 1 ? 0 : queue;
  return posts_[place].size() < config_.posts;
}

void interface_doorbells::ring(const doorbell_post& post) {
  posts_[posts_.size() == 1 ? 0 : post.queue].push(post);
  ++waiting_;
}

void interface_doorbells::activate(std::uint32_t queue, bool active) {
  if (active_[queue] == active) return;
  active_[queue] = active;
  active_count_ += active ? 1 : ~std::uint32_t{0};
  if (active || posts_.size() == 1) return;
  waiting_ -= posts_[queue].size();
  posts_[queue] = {};
}

/// One look after the other from `idle_from` on; the look that is under way in `now` ends first.
/// A queue that is not active is passed over without a look.
doorbell_finding interface_doorbells::find(cycle_t idle_from, cycle_t now) const {
  if (config_.doorbells == doorbell_kind::central) return {0, 1};
  const auto queues = static_cast<std::uint32_t>(posts_.size());
  std::uint64_t looked = 0;
  if (config_.scan_cycles != 0 && active_count_ != 0) {
    looked = (now - idle_from) / config_.scan_cycles % active_count_;
  }
  std::uint32_t at = next_;
  for (; looked != 0; at = (at + 1) % queues) looked -= active_[at] ? 1 : 0;
  std::uint64_t looks = 0;
  for (std::uint32_t i = 0; i < queues; ++i, at = (at + 1) % queues) {
    looks += active_[at] ? 1 : 0;
    if (active_[at] && !posts_[at].empty()) return {at, looks};
  }
  return {at, 0};
}

doorbell_post interface_doorbells::take(const doorbell_finding& where) {
  const doorbell_post taken = posts_[where.queue].front();
  posts_[where.queue].pop();
  --waiting_;
  next_ = (where.queue + 1) % static_cast<std::uint32_t>(posts_.size());
  looks_.add(where.looks);
  return taken;
}

}  // namespace tributary
