// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/closed_loop.h>

#include <tributary/sim/state_archive.h>

namespace tributary {

closed_loop::closed_loop(const traffic_config& requests, const processing_element_config& elements,
                         std::uint32_t outstanding, const address_map& map, std::uint64_t seed)
    : traffic_(requests, map, seed), elements_(elements, map.modules(), outstanding, seed) {}

void closed_loop::advance(cycle_t now, network_interface& ports) {
  if (stopped_) return;
  elements_.wake(now, [&](const pe_slot& slot) {
    memory_request request = traffic_.draw(slot.pe);
    request.tag = slot.slot;
    ports.offer(slot.pe, request, now);
  });
}

void closed_loop::deliver(cycle_t now, const std::vector<memory_response>& responses) {
  for (const memory_response& response : responses) {
    elements_.complete({index(response.pe), static_cast<std::uint32_t>(response.tag)}, now);
  }
}

void closed_loop::report(statistics_group&) const {}

std::string closed_loop::save() const { return save_state(traffic_, elements_, stopped_); }

void closed_loop::restore(const std::string& state) {
  restore_state(state, traffic_, elements_, stopped_);
}

}  // namespace tributary
