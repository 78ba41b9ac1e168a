// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/processing_elements.h>

#include <tributary/processor/start_cycles.h>
#include <tributary/sim/parameters.h>

namespace tributary {

void processing_element_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("turnaround", turnaround, u32{1, 1000000}, "cycles",
                 "Cycles from the delivery of a response to the next request of its slot.");
  parameters.add("start_window", start_window, u32{1, 1000000}, "cycles",
                 "The first request of each slot is offered at a random cycle from 1 to this; 1 "
                 "starts all together.");
  parameters.add_choice(
      "starts", starts,
      {{"independent", start_draw::independent}, {"one_sequence", start_draw::one_sequence}},
      "How those cycles are drawn: by each element from a random stream of its own (independent); "
      "or from one sequence, which each seed enters one slot further on than the seed before "
      "(one_sequence), so that consecutive seeds are not independent: only to repeat the cycle "
      "contract's measured values.");
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
  start_cycles starts(config_, pe, slots_, seed_);
  for (std::uint32_t slot = 0; slot < slots_; ++slot) wake_at({pe, slot}, starts.next());
}

}  // namespace tributary
