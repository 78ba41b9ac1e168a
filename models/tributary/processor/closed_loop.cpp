// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/closed_loop.h>

#include <tributary/sim/state_archive.h>

namespace tributary {

closed_loop::closed_loop(const traffic_config& requests, const processing_element_config& elements,
                         std::uint32_t outstanding, const address_map& map, std::uint64_t seed)
    : queued_workload(map.modules(), elements.posted_stores),
      traffic_(requests, map, seed),
      elements_(elements, map.modules(), outstanding, seed) {}

void closed_loop::advance(cycle_t now, memory_port& ports) {
  if (stopped_) return;
  port_ = &ports;
  elements_.wake(now, [&](const pe_slot& slot) { issue(slot, now); });
}

void closed_loop::join(element_clock& clock, memory_port& port) {
  queued_workload::join(clock, port);
  elements_.follow(clock);
}

void closed_loop::wake(const pe_slot& wakeup, cycle_t now) {
  if (!stopped_) issue(wakeup, now);
}

void closed_loop::issue(const pe_slot& slot, cycle_t now) {
  access request = traffic_.draw(slot.pe);
  request.tag = slot.slot;
  offer(slot.pe, request, now);
}

void closed_loop::completed(const completion& ended, cycle_t now) {
  elements_.complete({index(ended.pe), static_cast<std::uint32_t>(ended.tag)}, now);
}

std::string closed_loop::save() const { return save_state(traffic_, elements_, stopped_, queues_); }

void closed_loop::restore(const std::string& state) {
  restore_state(state, traffic_, elements_, stopped_, queues_);
}

}  // namespace tributary
