// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/parked_spinners.h>

#include <utility>

#include <tributary/memory/address_map.h>

namespace tributary {

parked_spinners::parked_spinners(memory& memories, network_interface& interfaces,
                                 const address_map& map, std::uint32_t turnaround)
    : memories_(memories),
      interfaces_(interfaces),
      map_(map),
      config_(memories.config()),
      period_(std::uint64_t{config_.latency} + turnaround),
      parked_(interfaces.count()) {}

bool parked_spinners::park(std::uint32_t element, local_spinner& owner, const access& load,
                           word_t value, cycle_t now) {
  // Of the requests for the module, the element's own would be counted too.
  if (!allowed_ || interfaces_.bound_for(element) != 0 || !memories_.quiet(element)) return false;
  if (interfaces_.waiting(element) != 0 || interfaces_.outstanding(element) != 0) return false;
  const address_region* const region = map_.region_of(load.address);
  if (region == nullptr || !region->local_port) return false;
  const mm_id module = map_.module_of(*region, load.address);
  if (index(module) != element) return false;
  // Written since the element saw it?
  if (std::as_const(memories_).words().read(location_of(module, load.address)) != value)
    return false;
  parked_[element] = {&owner, load, now};
  ++count_;
  ++times_;
  interfaces_.watch(element, true);
  return true;
}

void parked_spinners::wake_watched(cycle_t now) {
  for (const std::uint32_t module : interfaces_.watched_offers()) wake(module, now);
  interfaces_.clear_watched_offers();
}

void parked_spinners::wake_all(cycle_t now) {
  for (std::uint32_t element = 0; count_ != 0; ++element) wake(element, now);
  interfaces_.clear_watched_offers();
}

void parked_spinners::wake(std::uint32_t element, cycle_t now) {
  const spinner that = std::exchange(parked_[element], spinner());
  if (that.owner == nullptr) return;
  --count_;
  interfaces_.watch(element, false);
  parked_polls polls;
  polls.looks = (now - that.since) / period_;
  polls.offered = polls.looks + 1;
  const cycle_t last = that.since + polls.looks * period_;
  const bool answered = now - last >= config_.latency;
  polls.delivered = answered ? polls.offered : polls.looks;
  polls.last_delivery = last + config_.latency - (answered ? 0 : period_);
  polls.last_offer = last;
  polls.period = period_;
  const packet request = interfaces_.add_local_loads(
      element, that.load, {polls.offered, polls.delivered, last, config_.latency});
  memories_.add_local_loads(element, request, polls.offered, last, now);
  that.owner->go_on_polling(polls);
}

}  // namespace tributary
