// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/processing_elements.h>

#include <algorithm>

#include <tributary/sim/parameters.h>
#include <tributary/sim/random_stream.h>

namespace tributary {

void processing_element_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("turnaround", turnaround, u32{1, 1000000}, "cycles",
                 "Cycles from the delivery of a response to the next request of its slot.");
  parameters.add("start_window", start_window, u32{1, 1000000}, "cycles",
                 "The first request of each slot is offered at a random cycle from 1 to this; 1 "
                 "starts all together.");
}

cycle_t processing_element_config::draw_start(random_stream& starts) const {
  return 1 + starts.below(std::max(start_window, 1U));
}

processing_elements::processing_elements(const processing_element_config& config,
                                         std::uint32_t count, std::uint32_t slots,
                                         std::uint64_t seed)
    : config_(config), slots_(slots), seed_(seed) {
  for (std::uint32_t pe = 0; pe < count; ++pe) start(pe);
}

void processing_elements::follow(element_clock& clock) {
  clock_ = &clock;
  wakeups_ = {};
}

void processing_elements::start(std::uint32_t pe) {
  random_stream starts(seed_, pe, purpose::start);
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    wake_at({pe, slot}, config_.draw_start(starts));
  }
}

}  // namespace tributary
